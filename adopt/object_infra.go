package adopt

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/proxaudit/proxaudit/adopt/addresspool"
	"github.com/proxaudit/proxaudit/inventory"
)

// proxmoxCluster says where future machines get their addresses; CAPMOX reads the endpoint and never makes one.
func (p *planner) proxmoxCluster() *proxmoxCluster {
	f := &p.future
	out := &proxmoxCluster{TypeMeta: typeMeta(capmoxVersion, "ProxmoxCluster"),
		ObjectMeta: p.meta(p.name, nil, paused)}
	pool := &ipConfig{Addresses: f.addresses, Prefix: int32(f.prefix), Gateway: f.gateway} //nolint:gosec // a prefix is at most 128
	out.Spec = proxmoxClusterSpec{ControlPlaneEndpoint: apiEndpoint{Host: p.endpoint.host, Port: p.endpoint.port}, DNSServers: f.dns}
	if addresspool.Family(orEmpty(f.set)) == 6 {
		out.Spec.IPv6Config = pool
	} else {
		out.Spec.IPv4Config = pool
	}
	if f.secret != "" {
		out.Spec.CredentialsRef = &corev1.SecretReference{Name: f.secret}
	}
	return out
}

// proxmoxMachine binds to the VM by virtualMachineID, never left out: without it CAPMOX clones one. Sizes are left out: CAPMOX
// would write them into a VM that is stopped when it looks, and has no other use for them.
func (p *planner) proxmoxMachine(m *member) *proxmoxMachine {
	vmid := int64(m.vm.VMID)
	out := &proxmoxMachine{TypeMeta: typeMeta(capmoxVersion, "ProxmoxMachine"),
		ObjectMeta: p.meta(m.name(), m.roleLabels(), paused)}
	addProvenance(out.Annotations, m)
	out.Spec = proxmoxMachineSpec{VirtualMachineID: &vmid, ProviderID: m.providerID(), SourceNode: m.vm.Node,
		TemplateID: int32(p.future.template.VMID), //nolint:gosec // a VMID has nine digits at most
		Network:    networkOf(m.vm.Config), Checks: &checks{SkipQemuGuestAgent: true, SkipCloudInitStatus: true}}
	return out
}

// proxmoxMachineTemplate is for machines to come. Its description always differs from the template's own: CAPMOX 0.9.0 takes a
// clone that needs no change for one that is ready, and neither configures nor starts it.
func (p *planner) proxmoxMachineTemplate(name, role string, like *member) *proxmoxMachineTemplate {
	out := &proxmoxMachineTemplate{TypeMeta: typeMeta(capmoxVersion, "ProxmoxMachineTemplate"), ObjectMeta: p.meta(name, nil)}
	t := p.future.template
	s := shapeOf(like.vm)
	spec := &out.Spec.Template.Spec
	*spec = proxmoxMachineSpec{SourceNode: t.Node, TemplateID: int32(t.VMID), //nolint:gosec // as above
		Description: p.description(role), NumSockets: int32(s.sockets), NumCores: int32(s.cores), //nolint:gosec // Proxmox has 128 at most
		MemoryMiB: int32((s.memoryMiB + 7) / 8 * 8), //nolint:gosec // MiB, of which CAPMOX takes multiples of 8
		Network:   networkOf(like.vm.Config), Checks: &checks{SkipQemuGuestAgent: true, SkipCloudInitStatus: true}}
	if slot, size := p.futureDisk(s); slot != "" {
		spec.Disks = &disks{BootVolume: bootVolume{Disk: slot, SizeGB: size}}
	}
	return out
}

func (p *planner) description(role string) string {
	text := fmt.Sprintf("%s of cluster %s, made by Cluster API", role, p.name)
	if t := p.future.template; t.Config != nil && strings.TrimSpace(t.Config.Description) == text {
		text += " (CAPMOX)"
	}
	return text
}

// leastDiskGiB is the least that CAPMOX takes (api/v1alpha2: DiskSize.sizeGb).
const leastDiskGiB = 5

// futureDisk is the template's boot disk and the size of the adopted machines', if that is more: a disk cannot shrink.
func (p *planner) futureDisk(s shape) (slot string, size int32) {
	c := p.future.template.Config
	if c == nil || s.diskGiB < leastDiskGiB {
		return "", 0
	}
	d := c.BootDrive()
	if d == nil || d.SizeBytes == nil || *d.SizeBytes > s.diskGiB<<30 {
		return "", 0
	}
	return d.Slot, int32(s.diskGiB) //nolint:gosec // GiB
}

// networkOf mirrors the VM's devices: CAPMOX writes any difference into a VM that it finds stopped, with a new MAC. The flags
// on the first device are what its webhook would set, so that a second apply changes nothing.
func networkOf(c *inventory.VMConfig) network {
	nics := slices.Clone(c.NICs)
	slices.SortFunc(nics, func(a, b inventory.NIC) int {
		return cmp.Or(cmp.Compare(slotNumber(a.Slot), slotNumber(b.Slot)), cmp.Compare(a.Slot, b.Slot))
	})
	out := network{NetworkDevices: []networkDevice{}}
	for i, n := range nics {
		out.NetworkDevices = append(out.NetworkDevices, networkDevice{Name: n.Slot, Bridge: n.Bridge, Model: n.Model,
			VLAN: int32(n.VLAN), MTU: int32(n.MTU), Queues: int32(n.Queues), //nolint:gosec // each has four digits at most
			DefaultIPv4: i == 0, DefaultIPv6: i == 0})
	}
	return out
}

// slotNumber is 3 for net3, and -1 for what is no network device.
func slotNumber(slot string) int {
	n, err := strconv.Atoi(strings.TrimPrefix(slot, "net"))
	if err != nil {
		return -1
	}
	return n
}
