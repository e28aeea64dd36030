package inventorytest

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/proxaudit/proxaudit/inventory"
)

// builder makes a Snapshot of a fixture.
type builder struct {
	in  *file
	now time.Time
	s   *inventory.Snapshot
}

func (b *builder) build() error {
	b.s.CollectedAt = b.now.UTC()
	b.defaults()
	for _, step := range []func() error{b.vms, b.sites, b.clusters, b.machines, b.proxmoxMachines, b.nodes, b.rest} {
		if err := step(); err != nil {
			return err
		}
	}
	b.coverage()
	b.s.Sort()
	return nil
}

// defaults fills in the site and the clusters that other entries name.
func (b *builder) defaults() {
	if len(b.in.Sites) == 0 {
		b.in.Sites = []site{{Name: "lab"}}
	}
	known := map[string]bool{}
	for _, c := range b.in.Clusters {
		known[c.Name] = true
	}
	add := func(name string) {
		if name != "" && !known[name] {
			known[name] = true
			b.in.Clusters = append(b.in.Clusters, cluster{Name: name})
		}
	}
	for _, m := range b.in.Machines {
		add(m.Cluster)
	}
	for _, m := range b.in.ProxmoxMachines {
		add(m.Cluster)
	}
	for _, n := range b.in.Nodes {
		if i := strings.LastIndexByte(n.Name, '/'); i > 0 {
			add(n.Name[:i])
		}
	}
	if len(b.in.Clusters) == 0 && len(b.in.Nodes)+len(b.in.Machines)+len(b.in.ProxmoxMachines) > 0 {
		add("prod")
	}
	if b.in.Management == nil && len(b.in.Machines)+len(b.in.ProxmoxMachines) > 0 {
		b.in.Management = &management{}
	}
}

// key reads VMID or SITE/VMID.
func (b *builder) key(id idString) (inventory.Key, error) {
	siteName, num, ok := strings.Cut(string(id), "/")
	if !ok {
		num = siteName
		if len(b.in.Sites) != 1 {
			return inventory.Key{}, fmt.Errorf("%q: say in which site", id)
		}
		siteName = b.in.Sites[0].Name
	}
	n, err := strconv.Atoi(num)
	if err != nil {
		return inventory.Key{}, fmt.Errorf("%q is no VMID: %w", id, err)
	}
	return inventory.Key{Site: siteName, VMID: n}, nil
}

func (b *builder) vms() error {
	for i := range b.in.VMs {
		in := &b.in.VMs[i]
		k, err := b.key(in.ID)
		if err != nil {
			return err
		}
		if in.Node == "" {
			in.Node = "pve1"
		}
		if b.status(k.Site, in.Node) != inventory.NodeOnline {
			in.Nameless = true
		}
		v := inventory.VM{Site: k.Site, VMID: k.VMID, Type: in.Type, Node: in.Node, Tags: in.Tags, Pool: in.Pool, Lock: in.Lock}
		slices.Sort(v.Tags)
		if v.Type == "" {
			v.Type = inventory.GuestQEMU
		}
		if in.Nameless {
			v.Status, v.ConfigError = inventory.StatusUnknown, "the host sends no status"
			b.s.VMs = append(b.s.VMs, v)
			continue
		}
		template := in.Template
		v.Name, v.Template, v.Status = in.Name, &template, in.Status
		if v.Status == "" {
			v.Status = "running"
		}
		if v.Status == "running" {
			v.UptimeSeconds = 60 * 24 * 3600
		}
		if in.Uptime != "" {
			t, err := age(in.Uptime).at(b.now, 0)
			if err != nil {
				return fmt.Errorf("%s: uptime: %w", k, err)
			}
			v.UptimeSeconds = int64(b.now.Sub(*t).Seconds())
		}
		if err := b.config(&v, in); err != nil {
			return fmt.Errorf("%s: %w", k, err)
		}
		b.s.VMs = append(b.s.VMs, v)
	}
	return nil
}

func (b *builder) config(v *inventory.VM, in *vm) error {
	if in.Unread {
		v.ConfigError = "not read"
		return nil
	}
	if v.Type != inventory.GuestQEMU {
		return nil
	}
	c := &inventory.VMConfig{UUID: in.UUID, RawUUID: in.RawUUID, Sockets: 1, Cores: max(in.Cores, 1), VCPUs: max(in.Cores, 1),
		MemoryMiB: in.Memory, Lock: in.Lock}
	if c.UUID != "" {
		c.RawUUID, c.UUIDSource = in.UUID, "smbios1"
	}
	if c.MemoryMiB == 0 {
		c.MemoryMiB = 2048
	}
	disk := inventory.Disk{Slot: "scsi0", Storage: "local-lvm", Volume: "disk"}
	if in.Disk >= 0 {
		size := in.Disk << 30
		if size == 0 {
			size = 32 << 30
		}
		disk.SizeBytes = &size
	}
	c.Disks = []inventory.Disk{disk}
	for i, m := range in.MACs {
		c.NICs = append(c.NICs, inventory.NIC{Slot: "net" + strconv.Itoa(i), Model: "virtio", MAC: strings.ToLower(m)})
	}
	for i, ip := range in.IPs {
		c.IPConfigs = append(c.IPConfigs, inventory.IPConfig{Slot: "ipconfig" + strconv.Itoa(i), IPv4: ip})
	}
	if len(in.AgentIPs) > 0 {
		v.Agent = &inventory.Agent{Interfaces: []inventory.AgentInterface{{Name: "eth0", Addresses: in.AgentIPs}}}
		if len(in.MACs) > 0 {
			v.Agent.Interfaces[0].MAC = strings.ToLower(in.MACs[0])
		}
	}
	var err error
	c.CreatedAt, err = in.Age.at(b.now, 90*day)
	v.Config = c
	return err
}

// status is that of a host as the fixture gives it; hosts that it does not name are online.
func (b *builder) status(siteName, host string) string {
	for _, s := range b.in.Sites {
		if s.Name != siteName {
			continue
		}
		for _, n := range s.Nodes {
			if n.Name == host && n.Status != "" {
				return n.Status
			}
		}
	}
	return inventory.NodeOnline
}

func (b *builder) sites() error {
	for _, in := range b.in.Sites {
		out := inventory.Site{Name: in.Name, ClusterName: in.ClusterName, Regions: in.Regions, URL: "https://" + in.Name + ".example:8006",
			Version: "9.2.11", Visibility: inventory.Visibility{Complete: in.Hidden == ""}}
		if in.Hidden != "" {
			out.Visibility.Reasons = []string{in.Hidden}
		}
		for _, n := range in.Nodes {
			out.Nodes = append(out.Nodes, inventory.ProxmoxNode{Name: n.Name, Status: b.status(in.Name, n.Name)})
		}
		if len(in.Nodes) == 0 {
			hosts := []string{"pve1"}
			for i := range b.s.VMs {
				if b.s.VMs[i].Site == in.Name {
					hosts = append(hosts, b.s.VMs[i].Node)
				}
			}
			slices.Sort(hosts)
			for _, h := range slices.Compact(hosts) {
				out.Nodes = append(out.Nodes, inventory.ProxmoxNode{Name: h, Status: inventory.NodeOnline})
			}
		}
		b.s.Sites = append(b.s.Sites, out)
	}
	return nil
}
