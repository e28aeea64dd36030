package proxmox

import (
	"context"
	"fmt"
	"strings"

	"github.com/proxaudit/proxaudit/inventory"
	"github.com/proxaudit/proxaudit/inventory/proxmox/normalize"
	"github.com/proxaudit/proxaudit/inventory/proxmox/transport"
)

// The names of the checks, in the order in which they are made.
const (
	checkReach   = "reach"
	checkTLS     = "tls"
	checkToken   = "token"
	checkAuth    = "authentication"
	checkVersion = "version"
	checkPerms   = "permissions"
	checkStatus  = "cluster status"
	checkGuests  = "guest list"
)

// Doctor checks, step by step, whether the site can be read in full, and says what to do where it cannot. Checks that
// could not be tried because of one before them are there as skipped.
func (c *Collector) Doctor(ctx context.Context) []inventory.Check {
	d := &doctor{c: c}
	d.shape()
	if d.entry(ctx) {
		d.permissions(ctx)
		d.status(ctx)
		d.guests(ctx)
	} else {
		for _, name := range []string{checkPerms, checkStatus, checkGuests} {
			d.add(name, inventory.CheckSkipped, "the API could not be asked", "")
		}
	}
	source := inventory.SiteSource(c.Name())
	for i := range d.checks {
		d.checks[i].Source = source
	}
	return d.checks
}

type doctor struct {
	c      *Collector
	checks []inventory.Check
	vis    inventory.Visibility
}

func (d *doctor) add(name string, status inventory.CheckStatus, detail, remedy string) {
	d.checks = append(d.checks, inventory.Check{Name: name, Status: status, Detail: detail, Remedy: remedy})
}

// shape says what New has let through. Proxmox makes every secret a UUID; anything else will be refused there.
func (d *doctor) shape() {
	if uuidShape.MatchString(d.c.cfg.Secret.Reveal()) {
		d.add(checkToken, inventory.CheckOK, d.c.cfg.TokenID, "")
		return
	}
	d.add(checkToken, inventory.CheckWarning, d.c.cfg.TokenID+": its secret is not a UUID, as every secret that Proxmox makes is",
		"give the value that Proxmox showed when the token was made")
}

// entry asks for the version, which any token may, and takes the outcome apart. It returns whether it makes sense to
// ask on.
func (d *doctor) entry(ctx context.Context) bool {
	data, e := d.c.get(ctx, pathVersion)
	where := d.c.base.Scheme + "://" + d.c.base.Host
	if e != nil && (e.Kind == transport.Unreachable || e.Kind == transport.Canceled) {
		if problem := tlsProblem(e); problem != "" {
			d.add(checkReach, inventory.CheckOK, where+" answers", "")
			d.add(checkTLS, inventory.CheckFailed, problem, d.c.tlsRemedy(e))
		} else {
			d.add(checkReach, inventory.CheckFailed, where+": "+e.Reason, d.c.reachRemedy(e))
			d.add(checkTLS, inventory.CheckSkipped, "no connection", "")
		}
		d.add(checkAuth, inventory.CheckSkipped, "no connection", "")
		d.add(checkVersion, inventory.CheckSkipped, "no connection", "")
		return false
	}
	d.add(checkReach, inventory.CheckOK, where+" answers", "")
	d.tls()
	switch {
	case e != nil && e.Status == 401:
		d.add(checkAuth, inventory.CheckFailed, e.Short(), d.c.tokenRemedy())
		d.add(checkVersion, inventory.CheckSkipped, "not authenticated", "")
		return false
	case e != nil:
		d.add(checkAuth, inventory.CheckSkipped, "the answer does not tell", "")
		d.add(checkVersion, inventory.CheckFailed, e.Error(), d.c.urlRemedy())
		return e.Kind != transport.Malformed
	}
	d.add(checkAuth, inventory.CheckOK, "the token is accepted", "")
	d.version(data)
	return true
}

