package adopt

import (
	"net"
	"slices"
	"strings"

	"github.com/proxaudit/proxaudit/adopt/addresspool"
)

// checkPool looks for addresses in the cluster's pool that a guest, a Node, a gateway or another pool has, as adopt does before it renders
// one: the pool gives out what no claim of its own holds.
func (v *verifier) checkPool() []Check {
	sites, d := v.plannedSites(), v.cluster.Declared
	if len(sites) != 1 || d == nil || d.Infrastructure == nil {
		// checkCredentials tells of several sites.
		return nil
	}
	entries := slices.Concat(d.Infrastructure.IPv4Addresses, d.Infrastructure.IPv6Addresses)
	set, err := addresspool.Parse(entries)
	if err != nil {
		// The prediction says so.
		return nil
	}
	p := *v.planner
	p.site, p.future.set, p.future.addresses = sites[0], set, entries
	if host, _, err := net.SplitHostPort(v.declaredEndpoint()); err == nil {
		p.endpoint.host = host
	}
	c := Check{Name: CheckPool, Subject: clusterRef(v.cluster.Key), State: CheckOK, Step: StepUnpauseCluster,
		Detail: "nothing that was seen has an address of " + p.poolText()}
	var taken []string
	for _, f := range rulePool.check(&rulePool, &p) {
		for _, detail := range f.Details {
			taken = append(taken, f.Subject.ID+": "+detail)
		}
	}
	if len(taken) > 0 {
		c.State, c.Detail = CheckFailed, strings.Join(taken, "; ")
		c.Remedy = "Take the addresses out of the ProxmoxCluster's pool before anything is unpaused: the next machine would get one of them."
	}
	return []Check{c}
}
