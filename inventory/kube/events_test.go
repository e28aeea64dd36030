package kube

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/proxaudit/proxaudit/internal/kubesim"
	"github.com/proxaudit/proxaudit/inventory"
)

// events are of both APIs: the older one counts and has two times, the newer one has one time, and a series.
const events = `
apiVersion: v1
kind: Event
metadata: {name: old, namespace: team-a}
involvedObject: {apiVersion: controlplane.cluster.x-k8s.io/v1beta2, kind: KubeadmControlPlane, namespace: team-a, name: prod-cp, uid: u-1}
type: Warning
reason: FailedScaleUp
message: 'failed calling webhook https://root:hunter2@webhook.example.com'
count: 4
firstTimestamp: "2026-05-04T11:00:00Z"
lastTimestamp: "2026-05-04T11:50:00Z"
source: {component: kubeadm-control-plane-controller}
---
apiVersion: v1
kind: Event
metadata: {name: new, namespace: team-a}
involvedObject: {apiVersion: cluster.x-k8s.io/v1beta2, kind: Machine, namespace: team-a, name: prod-cp-1}
type: Normal
reason: SuccessfulSetNodeRef
eventTime: "2026-05-04T11:30:00.123456Z"
reportingComponent: machine-controller
---
apiVersion: v1
kind: Event
metadata: {name: series, namespace: team-a}
involvedObject: {apiVersion: infrastructure.cluster.x-k8s.io/v1alpha2, kind: ProxmoxMachine, namespace: team-a, name: prod-cp-1}
type: Warning
reason: OrphanedIPAddress
eventTime: "2026-05-04T11:10:00.000000Z"
series: {count: 9, lastObservedTime: "2026-05-04T11:40:00.500000Z"}
reportingComponent: proxmoxmachine-controller
---
apiVersion: v1
kind: Event
metadata: {name: a-pod, namespace: team-a}
involvedObject: {apiVersion: v1, kind: Pod, namespace: team-a, name: web}
type: Warning
reason: BackOff
---
apiVersion: v1
kind: Event
metadata: {name: elsewhere, namespace: kube-system}
involvedObject: {apiVersion: cluster.x-k8s.io/v1beta2, kind: Machine, namespace: kube-system, name: x}
type: Warning
reason: Odd
`

func TestEvents(t *testing.T) {
	srv := sim(t, kubesim.Config{}, kubesim.Options{}, "v1beta2", events)
	s := client(t, srv).CollectManagement(t.Context(), ManagementOptions{Controllers: true})
	var got []string
	for _, e := range s.Events {
		got = append(got, strings.Join([]string{e.Object.Group, e.Object.Kind, e.Object.Namespace, e.Object.Name, e.Type, e.Reason, keyed.ReplaceAllString(e.Message, "KEYED"), e.Reporter,
			e.First.Format("15:04:05"), e.Last.Format("15:04:05"), strings.Repeat("#", int(e.Count))}, " "))
	}
	slices.Sort(got)
	want := []string{
		"cluster.x-k8s.io Machine team-a prod-cp-1 Normal SuccessfulSetNodeRef  machine-controller 11:30:00 11:30:00 #",
		"controlplane.cluster.x-k8s.io KubeadmControlPlane team-a prod-cp Warning FailedScaleUp failed calling webhook https://KEYED@webhook.example.com kubeadm-control-plane-controller 11:00:00 11:50:00 ####",
		"infrastructure.cluster.x-k8s.io ProxmoxMachine team-a prod-cp-1 Warning OrphanedIPAddress  proxmoxmachine-controller 11:10:00 11:40:00 #########",
	}
	if !slices.Equal(got, want) {
		t.Errorf("events:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	// Those about Pods are not of use, and were not asked in vain.
	if got := answered(coverage(t, s, inventory.ManagementSource, inventory.ScopeEvents)); !slices.Equal(got, []any{inventory.Complete, 3, 3, 0, true}) {
		t.Errorf("%v", got)
	}
	// Only the namespaces that declare clusters are asked.
	for path := range paths(srv) {
		if strings.HasSuffix(path, "/events") && path != "/api/v1/namespaces/team-a/events" {
			t.Errorf("%s was asked", path)
		}
	}
}

// Events about pools without a namespace are in default, which is asked where there are any.
func TestEventsAboutGlobalPools(t *testing.T) {
	srv := sim(t, kubesim.Config{}, kubesim.Options{}, "v1beta2", `
apiVersion: ipam.cluster.x-k8s.io/v1alpha2
kind: GlobalInClusterIPPool
metadata: {name: all}
---
apiVersion: v1
kind: Event
metadata: {name: about-a-pool, namespace: default}
involvedObject: {apiVersion: ipam.cluster.x-k8s.io/v1alpha2, kind: GlobalInClusterIPPool, name: all}
type: Warning
reason: Odd
`)
	s := client(t, srv).CollectManagement(t.Context(), ManagementOptions{Controllers: true})
	if len(s.Events) != 1 || s.Events[0].Object.Kind != "GlobalInClusterIPPool" || s.Events[0].Object.Namespace != "" {
		t.Errorf("%+v", s.Events)
	}
}

func TestEventsOfOneNamespaceRefused(t *testing.T) {
	srv := sim(t, kubesim.Config{Faults: []kubesim.Fault{{Resource: "events", Namespace: "team-b", Status: http.StatusForbidden}}}, kubesim.Options{}, "v1beta2", events, `
apiVersion: cluster.x-k8s.io/v1beta2
kind: Cluster
metadata: {name: edge, namespace: team-b}
`)
	s := client(t, srv).CollectManagement(t.Context(), ManagementOptions{Controllers: true})
	c := coverage(t, s, inventory.ManagementSource, inventory.ScopeEvents)
	if c.State != inventory.Partial || !strings.Contains(c.Reason, "namespace team-b: 403") || len(s.Events) != 3 {
		t.Errorf("%+v, %d events", c, len(s.Events))
	}
}

// Where it is not known which namespaces declare clusters, nobody was asked: that is not the same as "there are none".
func TestEventsOfNobodyKnows(t *testing.T) {
	srv := sim(t, kubesim.Config{}, kubesim.Options{}, events)
	s := client(t, srv).CollectManagement(t.Context(), ManagementOptions{Controllers: true})
	if c := coverage(t, s, inventory.ManagementSource, inventory.ScopeEvents); c.State != inventory.Complete {
		t.Errorf("without clusters: %+v", c)
	}
	srv = sim(t, kubesim.Config{Faults: []kubesim.Fault{{Resource: "clusters.cluster.x-k8s.io", Status: http.StatusForbidden}, {Resource: "machines.cluster.x-k8s.io", Status: http.StatusForbidden}}},
		kubesim.Options{}, "v1beta2", events)
	s = client(t, srv).CollectManagement(t.Context(), ManagementOptions{Controllers: true})
	if c := coverage(t, s, inventory.ManagementSource, inventory.ScopeEvents); c.State != inventory.NotAsked || !c.Optional || c.Reason == "" {
		t.Errorf("with clusters that may not be listed: %+v", c)
	}
}
