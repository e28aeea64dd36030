package inventorytest

import (
	"fmt"
	"time"

	"github.com/proxaudit/proxaudit/inventory"
)

// Hosts and clusters of the fleets that benchmarks use.
const (
	fleetHosts    = 32
	fleetClusters = 100
)

// Fleet makes a large fleet of n VMs on 32 hosts with 100 workload clusters, as one would meet it: of ten VMs six are
// managed by Cluster API, two are Nodes that scripts joined, one has nothing to do with Kubernetes, and the tenth is one
// of what goes wrong. All of it was read. Equal n gives an equal fleet.
func Fleet(n int) *inventory.Snapshot {
	f := &fleet{s: &inventory.Snapshot{FormatVersion: inventory.FormatVersion, CollectedAt: Now,
		Management: &inventory.Management{Context: "mgmt"}}}
	site := inventory.Site{Name: "dc", ClusterName: "dc", Visibility: inventory.Visibility{Complete: true}}
	for h := range fleetHosts {
		site.Nodes = append(site.Nodes, inventory.ProxmoxNode{Name: fmt.Sprintf("pve%d", h), Status: inventory.NodeOnline})
	}
	f.s.Sites = []inventory.Site{site}
	for c := range fleetClusters {
		key := fmt.Sprintf("c%03d", c)
		cl := inventory.Cluster{Key: key, Declared: &inventory.DeclaredCluster{Meta: inventory.Meta{Namespace: key, Name: key}}}
		if c%4 == 0 {
			cl.Selector = inventory.Selector{Tags: []string{"k8s-" + key}}
		}
		f.s.Clusters = append(f.s.Clusters, cl)
	}
	for i := range n {
		f.add(i)
	}
	f.s.Coverage = everything(f.s)
	Probe(f.s, f.s)
	f.s.Sort()
	return f.s
}

type fleet struct{ s *inventory.Snapshot }

func (f *fleet) add(i int) {
	cluster := fmt.Sprintf("c%03d", i/10%fleetClusters)
	name := fmt.Sprintf("%s-worker-%d", cluster, i)
	vm := f.vm(i, name)
	switch i % 10 {
	case 0, 1, 2, 3, 4, 5:
		vm.Tags = []string{"k8s-" + cluster}
		f.node(i, cluster, name, "proxmox://"+UUID(i+1))
		f.machine(i, cluster, name, vm.VMID)
	case 6, 7:
		vm.Tags = []string{"k8s-" + cluster}
		f.node(i, cluster, name, "")
	case 8:
		vm.Name = fmt.Sprintf("app-%d", i)
		vm.Tags = []string{"apps"}
	default:
		vm.Tags = []string{"k8s-" + cluster}
		f.wrong(i, cluster, name, vm)
		return
	}
	f.s.VMs = append(f.s.VMs, *vm)
}

// wrong makes one of each kind in turn.
func (f *fleet) wrong(i int, cluster, name string, vm *inventory.VM) {
	switch i / 10 % 5 {
	case 0: // an orphan: the VM and nothing else
	case 1: // a Machine that never became a Node
		f.machine(i, cluster, name, vm.VMID)
	case 2: // a Machine whose VM is gone
		f.machine(i, cluster, name, vm.VMID)
		return
	case 3: // a recycled VMID
		f.machine(i, cluster, name, vm.VMID)
		vm.Name, vm.Config.UUID = "other-"+name, UUID(1_000_000+i)
	case 4: // a Node with another controller's providerID
		f.machine(i, cluster, name, vm.VMID)
		f.node(i, cluster, name, fmt.Sprintf("proxmox://dc/%d", vm.VMID))
	}
	f.s.VMs = append(f.s.VMs, *vm)
}

func (f *fleet) vm(i int, name string) *inventory.VM {
	no, size, created := false, int64(40<<30), Now.Add(-100*24*time.Hour)
	return &inventory.VM{Site: "dc", VMID: 100 + i, Type: inventory.GuestQEMU, Node: fmt.Sprintf("pve%d", i%fleetHosts), Name: name,
		Status: "running", Template: &no, UptimeSeconds: 86400 * 50,
		Config: &inventory.VMConfig{UUID: UUID(i + 1), UUIDSource: "smbios1", CreatedAt: &created, Sockets: 1, Cores: 4, VCPUs: 4,
			MemoryMiB: 8192, Disks: []inventory.Disk{{Slot: "scsi0", Storage: "ceph", SizeBytes: &size}},
			NICs:      []inventory.NIC{{Slot: "net0", Model: "virtio", MAC: fmt.Sprintf("bc:24:11:%02x:%02x:%02x", i>>16&255, i>>8&255, i&255), Bridge: "vmbr0"}},
			IPConfigs: []inventory.IPConfig{{Slot: "ipconfig0", IPv4: address(i) + "/8"}}}}
}

func address(i int) string { return fmt.Sprintf("10.%d.%d.%d", i>>16&255, i>>8&255, i&255) }

func (f *fleet) node(i int, cluster, name, providerID string) {
	created := Now.Add(-90 * 24 * time.Hour)
	f.s.Nodes = append(f.s.Nodes, inventory.Node{Cluster: cluster, Name: name, UID: "node-" + name, CreatedAt: &created,
		ProviderID: providerID, SystemUUID: UUID(i + 1), InternalIPs: []string{address(i)}, Hostname: name, Ready: "True"})
}

func (f *fleet) machine(i int, cluster, name string, vmid int) {
	created := Now.Add(-91 * 24 * time.Hour)
	id := vmid
	meta := func(kind string) inventory.Meta {
		return inventory.Meta{Namespace: cluster, Name: name, UID: kind + "-" + name, CreatedAt: &created}
	}
	f.s.Machines = append(f.s.Machines, inventory.Machine{Meta: meta("m"), Cluster: cluster, ProviderID: "proxmox://" + UUID(i+1), NodeRef: name,
		InfrastructureRef: &inventory.Ref{Group: inventory.GroupInfrastructure, Kind: "ProxmoxMachine", Name: name}})
	f.s.ProxmoxMachines = append(f.s.ProxmoxMachines, inventory.ProxmoxMachine{Meta: meta("pm"), Cluster: cluster,
		ProviderID: "proxmox://" + UUID(i+1), VMID: &id, ProxmoxNode: fmt.Sprintf("pve%d", i%fleetHosts)})
}
