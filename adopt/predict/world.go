package predict

import (
	"fmt"
	"slices"
	"strings"

	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/proxaudit/proxaudit/adopt"
	"github.com/proxaudit/proxaudit/inventory"
)

// world is what the controllers of one cluster would see.
type world struct {
	s               *inventory.Snapshot
	cluster         *inventory.Cluster
	namespace, name string
	self            *clusterObject

	infra           []*infraObject
	machines        []*machineObject
	proxmoxMachines []*vmObject
	configs         []*configObject
	planes          []*planeObject
	sets            []*setObject
	deployments     []*deploymentObject
	checks          []*checkObject
	// nodes are the cluster's own.
	nodes []*inventory.Node

	// own, byInfra and bySet keep what members, owners and selected found: each is asked for once for every Machine.
	own            []*machineObject
	byInfra, bySet map[string][]*machineObject

	vms    map[string]vmVerdict
	nodeOf map[string]nodeVerdict
	out    []adopt.Prediction
}

// newWorld returns the prediction that is left where no Cluster object is known.
func newWorld(s *inventory.Snapshot, key string) (*world, *adopt.Prediction) {
	nothing := func(v verdict) (*world, *adopt.Prediction) {
		w := &world{}
		w.say(adopt.ControllerCluster, inventory.Ref{Group: inventory.GroupCluster, Kind: kindCluster.kind, Name: key}, v)
		return nil, &w.out[0]
	}
	i := slices.IndexFunc(s.Clusters, func(c inventory.Cluster) bool { return c.Key == key })
	if i < 0 || s.Clusters[i].Declared == nil {
		if s.Known(inventory.ManagementSource, inventory.ScopeClusters) {
			return nothing(is(adopt.CannotTell, "no Cluster object declares it: apply the manifests, paused, and collect again"))
		}
		return nothing(unseen([]inventory.Need{{Source: inventory.ManagementSource, Scope: inventory.ScopeClusters}},
			"no Cluster object was seen, and not all of them were read"))
	}
	d := s.Clusters[i].Declared
	w := &world{s: s, cluster: &s.Clusters[i], namespace: d.Namespace, name: d.Name,
		vms: map[string]vmVerdict{}, nodeOf: map[string]nodeVerdict{}}
	w.self = find(objectsOf[clusterv1.Cluster](s, kindCluster, d.Namespace), d.Name)
	if w.self == nil {
		return nothing(unseen([]inventory.Need{{Source: inventory.ManagementSource, Scope: inventory.ScopeClusters}},
			"the Cluster object itself was not kept in the Snapshot"))
	}
	w.infra = objectsOf[proxmoxCluster](s, kindProxmoxCluster, d.Namespace)
	w.machines = objectsOf[clusterv1.Machine](s, kindMachine, d.Namespace)
	w.proxmoxMachines = objectsOf[proxmoxMachine](s, kindProxmoxMachine, d.Namespace)
	w.configs = objectsOf[configValue](s, kindConfig, d.Namespace)
	w.planes = objectsOf[planeValue](s, kindControlPlane, d.Namespace)
	w.sets = objectsOf[clusterv1.MachineSet](s, kindMachineSet, d.Namespace)
	w.deployments = objectsOf[clusterv1.MachineDeployment](s, kindMachineDeployment, d.Namespace)
	w.checks = objectsOf[clusterv1.MachineHealthCheck](s, kindHealthCheck, d.Namespace)
	for j := range s.Nodes {
		if s.Nodes[j].Cluster == key {
			w.nodes = append(w.nodes, &s.Nodes[j])
		}
	}
	slices.SortFunc(w.nodes, func(a, b *inventory.Node) int { return strings.Compare(a.Name, b.Name) })
	return w, nil
}

// controllerKinds are the kinds that each controller acts on. A list that was not read in full may lack the one object
// that does the damage.
var controllerKinds = []struct {
	controller adopt.Controller
	kind       kind
}{
	{adopt.ControllerCluster, kindCluster},
	{adopt.ControllerProxmoxCluster, kindProxmoxCluster},
	{adopt.ControllerMachine, kindMachine},
	{adopt.ControllerProxmoxMachine, kindProxmoxMachine},
	{adopt.ControllerKubeadmConfig, kindConfig},
	{adopt.ControllerControlPlane, kindControlPlane},
	{adopt.ControllerMachineSet, kindMachineSet},
	{adopt.ControllerMachineDeployment, kindMachineDeployment},
	{adopt.ControllerHealthCheck, kindHealthCheck},
}

// unread says for each controller what may be missing among the objects that it acts on.
func (w *world) unread() {
	for _, ck := range controllerKinds {
		if needs := w.lacksKind(ck.kind); len(needs) > 0 {
			w.say(ck.controller, w.self.ref, unseen(needs,
				fmt.Sprintf("not every %s of the namespace was read: what others there are is not known", ck.kind.kind)))
		}
	}
}

// lacks are the needs among those given that are not known.
func (w *world) lacks(needs ...inventory.Need) []inventory.Need {
	var out []inventory.Need
	for _, n := range needs {
		if !w.s.Known(n.Source, n.Scope) {
			out = append(out, n)
		}
	}
	return out
}

// lacksKind is the need for a kind in the cluster's namespace, if not all of it was read.
func (w *world) lacksKind(k kind) []inventory.Need {
	need := inventory.Need{Source: inventory.ManagementSource, Scope: k.scope}
	if m := w.s.Management; m != nil && len(m.Namespaces) > 0 && !slices.Contains(m.Namespaces, w.namespace) {
		return []inventory.Need{need}
	}
	return w.lacks(need)
}

// lacksOwn is the need for something of the workload cluster, if it was not read.
func (w *world) lacksOwn(scope string) []inventory.Need {
	return w.lacks(inventory.Need{Source: inventory.ClusterSource(w.cluster.Key), Scope: scope})
}

// members are the Machines of this cluster.
func (w *world) members() []*machineObject {
	if w.own == nil {
		w.own = []*machineObject{}
		for _, m := range w.machines {
			if m.clusterOf() == w.name {
				w.own = append(w.own, m)
			}
		}
	}
	return w.own
}

// secret is what is known of a Secret, and nil if it was not asked for.
func (w *world) secret(namespace, name string) *inventory.StoredSecret {
	for i := range w.s.StoredSecrets {
		if w.s.StoredSecrets[i].Namespace == namespace && w.s.StoredSecrets[i].Name == name {
			return &w.s.StoredSecrets[i]
		}
	}
	return nil
}

var needSecrets = inventory.Need{Source: inventory.ManagementSource, Scope: inventory.ScopeSecrets}

// hasTemplate looks for a template that a controller clones from. needs is set if that is not known.
func (w *world) hasTemplate(ref clusterv1.ContractVersionedObjectReference) (found bool, needs []inventory.Need) {
	for i := range w.s.Objects {
		o := &w.s.Objects[i]
		group, _, _ := strings.Cut(o.APIVersion, "/")
		if o.Cluster == "" && o.Kind == ref.Kind && group == ref.APIGroup && o.Namespace == w.namespace && o.Name == ref.Name {
			return true, nil
		}
	}
	for _, k := range []kind{kindConfigTemplate, kindProxmoxTemplate} {
		if k.group == ref.APIGroup && k.kind == ref.Kind {
			return false, w.lacksKind(k)
		}
	}
	return false, []inventory.Need{{Source: inventory.ManagementSource, Scope: strings.ToLower(ref.Kind) + "s." + ref.APIGroup}}
}
