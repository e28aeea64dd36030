package adopt_test

import (
	"strings"

	"github.com/proxaudit/proxaudit/adopt"
	"github.com/proxaudit/proxaudit/inventory"
	"github.com/proxaudit/proxaudit/inventory/inventorytest"
)

func status(vmid int, text string) change {
	return setVM(vmid, func(v *inventory.VM) { v.Status = text })
}

func vmName(vmid int, name string) change {
	return setVM(vmid, func(v *inventory.VM) { v.Name = name })
}

func vmUUID(vmid int, uuid, raw string) change {
	return setVM(vmid, func(v *inventory.VM) { v.Config.UUID, v.Config.RawUUID = uuid, raw })
}

func uuidFromArgs(vmid int) change {
	return setVM(vmid, func(v *inventory.VM) { v.Config.UUIDSource, v.Config.HasArgs = "args", true })
}

func tags(vmid int, list ...string) change {
	return setVM(vmid, func(v *inventory.VM) { v.Tags = list })
}

func nodeProvider(name, id string) change {
	return setNode(name, func(n *inventory.Node) { n.ProviderID = id })
}

func strangerUUID(uuid string) func(*inventory.VM) {
	return func(v *inventory.VM) { v.Config.UUID, v.Config.RawUUID = uuid, uuid }
}

func nics(list ...inventory.NIC) change {
	return setVM(1001, func(v *inventory.VM) { v.Config.NICs = list })
}

func nic(slot, model string) inventory.NIC {
	return inventory.NIC{Slot: slot, Model: model, MAC: "bc:24:11:aa:00:0" + slot[len(slot)-1:], Bridge: "vmbr0"}
}

