package proxmox

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/proxaudit/proxaudit/inventory"
	"github.com/proxaudit/proxaudit/inventory/proxmox/normalize"
	"github.com/proxaudit/proxaudit/inventory/proxmox/transport"
)

// doubt is why the site's word that a VMID is free is not believed, and what to do about it. The zero value is none.
//
// cluster/nextid looks at the guest list of the cluster's file system as the host that answers has it (pve-manager
// PVE/API2/Cluster.pm). In a part of the cluster without a quorum that is an old list, to which the other part may have
// added guests since, so that "free" proves something only where the quorum is known or can be inferred.
type doubt struct{ reason, remedy string }

// noHosts is the doubt about a site of which no host's state is known, with what would make it known.
func noHosts(remedy string) doubt {
	return doubt{"said to be free by a host of which it is not known whether it has a quorum", cmp.Or(remedy, checkQuorum)}
}

const checkQuorum = "on a node: pvecm status"

// doubtOf judges what cluster/status said, or nodes in its place where cluster/status failed with e.
func (c *Collector) doubtOf(st *normalize.Status, e *transport.Error) doubt {
	if st.Quorate != nil {
		if *st.Quorate {
			return doubt{}
		}
		return doubt{"said to be free by a part of the cluster that is not quorate", checkQuorum}
	}
	if st.Clustered != nil && !*st.Clustered {
		return doubt{}
	}
	var away []string
	for _, n := range st.Nodes {
		if n.Status != inventory.NodeOnline {
			away = append(away, n.Name)
		}
	}
	if len(away) == 0 && len(st.Bad) == 0 {
		// A host that sees all others has a quorum.
		return doubt{}
	}
	d := doubt{remedy: checkQuorum}
	switch {
	case len(away) > 0:
		d.reason = "said to be free by a host that may have an old list: the quorum is not known, and not online are " + strings.Join(fewNames(away), ", ")
	default:
		d.reason = "said to be free by a host that may have an old list: the quorum is not known, and not all hosts could be read"
	}
	if e != nil {
		d.reason += " (" + e.Error() + ")"
		d.remedy = c.remedy(e)
	}
	return d
}

// fewNames keeps a reason readable.
func fewNames(names []string) []string {
	if len(names) <= maxReasons {
		return names
	}
	return append(names[:maxReasons:maxReasons], fmt.Sprintf("%d more", len(names)-maxReasons))
}
