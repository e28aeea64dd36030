package inventorytest

import (
	"fmt"
	"strings"
	"time"

	"github.com/proxaudit/proxaudit/inventory"
)

// The shape of a Fleet, whatever its size.
const (
	FleetHosts    = 32
	FleetClusters = 100
)

// Fleet makes a large fleet of n guests on one site with FleetHosts hosts and FleetClusters workload clusters, in the mix
// that such places have: most VMs are managed or adoptable, a quarter has nothing to do with Kubernetes, a few percent
// are wrong in each of the ways that there are. It is the same for the same n.
func Fleet(n int) *inventory.Snapshot { return FleetWithout(n, 0) }

// FleetWithout is a Fleet of n guests where as many declared machines as lost says have no Node: each is one finding more.
func FleetWithout(n, lost int) *inventory.Snapshot {
	f := &fleet{lost: lost, s: &inventory.Snapshot{FormatVersion: inventory.FormatVersion, CollectedAt: Now,
		Management: &inventory.Management{Context: "mgmt", Version: "v1.34.2"}, Coverage: []inventory.Coverage{}}}
	site := inventory.Site{Name: "dc1", ClusterName: "dc1", Regions: []string{"dc1"}, URL: "https://dc1.example:8006", Version: "9.2.11",
		Visibility: inventory.Visibility{Complete: true}}
	for h := range FleetHosts {
		site.Nodes = append(site.Nodes, inventory.ProxmoxNode{Name: host2(h), Status: inventory.NodeOnline})
	}
	f.s.Sites = []inventory.Site{site}
	for c := range FleetClusters {
		f.cluster(c)
	}
	for i := range n {
		f.guest(i)
	}
	f.s.Coverage = everything(f.s)
	Probe(f.s, f.s)
	f.s.Sort()
	return f.s
}

type fleet struct {
	s *inventory.Snapshot
	// lost is how many Nodes are still to be left out.
	lost int
}

func host2(h int) string { return fmt.Sprintf("pve%02d", h) }

func clusterName(c int) string { return fmt.Sprintf("team-%02d", c) }

func (f *fleet) cluster(c int) {
	out := inventory.Cluster{Key: clusterName(c), Access: "kubeconfig " + clusterName(c), Version: "v1.34.2"}
	switch c % 3 {
	case 0:
		out.Selector = inventory.Selector{Tags: []string{clusterName(c)}}
	case 1:
		out.Selector = inventory.Selector{Names: clusterName(c) + "-(cp|md)-.*"}
	}
	if c%2 == 0 {
		out.Declared = &inventory.DeclaredCluster{Meta: inventory.Meta{Namespace: out.Key, Name: out.Key}, Phase: "Provisioned"}
	}
	f.s.Clusters = append(f.s.Clusters, out)
}

// guest makes the i-th guest, and what stands beside it, by its place in a hundred.
func (f *fleet) guest(i int) {
	// The clusters go round at another pace than the places, so that each cluster has some of everything.
	c, place := (i+i/100)%FleetClusters, i%100
	switch {
	case place < 45 && f.lost > 0:
		f.lost--
		f.declared(c, f.vm(i, c))
	case place < 45:
		f.node(c, f.declared(c, f.vm(i, c)))
	case place < 65:
		f.node(c|1, f.vm(i, c|1))
	case place < 68: // orphans
		f.vm(i, c)
	case place < 70: // Machines that are no Nodes
		f.declared(c, f.vm(i, c))
	case place == 70: // ghosts
		f.declared(c, f.vm(i, c))
		f.s.VMs = f.s.VMs[:len(f.s.VMs)-1]
	case place == 71: // a providerID of the cloud controller manager on a declared Node
		vm := f.declared(c, f.vm(i, c))
		f.node(c, vm)
		f.s.Nodes[len(f.s.Nodes)-1].ProviderID = fmt.Sprintf("proxmox://dc1/%d", vm.VMID)
	case place == 72: // a VMID that another guest has
		f.declared(c, f.vm(i, c))
		f.s.VMs[len(f.s.VMs)-1].Name = fmt.Sprintf("other-%d", i)
		f.s.VMs[len(f.s.VMs)-1].Config.UUID = fleetUUID(i + 1<<24)
	case place == 73: // a restored copy
		vm := f.vm(i, c)
		f.node(c, vm)
		f.vm(i+1<<20, c)
		f.s.VMs[len(f.s.VMs)-1].Config.UUID = vm.Config.UUID
	case place == 74:
		f.vm(i, c)
		yes := true
		f.s.VMs[len(f.s.VMs)-1].Template = &yes
	case place == 75:
		f.s.VMs = append(f.s.VMs, inventory.VM{Site: "dc1", VMID: 100 + i, Type: inventory.GuestLXC, Node: host2(i % FleetHosts),
			Name: fmt.Sprintf("ct-%d", i), Status: "running"})
	default: // nothing to do with Kubernetes
		f.vm(i, c)
		v := &f.s.VMs[len(f.s.VMs)-1]
		v.Name, v.Tags, v.Pool = fmt.Sprintf("%s%d", []string{"db-", "web-", "win-", "mail", "build-agent-"}[i%5], i), []string{"office"}, "office"
	}
}

