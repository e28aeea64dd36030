package inventorytest

import (
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/proxaudit/proxaudit/inventory"
)

// Random makes a small fleet in which identities collide far more often than in life: names, UUIDs, addresses and VMIDs
// come from small pools, and each fact is wrong now and then. All of it was read.
func Random(rng *rand.Rand) *inventory.Snapshot {
	g := &random{rng: rng, s: &inventory.Snapshot{FormatVersion: inventory.FormatVersion, CollectedAt: Now,
		Coverage: []inventory.Coverage{}}}
	g.sites()
	g.clusters()
	for i := range 2 + rng.IntN(8) {
		g.machine(i)
	}
	g.strays()
	g.s.Coverage = everything(g.s)
	Probe(g.s, g.s)
	g.s.Sort()
	return g.s
}

type random struct {
	rng *rand.Rand
	s   *inventory.Snapshot
}

// often is true in p of 100 cases.
func (g *random) often(p int) bool { return g.rng.IntN(100) < p }

func (g *random) pick(in ...string) string { return in[g.rng.IntN(len(in))] }

func (g *random) sites() {
	for i := range 1 + g.rng.IntN(2) {
		s := inventory.Site{Name: fmt.Sprintf("s%d", i), ClusterName: g.pick("pve", "", fmt.Sprintf("s%d", i)), Visibility: inventory.Visibility{Complete: true}}
		if g.often(50) {
			s.Regions = []string{fmt.Sprintf("r%d", i)}
		}
		for _, h := range []string{"pve1", "pve2"} {
			s.Nodes = append(s.Nodes, inventory.ProxmoxNode{Name: h, Status: inventory.NodeOnline})
		}
		g.s.Sites = append(g.s.Sites, s)
	}
}

func (g *random) clusters() {
	if g.often(75) {
		g.s.Management = &inventory.Management{Context: "mgmt"}
	}
	for i := range 1 + g.rng.IntN(3) {
		c := inventory.Cluster{Key: fmt.Sprintf("c%d", i)}
		if g.s.Management != nil && g.often(60) {
			c.Declared = &inventory.DeclaredCluster{Meta: inventory.Meta{Namespace: c.Key, Name: c.Key}}
		}
		switch g.rng.IntN(4) {
		case 0:
			c.Selector = inventory.Selector{Tags: []string{"tag-" + c.Key}}
		case 1:
			c.Selector = inventory.Selector{Names: c.Key + "-.*"}
		}
		if g.often(20) {
			c.Site = g.s.Sites[g.rng.IntN(len(g.s.Sites))].Name
		}
		g.s.Clusters = append(g.s.Clusters, c)
	}
}

func (g *random) site() *inventory.Site { return &g.s.Sites[g.rng.IntN(len(g.s.Sites))] }

func (g *random) age() *time.Time {
	if g.often(5) {
		return nil
	}
	t := Now.Add(-time.Duration(g.rng.IntN(100)) * day)
	if g.often(15) {
		t = Now.Add(-time.Duration(g.rng.IntN(40)) * time.Minute)
	}
	return &t
}

// uuid is the machine's own, and now and then another's, none, or junk.
func (g *random) uuid(i int) string {
	switch {
	case g.often(80):
		return UUID(i)
	case g.often(50):
		return UUID(g.rng.IntN(6))
	case g.often(30):
		return inventory.SwapUUID(UUID(i))
	default:
		return ""
	}
}

func (g *random) name(c string, i int) string {
	switch {
	case g.often(75):
		return fmt.Sprintf("%s-w-%d", c, i)
	case g.often(50):
		return fmt.Sprintf("worker-%d", g.rng.IntN(3))
	default:
		return fmt.Sprintf("%s-w-%d", g.pick("c0", "c1", "c2"), g.rng.IntN(6))
	}
}

func (g *random) address(i int) string {
	if g.often(80) {
		return fmt.Sprintf("10.0.0.%d", 10+i)
	}
	return fmt.Sprintf("10.0.0.%d", 10+g.rng.IntN(6))
}

// machine makes what one machine of a cluster consists of, with parts missing.
func (g *random) machine(i int) {
	c := &g.s.Clusters[g.rng.IntN(len(g.s.Clusters))]
	site := g.site()
	vmid := 100 + i
	if g.often(10) {
		vmid = 100 + g.rng.IntN(12)
	}
	if g.often(85) {
		g.vm(site.Name, vmid, i, c.Key)
	}
	if g.s.Management != nil && g.often(55) {
		g.declared(c.Key, vmid, i)
	}
	if g.often(75) {
		g.node(c.Key, site, vmid, i)
	}
}

