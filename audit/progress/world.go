package progress

import (
	"encoding/json"
	"strings"
	"time"

	"github.com/proxaudit/proxaudit/audit/identity"
	"github.com/proxaudit/proxaudit/inventory"
)

// Options are what the analysis wants to know.
type Options struct {
	// Grace is how long something may be on its way before it counts as stuck.
	Grace time.Duration
}

// World is a Snapshot with its indexes.
type World struct {
	s     *inventory.Snapshot
	graph *identity.Graph
	grace time.Duration

	objects  map[key]*inventory.Object
	events   map[key][]*inventory.Event
	machines map[string][]*inventory.Machine
	groups   map[string][]*inventory.Group
	nodes    map[string][]*inventory.Node
	infra    map[key]*inventory.ProxmoxMachine
	clusters map[string]*inventory.Cluster
	tasks    map[string]*inventory.Task
	metas    map[key]*inventory.Meta
	// claims are the IPAddressClaims, by namespace.
	claims map[string][]*inventory.Object
}

type key struct{ kind, namespace, name string }

func keyOf(r inventory.Ref) key { return key{r.Kind, r.Namespace, r.Name} }

// New makes the indexes. The Snapshot is in order, and the graph is its own.
func New(g *identity.Graph, opt Options) *World {
	s := g.Snapshot
	if at := s.ReadAt(inventory.ManagementSource); !at.Equal(s.CollectedAt) {
		// Of several scans, what controllers say is measured by the clock of the one that read them.
		own := *s
		own.CollectedAt, s = at, &own
	}
	w := &World{s: s, graph: g, grace: opt.Grace, objects: map[key]*inventory.Object{}, events: map[key][]*inventory.Event{}, machines: map[string][]*inventory.Machine{},
		groups: map[string][]*inventory.Group{}, nodes: map[string][]*inventory.Node{}, infra: map[key]*inventory.ProxmoxMachine{}, clusters: map[string]*inventory.Cluster{},
		tasks: map[string]*inventory.Task{}, metas: map[key]*inventory.Meta{}, claims: map[string][]*inventory.Object{}}
	for i := range s.Objects {
		if o := &s.Objects[i]; o.Cluster == "" {
			w.objects[key{o.Kind, o.Namespace, o.Name}] = o
			if o.Kind == "IPAddressClaim" {
				w.claims[o.Namespace] = append(w.claims[o.Namespace], o)
			}
		}
	}
	for i := range s.Events {
		e := &s.Events[i]
		w.events[keyOf(e.Object)] = append(w.events[keyOf(e.Object)], e)
	}
	for i := range s.Machines {
		m := &s.Machines[i]
		w.machines[m.Cluster] = append(w.machines[m.Cluster], m)
	}
	for i := range s.Groups {
		g := &s.Groups[i]
		w.groups[g.Cluster] = append(w.groups[g.Cluster], g)
		w.metas[key{g.Kind, g.Namespace, g.Name}] = &g.Meta
	}
	for i := range s.Nodes {
		n := &s.Nodes[i]
		w.nodes[n.Cluster] = append(w.nodes[n.Cluster], n)
	}
	for i := range s.ProxmoxMachines {
		pm := &s.ProxmoxMachines[i]
		w.infra[key{"ProxmoxMachine", pm.Namespace, pm.Name}] = pm
	}
	for i := range s.Clusters {
		w.clusters[s.Clusters[i].Key] = &s.Clusters[i]
	}
	for i := range s.Tasks {
		w.tasks[s.Tasks[i].UPID] = &s.Tasks[i]
	}
	return w
}

// meta is that of an object which has no struct of its own in the Snapshot; nil if it was not seen.
func (w *World) meta(r *inventory.Ref) *inventory.Meta {
	if r == nil {
		return nil
	}
	k := keyOf(*r)
	if m, ok := w.metas[k]; ok {
		return m
	}
	o := w.objects[k]
	if o == nil {
		return nil
	}
	m := metaOf(o)
	w.metas[k] = m
	return m
}

