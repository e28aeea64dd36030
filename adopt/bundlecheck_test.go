package adopt_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/labels"
	"sigs.k8s.io/yaml"

	"github.com/proxaudit/proxaudit/adopt"
	"github.com/proxaudit/proxaudit/inventory"
)

// manifest is one rendered document, as JSON has it.
type manifest struct {
	adopt.ObjectRef
	json []byte
	body map[string]any
}

func (m manifest) get(path ...string) any {
	var v any = m.body
	for _, key := range path {
		in, ok := v.(map[string]any)
		if !ok {
			return nil
		}
		v = in[key]
	}
	return v
}

func (m manifest) strings(path ...string) map[string]string {
	out := map[string]string{}
	in, _ := m.get(path...).(map[string]any)
	for k, v := range in {
		out[k] = fmt.Sprint(v)
	}
	return out
}

func (m manifest) annotations() map[string]string { return m.strings("metadata", "annotations") }
func (m manifest) labels() map[string]string      { return m.strings("metadata", "labels") }

func manifests(t testing.TB, b *adopt.Bundle) []manifest {
	t.Helper()
	var out []manifest
	for _, d := range b.Documents {
		raw, err := yaml.YAMLToJSONStrict(d.YAML)
		if err != nil {
			t.Fatalf("%s %s is no YAML: %v", d.Kind, d.Name, err)
		}
		m := manifest{ObjectRef: d.ObjectRef, json: raw}
		if err := json.Unmarshal(raw, &m.body); err != nil {
			t.Fatal(err)
		}
		out = append(out, m)
	}
	return out
}

func ofKind(list []manifest, kind string) []manifest {
	return slices.DeleteFunc(slices.Clone(list), func(m manifest) bool { return m.Kind != kind })
}

// pausedKinds carry the annotation. The Cluster has its field alone, and templates and Secrets are nobody's to reconcile.
var pausedKinds = []string{"ProxmoxCluster", "KubeadmControlPlane", "KubeadmConfig", "Machine", "ProxmoxMachine", "MachineSet", "MachineDeployment"}

var otherKinds = []string{"Cluster", "ProxmoxMachineTemplate", "KubeadmConfigTemplate", "Secret"}

// checkInvariants holds a rendered bundle to what no bundle may break.
func checkInvariants(t testing.TB, s *inventory.Snapshot, p *adopt.Plan) {
	t.Helper()
	b := ready(t, p)
	list := manifests(t, b)
	seen := map[string]bool{}
	for _, m := range list {
		if id := m.Kind + "/" + m.Name; seen[id] {
			t.Errorf("%s is there twice", id)
		} else {
			seen[id] = true
		}
		checkManifest(t, p, m)
	}
	checkOrder(t, list)
	checkClusterObject(t, p, list)
	checkMachines(t, s, p, list)
	checkOwners(t, p, list)
	checkTemplates(t, s, list)
	checkTypes(t, list)
	checkDesired(t, list)
	if got := slices.Concat(b.Step(adopt.StepApplyCluster), b.Step(adopt.StepApplyInfra), b.Step(adopt.StepApplyMachines), b.Step(adopt.StepApplyOwners)); string(got) != string(b.Manifests()) {
		t.Error("the steps' files together are not the manifests")
	}
}

func checkManifest(t testing.TB, p *adopt.Plan, m manifest) {
	t.Helper()
	id := m.Kind + "/" + m.Name
	if m.get("apiVersion") != m.APIVersion || m.get("kind") != m.Kind || m.get("metadata", "name") != m.Name || m.get("metadata", "namespace") != p.Namespace {
		t.Errorf("%s: the reference is not what the document says", id)
	}
	if m.body["status"] != nil || m.get("metadata", "ownerReferences") != nil || m.get("metadata", "finalizers") != nil || m.get("metadata", "uid") != nil {
		t.Errorf("%s has what only controllers write", id)
	}
	if strings.Contains(string(m.json), "cloned-from") {
		t.Errorf("%s says what it was cloned from", id)
	}
	if m.annotations()[adopt.AnnotationRendered] != "proxaudit" || m.labels()["cluster.x-k8s.io/cluster-name"] != p.Name {
		t.Errorf("%s: provenance or the cluster's label is missing", id)
	}
	_, paused := m.annotations()["cluster.x-k8s.io/paused"]
	if want := slices.Contains(pausedKinds, m.Kind); paused != want || !want && !slices.Contains(otherKinds, m.Kind) {
		t.Errorf("%s: paused by annotation: %v", id, paused)
	}
	if m.Kind != "Secret" {
		checkEmpty(t, id, m.body, "")
	}
	if m.Kind == "Secret" && (m.body["data"] != nil || m.body["stringData"] != nil || m.body["type"] != "cluster.x-k8s.io/secret") {
		t.Errorf("%s is not an empty Secret of Cluster API", id)
	}
}

