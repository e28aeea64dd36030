package predict

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/utils/ptr"
	bootstrapv1 "sigs.k8s.io/cluster-api/api/bootstrap/kubeadm/v1beta2"
	controlplanev1 "sigs.k8s.io/cluster-api/api/controlplane/kubeadm/v1beta2"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	kcp "sigs.k8s.io/cluster-api/controlplane/kubeadm/pkg"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/proxaudit/proxaudit/adopt"
	"github.com/proxaudit/proxaudit/inventory"
)

// changes are what a KubeadmConfig and its control plane may say alike, or not.
var changes = []func(*bootstrapv1.KubeadmConfigSpec){
	func(s *bootstrapv1.KubeadmConfigSpec) {
		s.ClusterConfiguration.FeatureGates = map[string]bool{"ControlPlaneKubeletLocalMode": true}
	},
	func(s *bootstrapv1.KubeadmConfigSpec) {
		s.ClusterConfiguration.FeatureGates = map[string]bool{"EtcdLearnerMode": false}
	},
	func(s *bootstrapv1.KubeadmConfigSpec) {
		s.ClusterConfiguration.APIServer.CertSANs = []string{"10.0.0.10", "api.example"}
	},
	func(s *bootstrapv1.KubeadmConfigSpec) {
		s.ClusterConfiguration.APIServer.ExtraArgs = []bootstrapv1.Arg{{Name: "audit-log-path", Value: ptr.To("-")}, {Name: "v", Value: ptr.To("")}}
	},
	func(s *bootstrapv1.KubeadmConfigSpec) { s.ClusterConfiguration.APIServer.CertSANs = []string{} },
	func(s *bootstrapv1.KubeadmConfigSpec) {
		s.ClusterConfiguration.ImageRepository = "registry.example/k8s"
	},
	func(s *bootstrapv1.KubeadmConfigSpec) { s.ClusterConfiguration.DNS.ImageTag = "v1.12.0" },
	func(s *bootstrapv1.KubeadmConfigSpec) { s.ClusterConfiguration.ControlPlaneEndpoint = "10.0.0.10:6443" },
	func(s *bootstrapv1.KubeadmConfigSpec) { s.ClusterConfiguration.CertificatesDir = "/etc/pki" },
	func(s *bootstrapv1.KubeadmConfigSpec) { s.ClusterConfiguration.CertificateValidityPeriodDays = 365 },
	func(s *bootstrapv1.KubeadmConfigSpec) { s.ClusterConfiguration.Etcd.Local.DataDir = "/data/etcd" },
	func(s *bootstrapv1.KubeadmConfigSpec) {
		s.ClusterConfiguration.APIServer.ExtraEnvs = &[]bootstrapv1.EnvVar{}
	},
	func(s *bootstrapv1.KubeadmConfigSpec) {
		s.ClusterConfiguration.Scheduler.ExtraVolumes = []bootstrapv1.HostPathMount{{Name: "a", HostPath: "/a", MountPath: "/a", ReadOnly: ptr.To(true)}}
	},
	func(s *bootstrapv1.KubeadmConfigSpec) {
		s.JoinConfiguration.ControlPlane = &bootstrapv1.JoinControlPlane{}
	},
	func(s *bootstrapv1.KubeadmConfigSpec) {
		s.JoinConfiguration.ControlPlane = &bootstrapv1.JoinControlPlane{LocalAPIEndpoint: bootstrapv1.APIEndpoint{AdvertiseAddress: "10.0.0.1", BindPort: 6443}}
	},
	func(s *bootstrapv1.KubeadmConfigSpec) {
		s.JoinConfiguration.NodeRegistration.CRISocket = "unix:///run/containerd/containerd.sock"
	},
	func(s *bootstrapv1.KubeadmConfigSpec) {
		s.JoinConfiguration.NodeRegistration.KubeletExtraArgs = []bootstrapv1.Arg{{Name: "node-labels", Value: ptr.To("a=b")}}
	},
	func(s *bootstrapv1.KubeadmConfigSpec) {
		s.InitConfiguration.NodeRegistration.CRISocket = "unix:///run/containerd/containerd.sock"
	},
	func(s *bootstrapv1.KubeadmConfigSpec) {
		s.JoinConfiguration.Discovery.BootstrapToken.Token = "abcdef.0123456789abcdef"
	},
	func(s *bootstrapv1.KubeadmConfigSpec) {
		s.JoinConfiguration.Timeouts.ControlPlaneComponentHealthCheckSeconds = ptr.To[int32](300)
	},
	func(s *bootstrapv1.KubeadmConfigSpec) { s.JoinConfiguration.SkipPhases = []string{"preflight"} },
	func(s *bootstrapv1.KubeadmConfigSpec) {
		s.Files = []bootstrapv1.File{{Path: "/etc/a", Content: "sha256:1", Permissions: "0640"}}
	},
	func(s *bootstrapv1.KubeadmConfigSpec) { s.PreKubeadmCommands = []string{"sha256:2"} },
	func(s *bootstrapv1.KubeadmConfigSpec) { s.Format = bootstrapv1.CloudConfig },
	func(s *bootstrapv1.KubeadmConfigSpec) { s.Verbosity = ptr.To[int32](5) },
	func(s *bootstrapv1.KubeadmConfigSpec) { s.NTP = bootstrapv1.NTP{Servers: []string{"ntp.example"}} },
	func(s *bootstrapv1.KubeadmConfigSpec) {
		s.JoinConfiguration.NodeRegistration.Taints = ptr.To([]corev1.Taint{})
	},
}

// typedReader is what the controller would have instead of a Snapshot.
type typedReader struct{ client.Client }