func fleetUUID(i int) string { return fmt.Sprintf("%08x-3c4d-4e5f-8000-%012x", 0x10000000+i, i) }

func (f *fleet) vm(i, c int) inventory.VM {
	no := false
	role := "md-0"
	if i%7 == 0 {
		role = "cp"
	}
	created := Now.Add(-time.Duration(2+i%700) * day)
	size := int64(40) << 30
	v := inventory.VM{Site: "dc1", VMID: 100 + i, Type: inventory.GuestQEMU, Node: host2(i % FleetHosts), Template: &no, Status: "running",
		Name: fmt.Sprintf("%s-%s-%s", clusterName(c), role, generated(i)), Tags: []string{clusterName(c)}, Pool: clusterName(c), UptimeSeconds: 9e6,
		Config: &inventory.VMConfig{UUID: fleetUUID(i), RawUUID: fleetUUID(i), UUIDSource: "smbios1", CreatedAt: &created, Sockets: 1, Cores: 4, VCPUs: 4,
			MemoryMiB: 8192, Digest: fmt.Sprintf("%040x", i), SCSIHW: "virtio-scsi-single", AgentEnabled: true,
			Disks:     []inventory.Disk{{Slot: "scsi0", Storage: "ceph", Volume: fmt.Sprintf("vm-%d-disk-0", 100+i), SizeBytes: &size}, {Slot: "ide2", CDROM: true, CloudInit: true}},
			NICs:      []inventory.NIC{{Slot: "net0", Model: "virtio", MAC: fmt.Sprintf("bc:24:11:%02x:%02x:%02x", i>>16&255, i>>8&255, i&255), Bridge: "vmbr0"}},
			IPConfigs: []inventory.IPConfig{{Slot: "ipconfig0", IPv4: address(i) + "/16"}}}}
	f.s.VMs = append(f.s.VMs, v)
	return v
}

func address(i int) string { return fmt.Sprintf("10.%d.%d.%d", i>>16&255, i>>8&255, i&255) }

// generated is a suffix like the ones that Kubernetes makes.
func generated(i int) string {
	const alphabet = "bcdfghjklmnpqrstvwxz2456789"
	var b strings.Builder
	for range 5 {
		b.WriteByte(alphabet[i%len(alphabet)])
		i /= len(alphabet)
	}
	return b.String()
}

func (f *fleet) declared(c int, v inventory.VM) inventory.VM {
	ns, id, created := clusterName(c), v.VMID, *v.Config.CreatedAt
	meta := inventory.Meta{Namespace: ns, Name: v.Name, UID: "uid-" + v.Name, CreatedAt: &created, Labels: map[string]string{"cluster.x-k8s.io/cluster-name": ns}}
	pid := "proxmox://" + v.Config.UUID
	f.s.Machines = append(f.s.Machines, inventory.Machine{Meta: meta, Cluster: ns, ProviderID: pid, Version: "v1.34.2", Phase: "Running", NodeRef: v.Name,
		InfrastructureRef: &inventory.Ref{Group: inventory.GroupInfrastructure, Kind: "ProxmoxMachine", Name: v.Name}})
	meta.Owners = []inventory.Ref{{Group: inventory.GroupCluster, Kind: "Machine", Name: v.Name, Controller: true}}
	f.s.ProxmoxMachines = append(f.s.ProxmoxMachines, inventory.ProxmoxMachine{Meta: meta, Cluster: ns, ProviderID: pid, VMID: &id, SourceNode: v.Node,
		ProxmoxNode: v.Node, Ready: true, MACs: []string{v.Config.NICs[0].MAC}, Addresses: []string{strings.TrimSuffix(v.Config.IPConfigs[0].IPv4, "/16")}})
	return v
}

func (f *fleet) node(c int, v inventory.VM) {
	created := v.Config.CreatedAt.Add(5 * time.Minute)
	f.s.Nodes = append(f.s.Nodes, inventory.Node{Cluster: clusterName(c), Name: v.Name, UID: "node-" + v.Name, CreatedAt: &created, SystemUUID: v.Config.UUID,
		ProviderID: "proxmox://" + v.Config.UUID, InternalIPs: []string{strings.TrimSuffix(v.Config.IPConfigs[0].IPv4, "/16")}, Hostname: v.Name, Ready: "True",
		MachineID: v.Config.Digest[:32], KubeletVersion: "v1.34.2", Labels: map[string]string{"kubernetes.io/arch": "amd64", "kubernetes.io/hostname": v.Name}})
}
