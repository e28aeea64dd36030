package adopt_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	bootstrapv1 "sigs.k8s.io/cluster-api/api/bootstrap/kubeadm/v1beta2"
	controlplanev1 "sigs.k8s.io/cluster-api/api/controlplane/kubeadm/v1beta2"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	kcp "sigs.k8s.io/cluster-api/controlplane/kubeadm/pkg"
	"sigs.k8s.io/yaml"

	"github.com/proxaudit/proxaudit/adopt"
	"github.com/proxaudit/proxaudit/inventory"
	"github.com/proxaudit/proxaudit/inventory/inventorytest"
)

// typed is a document as Cluster API's own types have it; fields that they do not have are an error.
func typed[T any](t *testing.T, d adopt.Document) T {
	t.Helper()
	var v T
	if err := yaml.UnmarshalStrict(d.YAML, &v); err != nil {
		t.Fatalf("%s %s: %v\n%s", d.Kind, d.Name, err, d.YAML)
	}
	return v
}

func typedAll[T any](t *testing.T, b *adopt.Bundle, kind string) []T {
	t.Helper()
	var out []T
	for _, d := range b.Documents {
		if d.Kind == kind {
			out = append(out, typed[T](t, d))
		}
	}
	return out
}

// checkBundle holds what every bundle has to be, whatever the cluster looks like.
func checkBundle(t *testing.T, p *adopt.Plan, s *inventory.Snapshot) {
	t.Helper()
	b := ready(t, p)
	cluster := typedAll[clusterv1.Cluster](t, b, "Cluster")[0]
	plane := typedAll[controlplanev1.KubeadmControlPlane](t, b, "KubeadmControlPlane")[0]
	machines := typedAll[clusterv1.Machine](t, b, "Machine")
	if cluster.Spec.Paused == nil || !*cluster.Spec.Paused {
		t.Error("the Cluster is not paused")
	}
	if int(*plane.Spec.Replicas) != p.Summary.ControlPlanes || len(machines) != p.Summary.ControlPlanes+p.Summary.Workers {
		t.Errorf("%d replicas and %d Machines for %+v", *plane.Spec.Replicas, len(machines), p.Summary)
	}
	for _, a := range []string{controlplanev1.SkipCoreDNSAnnotation, controlplanev1.SkipKubeProxyAnnotation} {
		if _, ok := plane.Annotations[a]; !ok {
			t.Errorf("the control plane lacks %s", a)
		}
	}
	checkDocuments(t, b, s)
	checkUpToDate(t, b, &cluster, &plane, machines)
	checkSets(t, b, machines)
}

// mayBePaused are the kinds that carry the annotation. A Cluster with it would stay paused when its field is taken back.
var mayBePaused = []string{"ProxmoxCluster", "KubeadmControlPlane", "KubeadmConfig", "Machine", "ProxmoxMachine", "MachineSet", "MachineDeployment"}

