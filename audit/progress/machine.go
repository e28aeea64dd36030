package progress

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/proxaudit/proxaudit/audit/identity"
	"github.com/proxaudit/proxaudit/inventory"
)

// stages are the phases in which a Machine's own steps fall: a first control plane's are phases of the cluster, a worker's are all one.
type stages struct{ bootstrap, host, node PhaseID }

var (
	planeStages  = stages{PhaseBootstrap, PhaseHosts, PhaseControlPlane}
	workerStages = stages{PhaseWorkers, PhaseWorkers, PhaseWorkers}
)

func machineRef(m *inventory.Machine) inventory.Ref {
	return inventory.Ref{Group: inventory.GroupCluster, Kind: "Machine", Namespace: m.Namespace, Name: m.Name}
}

// machine follows a Machine through its steps, in the order of the controllers (cluster-api core/reconcilers/machine), and takes up the
// first that is not done. waits is true if it waits for another object, whose turn it is; done if nothing is left but its Node's
// readiness.
func (x *walk) machine(m *inventory.Machine, at stages) (done, waits bool) {
	ref, before := machineRef(m), len(x.batons)
	defer func() {
		for _, b := range x.batons[before:] {
			b.About = m.Name
		}
	}()
	if m.DeletedAt != nil {
		x.deleting(at.node, ref, &m.Meta)
		return false, false
	}
	if b := x.pausedBy(at.bootstrap, ref, &m.Meta); b != nil && m.NodeRef == "" {
		x.add(b, &m.Meta)
		return false, false
	}
	if m.FailureReason != "" || m.FailureMessage != "" {
		b := x.hold(at.host, ref, CauseFailed, "it has failed for good (%s): %s", m.FailureReason, m.FailureMessage)
		b.Holder, b.Since, b.Remedy = Person, latest(&m.Meta), "Once that is mended, delete the Machine: its owner makes another one."
		tell(b, m.FailureMessage)
		x.add(b, &m.Meta)
		return false, false
	}
	for _, step := range []func(*inventory.Machine, stages) (bool, bool){x.bootstrapData, x.host, x.providerID, x.node} {
		if done, waits = step(m, at); !done {
			return false, waits
		}
	}
	return true, false
}

// bootstrapData is done if the Machine names its Secret.
func (x *walk) bootstrapData(m *inventory.Machine, at stages) (done, waits bool) {
	if m.DataSecretName != "" {
		return x.bootstrapSecret(m, at), false
	}
	if m.BootstrapRef == nil {
		b := x.hold(at.bootstrap, machineRef(m), CauseBootstrapData, "it names neither a Secret with bootstrap data nor a configuration to make it from")
		b.Holder, b.Remedy = Person, "Set spec.bootstrap of the Machine, or of the template that it was made from."
		x.add(b, &m.Meta)
		return false, false
	}
	config := x.meta(m.BootstrapRef)
	if config == nil {
		x.missing(at.bootstrap, *m.BootstrapRef, "the Machine "+m.Name+" names it for its bootstrap data")
		return false, false
	}
	if b := x.pausedBy(at.bootstrap, *m.BootstrapRef, config); b != nil {
		x.add(b, config)
		return false, false
	}
	c := unmet(config, "CertificatesAvailable", "DataSecretAvailable", "ClientConfigAvailable", "Ready")
	if c == nil {
		x.add(x.notLooked(at.bootstrap, *m.BootstrapRef, config), config)
		return false, false
	}
	b, passes := x.byCondition(at.bootstrap, *m.BootstrapRef, c)
	if passes {
		x.waits(b, config, m)
		return false, true
	}
	x.add(b, config)
	return false, false
}

// bootstrapSecret is false if the Secret that a Machine names is known not to be there, while its VM still needs it.
func (x *walk) bootstrapSecret(m *inventory.Machine, at stages) bool {
	if m.NodeRef != "" || m.InfrastructureReady && !x.stopped(m) {
		return true
	}
	for i := range x.s.StoredSecrets {
		if s := &x.s.StoredSecrets[i]; s.Namespace == m.Namespace && s.Name == m.DataSecretName && s.Absent {
			b := x.hold(at.bootstrap, inventory.Ref{Kind: "Secret", Namespace: m.Namespace, Name: m.DataSecretName}, CauseBootstrapData,
				"there is no Secret %s, which the Machine %s names for its bootstrap data", m.DataSecretName, m.Name)
			b.Holder, b.Remedy = Person, "Delete the Machine, so that its owner makes another one with data of its own; or put the Secret back."
			b.Commands = []string{x.management("-n", m.Namespace, "get", "secrets")}
			x.add(b, &m.Meta)
			return false
		}
	}
	return true
}

// stopped is true if a Machine's VM is known not to run.
func (x *walk) stopped(m *inventory.Machine) bool {
	pm := x.infra[keyOf(*orRef(m.InfrastructureRef))]
	if pm == nil {
		return false
	}
	v, _ := x.guestOf(pm)
	return v != nil && v.Status == "stopped"
}

