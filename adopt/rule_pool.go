package adopt

import (
	"fmt"
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"github.com/proxaudit/proxaudit/adopt/addresspool"
	"github.com/proxaudit/proxaudit/audit"
	"github.com/proxaudit/proxaudit/inventory"
)

var rulePool = Rule{
	ID: "PXA210", Blocks: true, Destroys: true,
	Title: "Address of a machine that runs is among those for future machines",
	Why: "CAPMOX gives a new machine any address of the pool that no claim holds, and adopted machines hold none: two machines would have " +
		"the same address. The control plane's own address in it is refused.",
	Remedy: "Take the address out of --addresses (or clusters[].adopt.addresses), or give a range that is free. Nothing else may use it either, DHCP included.",
	check: func(r *Rule, p *planner) []Finding {
		if p.future.set == nil {
			return nil
		}
		var out []Finding
		found := p.addresses()
		list := make([]netip.Addr, 0, len(found))
		for a := range found {
			list = append(list, a)
		}
		slices.SortFunc(list, netip.Addr.Compare)
		given := p.givenOut()
		for _, a := range list {
			if p.future.set.Contains(a) && !given[a] {
				out = append(out, r.of(found[a].ref(), fmt.Sprintf("%s is in %s", a, p.poolText())))
			}
		}
		for _, e := range p.endpointAddresses() {
			if p.future.set.Contains(e.address) {
				out = append(out, r.of(clusterRef(p.cluster.Key), fmt.Sprintf("%s %s is in %s", e.what, e.address, p.poolText())))
			}
		}
		for _, a := range p.infrastructure() {
			out = append(out, r.of(clusterRef(p.cluster.Key), fmt.Sprintf("%s %s is in %s", a.what, a.address, p.poolText())))
		}
		for _, other := range p.otherAddresses() {
			if given[other.address] {
				continue
			}
			out = append(out, r.of(other.ref, fmt.Sprintf("%s is in %s", other.address, p.poolText())))
		}
		return append(out, p.otherPools(r)...)
	},
}

// poolText is the pool as it was given.
func (p *planner) poolText() string { return strings.Join(p.future.addresses, ", ") }

type namedAddress struct {
	address netip.Addr
	what    string
}

// endpointAddresses are what leads to the control plane beside the machines' own addresses, each once. kubeadm's endpoint may be a
// DNS name, which says nothing of the address that kube-vip or a balancer holds: the address under which the API server was
// reached, and those that its certificate is made for, do.
func (p *planner) endpointAddresses() []namedAddress {
	var out []namedAddress
	own := p.addresses()
	add := func(what, text string) {
		a, ok := addresspool.Address(text)
		// The end of a tunnel is that of whoever ran this.
		if _, known := own[a]; !ok || known || loopback(text) || slices.ContainsFunc(out, func(e namedAddress) bool { return e.address == a }) {
			return
		}
		out = append(out, namedAddress{a, what})
	}
	add("the control plane's endpoint", p.endpoint.host)
	if e, ok := parseEndpoint(strings.TrimPrefix(p.cluster.Server, "https://"), "443"); ok {
		add("the API server's address in the kubeconfig", e.host)
	}
	for _, san := range p.kubeadm.config.APIServer.CertSANs {
		add("the address in the API server's certSANs", san)
	}
	return out
}

// infrastructure are those addresses in the pool that no guest of the site has, and that its guests need: gateways and DNS servers of
// future machines and of VMs, and the Proxmox hosts themselves. Each is there once, under the first name.
func (p *planner) infrastructure() []namedAddress {
	var out []namedAddress
	add := func(what string, list ...string) {
		for _, text := range list {
			a, ok := addresspool.Address(text)
			if ok && p.future.set.Contains(a) && !slices.ContainsFunc(out, func(n namedAddress) bool { return n.address == a }) {
				out = append(out, namedAddress{a, what})
			}
		}
	}
	add("the gateway", p.future.gateway)
	add("the DNS server", p.future.dns...)
	for i := range p.s.Sites {
		site := &p.s.Sites[i]
		if site.Name != p.site {
			continue
		}
		if u, err := url.Parse(site.URL); err == nil {
			add("the Proxmox API's address", u.Hostname())
		}
		for _, n := range site.Nodes {
			add("the Proxmox host "+n.Name+"'s address", n.IP)
		}
	}
	for i := range p.s.VMs {
		v := &p.s.VMs[i]
		if v.Site != p.site || v.Config == nil {
			continue
		}
		for _, c := range v.Config.IPConfigs {
			add(fmt.Sprintf("VM %d's gateway", v.VMID), c.Gateway4, c.Gateway6)
		}
		add(fmt.Sprintf("VM %d's DNS server", v.VMID), servers(v.Config.Nameserver)...)
	}
	return out
}