func checkDocuments(t *testing.T, b *adopt.Bundle, s *inventory.Snapshot) {
	t.Helper()
	owners, step := false, -1
	order := adopt.Steps()
	for _, d := range b.Documents {
		if i := slices.Index(order, d.Step); i < step {
			t.Errorf("%s %s of step %s comes after a later step", d.Kind, d.Name, d.Step)
		} else {
			step = i
		}
		var o struct {
			Metadata metav1.ObjectMeta
			Spec     struct {
				VirtualMachineID *int
				ProviderID       string
				Template         struct {
					Spec struct {
						Description string
						TemplateID  int
					}
				}
			}
			Status any
		}
		if err := yaml.Unmarshal(d.YAML, &o); err != nil {
			t.Fatal(err)
		}
		_, paused := o.Metadata.Annotations[clusterv1.PausedAnnotation]
		if paused != slices.Contains(mayBePaused, d.Kind) {
			t.Errorf("%s %s: paused annotation %v", d.Kind, d.Name, paused)
		}
		if o.Metadata.Annotations[adopt.AnnotationRendered] == "" || o.Metadata.Labels[clusterv1.ClusterNameLabel] == "" {
			t.Errorf("%s %s lacks its provenance or the cluster's label", d.Kind, d.Name)
		}
		if len(o.Metadata.OwnerReferences) > 0 || o.Status != nil || bytes.Contains(d.YAML, []byte("cloned-from")) {
			t.Errorf("%s %s has an owner, a status or an origin:\n%s", d.Kind, d.Name, d.YAML)
		}
		for line := range strings.SplitSeq(string(d.YAML), "\n") {
			if strings.HasSuffix(line, ": {}") && strings.TrimSpace(line) != "controlPlane: {}" {
				t.Errorf("%s %s has an empty struct, which its definition rejects: %s", d.Kind, d.Name, line)
			}
		}
		switch d.Kind {
		case "ProxmoxMachine":
			if o.Spec.VirtualMachineID == nil || o.Spec.ProviderID == "" || owners {
				t.Errorf("%s: VMID %v, providerID %q, after its owner %v", d.Name, o.Spec.VirtualMachineID, o.Spec.ProviderID, owners)
			}
		case "Machine":
			for _, a := range []string{adopt.HookPreDrain, adopt.HookPreTerminate, clusterv1.MachineSkipRemediationAnnotation} {
				if _, ok := o.Metadata.Annotations[a]; !ok || owners {
					t.Errorf("Machine %s lacks %s, or comes after its owner", d.Name, a)
				}
			}
		case "MachineSet", "MachineDeployment", "KubeadmControlPlane":
			owners = true
		case "ProxmoxMachineTemplate":
			for i := range s.VMs {
				if v := &s.VMs[i]; v.VMID == o.Spec.Template.Spec.TemplateID && v.Config.Description == o.Spec.Template.Spec.Description {
					t.Errorf("%s has the description of the VM template: its clones would be called ready as they are", d.Name)
				}
			}
			if o.Spec.Template.Spec.Description == "" {
				t.Errorf("%s has no description", d.Name)
			}
		case "Cluster":
			if _, ok := o.Metadata.Annotations[adopt.BlockMove]; !ok {
				t.Error("the Cluster may be moved")
			}
		}
	}
}

// checkUpToDate asks the control-plane controller's own code.
func checkUpToDate(t *testing.T, b *adopt.Bundle, cluster *clusterv1.Cluster, plane *controlplanev1.KubeadmControlPlane, machines []clusterv1.Machine) {
	t.Helper()
	configs := map[string]*bootstrapv1.KubeadmConfig{}
	for _, c := range typedAll[bootstrapv1.KubeadmConfig](t, b, "KubeadmConfig") {
		configs[c.Name] = &c
	}
	seen := 0
	for _, m := range machines {
		if _, ok := m.Labels[clusterv1.MachineControlPlaneLabel]; !ok {
			continue
		}
		seen++
		if configs[m.Name] == nil || m.Spec.Bootstrap.ConfigRef.Name != m.Name || m.Spec.Bootstrap.DataSecretName == nil {
			t.Errorf("Machine %s has no KubeadmConfig and Secret of its name", m.Name)
		}
		now := metav1.Now()
		ok, result, err := kcp.UpToDate(context.Background(), nil, cluster, &m, plane, &now, nil, configs)
		if err != nil || !ok {
			t.Errorf("the controller would replace %s: %v %+v", m.Name, err, result)
		}
	}
	if seen == 0 || seen != len(configs) {
		t.Errorf("%d control planes, %d KubeadmConfigs", seen, len(configs))
	}
}

