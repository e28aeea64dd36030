package adopt

import (
	"cmp"
	"strings"

	"k8s.io/apimachinery/pkg/util/version"

	"github.com/proxaudit/proxaudit/inventory"
)

// The pair against which the whole way, from the bundle to a scale-up, is executed in the end-to-end tests.
const (
	ProvenCAPI   = "v1.14.2"
	ProvenCAPMOX = "v0.9.0"
)

// What is known of other versions, read from their sources: Cluster API's v1beta2 types came with 1.11, and CAPMOX's
// v1alpha2 with 0.8. CAPMOX 0.7 tags an adopted VM and injects an ISO unless its status was written before. Of what is
// newer than the pair above nothing is known.
var (
	leastCAPI   = version.MustParseGeneric("1.11.0")
	beyondCAPI  = version.MustParseGeneric("1.15.0")
	leastCAPMOX = version.MustParseGeneric("0.8.0")
	beyondMOX   = version.MustParseGeneric("0.10.0")
)

// The values of the label cluster.x-k8s.io/provider on the Deployments (cluster-api cmd/clusterctl: ManifestLabel).
const (
	providerCore         = "cluster-api"
	providerBootstrap    = "bootstrap-kubeadm"
	providerControlPlane = "control-plane-kubeadm"
	providerCAPMOX       = "infrastructure-proxmox"
	providerIPAM         = "ipam-in-cluster"
)

// findVersions takes the options' word, else the Deployments'. Where both say one and they differ, PXA208 blocks.
func (p *planner) findVersions() {
	p.versions.CAPI = cmp.Or(spelled(p.opt.CAPIVersion), providerVersion(p.s, providerCore))
	p.versions.CAPMOX = cmp.Or(spelled(p.opt.CAPMOXVersion), providerVersion(p.s, providerCAPMOX))
	p.versions.Proven = p.versions.CAPI == ProvenCAPI && p.versions.CAPMOX == ProvenCAPMOX
	for _, m := range p.controlPlanes() {
		p.versions.Kubernetes = m.version
		break
	}
}

// providerVersion is empty if the provider is not installed, or says no version.
func providerVersion(s *inventory.Snapshot, label string) string {
	if d := provider(s, label); d != nil {
		return spelled(d.Version)
	}
	return ""
}

// spelled is a version as the releases are tagged: 1.14.2 is v1.14.2. What is no version stays as it is.
func spelled(v string) string {
	if parseVersion(v) == nil {
		return v
	}
	return "v" + strings.TrimPrefix(v, "v")
}

// provider is the first Deployment with the label; PXA208 is about others that say something else.
func provider(s *inventory.Snapshot, label string) *inventory.Provider {
	for i := range s.Providers {
		if s.Providers[i].Label == label {
			return &s.Providers[i]
		}
	}
	return nil
}

// parseVersion is nil for what is no version.
func parseVersion(v string) *version.Version {
	out, err := version.ParseGeneric(v)
	if err != nil {
		return nil
	}
	return out
}

// localMode is true where the control-plane controller adds the feature gate ControlPlaneKubeletLocalMode to every
// KubeadmConfig that it computes: Kubernetes 1.31 to 1.35 (cluster-api controlplane/kubeadm/pkg/desiredstate:
// DefaultFeatureGates).
func localMode(kubernetes string) bool {
	v := parseVersion(kubernetes)
	return v != nil && v.Major() == 1 && v.Minor() >= 31 && v.Minor() < 36
}
