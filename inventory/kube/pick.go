package kube

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/proxaudit/proxaudit/inventory"
)

// pick chooses the version in which a kind is read. Without one, the state says what that means: Absent only if every
// version of the group was described and none has it.
func (d *discovered) pick(k kind) (version string, state inventory.State, reason string) {
	for _, v := range k.versions {
		if slices.Contains(d.resources[schema.GroupVersion{Group: k.group, Version: v}], k.resource) {
			return v, inventory.Complete, ""
		}
	}
	var unknown, failed, unasked []string
	for _, v := range d.served[k.group] {
		gv := schema.GroupVersion{Group: k.group, Version: v}
		switch {
		case d.failed[gv] != nil:
			failed = append(failed, fmt.Sprintf("%s: %s", gv, oneLine(d.failed[gv].Error())))
		case slices.Contains(d.resources[gv], k.resource):
			unknown = append(unknown, v)
		case slices.Contains(d.unasked, gv):
			unasked = append(unasked, v)
		}
	}
	switch {
	case len(unknown) > 0:
		return "", inventory.Failed, fmt.Sprintf("served as %s only, and this proxaudit knows %s",
			strings.Join(unknown, ", "), strings.Join(k.versions, ", "))
	case len(failed) > 0:
		return "", inventory.Failed, "discovery failed: " + strings.Join(failed, "; ")
	case len(unasked) > 0:
		return "", inventory.Failed, "not looked for in version " + strings.Join(unasked, ", ") + ": the server lists too many versions"
	}
	return "", inventory.Absent, "not installed"
}

// failedGroups lists the groups of interest of which at least one version could not be described.
func (d *discovered) failedGroups() []string {
	var out []string
	for _, g := range groupsOfInterest {
		for gv := range d.failed {
			if gv.Group == g {
				out = append(out, g)
				break
			}
		}
	}
	return out
}

// ServesClusterAPI says whether this server is a management cluster: whether it has the kind Cluster, in any version.
func (c *Client) ServesClusterAPI(ctx context.Context) (bool, error) {
	d, err := c.discover(ctx)
	if err != nil {
		return false, &scrubbed{"what the server serves is not known: " + c.explain(err).reason, err}
	}
	if len(d.served[inventory.GroupCluster]) == 0 {
		return false, nil
	}
	_, state, _ := d.pick(kindCluster)
	return state != inventory.Absent, nil
}
