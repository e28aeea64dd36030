package why

import (
	"strings"
	"testing"
)

// planeStates come to a halt before a first machine has its bootstrap data.
var planeStates = []state{
	{name: "no-plane",
		change:  func(_ *bench, s *scene) { s.plane = nil },
		settled: infraReady("no-plane", holds("no-plane", "cluster/no-plane", "ControlPlaneAvailable", "False/ObjectDoesNotExist")),
		want: answer{state: stuck, phase: "bootstrap", holder: person, cause: "object-missing", object: "KubeadmControlPlane/no-plane-cp",
			says: "there is no KubeadmControlPlane no-plane-cp", command: "-n no-plane get kubeadmcontrolplanes.controlplane.cluster.x-k8s.io"}},
	{name: "plane-paused",
		change:  func(_ *bench, s *scene) { annotations(s.plane)[pausedAnnotation] = "" },
		settled: infraReady("plane-paused", holds("plane-paused", "kubeadmcontrolplane/plane-paused-cp", "Paused", "True/Paused")),
		want: answer{state: stuck, phase: "bootstrap", holder: person, cause: "paused", object: "KubeadmControlPlane/plane-paused-cp",
			says: "its annotation cluster.x-k8s.io/paused", command: aboutPlane + "plane-paused-cp"}},
	{name: "no-plane-template",
		change:  func(_ *bench, s *scene) { s.hosts = nil },
		settled: infraReady("no-plane-template", holds("no-plane-template", "kubeadmcontrolplane/no-plane-template-cp", "ScalingUp", "True/ScalingUp")),
		want: answer{state: stuck, phase: "bootstrap", holder: person, cause: "object-missing", object: "KubeadmControlPlane/no-plane-template-cp",
			says: "it has made no Machine yet: a template that it names does not exist", shows: "ProxmoxMachineTemplate does not exist", command: aboutPlane + "no-plane-template-cp"}},
	{name: "config-paused",
		change: func(_ *bench, s *scene) {
			m := s.machine("config-paused-1", "", host())
			config := s.object(groupBootstrap+"/v1beta2", "KubeadmConfig", "config-paused-1", object{"initConfiguration": nodeRegistration()})
			annotations(config)[pausedAnnotation] = ""
			spec(m)["bootstrap"] = object{"configRef": ref(groupBootstrap, "KubeadmConfig", "config-paused-1")}
			s.more = append(s.more, config)
		},
		settled: infraReady("config-paused", holds("config-paused", "proxmoxmachine/config-paused-1", provisioned, "False/WaitingForBootstrapData")),
		want: answer{state: stuck, phase: "bootstrap", holder: person, cause: "paused", object: "KubeadmConfig/config-paused-1",
			says: "its annotation cluster.x-k8s.io/paused", command: " describe kubeadmconfigs.bootstrap.cluster.x-k8s.io config-paused-1"}},
}

// infraReady waits for the shared infrastructure first.
func infraReady(name string, next func(*testing.T, *bench) string) func(*testing.T, *bench) string {
	return func(t *testing.T, b *bench) string {
		t.Helper()
		if got := b.condition(t, name, "cluster/"+name, "InfrastructureReady"); !strings.HasPrefix(got, "True/") {
			return "InfrastructureReady: " + got
		}
		return next(t, b)
	}
}
