package audit_test

import (
	"fmt"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/proxaudit/proxaudit/audit"
	"github.com/proxaudit/proxaudit/audit/identity"
	"github.com/proxaudit/proxaudit/inventory/inventorytest"
)

// BenchmarkAnalyse is the whole analysis after collection: Snapshot in, OrphanReport out. peak-MB is the highest heap
// that was in use meanwhile, the Snapshot itself included.
func BenchmarkAnalyse(b *testing.B) {
	for _, n := range []int{500, 5000, 50000} {
		b.Run(fmt.Sprintf("vms=%d", n), func(b *testing.B) {
			s := inventorytest.Fleet(n)
			runtime.GC()
			peak := watchHeap()
			b.ReportAllocs()
			b.ResetTimer()
			for range b.N {
				r := audit.Orphans(s, audit.Options{})
				if r.Summary.Classes[identity.OrphanVM] == 0 || r.Summary.Classes[identity.Managed] == 0 {
					b.Fatalf("the fleet lost its classes: %v", r.Summary.Classes)
				}
			}
			b.StopTimer()
			b.ReportMetric(float64(peak())/(1<<20), "peak-MB")
		})
	}
}

// BenchmarkInventory renders every machine as an item, evidence and all.
func BenchmarkInventory(b *testing.B) {
	for _, n := range []int{500, 5000, 50000} {
		b.Run(fmt.Sprintf("vms=%d", n), func(b *testing.B) {
			s := inventorytest.Fleet(n)
			b.ReportAllocs()
			for b.Loop() {
				if r := audit.Inventory(s, audit.Options{}); len(r.Items) < n*9/10 {
					b.Fatalf("%d items of %d VMs", len(r.Items), n)
				}
			}
		})
	}
}

// watchHeap samples the heap until the returned function is called, which gives the peak in bytes.
func watchHeap() func() uint64 {
	var peak atomic.Uint64
	stop, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		for {
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			if m.HeapAlloc > peak.Load() {
				peak.Store(m.HeapAlloc)
			}
			select {
			case <-stop:
				return
			case <-time.After(5 * time.Millisecond):
			}
		}
	}()
	return func() uint64 {
		close(stop)
		<-done
		return peak.Load()
	}
}
