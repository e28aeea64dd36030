package kube

import (
	"github.com/proxaudit/proxaudit/inventory"
)

// normalise turns the collected objects into the Snapshot's structs. It runs over the kinds in a fixed order, so that
// the order in which lists came back does not matter.
func (m *managementReader) normalise() {
	var declared []*inventory.DeclaredCluster
	use(m.got[kindCluster.scope()], func(o object) error {
		d, err := declaredCluster(o)
		if err == nil {
			declared = append(declared, d)
		}
		return err
	})
	infra := map[clusterName]*inventory.ProxmoxCluster{}
	use(m.got[kindProxmoxCluster.scope()], func(o object) error {
		p, err := proxmoxCluster(o)
		if err == nil {
			infra[clusterName{o.namespace, o.name}] = p
		}
		return err
	})
	keys := m.keys()
	for _, d := range declared {
		if r := d.InfrastructureRef; r != nil && r.Group == kindProxmoxCluster.group && r.Kind == kindProxmoxCluster.kind {
			d.Infrastructure = infra[clusterName{r.Namespace, r.Name}]
		}
		m.snap.Clusters = append(m.snap.Clusters, inventory.Cluster{Key: keys.of(d.Namespace, d.Name), Declared: d})
	}
	use(m.got[kindMachine.scope()], func(o object) error {
		return add(&m.snap.Machines)(machine(o, keys))
	})
	use(m.got[kindProxmoxMachine.scope()], func(o object) error {
		return add(&m.snap.ProxmoxMachines)(proxmoxMachine(o, keys))
	})
	for _, k := range []kind{kindMachineSet, kindMachineDeployment, kindKubeadmControlPlane, kindTalosControlPlane} {
		use(m.got[k.scope()], func(o object) error { return add(&m.snap.Groups)(group(o, keys)) })
	}
	use(m.got[kindDeployment.scope()], func(o object) error { return add(&m.snap.Providers)(provider(o)) })

	for _, k := range append(kinds[:len(kinds):len(kinds)], kindDeployment) {
		got := m.got[k.scope()]
		addBroken(&got.cov, got.broken)
		m.snap.Coverage = append(m.snap.Coverage, got.cov)
		if k.scope() == scopeProviders {
			continue
		}
		for _, o := range got.objects {
			m.snap.Objects = append(m.snap.Objects, o.asServed())
		}
	}
}

// keys looks at every object that names a cluster, usable or not: a Cluster that cannot be decoded still has its name.
func (m *managementReader) keys() clusterKeys {
	var declared, referred []clusterName
	for _, o := range m.got[kindCluster.scope()].objects {
		declared = append(declared, clusterName{o.namespace, o.name})
	}
	for _, k := range []kind{kindMachine, kindProxmoxMachine, kindMachineSet, kindMachineDeployment, kindKubeadmControlPlane, kindTalosControlPlane} {
		for _, o := range m.got[k.scope()].objects {
			ref, err := decode[struct {
				objectMeta
				Spec struct {
					ClusterName string `json:"clusterName"`
				} `json:"spec"`
			}](o)
			if err != nil {
				// The kind's own normaliser reports it.
				continue
			}
			referred = append(referred, clusterName{o.namespace, clusterOf(ref.Spec.ClusterName, &ref.objectMeta)})
		}
	}
	return newClusterKeys(declared, referred)
}

// use feeds each object to a function and notes those that it cannot use.
func use(got *collected, f func(object) error) {
	for _, o := range got.objects {
		if err := f(o); err != nil {
			got.broken = append(got.broken, err.Error())
		}
	}
}

// add appends a normalised object unless there was an error.
func add[T any](to *[]T) func(T, error) error {
	return func(v T, err error) error {
		if err == nil {
			*to = append(*to, v)
		}
		return err
	}
}
