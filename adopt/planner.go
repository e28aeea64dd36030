package adopt

import (
	"cmp"
	"net/netip"
	"slices"
	"strings"

	"github.com/proxaudit/proxaudit/adopt/addresspool"
	"github.com/proxaudit/proxaudit/audit"
	"github.com/proxaudit/proxaudit/audit/identity"
	"github.com/proxaudit/proxaudit/inventory"
)

// planner gathers what rules and manifests are made from. It is filled once, in the order of its methods, and only read by
// the rules.
type planner struct {
	s   *inventory.Snapshot
	g   *identity.Graph
	opt Options

	cluster *inventory.Cluster
	// name and namespace are those of the Cluster object.
	name, namespace string
	// members are the Nodes of the cluster with what is known of them, control planes first, then by name.
	members []*member
	// leftOut are workers that are not adopted.
	leftOut []*member
	// sites are the sites of the members' VMs, sorted; site is the only one, or the first.
	sites []string
	site  string

	kubeadm  *kubeadmConfig
	versions Versions
	future   future
	groups   []*group
	endpoint endpoint
	existing existing

	// guests are the sources of guests that did not say all, once somebody asked (guestsKnown).
	guests      []inventory.Need
	guestsKnown bool
}

// member is one Node, with its VM where one is known.
type member struct {
	node *inventory.Node
	// vm is nil if the Node has none, or more than one.
	vm     *inventory.VM
	entity *identity.Entity
	// proof is true if the SMBIOS UUID ties the two.
	proof bool
	// version is the kubelet's.
	version string
	group   *group
}

// name is what the Machine and the ProxmoxMachine are called: the VM's name, for CAPMOX looks a VM up by VMID and refuses
// one of another name (cluster-api-provider-proxmox internal/service/vmservice/find.go).
func (m *member) name() string {
	if m.vm != nil && m.vm.Name != "" {
		return m.vm.Name
	}
	return m.node.Name
}

func (m *member) providerID() string { return "proxmox://" + m.vm.UUID() }

// whole is true for a member that a manifest can be written for.
func (m *member) whole() bool {
	return m.vm != nil && m.vm.Config != nil && m.vm.UUID() != "" && !uuidFromArgs(m.vm) && m.proof
}

// uuidFromArgs is true for a VM whose guest sees another UUID than its configuration's smbios1, the only place where CAPMOX looks
// (cluster-api-provider-proxmox internal/service/vmservice: the providerID is made from VirtualMachineConfig.SMBios1).
func uuidFromArgs(vm *inventory.VM) bool {
	return vm.Config != nil && vm.Config.UUID != "" && vm.Config.UUIDSource == "args"
}

func newPlanner(s *inventory.Snapshot, opt Options) *planner {
	if opt.Grace == 0 {
		opt.Grace = audit.DefaultGrace
	}
	sorted := s.Ordered()
	sorted.Compact()
	return &planner{s: sorted, g: identity.Resolve(sorted, identity.Options{Grace: opt.Grace}), opt: opt}
}

// findCluster is false if the Snapshot has no such cluster.
func (p *planner) findCluster() bool {
	for i := range p.s.Clusters {
		if p.s.Clusters[i].Key == p.opt.Cluster {
			p.cluster = &p.s.Clusters[i]
			break
		}
	}
	if p.cluster == nil {
		return false
	}
	p.name, p.namespace = cmp.Or(p.opt.Name, p.opt.Cluster), p.opt.Namespace
	if d := p.cluster.Declared; d != nil {
		p.name = cmp.Or(p.opt.Name, d.Name)
		p.namespace = cmp.Or(p.namespace, d.Namespace)
	}
	p.namespace = cmp.Or(p.namespace, p.name)
	return true
}

func (p *planner) findMembers() {
	for i := range p.s.Nodes {
		n := &p.s.Nodes[i]
		if n.Cluster != p.cluster.Key {
			continue
		}
		m := &member{node: n, version: n.KubeletVersion}
		m.entity = p.g.Of(inventory.Subject{Kind: inventory.SubjectNode, Scope: n.Cluster, Name: n.Name})
		if m.entity != nil && len(m.entity.VMs) == 1 && len(m.entity.Nodes) == 1 {
			m.vm = &p.s.VMs[m.entity.VMs[0]]
			m.proof = m.entity.Class != identity.Conflict && proven(n, m.vm)
		}
		if p.leaveOut(m) {
			p.leftOut = append(p.leftOut, m)
			continue
		}
		p.members = append(p.members, m)
	}
	slices.SortStableFunc(p.members, func(a, b *member) int {
		return cmp.Or(cmp.Compare(rankOf(a), rankOf(b)), cmp.Compare(a.node.Name, b.node.Name))
	})
	for _, m := range p.members {
		if m.vm != nil {
			p.sites = append(p.sites, m.vm.Site)
		}
	}
	slices.Sort(p.sites)
	p.sites = slices.Compact(p.sites)
	if len(p.sites) > 0 {
		p.site = p.sites[0]
	}
}

