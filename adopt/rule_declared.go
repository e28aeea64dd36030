package adopt

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/proxaudit/proxaudit/inventory"
)

var ruleDeclared = Rule{
	ID: "PXA214", Blocks: true, Destroys: true,
	Title: "Something that is declared already is in the way",
	Why: "Two Machines for one VM: whichever is deleted first takes the VM with it. Objects of the same name that proxaudit did not render for " +
		"these very machines would be changed by the manifests, and with them what becomes of other machines. What an earlier bundle had and this one " +
		"has no more stays: a MachineSet of it clones VMs, or deletes Machines, until it has as many as it wants.",
	Remedy: "Choose another namespace or name (--target-namespace, --target-name). A cluster that Cluster API made is under it already: there is nothing to adopt, and of one whose adoption is over the Machines that were made since are none that a bundle has. " +
		"What is left of an earlier bundle for this cluster: take it back with that bundle's RUNBOOK.md (Giving up), then adopt anew.",
	check: func(r *Rule, p *planner) []Finding {
		planned := p.planned()
		declaring := map[objectID]bool{}
		var out []Finding
		for _, m := range p.members {
			if m.entity == nil {
				continue
			}
			for _, i := range m.entity.Machines {
				if o := &p.s.Machines[i]; !p.ours(planned, m, "Machine", &o.Meta) {
					declaring[objectID{"Machine", o.Namespace, o.Name}] = true
					out = append(out, r.advise(m.ref(), declaredRemedy, fmt.Sprintf("the Machine %s/%s declares it", o.Namespace, o.Name)))
				}
			}
			for _, i := range m.entity.ProxmoxMachines {
				if o := &p.s.ProxmoxMachines[i]; !p.ours(planned, m, "ProxmoxMachine", &o.Meta) {
					declaring[objectID{"ProxmoxMachine", o.Namespace, o.Name}] = true
					out = append(out, r.advise(m.ref(), declaredRemedy, fmt.Sprintf("the ProxmoxMachine %s/%s declares it", o.Namespace, o.Name)))
				}
			}
		}
		known := map[objectID]bool{}
		for _, o := range planned {
			known[o.objectID] = true
			if there := p.existing.all[o.objectID]; there != nil {
				if why := p.foreign(there, o.member); why != "" {
					f := r.of(objectSubject(there), "it is there, and "+why)
					if declaring[o.objectID] {
						f.Remedy = declaredRemedy
					}
					out = append(out, f)
				}
			}
		}
		takers := p.takers(r)
		for _, f := range p.leftovers(r, known) {
			// What a taker would take is said already.
			if !slices.ContainsFunc(takers, func(t Finding) bool { return t.Subject.ID == f.Subject.ID }) {
				out = append(out, f)
			}
		}
		return append(out, takers...)
	},
}

// declaredRemedy is for a VM that has its Machine already: in another namespace, under another name, it would have two.
const declaredRemedy = "No other name or namespace helps: this VM has its Machine already. If Cluster API made it, there is nothing to adopt. If somebody declared it by hand, or an earlier " +
	"bundle did, take the Machine and the ProxmoxMachine out as \"Giving up\" in a RUNBOOK.md does (pause, wait, delete, and only then, still paused, take the finalizers off): the VM of a " +
	"ProxmoxMachine that is deleted and not paused is destroyed."

// leftovers are of this cluster by their own word, and not in the bundle: a Machine that the replicas do not count, something that
// makes or counts Machines, or what an earlier bundle gave them.
func (p *planner) leftovers(r *Rule, known map[objectID]bool) []Finding {
	var out []Finding
	for i := range p.s.Objects {
		o := &p.s.Objects[i]
		if o.Cluster != "" || !slices.Contains(bundleGroups, groupOf(o)) || o.Namespace != p.namespace || known[objectID{o.Kind, o.Namespace, o.Name}] || !p.claims(o) && !p.ownedBy(o, known) {
			continue
		}
		switch {
		case o.Kind == "Machine":
			out = append(out, r.of(objectSubject(o), "it belongs to the Cluster "+p.name+", and the bundle has no such machine: what counts Machines would delete one that is too many"))
		case o.Kind == "ProxmoxMachine":
			out = append(out, r.of(objectSubject(o), "it belongs to the Cluster "+p.name+" or to one of its Machines, and the bundle has no such machine: CAPMOX clones a VM for it, or destroys the one that it names, as soon as it has its owner"))
		case makers[o.Kind] && rendered(o):
			out = append(out, r.of(objectSubject(o), "an earlier bundle made it, and this one has none of the name: without Machines it would clone VMs"))
		case makers[o.Kind]:
			out = append(out, r.of(objectSubject(o), "it belongs to the Cluster "+p.name+", and proxaudit did not render it: once that Cluster is there it makes Machines, or takes the adopted ones"))
		case rendered(o):
			out = append(out, r.of(objectSubject(o), "an earlier bundle made it, and this one has none of the name"))
		}
	}
	return out
}

// makers are the kinds that make Machines, and count them.
var makers = map[string]bool{"MachineSet": true, "MachineDeployment": true, "KubeadmControlPlane": true}

