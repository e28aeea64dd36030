package adopt

import (
	"fmt"
	"slices"

	"github.com/proxaudit/proxaudit/audit"
	"github.com/proxaudit/proxaudit/inventory"
)

var ruleProviders = Rule{
	ID: "PXA208", Blocks: true, Destroys: true,
	Title: "Provider is not installed, or its behaviour is not known",
	Why: "The manifests rest on what the controllers do to a machine that they did not make, and that changes between versions: CAPMOX 0.7 " +
		"tags an adopted VM and puts a bootstrap ISO into it, unless its status was written by hand before.",
	Remedy: "Install or upgrade the providers first (clusterctl init, clusterctl upgrade): Cluster API 1.11 to 1.14 and CAPMOX 0.8 or 0.9, best " +
		ProvenCAPI + " with " + ProvenCAPMOX + ". Where their Deployments do not say it, --capi-version and --capmox-version say what runs; they never overrule one that does.",
	check: checkProviders,
}

func checkProviders(r *Rule, p *planner) []Finding {
	var out []Finding
	say := func(label, text string) {
		out = append(out, r.of(audit.SubjectRef{Kind: "provider", Name: label, ID: "provider/" + label}, text))
	}
	if p.s.Management != nil {
		for _, label := range []string{providerCore, providerBootstrap, providerControlPlane, providerCAPMOX, providerIPAM} {
			_, given := p.givenVersion(label)
			switch d := provider(p.s, label); {
			case d == nil && given != "" && p.servedGroup(label):
				// The user says what runs, and its API is there: its Deployment may have lost its label.
			case d == nil:
				say(label, "no Deployment of the management cluster has the label cluster.x-k8s.io/provider: "+label)
			case d.Available == 0:
				say(label, fmt.Sprintf("its Deployment %s/%s has no Pod that is available", d.Namespace, d.Name))
			}
		}
		for i := range p.s.Providers {
			d := &p.s.Providers[i]
			if !slices.Contains([]string{providerCore, providerBootstrap, providerControlPlane, providerCAPMOX}, d.Label) {
				continue
			}
			// A Deployment that says its version runs it, whatever the command line says.
			flag, given := p.givenVersion(d.Label)
			if given != "" && parseVersion(given) != nil && parseVersion(d.Version) != nil && given != spelled(d.Version) {
				say(d.Label, fmt.Sprintf("%s says %s, and the Deployment %s/%s is %s", flag, given, d.Namespace, d.Name, spelled(d.Version)))
			}
			if first := provider(p.s, d.Label); spelled(d.Version) != spelled(first.Version) {
				say(d.Label, fmt.Sprintf("the Deployment %s/%s is %s, and %s/%s is %s", d.Namespace, d.Name, d.Version, first.Namespace, first.Name, first.Version))
			}
		}
		// All parts of Cluster API are released together and work together in one version only.
		for _, label := range []string{providerBootstrap, providerControlPlane} {
			if v := providerVersion(p.s, label); v != "" && p.versions.CAPI != "" && v != p.versions.CAPI && p.opt.CAPIVersion == "" {
				say(label, fmt.Sprintf("it is %s, and %s is %s", v, providerCore, p.versions.CAPI))
			}
		}
	}
	switch v := parseVersion(p.versions.CAPI); {
	case v == nil && p.versions.CAPI == "":
		say(providerCore, "its version is not known")
	case v == nil:
		say(providerCore, fmt.Sprintf("%q is no version", p.versions.CAPI))
	case v.LessThan(leastCAPI):
		say(providerCore, fmt.Sprintf("%s has no v1beta2 API: it came with v1.11", p.versions.CAPI))
	case !v.LessThan(beyondCAPI):
		say(providerCore, fmt.Sprintf("what %s does to an adopted machine is not known here: v1.11 to v1.14 are", p.versions.CAPI))
	}
	switch v := parseVersion(p.versions.CAPMOX); {
	case v == nil && p.versions.CAPMOX == "":
		say(providerCAPMOX, "its version is not known")
	case v == nil:
		say(providerCAPMOX, fmt.Sprintf("%q is no version", p.versions.CAPMOX))
	case v.LessThan(leastCAPMOX):
		say(providerCAPMOX, fmt.Sprintf("%s would tag the adopted VMs and put a bootstrap ISO into them; v0.8 does not", p.versions.CAPMOX))
	case !v.LessThan(beyondMOX):
		say(providerCAPMOX, fmt.Sprintf("what %s does to an adopted machine is not known here: v0.8 and v0.9 are", p.versions.CAPMOX))
	}
	return out
}

// givenVersion is the option that says what version a provider has, and what it says; all parts of Cluster API have one.
func (p *planner) givenVersion(label string) (flag, version string) {
	if label == providerCAPMOX {
		return "--capmox-version", spelled(p.opt.CAPMOXVersion)
	}
	return "--capi-version", spelled(p.opt.CAPIVersion)
}

// servedGroup is true if the API of a provider is served.
func (p *planner) servedGroup(label string) bool {
	group := map[string]string{providerCore: inventory.GroupCluster, providerBootstrap: inventory.GroupBootstrap,
		providerControlPlane: inventory.GroupControlPlane, providerCAPMOX: inventory.GroupInfrastructure, providerIPAM: "ipam.cluster.x-k8s.io"}[label]
	return len(p.s.Management.Served[group]) > 0
}