// mayBeEmpty are the structs that the API takes empty, and that mean something: a control plane joins, and a list of no
// taints.
var mayBeEmpty = []string{".spec.joinConfiguration.controlPlane"}

// checkEmpty: the definitions want one property at least in every struct, and an entry in every list but that of taints.
func checkEmpty(t testing.TB, id string, v any, path string) {
	t.Helper()
	switch v := v.(type) {
	case map[string]any:
		if len(v) == 0 && !slices.Contains(mayBeEmpty, path) {
			t.Errorf("%s%s is empty: the definitions refuse it", id, path)
		}
		for k, e := range v {
			checkEmpty(t, id, e, path+"."+k)
		}
	case []any:
		if len(v) == 0 && !strings.HasSuffix(path, ".taints") && !strings.HasSuffix(path, ".networkDevices") {
			t.Errorf("%s%s is an empty list", id, path)
		}
		for _, e := range v {
			checkEmpty(t, id, e, path+"[]")
		}
	case nil:
		t.Errorf("%s%s is null", id, path)
	}
}

// checkOrder: nothing that owns Machines comes before one of them, and nothing is referred to before it is there.
func checkOrder(t testing.TB, list []manifest) {
	t.Helper()
	rank := map[string]int{"Cluster": 0, "ProxmoxCluster": 1, "ProxmoxMachineTemplate": 1, "KubeadmConfigTemplate": 1,
		"Secret": 2, "KubeadmConfig": 2, "ProxmoxMachine": 2, "Machine": 2, "KubeadmControlPlane": 3, "MachineSet": 3, "MachineDeployment": 3}
	step := map[int]adopt.StepID{0: adopt.StepApplyCluster, 1: adopt.StepApplyInfra, 2: adopt.StepApplyMachines, 3: adopt.StepApplyOwners}
	last := 0
	for _, m := range list {
		r, ok := rank[m.Kind]
		if !ok || r < last || m.Step != step[r] {
			t.Errorf("%s %s stands in the wrong place (step %s)", m.Kind, m.Name, m.Step)
		}
		last = r
	}
	for _, d := range ofKind(list, "MachineDeployment") {
		set := slices.IndexFunc(list, func(m manifest) bool { return m.Kind == "MachineSet" && m.Name == d.Name+"-adopted" })
		own := slices.IndexFunc(list, func(m manifest) bool { return m.Kind == d.Kind && m.Name == d.Name })
		if set < 0 || set > own {
			t.Errorf("MachineDeployment %s has no MachineSet before it", d.Name)
		}
	}
}

func checkClusterObject(t testing.TB, p *adopt.Plan, list []manifest) {
	t.Helper()
	clusters := ofKind(list, "Cluster")
	if len(clusters) != 1 || clusters[0].get("spec", "paused") != true {
		t.Fatal("there is not one Cluster that is paused by its field")
	}
	if _, ok := clusters[0].annotations()[adopt.BlockMove]; !ok {
		t.Error("the Cluster can be moved")
	}
	plane := ofKind(list, "KubeadmControlPlane")
	if len(plane) != 1 || plane[0].get("spec", "replicas") != float64(p.Summary.ControlPlanes) {
		t.Fatalf("the control plane does not have %d replicas", p.Summary.ControlPlanes)
	}
	for _, skip := range []string{"controlplane.cluster.x-k8s.io/skip-kube-proxy", "controlplane.cluster.x-k8s.io/skip-coredns"} {
		if _, ok := plane[0].annotations()[skip]; !ok {
			t.Errorf("the control plane lacks %s", skip)
		}
	}
}

