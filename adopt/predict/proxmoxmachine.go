package predict

import (
	"fmt"
	"slices"
	"strings"

	"github.com/google/uuid"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/proxaudit/proxaudit/adopt"
	"github.com/proxaudit/proxaudit/inventory"
)

// vmVerdict is what CAPMOX would do to a ProxmoxMachine, and what it would make of it.
type vmVerdict struct {
	verdict
	// ready is true if it would report the ProxmoxMachine ready.
	ready bool
	// providerID is what it would write then.
	providerID string
}

// proxmoxMachineObjects predicts each ProxmoxMachine that a Machine of the cluster refers to, or that says that it belongs to it.
func (w *world) proxmoxMachineObjects() {
	for _, o := range w.proxmoxMachines {
		if len(w.owners(o)) > 0 || o.clusterOf() == w.name {
			w.say(adopt.ControllerProxmoxMachine, o.ref, w.proxmoxMachine(o).verdict)
		}
	}
}

// owners are the Machines of the cluster that CAPMOX takes for a ProxmoxMachine's: the one that its ownerReference names, whatever
// label it has (cluster-api util: GetOwnerMachine, by the name), and those that refer to it, for the Machine controller makes them its
// owner (cluster-api core/reconcilers/machine/machine_controller_phases.go: ensureExternalOwnershipAndWatch).
func (w *world) owners(o *vmObject) []*machineObject {
	refer := w.referrers(o)
	named := find(w.members(), ownerOf(o.raw, inventory.GroupCluster, kindMachine.kind))
	if named == nil || slices.Contains(refer, named) {
		return refer
	}
	return append([]*machineObject{named}, refer...)
}

// ownerOf is the name in an object's first ownerReference to a kind; empty if it has none.
func ownerOf(raw map[string]any, group, kind string) string {
	refs, _, err := unstructured.NestedSlice(raw, "metadata", "ownerReferences")
	if err != nil {
		return ""
	}
	for _, r := range refs {
		ref, ok := r.(map[string]any)
		if !ok {
			continue
		}
		if owner, _, _ := strings.Cut(text(ref, "apiVersion"), "/"); owner == group && text(ref, "kind") == kind {
			return text(ref, "name")
		}
	}
	return ""
}

func (w *world) referrers(o *vmObject) []*machineObject {
	if w.byInfra == nil {
		w.byInfra = map[string][]*machineObject{}
		for _, m := range w.members() {
			if text(m.raw, "spec", "infrastructureRef", "kind") == kindProxmoxMachine.kind {
				name := text(m.raw, "spec", "infrastructureRef", "name")
				w.byInfra[name] = append(w.byInfra[name], m)
			}
		}
	}
	return w.byInfra[o.ref.Name]
}

func (w *world) proxmoxMachine(o *vmObject) vmVerdict {
	if v, ok := w.vms[o.ref.Name]; ok {
		return v
	}
	v := w.judgeProxmoxMachine(o)
	w.vms[o.ref.Name] = v
	return v
}

// judgeProxmoxMachine follows CAPMOX's gates in their order (cluster-api-provider-proxmox v0.9.0
// internal/controller/proxmoxmachine_controller.go: Reconcile, reconcileNormal).
func (w *world) judgeProxmoxMachine(o *vmObject) vmVerdict {
	stop := func(v verdict) vmVerdict { return vmVerdict{verdict: v} }
	if o.problem != "" {
		return stop(o.unreadable())
	}
	m := &o.value
	owners := w.owners(o)
	switch {
	case len(owners) == 0 && len(w.lacksKind(kindMachine)) > 0:
		return stop(unseen(w.lacksKind(kindMachine), "no Machine that refers to it was seen, and not all of them were read"))
	case len(owners) == 0:
		return stop(is(adopt.WaitsForever, "no Machine refers to it: CAPMOX waits for the Machine that owns it"))
	}
	if ref := metav1.GetControllerOf(m); ref != nil && (ref.Kind != "Machine" || ref.Name != owners[0].ref.Name) &&
		ref.Kind != kindMachineSet.kind && ref.Kind != kindControlPlane.kind {
		return stop(isf(adopt.Refuses, "%s %s controls it already: the Machine %s cannot take it over", ref.Kind, ref.Name, owners[0].ref.Name))
	}
	if !m.DeletionTimestamp.IsZero() {
		return stop(w.deletes(o))
	}
	if m.Spec.Network == nil {
		return stop(is(adopt.Refuses, "spec.network is missing: CAPMOX's webhook fails on every write of the object, so that it is never taken over"))
	}
	cond := condition(m.Status.Conditions, "VirtualMachineProvisioned")
	if cond != nil && cond.Status == metav1.ConditionFalse && cond.Reason == "VMProvisionFailed" {
		return stop(isf(adopt.Refuses, "VirtualMachineProvisioned has failed for good (%s): CAPMOX does not look at it again", cond.Message))
	}
	if m.Status.TaskRef != "" {
		return stop(isf(adopt.CannotTell, "it waits for the task %s; what comes after is not known", m.Status.TaskRef))
	}
	v := w.judgeVM(o, owners[0], cond)
	if text(owners[0].raw, "spec", "bootstrap", "dataSecretName") == "" && v.outcome.Safe() {
		return stop(isf(adopt.WaitsForever, "the Machine %s has no spec.bootstrap.dataSecretName: CAPMOX waits for it before it looks for the VM", owners[0].ref.Name))
	}
	if len(owners) > 1 && v.outcome.Safe() {
		v.verdict = isf(adopt.FalseGreen, "%d Machines refer to it (%s): the first becomes its controller and goes on, the others wait for ever", len(owners), names(owners))
	}
	return v
}

