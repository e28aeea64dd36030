package kube

import (
	"context"
	"fmt"
	"net/url"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/proxaudit/proxaudit/inventory"
)

// maxCandidates bounds the versions in which a kind is looked for where discovery names groups only.
const maxCandidates = 6

// candidates are the versions in which to look for a kind where discovery names groups only: every one that its group
// is served in, the known ones first.
func (d *discovered) candidates(k kind) []string {
	var versions []string
	for _, v := range k.versions {
		if slices.Contains(d.served[k.group], v) {
			versions = append(versions, v)
		}
	}
	for _, v := range d.served[k.group] {
		if !slices.Contains(versions, v) {
			versions = append(versions, v)
		}
	}
	return versions
}

// locate finds the version in which a kind is read, like pick. With aggregated discovery that costs nothing. Without
// it the lists tell, in the given namespace (empty for all): a 404 below a group version that the server names means
// that the kind is not in it. Any other answer, a refusal too, ends the search: it is the kind's. try asks for the list
// in a version that is known.
func (c *Client) locate(ctx context.Context, d *discovered, k kind, namespace string, try func(version string) error) (version string, state inventory.State, reason string) {
	if !d.groupsOnly {
		return d.pick(k)
	}
	candidates := d.candidates(k)
	for i, version := range candidates {
		if i == maxCandidates {
			return "", inventory.Failed, fmt.Sprintf("not found in %d versions, and not looked for in %d more that the server names", i, len(candidates)-i)
		}
		if slices.Contains(k.versions, version) {
			if err := try(version); !apierrors.IsNotFound(err) {
				return version, inventory.Complete, ""
			}
			continue
		}
		switch _, _, err := c.get(ctx, collectionPath(k, version, namespace), url.Values{"limit": {"1"}}, ""); {
		case err == nil:
			return "", inventory.Failed, onlyAs(k, []string{version})
		case !apierrors.IsNotFound(err):
			return "", inventory.Failed, "not known whether it is served as " + version + ": " + c.reason(err)
		}
	}
	return "", inventory.Absent, "not installed"
}
