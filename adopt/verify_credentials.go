package adopt

import (
	"cmp"
	"fmt"
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
	whose, used := "the credentials in it", secret
	switch own, seen := FindOwnAccess(v.s); {
	case !seen && slices.Equal(v.managedSites(""), sites):
		c.Subject, c.Detail = clusterRef(v.cluster.Key), "CAPMOX's own credentials, if it has any, lead to site "+sites[0]+", as the machines of other clusters show"
		if secret == "" {
			return []Check{c}
		}
	case !seen:
		c.Subject, c.State, c.Missing = clusterRef(v.cluster.Key), CheckUnknown, []inventory.Need{needSecrets}
		c.Detail = "whether CAPMOX has credentials of its own, which go before those in a Secret, was not seen"
		c.Remedy = "Let the account read the Secret that CAPMOX's Deployment takes PROXMOX_URL from, by its name (--read-secrets): of it the host in url and the token's ID are looked at."
		if name := v.newerThanCAPMOX(); name != "" {
			c.Missing = nil
			c.Detail = "the Secret " + name + ", which CAPMOX takes its own access from, was written after CAPMOX started: what it has in its environment is older"
			c.Remedy = "Start CAPMOX anew (kubectl rollout restart), so that it has what the Secret says."
		}
		return []Check{c}
	case own != nil:
		used = ""
		namespace, name, server, whose = own.Namespace, own.Name, cmp.Or(own.Server, "?"), "CAPMOX's own credentials, which go before the ProxmoxCluster's,"
	case secret == "":
		// The prediction says so.
		return nil
	}
	c.Subject = secretSubject(namespace, name)
	if server == "" {
		stored := storedSecret(v.s, secret)
		if stored == nil || stored.Absent || !slices.Contains(stored.Keys, "url") {
			// The prediction tells of a Secret that is not there, or was not read.
			return nil
		}
		server = stored.Server
	}
	switch at := sitesAt(v.s, server); {
	case slices.Equal(at, sites):
		c.Detail = fmt.Sprintf("%s lead to site %s", whose, sites[0])
	case len(at) > 0 && !slices.Contains(at, sites[0]):
		c.State, c.Detail = CheckFailed, fmt.Sprintf("%s lead to site %s (%s), and the VMs are on site %s", whose, strings.Join(at, ", "), server, sites[0])
		c.Remedy = "Leave everything paused: there the VMIDs are other guests'. " + credentialsRemedy
	case len(at) == 0 && slices.Equal(v.managedSites(used), sites):
		c.Detail = fmt.Sprintf("%s lead to site %s, as the machines of other clusters show", whose, sites[0])
	default:
		c.State, c.Detail = CheckUnknown, fmt.Sprintf("%s lead to %q, and which site that is, is not known", whose, server)
		c.Remedy = "Put the address of site " + sites[0] + " into it, as proxaudit's configuration names it, or that of one of its hosts. " + credentialsRemedy
	}
	return []Check{c}
}

const credentialsRemedy = "CAPMOX takes the access in its environment (PROXMOX_URL) before the Secret that a ProxmoxCluster names; that one is used only if the environment has none." //nolint:gosec // it holds none

// newerThanCAPMOX is a Secret of CAPMOX's environment that was written after it started; empty if there is none.
func (v *verifier) newerThanCAPMOX() string {
	for i := range v.s.Providers {
		p := &v.s.Providers[i]
		for _, a := range p.Access {
			if s := storedSecret(v.s, a.Secret); p.Label == providerCAPMOX && s != nil && isNewer(s, p) {
				return a.Secret
			}
		}
	}
	return ""
}

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
