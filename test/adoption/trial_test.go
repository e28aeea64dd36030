package adoption

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/proxaudit/proxaudit/test/realkube"
)

// owners are the names of what takes the machines over.
type owners struct{ plane, small, large string }

var trialOwners = owners{plane: "prod-cp", small: "prod-md", large: "prod-large"}

// endpointPort is the port of the control plane in testdata, which the real one takes the place of.
const endpointPort = "port: 16443"

// TestTrialManifests takes a set of manifests that is written by hand and known to be good through the whole adoption.
// It is the proof of the World: what goes wrong with other manifests here is the manifests' fault.
func TestTrialManifests(t *testing.T) {
	w := newWorld(t, Options{})
	nodes := w.nodeUIDs(t)
	w.Step(t, "proxaudit before", func() { w.classed(t, "adoptable") })
	w.Step(t, "0 providerIDs of the Nodes", func() { w.setProviderIDs(t) })
	w.Step(t, "1-5 apply, paused", func() { w.applyTrial(t) })
	w.Step(t, "1-5 again", func() { w.applyAgain(t) })
	w.Step(t, "a Cluster and ProxmoxCluster", func() { w.unpauseCluster(t) })
	w.Step(t, "b the first worker", func() { w.unpauseMachines(t, "w-1") })
	w.Step(t, "c the other machines", func() { w.unpauseMachines(t, "w-2", "w-3", "cp-1", "cp-2", "cp-3") })
	w.Step(t, "d KubeadmControlPlane", func() { w.unpauseControlPlane(t) })
	w.Step(t, "e MachineSets and MachineDeployments", func() { w.unpauseWorkers(t) })
	w.Step(t, "the outcome", func() { w.adopted(t, nodes, trialOwners) })
	w.Step(t, "new CAPMOX and control-plane managers", func() { w.restartManagers(t, trialOwners.plane) })
	w.Step(t, "the outcome, still", func() { w.adopted(t, nodes, trialOwners) })
	w.Step(t, "proxaudit after", func() { w.classed(t, "managed") })
	t.Run("webhooks", func(t *testing.T) { w.webhooksAtWork(t) })
	t.Run("providers", func(t *testing.T) { w.providersShown(t) })
	t.Run("a naive manifest", func(t *testing.T) { w.naiveMachine(t) })
}

// nodeUIDs maps the name of each Node to its UID.
func (w *World) nodeUIDs(t *testing.T) string {
	t.Helper()
	return w.WorkloadKubectl(t, "get", "nodes", "-o", `jsonpath={range .items[*]}{.metadata.name} {.metadata.uid}{"\n"}{end}`)
}

// setProviderIDs gives each Node the providerID by which a Machine finds it. The field can be set once.
func (w *World) setProviderIDs(t *testing.T) {
	t.Helper()
	for _, m := range machines {
		w.WorkloadKubectl(t, "patch", "node", m.name, "-p", fmt.Sprintf(`{"spec":{"providerID":%q}}`, m.providerID()))
	}
}

// trialFiles are the manifests in their order: namespace and Secrets first.
func (w *World) trialFiles(t *testing.T) []string {
	t.Helper()
	files := []string{w.write(t, "1-secrets.yaml", w.secrets(t))}
	for _, name := range []string{"2-cluster.yaml", "3-infra.yaml", "4-machines.yaml", "5-owners.yaml"} {
		data := readFile(t, filepath.Join("testdata", "trial", name))
		data = bytes.ReplaceAll(data, []byte(endpointPort), fmt.Appendf(nil, "port: %d", w.Kubeadm.EndpointPort()))
		files = append(files, w.write(t, name, data))
	}
	return files
}

func (w *World) applyTrial(t *testing.T) {
	t.Helper()
	w.Kubectl(t, "create", "namespace", prod)
	w.Kubectl(t, apply(w.trialFiles(t))...)
	// The controllers of these say that they have seen the pause; those of the others wait for an owner.
	w.WaitCondition(t, "Paused", "cluster/prod", "machine/cp-1", "machine/w-1", "machineset/prod-md-adopted", "machinedeployment/prod-md")
	for _, r := range w.capmoxAsked(0) {
		if strings.HasPrefix(r.Path, "/nodes") {
			t.Errorf("CAPMOX asks for %s while all is paused", r.Path)
		}
	}
}

