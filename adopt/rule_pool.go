package adopt

import (
	"fmt"
	"net/netip"
	"slices"

	"github.com/proxaudit/proxaudit/audit"
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
		for _, a := range list {
			if p.future.set.Contains(a) {
				out = append(out, r.of(found[a].ref(), fmt.Sprintf("%s is in %q", a, p.future.addresses)))
			}
		}
		if a, err := netip.ParseAddr(p.endpoint.host); err == nil && p.future.set.Contains(a) {
			out = append(out, r.of(clusterRef(p.cluster.Key), fmt.Sprintf("the control plane's endpoint %s is in %q", a, p.future.addresses)))
		}
		if a, err := netip.ParseAddr(p.future.gateway); err == nil && p.future.set.Contains(a) {
			out = append(out, r.of(clusterRef(p.cluster.Key), fmt.Sprintf("the gateway %s is in %q", a, p.future.addresses)))
		}
		for _, other := range p.otherAddresses() {
			out = append(out, r.of(other.ref, fmt.Sprintf("%s is in %q", other.address, p.future.addresses)))
		}
		return out
	},
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
	for i := range p.s.VMs {
		v := &p.s.VMs[i]
		if v.Site != p.site || own[v.Key().String()] || v.Config == nil || v.IsTemplate() {
			continue
		}
		for _, c := range v.Config.IPConfigs {
			for _, text := range []string{c.IPv4, c.IPv6} {
				if pre, err := netip.ParsePrefix(text); err == nil && p.future.set.Contains(pre.Addr()) {
					out = append(out, usedAddress{pre.Addr(), vmRef(v)})
				}
			}
		}
	}
	return out
}
