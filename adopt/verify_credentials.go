package adopt

import (
	"cmp"
	"fmt"
	"net"
	"net/url"
	"slices"
	"strings"

	"github.com/proxaudit/proxaudit/inventory"
)

// checkCredentials says where CAPMOX looks for the VMs: it knows them by their VMIDs alone, and on another site that number is another
// guest's. Its own access, from its environment, goes before the Secret that the ProxmoxCluster names (CAPMOX 0.9.0
// pkg/scope/cluster.go: NewClusterScope makes a client only if the manager has none).
func (v *verifier) checkCredentials() []Check {
	sites := v.plannedSites()
	d := v.cluster.Declared
	if len(sites) == 0 || d == nil || d.Infrastructure == nil {
		// checkUnplanned says that nothing was planned, and the prediction that there is no ProxmoxCluster.
		return nil
	}
	c := Check{Name: CheckCredentials, Step: StepUnpauseCluster, State: CheckOK}
	if len(sites) > 1 {
		c.Subject, c.State = clusterRef(v.cluster.Key), CheckFailed
		c.Detail = "the Machines were planned for VMs on the sites " + strings.Join(sites, ", ") + ", and a ProxmoxCluster leads to one"
		c.Remedy = "Leave everything paused: on the other site the VMIDs are other guests'. Give up the adoption (the runbook says how), and plan it anew for one site."
		return []Check{c}
	}
	secret := d.Infrastructure.CredentialsSecret
	namespace, name, _ := strings.Cut(secret, "/")
	server := ""
	whose := "the credentials in it"
	switch own, seen := v.ownCredentials(); {
	case !seen && slices.Equal(v.managedSites(""), sites):
		c.Subject, c.Detail = clusterRef(v.cluster.Key), "CAPMOX's own credentials, if it has any, lead to site "+sites[0]+", as the machines of other clusters show"
		if secret == "" {
			return []Check{c}
		}
	case !seen:
		c.Subject, c.State, c.Missing = clusterRef(v.cluster.Key), CheckUnknown, []inventory.Need{needSecrets}
		c.Detail = "whether CAPMOX has credentials of its own, which go before those in a Secret, was not seen"
		c.Remedy = "Let the account read the Secret that CAPMOX's Deployment takes PROXMOX_URL from, by its name (--read-secrets): of it the host in url is looked at."
		return []Check{c}
	case own != nil && slices.Contains(own.Keys, "url"):
		namespace, name, server, whose = own.Namespace, own.Name, cmp.Or(own.Server, "?"), "CAPMOX's own credentials, which go before the ProxmoxCluster's,"
	case secret == "":
		// The prediction says so.
		return nil
	}
	c.Subject = secretSubject(namespace, name)
	if server == "" {
		i := slices.IndexFunc(v.s.StoredSecrets, func(s inventory.StoredSecret) bool { return s.Namespace == namespace && s.Name == name })
		if i < 0 || v.s.StoredSecrets[i].Absent || !slices.Contains(v.s.StoredSecrets[i].Keys, "url") {
			// The prediction tells of a Secret that is not there, or was not read.
			return nil
		}
		server = v.s.StoredSecrets[i].Server
	}
	switch at := sitesAt(v.s, server); {
	case slices.Equal(at, sites):
		c.Detail = fmt.Sprintf("%s lead to site %s", whose, sites[0])
	case len(at) > 0 && !slices.Contains(at, sites[0]):
		c.State, c.Detail = CheckFailed, fmt.Sprintf("%s lead to site %s (%s), and the VMs are on site %s", whose, strings.Join(at, ", "), server, sites[0])
		c.Remedy = "Leave everything paused: there the VMIDs are other guests'. " + credentialsRemedy
	default:
		c.State, c.Detail = CheckUnknown, fmt.Sprintf("%s lead to %q, and which site that is, is not known", whose, server)
		c.Remedy = "Put the address of site " + sites[0] + " into it, as proxaudit's configuration names it, or that of one of its hosts. " + credentialsRemedy
	}
	return []Check{c}
}

const credentialsRemedy = "CAPMOX takes the access in its environment (PROXMOX_URL) before the Secret that a ProxmoxCluster names; that one is used only if the environment has none." //nolint:gosec // it holds none

// plannedSites are the sites of the VMs that the Machines were planned for.
func (v *verifier) plannedSites() []string {
	var out []string
	for _, m := range v.machines {
		if site, _, ok := strings.Cut(m.Annotations[AnnotationVM], "/"); ok {
			out = append(out, site)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// ownCredentials is the Secret from which CAPMOX's environment comes, or what stands for it where the Deployment itself has it; nil if it takes none, and not seen if that cannot be told.
func (v *verifier) ownCredentials() (secret *inventory.StoredSecret, seen bool) {
	all := slices.DeleteFunc(slices.Clone(v.s.Providers), func(p inventory.Provider) bool { return p.Label != providerCAPMOX })
	if len(all) != 1 || !v.s.Known(inventory.ManagementSource, inventory.ScopeProviders) {
		// Nothing is known of a CAPMOX whose Deployment was not seen, and of two it is not known which one acts.
		return nil, false
	}
	switch p := all[0]; {
	case p.Server != "":
		return &inventory.StoredSecret{Namespace: p.Namespace, Name: p.Name, Keys: []string{"url"}, Server: p.Server}, true
	case p.Credentials == "":
		return nil, true
	default:
		i := slices.IndexFunc(v.s.StoredSecrets, func(s inventory.StoredSecret) bool { return s.Namespace+"/"+s.Name == p.Credentials })
		if i < 0 {
			return nil, false
		}
		return &v.s.StoredSecrets[i], true
	}
}

// sitesAt are the sites that an API's URL leads to: those of the same address, else those that have a host of that address or name.
func sitesAt(s *inventory.Snapshot, server string) []string {
	address, host := addressOf(server)
	var exact, byHost []string
	for i := range s.Sites {
		site := &s.Sites[i]
		a, h := addressOf(site.URL)
		if address != "" && a == address {
			exact = append(exact, site.Name)
		}
		if host != "" && (h == host || slices.ContainsFunc(site.Nodes, func(n inventory.ProxmoxNode) bool { return n.IP == host || n.Name == host })) {
			byHost = append(byHost, site.Name)
		}
	}
	if len(exact) == 0 {
		exact = byHost
	}
	slices.Sort(exact)
	return slices.Compact(exact)
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
