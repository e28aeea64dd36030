package predict

import (
	"fmt"
	"strings"

	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/proxaudit/proxaudit/adopt"
	"github.com/proxaudit/proxaudit/inventory"
)

// site is where CAPMOX looks for the cluster's VMs: where its credentials lead to, or else where the VMs lie. needs is set if that is not
// known.
func (w *world) site() (*inventory.Site, []inventory.Need) {
	if len(w.s.Sites) == 0 {
		return nil, []inventory.Need{inventory.AnySite}
	}
	name := w.cluster.Site
	if at := adopt.AccessSites(w.s, w.cluster); len(at) == 1 {
		name = at[0]
	}
	if name == "" {
		name = w.plannedSite()
	}
	if name == "" && len(w.s.Sites) == 1 {
		return &w.s.Sites[0], nil
	}
	for i := range w.s.Sites {
		if w.s.Sites[i].Name == name {
			return &w.s.Sites[i], nil
		}
	}
	return nil, []inventory.Need{{Source: inventory.ClusterSource(w.cluster.Key), Scope: inventory.ScopeSite}}
}

// plannedSite is the one site that all Machines were planned for; empty if there is none such. That CAPMOX looks there, verify checks.
func (w *world) plannedSite() string {
	found := ""
	for _, m := range w.members() {
		site, _, ok := strings.Cut(text(m.raw, "metadata", "annotations", adopt.AnnotationVM), "/")
		if !ok || found != "" && site != found {
			return ""
		}
		found = site
	}
	return found
}

// needOf is the need for something of a VM's site.
func (w *world) needOf(vm *inventory.VM, scope string) []inventory.Need {
	return []inventory.Need{{Source: inventory.SiteSource(vm.Site), Scope: scope}}
}

// guest looks a VMID up. nil with needs: not known. nil without: the VMID is free.
func (w *world) guest(site *inventory.Site, vmid int) (*inventory.VM, []inventory.Need) {
	for i := range w.s.VMs {
		if vm := &w.s.VMs[i]; vm.Site == site.Name && vm.VMID == vmid {
			return vm, nil
		}
	}
	// A list that shows no such guest proves nothing: Proxmox leaves out what the token may not see.
	if p := w.s.ProbeOf(inventory.Key{Site: site.Name, VMID: vmid}); p != nil && p.Existence == inventory.Free {
		return nil, nil
	}
	return nil, []inventory.Need{{Source: inventory.SiteSource(site.Name), Scope: inventory.ScopeGuests},
		{Source: inventory.SiteSource(site.Name), Scope: inventory.ScopeProbes}}
}

// findVM is FindVM with what follows if it does not find one (internal/service/vmservice/find.go: FindVM, updateVMLocation).
// nil with the verdict that ends it there.
func (w *world) findVM(o *vmObject, owner *machineObject) (*inventory.VM, verdict) {
	vmid := *o.value.Spec.VirtualMachineID
	site, needs := w.site()
	if site == nil {
		return nil, unseen(needs, "in which site the cluster's VMs lie is not known")
	}
	vm, needs := w.guest(site, int(vmid))
	switch {
	case len(needs) > 0:
		return nil, unseen(needs, fmt.Sprintf("no VM %d was seen in %s, and nothing proves that there is none", vmid, site.Name))
	case vm == nil:
		return nil, isf(adopt.WaitsForever, "there is no VM %d in %s: CAPMOX looks for it again and again; it does not make one", vmid, site.Name)
	case vm.Type != inventory.GuestQEMU:
		return nil, isf(adopt.WaitsForever, "the guest %d is a container (%s): CAPMOX looks for a VM again and again", vmid, vm.Type)
	case vm.Node == "":
		return nil, unseen(w.needOf(vm, inventory.ScopeGuests), fmt.Sprintf("on which host the VM %d lies is not known", vmid))
	}
	node, from := w.locate(o, owner)
	if node == vm.Node {
		if vm.Name != o.ref.Name {
			return nil, isf(adopt.WaitsForever, "the VM %d is called %q in Proxmox: CAPMOX takes it for a clone that has no name yet, and waits without a message", vmid, vm.Name)
		}
		return vm, verdict{}
	}
	switch vm.Name {
	case o.ref.Name:
		return vm, verdict{}
	case "":
		return nil, isf(adopt.WaitsForever, "the VM %d has no name in Proxmox: CAPMOX waits for one", vmid)
	default:
		return nil, isf(adopt.Refuses, "the VM %d is on %s, not on %q (%s), and is called %q: CAPMOX fails for good (VMProvisionFailed)", vmid, vm.Node, node, from, vm.Name)
	}
}

