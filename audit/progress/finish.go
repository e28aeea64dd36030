package progress

import (
	"fmt"
	"slices"

	"github.com/proxaudit/proxaudit/inventory"
)

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
		p.State = x.phaseState(p, blocked, len(out.Missing) > 0)
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
		switch {
		case i == 0:
			out.Baton, out.Phase = b, b.Phase
		case !slices.ContainsFunc(x.batons[:i], func(a *Baton) bool { return sameBaton(a, b) }):
			out.Others = append(out.Others, *b)
		default:
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

// arrange puts who is stuck before who moves, each in the order of the phases, and the one who paused the cluster before all others. What
// only waits for an earlier phase is no baton at all.
func (x *walk) arrange(order []PhaseID) {
	rank := map[PhaseID]int{}
	for i, id := range order {
		rank[id] = i
	}
	slices.SortStableFunc(x.batons, func(a, b *Baton) int {
		if d := severity(b.State) - severity(a.State); d != 0 {
			return d
		}
		return rank[a.Phase] - rank[b.Phase]
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

// phaseState is the worst of its batons; a phase without any is done if its own walk said so, else it waits for the one before, or for
// what was not seen.
func (x *walk) phaseState(p *Phase, blocked, blind bool) State {
	worst := State("")
	for _, b := range x.batons {
		if b.Phase == p.ID && severity(b.State) > severity(worst) {
			worst = b.State
		}
	}
	switch {
	case worst != "":
		return worst
	case p.State == NotStarted && !blocked && blind:
		return Unknown
	default:
		return p.State
	}
}

// sameBaton is true for two that say the same: five machines wait for one controller that is down.
func sameBaton(a, b *Baton) bool {
	return a.Cause == b.Cause && a.Holder == b.Holder && a.Object == b.Object && a.Detail == b.Detail
}
