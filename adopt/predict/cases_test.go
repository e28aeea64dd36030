package predict

import (
	"testing"

	"github.com/proxaudit/proxaudit/inventory"
)

// provisionedCondition is VirtualMachineProvisioned in a ProxmoxMachine's status.
func provisionedCondition(status, reason string) map[string]any {
	return map[string]any{"conditions": []any{map[string]any{"type": "VirtualMachineProvisioned", "status": status, "reason": reason,
		"message": "boom", "lastTransitionTime": deletedAt}}}
}

func machineStatus(node string, conditions ...any) map[string]any {
	out := map[string]any{"conditions": conditions}
	if node != "" {
		out["nodeRef"] = map[string]any{"name": node}
	}
	return out
}

func cond(kind, status string) map[string]any {
	return map[string]any{"type": kind, "status": status, "reason": "Because", "message": "", "lastTransitionTime": deletedAt}
}

// pmCases are what was read in CAPMOX's source beside what the trial executed.
var pmCases = []experiment{
	{name: "VMID that is free", change: func(l *lab) {
		l.set("ProxmoxMachine", "w-1", "spec.virtualMachineID", int64(150))
		l.s.Probes = append(l.s.Probes, inventory.Probe{Site: "lab", VMID: 150, Existence: inventory.Free})
	}, want: []string{"machine Machine/w-1 waits-forever", "proxmoxmachine ProxmoxMachine/w-1 waits-forever"}, why: "does not make one"},
	{name: "VMID that no list shows", change: func(l *lab) { l.set("ProxmoxMachine", "w-1", "spec.virtualMachineID", int64(150)) },
		want: []string{"machine Machine/w-1 unknown", "proxmoxmachine ProxmoxMachine/w-1 unknown"}, why: "nothing proves"},
	{name: "a container", change: func(l *lab) { l.vm(111).Type = inventory.GuestLXC },
		want: []string{"machine Machine/w-1 waits-forever", "proxmoxmachine ProxmoxMachine/w-1 waits-forever"}, why: "container"},
	{name: "VM of another UUID than the providerID", change: func(l *lab) {
		c := l.vm(111).Config
		c.UUID, c.RawUUID = uuidPrefix+"999", uuidPrefix+"999"
	}, want: []string{"machine Machine/w-1 false-green", "proxmoxmachine ProxmoxMachine/w-1 false-green"}, why: "has the Node w-1 and is Running"},
	{name: "VM of another UUID, and no Node has the Machine's providerID", change: func(l *lab) {
		c := l.vm(111).Config
		c.UUID, c.RawUUID = uuidPrefix+"999", uuidPrefix+"999"
		l.node("w-1").ProviderID = ""
	}, want: []string{"machine Machine/w-1 waits-forever", "proxmoxmachine ProxmoxMachine/w-1 false-green"}, why: "was meant"},
	{name: "providerID of another Node", change: func(l *lab) {
		l.drop("Machine", "w-2")
		l.drop("ProxmoxMachine", "w-2")
		l.set("Machine", "w-1", "spec.providerID", "proxmox://"+uuidPrefix+"112")
		l.set("ProxmoxMachine", "w-1", "spec.providerID", "proxmox://"+uuidPrefix+"112")
	}, want: []string{"machine Machine/w-1 false-green", mdLine + "scales-up", msLine + "scales-up", "proxmoxmachine ProxmoxMachine/w-1 false-green"}, why: "its nodeRef stays w-2"},
	{name: "VM is another Node's", change: func(l *lab) {
		for _, f := range []string{"spec.providerID"} {
			l.unset("ProxmoxMachine", "w-1", f)
			l.unset("Machine", "w-1", f)
		}
		c := l.vm(111).Config
		c.UUID, c.RawUUID = uuidPrefix+"112", uuidPrefix+"112"
	}, want: []string{"machine Machine/w-1 false-green", "proxmoxmachine ProxmoxMachine/w-1 false-green"}, why: "runs on another VM"},
	{name: "VM is no Node and nothing says which was meant", change: func(l *lab) {
		l.unset("ProxmoxMachine", "w-1", "spec.providerID")
		l.unset("Machine", "w-1", "spec.providerID")
		l.node("w-1").SystemUUID = ""
	}, want: []string{"machine Machine/w-1 false-green", "proxmoxmachine ProxmoxMachine/w-1 false-green"}, why: "is no Node of this cluster"},
	{name: "no providerID anywhere, but the VM is the Node", change: func(l *lab) {
		l.unset("ProxmoxMachine", "w-1", "spec.providerID")
		l.unset("Machine", "w-1", "spec.providerID")
	}},
	{name: "providerID in upper case", change: func(l *lab) {
		l.set("ProxmoxMachine", "w-1", "spec.providerID", "proxmox://6C3FA683-BEF9-4425-B413-EAA45A9D6111")
	}},
	{name: "no SMBIOS UUID", change: func(l *lab) { c := l.vm(111).Config; c.UUID, c.RawUUID = "", "" },
		want: []string{"machine Machine/w-1 false-green", "proxmoxmachine ProxmoxMachine/w-1 false-green"}, why: "its status says ready"},
	{name: "no SMBIOS UUID, no providerID", change: func(l *lab) {
		c := l.vm(111).Config
		c.UUID, c.RawUUID = "", ""
		l.unset("ProxmoxMachine", "w-1", "spec.providerID")
	},
		want: []string{"machine Machine/w-1 waits-forever", "proxmoxmachine ProxmoxMachine/w-1 refuses"}, why: "refused by the CRD"},
	{name: "UUID in args", change: func(l *lab) { l.vm(111).Config.UUIDSource = "args" },
		want: []string{"machine Machine/w-1 unknown", "proxmoxmachine ProxmoxMachine/w-1 unknown"}, why: "args"},
	{name: "paused VM", change: func(l *lab) { l.vm(111).Status = "paused" },
		want: []string{"machine Machine/w-1 false-green", "proxmoxmachine ProxmoxMachine/w-1 false-green"}},
	{name: "status unknown", change: func(l *lab) { l.vm(111).Status = inventory.StatusUnknown },
		want: []string{"machine Machine/w-1 unknown", "proxmoxmachine ProxmoxMachine/w-1 unknown"}},
	{name: "configuration not read", change: func(l *lab) { l.vm(111).Config = nil },
		want: []string{"machine Machine/w-1 unknown", "proxmoxmachine ProxmoxMachine/w-1 unknown"}},
	{name: "bridge with a hyphen, stopped", change: func(l *lab) {
		l.vm(111).Status = "stopped"
		l.vm(111).Config.NICs[0].Bridge = "vmbr-a"
		l.set("ProxmoxMachine", "w-1", "spec.network.networkDevices", []any{map[string]any{"name": "net0", "bridge": "vmbr-a"}})
	}, want: []string{"machine Machine/w-1 false-green", "proxmoxmachine ProxmoxMachine/w-1 rewrites"}, why: "without their MAC"},
	{name: "second device missing, stopped", change: func(l *lab) {
		l.vm(111).Status = "stopped"
		l.set("ProxmoxMachine", "w-1", "spec.network.networkDevices", []any{map[string]any{"bridge": "vmbr0", "vlan": int64(0)}, map[string]any{"name": "net1", "bridge": "vmbr1", "mtu": int64(9000)}})
	}, want: []string{"machine Machine/w-1 false-green", "proxmoxmachine ProxmoxMachine/w-1 rewrites"}},
	{name: "description and tag, stopped", change: func(l *lab) {
		l.vm(111).Status = "stopped"
		l.set("ProxmoxMachine", "w-1", "spec.description", "x")
		l.set("ProxmoxMachine", "w-1", "spec.tags", []any{"Prod"})
		l.set("ProxmoxMachine", "w-1", "spec.numSockets", int64(2))
	}, want: []string{"machine Machine/w-1 false-green", "proxmoxmachine ProxmoxMachine/w-1 rewrites"}, why: "sockets (1, 2 wanted), description, tags"},
	{name: "ISO of go-proxmox still in", change: func(l *lab) { l.vm(111).Tags = []string{tagCloudInit} },
		want: []string{"machine Machine/w-1 false-green", "proxmoxmachine ProxmoxMachine/w-1 rewrites"}},
	{name: "failed for good", change: func(l *lab) {
		l.set("ProxmoxMachine", "w-1", "status", provisionedCondition("False", "VMProvisionFailed"))
	},
		want: []string{"machine Machine/w-1 waits-forever", "proxmoxmachine ProxmoxMachine/w-1 refuses"}, why: "boom"},
	{name: "in the middle of provisioning", change: func(l *lab) {
		l.set("ProxmoxMachine", "w-1", "status", provisionedCondition("False", "WaitingForVMPowerUp"))
	}, want: []string{"machine Machine/w-1 false-green", "proxmoxmachine ProxmoxMachine/w-1 rewrites"}},
	{name: "reason that nobody knows", change: func(l *lab) { l.set("ProxmoxMachine", "w-1", "status", provisionedCondition("False", "New")) },
		want: []string{"machine Machine/w-1 unknown", "proxmoxmachine ProxmoxMachine/w-1 unknown"}},
	{name: "task in flight", change: func(l *lab) { l.set("ProxmoxMachine", "w-1", "status", map[string]any{"taskRef": "UPID:x"}) },
		want: []string{"machine Machine/w-1 unknown", "proxmoxmachine ProxmoxMachine/w-1 unknown"}},
	{name: "two objects, one VM", change: func(l *lab) { l.set("ProxmoxMachine", "w-2", "spec.virtualMachineID", int64(111)) },
		want: []string{"machine Machine/w-2 waits-forever", "proxmoxmachine ProxmoxMachine/w-2 refuses"}},
	{name: "the VM of another cluster's machine", change: func(l *lab) {
		id := 111
		l.s.Clusters = append(l.s.Clusters, inventory.Cluster{Key: "other", Site: "lab"})
		l.s.ProxmoxMachines = append(l.s.ProxmoxMachines, inventory.ProxmoxMachine{Meta: inventory.Meta{Namespace: "other", Name: "w-1"}, Cluster: "other", VMID: &id})
	}, want: []string{"machine Machine/w-1 false-green", "proxmoxmachine ProxmoxMachine/w-1 false-green"}, why: "other/w-1 has the VM"},
	{name: "status says another host", change: func(l *lab) {
		l.vm(111).Name = "legacy"
		l.set("ProxmoxMachine", "w-1", "status", map[string]any{"proxmoxNode": "pve2"})
	}, want: []string{"machine Machine/w-1 waits-forever", "proxmoxmachine ProxmoxMachine/w-1 refuses"}, why: "status.proxmoxNode"},
	{name: "nodeLocations say another host", change: func(l *lab) {
		l.vm(101).Name = ""
		l.set("ProxmoxCluster", "prod", "status", map[string]any{"nodeLocations": map[string]any{"controlPlane": []any{
			map[string]any{"machine": map[string]any{"name": "cp-1"}, "node": "pve2"}}}})
	}, want: []string{"machine Machine/cp-1 waits-forever", "proxmoxmachine ProxmoxMachine/cp-1 waits-forever"}, why: "has no name"},
	{name: "no Machine", change: func(l *lab) { l.copyAs("ProxmoxMachine", "w-1", "w-9") },
		want: []string{"proxmoxmachine ProxmoxMachine/w-9 waits-forever"}},
	{name: "controlled by somebody else", change: func(l *lab) {
		l.set("ProxmoxMachine", "w-1", "metadata.ownerReferences", []any{map[string]any{"apiVersion": "v1", "kind": "ConfigMap", "name": "x", "uid": "u", "controller": true}})
	}, want: []string{"machine Machine/w-1 waits-forever", "proxmoxmachine ProxmoxMachine/w-1 refuses"}},
	{name: "two Machines, one object", change: func(l *lab) { l.set("Machine", "w-2", "spec.infrastructureRef.name", "w-1") },
		want: []string{"machine Machine/w-1 false-green", "machine Machine/w-2 false-green", "proxmoxmachine ProxmoxMachine/w-1 false-green", "proxmoxmachine ProxmoxMachine/w-2 waits-forever"}, why: "2 Machines refer to it (w-1, w-2)"},
	{name: "deleted, protected", change: func(l *lab) {
		l.set("ProxmoxMachine", "w-1", deleted, deletedAt)
		l.vm(111).Config.Protection = true
	}, want: []string{"machine Machine/w-1 waits-forever", "proxmoxmachine ProxmoxMachine/w-1 stops"}},
	{name: "deleted, protected and stopped", change: func(l *lab) {
		l.set("ProxmoxMachine", "w-1", deleted, deletedAt)
		l.vm(111).Config.Protection, l.vm(111).Status = true, "stopped"
	}, want: []string{"machine Machine/w-1 waits-forever", "proxmoxmachine ProxmoxMachine/w-1 refuses"}},
	{name: "deleted, configuration not read", change: func(l *lab) {
		l.set("ProxmoxMachine", "w-1", deleted, deletedAt)
		l.vm(111).Config = nil
	}, want: []string{"machine Machine/w-1 waits-forever", "proxmoxmachine ProxmoxMachine/w-1 destroys"}},
	{name: "deleted without a VMID", change: func(l *lab) {
		l.set("ProxmoxMachine", "w-1", deleted, deletedAt)
		l.unset("ProxmoxMachine", "w-1", "spec.virtualMachineID")
	}, want: []string{"machine Machine/w-1 waits-forever", "proxmoxmachine ProxmoxMachine/w-1 waits-forever"}},
	{name: "deleted, VM gone", change: func(l *lab) {
		l.set("ProxmoxMachine", "w-1", deleted, deletedAt)
		l.set("ProxmoxMachine", "w-1", "spec.virtualMachineID", int64(150))
		l.s.Probes = append(l.s.Probes, inventory.Probe{Site: "lab", VMID: 150, Existence: inventory.Free})
	}, want: []string{"machine Machine/w-1 waits-forever", "proxmoxmachine ProxmoxMachine/w-1 waits-forever"}},
	{name: "deleted, VM not seen", change: func(l *lab) {
		l.set("ProxmoxMachine", "w-1", deleted, deletedAt)
		l.set("ProxmoxMachine", "w-1", "spec.virtualMachineID", int64(150))
	}, want: []string{"machine Machine/w-1 unknown", "proxmoxmachine ProxmoxMachine/w-1 unknown"}},
	{name: "old API version", change: func(l *lab) {
		for i := range l.s.Objects {
			if l.s.Objects[i].Kind == "ProxmoxMachine" && l.s.Objects[i].Name == "w-1" {
				l.s.Objects[i].APIVersion = "infrastructure.cluster.x-k8s.io/v1alpha1"
			}
		}
	}, want: []string{"machine Machine/w-1 unknown", "proxmoxmachine ProxmoxMachine/w-1 unknown"}, why: "v1alpha1"},
	{name: "site not known", change: func(l *lab) {
		l.s.Clusters[0].Site = ""
		l.s.Sites = append(l.s.Sites, inventory.Site{Name: "second"})
	}, want: []string{"machine Machine/cp-1 unknown", "machine Machine/cp-2 unknown", "machine Machine/cp-3 unknown", "machine Machine/w-1 unknown",
		"machine Machine/w-2 unknown", "proxmoxmachine ProxmoxMachine/cp-1 unknown", "proxmoxmachine ProxmoxMachine/cp-2 unknown",
		"proxmoxmachine ProxmoxMachine/cp-3 unknown", "proxmoxmachine ProxmoxMachine/w-1 unknown", "proxmoxmachine ProxmoxMachine/w-2 unknown"}, why: "in which site"},
}

func TestProxmoxMachines(t *testing.T) { runExperiments(t, pmCases) }
