package adopt

import (
	"fmt"
	"strings"

	"github.com/proxaudit/proxaudit/audit"
	"github.com/proxaudit/proxaudit/inventory"
)

func machineSubject(m *inventory.Meta) audit.SubjectRef {
	sub := inventory.Subject{Kind: inventory.SubjectMachine, Scope: m.Namespace, Name: m.Name}
	return audit.SubjectRef{Kind: inventory.SubjectMachine, Namespace: m.Namespace, Name: m.Name, ID: sub.String()}
}

// checkIdentities compares each Machine with what was planned for it. That it is Running is no proof: with another VM than
// the Node's, or a stopped one, everything shows green as well.
func (v *verifier) checkIdentities() []Check {
	var out []Check
	for _, m := range v.machines {
		if !isPlanned(&m.Meta) {
			continue
		}
		c := Check{Name: CheckIdentity, Subject: machineSubject(&m.Meta), State: CheckOK, Step: StepUnpauseFirst,
			Remedy: "Leave it paused. proxaudit adopt renders what it should be; a second apply of that puts it right."}
		wrong, missing := v.compare(m)
		switch {
		case len(wrong) > 0:
			c.State, c.Detail = CheckFailed, strings.Join(wrong, "; ")
		case len(missing) > 0:
			c.State, c.Missing, c.Detail = CheckUnknown, missing, "not seen: "+missing[0].String()
		default:
			c.Detail = fmt.Sprintf("VM %s runs, with UUID %s, as Node %s", m.Annotations[AnnotationVM], m.Annotations[AnnotationUUID], m.Annotations[AnnotationNode])
			c.Remedy = ""
		}
		out = append(out, c)
	}
	return out
}

// compare lists what is not as planned, and what was not seen.
func (v *verifier) compare(m *inventory.Machine) (wrong []string, missing []inventory.Need) {
	say := func(format string, args ...any) { wrong = append(wrong, fmt.Sprintf(format, args...)) }
	site, vmidText, _ := strings.Cut(m.Annotations[AnnotationVM], "/")
	uuid, nodeName := m.Annotations[AnnotationUUID], m.Annotations[AnnotationNode]
	providerID := "proxmox://" + uuid
	if m.ProviderID != providerID {
		say("the Machine's providerID is %q, and %q was planned", m.ProviderID, providerID)
	}
	if m.DeletedAt != nil {
		say("the Machine is being deleted")
	}
	if m.NodeRef != "" && m.NodeRef != nodeName {
		say("the Machine's Node is %s, and %s was planned", m.NodeRef, nodeName)
	}
	switch pm := v.infra[m.Name]; {
	case m.InfrastructureRef == nil || m.InfrastructureRef.Name != m.Name:
		say("the Machine's infrastructureRef is not the ProxmoxMachine %s", m.Name)
	case pm == nil && v.s.Known(inventory.ManagementSource, inventory.ScopeProxmoxMachines):
		say("there is no ProxmoxMachine %s", m.Name)
	case pm == nil:
		missing = append(missing, inventory.Need{Source: inventory.ManagementSource, Scope: inventory.ScopeProxmoxMachines})
	default:
		if pm.VMID == nil || fmt.Sprint(*pm.VMID) != vmidText {
			say("virtualMachineID is %s, and %s was planned", vmidOf(pm), vmidText)
		}
		if pm.ProviderID != providerID {
			say("the ProxmoxMachine's providerID is %q, and %q was planned", pm.ProviderID, providerID)
		}
		if pm.DeletedAt != nil {
			say("the ProxmoxMachine is being deleted")
		}
		if pm.TaskRef != "" {
			say("CAPMOX waits for its task %s", pm.TaskRef)
		}
		if pm.FailureReason != "" {
			say("the ProxmoxMachine failed: %s", pm.FailureReason)
		}
	}
	more, unseen := v.compareVM(site, vmidText, uuid)
	wrong, missing = append(wrong, more...), append(missing, unseen...)
	more, unseen = v.compareNode(nodeName, uuid, providerID)
	return append(wrong, more...), append(missing, unseen...)
}

func vmidOf(pm *inventory.ProxmoxMachine) string {
	if pm.VMID == nil {
		return "not set"
	}
	return fmt.Sprint(*pm.VMID)
}

func (v *verifier) compareVM(site, vmid, uuid string) (wrong []string, missing []inventory.Need) {
	source := inventory.SiteSource(site)
	if vm := v.vms[site+"/"+vmid]; vm != nil {
		if vm.Status != "running" {
			wrong = append(wrong, fmt.Sprintf("VM %s/%s is %s", site, vmid, vm.Status))
		}
		switch {
		case vm.Config == nil:
			missing = append(missing, inventory.Need{Source: source, Scope: inventory.ConfigScope(vm.Node)})
		case vm.UUID() != uuid:
			wrong = append(wrong, fmt.Sprintf("VM %s/%s has the UUID %q, and %q was planned", site, vmid, vm.UUID(), uuid))
		}
		return wrong, missing
	}
	if v.s.Known(source, inventory.ScopeGuests) {
		return []string{fmt.Sprintf("site %s has no VM %s", site, vmid)}, nil
	}
	return nil, []inventory.Need{{Source: source, Scope: inventory.ScopeGuests}}
}

func (v *verifier) compareNode(name, uuid, providerID string) (wrong []string, missing []inventory.Need) {
	if m := v.nodes[name]; m != nil {
		n := m.node
		if n.SystemUUID != uuid {
			wrong = append(wrong, fmt.Sprintf("Node %s has the UUID %q, and %q was planned", name, nodeUUID(m), uuid))
		}
		switch n.ProviderID {
		case providerID:
		case "":
			wrong = append(wrong, fmt.Sprintf("Node %s has no providerID yet: step 0 of the runbook", name))
		default:
			wrong = append(wrong, fmt.Sprintf("Node %s has the providerID %q, which no Machine of CAPMOX gets", name, n.ProviderID))
		}
		return wrong, nil
	}
	source := inventory.ClusterSource(v.cluster.Key)
	if v.s.Known(source, inventory.ScopeNodes) {
		return []string{fmt.Sprintf("the cluster has no Node %s", name)}, nil
	}
	return nil, []inventory.Need{{Source: source, Scope: inventory.ScopeNodes}}
}

// checkUnplanned finds Machines beyond the bundle. Until the brakes are off, none should be there: a controller made it in
// the place of an adopted one.
func (v *verifier) checkUnplanned() []Check {
	braked := false
	for _, m := range v.machines {
		if _, hook := m.Annotations[HookPreTerminate]; hook {
			braked = true
		}
	}
	var out []Check
	for _, m := range v.machines {
		if isPlanned(&m.Meta) {
			continue
		}
		c := Check{Name: CheckUnplanned, Subject: machineSubject(&m.Meta), State: CheckNote, Step: StepUnpauseCluster,
			Detail: "it was made after the adoption"}
		if braked {
			c.State, c.Detail = CheckFailed, "the bundle did not have it: a controller made it"
			c.Remedy = "Pause the Cluster (kubectl patch, spec.paused) and see who owns it before anything else."
		}
		out = append(out, c)
	}
	if len(v.machines) == 0 && !v.s.Known(inventory.ManagementSource, inventory.ScopeMachines) {
		out = append(out, Check{Name: CheckUnplanned, Subject: clusterRef(v.cluster.Key), State: CheckUnknown, Step: StepUnpauseCluster,
			Detail:  "the Machines were not seen",
			Missing: []inventory.Need{{Source: inventory.ManagementSource, Scope: inventory.ScopeMachines}}})
	}
	return out
}