// host is done if the Machine's VM is up, by its controller's word.
func (x *walk) host(m *inventory.Machine, at stages) (done, waits bool) {
	if m.InfrastructureReady {
		return !x.hostLost(m, at), false
	}
	r := m.InfrastructureRef
	switch {
	case r == nil:
		b := x.hold(at.host, machineRef(m), CauseObjectMissing, "spec.infrastructureRef is not set")
		b.Holder = Person
		x.add(b, &m.Meta)
		return false, false
	case r.Kind != "ProxmoxMachine":
		b := x.hold(at.host, *r, CauseCondition, "its infrastructure is a %s, which is another provider's", r.Kind)
		b.Holder = Other
		x.word(b, &m.Meta, "InfrastructureReady")
		x.add(b, &m.Meta)
		return false, false
	}
	pm := x.infra[keyOf(*r)]
	if pm == nil {
		x.missing(at.host, *r, "the Machine "+m.Name+" names it")
		return false, false
	}
	if b := x.pausedBy(at.host, *r, &pm.Meta); b != nil {
		x.add(b, &pm.Meta)
		return false, false
	}
	if pm.Owner(inventory.GroupCluster, "Machine") == nil {
		b := x.hold(at.host, *r, CauseOwnerMissing, "the Machine's controller has not made the Machine %s its owner, and CAPMOX waits for that", m.Name)
		b.Holder, b.Next, b.Since = Core, "the core controller looks at the Machine", pm.CreatedAt
		x.add(b, &pm.Meta)
		return false, false
	}
	b, passes := x.vm(at.host, *r, pm)
	if passes {
		x.waits(b, &pm.Meta, m)
		return false, true
	}
	if b == nil {
		b = x.hold(at.host, machineRef(m), CauseNotLooked, "the ProxmoxMachine is ready, and the Machine does not say so yet")
		b.Next, b.Since = "the core controller looks at it", latest(&pm.Meta)
	}
	x.add(b, &pm.Meta)
	return false, false
}

// vm is what a ProxmoxMachine that is not ready waits for; nil if it is ready.
func (x *walk) vm(phase PhaseID, r inventory.Ref, pm *inventory.ProxmoxMachine) (b *Baton, passes bool) {
	if pm.Ready {
		return nil, false
	}
	if pm.FailureReason != "" || pm.FailureMessage != "" {
		b = x.hold(phase, r, CauseFailed, "it has failed for good (%s): %s", pm.FailureReason, pm.FailureMessage)
		b.Holder, b.Since, b.Remedy = Person, latest(&pm.Meta), "Once that is mended, delete the Machine: its owner makes another one."
		tell(b, pm.FailureMessage)
		return b, false
	}
	c := unmet(&pm.Meta, "VirtualMachineProvisioned", "VMProvisioned", "Ready")
	if c == nil {
		return x.notLooked(phase, r, &pm.Meta), false
	}
	b, passes = x.byCondition(phase, r, c)
	if passes {
		return b, true
	}
	// A task that failed is named in the message, as TYPE: STATUS. A start that failed leaves the reason as it is (taskservice:
	// checkAndRetryTask).
	if worker, text, ok := strings.Cut(c.Message, ": "); ok && strings.HasPrefix(worker, "qm") {
		switch {
		case b.Cause == CauseProvisioning:
			b.Cause, b.Next = CauseTaskFailed, "CAPMOX tries again"
			b.Detail += ", and the task failed: " + c.Message
			b.Remedy = "See the task's own error in Proxmox."
		case b.Cause == CauseTaskFailed && x.tasks[pm.TaskRef] == nil:
			// CAPMOX takes the task itself out of the status a minute later.
			if worker == "qmclone" {
				b.Cause = CauseCloneFailed
			}
			b.Detail += fmt.Sprintf(": the task %s ended with %q", worker, text)
		}
	}
	x.proxmoxTask(b, pm)
	if b.Cause == CauseAddressWait && b.Holder != Person {
		x.addresses(b, pm)
	}
	x.guest(b, pm)
	return b, false
}

// proxmoxTask adds what Proxmox says of the task that CAPMOX waits for.
func (x *walk) proxmoxTask(b *Baton, pm *inventory.ProxmoxMachine) {
	if pm.TaskRef == "" {
		return
	}
	t := x.tasks[pm.TaskRef]
	switch {
	case t == nil:
		b.Evidence = append(b.Evidence, "CAPMOX waits for the task "+pm.TaskRef+", which was not seen in Proxmox's lists")
	case t.End == nil:
		b.Cause, b.Next = CauseTaskRunning, "Proxmox ends it"
		b.Detail += fmt.Sprintf(": the task %s on %s runs since %s", t.Type, t.Node, t.Start.UTC().Format(time.RFC3339))
	case t.Status != "OK":
		b.Cause = CauseTaskFailed
		if t.Type == "qmclone" {
			b.Cause = CauseCloneFailed
		}
		b.Detail += fmt.Sprintf(": the task %s on %s ended with %q", t.Type, t.Node, t.Status)
		if b.Holder != Person {
			b.Remedy = "See the task's log in Proxmox, mend what it says, and CAPMOX tries again."
		}
		tell(b, t.Status)
	default:
		b.Evidence = append(b.Evidence, fmt.Sprintf("the task %s that CAPMOX waits for ended well at %s", t.Type, t.End.UTC().Format(time.RFC3339)))
	}
}

