package identity

import "github.com/proxaudit/proxaudit/inventory"

// component sums up objects that are one: how many of each kind, and what they say of themselves.
type component struct {
	vms, pms, machines, nodes int32
	// uuid and cluster are those of the first object that has one; empty if none does.
	uuid, cluster string
}

func (c component) with(o component) component {
	c.vms, c.pms, c.machines, c.nodes = c.vms+o.vms, c.pms+o.pms, c.machines+o.machines, c.nodes+o.nodes
	if c.uuid == "" {
		c.uuid = o.uuid
	}
	if c.cluster == "" {
		c.cluster = o.cluster
	}
	return c
}

// single is true if there is at most one of each kind: one machine, as far as numbers tell.
func (c component) single() bool {
	return c.vms <= 1 && c.pms <= 1 && c.machines <= 1 && c.nodes <= 1
}

// describe sets up a component for each object alone.
func (b *builder) describe() {
	b.set = make([]component, len(b.parent))
	for i := range b.s.VMs {
		b.set[i] = component{vms: 1, uuid: b.s.VMs[i].UUID()}
	}
	for i := range b.s.ProxmoxMachines {
		pm := &b.s.ProxmoxMachines[i]
		b.set[b.pmID(i)] = component{pms: 1, uuid: b.pmUUID[i], cluster: pm.Cluster}
	}
	for i := range b.s.Machines {
		m := &b.s.Machines[i]
		b.set[b.machineID(i)] = component{machines: 1, uuid: b.machineOwnUUID[i], cluster: m.Cluster}
	}
	for i := range b.s.Nodes {
		n := &b.s.Nodes[i]
		c := component{nodes: 1, uuid: n.SystemUUID, cluster: n.Cluster}
		if c.uuid == "" {
			c.uuid = inventory.ParseProviderID(n.ProviderID).UUID
		}
		b.set[b.nodeID(i)] = c
	}
}

// agree is false if two components cannot be one machine: their clusters differ, or UUIDs that both state do.
func (b *builder) agree(x, y component) bool {
	if x.cluster != "" && y.cluster != "" && b.nodesKey(x.cluster) != b.nodesKey(y.cluster) {
		return false
	}
	return x.uuid == "" || y.uuid == "" || x.uuid == y.uuid || inventory.SwapUUID(x.uuid) == y.uuid
}