// leaveOut is true for a worker that somebody named, and for one that is no VM: a Node without a Machine is left alone by every
// controller. A control plane without one is removed from etcd, so that none is ever left out.
func (p *planner) leaveOut(m *member) bool {
	switch {
	case m.node.ControlPlane:
		return false
	case slices.Contains(p.opt.LeaveOut, m.node.Name):
		return true
	default:
		return m.entity != nil && (m.entity.Class == identity.ForeignNode || m.entity.Class == identity.GhostNode)
	}
}

func rankOf(m *member) int {
	if m.node.ControlPlane {
		return 0
	}
	return 1
}

// proven is true if the Node itself names the VM's SMBIOS UUID. That no other VM or Node has it is the graph's business, which
// makes a conflict of it.
func proven(n *inventory.Node, vm *inventory.VM) bool { return saysUUID(n, vm.UUID()) }

// saysUUID is true if the Node names an SMBIOS UUID as its own: as its systemUUID, else in the providerID that CAPMOX writes, which
// is as good a proof. A systemUUID that says another is never outvoted.
func saysUUID(n *inventory.Node, uuid string) bool {
	if uuid == "" {
		return false
	}
	if n.SystemUUID != "" {
		return n.SystemUUID == uuid
	}
	return inventory.ParseProviderID(n.ProviderID).UUID == uuid
}

// controlPlanes and workers are the members of either kind.
func (p *planner) controlPlanes() []*member {
	return slices.DeleteFunc(slices.Clone(p.members), func(m *member) bool { return !m.node.ControlPlane })
}

func (p *planner) workers() []*member {
	return slices.DeleteFunc(slices.Clone(p.members), func(m *member) bool { return m.node.ControlPlane })
}

// addresses are all that the cluster's machines are known to have.
func (p *planner) addresses() map[netip.Addr]*member {
	out := map[netip.Addr]*member{}
	add := func(m *member, list []string) {
		for _, text := range list {
			if a, ok := addresspool.Address(text); ok {
				out[a] = m
			}
		}
	}
	for _, m := range slices.Concat(p.members, p.leftOut) {
		add(m, m.node.InternalIPs)
		if m.vm != nil {
			add(m, vmAddresses(m.vm))
		}
	}
	return out
}

// nodeRef and vmRef name subjects of findings.
func nodeRef(n *inventory.Node) audit.SubjectRef {
	sub := inventory.Subject{Kind: inventory.SubjectNode, Scope: n.Cluster, Name: n.Name}
	return audit.SubjectRef{Kind: inventory.SubjectNode, Cluster: n.Cluster, Name: n.Name, UUID: n.SystemUUID, ID: sub.String()}
}

func vmRef(v *inventory.VM) audit.SubjectRef {
	return audit.SubjectRef{Kind: inventory.SubjectVM, Site: v.Site, VMID: v.VMID, Node: v.Node, Name: v.Name, UUID: v.UUID(),
		ID: inventory.VMSubject(v.Key()).String()}
}

func clusterRef(key string) audit.SubjectRef {
	return audit.SubjectRef{Kind: inventory.SubjectCluster, Cluster: key, Name: key,
		ID: inventory.Subject{Kind: inventory.SubjectCluster, Name: key}.String()}
}

func objectSubject(o *inventory.Object) audit.SubjectRef {
	kind := strings.ToLower(o.Kind)
	return audit.SubjectRef{Kind: kind, Namespace: o.Namespace, Name: o.Name, ID: kind + "/" + o.Namespace + "/" + o.Name}
}

// ref is the VM's where one is known, else the Node's.
func (m *member) ref() audit.SubjectRef {
	if m.vm != nil {
		return vmRef(m.vm)
	}
	return nodeRef(m.node)
}
