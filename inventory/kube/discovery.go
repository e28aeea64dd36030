package kube

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	apidiscoveryv2 "k8s.io/api/apidiscovery/v2"
	apidiscoveryv2beta1 "k8s.io/api/apidiscovery/v2beta1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
)

// acceptDiscovery asks for the aggregated form and takes the old one (Kubernetes before 1.26, or the feature off).
const acceptDiscovery = discovery.AcceptV2 + "," + discovery.AcceptV2Beta1 + "," + discovery.AcceptV1

// discovered is what a server serves of the groups of interest.
type discovered struct {
	// served maps a group to its versions, the server's preferred one first. Versions whose discovery failed are
	// listed too.
	served map[string][]string
	// resources has the plural names per group version.
	resources map[schema.GroupVersion][]string
	// failed says which group versions the server could not describe: a stale APIService, a 503.
	failed map[schema.GroupVersion]error
	// groupsOnly is true for a server without aggregated discovery, which says nothing about resources unless it is
	// asked group version by group version. The lists themselves tell then: see candidates.
	groupsOnly bool
}

// discover asks what is served, once per Client.
func (c *Client) discover(ctx context.Context) (*discovered, error) {
	return c.discovery.do(ctx, c.readDiscovery)
}

// serverVersion asks for the server's version, once per Client.
func (c *Client) serverVersion(ctx context.Context) (string, error) {
	return c.version.do(ctx, func(ctx context.Context) (string, error) {
		body, _, err := c.get(ctx, "/version", nil, "")
		if err != nil {
			return "", err
		}
		var v struct {
			GitVersion string `json:"gitVersion"`
		}
		if err := json.Unmarshal(body, &v); err != nil || v.GitVersion == "" {
			return "", &notKubernetes{path: "/version", err: err}
		}
		return v.GitVersion, nil
	})
}

func (c *Client) readDiscovery(ctx context.Context) (*discovered, error) {
	body, contentType, err := c.get(ctx, "/apis", nil, acceptDiscovery)
	if err != nil {
		return nil, err
	}
	groups, resources, failed, err := decodeGroups(body, contentType)
	if err != nil {
		return nil, &notKubernetes{path: "/apis", err: err}
	}
	d := &discovered{
		served:    map[string][]string{},
		resources: map[schema.GroupVersion][]string{},
		failed:    map[schema.GroupVersion]error{},
	}
	for _, g := range groups.Groups {
		if !slices.Contains(groupsOfInterest, g.Name) {
			continue
		}
		for _, v := range g.Versions {
			d.serve(schema.GroupVersion{Group: g.Name, Version: v.Version})
		}
	}
	for gv, err := range failed {
		if slices.Contains(groupsOfInterest, gv.Group) {
			d.serve(gv)
			d.failed[gv] = err
		}
	}
	// failed is a map: without this the order of two stale versions would be a coin toss.
	for g := range d.served {
		if len(d.served[g]) > 1 && len(d.failed) > 0 {
			slices.SortStableFunc(d.served[g], func(a, b string) int { return compareVersions(b, a) })
		}
	}
	if resources == nil {
		d.groupsOnly = true
		return d, nil
	}
	for gv, list := range resources {
		if slices.Contains(groupsOfInterest, gv.Group) {
			d.resources[gv] = pluralNames(list)
		}
	}
	return d, nil
}

func (d *discovered) serve(gv schema.GroupVersion) {
	if !slices.Contains(d.served[gv.Group], gv.Version) {
		d.served[gv.Group] = append(d.served[gv.Group], gv.Version)
	}
}

// decodeGroups reads any of the three forms of /apis. resources is nil for the old form, which has none.
func decodeGroups(body []byte, contentType string) (*metav1.APIGroupList, map[schema.GroupVersion]*metav1.APIResourceList, map[schema.GroupVersion]error, error) {
	is := func(version string) bool {
		ok, err := discovery.ContentTypeIsGVK(contentType, schema.GroupVersionKind{
			Group: "apidiscovery.k8s.io", Version: version, Kind: "APIGroupDiscoveryList"})
		return ok && err == nil
	}
	switch {
	case is("v2"):
		var list apidiscoveryv2.APIGroupDiscoveryList
		if err := json.Unmarshal(body, &list); err != nil {
			return nil, nil, nil, err
		}
		if list.Kind != "APIGroupDiscoveryList" || len(list.Items) == 0 {
			return nil, nil, nil, noGroups(list.Kind)
		}
		g, r, f := discovery.SplitGroupsAndResources(list)
		return g, r, f, nil
	case is("v2beta1"):
		var list apidiscoveryv2beta1.APIGroupDiscoveryList
		if err := json.Unmarshal(body, &list); err != nil {
			return nil, nil, nil, err
		}
		if list.Kind != "APIGroupDiscoveryList" || len(list.Items) == 0 {
			return nil, nil, nil, noGroups(list.Kind)
		}
		g, r, f := discovery.SplitGroupsAndResourcesV2Beta1(list)
		return g, r, f, nil
	}
	var list metav1.APIGroupList
	if err := json.Unmarshal(body, &list); err != nil {
		return nil, nil, nil, err
	}
	if list.Kind != "APIGroupList" || len(list.Groups) == 0 {
		return nil, nil, nil, noGroups(list.Kind)
	}
	return &list, nil, nil, nil
}

// noGroups is about a list of another kind, or an empty one: every API server has groups of its own.
func noGroups(kind string) error { return fmt.Errorf("it is %q and lists no API groups", kind) }

func pluralNames(list *metav1.APIResourceList) []string {
	var names []string
	for _, r := range list.APIResources {
		if !strings.Contains(r.Name, "/") {
			names = append(names, r.Name)
		}
	}
	return names
}