// apply is the kubectl command for files in their order.
func apply(files []string) []string {
	args := []string{"apply"}
	for _, file := range files {
		args = append(args, "-f", file)
	}
	return args
}

// applyAgain: a set that a second apply changes would be overwritten by whoever keeps it in git.
func (w *World) applyAgain(t *testing.T) {
	t.Helper()
	lines := 0
	for line := range strings.Lines(w.Kubectl(t, apply(w.trialFiles(t))...)) {
		lines++
		if !strings.HasSuffix(line, " unchanged\n") {
			t.Errorf("a second apply: %s", line)
		}
	}
	if lines < 30 {
		t.Errorf("a second apply has %d lines, which is less than the set has objects", lines)
	}
}

func (w *World) unpauseCluster(t *testing.T) {
	t.Helper()
	w.Kubectl(t, "-n", prod, "patch", "cluster", prod, "--type=merge", "-p", `{"spec":{"paused":false}}`)
	w.Unpause(t, "proxmoxcluster/"+prod)
	w.WaitCondition(t, "InfrastructureReady", "cluster/"+prod)
	w.WaitCondition(t, "Paused", "kcp/prod-cp")
}

// unpauseMachines lets machines be reconciled, from the VM up, and waits until each has its Node.
func (w *World) unpauseMachines(t *testing.T, names ...string) {
	t.Helper()
	var objects, waited []string
	for _, name := range names {
		objects = append(objects, "proxmoxmachine/"+name)
		if strings.HasPrefix(name, "cp-") {
			objects = append(objects, "kubeadmconfig/"+name)
		}
		objects = append(objects, "machine/"+name)
		waited = append(waited, "machine/"+name)
	}
	w.Unpause(t, objects...)
	w.WaitField(t, "{.status.phase}", "Running", waited...)
}

func (w *World) unpauseControlPlane(t *testing.T) {
	t.Helper()
	w.Unpause(t, "kcp/prod-cp")
	for _, condition := range []string{"EtcdClusterHealthy", "ControlPlaneComponentsHealthy", "CertificatesAvailable", "MachinesUpToDate", "Available"} {
		w.WaitCondition(t, condition, "kcp/prod-cp")
	}
	// The controller reached the API server through the Pod, as it reaches etcd.
	for _, m := range machines {
		if m.controlPlane {
			w.waitExpiry(t, m.name)
		}
	}
}

// waitExpiry waits until the control-plane controller has noted when the API server's certificate on a machine expires.
func (w *World) waitExpiry(t *testing.T, name string) {
	t.Helper()
	path := `{.metadata.annotations.machine\.cluster\.x-k8s\.io/certificates-expiry}`
	w.WaitFor(t, "certificate expiry on kubeadmconfig/"+name, time.Minute, func() string {
		value := w.Field(t, "kubeadmconfig/"+name, path)
		if _, err := time.Parse(time.RFC3339, value); err != nil {
			return err.Error()
		}
		return ""
	})
}

// unpauseWorkers: the sets first, so that a deployment finds each with its machines.
func (w *World) unpauseWorkers(t *testing.T) {
	t.Helper()
	w.Unpause(t, "machineset/prod-md-adopted", "machineset/prod-large-adopted")
	w.WaitField(t, "{.status.availableReplicas}", "2", "machineset/prod-md-adopted")
	w.WaitField(t, "{.status.availableReplicas}", "1", "machineset/prod-large-adopted")
	w.Unpause(t, "machinedeployment/prod-md", "machinedeployment/prod-large")
	w.WaitCondition(t, "Available", "machinedeployment/prod-md", "machinedeployment/prod-large")
	w.WaitCondition(t, "Available", "cluster/"+prod)
}