// ownedBy is true for an object whose ownerReference names one of the bundle: controllers go by that, and by no label (cluster-api util:
// GetOwnerMachine, GetOwnerCluster).
func (p *planner) ownedBy(o *inventory.Object, planned map[objectID]bool) bool {
	refs, _, err := unstructured.NestedSlice(o.Content, "metadata", "ownerReferences")
	if err != nil {
		return false
	}
	return slices.ContainsFunc(refs, func(r any) bool {
		ref, ok := r.(map[string]any)
		if !ok {
			return false
		}
		group, _, _ := strings.Cut(nested(ref, "apiVersion"), "/")
		return slices.Contains(bundleGroups, group) && planned[objectID{nested(ref, "kind"), o.Namespace, nested(ref, "name")}]
	})
}

// bundleGroups are the API groups of what a bundle is made of, Secrets aside.
var bundleGroups = []string{inventory.GroupCluster, inventory.GroupBootstrap, inventory.GroupControlPlane, inventory.GroupInfrastructure}

// claims is true for an object that says that it belongs to this cluster, by its field or by its label.
func (p *planner) claims(o *inventory.Object) bool {
	return nested(o.Content, "spec", "clusterName") == p.name || nested(o.Content, "metadata", "labels", clusterv1.ClusterNameLabel) == p.name
}

// takers are MachineSets and MachineDeployments of others that would take over what the bundle makes: whatever matches the
// selector and has no owner. They would then count the adopted machines among their own, and delete what is too many.
func (p *planner) takers(r *Rule) []Finding {
	var out []Finding
	for i := range p.s.Objects {
		o := &p.s.Objects[i]
		if o.Cluster != "" || groupOf(o) != inventory.GroupCluster || o.Namespace != p.namespace || rendered(o) || nested(o.Content, "spec", "clusterName") != p.name {
			continue
		}
		var targets []takerTarget
		switch o.Kind {
		case "MachineSet":
			for _, m := range p.members {
				if m.vm != nil {
					targets = append(targets, takerTarget{"Machine " + m.name(), p.laterLabels(m)})
				}
			}
		case "MachineDeployment":
			for _, g := range p.groups {
				targets = append(targets, takerTarget{"MachineSet " + g.setName(), p.meta(g.setName(), g.setSelector(p.name)).Labels})
			}
		default:
			continue
		}
		selector, err := selectorOf(o)
		if err != nil {
			out = append(out, r.of(objectSubject(o), "its selector cannot be read: "+err.Error()))
			continue
		}
		if j := slices.IndexFunc(targets, func(t takerTarget) bool { return selector.Matches(t.labels) }); j >= 0 {
			out = append(out, r.of(objectSubject(o), fmt.Sprintf("it selects %q, and so the %s", selector, targets[j].what)))
		}
	}
	return out
}

type takerTarget struct {
	what   string
	labels labels.Set
}

// ours is true for an object that an earlier bundle for this cluster made for the same machine.
func (p *planner) ours(planned []plannedObject, m *member, kind string, meta *inventory.Meta) bool {
	id := objectID{kind, meta.Namespace, meta.Name}
	there := p.existing.all[id]
	return there != nil && slices.Contains(planned, plannedObject{id, m}) && p.foreign(there, m) == ""
}

// foreign says why an object that has the name of one of the bundle is none of an earlier bundle for this cluster and machine,
// which is nil for what stands for none; empty if it is one. The name of a Machine is that of a VM, which recurs over clusters, so
// that the label and the machine that it was rendered for have to be the same.
func (p *planner) foreign(o *inventory.Object, m *member) string {
	if !rendered(o) {
		return "proxaudit did not render it"
	}
	for _, name := range []string{nested(o.Content, "metadata", "labels", clusterv1.ClusterNameLabel), cmp.Or(nested(o.Content, "spec", "clusterName"), p.name)} {
		if name != p.name {
			return fmt.Sprintf("proxaudit rendered it for the cluster %q", name)
		}
	}
	if host := nested(o.Content, "spec", "controlPlaneEndpoint", "host"); host != "" && p.endpoint.host != "" && host != p.endpoint.host {
		return fmt.Sprintf("proxaudit rendered it for the control plane at %s, and this one's is at %s", host, p.endpoint.host)
	}
	if m == nil || m.vm == nil {
		return ""
	}
	want := map[string]string{}
	addProvenance(want, m)
	for _, key := range slices.Sorted(maps.Keys(want)) {
		if got := nested(o.Content, "metadata", "annotations", key); got != want[key] {
			return fmt.Sprintf("proxaudit rendered it for another machine: its annotation %s is %q, and this machine's %q", key, got, want[key])
		}
	}
	return ""
}

// plannedObject is an object of the bundle with the machine that it stands for, if it stands for one.
type plannedObject struct {
	objectID
	member *member
}

// planned are the objects that a bundle would have.
func (p *planner) planned() []plannedObject {
	var out []plannedObject
	add := func(m *member, kind, name string) {
		out = append(out, plannedObject{objectID{kind, p.namespace, name}, m})
	}
	add(nil, "Cluster", p.name)
	add(nil, "ProxmoxCluster", p.name)
	add(nil, "KubeadmControlPlane", p.controlPlaneName())
	add(nil, "ProxmoxMachineTemplate", p.controlPlaneName())
	for _, m := range p.members {
		add(m, "Machine", m.name())
		add(m, "ProxmoxMachine", m.name())
		if m.node.ControlPlane {
			add(nil, "KubeadmConfig", m.name())
		}
	}
	for _, g := range p.groups {
		add(nil, "MachineDeployment", g.name)
		add(nil, "MachineSet", g.setName())
		add(nil, "ProxmoxMachineTemplate", g.name)
		add(nil, "KubeadmConfigTemplate", g.name)
	}
	return out
}