// machineCases are those about single machines.
func machineCases() map[string][]ruleCase {
	return map[string][]ruleCase{
		"PXA201": {
			{"stopped worker", status(1001, "stopped"), find("vm/lab/1001", "stopped; its Node is w-1"), false},
			{"host sends no status", status(101, inventory.StatusUnknown), find("vm/lab/101", "unknown"), false},
			{"all running", same, nil, false},
			{"a stopped VM of nobody", stranger("lab", 500, func(v *inventory.VM) { v.Status = "stopped" }), nil, false},
			{"edge: two at once, and the stopped template", all(status(102, "stopped"), status(1002, "paused")),
				[]wanted{{"vm/lab/102", "stopped"}, {"vm/lab/1002", "paused"}}, false},
		},
		"PXA202": {
			{"upper case and underscore", vmName(1001, "Worker_1"), find("vm/lab/1001", `"Worker_1" is no DNS-1123 name`), false},
			{"no name", vmName(101, ""), find("vm/lab/101", "no name"), false},
			{"two of one name", vmName(1002, "w-1"), find("vm/lab/1002", `VM lab/1001 of this cluster is called "w-1" too`), false},
			{"named as the cluster's CA Secret", vmName(1001, "prod-ca"), find("vm/lab/1001", "a Secret of the cluster"), false},
			{"named as CAPMOX's credentials", vmName(1001, "prod-pve"), find("vm/lab/1001", "a Secret of the cluster"), false},
			{"another name than the Node's", vmName(1001, "blue"), nil, false},
			{"a name with dots", vmName(1001, "w-1.example.com"), nil, false},
			{"edge: 63 characters", vmName(1001, strings.Repeat("a", 63)), nil, false},
			{"edge: 64 characters", vmName(1001, strings.Repeat("a", 64)), find("vm/lab/1001", "63 characters"), false},
			{"edge: a stranger's name is its own business", stranger("lab", 500, func(v *inventory.VM) { v.Name = "w-1" }), nil, false},
		},
		"PXA203": {
			{"one that every board of a maker has", all(vmUUID(1001, "", "03000200-0400-0500-0006-000700080009"), setNode("w-1", func(n *inventory.Node) { n.SystemUUID = "" })),
				find("vm/lab/1001", "identifies no single machine"), false},
			{"none", all(vmUUID(1001, "", ""), nodeProvider("w-1", "proxmox://lab/1001"),
				func(s *inventory.Snapshot, _ *adopt.Options) { s.Sites[0].Regions = []string{"lab"} }), find("vm/lab/1001", "sets none"), false},
			{"one that args sets", setVM(1001, func(v *inventory.VM) { v.Config.UUIDSource = "args" }), find("vm/lab/1001", "CAPMOX takes the one of smbios1"), false},
			{"a stranger has it", stranger("lab", 500, strangerUUID(inventorytest.ScriptBuiltUUID(1001))),
				find("node/prod/w-1", "VMs lab/500 (office-500), lab/1001 (w-1) have the same"), false},
			{"two members have it", all(vmUUID(1002, inventorytest.ScriptBuiltUUID(1001), inventorytest.ScriptBuiltUUID(1001))),
				find("node/prod/w-1", "lab/1001 (w-1), lab/1002 (w-2)"), false},
			{"a worker's comes from args", uuidFromArgs(1001), find("vm/lab/1001", "comes from args"), false},
			{"a control plane's comes from args", uuidFromArgs(101), find("vm/lab/101", "comes from args"), false},
			{"edge: a stranger's comes from args", stranger("lab", 500, func(v *inventory.VM) { v.Config.UUIDSource = "args" }), nil, false},
			{"each its own", same, nil, false},
			{"two strangers share one", all(stranger("lab", 500, nil), stranger("lab", 501, strangerUUID(inventorytest.UUID(500)))), nil, false},
			{"a template that was made of a copy", template(strangerUUID(inventorytest.ScriptBuiltUUID(1001))), nil, false},
			{"edge: a copy on another site", stranger("dr", 1001, strangerUUID(inventorytest.ScriptBuiltUUID(1001))),
				find("node/prod/w-1", "dr/1001 (office-1001), lab/1001 (w-1)"), false},
		},
		"PXA204": {
			{"region and VMID", nodeProvider("w-1", "proxmox://lab/1001"), find("node/prod/w-1", "proxmox://lab/1001"), true},
			{"k3s", nodeProvider("cp-1", "k3s://cp-1"), find("node/prod/cp-1", "k3s://cp-1"), true},
			{"talos", nodeProvider("w-2", "talos://nocloud/10.0.1.2"), find("node/prod/w-2", "talos://"), true},
			{"none yet", same, nil, false},
			{"as CAPMOX writes it", nodeProvider("w-1", "proxmox://"+inventorytest.ScriptBuiltUUID(1001)), nil, false},
			{"edge: the same UUID in upper case", nodeProvider("w-1", "proxmox://"+strings.ToUpper(inventorytest.ScriptBuiltUUID(1001))),
				find("node/prod/w-1", "comparison is one of strings"), true},
		},
		"PXA219": {
			{"a worker", tags(1001, "go-proxmox+cloud-init", "k8s"), find("vm/lab/1001", "go-proxmox+cloud-init"), false},
			{"a control plane", tags(102, "go-proxmox+cloud-init"), find("vm/lab/102", "go-proxmox+cloud-init"), false},
			{"no tag", same, nil, false},
			{"other tags", tags(1001, "go-proxmox", "cloud-init"), nil, false},
			{"a machine of CAPMOX that is nobody's here", stranger("lab", 500, func(v *inventory.VM) { v.Tags = []string{"go-proxmox+cloud-init"} }), nil, false},
			{"edge: a worker that is left out", all(tags(1001, "go-proxmox+cloud-init"), setOptions(func(o *adopt.Options) { o.LeaveOut = []string{"w-1"} })), nil, false},
		},
		"PXA213": {
			{"no VM", func(s *inventory.Snapshot, _ *adopt.Options) { dropVM(s, 101) }, find("node/prod/cp-1", "no VM of a scanned site"), false},
			{"the Node says another UUID", all(setNode("w-1", func(n *inventory.Node) { n.SystemUUID = inventorytest.UUID(7) }), nodeProvider("w-1", "proxmox://"+inventorytest.ScriptBuiltUUID(1001))),
				find("node/prod/w-1", `the Node says "1a2b0007`), false},
			{"two VMs", stranger("lab", 500, strangerUUID(inventorytest.ScriptBuiltUUID(1001))), find("node/prod/w-1", "2 VMs"), false},
			{"only a name ties them", setNode("w-1", func(n *inventory.Node) { n.SystemUUID, n.InternalIPs = "", nil }), find("node/prod/w-1", `the Node says ""`), false},
			{"by systemUUID", same, nil, false},
			{"by the providerID, where the Node says no UUID", all(setNode("w-1", func(n *inventory.Node) { n.SystemUUID = "" }),
				nodeProvider("w-1", "proxmox://"+inventorytest.ScriptBuiltUUID(1001))), nil, false},
			{"a systemUUID that no machine has alone, and the providerID", all(setNode("w-1", func(n *inventory.Node) { n.SystemUUID, n.RawSystemUUID = "", "03000200-0400-0500-0006-000700080009" }),
				nodeProvider("w-1", "proxmox://"+inventorytest.ScriptBuiltUUID(1001))), nil, false},
			{"neither UUID nor providerID", setNode("w-1", func(n *inventory.Node) { n.SystemUUID = "" }), find("node/prod/w-1", `the Node says ""`), false},
			{"edge: the configuration was not read, which proves nothing", setVM(101, func(v *inventory.VM) { v.Config, v.ConfigError = nil, "595" }), nil, false},
		},
		"PXA217": {
			{"a negative VLAN", nics(inventory.NIC{Slot: "net0", Model: "virtio", Bridge: "vmbr0", VLAN: -3}), find("vm/lab/1001", "VLAN -3"), false},
			{"more VLANs than there are", nics(inventory.NIC{Slot: "net0", Model: "virtio", Bridge: "vmbr0", VLAN: 1<<32 + 5}), find("vm/lab/1001", "VLAN 4294967301"), false},
			{"a negative number of queues", nics(inventory.NIC{Slot: "net0", Model: "virtio", Bridge: "vmbr0", Queues: -1}), find("vm/lab/1001", "-1 queues"), false},
			{"a negative MTU", nics(inventory.NIC{Slot: "net0", Model: "virtio", Bridge: "vmbr0", MTU: -1500}), find("vm/lab/1001", "MTU of -1500"), false},
			{"a gap", nics(nic("net1", "virtio")), find("vm/lab/1001", "net1 stands where net0"), true},
			{"a model that CAPMOX does not know", nics(nic("net0", "e1000e")), find("vm/lab/1001", `model "e1000e"`), true},
			{"no bridge", nics(inventory.NIC{Slot: "net0", Model: "virtio"}), find("vm/lab/1001", "on no bridge"), true},
			{"an MTU that CAPMOX does not take", nics(inventory.NIC{Slot: "net0", Model: "virtio", Bridge: "vmbr0", MTU: 500}), find("vm/lab/1001", "MTU of 500"), true},
			{"none", nics(), find("vm/lab/1001", "it has none"), true},
			{"two in any order", nics(nic("net1", "e1000"), nic("net0", "virtio")), nil, false},
			{"MTU of the bridge", nics(inventory.NIC{Slot: "net0", Model: "vmxnet3", Bridge: "vmbr0", MTU: 1, VLAN: 4094}), nil, false},
			{"edge: eleven, of which net10 is the last", nics(nic("net10", "virtio"), nic("net0", "virtio"), nic("net1", "virtio"), nic("net2", "virtio"), nic("net3", "virtio"),
				nic("net4", "virtio"), nic("net5", "virtio"), nic("net6", "virtio"), nic("net7", "virtio"), nic("net8", "virtio"), nic("net9", "virtio")), nil, false},
		},
	}
}

func dropVM(s *inventory.Snapshot, vmid int) {
	var out []inventory.VM
	for _, v := range s.VMs {
		if v.VMID != vmid {
			out = append(out, v)
		}
	}
	s.VMs = out
}