// guestOf is a ProxmoxMachine's VM, and what the analysis says of the two; nil if there is none, or several.
func (x *walk) guestOf(pm *inventory.ProxmoxMachine) (v *inventory.VM, class identity.Class) {
	e := x.graph.Of(inventory.Subject{Kind: inventory.SubjectProxmoxMachine, Scope: pm.Namespace, Name: pm.Name})
	if e == nil || pm.VMID == nil {
		return nil, ""
	}
	if len(e.VMs) != 1 {
		return nil, e.Class
	}
	return &x.s.VMs[e.VMs[0]], e.Class
}

// guest adds how the VM is, by Proxmox's own word.
func (x *walk) guest(b *Baton, pm *inventory.ProxmoxMachine) {
	v, class := x.guestOf(pm)
	switch {
	case v == nil && class == identity.GhostMachine && b.Cause == CauseCloneFailed:
		// Proxmox takes away what a clone that failed has made. The VM is not gone: it never was.
		b.Evidence = append(b.Evidence, fmt.Sprintf("Proxmox has no VM %d", *pm.VMID))
		return
	case v == nil && class == identity.GhostMachine:
		b.Cause, b.Holder, b.Next = CauseVMGone, Person, ""
		b.Detail = fmt.Sprintf("Proxmox has no VM %d any more", *pm.VMID)
		b.Remedy = "Delete the Machine: its owner makes another one."
		return
	case v == nil:
		return
	}
	b.Evidence = append(b.Evidence, fmt.Sprintf("VM %s on %s is %s", v.Key(), v.Node, v.Status))
	switch {
	case v.Status == "stopped" && b.Cause == CauseCloudInit:
		b.Cause, b.Holder, b.Next, b.Detail = CauseVMStopped, Person, "", fmt.Sprintf("VM %s is stopped: nobody starts it again", v.Key())
		b.Remedy = "Start the VM, and see why it stopped."
	case v.Status == "stopped" && slices.Contains(joining, b.Cause):
		b.Cause, b.Holder, b.Next = CauseVMStopped, Person, ""
		b.Detail = fmt.Sprintf("VM %s is stopped, though CAPMOX says that it is up: nobody starts it", v.Key())
		// vmservice (0.9.0): reconcileBootstrapData leaves CloningFailed where it finds no Secret, and with that reason the next pass skips every
		// step that is left.
		b.Remedy = "Start the VM, and see why it stopped. If it never ran, CAPMOX did not find its bootstrap Secret: it takes such a machine for ready at its next pass. Then delete the Machine, so that its owner makes another one."
	case v.Config != nil && !v.Config.AgentEnabled && b.Cause == CauseCloudInit:
		b.Cause = CauseAgentSilent
		b.Detail += "; the VM's configuration has no guest agent, so that none answers"
	}
}

// joining are causes of a Machine whose VM is up, by CAPMOX's word, and has no Node.
var joining = []Cause{CauseNotInitialized, CauseNoNode, CauseJoinExpired}

// providerID is done if the Machine has one.
func (x *walk) providerID(m *inventory.Machine, at stages) (done, waits bool) {
	if m.ProviderID != "" {
		return true, false
	}
	b := x.hold(at.node, machineRef(m), CauseProviderIDMissing, "its VM is up, and it has no providerID")
	b.Since = latest(&m.Meta)
	if pm := x.infra[keyOf(*orRef(m.InfrastructureRef))]; pm != nil && pm.ProviderID == "" {
		b.Object, b.Holder = *m.InfrastructureRef, Infrastructure
		b.Detail = "CAPMOX never wrote its providerID"
		b.Remedy = "See CAPMOX's log: a VM without smbios1 uuid has none."
	} else {
		b.Next = "the core controller takes it over from the ProxmoxMachine"
	}
	x.add(b, &m.Meta)
	return false, false
}

func orRef(r *inventory.Ref) *inventory.Ref {
	if r == nil {
		return &inventory.Ref{}
	}
	return r
}

// planes and workersOf are the Machines of the control plane, and all others.
func (x *walk) planes() []*inventory.Machine {
	return slices.DeleteFunc(slices.Clone(x.machines[x.cluster.Key]), func(m *inventory.Machine) bool { return !m.ControlPlane })
}

func (x *walk) others() []*inventory.Machine {
	return slices.DeleteFunc(slices.Clone(x.machines[x.cluster.Key]), func(m *inventory.Machine) bool { return m.ControlPlane })
}