// checkSets: each MachineSet and MachineDeployment matches as many Machines as it wants, and every worker has one of each.
func checkSets(t *testing.T, b *adopt.Bundle, machines []clusterv1.Machine) {
	t.Helper()
	owned := map[string]int{}
	match := func(name string, selector metav1.LabelSelector, template clusterv1.MachineTemplateSpec, replicas *int32) {
		sel, err := metav1.LabelSelectorAsSelector(&selector)
		if err != nil {
			t.Fatal(err)
		}
		if !sel.Matches(labels.Set(template.Labels)) {
			t.Errorf("%s does not match its own template", name)
		}
		n := int32(0)
		for _, m := range machines {
			if sel.Matches(labels.Set(m.Labels)) {
				n++
				owned[m.Name]++
				if m.Spec.Version != template.Spec.Version {
					t.Errorf("%s would have %s at %s instead of %s", name, m.Name, template.Spec.Version, m.Spec.Version)
				}
			}
		}
		if replicas == nil || *replicas != n {
			t.Errorf("%s wants %v, and %d match", name, replicas, n)
		}
	}
	sets := map[string]clusterv1.MachineSet{}
	for _, s := range typedAll[clusterv1.MachineSet](t, b, "MachineSet") {
		match("MachineSet "+s.Name, s.Spec.Selector, s.Spec.Template, s.Spec.Replicas)
		sets[s.Labels[clusterv1.MachineDeploymentNameLabel]] = s
	}
	for _, d := range typedAll[clusterv1.MachineDeployment](t, b, "MachineDeployment") {
		match("MachineDeployment "+d.Name, d.Spec.Selector, d.Spec.Template, d.Spec.Replicas)
		// What the MachineDeployment controller compares to know its MachineSet again (core/reconcilers/machinedeployment/mdutil:
		// MachineTemplateUpToDate).
		set := sets[d.Name]
		if x, y := asJSON(t, set.Spec.Template.Spec), asJSON(t, d.Spec.Template.Spec); x != y {
			t.Errorf("%s would make another MachineSet: %s, %s", d.Name, x, y)
		}
		if d.Spec.Rollout.Strategy.Type != clusterv1.OnDeleteMachineDeploymentStrategyType {
			t.Errorf("%s replaces by itself: %s", d.Name, d.Spec.Rollout.Strategy.Type)
		}
	}
	for _, m := range machines {
		want := 2
		if _, plane := m.Labels[clusterv1.MachineControlPlaneLabel]; plane {
			want = 0
		}
		if owned[m.Name] != want {
			t.Errorf("Machine %s is matched by %d owners, want %d", m.Name, owned[m.Name], want)
		}
	}
}

