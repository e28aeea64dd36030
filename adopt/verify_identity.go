package adopt

import (
	"fmt"
	"slices"
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
		c := Check{Name: CheckIdentity, Subject: machineSubject(&m.Meta), State: CheckOK, Step: StepUnpauseFirst}
		wrong, missing := v.compare(m)
		switch {
		case len(wrong) > 0:
			var details, remedies []string
			for _, w := range wrong {
				details = append(details, w.text)
				if !slices.Contains(remedies, w.remedy) {
					remedies = append(remedies, w.remedy)
				}
			}
			c.State, c.Detail, c.Remedy = CheckFailed, strings.Join(details, "; "), "Leave it paused. "+strings.Join(remedies, " ")
		case len(missing) > 0:
			c.State, c.Missing, c.Detail = CheckUnknown, missing, "not seen: "+missing[0].String()
			if slices.Contains(v.hidden, missing[0]) {
				c.Detail += ", so that another guest may have its UUID"
			}
			c.Remedy = "Let that be read first: the coverage says what kept it away."
		default:
			c.Detail = fmt.Sprintf("VM %s runs, with UUID %s, as Node %s", m.Annotations[AnnotationVM], m.Annotations[AnnotationUUID], m.Annotations[AnnotationNode])
		}
		out = append(out, c)
	}
	return out
}

// difference is what is not as planned, and what to do about it.
type difference struct{ text, remedy string }

const (
	applyAgain   = "Render it anew (proxaudit adopt) and apply that: it says what it should be."
	startIt      = "Start the VM yourself and wait until its Node is Ready: no controller starts it, and none minds."
	otherVM      = "See which VM this Node runs in (proxaudit explain), and render the bundle anew."
	cannotRevoke = "A deletion cannot be taken back: see \"Giving up\" in the runbook before anything is unpaused."
	askCAPMOX    = "See what CAPMOX logged about it."
	patchNode    = "Set it: step 0 of the runbook."
	joinAnew     = "It cannot be changed: the Node has to be deleted and join again before it can be adopted."
	bringBack    = "Bring the Node back, or render the bundle without it."
)

