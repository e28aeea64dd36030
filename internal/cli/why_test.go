package cli

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/proxaudit/proxaudit/inventory"
	"github.com/proxaudit/proxaudit/inventory/collect"
)

// whyBench is a world with a cluster that is deleted, which nothing holds; each look at it may see something else.
func whyBench(t *testing.T, looks ...func(*inventory.Snapshot)) *bench {
	t.Helper()
	b := newBench(t)
	b.env.Deps.Collect = func(ctx context.Context, _ collect.Plan) (*inventory.Snapshot, collect.Timings, error) {
		n := int(b.calls.Add(1)) - 1
		at := b.env.Now()
		s := &inventory.Snapshot{FormatVersion: inventory.FormatVersion, CollectedAt: at, Management: &inventory.Management{Context: "mgmt"}}
		for _, scope := range []string{inventory.ScopeClusters, inventory.ScopeMachines, inventory.ScopeProxmoxMachines, "machinesets.cluster.x-k8s.io", "machinedeployments.cluster.x-k8s.io"} {
			s.Coverage = append(s.Coverage, inventory.Coverage{Source: inventory.ManagementSource, Scope: scope, State: inventory.Complete})
		}
		for _, ns := range []string{"team", "other"} {
			s.Clusters = append(s.Clusters, inventory.Cluster{Key: ns + "/prod", Declared: &inventory.DeclaredCluster{
				Meta: inventory.Meta{Namespace: ns, Name: "prod", CreatedAt: &at, DeletedAt: &at}}})
		}
		if len(looks) > 0 {
			looks[min(n, len(looks)-1)](s)
		}
		return s, nil, ctx.Err()
	}
	return b
}

// Of two clusters with one name the user has to say which.
func TestWhyAmbiguousCluster(t *testing.T) {
	b := whyBench(t)
	err := b.run("why", "--cluster", "prod")
	var u *UsageError
	if !errors.As(err, &u) || !strings.Contains(u.Error(), "other/prod, team/prod") {
		t.Errorf("%v", err)
	}
	b.ok("why", "--cluster", "team/prod")
}

// A watch of a deletion ends well when the cluster is gone, and names nothing twice.
func TestWhyWatchToTheEnd(t *testing.T) {
	there := func(*inventory.Snapshot) {}
	gone := func(s *inventory.Snapshot) { s.Clusters = s.Clusters[1:] }
	b := whyBench(t, there, there, gone)
	limited, stop := context.WithTimeout(t.Context(), time.Minute)
	defer stop()
	if err := b.runContext(limited, "why", "--cluster", "team/prod", "--watch", "--interval", "1s"); err != nil {
		t.Fatalf("%v\n%s", err, b.stderr.String())
	}
	if out := b.stdout.String(); b.calls.Load() != 3 || strings.Count(out, "\n") != 2 || !strings.HasSuffix(out, " cluster team/prod is gone\n") {
		t.Errorf("%d looks:\n%s", b.calls.Load(), out)
	}
	// What was never there is an error.
	if err := whyBench(t, gone).run("why", "--cluster", "team/prod", "--watch"); err == nil {
		t.Error("a cluster that is not there was watched")
	}
}

// What was not seen is said where nobody sees a screen too, and a missing verdict is one about a cluster.
func TestWhyNotSeen(t *testing.T) {
	refused := func(s *inventory.Snapshot) { s.Coverage[1].State = inventory.Refused }
	b := whyBench(t, refused, func(s *inventory.Snapshot) { s.Clusters = s.Clusters[1:] })
	if v := b.verdict("why", "--cluster", "team/prod"); v.Findings != 0 || !strings.Contains(v.Error(), "nothing can be said of 1 cluster") {
		t.Errorf("%v", v)
	}
	b = whyBench(t, refused, func(s *inventory.Snapshot) { s.Clusters = s.Clusters[1:] })
	b.ok("why", "--cluster", "team/prod", "--watch", "--interval", "1s")
	if out := b.stdout.String(); !strings.Contains(out, "not seen: management machines.cluster.x-k8s.io") {
		t.Error(out)
	}
}
