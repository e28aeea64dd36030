package identity

import (
	"github.com/google/uuid"

	"github.com/proxaudit/proxaudit/inventory"
)

// index holds the maps through which objects find each other. Everything is built once, in one pass over each list, so
// that the whole analysis stays linear in the size of the fleet.
type index struct {
	s *inventory.Snapshot

	// vmByUUID lists QEMU guests that are no templates, by usable SMBIOS UUID. More than one entry: the UUID is shared.
	vmByUUID uuidPosting
	// vmByKey lists every guest with an address, containers and templates included: they occupy a VMID.
	vmByKey   posting[guestKey]
	vmByMAC   posting[string]
	vmByIP    posting[[16]byte]
	vmByName  posting[string]
	vmByShort posting[string]
	siteNo    map[string]int32

	lists   arena
	scratch resolver
	// size is the number of all objects.
	size int

	nodeByUUID uuidPosting
	// firstNode is, for each Node, the first that is the same one: itself as a rule.
	firstNode  []int32
	nodeByName map[nodeKey]int
	pmByName   map[objectKey]int
	machByName map[objectKey]int
	// pmUUID and machineOwnUUID are the UUIDs in the providerIDs of ProxmoxMachines and Machines, by index; empty where
	// there is none.
	pmUUID, machineOwnUUID []string
	// declaredUUIDs are those in the providerIDs of Machines and ProxmoxMachines.
	declaredUUIDs map[string]bool

	// probes by address.
	probes map[inventory.Key]*inventory.Probe
	// coverage by source and scope.
	coverage map[inventory.Need]*inventory.Coverage
	clusters map[string]*inventory.Cluster
	sites    map[string]*inventory.Site
	// hosts are the Proxmox hosts of all sites, by name.
	hosts map[string]bool
	// uuidGaps is why a UUID that no VM shows may still be some VM's.
	uuidGaps []inventory.Need
	// lost are snapshot files that could not be read: each may have had sites, clusters and the management cluster.
	lost []inventory.Need
}

type nodeKey struct{ cluster, name string }

// nodeIdentity tells a Node that was listed through two contexts from two: a cluster that was restored from another's
// backup has its UIDs, and its machines are others.
type nodeIdentity struct{ uid, systemUUID string }

func identityOf(n *inventory.Node) nodeIdentity { return nodeIdentity{n.UID, n.SystemUUID} }

type objectKey struct{ namespace, name string }

func newIndex(s *inventory.Snapshot) *index {
	self := upTo(max(len(s.VMs), len(s.Nodes)))
	x := &index{
		s: s, size: len(s.VMs) + len(s.ProxmoxMachines) + len(s.Machines) + len(s.Nodes),
		vmByUUID: uuidPosting{newPosting[uuid.UUID](self, len(s.VMs))},
		vmByKey:  newPosting[guestKey](self, len(s.VMs)), vmByMAC: newPosting[string](self, len(s.VMs)),
		vmByIP: newPosting[[16]byte](self, 0), vmByName: newPosting[string](self, len(s.VMs)),
		vmByShort: newPosting[string](self, len(s.VMs)), siteNo: map[string]int32{},
		nodeByUUID: uuidPosting{newPosting[uuid.UUID](self, len(s.Nodes))},
		firstNode:  make([]int32, len(s.Nodes)), nodeByName: make(map[nodeKey]int, len(s.Nodes)),
		pmByName: make(map[objectKey]int, len(s.ProxmoxMachines)), machByName: make(map[objectKey]int, len(s.Machines)),
		pmUUID: make([]string, len(s.ProxmoxMachines)), machineOwnUUID: make([]string, len(s.Machines)),
		declaredUUIDs: make(map[string]bool, len(s.Machines)),
		probes:        map[inventory.Key]*inventory.Probe{},
		coverage:      make(map[inventory.Need]*inventory.Coverage, len(s.Coverage)),
		clusters:      make(map[string]*inventory.Cluster, len(s.Clusters)), sites: map[string]*inventory.Site{}, hosts: map[string]bool{},
	}
	together(x.size, x.addGuests, x.addNames, x.addInterfaces, x.addNodes, x.addDeclared)
	for i := range s.Sites {
		x.sites[s.Sites[i].Name] = &s.Sites[i]
		for _, n := range s.Sites[i].Nodes {
			x.hosts[n.Name] = true
		}
	}
	for i := range s.Probes {
		x.probes[inventory.Key{Site: s.Probes[i].Site, VMID: s.Probes[i].VMID}] = &s.Probes[i]
	}
	for i := range s.Coverage {
		c := &s.Coverage[i]
		if old := x.coverage[c.Need()]; old == nil || !old.Missing() && old.State != inventory.NotAsked {
			// Of two entries for one question the worse counts.
			x.coverage[c.Need()] = c
		}
	}
	for i := range s.Clusters {
		x.clusters[s.Clusters[i].Key] = &s.Clusters[i]
	}
	x.lost = s.LostFiles()
	x.uuidGaps = x.uuidsMissing()
	x.scratch.x = x
	return x
}

