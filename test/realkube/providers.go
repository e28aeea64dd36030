package realkube

// Provider is one Cluster API provider, as far as its install manifest goes.
type Provider struct {
	// Name is the name of the provider as clusterctl knows it.
	Name string
	// Module and Version are the Go module whose files are the source of the manifest.
	Module, Version string
	// Overlay is the kustomize directory inside the module that a release is rendered from.
	Overlay string
}

// FileName is the name of the rendered manifest in the bench directory.
func (p Provider) FileName() string { return p.Name + "-" + p.Version + ".yaml" }

const (
	clusterAPI = "sigs.k8s.io/cluster-api"
	capmox     = "github.com/ionos-cloud/cluster-api-provider-proxmox"
	ipam       = "sigs.k8s.io/cluster-api-ipam-provider-in-cluster"
)

// Providers lists the providers of a management cluster for Proxmox.
func Providers() []Provider {
	return []Provider{
		{Name: "cluster-api", Module: clusterAPI, Version: ClusterAPIVersion, Overlay: "core/config/default"},
		{Name: "bootstrap-kubeadm", Module: clusterAPI, Version: ClusterAPIVersion, Overlay: "bootstrap/kubeadm/config/default"},
		{Name: "control-plane-kubeadm", Module: clusterAPI, Version: ClusterAPIVersion, Overlay: "controlplane/kubeadm/config/default"},
		{Name: "infrastructure-proxmox", Module: capmox, Version: CAPMOXVersion, Overlay: "config/default"},
		{Name: "ipam-in-cluster", Module: ipam, Version: IPAMVersion, Overlay: "config/default"},
	}
}
