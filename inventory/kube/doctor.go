package kube

import (
	"context"
	"net/url"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	kjson "k8s.io/apimachinery/pkg/util/json"

	"github.com/proxaudit/proxaudit/inventory"
)

// Role is what an API server is read for.
type Role string

// The roles.
const (
	RoleManagement Role = "management"
	RoleWorkload   Role = "workload"
)

// Doctor tries what a run needs of this server, one thing after the other. Permissions are tested by doing what the
// run does, with LIST ?limit=1: an answer about a permission is not the permission.
//
// With namespaces, the lists of a management cluster are tried in each of them instead of over all.
func (c *Client) Doctor(ctx context.Context, role Role, namespaces ...string) []inventory.Check {
	d := &doctor{c: c, source: inventory.ManagementSource, namespaces: namespaces}
	if role == RoleWorkload {
		d.source = inventory.ClusterSource(c.target.Key)
	}
	d.add("kubeconfig", inventory.CheckOK, c.access+", server "+c.Server(), "")
	if !d.reach(ctx) {
		return d.checks
	}
	served, ok := d.authenticate(ctx)
	if !ok {
		d.skip("permissions")
		return d.checks
	}
	if role == RoleWorkload {
		d.permission(ctx, kindNode, "v1", true)
		d.kubeadm(ctx)
		return d.checks
	}
	d.groups(served)
	for _, k := range kinds {
		namespace := ""
		if len(d.namespaces) > 0 && !k.clusterScoped {
			namespace = d.namespaces[0]
		}
		version, state, reason := c.locate(ctx, served, k, namespace, func(version string) error {
			_, _, err := c.get(ctx, collectionPath(k, version, namespace), url.Values{"limit": {"1"}}, "")
			return err
		})
		switch {
		case version != "":
			d.permission(ctx, k, version, k.needed)
		case state != inventory.Absent:
			d.add("api "+k.scope(), d.grade(k.needed), reason, "kubectl api-resources --api-group="+k.group)
		}
	}
	d.permission(ctx, kindDeployment, "v1", false)
	d.controllers(ctx)
	return d.checks
}

// DoctorEvents tries to list the Events in the namespaces of the declared clusters, which why reads.
func (c *Client) DoctorEvents(ctx context.Context, namespaces ...string) []inventory.Check {
	d := &doctor{c: c, source: inventory.ManagementSource}
	d.optional(ctx, "events about clusters", kindEvent, "", namespaces, "why does not see what the controllers said of an object")
	return d.checks
}

type doctor struct {
	c          *Client
	source     string
	namespaces []string
	checks     []inventory.Check
}

func (d *doctor) add(name string, status inventory.CheckStatus, detail, remedy string) {
	d.checks = append(d.checks, inventory.Check{Source: d.source, Name: name, Status: status,
		Detail: d.c.known.scrub(detail), Remedy: d.c.known.scrub(remedy)})
}

func (d *doctor) skip(names ...string) {
	for _, n := range names {
		d.add(n, inventory.CheckSkipped, "not tried: the check before it failed", "")
	}
}

func (d *doctor) grade(needed bool) inventory.CheckStatus {
	if needed {
		return inventory.CheckFailed
	}
	return inventory.CheckWarning
}

// reach asks for /version, which every server answers to everybody.
func (d *doctor) reach(ctx context.Context) bool {
	version, err := d.c.serverVersion(ctx)
	if err == nil {
		d.add("reachable", inventory.CheckOK, "Kubernetes "+version, "")
		d.tls()
		return true
	}
	f := d.c.explain(err)
	if apierrors.IsForbidden(err) || apierrors.IsUnauthorized(err) {
		// It answers; /apis will tell about the credentials.
		d.add("reachable", inventory.CheckOK, "the server answers, without its version: "+f.reason, "")
		d.tls()
		return true
	}
	if f.tls {
		d.add("reachable", inventory.CheckOK, "something answers", "")
		d.add("tls", inventory.CheckFailed, f.reason, f.remedy)
		d.skip("authentication", "permissions")
		return false
	}
	d.add("reachable", inventory.CheckFailed, f.reason, f.remedy)
	d.skip("tls", "authentication", "permissions")
	return false
}

func (d *doctor) tls() {
	switch {
	case d.c.server.Scheme != "https":
		d.add("tls", inventory.CheckWarning, "the connection is not encrypted: "+d.c.Server(), "use an https server in the kubeconfig")
	case d.c.config.Insecure:
		d.add("tls", inventory.CheckWarning, "the kubeconfig skips the verification of the server's certificate", "put the cluster's CA into certificate-authority-data")
	default:
		d.add("tls", inventory.CheckOK, "the server's certificate was verified", "")
	}
}

// authenticate asks for /apis, which is open to everybody whom the server knows.
func (d *doctor) authenticate(ctx context.Context) (*discovered, bool) {
	served, err := d.c.discover(ctx)
	if err != nil {
		f := d.c.explain(err)
		if apierrors.IsForbidden(err) {
			f.remedy = "the server takes you for somebody without the role system:discovery: check the kubeconfig's user"
		}
		d.add("authentication", inventory.CheckFailed, f.reason, f.remedy)
		return nil, false
	}
	d.add("authentication", inventory.CheckOK, "the server lists its API groups", "")
	return served, true
}

