package adopt

import (
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/labels"

	"github.com/proxaudit/proxaudit/inventory"
)

var ruleDeclared = Rule{
	ID: "PXA214", Blocks: true, Destroys: true,
	Title: "Something that is declared already is in the way",
	Why: "Two Machines for one VM: whichever is deleted first takes the VM with it. Objects of the same name that proxaudit did not render would " +
		"be changed by the manifests.",
	Remedy: "Choose another namespace or name (--target-namespace, --target-name). A cluster that Cluster API made is under it already: there is nothing to adopt.",
	check: func(r *Rule, p *planner) []Finding {
		var out []Finding
		for _, m := range p.members {
			if m.entity == nil {
				continue
			}
			for _, i := range m.entity.Machines {
				if o := &p.s.Machines[i]; !p.ours("Machine", &o.Meta) {
					out = append(out, r.of(m.ref(), fmt.Sprintf("the Machine %s/%s declares it", o.Namespace, o.Name)))
				}
			}
			for _, i := range m.entity.ProxmoxMachines {
				if o := &p.s.ProxmoxMachines[i]; !p.ours("ProxmoxMachine", &o.Meta) {
					out = append(out, r.of(m.ref(), fmt.Sprintf("the ProxmoxMachine %s/%s declares it", o.Namespace, o.Name)))
				}
			}
		}
		for _, id := range p.planned() {
			if o := p.existing.all[id]; o != nil && !rendered(o) {
				out = append(out, r.of(objectSubject(o), "it is there, and proxaudit did not render it"))
			}
		}
		return append(out, p.takers(r)...)
	},
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

// ours is true for an object that an earlier bundle for this cluster made.
func (p *planner) ours(kind string, meta *inventory.Meta) bool {
	return meta.Namespace == p.namespace && meta.Annotations[AnnotationRendered] == renderedBy && p.existing.all[objectID{kind, meta.Namespace, meta.Name}] != nil
}

// planned are the objects that a bundle would have.
func (p *planner) planned() []objectID {
	ns := p.namespace
	out := []objectID{{"Cluster", ns, p.name}, {"ProxmoxCluster", ns, p.name}, {"KubeadmControlPlane", ns, p.controlPlaneName()},
		{"ProxmoxMachineTemplate", ns, p.controlPlaneName()}}
	for _, m := range p.members {
		out = append(out, objectID{"Machine", ns, m.name()}, objectID{"ProxmoxMachine", ns, m.name()})
		if m.node.ControlPlane {
			out = append(out, objectID{"KubeadmConfig", ns, m.name()})
		}
	}
	for _, g := range p.groups {
		out = append(out, objectID{"MachineDeployment", ns, g.name}, objectID{"MachineSet", ns, g.setName()},
			objectID{"ProxmoxMachineTemplate", ns, g.name}, objectID{"KubeadmConfigTemplate", ns, g.name})
	}
	return out
}
