package render

import (
	"bytes"
	"slices"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/proxaudit/proxaudit/audit"
	"github.com/proxaudit/proxaudit/audit/history"
	"github.com/proxaudit/proxaudit/inventory/inventorytest"
)

// BenchmarkReport is a night of 10,000 VMs and 2,000 findings: the Snapshot in memory, compared with the night before, in every format. The
// bar is 3 s and 500 MB.
func BenchmarkReport(b *testing.B) {
	s := inventorytest.FleetWithout(10_000, 900)
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

// TestPageOfManyFindings: the page of 5,000 findings is under 5 MB, and has each of them.
func TestPageOfManyFindings(t *testing.T) {
	r := audit.NewReport(inventorytest.FleetWithout(10_000, 3_900), audit.Options{})
	if n := len(r.Findings); n < 5_000 {
		t.Fatalf("%d findings", n)
	}
	f, err := Lookup("html")
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := f.Write(&out, Report(r), Options{}); err != nil {
		t.Fatal(err)
	}
	if out.Len() >= 5_000_000 {
		t.Errorf("%d findings make a page of %d bytes", len(r.Findings), out.Len())
	}
	for i := range r.Findings {
		if !bytes.Contains(out.Bytes(), []byte(r.Findings[i].Fingerprint)) {
			t.Fatalf("%s is not in the page", r.Findings[i].Subject.ID)
		}
	}
}

// TestFormatsSideBySide: a Document is only read. Written in all formats at once, each is what it is alone.
func TestFormatsSideBySide(t *testing.T) {
	r := audit.NewReport(inventorytest.Fleet(300), audit.Options{})
	d := Report(r)
	write := func(name string) ([]byte, error) {
		f, err := Lookup(name)
		if err != nil {
			return nil, err
		}
		var out bytes.Buffer
		err = f.Write(&out, d, Options{})
		return out.Bytes(), err
	}
	got := make([][]byte, len(Formats()))
	var all errgroup.Group
	for i, name := range Formats() {
		all.Go(func() (err error) {
			got[i], err = write(name)
			return err
		})
	}
	if err := all.Wait(); err != nil {
		t.Fatal(err)
	}
	for i, name := range Formats() {
		want, err := write(name)
		if err != nil || len(want) == 0 || !bytes.Equal(got[i], want) {
			t.Errorf("%s is another beside the others (%v)", name, err)
		}
	}
}
