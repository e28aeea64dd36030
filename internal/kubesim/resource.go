package kubesim

import (
	"cmp"
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/version"
)

// resource is an installed kind with its objects, sorted by namespace and name.
type resource struct {
	group, kind, plural string
	clusterScoped       bool
	shortNames          []string
	// versions are served, the preferred one first.
	versions []string
	objects  []*unstructured.Unstructured
}

// builtin are the kinds that every API server has and that somebody looks for: a list of them is empty, never 404.
var builtin = []Kind{
	{Kind: "Namespace", Versions: []string{"v1"}, ClusterScoped: true},
	{Kind: "Node", Versions: []string{"v1"}, ClusterScoped: true},
	{Kind: "Pod", Versions: []string{"v1"}},
	{Kind: "ConfigMap", Versions: []string{"v1"}},
	{Kind: "Secret", Versions: []string{"v1"}},
	{Kind: "Event", Versions: []string{"v1"}},
	{Group: "apps", Kind: "Deployment", Versions: []string{"v1"}},
	{Group: "apps", Kind: "DaemonSet", Versions: []string{"v1"}},
	{Group: "coordination.k8s.io", Kind: "Lease", Versions: []string{"v1"}},
	{Group: "apiextensions.k8s.io", Kind: "CustomResourceDefinition", Versions: []string{"v1"}, ClusterScoped: true},
}

// clusterScoped are kinds without a namespace that manifests may have without anything saying so.
var clusterScoped = map[string]bool{
	"Namespace": true, "Node": true, "PersistentVolume": true, "StorageClass": true, "CSIDriver": true, "CSINode": true,
	"ClusterRole": true, "ClusterRoleBinding": true, "CustomResourceDefinition": true, "APIService": true,
	"PriorityClass": true, "RuntimeClass": true, "IngressClass": true,
	"MutatingWebhookConfiguration": true, "ValidatingWebhookConfiguration": true,
	"ValidatingAdmissionPolicy": true, "ValidatingAdmissionPolicyBinding": true,
	"GlobalInClusterIPPool": true, "GlobalInClusterPrefixPool": true,
}

// shortNames are kubectl's, for the kinds that people type.
var shortNames = map[schema.GroupKind][]string{
	{Kind: "Namespace"}: {"ns"}, {Kind: "Node"}: {"no"}, {Kind: "Pod"}: {"po"}, {Kind: "ConfigMap"}: {"cm"}, {Kind: "Event"}: {"ev"},
	{Group: "apps", Kind: "Deployment"}: {"deploy"}, {Group: "apps", Kind: "DaemonSet"}: {"ds"},
	{Group: "apiextensions.k8s.io", Kind: "CustomResourceDefinition"}: {"crd", "crds"},
}

// install adds kinds, or versions to kinds that are there. It returns the last one.
func (cl *Cluster) install(kinds ...Kind) *resource {
	var last *resource
	for _, k := range kinds {
		gk := schema.GroupKind{Group: k.Group, Kind: k.Kind}
		r := cl.resources[gk]
		if r == nil {
			r = &resource{group: k.Group, kind: k.Kind, plural: k.Plural, clusterScoped: k.ClusterScoped || clusterScoped[k.Kind], shortNames: shortNames[gk]}
			if r.plural == "" {
				guess, _ := meta.UnsafeGuessKindToResource(gk.WithVersion("v1"))
				r.plural = guess.Resource
			}
			cl.resources[gk] = r
		}
		for _, v := range k.Versions {
			if !slices.Contains(r.versions, v) {
				r.versions = append(r.versions, v)
			}
		}
		slices.SortFunc(r.versions, func(a, b string) int { return version.CompareKubeAwareVersionStrings(b, a) })
		last = r
	}
	return last
}

// installCRD installs what a CustomResourceDefinition (v1) defines.
func (cl *Cluster) installCRD(crd *unstructured.Unstructured) error {
	get := func(fields ...string) string {
		s, _, _ := unstructured.NestedString(crd.Object, fields...)
		return s
	}
	k := Kind{
		Group:         get("spec", "group"),
		Kind:          get("spec", "names", "kind"),
		Plural:        get("spec", "names", "plural"),
		ClusterScoped: get("spec", "scope") == "Cluster",
	}
	versions, _, err := unstructured.NestedSlice(crd.Object, "spec", "versions")
	if err != nil {
		return fmt.Errorf("CustomResourceDefinition %s: %w", crd.GetName(), err)
	}
	for _, v := range versions {
		m, ok := v.(map[string]any)
		if !ok {
			continue
		}
		if served, _ := m["served"].(bool); served {
			name, _ := m["name"].(string)
			k.Versions = append(k.Versions, name)
		}
	}
	if k.Group == "" || k.Kind == "" || k.Plural == "" || len(k.Versions) == 0 {
		return fmt.Errorf("CustomResourceDefinition %s needs spec.group, spec.names and a served version", crd.GetName())
	}
	r := cl.install(k)
	// An object may have come first, and with it a guess.
	r.plural, r.clusterScoped = k.Plural, k.ClusterScoped
	r.shortNames, _, _ = unstructured.NestedStringSlice(crd.Object, "spec", "names", "shortNames")
	return nil
}

// find returns the resource of a URL, or nil if this version does not serve it.
func (cl *Cluster) find(group, version, plural string) *resource {
	for _, r := range cl.resources {
		if r.group == group && r.plural == plural && slices.Contains(r.versions, version) {
			return r
		}
	}
	return nil
}

// sorted returns the resources by group and plural name.
func (cl *Cluster) sorted() []*resource {
	out := make([]*resource, 0, len(cl.resources))
	for _, r := range cl.resources {
		out = append(out, r)
	}
	slices.SortFunc(out, func(a, b *resource) int {
		return cmp.Or(cmp.Compare(a.group, b.group), cmp.Compare(a.plural, b.plural))
	})
	return out
}
