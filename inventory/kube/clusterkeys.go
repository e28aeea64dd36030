package kube

import (
	"github.com/proxaudit/proxaudit/inventory"
)

const labelClusterName = "cluster.x-k8s.io/cluster-name"

// clusterName is a Cluster's name, which is unique within its namespace only.
type clusterName struct{ namespace, name string }

// clusterKeys gives every cluster name of a management cluster its key in the Snapshot.
type clusterKeys map[clusterName]string

// newClusterKeys decides the keys: a declared Cluster is known by its name if no other namespace declares the same,
// else by NAMESPACE/NAME. A name that objects refer to and that no Cluster declares must not be taken for a Cluster
// of another namespace, so it gets the long form as soon as its name means anything else too.
func newClusterKeys(declared, referred []clusterName) clusterKeys {
	keys := clusterKeys{}
	byName := map[string]int{}
	isDeclared := map[clusterName]bool{}
	for _, c := range declared {
		if !isDeclared[c] {
			isDeclared[c] = true
			byName[c.name]++
		}
	}
	for c := range isDeclared {
		keys[c] = keyFor(c, byName[c.name] > 1)
	}
	strays := map[clusterName]bool{}
	for _, c := range referred {
		if c.name != "" && !isDeclared[c] && !strays[c] {
			strays[c] = true
			byName[c.name]++
		}
	}
	for c := range strays {
		keys[c] = keyFor(c, byName[c.name] > 1)
	}
	return keys
}

func keyFor(c clusterName, long bool) string {
	if long {
		return c.namespace + "/" + c.name
	}
	return c.name
}

// of is empty for an object that belongs to no cluster.
func (k clusterKeys) of(namespace, name string) string {
	if name == "" {
		return ""
	}
	if key, ok := k[clusterName{namespace, name}]; ok {
		return key
	}
	return namespace + "/" + name
}

// clusterOf is spec.clusterName, else the label, else the owning Cluster.
func clusterOf(specName string, m *objectMeta) string {
	if specName != "" {
		return specName
	}
	if l := m.Metadata.Labels[labelClusterName]; l != "" {
		return l
	}
	for _, o := range m.Metadata.OwnerReferences {
		if o.Kind == kindCluster.kind && groupOf(o.APIVersion) == inventory.GroupCluster {
			return o.Name
		}
	}
	return ""
}
