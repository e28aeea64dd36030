package adopt

import (
	"cmp"
	"fmt"
	"maps"
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"go4.org/netipx"

	"github.com/proxaudit/proxaudit/adopt/addresspool"
	"github.com/proxaudit/proxaudit/inventory"
)

// future is Future with what the Snapshot adds, and what is still missing.
type future struct {
	template  *inventory.VM
	addresses []string
	set       *netipx.IPSet
	prefix    int
	gateway   string
	dns       []string
	// secret is empty if CAPMOX uses credentials of its own.
	secret string
	// lacks says what neither the options nor the Snapshot tell, one line each, and how to give it.
	lacks []string
}

func (p *planner) findFuture() {
	in, f := p.opt.Future, &p.future
	// What VMs say is told only if all of them were seen.
	seen := p.sees(partNodes, partGuests)
	lack := func(format string, args ...any) {
		if seen {
			f.lack(format, args...)
		}
	}
	if !in.ControllerCredentials {
		f.secret = cmp.Or(in.CredentialsSecret, p.name+"-pve")
	}
	f.template = p.findTemplate(lack)
	f.addresses = in.Addresses
	var err error
	// What cannot be read is told below.
	if f.set, err = addresspool.Parse(in.Addresses); err == nil && len(in.Addresses) == 0 {
		f.lack("the addresses that future machines may take: CAPMOX wants one at least, and proxaudit guesses none " +
			"(--addresses 10.0.0.200-10.0.0.220, or clusters[].adopt.addresses)")
	}
	f.gateway, f.prefix = in.Gateway, in.Prefix
	gateways, prefixes := p.networks(addresspool.Family(orEmpty(f.set)))
	if f.gateway == "" {
		if f.gateway = only(gateways); f.gateway == "" {
			lack("the gateway of future machines: %s (--gateway, or clusters[].adopt.gateway)", said(gateways))
		}
	}
	if f.prefix == 0 {
		if n, err := strconv.Atoi(only(prefixes)); err == nil {
			f.prefix = n
		} else {
			lack("the prefix length of future machines' network: %s (--prefix, or clusters[].adopt.prefix)", said(prefixes))
		}
	}
	if f.dns = in.DNSServers; len(f.dns) == 0 {
		f.dns = p.nameservers()
	}
	if len(f.dns) == 0 {
		lack("the DNS servers of future machines: no adopted VM's cloud-init names any (--dns, or clusters[].adopt.dnsServers)")
	}
	told := Future{Addresses: f.addresses, Prefix: f.prefix, Gateway: f.gateway, DNSServers: f.dns, CredentialsSecret: in.CredentialsSecret}
	if !seen {
		told.Prefix, told.Gateway, told.DNSServers = in.Prefix, in.Gateway, in.DNSServers
	}
	if !p.sees(partName) {
		told.CredentialsSecret = ""
	}
	for _, o := range told.check(p.name) {
		f.lack("future machines: %s (--%s)", o.Text, o.Option)
	}
	slices.Sort(f.lacks)
}

func (f *future) lack(format string, args ...any) {
	f.lacks = append(f.lacks, fmt.Sprintf(format, args...))
}

func orEmpty(s *netipx.IPSet) *netipx.IPSet {
	if s == nil {
		return &netipx.IPSet{}
	}
	return s
}

// findTemplate is the named one, or the only one of the site. What it lacks it says to lack.
func (p *planner) findTemplate(lack func(format string, args ...any)) *inventory.VM {
	var all []*inventory.VM
	for i := range p.s.VMs {
		v := &p.s.VMs[i]
		if v.Site != p.site || v.Type != inventory.GuestQEMU {
			continue
		}
		if v.VMID == p.opt.Future.Template {
			if !v.IsTemplate() {
				lack("the template of future machines: VM %d of site %s is no template (qm template %d would make it one)", v.VMID, v.Site, v.VMID)
				return nil
			}
			return v
		}
		if v.IsTemplate() {
			all = append(all, v)
		}
	}
	switch {
	case p.site == "":
		lack("a template for future machines: which site it has to be on is not known, for no Node's VM is")
	case p.opt.Future.Template != 0:
		lack("the template of future machines: site %s shows no VM %d", p.site, p.opt.Future.Template)
	case len(all) == 1:
		return all[0]
	case len(all) == 0:
		lack("a template for future machines: site %s shows none (--template VMID, or clusters[].adopt.template)", p.site)
	default:
		var names []string
		for _, v := range all {
			names = append(names, fmt.Sprintf("%d (%s)", v.VMID, v.Name))
		}
		lack("which template future machines are made from: site %s has %s (--template VMID, or clusters[].adopt.template)", p.site, strings.Join(names, ", "))
	}
	return nil
}

// networks are the gateways and prefix lengths that the members' cloud-init names, of one family.
func (p *planner) networks(family int) (gateways, prefixes map[string]bool) {
	gateways, prefixes = map[string]bool{}, map[string]bool{}
	for _, m := range p.members {
		if m.vm == nil || m.vm.Config == nil {
			continue
		}
		for _, c := range m.vm.Config.IPConfigs {
			address, gateway := c.IPv4, c.Gateway4
			if family == 6 {
				address, gateway = c.IPv6, c.Gateway6
			}
			if gateway == "" {
				// A second network without a way out is not where the default route leads.
				continue
			}
			gateways[gateway] = true
			if pre, err := netip.ParsePrefix(address); err == nil {
				prefixes[fmt.Sprint(pre.Bits())] = true
			}
		}
	}
	return gateways, prefixes
}

func (p *planner) nameservers() []string {
	seen := map[string]bool{}
	for _, m := range p.members {
		if m.vm == nil || m.vm.Config == nil || m.vm.Config.Nameserver == "" {
			continue
		}
		seen[m.vm.Config.Nameserver] = true
	}
	one := only(seen)
	if one == "" {
		return nil
	}
	return servers(one)
}

// servers are the addresses in a cloud-init nameserver setting.
func servers(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return r == ' ' || r == ',' || r == ';' })
}

func only(set map[string]bool) string {
	if len(set) != 1 {
		return ""
	}
	return slices.Collect(maps.Keys(set))[0]
}

func said(set map[string]bool) string {
	if len(set) == 0 {
		return "no adopted VM's cloud-init names one"
	}
	return "the adopted VMs' cloud-init names " + strings.Join(slices.Sorted(maps.Keys(set)), ", ")
}