// stages are the reasons of VirtualMachineProvisioned in which CAPMOX works on the VM, whether it runs or not
// (internal/service/vmservice/vm.go: the condition is its state machine).
var stages = map[string]bool{
	"WaitingForDiskReconciliation": true, "WaitingForStaticIPAllocation": true, "WaitingForBootstrapDataReconciliation": true,
	"WaitingForVMPowerUp": true, "PoweringOnFailed": true, "WaitingForCloudInit": true, "WaitingForClusterAPIMachineAddresses": true,
}

// falls are the reasons with which every stage is passed over: the first of them is set on an object without the condition.
var falls = map[string]bool{
	"": true, "Cloning": true, "CloningFailed": true, "WaitingForBootstrapReady": true, "Provisioned": true,
	"WaitingForClusterInfrastructureReady": true, "WaitingForBootstrapData": true,
}

// judgeVM is ReconcileVM (internal/service/vmservice/vm.go).
func (w *world) judgeVM(o *vmObject, owner *machineObject, cond *metav1.Condition) vmVerdict {
	m := &o.value
	stop := func(v verdict) vmVerdict { return vmVerdict{verdict: v} }
	if m.Spec.VirtualMachineID == nil || *m.Spec.VirtualMachineID <= 0 {
		return stop(is(adopt.Clones, "spec.virtualMachineID is not set: CAPMOX makes a new VM from the template, and the Machine ends bound to that"))
	}
	reason := ""
	if cond != nil {
		reason = cond.Reason
	}
	vm, v := w.findVM(o, owner)
	if vm == nil {
		return stop(v)
	}
	if other := w.rival(o, vm.Key()); other != "" {
		return stop(isf(adopt.FalseGreen, "%s has the VM %d too: both become ready with one VM", other, vm.VMID))
	}
	provisioned := m.Status.Initialization.Provisioned
	running := vm.Status == "running"
	switch {
	case vm.Status == inventory.StatusUnknown || vm.Status == "":
		return stop(unseen(w.needOf(vm, inventory.NodeScope(vm.Node)), fmt.Sprintf("whether the VM %d runs is not known: its host %s sends no status", vm.VMID, vm.Node)))
	case stages[reason]:
		return stop(isf(adopt.Rewrites, "VirtualMachineProvisioned is at %s: CAPMOX goes on with provisioning the VM", reason))
	case !falls[reason]:
		return stop(isf(adopt.CannotTell, "VirtualMachineProvisioned has the reason %s, of which nothing is known", reason))
	case vm.Config == nil:
		return stop(unseen(w.needOf(vm, inventory.ConfigScope(vm.Node)), fmt.Sprintf("the configuration of the VM %d was not read", vm.VMID)))
	}
	if !running && !provisioned && reason != "CloningFailed" && reason != "WaitingForBootstrapReady" && reason != "Provisioned" {
		if diff := differences(m, vm); len(diff) > 0 {
			return vmVerdict{verdict: isf(adopt.Rewrites, "the VM %d does not run (%s) and differs in %s: CAPMOX writes that into its configuration, claims addresses and tags it",
				vm.VMID, vm.Status, strings.Join(diff, ", "))}
		}
	}
	id, unknown := providerIDOf(vm)
	switch {
	case unknown != "":
		return stop(is(adopt.CannotTell, unknown))
	case id == "" && m.Spec.ProviderID != "":
		// The status goes its own way (cluster-api util/patch), and Cluster API finds a providerID beside it.
		return vmVerdict{verdict: isf(adopt.FalseGreen, "the VM %d has no SMBIOS UUID: the CRD refuses the providerID that CAPMOX makes of it, with every write of the object, and its status says ready", vm.VMID),
			ready: true, providerID: m.Spec.ProviderID}
	case id == "":
		return stop(isf(adopt.Refuses, "the VM %d has no SMBIOS UUID: the providerID that CAPMOX makes of it is refused by the CRD", vm.VMID))
	}
	ready := func(v verdict) vmVerdict { return vmVerdict{verdict: v, ready: true, providerID: id} }
	if !running {
		return ready(isf(adopt.FalseGreen, "the VM %d does not run (%s), and CAPMOX sees no reason to change or start it: it reports it ready", vm.VMID, vm.Status))
	}
	if vm.HasTag(tagCloudInit) {
		return ready(isf(adopt.Rewrites, "the VM %d has the tag %s: once the Machine is available, CAPMOX takes out its bootstrap ISO and the tag", vm.VMID, tagCloudInit))
	}
	if v := w.wrongVM(o, owner, vm, id); v != nil {
		return ready(*v)
	}
	if provisioned && reason == "Provisioned" {
		return ready(isf(adopt.NothingToDo, "the VM %d is adopted already, and nothing is compared any more", vm.VMID))
	}
	return ready(isf(adopt.Adopts, "the VM %d on %s has the object's name and runs: CAPMOX reads it, and changes nothing", vm.VMID, vm.Node))
}

