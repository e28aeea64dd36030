package collect

import "github.com/proxaudit/proxaudit/inventory"

// nodesBetweenReads is how many Nodes may have come or gone between two reads of one API server: a run takes both within
// seconds.
const nodesBetweenReads = 2

// sameCluster is true if two fragments are two reads of one cluster. A Node's UID alone proves nothing: a cluster that
// was restored from another's etcd backup has the Node objects of that one, with their UIDs, beside its own or with
// other machines behind them. So both have to have been read in full, and be the same to the last Node; for a Node or
// two that came or went meanwhile, both must have come from the same URL.
func sameCluster(a, b *inventory.Snapshot) bool {
	if !readWhole(a) || !readWhole(b) {
		return false
	}
	first := nodesByUID(a)
	shared := 0
	for i := range b.Nodes {
		n := &b.Nodes[i]
		other := first[n.UID]
		switch {
		case other == nil:
		case other.Name != n.Name || other.SystemUUID != n.SystemUUID:
			// One object has one machine. Only a copy of it has another.
			return false
		default:
			shared++
		}
	}
	differing := len(a.Nodes) + len(b.Nodes) - 2*shared
	if differing == 0 {
		return shared > 0
	}
	return shared > 0 && differing <= nodesBetweenReads && a.Clusters[0].Server != "" && a.Clusters[0].Server == b.Clusters[0].Server
}

// readWhole is true for the fragment of a cluster all of whose Nodes were read.
func readWhole(f *inventory.Snapshot) bool {
	return len(f.Clusters) == 1 && f.Known(inventory.ClusterSource(f.Clusters[0].Key), inventory.ScopeNodes)
}

func nodesByUID(f *inventory.Snapshot) map[string]*inventory.Node {
	out := make(map[string]*inventory.Node, len(f.Nodes))
	for i := range f.Nodes {
		if uid := f.Nodes[i].UID; uid != "" {
			out[uid] = &f.Nodes[i]
		}
	}
	return out
}
