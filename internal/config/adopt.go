package config

import (
	"fmt"
	"net/netip"

	"github.com/proxaudit/proxaudit/inventory"
	"github.com/proxaudit/proxaudit/inventory/proxmox"
)

// validateAdopt checks the form of what it holds. Whether addresses are free and the template exists only the Snapshot tells.
func validateAdopt(p *problems, key string, a *Adopt) {
	for _, x := range []struct{ field, name string }{{"name", a.Name}, {"namespace", a.Namespace}} {
		if x.name != "" && !namespaceName.MatchString(x.name) {
			p.at(key+"."+x.field, "%s cannot be an object's name: lower-case letters, digits and '-', at most 63", shown(x.name))
		}
	}
	if a.Template != 0 && !inventory.ValidVMID(a.Template) {
		p.at(key+".template", "want the VMID of a template, from 100 to 999999999")
	}
	if a.Prefix < 0 || a.Prefix > 128 {
		p.at(key+".prefix", "want the length of a network's prefix in bits, like 24")
	}
	checkAddress(p, key+".gateway", a.Gateway)
	for i, s := range a.DNSServers {
		checkAddress(p, fmt.Sprintf("%s.dnsServers[%d]", key, i), s)
	}
	if a.ControllerCredentials && a.CredentialsSecret != "" {
		p.at(key+".controllerCredentials", "contradicts credentialsSecret: CAPMOX uses the one or the other")
	}
	if a.CAPMOXTokenID != "" {
		if err := proxmox.CheckTokenID(a.CAPMOXTokenID); err != nil {
			p.at(key+".capmoxTokenID", "%v", err)
		}
	}
}

func checkAddress(p *problems, key, value string) {
	if _, err := netip.ParseAddr(value); value != "" && err != nil {
		p.at(key, "%s is no address", shown(value))
	}
}