// tagCloudInit is go-proxmox's mark on a VM into which it has put an ISO (luthermonson/go-proxmox v0.6.0: MakeTag, TagCloudInit).
const tagCloudInit = "go-proxmox+cloud-init"

// providerIDOf is the providerID that CAPMOX makes of the VM's smbios1, whatever spec.providerID says
// (internal/service/vmservice: extractUUID; pkg/scope/machine.go: SetProviderID).
func providerIDOf(vm *inventory.VM) (id, unknown string) {
	raw := vm.Config.RawUUID
	if vm.Config.UUID != "" {
		raw = vm.Config.UUID
	}
	if vm.Config.UUIDSource == "args" {
		return "", fmt.Sprintf("the UUID of the VM %d comes from args: CAPMOX takes the one in smbios1, which is not known", vm.VMID)
	}
	u, err := uuid.Parse(raw)
	if raw == "" || err != nil {
		return "", ""
	}
	return "proxmox://" + u.String(), ""
}

// wrongVM is set if the VM with the right address and name is not the machine that was meant: CAPMOX overwrites
// providerIDs with the VM's, and the Machine controller the Machine's with that.
func (w *world) wrongVM(o *vmObject, owner *machineObject, vm *inventory.VM, id string) *verdict {
	meant := 0
	for _, planned := range []string{o.value.Spec.ProviderID, text(owner.raw, "spec", "providerID")} {
		if planned == "" {
			continue
		}
		meant++
		if !strings.EqualFold(planned, id) {
			v := isf(adopt.FalseGreen, "the VM %d has the UUID of %s, and %s was meant: CAPMOX overwrites the providerID and takes the other machine", vm.VMID, id, planned)
			return &v
		}
	}
	if needs := w.lacksOwn(inventory.ScopeNodes); len(needs) > 0 {
		v := unseen(needs, "whether the VM is the Node that it should be is not known: the cluster's Nodes were not read")
		return &v
	}
	node := w.nodeWithUUID(vm.UUID())
	for _, n := range w.nodes {
		if n.Name == o.ref.Name && n.SystemUUID != "" && vm.UUID() != "" && n.SystemUUID != vm.UUID() {
			v := isf(adopt.FalseGreen, "the Node %s runs on another VM: the VM %d has the UUID %s, the Node %s", n.Name, vm.VMID, vm.UUID(), n.SystemUUID)
			return &v
		}
	}
	if meant == 0 && node == nil {
		v := isf(adopt.FalseGreen, "no providerID says which machine is meant, and the VM %d is no Node of this cluster: CAPMOX takes it by its name", vm.VMID)
		return &v
	}
	return nil
}

// nodeWithUUID is the cluster's Node with an SMBIOS UUID, or nil.
func (w *world) nodeWithUUID(u string) *inventory.Node {
	for _, n := range w.nodes {
		if u != "" && n.SystemUUID == u {
			return n
		}
	}
	return nil
}

func condition(list []metav1.Condition, kind string) *metav1.Condition {
	for i := range list {
		if list[i].Type == kind {
			return &list[i]
		}
	}
	return nil
}
