package adopt

import (
	"fmt"

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
		return out
	},
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