// locate is on which host CAPMOX looks first (pkg/scope/machine.go: LocateProxmoxNode).
func (w *world) locate(o *vmObject, owner *machineObject) (node, from string) {
	if n := o.value.Status.ProxmoxNode; n != "" {
		return n, "status.proxmoxNode"
	}
	if c := w.infraCluster(); c != nil && c.problem == "" {
		list := c.value.Status.NodeLocations.Workers
		if _, ok := owner.labels()[clusterv1.MachineControlPlaneLabel]; ok {
			list = c.value.Status.NodeLocations.ControlPlane
		}
		for _, l := range list {
			if l.Machine.Name == o.ref.Name && l.Node != "" {
				return l.Node, "status.nodeLocations of the ProxmoxCluster"
			}
		}
	}
	return o.value.Spec.SourceNode, "spec.sourceNode"
}

// rival names a ProxmoxMachine of another namespace with the same VM. In one namespace there is none: the VM has one name,
// and CAPMOX takes it for the object of that name only.
func (w *world) rival(o *vmObject, key inventory.Key) string {
	for i := range w.s.ProxmoxMachines {
		p := &w.s.ProxmoxMachines[i]
		if p.VMID == nil || *p.VMID != key.VMID || p.Name != o.ref.Name || p.Namespace == o.ref.Namespace {
			continue
		}
		for j := range w.s.Clusters {
			if c := &w.s.Clusters[j]; c.Key == p.Cluster && (c.Site == key.Site || c.Site == "" && len(w.s.Sites) == 1) {
				return p.Namespace + "/" + p.Name
			}
		}
	}
	return ""
}

// deletes is what a ProxmoxMachine with a deletionTimestamp leads to (internal/service/vmservice/delete.go: DeleteVM;
// pkg/proxmox/goproxmox/api_client.go: DeleteVM): the VMID goes to Proxmox as it is, and neither name nor UUID is looked at.
// Proxmox refuses to destroy a protected VM, and stops it all the same (qemu-server PVE/API2/Qemu.pm: check_protection).
func (w *world) deletes(o *vmObject) verdict {
	id := o.value.Spec.VirtualMachineID
	if id == nil || *id < 100 {
		return is(adopt.WaitsForever, "it is being deleted and names no VM: the object goes, and its Machine waits for it")
	}
	site, needs := w.site()
	if site == nil {
		return unseen(needs, "it is being deleted; in which site its VM lies is not known")
	}
	vm, needs := w.guest(site, int(*id))
	switch {
	case len(needs) > 0:
		return unseen(needs, fmt.Sprintf("it is being deleted, and the VM %d was not seen", *id))
	case vm == nil:
		return isf(adopt.WaitsForever, "it is being deleted and there is no VM %d: the object goes, and its Machine waits for it", *id)
	case vm.Config == nil:
		return isf(adopt.Destroys, "it is being deleted: CAPMOX stops and destroys the VM %d, unless it is protected, which was not seen", *id)
	case vm.Config.Protection && vm.Status == "running":
		return isf(adopt.Stops, "it is being deleted: CAPMOX stops the VM %d; Proxmox's protection keeps its disks", *id)
	case vm.Config.Protection:
		return isf(adopt.Refuses, "it is being deleted: Proxmox's protection refuses to destroy the VM %d", *id)
	default:
		return isf(adopt.Destroys, "it is being deleted: CAPMOX stops and destroys the VM %d", *id)
	}
}
