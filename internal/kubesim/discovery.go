package kubesim

import (
	"net/http"
	"slices"
	"strings"

	apidiscoveryv2 "k8s.io/api/apidiscovery/v2"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/version"
)

// readVerbs are what discovery offers: kubectl looks here before it lists.
var readVerbs = metav1.Verbs{"get", "list"}

// groups maps each API group to its versions, the preferred one first.
func (cl *Cluster) groups() map[string][]string {
	out := map[string][]string{}
	for _, r := range cl.resources {
		for _, v := range r.versions {
			if !slices.Contains(out[r.group], v) {
				out[r.group] = append(out[r.group], v)
			}
		}
	}
	for _, gv := range cl.Config.Stale {
		group, v, hasVersion := strings.Cut(gv, "/")
		if hasVersion && !slices.Contains(out[group], v) {
			out[group] = append(out[group], v)
		}
	}
	for g := range out {
		slices.SortFunc(out[g], func(a, b string) int { return version.CompareKubeAwareVersionStrings(b, a) })
	}
	return out
}

func (cl *Cluster) stale(group, version string) bool {
	return slices.Contains(cl.Config.Stale, group) || slices.Contains(cl.Config.Stale, group+"/"+version)
}

// groupNames are the named groups in order.
func groupNames(groups map[string][]string) []string {
	var names []string
	for g := range groups {
		if g != "" {
			names = append(names, g)
		}
	}
	slices.Sort(names)
	return names
}

// discoveryAPIs answers /api (for the core group alone) and /apis (for all others).
func (s *Server) discoveryAPIs(w http.ResponseWriter, r *http.Request, core bool) {
	groups := s.cluster.groups()
	names := groupNames(groups)
	if core {
		names = []string{""}
	}
	form := s.cluster.Config.Discovery
	accept := r.Header.Get("Accept")
	if form == "" {
		form = DiscoveryAggregated
	}
	for v, name := range map[string]string{"v2": DiscoveryAggregated, "v2beta1": DiscoveryAggregatedV2Beta1} {
		if form == name && strings.Contains(accept, "g=apidiscovery.k8s.io;v="+v+";as=APIGroupDiscoveryList") {
			w.Header().Set("Content-Type", "application/json;g=apidiscovery.k8s.io;v="+v+";as=APIGroupDiscoveryList")
			s.write(w, http.StatusOK, s.aggregated(v, names, groups))
			return
		}
	}
	if core {
		s.write(w, http.StatusOK, metav1.APIVersions{
			TypeMeta: metav1.TypeMeta{Kind: "APIVersions"}, Versions: groups[""],
			ServerAddressByClientCIDRs: []metav1.ServerAddressByClientCIDR{{ClientCIDR: "0.0.0.0/0", ServerAddress: r.Host}},
		})
		return
	}
	list := metav1.APIGroupList{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "APIGroupList"}}
	for _, g := range names {
		list.Groups = append(list.Groups, apiGroup(g, groups[g]))
	}
	s.write(w, http.StatusOK, list)
}

func apiGroup(name string, versions []string) metav1.APIGroup {
	g := metav1.APIGroup{Name: name}
	for _, v := range versions {
		g.Versions = append(g.Versions, metav1.GroupVersionForDiscovery{
			GroupVersion: schema.GroupVersion{Group: name, Version: v}.String(), Version: v})
	}
	g.PreferredVersion = g.Versions[0]
	return g
}

// aggregated is the form that has everything in one answer. v2 and v2beta1 differ in their name only.
func (s *Server) aggregated(v string, names []string, groups map[string][]string) apidiscoveryv2.APIGroupDiscoveryList {
	list := apidiscoveryv2.APIGroupDiscoveryList{
		TypeMeta: metav1.TypeMeta{APIVersion: "apidiscovery.k8s.io/" + v, Kind: "APIGroupDiscoveryList"},
	}
	for _, g := range names {
		d := apidiscoveryv2.APIGroupDiscovery{ObjectMeta: metav1.ObjectMeta{Name: g}}
		for _, version := range groups[g] {
			vd := apidiscoveryv2.APIVersionDiscovery{Version: version, Freshness: apidiscoveryv2.DiscoveryFreshnessCurrent}
			if s.cluster.stale(g, version) {
				vd.Freshness = apidiscoveryv2.DiscoveryFreshnessStale
			}
			for _, r := range s.cluster.sorted() {
				if r.group != g || !slices.Contains(r.versions, version) {
					continue
				}
				scope := apidiscoveryv2.ScopeNamespace
				if r.clusterScoped {
					scope = apidiscoveryv2.ScopeCluster
				}
				vd.Resources = append(vd.Resources, apidiscoveryv2.APIResourceDiscovery{
					Resource:         r.plural,
					SingularResource: strings.ToLower(r.kind),
					ShortNames:       r.shortNames,
					ResponseKind:     &metav1.GroupVersionKind{Group: g, Version: version, Kind: r.kind},
					Scope:            scope,
					Verbs:            readVerbs,
				})
			}
			d.Versions = append(d.Versions, vd)
		}
		list.Items = append(list.Items, d)
	}
	return list
}

// discoveryVersion answers /api/v1 and /apis/GROUP/VERSION.
func (s *Server) discoveryVersion(w http.ResponseWriter, group, version string) {
	if s.cluster.stale(group, version) {
		s.status(w, http.StatusServiceUnavailable, metav1.StatusReasonServiceUnavailable, "the server is currently unable to handle the request", 0)
		return
	}
	list := metav1.APIResourceList{
		TypeMeta:     metav1.TypeMeta{APIVersion: "v1", Kind: "APIResourceList"},
		GroupVersion: schema.GroupVersion{Group: group, Version: version}.String(),
	}
	for _, r := range s.cluster.sorted() {
		if r.group == group && slices.Contains(r.versions, version) {
			list.APIResources = append(list.APIResources, metav1.APIResource{
				Name: r.plural, SingularName: strings.ToLower(r.kind), Namespaced: !r.clusterScoped, Kind: r.kind, ShortNames: r.shortNames, Verbs: readVerbs,
			})
		}
	}
	if len(list.APIResources) == 0 {
		s.notServed(w)
		return
	}
	s.write(w, http.StatusOK, list)
}

// discoveryGroup answers /apis/GROUP.
func (s *Server) discoveryGroup(w http.ResponseWriter, group string) {
	versions := s.cluster.groups()[group]
	if len(versions) == 0 {
		s.notServed(w)
		return
	}
	g := apiGroup(group, versions)
	g.TypeMeta = metav1.TypeMeta{APIVersion: "v1", Kind: "APIGroup"}
	s.write(w, http.StatusOK, g)
}
