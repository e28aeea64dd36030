package adopt

import (
	"encoding/json"
	"fmt"
	"maps"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/proxaudit/proxaudit/inventory"
)

var ruleHealthCheck = Rule{
	ID: "PXA209", Blocks: true, Destroys: true,
	Title: "MachineHealthCheck would match an adopted Machine",
	Why: "It deletes Machines that have no Node in time, or whose Node is not Ready, and with them their VMs. During an adoption Machines " +
		"have no Node for a while.",
	Remedy: "Delete or pause the MachineHealthCheck, and make it again when the adoption is finished.",
	check: func(r *Rule, p *planner) []Finding {
		var out []Finding
		for i := range p.s.Objects {
			o := &p.s.Objects[i]
			if o.Cluster != "" || o.Kind != "MachineHealthCheck" || o.Namespace != p.namespace || nested(o.Content, "spec", "clusterName") != p.name ||
				annotated(o, clusterv1.PausedAnnotation) {
				continue
			}
			selector, err := selectorOf(o)
			if err != nil {
				out = append(out, r.of(objectSubject(o), "its selector cannot be read: "+err.Error()))
				continue
			}
			for _, m := range p.members {
				if m.vm != nil && (selector.Matches(labels.Set(p.machine(m).Labels)) || selector.Matches(p.laterLabels(m))) {
					out = append(out, r.of(objectSubject(o), fmt.Sprintf("it selects %q, and so the Machine %s", selector, m.name())))
					break
				}
			}
		}
		return out
	},
}

// laterLabels are those of the Machine when its controllers have taken it over: a control plane gets two from its
// KubeadmControlPlane (cluster-api controlplane/kubeadm/pkg/desiredstate: ControlPlaneMachineLabels).
func (p *planner) laterLabels(m *member) labels.Set {
	out := labels.Set(p.machine(m).Labels)
	if m.node.ControlPlane {
		maps.Copy(out, p.controlPlaneLabels())
		out[clusterv1.MachineControlPlaneNameLabel] = p.controlPlaneName()
	}
	return out
}

// selectorOf reads spec.selector. An empty one selects everything.
func selectorOf(o *inventory.Object) (labels.Selector, error) {
	spec, _ := o.Content["spec"].(map[string]any)
	raw, err := json.Marshal(spec["selector"])
	if err != nil {
		return nil, err
	}
	var s metav1.LabelSelector
	if err := json.Unmarshal(raw, &s); err != nil {
		return nil, err
	}
	return metav1.LabelSelectorAsSelector(&s)
}
