package proxmox

import (
	"context"
	"slices"

	"github.com/proxaudit/proxaudit/inventory"
	"github.com/proxaudit/proxaudit/inventory/proxmox/normalize"
	"github.com/proxaudit/proxaudit/inventory/proxmox/transport"
)

// The questions of the first pass, beside the configurations.
const (
	pathVersion     = "/version"
	pathPermissions = "/access/permissions"
	pathStatus      = "/cluster/status"
	pathNodes       = "/nodes"
	pathResources   = "/cluster/resources?type=vm"
)

// Collect lists the site: its nodes, its guests and their configurations. It always returns the site, at least by
// name; what could not be read is in the coverage. The fragment's Requests are those of this pass (Requests counts
// all passes).
func (c *Collector) Collect(ctx context.Context) *inventory.Snapshot {
	l := &listing{pass: c.newPass()}
	l.site = inventory.Site{URL: c.base.String(), Regions: slices.Clone(c.cfg.Regions)}
	entry := l.version(ctx)
	if entry != nil {
		l.giveUp(entry)
	} else {
		l.permissions(ctx)
		l.status(ctx)
		l.guests(ctx)
	}
	l.settleName()
	l.configurations(ctx)
	if entry == nil && c.cfg.Adoption {
		l.storages(ctx)
	}
	if entry == nil && c.cfg.asksTasks() {
		l.tasks(ctx)
	}
	l.snapshot.Sites = []inventory.Site{l.site}
	l.snapshot.VMs = l.vms
	return l.finish()
}

// listing is the first pass in the making.
type listing struct {
	*pass
	site inventory.Site
	vms  []inventory.VM
	// permitted is what the token's permissions say of the guest list; nil if they could not be read.
	permitted *inventory.Visibility
	// perms is the dump that this was read from; nil if it could not be read.
	perms normalize.Permissions
	// allHosts is true if the site's nodes are all there are.
	allHosts bool
	// whole is true if the guest list can be taken for all guests there are.
	whole bool
}

// version asks for the version. It is the first question, and its error is returned if it says that every other
// question would end the same way: nothing listens there, or the token is no good (which Proxmox answers only after
// three seconds, each time).
func (l *listing) version(ctx context.Context) *transport.Error {
	data, e := l.c.get(ctx, pathVersion)
	if e != nil {
		cov := l.c.unanswered(inventory.ScopeVersion, e)
		cov.Optional = true
		l.cover(cov)
		if endsSite(e) {
			return e
		}
		return nil
	}
	version, major, err := normalize.Version(data)
	if err != nil {
		cov := misread(inventory.ScopeVersion, pathVersion, err)
		cov.Optional = true
		l.cover(cov)
		return nil
	}
	l.site.Version = version
	l.c.mu.Lock()
	l.c.major = major
	l.c.mu.Unlock()
	l.cover(answered(inventory.ScopeVersion))
	return nil
}

// endsSite is true for an error after which every other question to the site would end the same way.
func endsSite(e *transport.Error) bool {
	return e.Kind == transport.Unreachable || e.Kind == transport.Canceled || e.Status == 401
}

// giveUp covers what was not asked, because the first question has shown that it would bring nothing.
func (l *listing) giveUp(e *transport.Error) {
	for _, scope := range []string{inventory.ScopePermissions, inventory.ScopeClusterStatus, inventory.ScopeGuests} {
		cov := l.c.unanswered(scope, e)
		cov.Reason = "not asked, after " + e.Error()
		l.cover(cov)
	}
	var more []string
	if l.c.cfg.Adoption {
		more = append(more, inventory.ScopeStorages)
	}
	if l.c.cfg.asksTasks() {
		more = append(more, inventory.ScopeTasks)
	}
	for _, scope := range more {
		cov := l.c.unanswered(scope, e)
		cov.Reason, cov.Optional = "not asked, after "+e.Error(), true
		l.cover(cov)
	}
	l.site.Visibility.Reasons = []string{"not asked, after " + e.Error()}
}

func (l *listing) permissions(ctx context.Context) {
	data, e := l.c.get(ctx, pathPermissions)
	if e != nil {
		l.cover(l.c.unanswered(inventory.ScopePermissions, e))
		l.site.Visibility.Reasons = []string{"the token's permissions could not be read: " + e.Error()}
		return
	}
	perms, err := normalize.ParsePermissions(data)
	if err != nil {
		cov := misread(inventory.ScopePermissions, pathPermissions, err)
		l.cover(cov)
		l.site.Visibility.Reasons = []string{cov.Reason}
		return
	}
	vis := perms.Visibility()
	l.permitted, l.perms = &vis, perms
	l.site.Visibility = perms.Visibility()
	l.cover(answered(inventory.ScopePermissions))
}

// status reads the state of the cluster and its nodes. Without Sys.Audit the cluster's status is refused, and the
// list of nodes, which everybody may read, says at least which of them are online.
func (l *listing) status(ctx context.Context) {
	data, e := l.c.get(ctx, pathStatus)
	cov := answered(inventory.ScopeClusterStatus)
	if e != nil {
		cov = l.c.unanswered(inventory.ScopeClusterStatus, e)
	} else {
		st, err := normalize.ClusterStatus(data)
		if err == nil {
			l.take(st, nil)
			if len(st.Bad) > 0 {
				cov.State, cov.Reason = inventory.Partial, "GET "+pathStatus+": "+firstFew(st.Bad)
				cov.Asked, cov.Got, cov.Failed = len(st.Nodes)+len(st.Bad), len(st.Nodes), len(st.Bad)
			}
			l.cover(cov)
			return
		}
		cov = misread(inventory.ScopeClusterStatus, pathStatus, err)
	}
	why := e
	data, e = l.c.get(ctx, pathNodes)
	if e != nil {
		l.believe(noHosts(cov.Remedy))
		cov.Reason += "; " + e.Error()
		l.cover(cov)
		return
	}
	st, err := normalize.Nodes(data)
	switch {
	case err != nil:
		l.believe(noHosts(cov.Remedy))
		cov.Reason += "; GET " + pathNodes + ": " + err.Error()
	case len(st.Bad) > 0:
		cov.Reason += "; GET " + pathNodes + ": " + firstFew(st.Bad)
		l.take(st, why)
	default:
		// The nodes' states are known from here; what is missing (quorum, addresses) only makes the output poorer.
		cov.Optional = true
		l.take(st, why)
	}
	l.cover(cov)
}

// take uses what cluster/status said, or nodes where cluster/status failed with why.
func (l *listing) take(st *normalize.Status, why *transport.Error) {
	l.site.Nodes, l.allHosts = st.Nodes, len(st.Bad) == 0
	l.site.Standalone = st.Clustered != nil && !*st.Clustered
	l.site.Quorate = st.Quorate
	l.site.ClusterName = st.ClusterName
	l.believe(l.c.doubtOf(st, why))
}

// believe notes how far the site's "free" can be believed.
func (l *listing) believe(d doubt) {
	l.c.mu.Lock()
	defer l.c.mu.Unlock()
	l.c.free = d
}

// settleName gives the site its name and puts it on everything.
func (l *listing) settleName() {
	l.c.mu.Lock()
	switch {
	case l.c.cfg.Site != "":
	case l.site.ClusterName != "":
		l.c.name = l.site.ClusterName
	case len(l.site.Nodes) == 1:
		l.c.name = l.site.Nodes[0].Name
	}
	l.c.mu.Unlock()
	l.site.Name = l.c.Name()
	for i := range l.vms {
		l.vms[i].Site = l.site.Name
	}
}