func (x *index) addGuests() {
	for i := range x.s.VMs {
		vm := &x.s.VMs[i]
		x.hosts[vm.Node] = true
		site, ok := x.siteNo[vm.Site]
		if !ok {
			site = int32(len(x.siteNo)) //nolint:gosec // a handful
			x.siteNo[vm.Site] = site
		}
		x.vmByKey.add(guestKey{site, int32(vm.VMID)}, i) //nolint:gosec // a VMID has nine digits
		if u := vm.UUID(); u != "" && candidate(vm) {
			x.vmByUUID.add(u, i)
		}
	}
}

func (x *index) addNames() {
	for i := range x.s.VMs {
		if vm := &x.s.VMs[i]; candidate(vm) && vm.Name != "" {
			full := foldName(vm.Name)
			x.vmByName.add(full, i)
			x.vmByShort.add(shortName(full), i)
		}
	}
}

func (x *index) addInterfaces() {
	for i := range x.s.VMs {
		vm := &x.s.VMs[i]
		if !candidate(vm) {
			continue
		}
		for _, mac := range vmMACs(vm) {
			x.vmByMAC.add(mac, i)
		}
		for _, ip := range vmIPs(vm) {
			x.vmByIP.add(ip.As16(), i)
		}
	}
}

func (x *index) addNodes() {
	first := make(map[nodeIdentity]int32, len(x.s.Nodes))
	for i := range x.s.Nodes {
		n := &x.s.Nodes[i]
		// A Node that was read through another context already is the same object under another cluster key.
		same, again := first[identityOf(n)]
		if !again {
			same = int32(i)
			if n.UID != "" {
				first[identityOf(n)] = same
			}
		}
		x.firstNode[i] = same
		if n.SystemUUID != "" && !again {
			x.nodeByUUID.add(n.SystemUUID, i)
		}
		x.nodeByName[nodeKey{n.Cluster, n.Name}] = i
	}
}

func (x *index) addDeclared() {
	for i := range x.s.ProxmoxMachines {
		pm := &x.s.ProxmoxMachines[i]
		x.pmUUID[i] = inventory.ParseProviderID(pm.ProviderID).UUID
		x.declaredUUIDs[x.pmUUID[i]] = true
		x.pmByName[objectKey{pm.Namespace, pm.Name}] = i
	}
	for i := range x.s.Machines {
		m := &x.s.Machines[i]
		x.machineOwnUUID[i] = inventory.ParseProviderID(m.ProviderID).UUID
		x.declaredUUIDs[x.machineOwnUUID[i]] = true
		x.machByName[objectKey{m.Namespace, m.Name}] = i
	}
	delete(x.declaredUUIDs, "")
}
