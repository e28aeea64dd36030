package kube

import (
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/proxaudit/proxaudit/internal/kubesim"
	"github.com/proxaudit/proxaudit/inventory"
)

const crdPath = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"

func crdManifest(plural, kindName, group, labels string) string {
	return "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata:\n  name: " + plural + "." + group + "\n  labels: " + labels +
		"\nspec:\n  group: " + group + "\n  scope: Namespaced\n  names: {kind: " + kindName + ", plural: " + plural + "}\n" +
		"  versions: [{name: v1beta2, served: true, storage: true, schema: {openAPIV3Schema: {description: the long part}}}]\n"
}

// fullCRDs is what a server answers that cannot leave the schemas out.
const fullCRDs = `{"kind":"CustomResourceDefinitionList","apiVersion":"apiextensions.k8s.io/v1","metadata":{},"items":[
{"metadata":{"name":"machines.cluster.x-k8s.io","labels":{"cluster.x-k8s.io/v1beta2":"v1beta2"}},"spec":{"group":"cluster.x-k8s.io"}},
{"metadata":{"name":"widgets.example.com"},"spec":{"description":"for cluster.x-k8s.io"}}]}`

func TestCRDs(t *testing.T) {
	docs := []string{"v1beta2",
		crdManifest("proxmoxmachinepools", "ProxmoxMachinePool", inventory.GroupInfrastructure, "{cluster.x-k8s.io/provider: infrastructure-proxmox, cluster.x-k8s.io/v1beta1: v1alpha1, cluster.x-k8s.io/v1beta2: v1alpha1_v1alpha2, other: x}"),
		crdManifest("clusterclasses", "ClusterClass", inventory.GroupCluster, "{}"),
		crdManifest("widgets", "Widget", "example.com", "{cluster.x-k8s.io/v1beta2: v1}"),
		crdManifest("lookalikes", "Lookalike", "my.cluster.x-k8s.io", "{cluster.x-k8s.io/v1beta2: v1}"),
	}
	forAdoption := ManagementOptions{Adoption: true}
	t.Run("metadata only", func(t *testing.T) {
		srv := sim(t, kubesim.Config{}, kubesim.Options{}, docs...)
		s := client(t, srv).CollectManagement(t.Context(), forAdoption)
		want := []inventory.CRD{{Name: "clusterclasses.cluster.x-k8s.io"},
			{Name: "proxmoxmachinepools.infrastructure.cluster.x-k8s.io", Contracts: map[string]string{"v1beta1": "v1alpha1", "v1beta2": "v1alpha1_v1alpha2"}}}
		same := func(a, b inventory.CRD) bool { return a.Name == b.Name && maps.Equal(a.Contracts, b.Contracts) }
		if got := s.Management.CRDs; !slices.EqualFunc(got, want, same) {
			t.Errorf("%+v", got)
		}
		if cov := coverage(t, s, inventory.ManagementSource, inventory.ScopeCRDs); cov.State != inventory.Complete || !cov.Optional || cov.Asked != 2 || cov.Got != 2 {
			t.Errorf("%+v", cov)
		}
		for _, r := range srv.Requests() {
			if asked := strings.HasPrefix(r.Accept, "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"); asked != (r.Path == crdPath) {
				t.Errorf("%s accepts %q", r, r.Accept)
			}
		}
		if paths(srv)[crdPath] != 1 {
			t.Errorf("%v", paths(srv))
		}
	})
	t.Run("not asked without the option", func(t *testing.T) {
		srv := sim(t, kubesim.Config{}, kubesim.Options{}, docs...)
		plain := client(t, srv).CollectManagement(t.Context(), ManagementOptions{ReadSecrets: true})
		sent := paths(srv)
		if sent[crdPath] != 0 || plain.Management.CRDs != nil || plain.CoverageOf(inventory.ManagementSource, inventory.ScopeCRDs) != nil ||
			plain.CoverageOf(inventory.ManagementSource, inventory.ScopeSecrets) != nil {
			t.Errorf("%v", sent)
		}
		srv.Forget()
		s := client(t, srv).CollectManagement(t.Context(), forAdoption)
		if len(srv.Requests()) != len(sent)+1 || s.Requests[0].Count != plain.Requests[0].Count+1 {
			t.Errorf("%v and %v", sent, paths(srv))
		}
	})
	for name, c := range map[string]struct {
		fault  kubesim.Fault
		state  inventory.State
		reason string
		remedy string
		crds   int
	}{
		"full list": {fault: kubesim.Fault{Path: crdPath, Body: fullCRDs}, state: inventory.Complete, crds: 1},
		"refused": {fault: kubesim.Fault{Path: crdPath, Status: http.StatusForbidden}, state: inventory.Refused, reason: "403",
			remedy: `{apiGroups: ["apiextensions.k8s.io"], resources: ["customresourcedefinitions"], verbs: ["list"]}`},
		"failed":       {fault: kubesim.Fault{Path: crdPath, Status: http.StatusInternalServerError}, state: inventory.Failed, reason: "500"},
		"another list": {fault: kubesim.Fault{Path: crdPath, Body: `{"kind":"PodList","apiVersion":"v1","items":[]}`}, state: inventory.Failed, reason: "not CustomResourceDefinitionList"},
		"another shape": {fault: kubesim.Fault{Path: crdPath, Body: `{"kind":"PartialObjectMetadataList","apiVersion":"meta.k8s.io/v1","items":[{"metadata":{"name":"a.cluster.x-k8s.io","labels":[]}},{"metadata":{"name":"b.cluster.x-k8s.io"}}]}`},
			state: inventory.Partial, reason: "a.cluster.x-k8s.io: metadata.labels is a array", crds: 1},
		"gone": {fault: kubesim.Fault{Resource: "clusters.cluster.x-k8s.io", Status: http.StatusUnauthorized}, state: inventory.Refused, reason: "401"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			srv := sim(t, kubesim.Config{}, kubesim.Options{}, "v1beta2")
			srv.SetFaults(c.fault)
			s := client(t, srv).CollectManagement(t.Context(), forAdoption)
			cov := coverage(t, s, inventory.ManagementSource, inventory.ScopeCRDs)
			if cov.State != c.state || !strings.Contains(cov.Reason, c.reason) || !strings.Contains(cov.Remedy, c.remedy) || !cov.Optional || len(s.Management.CRDs) != c.crds {
				t.Errorf("%+v, %+v", cov, s.Management.CRDs)
			}
			if name == "gone" && paths(srv)[crdPath] != 0 {
				t.Error("asked on")
			}
		})
	}
}
