package progress

import (
	"slices"

	"github.com/proxaudit/proxaudit/inventory"
)

// Narrow leaves of a cluster's progress what is about one Machine or Node: its own batons, or, if it waits for another object, the cluster's
// first.
func (w *World) Narrow(c Cluster, about inventory.Ref) Cluster {
	c.About = about.Kind + " " + about.Name
	names := w.namesOf(c.Key, about)
	var own []Baton
	through := w.through(c.Key, about)
	for _, b := range all(&c) {
		// Nothing moves in a cluster that is paused or not there, whatever the machine itself waits for. One that is through waits for nothing.
		paused := (b.Cause == CausePaused || b.Cause == CauseOwnerMissing) && b.Object.Kind == "Cluster" && !through
		if paused || names[keyOf(b.Object)] || names[key{"", "", b.About}] {
			own = append(own, b)
		}
	}
	if len(own) == 0 {
		if c.State == NotManaged {
			return c
		}
		if through {
			c.Notes = append(c.Notes, c.About+" waits for nobody: "+map[string]string{"Machine": "its Node is Ready", "Node": "it is Ready"}[about.Kind])
			c.State, c.Baton, c.Others, c.Phase = Healthy, nil, nil, ""
		} else if c.Baton != nil {
			if list := shared(&c); len(list) > 0 {
				c.Baton, c.Others, c.Phase, c.State = &list[0], list[1:], list[0].Phase, list[0].State
			}
			c.Notes = append(c.Notes, c.About+" has nothing of its own to wait for: it waits for the cluster")
		}
		return c
	}
	c.Baton, c.Others = &own[0], own[1:]
	c.Phase, c.State = own[0].Phase, own[0].State
	if slices.ContainsFunc(own, func(b Baton) bool { return b.State == Stuck }) {
		c.State = Stuck
	}
	return c
}

func all(c *Cluster) []Baton {
	if c.Baton == nil {
		return nil
	}
	return append([]Baton{*c.Baton}, c.Others...)
}

// shared are the batons that everybody waits for: what comes before the workers, and controllers that do not act.
func shared(c *Cluster) []Baton {
	var out []Baton
	for _, b := range all(c) {
		if b.Phase != PhaseWorkers && b.Phase != PhaseNetwork || b.Cause == CauseControllerDown || b.Cause == CauseControllerMissing {
			out = append(out, b)
		}
	}
	return out
}

// namesOf are the objects that stand for one machine.
func (w *World) namesOf(cluster string, about inventory.Ref) map[key]bool {
	out := map[key]bool{keyOf(about): true}
	for _, m := range w.machines[cluster] {
		if about.Kind == "Machine" && m.Name != about.Name || about.Kind == "Node" && m.NodeRef != about.Name && m.Name != about.Name {
			continue
		}
		if about.Kind == "Machine" && m.Namespace != about.Namespace {
			continue
		}
		out[keyOf(machineRef(m))] = true
		out[key{"", "", m.Name}] = true
		for _, r := range []*inventory.Ref{m.InfrastructureRef, m.BootstrapRef} {
			if r != nil {
				out[keyOf(*r)] = true
			}
		}
		if m.NodeRef != "" {
			out[key{"Node", "", m.NodeRef}] = true
		}
	}
	return out
}

// through is true for a machine that has all: a Machine with its Node, and the Node Ready.
func (w *World) through(cluster string, about inventory.Ref) bool {
	node := about.Name
	if about.Kind == "Machine" {
		i := slices.IndexFunc(w.machines[cluster], func(m *inventory.Machine) bool { return m.Name == about.Name && m.Namespace == about.Namespace })
		if i < 0 || w.machines[cluster][i].NodeRef == "" {
			return false
		}
		node = w.machines[cluster][i].NodeRef
	}
	return slices.ContainsFunc(w.nodes[cluster], func(n *inventory.Node) bool { return n.Name == node && n.Ready == "True" })
}

// Machines are the batons of a cluster's Machines that are not through, by NAMESPACE/NAME: each its own, or, if it waits for another object,
// the cluster's first.
func (w *World) Machines(c *inventory.Cluster) map[string]*Baton {
	p := w.Cluster(c)
	out := map[string]*Baton{}
	for _, m := range w.machines[c.Key] {
		if w.through(c.Key, machineRef(m)) {
			continue
		}
		name := m.Namespace + "/" + m.Name
		// What holds another Machine says nothing of this one, unless it is a controller that both wait for.
		for _, b := range append(shared(&p), all(&p)...) {
			if b.About == "" && b.Object.Kind != "Node" || b.Cause == CauseControllerDown || b.Cause == CauseControllerMissing {
				out[name] = &b
				break
			}
		}
		for _, b := range all(&p) {
			if b.About == m.Name || b.Object == machineRef(m) {
				own := b
				out[name] = &own
				break
			}
		}
	}
	return out
}