// adopted: everything is owned, up to date and as it was, and there is nothing beside it.
func (w *World) adopted(t *testing.T, nodes string, n owners) {
	t.Helper()
	var vms, nodesOf, configs []string
	for _, m := range machines {
		owner := "MachineSet/" + n.small + "-adopted"
		switch {
		case m.controlPlane:
			owner = "KubeadmControlPlane/" + n.plane
			configs = append(configs, m.name+" Machine/"+m.name)
		case m.cores == 8:
			owner = "MachineSet/" + n.large + "-adopted"
		}
		nodesOf = append(nodesOf, fmt.Sprintf("%s Running %s %s %s", m.name, m.name, m.providerID(), owner))
		vms = append(vms, fmt.Sprintf("%s %d %s true Provisioned Machine/%s", m.name, m.vmid, m.providerID(), m.name))
	}
	const owner = ` {.metadata.ownerReferences[?(@.controller==true)].kind}/{.metadata.ownerReferences[?(@.controller==true)].name}`
	w.exactly(t, "machines", "{.status.phase} {.status.nodeRef.name} {.spec.providerID}"+owner, nodesOf)
	w.exactly(t, "proxmoxmachines", `{.spec.virtualMachineID} {.spec.providerID} {.status.initialization.provisioned} {.status.conditions[?(@.type=="VirtualMachineProvisioned")].reason}`+owner, vms)
	w.exactly(t, "kubeadmconfigs", strings.TrimSpace(owner), configs)
	w.exactly(t, "machinesets", "{.status.replicas}"+owner, []string{
		n.large + "-adopted 1 MachineDeployment/" + n.large, n.small + "-adopted 2 MachineDeployment/" + n.small,
	})
	// Wanted, there, up to date, available.
	const counts = "{.spec.replicas} {.status.replicas} {.status.upToDateReplicas} {.status.availableReplicas}"
	w.exactly(t, "machinedeployments", counts, []string{n.large + " 1 1 1 1", n.small + " 2 2 2 2"})
	w.exactly(t, "kubeadmcontrolplanes", counts+` {.status.conditions[?(@.type=="RollingOut")].status}`, []string{n.plane + " 3 3 3 3 False"})
	if got := w.nodeUIDs(t); got != nodes {
		t.Errorf("the Nodes changed:\n%swant\n%s", got, nodes)
	}
	w.workloadUntouched(t)
	w.clusterctlAgrees(t)
}

// exactly waits until the objects of a kind in the namespace of prod are these, each as a line of its name and some
// fields. It waits because status follows on what happened; an object too many does not go away by itself.
func (w *World) exactly(t *testing.T, kind, fields string, want []string) {
	t.Helper()
	path := `jsonpath={range .items[*]}{.metadata.name} ` + fields + `{"\n"}{end}`
	w.WaitFor(t, kind, time.Minute, func() string {
		got := strings.TrimSpace(w.Kubectl(t, "-n", prod, "get", kind, "-o", path))
		if expected := strings.Join(slices.Sorted(slices.Values(want)), "\n"); got != expected {
			return "\n" + got + "\nwant\n" + expected
		}
		return ""
	})
}

// classed: proxaudit sees each machine as one, and knows whose it is.
func (w *World) classed(t *testing.T, class string) {
	t.Helper()
	o := w.Proxaudit(t, "orphans", "--all", "-o", "json").Want(t, 0)
	var report struct {
		Findings []struct {
			Class   string
			Subject struct{ ID string }
		}
	}
	if err := json.Unmarshal(o.Stdout, &report); err != nil {
		t.Fatal(err)
	}
	classes := map[string]string{}
	for _, f := range report.Findings {
		classes[f.Subject.ID] = f.Class
	}
	for _, m := range machines {
		id := fmt.Sprintf("vm/dc1/%d", m.vmid)
		if classes[id] != class {
			t.Errorf("%s is %q, want %q", id, classes[id], class)
		}
	}
}

// summary is the line of `clusterctl describe` that sums up a cluster with six machines wanted, available, ready and up
// to date.
var summary = regexp.MustCompile(`Cluster prod/prod +6/6 +6 +6 +6 +True +Available`)

func (w *World) clusterctlAgrees(t *testing.T) {
	t.Helper()
	w.WaitFor(t, "clusterctl describe", time.Minute, func() string {
		if out := w.Clusterctl(t, "describe", "cluster", prod, "-n", prod); !summary.MatchString(out) {
			return "\n" + out
		}
		return ""
	})
}

