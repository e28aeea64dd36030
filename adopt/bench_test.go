package adopt_test

import (
	"testing"
	"time"

	"github.com/proxaudit/proxaudit/adopt"
	"github.com/proxaudit/proxaudit/adopt/predict"
	"github.com/proxaudit/proxaudit/inventory/inventorytest"
)

// bar is what a plan with its manifests may take for a thousand Nodes on two cores, and a verification as well.
const bar = 2 * time.Second

// BenchmarkMake plans a cluster of a thousand Nodes and renders its manifests.
func BenchmarkMake(b *testing.B) {
	s := inventorytest.ScriptBuilt("prod", 3, 997)
	o := options()
	o.Future.Addresses = []string{"10.0.240.0/24"}
	b.ReportAllocs()
	for b.Loop() {
		p, err := adopt.Make(s, o)
		if err != nil || !p.Ready() {
			b.Fatalf("no bundle: %v %v", err, p)
		}
		b.ReportMetric(float64(len(p.Bundle().Manifests())), "bytes-of-yaml")
	}
	if per := b.Elapsed() / time.Duration(b.N); per > bar {
		b.Fatalf("%s for a thousand Nodes, and %s is the bar", per, bar)
	}
}

// BenchmarkVerify verifies it, predictions included.
func BenchmarkVerify(b *testing.B) {
	s := inventorytest.ScriptBuilt("prod", 3, 997)
	o := options()
	o.Future.Addresses = []string{"10.0.240.0/24"}
	p, err := adopt.Make(s, o)
	if err != nil || !p.Ready() {
		b.Fatalf("no bundle: %v", err)
	}
	if err := inventorytest.Apply(s, "prod", p.Bundle().Manifests()); err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		v, err := adopt.Verify(s, adopt.VerifyOptions{Cluster: "prod"}, predict.Predict(s.Ordered(), "prod"))
		if err != nil || v.Summary.Unsafe > 0 {
			b.Fatalf("%v %+v", err, v.Summary)
		}
	}
	if per := b.Elapsed() / time.Duration(b.N); per > bar {
		b.Fatalf("%s for a thousand Nodes, and %s is the bar", per, bar)
	}
}
