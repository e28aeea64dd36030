package progress

import (
	"fmt"
	"slices"

	"github.com/proxaudit/proxaudit/inventory"
)

// Clusters is the progress of every cluster of the Snapshot, in its order.
func (w *World) Clusters() []Cluster {
	out := make([]Cluster, 0, len(w.s.Clusters))
	for i := range w.s.Clusters {
		out = append(out, w.Cluster(&w.s.Clusters[i]))
	}
	return out
}

// Cluster is the progress of one.
func (w *World) Cluster(c *inventory.Cluster) Cluster {
	out := Cluster{Key: c.Key}
	d := c.Declared
	if d == nil {
		return w.undeclared(out)
	}
	out.Namespace, out.Name = d.Namespace, d.Name
	x := &walk{World: w, cluster: c, d: d, ref: inventory.Ref{Group: inventory.GroupCluster, Kind: "Cluster", Namespace: d.Namespace, Name: d.Name},
		states: map[PhaseID]*Phase{}, held: map[string]bool{}}
	for _, n := range []inventory.Need{needOf("Machine", inventory.GroupCluster), needOf("ProxmoxMachine", inventory.GroupInfrastructure),
		needOf("MachineSet", inventory.GroupCluster), needOf("MachineDeployment", inventory.GroupCluster)} {
		if !w.s.Known(n.Source, n.Scope) {
			x.unseen = append(x.unseen, n)
		}
	}
	if d.DeletedAt != nil {
		x.deletion()
	} else {
		x.infrastructure()
		x.controlPlane()
		x.workers()
		x.network()
		x.leftWaiting()
		x.unobserved()
		x.sums()
	}
	out.Missing, out.Notes = x.unseen, x.notes
	x.finish(&out)
	return out
}

// undeclared is a cluster without a Cluster object.
func (w *World) undeclared(out Cluster) Cluster {
	need := inventory.Need{Source: inventory.ManagementSource, Scope: inventory.ScopeClusters}
	if w.s.Management == nil || w.s.Known(need.Source, need.Scope) {
		if machines := w.machines[out.Key]; w.s.Management != nil && len(machines) > 0 {
			return w.ownerless(out, machines)
		}
		out.State = NotManaged
		out.Notes = append(out.Notes, "no Cluster object declares it: no controller is responsible for it (proxaudit assess says what it would take)")
		return out
	}
	out.State, out.Missing = Unknown, []inventory.Need{need}
	return out
}

// walk goes through the phases of one cluster.
type walk struct {
	*World
	cluster *inventory.Cluster
	d       *inventory.DeclaredCluster
	ref     inventory.Ref
	// batons are those of each phase, in the order of what rules out most.
	batons []*Baton
	states map[PhaseID]*Phase
	// waiting are those who wait for another object.
	waiting []waiter
	// held are Nodes that have a baton in an earlier phase than the network's.
	held map[string]bool
	// notes and unseen become the result's.
	notes  []string
	unseen []inventory.Need
}

func (x *walk) phase(id PhaseID, state State, evidence ...string) *Phase {
	p := &Phase{ID: id, Title: titles[id], State: state, Evidence: evidence}
	x.states[id] = p
	return p
}

// add settles a baton, and takes it up.
func (x *walk) add(b *Baton, m *inventory.Meta) {
	if m != nil {
		stale(b, m)
		x.batons = append(x.batons, x.settle(b, m.CreatedAt))
		return
	}
	x.batons = append(x.batons, x.settle(b, nil))
}

func (x *walk) has(id PhaseID) bool {
	return slices.ContainsFunc(x.batons, func(b *Baton) bool { return b.Phase == id })
}

// unobserved is for changes that no controller has looked at, where nothing else is left to do: all that is seen is from before them.
func (x *walk) unobserved() {
	if len(x.batons) > 0 {
		return
	}
	look := func(phase PhaseID, ref inventory.Ref, m *inventory.Meta) {
		if !unobserved(m) {
			return
		}
		b := x.hold(phase, ref, CauseNotLooked, "its controller has not looked at its last change yet")
		b.Next, b.Remedy = "the controller looks at it", "See the controller's log."
		if p := x.pausedBy(phase, ref, m); p != nil {
			b = p
		}
		x.add(b, m)
		// Nobody says when it was changed: with a controller that lives it is looked at within moments.
		if b = x.batons[len(x.batons)-1]; b.Cause == CauseNotLooked {
			b.State, b.Since, b.Seconds = Converging, nil, nil
		}
	}
	look(PhaseInfrastructure, x.ref, &x.d.Meta)
	for _, g := range x.groups[x.cluster.Key] {
		phase := PhaseWorkers
		if groupRef(g).Group == inventory.GroupControlPlane {
			phase = PhaseControlPlane
		}
		look(phase, groupRef(g), &g.Meta)
	}
}

// missing is an object that another names and that is not there.
func (x *walk) missing(phase PhaseID, ref inventory.Ref, why string) {
	b := x.hold(phase, ref, CauseObjectMissing, "there is no %s %s: %s", ref.Kind, ref.Name, why)
	b.Holder, b.Remedy = Person, fmt.Sprintf("Make the %s, or correct the name.", ref.Kind)
	if !x.known(ref.Kind, ref.Group) {
		b.Cause, b.Detail, b.Remedy = CauseNotSeen, fmt.Sprintf("the %s %s was not seen", ref.Kind, ref.Name), ""
		b.Missing = []inventory.Need{needOf(ref.Kind, ref.Group)}
	} else if ref.Namespace != "" {
		b.Commands = []string{x.management("-n", ref.Namespace, "get", resource(ref))}
	}
	x.add(b, &x.d.Meta)
}
