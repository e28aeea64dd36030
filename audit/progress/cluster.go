package progress

import (
	"fmt"
	"slices"
	"strings"

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
		states: map[PhaseID]*Phase{}}
	for _, n := range []inventory.Need{needOf("Machine", inventory.GroupCluster), needOf("ProxmoxMachine", inventory.GroupInfrastructure),
		needOf("MachineSet", inventory.GroupCluster), needOf("MachineDeployment", inventory.GroupCluster)} {
		if !w.s.Known(n.Source, n.Scope) {
			out.Missing = append(out.Missing, n)
		}
	}
	if d.DeletedAt != nil {
		x.deletion()
	} else {
		x.infrastructure()
		x.controlPlane()
		x.workers()
		x.network()
		x.unobserved()
	}
	x.finish(&out)
	return out
}

// undeclared is a cluster without a Cluster object.
func (w *World) undeclared(out Cluster) Cluster {
	need := inventory.Need{Source: inventory.ManagementSource, Scope: inventory.ScopeClusters}
	if w.s.Management == nil || w.s.Known(need.Source, need.Scope) {
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

// pausedCluster comes before anything else where something is left to do: nothing moves in a paused cluster.
func (x *walk) pausedCluster() *Baton { return x.pausedBy(PhaseInfrastructure, x.ref, &x.d.Meta) }

// finish puts the phases and batons into one result.
func (x *walk) finish(out *Cluster) {
	order := phases
	if x.d.DeletedAt != nil {
		order = []PhaseID{PhaseDeletion}
	}
	x.arrange(order)
	blocked := false
	for _, id := range order {
		p := x.states[id]
		if p == nil {
			p = x.phase(id, NotStarted)
		}
		p.State = x.phaseState(p, blocked)
		for _, b := range x.batons {
			if b.Phase == id && b.State == p.State && p.Since == nil {
				p.Since = b.Since
			}
		}
		if p.State != Done {
			blocked = true
			if out.Phase == "" {
				out.Phase = id
			}
		}
		out.Phases = append(out.Phases, *p)
	}
	switch {
	case len(x.batons) > 0:
	case x.d.Paused:
		out.Notes = append(out.Notes, "it is paused: nothing would change if something had to")
	default:
		out.Notes = append(out.Notes, x.asleep()...)
	}
	for i, b := range x.batons {
		if i == 0 {
			out.Baton = b
		} else if !sameBaton(out.Baton, b) {
			out.Others = append(out.Others, *b)
		}
	}
	switch {
	case out.Baton != nil && out.Baton.State == Stuck || slices.ContainsFunc(out.Others, func(b Baton) bool { return b.State == Stuck }):
		out.State = Stuck
	case out.Baton != nil && out.Baton.State == Unknown || len(out.Missing) > 0:
		out.State = Unknown
	case out.Baton != nil:
		out.State = Converging
	default:
		out.State = Healthy
	}
}

// arrange puts the batons into the order of the phases, and the one who paused the cluster before all others.
func (x *walk) arrange(order []PhaseID) {
	rank := map[PhaseID]int{}
	for i, id := range order {
		rank[id] = i
	}
	// In each phase the one that is stuck goes before the one that moves.
	slices.SortStableFunc(x.batons, func(a, b *Baton) int {
		if d := rank[a.Phase] - rank[b.Phase]; d != 0 {
			return d
		}
		return severity(b.State) - severity(a.State)
	})
	if len(x.batons) == 0 {
		return
	}
	if paused := x.pausedCluster(); paused != nil && (x.batons[0].Cause != CausePaused || x.batons[0].Object != x.ref) {
		paused.Phase = x.batons[0].Phase
		x.batons = append([]*Baton{x.settle(paused, nil)}, x.batons...)
	}
}

// asleep are the controllers of a cluster that waits for nobody, as far as they do not act: nothing would change if something had to.
func (x *walk) asleep() []string {
	kinds := []string{"Cluster"}
	for _, r := range []*inventory.Ref{x.d.ControlPlaneRef, x.d.InfrastructureRef} {
		if r != nil {
			kinds = append(kinds, r.Kind)
		}
	}
	var out []string
	for _, kind := range kinds {
		if p := x.provider(holderOf(kind), kind); p != nil {
			if why := x.dead(p); why != "" {
				out = append(out, fmt.Sprintf("nothing of it is left to do, and its controller %s/%s would not act: %s", p.Namespace, p.Name, why))
			}
		}
	}
	return out
}

func severity(s State) int { return map[State]int{Converging: 1, Unknown: 2, Stuck: 3}[s] }

// phaseState is the worst of its batons; a phase without any is done if its own walk said so, else it waits for the one before.
func (x *walk) phaseState(p *Phase, blocked bool) State {
	worst := State("")
	for _, b := range x.batons {
		if b.Phase == p.ID && severity(b.State) > severity(worst) {
			worst = b.State
		}
	}
	switch {
	case worst != "":
		return worst
	case p.State == NotStarted && !blocked:
		return Done
	default:
		return p.State
	}
}

// sameBaton is true for two that say the same: five machines wait for one controller that is down.
func sameBaton(a, b *Baton) bool {
	return a.Cause == b.Cause && a.Holder == b.Holder && a.Object == b.Object && a.Detail == b.Detail
}

// infrastructure is the first phase.
func (x *walk) infrastructure() {
	const phase = PhaseInfrastructure
	d := x.d
	switch {
	case d.InfrastructureReady:
		evidence := "InfrastructureReady"
		if e := d.ControlPlaneEndpoint; e != "" {
			evidence += ", endpoint " + e
		}
		x.phase(phase, Done, evidence)
		return
	case d.InfrastructureRef == nil:
		if c := unmet(&d.Meta, "TopologyReconciled"); c != nil {
			b, _ := x.byCondition(phase, x.ref, c)
			x.add(b, &d.Meta)
			return
		}
		b := x.hold(phase, x.ref, CauseObjectMissing, "spec.infrastructureRef is not set")
		b.Holder, b.Remedy = Person, "Name the ProxmoxCluster in it. A Cluster with a ClusterClass gets it from the topology controller."
		x.add(b, &d.Meta)
		return
	case d.InfrastructureRef.Kind != "ProxmoxCluster":
		b := x.hold(phase, *d.InfrastructureRef, CauseCondition, "its infrastructure is a %s, which is another provider's", d.InfrastructureRef.Kind)
		b.Holder = Other
		x.add(b, &d.Meta)
		return
	}
	pc := d.Infrastructure
	if pc == nil {
		x.missing(phase, *d.InfrastructureRef, "the Cluster names it as its infrastructure")
		return
	}
	m, ref := &pc.Meta, *d.InfrastructureRef
	if b := x.pausedBy(phase, ref, m); b != nil {
		x.add(b, m)
		return
	}
	if m.Owner(inventory.GroupCluster, "Cluster") == nil {
		b := x.hold(phase, ref, CauseOwnerMissing, "the Cluster's controller has not made the Cluster its owner, and CAPMOX waits for that")
		b.Holder, b.Next, b.Since = Core, "the core controller looks at the Cluster", m.CreatedAt
		b.Remedy = "See the core controller's log. A Cluster that names another ProxmoxCluster never owns this one."
		x.add(b, m)
		return
	}
	c := unmet(m, "ProxmoxAvailable", "ClusterReady", "Ready")
	switch {
	case c != nil:
		b, _ := x.byCondition(phase, ref, c)
		x.add(b, m)
	case pc.Ready:
		b := x.hold(phase, x.ref, CauseNotLooked, "the ProxmoxCluster is ready, and the Cluster does not say so yet")
		b.Next, b.Since = "the core controller looks at it", latest(m)
		x.add(b, &d.Meta)
	default:
		b := x.notLooked(phase, ref, m)
		x.credentials(b, pc)
		x.add(b, m)
	}
}

// credentials says of a ProxmoxCluster on which CAPMOX has said nothing whether it has the Secret for logging in to Proxmox: a Secret that is
// missing is in its log alone (pkg/scope/cluster.go: setupProxmoxClient).
func (x *walk) credentials(b *Baton, pc *inventory.ProxmoxCluster) {
	namespace, name, ok := strings.Cut(pc.CredentialsSecret, "/")
	if !ok {
		return
	}
	for i := range x.s.StoredSecrets {
		s := &x.s.StoredSecrets[i]
		if s.Namespace != namespace || s.Name != name {
			continue
		}
		if s.Absent {
			b.Cause, b.Holder, b.Next, b.Object = CauseCredentials, Person, "", inventory.Ref{Kind: "Secret", Namespace: namespace, Name: name}
			b.Detail = fmt.Sprintf("there is no Secret %s, which the ProxmoxCluster %s names for CAPMOX's access to Proxmox", name, pc.Name)
			b.Remedy = "Make the Secret, with the keys url, token and secret."
			b.Commands = []string{x.management("-n", namespace, "get", "secrets")}
		}
		return
	}
	b.Evidence = append(b.Evidence, fmt.Sprintf("it names the Secret %s for CAPMOX's access to Proxmox, and nobody looked whether that is there (--read-secrets)", pc.CredentialsSecret))
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