func (typedReader) Get(_ context.Context, key client.ObjectKey, into client.Object, _ ...client.GetOption) error {
	switch o := into.(type) {
	case *metav1.PartialObjectMetadata:
		o.SetLabels(map[string]string{"cluster.x-k8s.io/v1beta2": "v1alpha2"})
		return nil
	case *unstructured.Unstructured:
		o.Object = map[string]any{"apiVersion": "infrastructure.cluster.x-k8s.io/v1alpha2", "kind": "ProxmoxMachineTemplate",
			"metadata": map[string]any{"name": key.Name, "namespace": key.Namespace}, "spec": map[string]any{"template": map[string]any{"spec": map[string]any{}}}}
		return nil
	}
	return fmt.Errorf("%T was asked for", into)
}

// TestSameAsTyped: what is read back from served JSON leads the controller's comparison to the same answer, with the same
// words, as the objects themselves.
func TestSameAsTyped(t *testing.T) {
	const cases = 400
	rolled, kept, cloned := 0, 0, 0
	for i := range cases {
		r := rand.New(rand.NewPCG(uint64(i), 3))
		l := newLab(t)
		w, _ := newWorld(l.s, "prod")
		plane := find(w.planes, "prod-cp").value
		machine := find(w.machines, "cp-1").value
		config := find(w.configs, "cp-1").value
		vary(r, &plane, &machine, &config)
		pm := jsonValue(l.object("ProxmoxMachine", "cp-1"))
		if r.IntN(3) == 0 {
			cloned++
			from := []string{"prod-cp", "old"}[r.IntN(2)]
			u := unstructured.Unstructured{Object: pm}
			u.SetAnnotations(map[string]string{clusterv1.TemplateClonedFromNameAnnotation: from,
				clusterv1.TemplateClonedFromGroupKindAnnotation: "ProxmoxMachineTemplate.infrastructure.cluster.x-k8s.io"})
		}
		now := metav1.NewTime(l.s.CollectedAt)
		want, result, err := kcp.UpToDate(t.Context(), typedReader{}, &w.self.value, &machine, &plane, &now,
			map[string]*unstructured.Unstructured{"cp-1": {Object: pm}}, map[string]*bootstrapv1.KubeadmConfig{"cp-1": &config})
		if err != nil {
			t.Fatalf("case %d: %v", i, err)
		}
		put(l, "KubeadmControlPlane", "prod-cp", served(t, plane))
		put(l, "Machine", "cp-1", served(t, machine))
		put(l, "KubeadmConfig", "cp-1", served(t, config))
		put(l, "ProxmoxMachine", "cp-1", pm)
		w, _ = newWorld(l.s, "prod")
		got := w.judgeUpToDate(find(w.planes, "prod-cp"), find(w.machines, "cp-1"))
		if (got.outcome == adopt.Adopts) != want || !want && got.outcome != adopt.RollsOut {
			t.Errorf("case %d: %s (%v), and the controller says upToDate=%v %v", i, got.outcome, got.why, want, result.LogMessages)
		}
		if !want && !slices.Equal(got.why, result.LogMessages) {
			t.Errorf("case %d: %q, and the controller says %q", i, got.why, result.LogMessages)
		}
		if want {
			kept++
		} else {
			rolled++
		}
	}
	if rolled < cases/5 || kept < cases/5 || cloned < cases/5 {
		t.Errorf("of %d cases %d roll out, %d do not, %d were cloned: one kind is hardly tried", cases, rolled, kept, cloned)
	}
}

// vary changes the control plane and the KubeadmConfig, mostly alike.
func vary(r *rand.Rand, plane *controlplanev1.KubeadmControlPlane, machine *clusterv1.Machine, config *bootstrapv1.KubeadmConfig) {
	v := []string{"v1.30.4", "v1.33.4", "v1.35.0", "v1.36.1"}[r.IntN(4)]
	plane.Spec.Version, machine.Spec.Version = v, v
	if r.IntN(12) == 0 {
		machine.Spec.Version = "v1.33.3"
	}
	if r.IntN(2) == 0 {
		plane.Spec.KubeadmConfigSpec.ClusterConfiguration.FeatureGates = nil
	}
	for range r.IntN(5) {
		change := changes[r.IntN(len(changes))]
		change(&plane.Spec.KubeadmConfigSpec)
		if r.IntN(8) > 0 {
			change(&config.Spec)
		}
	}
	if r.IntN(8) == 0 {
		changes[r.IntN(len(changes))](&config.Spec)
	}
	switch r.IntN(10) {
	case 0:
		plane.Spec.Rollout.After = metav1.NewTime(time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC))
		machine.CreationTimestamp = metav1.NewTime(time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC))
	case 1:
		plane.Spec.Rollout.Before.CertificatesExpiryDays = 30
		machine.Status.CertificatesExpiryDate = metav1.NewTime(time.Date(2026, 12, 10, 0, 0, 0, 0, time.UTC))
	}
}

// served is an object as a Snapshot file gives it: every number a float.
func served(t *testing.T, o any) map[string]any {
	t.Helper()
	data, err := json.Marshal(o)
	if err != nil {
		t.Fatal(err)
	}
	var out map[string]any
	if err := json.Unmarshal(data, &out); err != nil {
		t.Fatal(err)
	}
	return out
}

func put(l *lab, kindName, name string, content map[string]any) {
	l.t.Helper()
	i := slices.IndexFunc(l.s.Objects, func(o inventory.Object) bool { return o.Kind == kindName && o.Name == name })
	if i < 0 {
		l.t.Fatalf("the lab has no %s %s", kindName, name)
	}
	l.s.Objects[i].Content = content
}
