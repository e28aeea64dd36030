package progress

import (
	"fmt"

	"github.com/proxaudit/proxaudit/inventory"
)

// infrastructureLost is for shared infrastructure that was ready once, which a Cluster says of it for good, and is not any more.
func (x *walk) infrastructureLost() {
	const phase = PhaseInfrastructure
	r, pc := x.d.InfrastructureRef, x.d.Infrastructure
	switch {
	case r == nil || r.Kind != "ProxmoxCluster":
	case pc == nil && x.known(r.Kind, r.Group):
		x.missing(phase, *r, "the Cluster names it as its infrastructure")
	case pc == nil:
		x.unseen = append(x.unseen, needOf(r.Kind, r.Group))
	case pc.DeletedAt != nil:
		x.deleting(phase, *r, &pc.Meta)
	default:
		c := unmet(&pc.Meta, "ProxmoxAvailable", "ClusterReady", "Ready")
		if c == nil {
			return
		}
		if b := x.pausedBy(phase, *r, &pc.Meta); b != nil {
			x.add(b, &pc.Meta)
			return
		}
		b, _ := x.byCondition(phase, *r, c)
		x.add(b, &pc.Meta)
	}
}

// hostLost is true for a Machine whose ProxmoxMachine was ready once, and is gone or goes while the Machine stays.
func (x *walk) hostLost(m *inventory.Machine, at stages) bool {
	r := m.InfrastructureRef
	if r == nil || r.Kind != "ProxmoxMachine" {
		return false
	}
	pm := x.infra[keyOf(*r)]
	switch {
	case pm == nil && x.known(r.Kind, r.Group):
		x.missing(at.host, *r, "the Machine "+m.Name+" names it")
		b := x.batons[len(x.batons)-1]
		b.Remedy = "Delete the Machine: its owner makes another one. The VM that it stood for may be left behind in Proxmox (proxaudit orphans)."
		return true
	case pm != nil && pm.DeletedAt != nil:
		x.deleting(at.host, *r, &pm.Meta)
		return true
	default:
		return false
	}
}

// ownerless are Machines whose Cluster is not there: their controllers fail on them before they do anything.
func (w *World) ownerless(out Cluster, machines []*inventory.Machine) Cluster {
	m := machines[0]
	out.Namespace, out.Name = m.Namespace, m.Labels["cluster.x-k8s.io/cluster-name"]
	if out.Name == "" {
		out.Name = out.Key
	}
	ref := inventory.Ref{Group: inventory.GroupCluster, Kind: "Cluster", Namespace: out.Namespace, Name: out.Name}
	b := &Baton{Phase: PhaseInfrastructure, Holder: Person, Object: ref, Cause: CauseOwnerMissing, Condition: condition(&m.Meta, "Ready"),
		Detail:   fmt.Sprintf("there is no Cluster %s: %d of the Machines name it, and no controller acts on them", out.Name, len(machines)),
		Remedy:   "Put the Cluster back, or find out who took it away. A Machine without its Cluster stays, with its VM.",
		Commands: []string{w.management("-n", out.Namespace, "get", "clusters.cluster.x-k8s.io,machines.cluster.x-k8s.io")}}
	if b.Condition != nil && b.Condition.Status == "True" {
		b.Condition = nil
	}
	out.State, out.Phase, out.Baton = Stuck, b.Phase, w.settle(b, nil)
	return out
}

// Ownerless are the names of clusters that Machines have and no Cluster of the Snapshot.
func (w *World) Ownerless() []string {
	var out []string
	for i := range w.s.Machines {
		k := w.s.Machines[i].Cluster
		if w.clusters[k] == nil && (len(out) == 0 || out[len(out)-1] != k) {
			out = append(out, k)
		}
	}
	return out
}

// notSeen is for what cannot be told because something was not seen.
func (x *walk) notSeen(phase PhaseID, ref inventory.Ref, need inventory.Need, detail string) {
	b := x.hold(phase, ref, CauseNotSeen, "%s", detail)
	b.Missing = []inventory.Need{need}
	x.add(b, nil)
}

// word adds to a baton of an object that proxaudit does not read what another says of it.
func (x *walk) word(b *Baton, m *inventory.Meta, types ...string) {
	if c := unmet(m, types...); c != nil {
		b.Condition, b.Since = c, c.Since
	}
}