func (g *random) vm(site string, vmid, i int, cluster string) {
	no := g.often(5)
	v := inventory.VM{Site: site, VMID: vmid, Type: inventory.GuestQEMU, Node: g.pick("pve1", "pve2"), Name: g.name(cluster, i),
		Status: g.pick("running", "running", "running", "stopped"), Template: &no, Pool: g.pick("", "pool-"+cluster, "pool"),
		Config: &inventory.VMConfig{UUID: g.uuid(i), CreatedAt: g.age(), VCPUs: 2, MemoryMiB: 2048}}
	if g.often(5) {
		v.Type = inventory.GuestLXC
		v.Config, v.Template = nil, nil
		g.s.VMs = append(g.s.VMs, v)
		return
	}
	switch g.rng.IntN(3) {
	case 0:
		v.Tags = []string{"tag-" + cluster}
	case 1:
		v.Tags = []string{g.pick("k8s", "prod", "capi-x")}
	}
	v.Config.NICs = []inventory.NIC{{Slot: "net0", MAC: fmt.Sprintf("bc:24:11:00:00:%02x", i)}}
	switch g.rng.IntN(3) {
	case 0:
		v.Config.IPConfigs = []inventory.IPConfig{{Slot: "ipconfig0", IPv4: g.address(i) + "/24"}}
	case 1:
		v.Agent = &inventory.Agent{Interfaces: []inventory.AgentInterface{{Name: "eth0", MAC: v.Config.NICs[0].MAC, Addresses: []string{g.address(i) + "/24"}}}}
	}
	if g.often(15) {
		v.Lock = g.pick("clone", "backup")
	}
	g.s.VMs = append(g.s.VMs, v)
}

func (g *random) declared(cluster string, vmid, i int) {
	name := g.name(cluster, i)
	meta := inventory.Meta{Namespace: cluster, Name: name, CreatedAt: g.age()}
	if g.often(10) {
		meta.DeletedAt = g.age()
	}
	pid := ""
	if u := g.uuid(i); u != "" && g.often(80) {
		pid = "proxmox://" + u
	}
	if g.often(90) {
		m := inventory.Machine{Meta: meta, Cluster: cluster, ProviderID: pid}
		if g.often(60) {
			m.NodeRef = g.name(cluster, i)
		}
		m.InfrastructureRef = &inventory.Ref{Group: inventory.GroupInfrastructure, Kind: "ProxmoxMachine", Name: name}
		if g.often(10) {
			m.InfrastructureRef.Kind = "AWSMachine"
			g.s.Machines = append(g.s.Machines, m)
			return
		}
		g.s.Machines = append(g.s.Machines, m)
	}
	if g.often(85) {
		pm := inventory.ProxmoxMachine{Meta: meta, Cluster: cluster, ProviderID: pid, SourceNode: g.pick("pve1", "pve1", "pve9")}
		if g.often(80) {
			id := vmid
			pm.VMID = &id
			pm.ProxmoxNode = g.pick("pve1", "pve2", "pve9")
		}
		if g.often(70) {
			pm.Owners = []inventory.Ref{{Group: inventory.GroupCluster, Kind: "Machine", Name: name}}
		}
		if g.often(30) {
			pm.MACs = []string{fmt.Sprintf("bc:24:11:00:00:%02x", i)}
		}
		if g.often(30) {
			pm.Addresses = []string{g.address(i)}
		}
		g.s.ProxmoxMachines = append(g.s.ProxmoxMachines, pm)
	}
}

func (g *random) node(cluster string, site *inventory.Site, vmid, i int) {
	n := inventory.Node{Cluster: cluster, Name: g.name(cluster, i), SystemUUID: g.uuid(i), CreatedAt: g.age(),
		Ready: g.pick("True", "True", "Unknown"), UID: fmt.Sprintf("uid-%d", i)}
	region := site.Name
	if len(site.Regions) > 0 {
		region = site.Regions[0]
	}
	switch g.rng.IntN(7) {
	case 0, 1:
		if n.SystemUUID != "" {
			n.ProviderID = "proxmox://" + n.SystemUUID
		}
	case 2, 3:
		n.ProviderID = fmt.Sprintf("proxmox://%s/%d", g.pick(region, region, "nowhere", ""), vmid)
	case 4:
		n.ProviderID = g.pick("rke2://n", "proxmox://", "talos://nocloud/10.0.0.1")
	}
	if g.often(15) {
		n.Annotations = map[string]string{"proxmox.sinextra.dev/instance-id": fmt.Sprint(vmid)}
		if g.often(50) {
			n.Labels = map[string]string{"topology.kubernetes.io/region": region}
		}
	}
	if g.often(60) {
		n.InternalIPs = []string{g.address(i)}
	}
	g.s.Nodes = append(g.s.Nodes, n)
}

// strays are guests that no cluster's machine stands behind.
func (g *random) strays() {
	for i := range g.rng.IntN(4) {
		g.vm(g.site().Name, 110+i, 10+i, g.pick("c0", "c1", "c9"))
	}
	s := inventory.Snapshot{VMs: g.s.VMs}
	s.Sort()
	s.Compact()
	g.s.VMs = s.VMs
	s = inventory.Snapshot{Machines: g.s.Machines, ProxmoxMachines: g.s.ProxmoxMachines, Nodes: g.s.Nodes}
	s.Sort()
	s.Compact()
	g.s.Machines, g.s.ProxmoxMachines, g.s.Nodes = s.Machines, s.ProxmoxMachines, s.Nodes
}
