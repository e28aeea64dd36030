package audit_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"runtime"
	"runtime/metrics"
	"slices"
	"testing"
	"time"

	"github.com/proxaudit/proxaudit/audit"
	"github.com/proxaudit/proxaudit/inventory/inventorytest"
)

// BenchmarkAnalyse is the analysis of a whole fleet, from the Snapshot to the report. peak-MiB is the most that the heap
// grew by meanwhile, above the Snapshot itself. The analysis has to grow with the fleet and no faster: ten times the VMs may
// take twelve times the memory and, of the fastest runs, the time. That leaves room for what a larger fleet loses to the
// processor's caches; what else the machine does only ever adds to a run.
func BenchmarkAnalyse(b *testing.B) {
	const most = 12
	cost := map[int]measured{}
	for _, n := range []int{500, 5000, 50000} {
		b.Run(fmt.Sprintf("vms=%d", n), func(b *testing.B) {
			cost[n] = analyse(b, n)
			if c := cost[n]; n == 5000 && (c.time > time.Second || c.peak > 300e6) {
				b.Errorf("%s and %d bytes for %d VMs, want at most a second and 300 MB", c.time, c.peak, n)
			}
			tenth, ok := cost[n/10]
			if n == 500 || !ok {
				return // or -bench chose this one only
			}
			times, peaks := float64(cost[n].time)/float64(tenth.time), float64(cost[n].peak)/float64(tenth.peak)
			b.ReportMetric(times, "x-time")
			b.ReportMetric(peaks, "x-peak")
			if n == 50000 && (times > most || peaks > most) {
				b.Errorf("%.1f times the time and %.1f times the memory of a tenth of the fleet, want at most %d: the analysis is not linear, or the machine was busy",
					times, peaks, most)
			}
		})
	}
}

// measured is the shortest duration and the highest peak of the heap in bytes.
type measured struct {
	time time.Duration
	peak uint64
}

func analyse(b *testing.B, n int) measured {
	s := inventorytest.Fleet(n)
	b.ReportAllocs()
	var m measured
	var took []time.Duration
	findings := 0
	for b.Loop() {
		// Collecting what the run before left is not this run's work.
		b.StopTimer()
		runtime.GC()
		base := heap()
		stop, done := make(chan struct{}), make(chan uint64)
		go watch(stop, done)
		b.StartTimer()
		began := time.Now()
		r := audit.Orphans(s, audit.Options{})
		took = append(took, time.Since(began))
		close(stop)
		if top := max(<-done, heap()); top > base {
			m.peak = max(m.peak, top-base)
		}
		findings = len(r.Findings)
	}
	m.time = slices.Min(took)
	b.ReportMetric(float64(m.time.Microseconds())/1000, "fastest-ms")
	b.ReportMetric(float64(m.peak)/(1<<20), "peak-MiB")
	b.ReportMetric(float64(findings), "findings")
	return m
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

// TestLargeFleetIsTheSameOnOneCore: a fleet that is large enough to be worked on by several cores, against one.
func TestLargeFleetIsTheSameOnOneCore(t *testing.T) {
	s := inventorytest.Fleet(7000)
	if n := len(s.VMs) + len(s.Nodes) + len(s.Machines) + len(s.ProxmoxMachines); n < 1<<14 {
		t.Fatalf("a fleet of %d objects is no large one", n)
	}
	report := func(cores int) []byte {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(cores))
		out, err := json.Marshal(audit.Orphans(s, audit.Options{All: true}))
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	if one, four := report(1), report(4); !bytes.Equal(one, four) {
		t.Error("four cores say something else than one")
	}
}
