package audit

import (
	"fmt"

	"github.com/proxaudit/proxaudit/audit/identity"
	"github.com/proxaudit/proxaudit/audit/progress"
)

// waitingFor is who a Machine that is no Node waits for, and why: what the graph says, or else the baton of the Machine.
func (r *result) waitingFor(e *identity.Entity) string {
	if e.WaitingFor != "" || e.Class != identity.NonNode || len(e.Machines) == 0 {
		return e.WaitingFor
	}
	m := &r.s.Machines[e.Machines[0]]
	b := r.batons(m.Cluster)[m.Namespace+"/"+m.Name]
	if b == nil {
		return ""
	}
	return waitsFor(b)
}

// waitsFor is whose turn it is, and what for.
func waitsFor(b *progress.Baton) string { return fmt.Sprintf("%s: %s", b.Holder, b.Detail) }

// batons are those of a cluster's Machines, by NAMESPACE/NAME. They are asked for once for each cluster that has a Machine without a Node.
func (r *result) batons(cluster string) map[string]*progress.Baton {
	if found, ok := r.waits[cluster]; ok {
		return found
	}
	if r.waits == nil {
		r.waits = map[string]map[string]*progress.Baton{}
		r.world = progress.New(r.graph, progress.Options{Grace: r.grace})
	}
	out := map[string]*progress.Baton{}
	for i := range r.s.Clusters {
		if c := &r.s.Clusters[i]; c.Key == cluster {
			for name, b := range r.world.Machines(c) {
				out[name] = b
			}
		}
	}
	r.waits[cluster] = out
	return out
}