// compare lists what is not as planned, and what was not seen.
func (v *verifier) compare(m *inventory.Machine) (wrong []difference, missing []inventory.Need) {
	say := func(remedy, format string, args ...any) {
		wrong = append(wrong, difference{fmt.Sprintf(format, args...), remedy})
	}
	site, vmidText, _ := strings.Cut(m.Annotations[AnnotationVM], "/")
	uuid, nodeName := m.Annotations[AnnotationUUID], m.Annotations[AnnotationNode]
	providerID := "proxmox://" + uuid
	if m.ProviderID != providerID {
		say(applyAgain, "the Machine's providerID is %q, and %q was planned", m.ProviderID, providerID)
	}
	if m.DeletedAt != nil {
		say(cannotRevoke, "the Machine is being deleted")
	}
	if m.NodeRef != "" && m.NodeRef != nodeName {
		say(otherVM, "the Machine's Node is %s, and %s was planned", m.NodeRef, nodeName)
	}
	switch pm := v.infra[m.Name]; {
	case m.InfrastructureRef == nil || m.InfrastructureRef.Name != m.Name:
		say(applyAgain, "the Machine's infrastructureRef is not the ProxmoxMachine %s", m.Name)
	case pm == nil && v.s.Known(inventory.ManagementSource, inventory.ScopeProxmoxMachines):
		say(applyAgain, "there is no ProxmoxMachine %s", m.Name)
	case pm == nil:
		missing = append(missing, inventory.Need{Source: inventory.ManagementSource, Scope: inventory.ScopeProxmoxMachines})
	default:
		if pm.VMID == nil || fmt.Sprint(*pm.VMID) != vmidText {
			say(applyAgain, "virtualMachineID is %s, and %s was planned", vmidOf(pm), vmidText)
		}
		if pm.ProviderID != providerID {
			say(applyAgain, "the ProxmoxMachine's providerID is %q, and %q was planned", pm.ProviderID, providerID)
		}
		if pm.DeletedAt != nil {
			say(cannotRevoke, "the ProxmoxMachine is being deleted")
		}
		if pm.TaskRef != "" {
			say(askCAPMOX, "CAPMOX waits for its task %s", pm.TaskRef)
		}
		if pm.FailureReason != "" {
			say(askCAPMOX, "the ProxmoxMachine failed: %s", pm.FailureReason)
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

func (v *verifier) compareVM(site, vmid, uuid string) (wrong []difference, missing []inventory.Need) {
	source := inventory.SiteSource(site)
	if vm := v.vms[site+"/"+vmid]; vm != nil {
		if vm.Status != "running" {
			wrong = append(wrong, difference{fmt.Sprintf("VM %s/%s is %s", site, vmid, vm.Status), startIt})
		}
		switch {
		case vm.Config == nil:
			missing = append(missing, inventory.Need{Source: source, Scope: inventory.ConfigScope(vm.Node)})
		case vm.UUID() != uuid:
			wrong = append(wrong, difference{fmt.Sprintf("VM %s/%s has the UUID %q, and %q was planned", site, vmid, vm.UUID(), uuid), otherVM})
		}
		// A clone or a restored backup that runs beside it says that it is the Node as well.
		for i := range v.s.VMs {
			if other := &v.s.VMs[i]; other != vm && uuid != "" && !other.IsTemplate() && other.UUID() == uuid {
				wrong = append(wrong, difference{fmt.Sprintf("VM %s has the same UUID as VM %s/%s", other.Key(), site, vmid), otherVM})
			}
		}
		return wrong, append(missing, v.hidden...)
	}
	if v.s.Known(source, inventory.ScopeGuests) {
		return []difference{{fmt.Sprintf("site %s has no VM %s", site, vmid), otherVM}}, nil
	}
	return nil, []inventory.Need{{Source: source, Scope: inventory.ScopeGuests}}
}

func (v *verifier) compareNode(name, uuid, providerID string) (wrong []difference, missing []inventory.Need) {
	if m := v.nodes[name]; m != nil {
		n := m.node
		// A Node that says no UUID may have its VM's in its providerID, as when it was planned.
		if !saysUUID(n, uuid) {
			wrong = append(wrong, difference{fmt.Sprintf("Node %s has the UUID %q, and %q was planned", name, nodeUUID(m), uuid), otherVM})
		}
		switch n.ProviderID {
		case providerID:
		case "":
			wrong = append(wrong, difference{fmt.Sprintf("Node %s has no providerID yet", name), patchNode})
		default:
			wrong = append(wrong, difference{fmt.Sprintf("Node %s has the providerID %q, which no Machine of CAPMOX gets", name, n.ProviderID), joinAnew})
		}
		return wrong, nil
	}
	source := inventory.ClusterSource(v.cluster.Key)
	if v.s.Known(source, inventory.ScopeNodes) {
		return []difference{{fmt.Sprintf("the cluster has no Node %s", name), bringBack}}, nil
	}
	return nil, []inventory.Need{{Source: source, Scope: inventory.ScopeNodes}}
}

// checkBrakes: a Machine is adopted with its brakes on. One that has been let go and is Running since may have lost them by the last step.
func (v *verifier) checkBrakes() []Check {
	var out []Check
	for _, m := range v.machines {
		if !isPlanned(&m.Meta) || m.NodeRef != "" && !m.Paused {
			continue
		}
		c := Check{Name: CheckBrakes, Subject: machineSubject(&m.Meta), State: CheckOK, Step: StepUnpauseFirst, Detail: "both delete hooks and skip-remediation are on"}
		if lacks := slices.DeleteFunc(slices.Clone(brakes), func(b string) bool { _, on := m.Annotations[b]; return on }); len(lacks) > 0 {
			c.State, c.Detail = CheckFailed, "it lacks "+strings.Join(lacks, ", ")
			c.Remedy = "Leave it paused. " + applyAgain
		}
		out = append(out, c)
	}
	return out
}

// checkUnplanned finds Machines beyond the bundle. Until the brakes are off, none should be there: a controller made it in
// the place of an adopted one.
func (v *verifier) checkUnplanned() []Check {
	adopting, planned := false, false
	for _, m := range v.machines {
		adopting = adopting || braked(&m.Meta)
		planned = planned || isPlanned(&m.Meta)
	}
	var out []Check
	if !planned && len(v.machines) > 0 {
		out = append(out, Check{Name: CheckUnplanned, Subject: clusterRef(v.cluster.Key), State: CheckUnknown, Step: StepUnpauseCluster,
			Detail: "proxaudit rendered none of its Machines: which VM each was meant for is not known, and only what the controllers would do is said",
			Remedy: "A cluster that Cluster API made needs no verification. For one that was adopted by hand, compare each virtualMachineID with its VM yourself."})
	}
	for _, m := range v.machines {
		if isPlanned(&m.Meta) || !planned {
			continue
		}
		c := Check{Name: CheckUnplanned, Subject: machineSubject(&m.Meta), State: CheckNote, Step: StepUnpauseCluster,
			Detail: "it was made after the adoption"}
		if adopting {
			c.State, c.Detail = CheckFailed, "the bundle did not have it: a controller made it"
			c.Remedy = "Pause the Cluster (kubectl patch, spec.paused) and see who owns it before anything else."
		}
		out = append(out, c)
	}
	if !v.s.Known(inventory.ManagementSource, inventory.ScopeMachines) {
		out = append(out, Check{Name: CheckUnplanned, Subject: clusterRef(v.cluster.Key), State: CheckUnknown, Step: StepUnpauseCluster,
			Detail:  "not all Machines were seen",
			Missing: []inventory.Need{{Source: inventory.ManagementSource, Scope: inventory.ScopeMachines}}})
	}
	return out
}
