package render

import (
	"bytes"
	"slices"
	"testing"
	"time"

	"github.com/proxaudit/proxaudit/audit"
	"github.com/proxaudit/proxaudit/audit/history"
	"github.com/proxaudit/proxaudit/inventory/inventorytest"
)

// BenchmarkReport is a night of 10,000 VMs: the Snapshot in memory, compared with the night before, in every format. The
// bar is 3 s and 500 MB.
func BenchmarkReport(b *testing.B) {
	s := inventorytest.Fleet(10_000)
	before, _ := history.Advance(nil, audit.NewReport(s, audit.Options{}).Run())
	before = slices.DeleteFunc(before, func(r history.Record) bool { return r.Fingerprint < "4" })
	b.ReportAllocs()
	for b.Loop() {
		r := audit.NewReport(s, audit.Options{})
		r.Compare(before, audit.Since{At: s.CollectedAt.Add(-24 * time.Hour)})
		d := Report(r)
		size := 0
		for _, name := range Formats() {
			f, err := Lookup(name)
			if err != nil {
				b.Fatal(err)
			}
			var out bytes.Buffer
			if err := f.Write(&out, d, Options{}); err != nil {
				b.Fatal(err)
			}
			size += out.Len()
		}
		b.ReportMetric(float64(len(r.Findings)), "findings")
		b.ReportMetric(float64(size)/(1<<20), "MiB-out")
	}
}
