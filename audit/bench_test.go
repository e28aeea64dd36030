package audit_test

import (
	"fmt"
	"runtime"
	"runtime/metrics"
	"testing"
	"time"

	"github.com/proxaudit/proxaudit/audit"
	"github.com/proxaudit/proxaudit/inventory/inventorytest"
)

// BenchmarkAnalyse is the analysis of a whole fleet, from the Snapshot to the report. peak-MiB is the most that the heap
// grew by meanwhile, above the Snapshot itself.
func BenchmarkAnalyse(b *testing.B) {
	for _, n := range []int{500, 5000, 50000} {
		b.Run(fmt.Sprintf("vms=%d", n), func(b *testing.B) {
			s := inventorytest.Fleet(n)
			b.ReportAllocs()
			var peak uint64
			findings := 0
			for b.Loop() {
				// Collecting what the run before left is not this run's work.
				b.StopTimer()
				runtime.GC()
				base := heap()
				stop, done := make(chan struct{}), make(chan uint64)
				go watch(stop, done)
				b.StartTimer()
				r := audit.Orphans(s, audit.Options{})
				close(stop)
				if top := max(<-done, heap()); top > base && top-base > peak {
					peak = top - base
				}
				findings = len(r.Findings)
			}
			b.ReportMetric(float64(peak)/(1<<20), "peak-MiB")
			b.ReportMetric(float64(findings), "findings")
		})
	}
}

// heap is what live and not yet collected objects take. Unlike runtime.ReadMemStats it does not stop the world.
func heap() uint64 {
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}

// watch samples the heap until stop is closed, and gives the most that it saw.
func watch(stop <-chan struct{}, done chan<- uint64) {
	var top uint64
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-stop:
			done <- top
			return
		case <-tick.C:
			top = max(top, heap())
		}
	}
}

// TestFleetOfEverySize: the fleet of the benchmark has each kind of machine in it.
func TestFleetOfEverySize(t *testing.T) {
	for _, n := range []int{500, 5000} {
		r := audit.Orphans(inventorytest.Fleet(n), audit.Options{All: true})
		for _, c := range []string{"conflict", "orphan-vm", "non-node", "ghost-machine", "mismatched", "adoptable", "managed", "template", "unrelated"} {
			found := false
			for class, k := range r.Summary.Classes {
				found = found || (string(class) == c && k > 0)
			}
			if !found {
				t.Errorf("a fleet of %d has no machine of class %s: %v", n, c, r.Summary.Classes)
			}
		}
		if r.Summary.Incomplete {
			t.Errorf("the analysis of a fleet of %d that was read in full calls itself incomplete: %v", n, r.Summary.Classes)
		}
	}
}
