package audit

import (
	"fmt"
	"strings"

	"github.com/proxaudit/proxaudit/audit/progress"
	"github.com/proxaudit/proxaudit/inventory"
)

// KindProgress is the kind of a WhyReport's JSON form.
const KindProgress = "Progress"

// WhyReport is the result of `why`: who each cluster is waiting for.
type WhyReport struct {
	Envelope
	Summary WhySummary         `json:"summary"`
	Items   []progress.Cluster `json:"items"`
}

// ClusterProgress is one of its items.
type ClusterProgress = progress.Cluster

// WhySummary counts clusters by state.
type WhySummary struct {
	Healthy    int `json:"healthy"`
	Converging int `json:"converging"`
	Stuck      int `json:"stuck"`
	Unknown    int `json:"unknown"`
	NotManaged int `json:"notManaged"`
	// Incomplete is true if a state is not known because something was not seen.
	Incomplete bool `json:"incomplete"`
}

// WhyScope narrows a report; at most one field is set.
type WhyScope struct {
	// Cluster is a key in the Snapshot.
	Cluster string
	// Machine is NAME or NAMESPACE/NAME, Node a Node's name or CLUSTER/NAME.
	Machine, Node string
}

// NoSuchError says that a Snapshot has no such cluster, Machine or Node, or several.
type NoSuchError struct {
	Kind, Name string
	// Known are those that there are, or those that the name fits.
	Known []string
	// Several is true if it fits more than one.
	Several bool
}

func (e *NoSuchError) Error() string {
	if e.Several {
		return fmt.Sprintf("several %ss are called %q: %s", e.Kind, e.Name, strings.Join(e.Known, ", "))
	}
	return fmt.Sprintf("there is no %s %q in this run", e.Kind, e.Name)
}

// Why says of each cluster in scope who it is waiting for. The error is a *NoSuchError.
func Why(s *inventory.Snapshot, opt Options, scope WhyScope) (*WhyReport, error) {
	r := analyse(s, opt)
	grace := opt.Grace
	if grace == 0 {
		grace = DefaultGrace
	}
	w := progress.New(r.graph, progress.Options{Grace: grace})
	out := &WhyReport{Envelope: r.envelope(KindProgress), Items: []progress.Cluster{}}
	key, about, err := scope.resolve(r.s)
	if err != nil {
		return nil, err
	}
	out.Coverage = coverageOf(out.Coverage, r.s.Clusters, key)
	for i := range r.s.Clusters {
		c := &r.s.Clusters[i]
		if key != "" && c.Key != key {
			continue
		}
		item := w.Cluster(c)
		if about != nil {
			item = w.Narrow(item, *about)
		}
		out.Items = append(out.Items, item)
		out.Summary.add(&item)
	}
	for _, k := range w.Ownerless() {
		if key == "" || key == k {
			item := w.Cluster(&inventory.Cluster{Key: k})
			if about != nil {
				item = w.Narrow(item, *about)
			}
			out.Items = append(out.Items, item)
			out.Summary.add(&item)
		}
	}
	return out, nil
}

// coverageOf leaves out what was seen of other clusters than the one in scope, if there is one. Of a cluster whose control plane is not
// initialised there are no Nodes that anybody could see, and nothing hangs on them.
func coverageOf(all []inventory.Coverage, clusters []inventory.Cluster, key string) []inventory.Coverage {
	foreign, early := map[string]bool{}, map[string]bool{}
	for i := range clusters {
		c := &clusters[i]
		source := inventory.ClusterSource(c.Key)
		foreign[source] = key != "" && c.Key != key
		early[source] = c.Declared != nil && !c.Declared.ControlPlaneInitialized
	}
	out := []inventory.Coverage{}
	for i := range all {
		c := all[i]
		if foreign[c.Source] {
			continue
		}
		c.Optional = c.Optional || early[c.Source] && c.Scope == inventory.ScopeNodes
		out = append(out, c)
	}
	return out
}

func (s *WhySummary) add(c *progress.Cluster) {
	switch c.State {
	case progress.Healthy:
		s.Healthy++
	case progress.Converging:
		s.Converging++
	case progress.Stuck:
		s.Stuck++
	case progress.NotManaged:
		s.NotManaged++
	default:
		s.Unknown++
		s.Incomplete = true
	}
}

// resolve finds the cluster, and the Machine that the report is narrowed to.
func (w WhyScope) resolve(s *inventory.Snapshot) (key string, about *inventory.Ref, err error) {
	switch {
	case w.Cluster != "":
		key, err := w.cluster(s)
		return key, nil, err
	case w.Machine != "":
		return w.machine(s)
	case w.Node != "":
		return w.node(s)
	default:
		return "", nil, nil
	}
}

// cluster is the key that a name means: a key of the Snapshot goes before the name, or NAMESPACE/NAME, of a Cluster object.
func (w WhyScope) cluster(s *inventory.Snapshot) (string, error) {
	var known, fits []string
	for i := range s.Clusters {
		c := &s.Clusters[i]
		if c.Key == w.Cluster {
			return c.Key, nil
		}
		known = append(known, c.Key)
		if d := c.Declared; d != nil && (w.Cluster == d.Name || w.Cluster == d.Namespace+"/"+d.Name) {
			fits = append(fits, c.Key)
		}
	}
	switch len(fits) {
	case 0:
		for i := range s.Machines {
			// One whose Cluster is gone has Machines still.
			if s.Machines[i].Cluster == w.Cluster {
				return w.Cluster, nil
			}
		}
		return "", &NoSuchError{Kind: "cluster", Name: w.Cluster, Known: known}
	case 1:
		return fits[0], nil
	default:
		return "", &NoSuchError{Kind: "cluster", Name: w.Cluster, Known: fits, Several: true}
	}
}

func (w WhyScope) machine(s *inventory.Snapshot) (string, *inventory.Ref, error) {
	m, err := pick("Machine", w.Machine, s.Machines, func(m *inventory.Machine) (string, string) { return m.Namespace, m.Name })
	if err != nil {
		return "", nil, err
	}
	return m.Cluster, &inventory.Ref{Group: inventory.GroupCluster, Kind: "Machine", Namespace: m.Namespace, Name: m.Name}, nil
}

func (w WhyScope) node(s *inventory.Snapshot) (string, *inventory.Ref, error) {
	n, err := pick("Node", w.Node, s.Nodes, func(n *inventory.Node) (string, string) { return n.Cluster, n.Name })
	if err != nil {
		return "", nil, err
	}
	return n.Cluster, &inventory.Ref{Kind: "Node", Name: n.Name}, nil
}

// pick finds the one that NAME or SCOPE/NAME means.
func pick[T any](kind, asked string, list []T, named func(*T) (scope, name string)) (*T, error) {
	var found *T
	e := &NoSuchError{Kind: kind, Name: asked}
	for i := range list {
		scope, name := named(&list[i])
		if full := scope + "/" + name; asked == name || asked == full {
			found = &list[i]
			e.Known = append(e.Known, full)
		}
	}
	if len(e.Known) != 1 {
		e.Several = len(e.Known) > 1
		return nil, e
	}
	return found, nil
}
