package adopt

import (
	"net"
	"net/url"
	"slices"
	"strings"

	"github.com/proxaudit/proxaudit/inventory"
)

// OwnCredentials is the Secret from which CAPMOX's environment comes, or what stands for it where the Deployment itself has it; nil if
// it takes none (no URL: CAPMOX 0.9.0 cmd/main.go, setupProxmoxClient), and not seen if that cannot be told.
func OwnCredentials(s *inventory.Snapshot) (secret *inventory.StoredSecret, seen bool) {
	all := slices.DeleteFunc(slices.Clone(s.Providers), func(p inventory.Provider) bool { return p.Label != providerCAPMOX })
	if len(all) != 1 || !s.Known(inventory.ManagementSource, inventory.ScopeProviders) {
		// Nothing is known of a CAPMOX whose Deployment was not seen, and of two it is not known which one acts.
		return nil, false
	}
	switch one := all[0]; {
	case one.Server != "":
		return &inventory.StoredSecret{Namespace: one.Namespace, Name: one.Name, Keys: []string{"url"}, Server: one.Server}, true
	case one.Credentials == "":
		return nil, true
	default:
		found := storedSecret(s, one.Credentials)
		if found == nil {
			return nil, false
		}
		if !slices.Contains(found.Keys, "url") {
			return nil, true
		}
		own := *found
		if one.Token != one.Credentials {
			own.TokenID = ""
		}
		return &own, true
	}
}

// storedSecret is what was seen of NAMESPACE/NAME; nil if it was not asked for.
func storedSecret(s *inventory.Snapshot, key string) *inventory.StoredSecret {
	i := slices.IndexFunc(s.StoredSecrets, func(x inventory.StoredSecret) bool { return x.Namespace+"/"+x.Name == key })
	if i < 0 {
		return nil
	}
	return &s.StoredSecrets[i]
}

// capmoxTokenID is the ID of the token by which CAPMOX acts for the cluster, from the credentials that it takes; empty if that was not
// seen.
func (p *planner) capmoxTokenID() string {
	own, seen := OwnCredentials(p.s)
	switch {
	case !seen:
		return ""
	case own != nil:
		return own.TokenID
	}
	if d := p.cluster.Declared; d != nil && d.Infrastructure != nil {
		if s := storedSecret(p.s, d.Infrastructure.CredentialsSecret); s != nil {
			return s.TokenID
		}
	}
	return ""
}

// The ports under which a Proxmox host serves its API: its own, and the one that a reverse proxy on it has (pve-manager
// PVE/Service/pveproxy.pm).
var proxmoxPorts = []string{"8006", "443"}

// sitesAt are the sites that an API's URL leads to: those of the same address, else those that have a host of that address or name.
// Behind another port of a host there may be anything.
func sitesAt(s *inventory.Snapshot, server string) []string {
	address, host := addressOf(server)
	if address == "" {
		return nil
	}
	_, port, _ := net.SplitHostPort(address)
	var exact, byHost []string
	for i := range s.Sites {
		site := &s.Sites[i]
		a, h := addressOf(site.URL)
		if a == address {
			exact = append(exact, site.Name)
		}
		if !slices.Contains(proxmoxPorts, port) {
			continue
		}
		isHost := func(n inventory.ProxmoxNode) bool { return n.IP == host || n.Name == host && namesOfOthersKnown(s, i) }
		if slices.ContainsFunc(site.Nodes, isHost) || h == host && slices.ContainsFunc(proxmoxPorts, func(p string) bool { return a == net.JoinHostPort(h, p) }) {
			byHost = append(byHost, site.Name)
		}
	}
	if len(exact) == 0 {
		exact = byHost
	}
	slices.Sort(exact)
	return slices.Compact(exact)
}

// namesOfOthersKnown is true if the hosts of all other sites were seen: many a site calls one pve1.
func namesOfOthersKnown(s *inventory.Snapshot, but int) bool {
	for i := range s.Sites {
		if i != but && len(s.Sites[i].Nodes) == 0 {
			return false
		}
	}
	return true
}

// addressOf is HOST:PORT of an API's URL, and the host.
func addressOf(text string) (address, host string) {
	u, err := url.Parse(text)
	if err != nil || u.Hostname() == "" {
		return "", ""
	}
	port := u.Port()
	if port == "" {
		port = "443"
	}
	host = strings.ToLower(u.Hostname())
	return net.JoinHostPort(host, port), host
}
