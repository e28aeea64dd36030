package adopt

import (
	"bytes"
	"fmt"

	"github.com/proxaudit/proxaudit/inventory/safeyaml"
)

// Document is one manifest.
type Document struct {
	ObjectRef
	// YAML is the manifest, without a separator.
	YAML []byte
}

// Bundle is the manifests of a Plan in the order in which they are applied.
type Bundle struct {
	Documents []Document
	// NodePatches are the Nodes with the providerID that they lack, as partial objects for `kubectl patch`.
	NodePatches []byte
}

// Manifests is the whole bundle as one stream.
func (b *Bundle) Manifests() []byte { return joined(b.Documents) }

// Step is the part of one step; nil if it has none.
func (b *Bundle) Step(id StepID) []byte {
	var docs []Document
	for _, d := range b.Documents {
		if d.Step == id {
			docs = append(docs, d)
		}
	}
	return joined(docs)
}

func joined(docs []Document) []byte {
	var out bytes.Buffer
	for _, d := range docs {
		out.WriteString("---\n")
		out.Write(d.YAML)
	}
	return out.Bytes()
}

// writer collects manifests in their order.
type writer struct {
	namespace string
	docs      []Document
	err       error
}

func (w *writer) add(step StepID, apiVersion, kind, name string, object any) {
	if w.err != nil {
		return
	}
	text, err := safeyaml.Marshal(object)
	if err != nil {
		w.err = fmt.Errorf("%s %s/%s cannot be written as YAML: %w", kind, w.namespace, name, err)
		return
	}
	w.docs = append(w.docs, Document{ObjectRef: ObjectRef{Step: step, APIVersion: apiVersion, Kind: kind, Namespace: w.namespace, Name: name}, YAML: text})
}

// render writes all manifests. It is called for a planner without a blocker that counts.
func (p *planner) render() ([]Document, error) {
	w := &writer{namespace: p.namespace}
	w.add(StepApplyCluster, capiVersion, "Cluster", p.name, p.capiCluster())

	w.add(StepApplyInfra, capmoxVersion, "ProxmoxCluster", p.name, p.proxmoxCluster())
	controlPlanes := p.controlPlanes()
	w.add(StepApplyInfra, capmoxVersion, "ProxmoxMachineTemplate", p.controlPlaneName(),
		p.proxmoxMachineTemplate(p.controlPlaneName(), "Control plane", controlPlanes[0]))
	for _, g := range p.groups {
		w.add(StepApplyInfra, capmoxVersion, "ProxmoxMachineTemplate", g.name, p.proxmoxMachineTemplate(g.name, "Worker", g.members[0]))
		w.add(StepApplyInfra, bootstrapVersion, "KubeadmConfigTemplate", g.name, p.kubeadmConfigTemplate(g))
	}

	// Machines before what will own them, always: see StepApplyOwners.
	for _, m := range p.members {
		w.add(StepApplyMachines, "v1", "Secret", m.name(), p.bootstrapSecret(m))
		if m.node.ControlPlane {
			w.add(StepApplyMachines, bootstrapVersion, "KubeadmConfig", m.name(), p.kubeadmConfig(m))
		}
		w.add(StepApplyMachines, capmoxVersion, "ProxmoxMachine", m.name(), p.proxmoxMachine(m))
		w.add(StepApplyMachines, capiVersion, "Machine", m.name(), p.machine(m))
	}

	w.add(StepApplyOwners, controlPlaneVersion, "KubeadmControlPlane", p.controlPlaneName(), p.kubeadmControlPlane())
	for _, g := range p.groups {
		w.add(StepApplyOwners, capiVersion, "MachineSet", g.setName(), p.machineSet(g))
		w.add(StepApplyOwners, capiVersion, "MachineDeployment", g.name, p.machineDeployment(g))
	}
	return w.docs, w.err
}