func checkMachines(t testing.TB, s *inventory.Snapshot, p *adopt.Plan, list []manifest) {
	t.Helper()
	machines, infra := ofKind(list, "Machine"), ofKind(list, "ProxmoxMachine")
	if len(machines) != len(infra) || len(machines) != p.Summary.ControlPlanes+p.Summary.Workers || len(machines) != len(p.Machines) {
		t.Fatalf("%d Machines, %d ProxmoxMachines, and %d planned", len(machines), len(infra), len(p.Machines))
	}
	for i, pm := range infra {
		vm := machineVM(s, pm)
		if vm == nil || vm.Status != "running" || vm.Name != pm.Name || pm.get("spec", "sourceNode") != vm.Node {
			t.Errorf("ProxmoxMachine %s is not a VM that runs, of this name and host: %+v", pm.Name, vm)
			continue
		}
		m := machines[i]
		if want := "proxmox://" + vm.UUID(); pm.get("spec", "providerID") != want || m.get("spec", "providerID") != want {
			t.Errorf("%s: the providerID is not %s", pm.Name, want)
		}
		if m.Name != pm.Name || m.get("spec", "infrastructureRef", "name") != pm.Name || m.get("spec", "bootstrap", "dataSecretName") != pm.Name {
			t.Errorf("Machine %s does not stand for ProxmoxMachine %s", m.Name, pm.Name)
		}
		for _, brake := range []string{"cluster.x-k8s.io/skip-remediation", adopt.HookPreDrain, adopt.HookPreTerminate} {
			if _, ok := m.annotations()[brake]; !ok {
				t.Errorf("Machine %s lacks %s", m.Name, brake)
			}
		}
		if m.annotations()[adopt.AnnotationUUID] != vm.UUID() || m.annotations()[adopt.AnnotationVM] != vm.Key().String() || m.annotations()[adopt.AnnotationNode] == "" {
			t.Errorf("Machine %s does not say whose it is", m.Name)
		}
		checkNode(t, s, p, m, vm)
	}
}

// checkNode: the Node that the Machine means is the VM's by its UUID, and has the Machine's version.
func checkNode(t testing.TB, s *inventory.Snapshot, p *adopt.Plan, m manifest, vm *inventory.VM) {
	t.Helper()
	for i := range s.Nodes {
		n := &s.Nodes[i]
		if n.Cluster != p.Cluster || n.Name != m.annotations()[adopt.AnnotationNode] {
			continue
		}
		_, controlPlane := m.labels()["cluster.x-k8s.io/control-plane"]
		proof := n.SystemUUID == vm.UUID() || n.SystemUUID == "" && n.ProviderID == "proxmox://"+vm.UUID()
		if !proof || controlPlane != n.ControlPlane || m.get("spec", "version") != n.KubeletVersion {
			t.Errorf("Machine %s is not Node %s", m.Name, n.Name)
		}
		if hasConfig := m.get("spec", "bootstrap", "configRef") != nil; hasConfig != controlPlane {
			t.Errorf("Machine %s: KubeadmConfig %v, control plane %v", m.Name, hasConfig, controlPlane)
		}
		return
	}
	t.Errorf("Machine %s is no Node of the cluster", m.Name)
}

func machineVM(s *inventory.Snapshot, pm manifest) *inventory.VM {
	id, ok := pm.get("spec", "virtualMachineID").(float64)
	if !ok {
		return nil
	}
	site, _, _ := strings.Cut(pm.annotations()[adopt.AnnotationVM], "/")
	for i := range s.VMs {
		if v := &s.VMs[i]; v.VMID == int(id) && v.Site == site {
			return v
		}
	}
	return nil
}