func (d *doctor) groups(served *discovered) {
	for _, g := range groupsOfInterest {
		name := "api group " + g
		versions := served.served[g]
		var failed []string
		for _, v := range versions {
			for gv, err := range served.failed {
				if gv.Group == g && gv.Version == v {
					failed = append(failed, v+": "+oneLine(err.Error()))
				}
			}
		}
		needed := g == inventory.GroupCluster
		switch {
		case len(failed) > 0:
			d.add(name, d.grade(needed || g == inventory.GroupInfrastructure), "discovery failed: "+strings.Join(failed, "; "), "kubectl get apiservices")
		case len(versions) == 0 && needed:
			d.add(name, inventory.CheckFailed, "not served: this is no management cluster", "name the management cluster's context with --context")
		case len(versions) == 0:
			d.add(name, inventory.CheckOK, "not installed", "")
		default:
			d.add(name, inventory.CheckOK, "served as "+strings.Join(versions, ", "), "")
		}
	}
}

// permission lists one object of a kind, in each namespace that counts.
func (d *doctor) permission(ctx context.Context, k kind, version string, needed bool) {
	query := url.Values{"limit": {"1"}}
	namespaces := d.namespaces
	if k.scope() == scopeProviders {
		query.Set("labelSelector", providerLabel)
		namespaces = nil
	}
	if k.clusterScoped || len(namespaces) == 0 {
		namespaces = []string{""}
	}
	for _, ns := range namespaces {
		d.permissionIn(ctx, k, version, query, ns, needed)
	}
}

func (d *doctor) permissionIn(ctx context.Context, k kind, version string, query url.Values, namespace string, needed bool) {
	path := collectionPath(k, version, namespace)
	body, _, err := d.c.get(ctx, path, query, "")
	if err == nil {
		_, err = readPage(body, path, k.list(version))
	}
	name := "permission list " + strings.TrimSuffix(k.scope(), ".")
	if namespace != "" {
		name += " in namespace " + namespace
	}
	if err == nil {
		d.add(name, inventory.CheckOK, "", "")
		return
	}
	f := d.c.explain(err)
	if apierrors.IsForbidden(err) {
		f.remedy = rbacRule(k.group, k.resource, "list")
	}
	d.add(name, d.grade(needed), f.reason, f.remedy)
}

// controllers tries what why reads of the providers, in the namespaces that they are in.
func (d *doctor) controllers(ctx context.Context) {
	l := d.c.list(ctx, kindDeployment, "v1", "", providerLabel)
	// That the Deployments cannot be listed stands in their own check.
	var namespaces []string
	for _, raw := range l.items {
		var o objectMeta
		if err := kjson.Unmarshal(raw, &o); err == nil && o.Metadata.Namespace != "" {
			namespaces = append(namespaces, o.Metadata.Namespace)
		}
	}
	slices.Sort(namespaces)
	namespaces = slices.Compact(namespaces)
	d.optional(ctx, "pods of the providers", kindPod, providerLabel, namespaces, "why does not see whether the controllers' Pods run")
	d.optional(ctx, "leases of the providers", kindLease, "", namespaces, "why does not see whether a controller has a leader")
}

// optional tries a list that one command reads and no verdict needs, in some namespaces: that it is refused is a note.
func (d *doctor) optional(ctx context.Context, what string, k kind, selector string, namespaces []string, without string) {
	query := url.Values{"limit": {"1"}}
	if selector != "" {
		query.Set("labelSelector", selector)
	}
	var refused []string
	var why failure
	for _, ns := range namespaces {
		_, _, err := d.c.get(ctx, collectionPath(k, k.versions[0], ns), query, "")
		if err == nil {
			continue
		}
		if refused = append(refused, ns); len(refused) > 1 {
			continue
		}
		if why = d.c.explain(err); apierrors.IsForbidden(err) {
			why.remedy = rbacRule(k.group, k.resource, "list") + "; examples/rbac/management.yaml has it in proxaudit-progress, and Roles in these namespaces are enough"
		}
		if why.whole {
			break
		}
	}
	switch {
	case len(refused) > 0:
		d.add("permission list "+what, inventory.CheckNote, without+": refused in "+strings.Join(refused, ", ")+": "+why.reason, why.remedy)
	case len(namespaces) > 0:
		d.add("permission list "+what, inventory.CheckOK, "", "")
	}
}

func (d *doctor) kubeadm(ctx context.Context) {
	const name = "permission get kube-system/kubeadm-config"
	_, _, err := d.c.get(ctx, kubeadmConfigPath, nil, "")
	switch {
	case err == nil:
		d.add(name, inventory.CheckOK, "", "")
	case apierrors.IsNotFound(err):
		d.add(name, inventory.CheckOK, "there is none: kubeadm did not make this cluster", "")
	default:
		f := d.c.explain(err)
		if apierrors.IsForbidden(err) {
			f.remedy = kubeadmRule
		}
		d.add(name, inventory.CheckWarning, f.reason, f.remedy)
	}
}

// kubeadmRule is the rule for kubeadm-config.
var kubeadmRule = configMapRule("kubeadm-config")
