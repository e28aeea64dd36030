package cli

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/proxaudit/proxaudit/inventory/inventorytest"
	"github.com/proxaudit/proxaudit/inventory/snapfile"
)

// adoptBar is what the command may take for a thousand Nodes on two cores: the median of the runs, of five or more.
const adoptBar = 2 * time.Second

// BenchmarkAdopt is `adopt --from FILE` for a cluster of a thousand Nodes, from reading the file to the last manifest.
func BenchmarkAdopt(b *testing.B) {
	file := filepath.Join(b.TempDir(), "snapshot.json")
	if err := snapfile.WriteFile(file, inventorytest.ScriptBuilt("prod", 3, 997)); err != nil {
		b.Fatal(err)
	}
	world := newBench(b)
	b.ReportAllocs()
	var runs []time.Duration
	for b.Loop() {
		start := time.Now()
		world.ok("adopt", "--from", file, "--cluster", "prod", "--addresses", "10.0.240.0/24")
		runs = append(runs, time.Since(start))
	}
	if n := strings.Count(world.stdout.String(), "\nkind: Machine\n"); n != 1000 {
		b.Fatalf("%d Machines", n)
	}
	slices.Sort(runs)
	median := runs[len(runs)/2]
	b.ReportMetric(median.Seconds(), "median-s")
	if median > adoptBar {
		b.Fatalf("%s for a thousand Nodes (median of %d), and %s is the bar", median, len(runs), adoptBar)
	}
}