// givenOut are the addresses that the cluster's own pool gave out, to machines that CAPMOX made: the pool knows that they are taken.
func (p *planner) givenOut() map[netip.Addr]bool {
	out := map[netip.Addr]bool{}
	for i := range p.s.Objects {
		o := &p.s.Objects[i]
		if o.Cluster != "" || o.Kind != "IPAddress" || o.Namespace != p.namespace || !p.ownPool(nested(o.Content, "spec", "poolRef", "name")) {
			continue
		}
		if a, ok := addresspool.Address(nested(o.Content, "spec", "address")); ok {
			out[a] = true
		}
	}
	return out
}

// ownPool is true for the name that CAPMOX gives the cluster's own pool (pkg/kubernetes/ipam/ipam.go).
func (p *planner) ownPool(name string) bool {
	return name == p.name+"-v4-icip" || name == p.name+"-v6-icip"
}

type usedAddress struct {
	address netip.Addr
	ref     audit.SubjectRef
}

// otherAddresses are those in the pool that guests outside the cluster, or Nodes of other clusters, have. VMs of another site
// may have the same private address: they do not count.
func (p *planner) otherAddresses() []usedAddress {
	own := map[string]bool{}
	for _, m := range p.members {
		if m.vm != nil {
			own[m.vm.Key().String()] = true
		}
	}
	var out []usedAddress
	add := func(ref audit.SubjectRef, list []string) {
		for _, text := range list {
			a, ok := addresspool.Address(text)
			if used := (usedAddress{a, ref}); ok && p.future.set.Contains(a) && !slices.Contains(out, used) {
				out = append(out, used)
			}
		}
	}
	for i := range p.s.VMs {
		if v := &p.s.VMs[i]; v.Site == p.site && !own[v.Key().String()] && !v.IsTemplate() {
			add(vmRef(v), vmAddresses(v))
		}
	}
	for i := range p.s.Nodes {
		n := &p.s.Nodes[i]
		if n.Cluster == p.cluster.Key {
			continue
		}
		e := p.g.Of(inventory.Subject{Kind: inventory.SubjectNode, Scope: n.Cluster, Name: n.Name})
		if e != nil && slices.ContainsFunc(e.VMs, func(i int) bool { return p.s.VMs[i].Site == p.site }) {
			add(nodeRef(n), n.InternalIPs)
		}
	}
	return out
}

// vmAddresses are all that the configuration and the guest agent name.
func vmAddresses(v *inventory.VM) []string {
	var out []string
	if v.Config != nil {
		for _, c := range v.Config.IPConfigs {
			out = append(out, c.IPv4, c.IPv6)
		}
	}
	if v.Agent != nil {
		for _, i := range v.Agent.Interfaces {
			out = append(out, i.Addresses...)
		}
	}
	return out
}

// otherPools are pools of the management cluster that hold some of the same addresses: each hands out what the other does. CAPMOX
// names the pool of a ProxmoxCluster after it (cluster-api-provider-proxmox pkg/kubernetes/ipam: ipam.go); one that
// an earlier bundle of this cluster led to is its own.
func (p *planner) otherPools(r *Rule) []Finding {
	var out []Finding
	for i := range p.s.Objects {
		o := &p.s.Objects[i]
		if o.Cluster != "" || o.Kind != "InClusterIPPool" && o.Kind != "GlobalInClusterIPPool" {
			continue
		}
		if o.Namespace == p.namespace && p.ownPool(o.Name) {
			continue
		}
		spec, _ := o.Content["spec"].(map[string]any)
		list, _ := spec["addresses"].([]any)
		var texts []string
		for _, a := range list {
			if s, ok := a.(string); ok {
				texts = append(texts, s)
			}
		}
		// A pool that its own provider cannot read hands nothing out.
		if set, err := addresspool.Parse(texts); err == nil && p.future.set.Overlaps(set) {
			out = append(out, r.of(objectSubject(o), fmt.Sprintf("it hands out %s, and %s has some of them", strings.Join(texts, ", "), p.poolText())))
		}
	}
	return out
}