// workloadUntouched: etcd has its members, and nobody changed kube-proxy.
func (w *World) workloadUntouched(t *testing.T) {
	t.Helper()
	members, err := w.Kubeadm.EtcdMembers(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"cp-1", "cp-2", "cp-3"}; !slices.Equal(members, want) {
		t.Errorf("etcd has the members %s, want %s", members, want)
	}
	image := w.WorkloadKubectl(t, "-n", "kube-system", "get", "daemonset", "kube-proxy", "-o", "jsonpath={.spec.template.spec.containers[0].image}")
	if image != realkube.KubeProxyImage {
		t.Errorf("kube-proxy has the image %s, want %s", image, realkube.KubeProxyImage)
	}
}

// restartManagers: what the controllers do may hang on what they remember. New ones start from the objects alone.
func (w *World) restartManagers(t *testing.T, plane string) {
	t.Helper()
	since := len(w.capmoxAsked(0))
	for _, provider := range []string{"infrastructure-proxmox", "control-plane-kubeadm"} {
		if err := w.Managers.Restart(t.Context(), provider); err != nil {
			t.Fatal(err)
		}
	}
	w.sawEvery(t, since)
	w.WaitCondition(t, "EtcdClusterHealthy", "kcp/"+plane)
}

// webhooksAtWork: manifests are judged as on a real management cluster, and converted.
func (w *World) webhooksAtWork(t *testing.T) {
	_, err := w.TryKubectl(t, "-n", prod, "patch", "kcp", "prod-cp", "--type=merge", "-p", `{"spec":{"replicas":2}}`)
	if err == nil || !strings.Contains(err.Error(), "cannot be an even number") {
		t.Errorf("an even number of control planes with their etcd: %v", err)
	}
	// Another version of the API has references with an apiVersion in place of a group.
	got := w.Field(t, "machines.v1beta1.cluster.x-k8s.io/cp-1", "{.apiVersion} {.spec.infrastructureRef.apiVersion}")
	if want := "cluster.x-k8s.io/v1beta1 infrastructure.cluster.x-k8s.io/v1alpha2"; got != want {
		t.Errorf("cp-1 in v1beta1: %s, want %s", got, want)
	}
	got = w.Field(t, "proxmoxmachines.v1alpha1.infrastructure.cluster.x-k8s.io/cp-1", "{.apiVersion} {.spec.network.default.bridge}")
	if want := "infrastructure.cluster.x-k8s.io/v1alpha1 vmbr0"; got != want {
		t.Errorf("cp-1 in v1alpha1: %s, want %s", got, want)
	}
}

// providersShown: the Deployments say which provider is there in which version, as after `clusterctl init`.
func (w *World) providersShown(t *testing.T) {
	const columns = `jsonpath={range .items[*]}{.metadata.labels.cluster\.x-k8s\.io/provider} {.spec.template.spec.containers[0].image} {.status.availableReplicas}{"\n"}{end}`
	out := w.Kubectl(t, "get", "deployments", "-A", "-l", "cluster.x-k8s.io/provider", "-o", columns)
	for _, p := range realkube.Providers() {
		line := regexp.MustCompile(`(?m)^` + regexp.QuoteMeta(p.Name) + ` \S+:` + regexp.QuoteMeta(p.Version) + ` 1$`)
		if !line.MatchString(out) {
			t.Errorf("no available Deployment of %s %s in\n%s", p.Name, p.Version, out)
		}
	}
}

// naiveMachine: the same controllers, with one field less in a manifest, ask Proxmox for a clone. So it was not for want
// of looking that nothing was asked before.
func (w *World) naiveMachine(t *testing.T) {
	w.Kubectl(t, "apply", "-f", "testdata/naive/machine.yaml")
	w.WaitFor(t, "a clone", time.Minute, func() string {
		for _, r := range w.PVE.Writes() {
			if r.Method == http.MethodPost && r.Path == fmt.Sprintf("/nodes/pve1/qemu/%d/clone", templateVM) && r.Token == capmoxToken {
				return ""
			}
		}
		return fmt.Sprintf("%d requests that are no reads, and none for a clone of the template", len(w.PVE.Writes()))
	})
}