func asJSON(t *testing.T, v any) string {
	t.Helper()
	out, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

const oldClusterConfiguration = `apiServer:
  extraArgs: {authorization-mode: "Node,RBAC", audit-log-maxage: "7"}
  timeoutForControlPlane: 4m0s
apiVersion: kubeadm.k8s.io/v1beta3
certificatesDir: /etc/kubernetes/pki
clusterName: kubernetes
controlPlaneEndpoint: "[fd00::10]:6443"
etcd: {external: {endpoints: ["https://10.0.0.31:2379"], caFile: /etc/kubernetes/pki/etcd/ca.crt, certFile: /c.crt, keyFile: /c.key}}
featureGates: {ControlPlaneKubeletLocalMode: false}
imageRepository: registry.example
kind: ClusterConfiguration
kubernetesVersion: v1.33.4
networking: {dnsDomain: k8s.example, podSubnet: "10.244.0.0/16,fd00:1::/64", serviceSubnet: "10.96.0.0/12,fd00:2::/112"}
`

// Every bundle is whole, whatever the cluster looks like.
func TestBundles(t *testing.T) {
	for name, c := range map[string]struct {
		planes, workers int
		do              change
	}{
		"one machine": {1, 0, same}, "a home lab": {1, 2, same}, "production": {3, 6, same}, "large": {5, 20, same},
		"labels and taints": {3, 3, all(setNode("w-1", func(n *inventory.Node) {
			n.Labels["example.com/pool"], n.Labels["node-role.kubernetes.io/gpu"] = "a", ""
			n.Taints = []inventory.Taint{{Key: "gpu", Value: "yes", Effect: "NoSchedule"}, {Key: "node.kubernetes.io/unschedulable", Effect: "NoSchedule"}}
		}), setNodes("cp-", func(n *inventory.Node) { n.Labels["example.com/plane"] = "x" }))},
		"control planes without a taint": {3, 0, setNodes("cp-", func(n *inventory.Node) { n.Taints = nil })},
		"kubeadm v1beta3, external etcd": {2, 1, setCluster(func(c *inventory.Cluster) {
			c.Kubeadm.ClusterConfiguration, c.Kubeadm.ControlPlaneEndpoint = oldClusterConfiguration, "[fd00::10]:6443"
			c.StaticPods = slices.DeleteFunc(c.StaticPods, func(p inventory.StaticPod) bool { return p.Component == "etcd" })
		})},
		"IPv6 for machines to come": {1, 1, func(_ *inventory.Snapshot, o *adopt.Options) {
			o.Future.Addresses, o.Future.Gateway, o.Future.Prefix = []string{"fd00::100-fd00::1ff"}, "fd00::1", 64
		}},
		"Kubernetes without the gate": {3, 1, all(setNodes("", func(n *inventory.Node) { n.KubeletVersion = "v1.36.1" }), setCluster(func(c *inventory.Cluster) {
			c.Version, c.Kubeadm.ClusterConfiguration = "v1.36.1", strings.Replace(c.Kubeadm.ClusterConfiguration, "v1.33.4", "v1.36.1", 1)
			for i := range c.StaticPods {
				c.StaticPods[i].Image = "x:v1.36.1"
			}
		}))},
		"two interfaces": {1, 2, setVM(1001, func(v *inventory.VM) {
			v.Config.NICs = append(v.Config.NICs, inventory.NIC{Slot: "net1", Model: "e1000", Bridge: "vmbr1", VLAN: 20, MTU: 9000, Queues: 4})
		})},
		"the template says what clones would": {1, 1, setVM(9000, func(v *inventory.VM) { v.Config.Description = "Worker of cluster prod, made by Cluster API" })},
		"odd memory":                          {1, 1, setVM(1001, func(v *inventory.VM) { v.Config.MemoryMiB = 4099 })},
	} {
		t.Run(name, func(t *testing.T) {
			s, o := inventorytest.ScriptBuilt("prod", c.planes, c.workers), options()
			c.do(s, &o)
			checkBundle(t, plan(t, s, o), s)
		})
	}
}

// The order in which sources answered never shows.
func TestOrderNeverShows(t *testing.T) {
	want := ready(t, plan(t, inventorytest.ScriptBuilt("prod", 3, 6), options()))
	wantPlan := asJSON(t, plan(t, inventorytest.ScriptBuilt("prod", 3, 6), options()))
	for seed := range uint64(20) {
		s := inventorytest.ScriptBuilt("prod", 3, 6)
		r := rand.New(rand.NewPCG(seed, 1))
		shuffled(r, s.VMs)
		shuffled(r, s.Nodes)
		shuffled(r, s.Providers)
		shuffled(r, s.Coverage)
		p := plan(t, s, options())
		if got := ready(t, p); !bytes.Equal(got.Manifests(), want.Manifests()) || !bytes.Equal(got.NodePatches, want.NodePatches) {
			t.Fatalf("seed %d gives other manifests", seed)
		}
		if got := asJSON(t, p); got != wantPlan {
			t.Fatalf("seed %d gives another plan", seed)
		}
	}
}

func shuffled[T any](r *rand.Rand, list []T) {
	r.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
}

// A VM that moved changes one line of the manifests.
func TestMovedVM(t *testing.T) {
	before := ready(t, plan(t, inventorytest.ScriptBuilt("prod", 3, 3), options())).Manifests()
	s, o := inventorytest.ScriptBuilt("prod", 3, 3), options()
	setVM(1001, func(v *inventory.VM) { v.Node = "pve1" })(s, &o)
	after := ready(t, plan(t, s, o)).Manifests()
	a, b := strings.Split(string(before), "\n"), strings.Split(string(after), "\n")
	var changed []string
	for i := range a {
		if a[i] != b[i] {
			changed = append(changed, a[i]+" ->"+b[i])
		}
	}
	if len(a) != len(b) || len(changed) != 1 || changed[0] != "  sourceNode: pve3 ->  sourceNode: pve1" {
		t.Errorf("%q", changed)
	}
}

// No source that is missing makes a bundle where the whole view has none, and those that are needed leave none.
func TestUnseenRendersNothing(t *testing.T) {
	blocked := func(s *inventory.Snapshot) { vmOf(s, "w-1").Status = "stopped" }
	none := 0
	for i := range inventorytest.ScriptBuilt("prod", 3, 3).Coverage {
		for _, spoil := range []func(*inventory.Snapshot){func(*inventory.Snapshot) {}, blocked} {
			s := inventorytest.ScriptBuilt("prod", 3, 3)
			spoil(s)
			whole := plan(t, s, options()).Ready()
			c := &s.Coverage[i]
			c.State, c.Reason = inventory.Failed, "timeout"
			p := plan(t, s, options())
			if p.Ready() && !whole {
				t.Errorf("without %s %s there is a bundle", c.Source, c.Scope)
			}
			if whole && !p.Ready() {
				none++
				if len(p.Missing) == 0 || !p.Summary.Incomplete {
					t.Errorf("without %s %s there is no bundle, and nothing says why", c.Source, c.Scope)
				}
			}
		}
	}
	if none < 15 {
		t.Errorf("%d sources are needed: the test does not see them", none)
	}
}

// The five worst outcomes, each tried by what could lead to it: there is no bundle, or one that cannot do it.
func TestWorstOutcomes(t *testing.T) {
	no := func(c change) func(*testing.T) {
		return func(t *testing.T) {
			s, o := inventorytest.ScriptBuilt("prod", 3, 3), options()
			o.Force = true
			c(s, &o)
			if p := plan(t, s, o); p.Ready() {
				t.Errorf("a bundle is rendered; blockers %+v", p.Blockers)
			}
		}
	}
	t.Run("a second VM: the VM is not known", no(func(s *inventory.Snapshot, _ *adopt.Options) { dropVM(s, 101) }))
	t.Run("a second VM: the VMID is another guest's", no(setVM(1001, func(v *inventory.VM) { v.Config.UUID = inventorytest.UUID(77) })))
	t.Run("a second VM: the name is not the object's", no(setVM(1001, func(v *inventory.VM) { v.Name = "W_1" })))
	t.Run("a VM stopped or rewritten: it does not run", no(setVM(1001, func(v *inventory.VM) { v.Status = "stopped" })))
	t.Run("a VM stopped or rewritten: CAPMOX 0.7", no(func(_ *inventory.Snapshot, o *adopt.Options) { o.CAPMOXVersion = "v0.7.7" }))
	t.Run("a VM deleted: another Machine has it", no(func(s *inventory.Snapshot, _ *adopt.Options) {
		id := 1001
		s.Clusters = append(s.Clusters, inventory.Cluster{Key: "other", Declared: &inventory.DeclaredCluster{Meta: inventory.Meta{Namespace: "o", Name: "other"}}})
		s.ProxmoxMachines = append(s.ProxmoxMachines, inventory.ProxmoxMachine{Meta: inventory.Meta{Namespace: "o", Name: "w-1"}, Cluster: "other", VMID: &id,
			ProviderID: "proxmox://" + inventorytest.ScriptBuiltUUID(1001)})
	}))
	t.Run("a VM deleted: a MachineHealthCheck", no(object("cluster.x-k8s.io/v1beta2", "MachineHealthCheck", "mhc", map[string]any{"spec": map[string]any{
		"clusterName": "prod", "selector": map[string]any{"matchLabels": map[string]any{clusterv1.ClusterNameLabel: "prod"}}}})))
	t.Run("a rollout: versions", no(setNode("cp-2", func(n *inventory.Node) { n.KubeletVersion = "v1.33.3" })))
	t.Run("etcd: a Pod without a Machine", no(setCluster(func(c *inventory.Cluster) {
		c.StaticPods = append(c.StaticPods, inventory.StaticPod{Name: "etcd-cp-9", Component: "etcd", Node: "cp-9"})
	})))
	t.Run("etcd: a control plane without a proven VM", no(setNode("cp-2", func(n *inventory.Node) { n.SystemUUID = inventorytest.UUID(5) })))
	t.Run("a rollout: whatever kubeadm-config says", func(t *testing.T) {
		for i, cc := range []string{"controllerManager: {extraArgs: [{name: a, value: b}], extraVolumes: [{name: x, hostPath: /x, mountPath: /x, readOnly: true}]}",
			"controllerManager: {extraEnvs: [{name: HTTP_PROXY, value: x}]}", "controllerManager: {}"} {
			s := inventorytest.ScriptBuilt("prod", 3, 1)
			k := s.Clusters[0].Kubeadm
			k.ClusterConfiguration = strings.Replace(k.ClusterConfiguration, "controllerManager:\n  extraArgs:\n  - name: bind-address\n    value: 0.0.0.0", cc, 1)
			if !strings.Contains(k.ClusterConfiguration, cc) {
				t.Fatal(fmt.Sprint("the fixture has changed: ", i))
			}
			checkBundle(t, plan(t, s, options()), s)
		}
	})
}
