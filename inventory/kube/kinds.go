package kube

import "github.com/proxaudit/proxaudit/inventory"

// kind is a resource that is read from a management cluster.
type kind struct {
	group, resource, kind string
	// versions that the normaliser knows, the preferred one first. The fields that are read are the same in form
	// or told apart by form, so that a version is on this list only after its types were read.
	versions []string
	// clusterScoped resources have no namespace.
	clusterScoped bool
	// needed is true if a verdict rests on it: what is missing then makes the run incomplete.
	needed bool
}

// scope is the coverage scope, and the name that kubectl takes.
func (k kind) scope() string { return k.resource + "." + k.group }

const groupIPAM = "ipam.cluster.x-k8s.io"

// The kinds, in the order in which they are asked. Sources of the versions: sigs.k8s.io/cluster-api/api v1.14.2;
// cluster-api-provider-proxmox v0.9.0 (api/v1alpha1, api/v1alpha2); cluster-api-ipam-provider-in-cluster v1.1.0;
// cluster-api-bootstrap-provider-talos (v1alpha3, v1beta1 since 0.7) and cluster-api-control-plane-provider-talos
// (v1alpha3).
var (
	capiVersions   = []string{"v1beta2", "v1beta1"}
	capmoxVersions = []string{"v1alpha2", "v1alpha1"}
	ipamVersions   = []string{"v1beta2", "v1beta1", "v1alpha1"}
	poolVersions   = []string{"v1alpha2", "v1alpha1"}

	kindCluster        = kind{group: inventory.GroupCluster, resource: "clusters", kind: "Cluster", versions: capiVersions, needed: true}
	kindMachine        = kind{group: inventory.GroupCluster, resource: "machines", kind: "Machine", versions: capiVersions, needed: true}
	kindProxmoxMachine = kind{group: inventory.GroupInfrastructure, resource: "proxmoxmachines", kind: "ProxmoxMachine", versions: capmoxVersions, needed: true}
	kindProxmoxCluster = kind{group: inventory.GroupInfrastructure, resource: "proxmoxclusters", kind: "ProxmoxCluster", versions: capmoxVersions}

	kindMachineSet          = kind{group: inventory.GroupCluster, resource: "machinesets", kind: "MachineSet", versions: capiVersions}
	kindMachineDeployment   = kind{group: inventory.GroupCluster, resource: "machinedeployments", kind: "MachineDeployment", versions: capiVersions}
	kindKubeadmControlPlane = kind{group: inventory.GroupControlPlane, resource: "kubeadmcontrolplanes", kind: "KubeadmControlPlane", versions: capiVersions}
	kindTalosControlPlane   = kind{group: inventory.GroupControlPlane, resource: "taloscontrolplanes", kind: "TalosControlPlane", versions: []string{"v1alpha3"}}

	kinds = []kind{
		kindCluster,
		kindMachine,
		kindProxmoxMachine,
		kindProxmoxCluster,
		kindMachineSet,
		kindMachineDeployment,
		kindKubeadmControlPlane,
		kindTalosControlPlane,
		{group: inventory.GroupCluster, resource: "machinehealthchecks", kind: "MachineHealthCheck", versions: capiVersions},
		{group: inventory.GroupInfrastructure, resource: "proxmoxmachinetemplates", kind: "ProxmoxMachineTemplate", versions: capmoxVersions},
		{group: inventory.GroupInfrastructure, resource: "proxmoxclustertemplates", kind: "ProxmoxClusterTemplate", versions: capmoxVersions},
		{group: inventory.GroupBootstrap, resource: "kubeadmconfigs", kind: "KubeadmConfig", versions: capiVersions},
		{group: inventory.GroupBootstrap, resource: "kubeadmconfigtemplates", kind: "KubeadmConfigTemplate", versions: capiVersions},
		{group: inventory.GroupBootstrap, resource: "talosconfigs", kind: "TalosConfig", versions: []string{"v1beta1", "v1alpha3"}},
		{group: inventory.GroupBootstrap, resource: "talosconfigtemplates", kind: "TalosConfigTemplate", versions: []string{"v1beta1", "v1alpha3"}},
		{group: groupIPAM, resource: "ipaddressclaims", kind: "IPAddressClaim", versions: ipamVersions},
		{group: groupIPAM, resource: "ipaddresses", kind: "IPAddress", versions: ipamVersions},
		{group: groupIPAM, resource: "inclusterippools", kind: "InClusterIPPool", versions: poolVersions},
		{group: groupIPAM, resource: "globalinclusterippools", kind: "GlobalInClusterIPPool", versions: poolVersions, clusterScoped: true},
	}
)

// groupsOfInterest are the groups of kinds, in order.
var groupsOfInterest = []string{
	inventory.GroupCluster, inventory.GroupControlPlane, inventory.GroupBootstrap, inventory.GroupInfrastructure, groupIPAM,
}

// scopeProviders is the coverage scope of the provider Deployments: they are not all of the Deployments.
const scopeProviders = inventory.ScopeProviders

// providerLabel marks a provider's controller Deployment (cluster-api core/v1beta2 common_types.go: ProviderNameLabel).
const providerLabel = "cluster.x-k8s.io/provider"