// metaOf reads what every object has.
func metaOf(o *inventory.Object) *inventory.Meta {
	var v struct {
		Metadata struct {
			UID               string            `json:"uid"`
			CreationTimestamp *time.Time        `json:"creationTimestamp"`
			DeletionTimestamp *time.Time        `json:"deletionTimestamp"`
			Generation        float64           `json:"generation"`
			Labels            map[string]string `json:"labels"`
			Annotations       map[string]string `json:"annotations"`
			Finalizers        []string          `json:"finalizers"`
			OwnerReferences   []struct {
				APIVersion string `json:"apiVersion"`
				Kind       string `json:"kind"`
				Name       string `json:"name"`
			} `json:"ownerReferences"`
		} `json:"metadata"`
		Spec struct {
			Paused bool `json:"paused"`
		} `json:"spec"`
		Status struct {
			ObservedGeneration float64 `json:"observedGeneration"`
			Conditions         []struct {
				Type               string     `json:"type"`
				Status             string     `json:"status"`
				Severity           string     `json:"severity"`
				Reason             string     `json:"reason"`
				Message            string     `json:"message"`
				LastTransitionTime *time.Time `json:"lastTransitionTime"`
			} `json:"conditions"`
		} `json:"status"`
	}
	out := &inventory.Meta{Namespace: o.Namespace, Name: o.Name, APIVersion: o.APIVersion}
	raw, err := json.Marshal(o.Content)
	if err != nil || json.Unmarshal(raw, &v) != nil {
		// An object of another form says nothing; the kind's own coverage has it.
		return out
	}
	md := &v.Metadata
	out.UID, out.CreatedAt, out.DeletedAt, out.Labels, out.Annotations, out.Finalizers = md.UID, md.CreationTimestamp, md.DeletionTimestamp, md.Labels, md.Annotations, md.Finalizers
	out.Generation, out.Observed = int64(md.Generation), int64(v.Status.ObservedGeneration)
	_, annotated := md.Annotations[annotationPaused]
	out.Paused = v.Spec.Paused || annotated
	for _, r := range md.OwnerReferences {
		group, _, _ := strings.Cut(r.APIVersion, "/")
		out.Owners = append(out.Owners, inventory.Ref{Group: group, Kind: r.Kind, Namespace: o.Namespace, Name: r.Name})
	}
	for _, c := range v.Status.Conditions {
		out.Conditions = append(out.Conditions, inventory.Condition{Type: c.Type, Status: c.Status, Severity: c.Severity, Reason: c.Reason, Message: c.Message, Since: c.LastTransitionTime})
	}
	return out
}

const annotationPaused = "cluster.x-k8s.io/paused"

// known is whether all objects of a kind were seen.
func (w *World) known(kind, group string) bool {
	return w.s.Known(inventory.ManagementSource, strings.ToLower(kind)+"s."+group)
}

func needOf(kind, group string) inventory.Need {
	return inventory.Need{Source: inventory.ManagementSource, Scope: strings.ToLower(kind) + "s." + group}
}

// condition is the first of some types that an object has. Older objects may list one type twice: the later one counts, and of two that
// cannot be told apart the one that does not hold.
func condition(m *inventory.Meta, types ...string) *inventory.Condition {
	for _, t := range types {
		var found *inventory.Condition
		for i := range m.Conditions {
			if c := &m.Conditions[i]; c.Type == t && (found == nil || later(c, found)) {
				found = c
			}
		}
		if found != nil {
			return found
		}
	}
	return nil
}

func later(a, b *inventory.Condition) bool {
	if a.Since == nil || b.Since == nil || a.Since.Equal(*b.Since) {
		return (b.Since == nil || a.Since != nil) && (a.Since != nil && b.Since == nil || b.Status == "True" && a.Status != "True")
	}
	return a.Since.After(*b.Since)
}

// unmet is the first condition of some types that an object has and that does not hold.
func unmet(m *inventory.Meta, types ...string) *inventory.Condition {
	for _, t := range types {
		if c := condition(m, t); c != nil && c.Status != "True" {
			return c
		}
	}
	return nil
}

// warning is the last Event of the kind that warns, about an object.
func (w *World) warning(r inventory.Ref) *inventory.Event {
	list := w.events[keyOf(r)]
	for i := len(list) - 1; i >= 0; i-- {
		if list[i].Type == "Warning" {
			return list[i]
		}
	}
	return nil
}
