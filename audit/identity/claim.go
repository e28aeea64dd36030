package identity

import (
	"strconv"

	"github.com/proxaudit/proxaudit/inventory"
)

// claim is what one declared object or Node says about which VM it is.
type claim struct {
	from  inventory.Subject
	uuids []uuidClaim
	// addresses are VMIDs that the object names, with the sites in which they may lie.
	addresses []addressClaim
	// vmid is the VMID that the declaration names; nil if it names none.
	vmid *int
	// macs and ips are as the object states them.
	macs, ips []string
	names     []string
}

type uuidClaim struct {
	kind Kind
	uuid string
	// raw is the value as the object states it.
	raw string
}

type addressClaim struct {
	kind Kind
	key  inventory.Key
	raw  string
	// needsName is true where the address is evidence only together with the same name (CAPMOX looks a VM up by
	// VMID, node and name); the cloud controller manager's region and VMID stand for themselves.
	needsName bool
}

func (x *index) nodeClaim(i int) claim {
	n := &x.s.Nodes[i]
	c := claim{from: nodeSubject(n), names: []string{n.Name}}
	if n.Hostname != "" && foldName(n.Hostname) != foldName(n.Name) {
		c.names = append(c.names, n.Hostname)
	}
	if n.SystemUUID != "" {
		c.uuids = append(c.uuids, uuidClaim{KindSystemUUID, n.SystemUUID, n.SystemUUID})
	}
	p := inventory.ParseProviderID(n.ProviderID)
	if p.UUID != "" {
		c.uuids = append(c.uuids, uuidClaim{KindProviderIDUUID, p.UUID, n.ProviderID})
	}
	c.addresses = x.nodeAddresses(n)
	c.ips = n.InternalIPs
	return c
}

// nodeAddresses are the VMIDs that a Node names, where they may lie.
func (x *index) nodeAddresses(n *inventory.Node) []addressClaim {
	var out []addressClaim
	for _, named := range n.VMIDs() {
		kind, raw := KindRegionVMID, n.ProviderID
		if named.Annotated {
			kind, raw = KindInstanceID, inventory.AnnotationInstanceID+"="+strconv.Itoa(named.VMID)
		}
		for _, site := range x.s.SitesOfRegion(named.Region) {
			out = append(out, addressClaim{kind: kind, key: inventory.Key{Site: site, VMID: named.VMID}, raw: raw})
		}
	}
	return out
}

func (x *index) proxmoxMachineClaim(i int) claim {
	pm := &x.s.ProxmoxMachines[i]
	c := claim{from: proxmoxMachineSubject(pm), names: []string{pm.Name}, macs: pm.MACs}
	if u := x.pmUUID[i]; u != "" {
		c.uuids = append(c.uuids, uuidClaim{KindProviderIDUUID, u, pm.ProviderID})
	}
	c.vmid = pm.VMID
	if pm.VMID != nil {
		for _, site := range x.sitesOf(pm.Cluster) {
			c.addresses = append(c.addresses, addressClaim{kind: KindVMIDAndName,
				key: inventory.Key{Site: site, VMID: *pm.VMID}, raw: strconv.Itoa(*pm.VMID), needsName: true})
		}
	}
	c.ips = pm.Addresses
	return c
}

func (b *builder) machineClaim(i int) claim {
	m := &b.s.Machines[i]
	c := claim{from: machineSubject(m), names: []string{m.Name}}
	if pm := b.pmOfMachine[i]; pm >= 0 {
		c.vmid = b.s.ProxmoxMachines[pm].VMID
	}
	if u := b.machineOwnUUID[i]; u != "" {
		c.uuids = append(c.uuids, uuidClaim{KindProviderIDUUID, u, m.ProviderID})
	}
	if u, ok := inventory.NormalizeUUID(m.SystemUUID); ok {
		c.uuids = append(c.uuids, uuidClaim{KindSystemUUID, u, m.SystemUUID})
	}
	if ref := m.InfrastructureRef; ref != nil && ref.Kind != "" && ref.Kind != "ProxmoxMachine" {
		// Another provider's: a name or a private address that a VM here has as well is a coincidence.
		c.names = nil
		return c
	}
	c.ips = m.Addresses
	return c
}

// sitesOf are the sites in which a cluster's VMs may lie: the one that the configuration names, else all.
func (x *index) sitesOf(cluster string) []string {
	if c := x.clusters[cluster]; c != nil && c.Site != "" {
		return []string{c.Site}
	}
	out := make([]string, 0, len(x.s.Sites))
	for i := range x.s.Sites {
		out = append(out, x.s.Sites[i].Name)
	}
	return out
}

func nodeSubject(n *inventory.Node) inventory.Subject {
	return inventory.Subject{Kind: inventory.SubjectNode, Scope: n.Cluster, Name: n.Name}
}

func machineSubject(m *inventory.Machine) inventory.Subject {
	return inventory.Subject{Kind: inventory.SubjectMachine, Scope: m.Namespace, Name: m.Name}
}

func proxmoxMachineSubject(pm *inventory.ProxmoxMachine) inventory.Subject {
	return inventory.Subject{Kind: inventory.SubjectProxmoxMachine, Scope: pm.Namespace, Name: pm.Name}
}
