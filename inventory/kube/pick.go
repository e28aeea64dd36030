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
	var unknown, failed []string
	for _, v := range d.served[k.group] {
		gv := schema.GroupVersion{Group: k.group, Version: v}
		switch {
		case d.failed[gv] != nil:
			failed = append(failed, fmt.Sprintf("%s: %s", gv, oneLine(d.failed[gv].Error())))
		case slices.Contains(d.resources[gv], k.resource):
			unknown = append(unknown, v)
		}
	}
	switch {
	case len(unknown) > 0:
		return "", inventory.Failed, onlyAs(k, unknown)
	case len(failed) > 0:
		return "", inventory.Failed, "discovery failed: " + strings.Join(failed, "; ")
	}
	return "", inventory.Absent, "not installed"
}

func onlyAs(k kind, served []string) string {
	return fmt.Sprintf("served as %s only, and this proxaudit knows %s", strings.Join(served, ", "), strings.Join(k.versions, ", "))
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
	if d.groupsOnly {
		return true, nil
	}
	_, state, _ := d.pick(kindCluster)
	return state != inventory.Absent, nil
}