// checkOwners: each selector takes exactly the Machines that are meant, and replicas are their number, so that nothing is
// cloned and nothing deleted.
func checkOwners(t testing.TB, p *adopt.Plan, list []manifest) {
	t.Helper()
	machines := ofKind(list, "Machine")
	taken := map[string]string{}
	for _, set := range ofKind(list, "MachineSet") {
		var got []string
		selector := labels.SelectorFromSet(set.strings("spec", "selector", "matchLabels"))
		for _, m := range machines {
			if selector.Matches(labels.Set(m.labels())) {
				got = append(got, m.Name)
				if taken[m.Name] != "" {
					t.Errorf("Machine %s is taken by %s and %s", m.Name, taken[m.Name], set.Name)
				}
				taken[m.Name] = set.Name
			}
		}
		i := slices.IndexFunc(p.Groups, func(g adopt.PlannedGroup) bool { return g.Name+"-adopted" == set.Name })
		if i < 0 || !slices.Equal(got, p.Groups[i].Machines) || set.get("spec", "replicas") != float64(len(got)) {
			t.Errorf("MachineSet %s with %v replicas takes %v", set.Name, set.get("spec", "replicas"), got)
		}
		if !selector.Matches(labels.Set(set.strings("spec", "template", "metadata", "labels"))) || set.labels()["machine-template-hash"] == "" {
			t.Errorf("MachineSet %s does not match its own template, or has no hash", set.Name)
		}
		checkDeployment(t, set, list)
	}
	for _, m := range machines {
		_, plane := m.labels()["cluster.x-k8s.io/control-plane"]
		if plane == (taken[m.Name] != "") {
			t.Errorf("Machine %s: control plane %v, taken by %q", m.Name, plane, taken[m.Name])
		}
		if len(m.Name) > 253 || !plane && m.labels()["cluster.x-k8s.io/set-name"] != taken[m.Name] {
			t.Errorf("Machine %s has the labels %v", m.Name, m.labels())
		}
		for k, v := range m.labels() {
			if len(v) > 63 {
				t.Errorf("Machine %s: label %s has %d characters", m.Name, k, len(v))
			}
		}
	}
}

// checkDeployment: one MachineDeployment takes the MachineSet, and says the same of its machines, so that it makes no other.
func checkDeployment(t testing.TB, set manifest, list []manifest) {
	t.Helper()
	found := 0
	for _, d := range ofKind(list, "MachineDeployment") {
		if !labels.SelectorFromSet(d.strings("spec", "selector", "matchLabels")).Matches(labels.Set(set.labels())) {
			continue
		}
		found++
		a, errA := json.Marshal(d.get("spec", "template", "spec"))
		b, errB := json.Marshal(set.get("spec", "template", "spec"))
		if errA != nil || errB != nil || string(a) != string(b) || d.get("spec", "replicas") != set.get("spec", "replicas") {
			t.Errorf("MachineDeployment %s and its MachineSet differ: %s, %s", d.Name, a, b)
		}
		if d.get("spec", "rollout", "strategy", "type") != "OnDelete" || d.Name+"-adopted" != set.Name {
			t.Errorf("MachineDeployment %s for %s replaces machines by itself", d.Name, set.Name)
		}
	}
	if found != 1 {
		t.Errorf("%d MachineDeployments take MachineSet %s", found, set.Name)
	}
}

func checkTemplates(t testing.TB, s *inventory.Snapshot, list []manifest) {
	t.Helper()
	for _, m := range ofKind(list, "ProxmoxMachineTemplate") {
		id, _ := m.get("spec", "template", "spec", "templateID").(float64)
		i := slices.IndexFunc(s.VMs, func(v inventory.VM) bool { return v.VMID == int(id) && v.IsTemplate() })
		description, _ := m.get("spec", "template", "spec", "description").(string)
		if i < 0 || description == "" || strings.TrimSpace(s.VMs[i].Config.Description) == description {
			t.Errorf("%s: a clone would be ready as it is, and never be started (template %v, description %q)", m.Name, id, description)
		}
		if m.get("spec", "template", "spec", "virtualMachineID") != nil || m.get("spec", "template", "spec", "providerID") != nil {
			t.Errorf("%s names a VM", m.Name)
		}
	}
}
