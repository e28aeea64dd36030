package adopt

import (
	"net"
	"net/url"
	"slices"
	"strings"

	"github.com/proxaudit/proxaudit/inventory"
)

// OwnAccess is how CAPMOX itself reaches Proxmox, by its environment.
type OwnAccess struct {
	// Namespace and Name are those of the Secret that its URL comes from, or of its Deployment.
	Namespace, Name string
	// Server and TokenID are empty if they were not seen.
	Server, TokenID string
}

// FindOwnAccess is CAPMOX's own access; nil if it has none, which it has if one of three variables is empty (CAPMOX 0.9.0 cmd/main.go,
// setupProxmoxClient), and not seen if that cannot be told.
func FindOwnAccess(s *inventory.Snapshot) (own *OwnAccess, seen bool) {
	all := slices.DeleteFunc(slices.Clone(s.Providers), func(p inventory.Provider) bool { return p.Label != providerCAPMOX })
	if len(all) != 1 || !s.Known(inventory.ManagementSource, inventory.ScopeProviders) {
		// Nothing is known of a CAPMOX whose Deployment was not seen, and of two it is not known which one acts.
		return nil, false
	}
	p := &all[0]
	own = &OwnAccess{Namespace: p.Namespace, Name: p.Name}
	none, unknown := len(p.Access) < accessVariables, false
	for _, v := range p.Access {
		var stored *inventory.StoredSecret
		if v.Secret != "" {
			stored = storedSecret(s, v.Secret)
		}
		switch {
		case v.Unread || v.Secret != "" && (stored == nil || isNewer(stored, p)):
			unknown = true
		case v.Secret != "" && !slices.Contains(stored.Keys, v.Key) || v.Secret == "" && !v.Set:
			none = true
		case v.Name == "PROXMOX_URL":
			own.Server = v.Server
			if stored != nil {
				own.Namespace, own.Name = stored.Namespace, stored.Name
				if v.Key == "url" {
					own.Server = stored.Server
				}
			}
		case v.Name == "PROXMOX_TOKEN" && stored != nil && v.Key == "token":
			own.TokenID = stored.TokenID
		}
	}
	switch {
	case none:
		// One that is empty is enough, whatever the others are.
		return nil, true
	case unknown:
		return nil, false
	}
	return own, true
}

// accessVariables is how many variables CAPMOX makes its access of.
const accessVariables = 3

// isNewer is true for a Secret that may have been written after the Pods of a Deployment came up: what they have in their environment is
// what it was then.
func isNewer(s *inventory.StoredSecret, p *inventory.Provider) bool {
	return s.Changed != nil && (p.RolledOut == nil || s.Changed.After(*p.RolledOut))
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
	own, seen := FindOwnAccess(p.s)
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

// AccessSites are the sites that the credentials by which CAPMOX acts for a cluster lead to; none if that was not seen.
func AccessSites(s *inventory.Snapshot, c *inventory.Cluster) []string {
	own, seen := FindOwnAccess(s)
	switch {
	case !seen:
		return nil
	case own != nil:
		return sitesAt(s, own.Server)
	}
	if d := c.Declared; d != nil && d.Infrastructure != nil {
		if stored := storedSecret(s, d.Infrastructure.CredentialsSecret); stored != nil {
			return sitesAt(s, stored.Server)
		}
	}
	return nil
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
		isHost := func(n inventory.ProxmoxNode) bool {
			return (n.IP == host || n.Name == host) && hostsOfOthersKnown(s, i)
		}
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

// hostsOfOthersKnown is true if the hosts of all other sites were seen: many a site calls one pve1, or has it at 192.168.1.10.
func hostsOfOthersKnown(s *inventory.Snapshot, but int) bool {
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