func (d *doctor) tls() {
	cfg := d.c.cfg
	switch {
	case d.c.base.Scheme == "http":
		d.add(checkTLS, inventory.CheckWarning, "plain HTTP: the token can be read on the way", "use https")
	case cfg.Fingerprint != "":
		d.add(checkTLS, inventory.CheckOK, "the certificate is the pinned one", "")
	case cfg.Insecure:
		d.add(checkTLS, inventory.CheckWarning, "the certificate is not checked: whoever answers gets the token; SHA-256 fingerprint of the certificate: "+d.c.served(),
			pinRemedy(d.c.served()))
	default:
		d.add(checkTLS, inventory.CheckOK, "the certificate is valid", "")
	}
}

// oldestSupported is the oldest major version whose answers were looked at.
const oldestSupported = 7

func (d *doctor) version(data any) {
	version, major, err := normalize.Version(data)
	if err != nil {
		d.add(checkVersion, inventory.CheckFailed, err.Error(), d.c.urlRemedy())
		return
	}
	d.c.mu.Lock()
	d.c.major = major
	d.c.mu.Unlock()
	if major < oldestSupported {
		d.add(checkVersion, inventory.CheckWarning, "Proxmox VE "+version+" is older than what proxaudit knows (7 to 9)", "")
		return
	}
	d.add(checkVersion, inventory.CheckOK, "Proxmox VE "+version, "")
}

// status checks the cluster itself, as far as the token may see it.
func (d *doctor) status(ctx context.Context) {
	data, e := d.c.get(ctx, pathStatus)
	if e != nil {
		level := inventory.CheckFailed
		if e.Kind == transport.Refused {
			// The list of nodes stands in for it: only quorum and addresses stay unknown.
			level = inventory.CheckWarning
		}
		d.add(checkStatus, level, e.Short(), d.c.remedy(e))
		return
	}
	st, err := normalize.ClusterStatus(data)
	if err != nil {
		d.add(checkStatus, inventory.CheckFailed, err.Error(), "")
		return
	}
	d.c.mu.Lock()
	if d.c.name == "" {
		d.c.name = st.ClusterName
	}
	d.c.mu.Unlock()
	if st.Quorate != nil && !*st.Quorate {
		d.add(checkStatus, inventory.CheckFailed, "cluster "+st.ClusterName+" is not quorate: nothing here can prove that a guest is gone",
			"on a node: pvecm status")
		return
	}
	var away []string
	for _, n := range st.Nodes {
		if n.Status != inventory.NodeOnline {
			away = append(away, n.Name)
		}
	}
	if len(away) > 0 {
		d.add(checkStatus, inventory.CheckWarning, fmt.Sprintf("%d of %d nodes are offline: %s (their guests' configurations cannot be read)",
			len(away), len(st.Nodes), strings.Join(away, ", ")), "start them, or for a node that is gone for good: pvecm delnode NAME")
		return
	}
	d.add(checkStatus, inventory.CheckOK, fmt.Sprintf("%d nodes, all online", len(st.Nodes)), "")
}

func (d *doctor) guests(ctx context.Context) {
	data, e := d.c.get(ctx, pathResources)
	if e != nil {
		d.add(checkGuests, inventory.CheckFailed, e.Error(), d.c.remedy(e))
		return
	}
	vms, bad, err := normalize.Guests(data)
	switch {
	case err != nil:
		d.add(checkGuests, inventory.CheckFailed, err.Error(), "")
	case len(bad) > 0:
		d.add(checkGuests, inventory.CheckWarning, "some rows cannot be read: "+firstFew(bad), "")
	case len(vms) == 0 && !d.vis.Complete:
		d.add(checkGuests, inventory.CheckFailed, "the list is empty, for this token cannot see VMs", d.c.grant("/", "PVEAuditor"))
	case !d.vis.Complete:
		d.add(checkGuests, inventory.CheckWarning, fmt.Sprintf("%d guests; there may be others that this token cannot see", len(vms)),
			d.c.grant("/", "PVEAuditor"))
	default:
		d.add(checkGuests, inventory.CheckOK, fmt.Sprintf("%d guests", len(vms)), "")
	}
}
