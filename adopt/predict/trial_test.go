package predict

import (
	"slices"
	"strings"
	"testing"

	"github.com/proxaudit/proxaudit/adopt"
	"github.com/proxaudit/proxaudit/inventory"
)

// experiment is a change to the lab, and every prediction that is then not safe.
type experiment struct {
	name   string
	change func(*lab)
	want   []string
	// why is a part of the first reason of the first of them.
	why string
}

const (
	clonedName   = "metadata.annotations.[cluster.x-k8s.io/cloned-from-name]"
	clonedKind   = "metadata.annotations.[cluster.x-k8s.io/cloned-from-groupkind]"
	skipProxy    = "metadata.annotations.[controlplane.cluster.x-k8s.io/skip-kube-proxy]"
	skipCoreDNS  = "metadata.annotations.[controlplane.cluster.x-k8s.io/skip-coredns]"
	skipRemedy   = "metadata.annotations.[cluster.x-k8s.io/skip-remediation]"
	preDrain     = "metadata.annotations.[pre-drain.delete.hook.machine.cluster.x-k8s.io/proxaudit]"
	preTerminate = "metadata.annotations.[pre-terminate.delete.hook.machine.cluster.x-k8s.io/proxaudit]"
	templateHash = "metadata.labels.[machine-template-hash]"
	deleted      = "metadata.deletionTimestamp"
	deletedAt    = "2026-12-02T07:00:00Z"
)

// trial are the experiments that were executed on the real controllers of Cluster API 1.14.2 and CAPMOX 0.9.0, with what
// was seen there. The letters are those of the record.
var trial = []experiment{
	{name: "main run", change: func(*lab) {}},
	{name: "main run, second reconcile", change: func(l *lab) {
		for _, n := range []string{"cp-1", "cp-2", "cp-3", "w-1", "w-2"} {
			l.set("ProxmoxMachine", n, "status", map[string]any{"initialization": map[string]any{"provisioned": true},
				"conditions": []any{map[string]any{"type": "VirtualMachineProvisioned", "status": "True", "reason": "Provisioned", "message": "", "lastTransitionTime": deletedAt}}})
			l.set("Machine", n, "status", map[string]any{"nodeRef": map[string]any{"name": n}, "phase": "Running"})
		}
	}},
	{name: "a: no virtualMachineID", change: func(l *lab) {
		l.unset("ProxmoxMachine", "w-1", "spec.virtualMachineID")
		l.unset("ProxmoxMachine", "w-1", "spec.providerID")
	}, want: []string{"machine Machine/w-1 false-green", "proxmoxmachine ProxmoxMachine/w-1 clones"}, why: "makes a new VM"},
	{name: "b: name differs, right node", change: func(l *lab) { l.vm(111).Name = "legacy" },
		want: []string{"machine Machine/w-1 waits-forever", "proxmoxmachine ProxmoxMachine/w-1 waits-forever"}, why: `is called "legacy"`},
	{name: "b2: name differs, wrong sourceNode", change: func(l *lab) {
		l.vm(111).Name = "legacy2"
		l.set("ProxmoxMachine", "w-1", "spec.sourceNode", "pve2")
	}, want: []string{"machine Machine/w-1 waits-forever", "proxmoxmachine ProxmoxMachine/w-1 refuses"}, why: "VMProvisionFailed"},
	{name: "right name, wrong sourceNode", change: func(l *lab) { l.set("ProxmoxMachine", "w-1", "spec.sourceNode", "pve2") }},
	{name: "c1: VM stopped, no difference", change: func(l *lab) { l.vm(111).Status = "stopped" },
		want: []string{"machine Machine/w-1 false-green", "proxmoxmachine ProxmoxMachine/w-1 false-green"}, why: "no reason to change or start it"},
	{name: "c2: VM stopped, cores and memory differ", change: func(l *lab) {
		l.vm(111).Status = "stopped"
		l.set("ProxmoxMachine", "w-1", "spec.numCores", int64(8))
		l.set("ProxmoxMachine", "w-1", "spec.memoryMiB", int64(16384))
	}, want: []string{"machine Machine/w-1 false-green", "proxmoxmachine ProxmoxMachine/w-1 rewrites"}, why: "cores (4, 8 wanted), memory (8192, 16384 wanted)"},
	{name: "d: no gate in the KubeadmConfig", change: func(l *lab) { l.unset("KubeadmConfig", "cp-2", "spec.clusterConfiguration") },
		want: []string{"kubeadmcontrolplane KubeadmControlPlane/prod-cp rolls-out", "kubeadmcontrolplane Machine/cp-2 rolls-out"}},
	{name: "d3: gate in the KubeadmConfig, not in the control plane", change: func(l *lab) {
		l.unset("KubeadmControlPlane", "prod-cp", "spec.kubeadmConfigSpec.clusterConfiguration")
		l.set("KubeadmControlPlane", "prod-cp", "spec.kubeadmConfigSpec.format", "cloud-config")
	}},
	{name: "d2: criSocket in the control plane only", change: func(l *lab) {
		l.set("KubeadmControlPlane", "prod-cp", "spec.kubeadmConfigSpec.joinConfiguration.nodeRegistration.criSocket", "unix:///run/containerd/containerd.sock")
	}, want: []string{"kubeadmcontrolplane KubeadmControlPlane/prod-cp rolls-out", "kubeadmcontrolplane Machine/cp-1 rolls-out",
		"kubeadmcontrolplane Machine/cp-2 rolls-out", "kubeadmcontrolplane Machine/cp-3 rolls-out"}},
	{name: "e: Machine v1.33.3, control plane v1.33.4", change: func(l *lab) { l.set("Machine", "cp-1", "spec.version", "v1.33.3") },
		want: []string{"kubeadmcontrolplane KubeadmControlPlane/prod-cp rolls-out", "kubeadmcontrolplane Machine/cp-1 rolls-out"}},
	{name: "f: Node with the cloud controller's providerID", change: func(l *lab) { l.node("w-1").ProviderID = "proxmox://region/111" },
		want: []string{"machine Machine/w-1 waits-forever"}, why: "no Node of the cluster has the providerID"},
	{name: "g: no -ca", change: func(l *lab) {
		*l.stored("prod-ca") = inventory.StoredSecret{Namespace: "prod", Name: "prod-ca", Absent: true}
	},
		want: []string{"kubeadmcontrolplane KubeadmControlPlane/prod-cp new-ca"}, why: "invents"},
	{name: "h: MachineSet before its Machine", change: func(l *lab) { l.drop("Machine", "w-2"); l.drop("ProxmoxMachine", "w-2") },
		want: []string{"machinedeployment MachineDeployment/prod-md scales-up", "machineset MachineSet/prod-md-adopted scales-up"}},
	{name: "h2: then the Machine comes", change: func(l *lab) {
		l.copyAs("Machine", "w-1", "prod-md-adopted-x7k2p")
		l.set("Machine", "prod-md-adopted-x7k2p", "metadata.ownerReferences", []any{map[string]any{"apiVersion": "cluster.x-k8s.io/v1beta2",
			"kind": "MachineSet", "name": "prod-md-adopted", "uid": "ms-1", "controller": true}})
		l.set("MachineSet", "prod-md-adopted", "metadata.uid", "ms-1")
		l.set("Machine", "prod-md-adopted-x7k2p", "spec.infrastructureRef.name", "prod-md-adopted-x7k2p")
		l.unset("Machine", "prod-md-adopted-x7k2p", "spec.providerID")
		l.copyAs("ProxmoxMachine", "w-1", "prod-md-adopted-x7k2p")
		l.unset("ProxmoxMachine", "prod-md-adopted-x7k2p", "spec.virtualMachineID")
		l.unset("ProxmoxMachine", "prod-md-adopted-x7k2p", "spec.providerID")
	}, want: []string{"machine Machine/prod-md-adopted-x7k2p waits-forever", "machinedeployment MachineDeployment/prod-md scales-down",
		"machineset MachineSet/prod-md-adopted scales-down", "proxmoxmachine ProxmoxMachine/prod-md-adopted-x7k2p clones"}},
	{name: "i: adopted ProxmoxMachine deleted", change: func(l *lab) { l.set("ProxmoxMachine", "w-1", deleted, deletedAt) },
		want: []string{"machine Machine/w-1 waits-forever", "proxmoxmachine ProxmoxMachine/w-1 destroys"}},
	{name: "j: Machine with both hooks deleted", change: func(l *lab) { l.set("Machine", "w-1", deleted, deletedAt) },
		want: []string{"machine Machine/w-1 waits-forever"}, why: "pre-drain.delete.hook"},
	{name: "j: then without the pre-drain hook", change: func(l *lab) {
		l.set("Machine", "w-1", deleted, deletedAt)
		l.unset("Machine", "w-1", preDrain)
	}, want: []string{"machine Machine/w-1 changes-workload"}, why: "cordoned and drained"},
	{name: "k: forgotten control planes", change: func(l *lab) {
		for _, n := range []string{"cp-2", "cp-3"} {
			l.drop("Machine", n)
			l.drop("ProxmoxMachine", n)
			l.drop("KubeadmConfig", n)
		}
		l.set("KubeadmControlPlane", "prod-cp", "spec.replicas", int64(1))
	}, want: []string{"kubeadmcontrolplane KubeadmControlPlane/prod-cp removes-etcd-member"}, why: "cp-2, cp-3"},
	{name: "l: no skip-kube-proxy", change: func(l *lab) { l.unset("KubeadmControlPlane", "prod-cp", skipProxy) },
		want: []string{"kubeadmcontrolplane KubeadmControlPlane/prod-cp changes-workload"}, why: "kube-proxy"},
	{name: "m: Opaque PKI, -ca without tls.key", change: func(l *lab) {
		for _, p := range purposes {
			l.stored("prod-" + p).Type = "Opaque"
		}
		l.stored("prod-ca").Keys, l.stored("prod-ca").KeyMatches = []string{"tls.crt"}, nil
	}},
	{name: "C5: ProxmoxMachine without network", change: func(l *lab) { l.unset("ProxmoxMachine", "w-1", "spec.network") },
		want: []string{"machine Machine/w-1 waits-forever", "proxmoxmachine ProxmoxMachine/w-1 refuses"}},
}

func TestTrial(t *testing.T) { runExperiments(t, trial) }

func runExperiments(t *testing.T, list []experiment) {
	t.Helper()
	for _, e := range list {
		t.Run(e.name, func(t *testing.T) {
			l := newLab(t)
			e.change(l)
			out := Predict(l.s, "prod")
			if len(out) == 0 {
				t.Fatal("there is always a prediction")
			}
			got := unsafeOf(out)
			if !slices.Equal(got, e.want) {
				t.Errorf("not safe:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(e.want, "\n"))
				for _, p := range out {
					if !p.Outcome.Safe() {
						t.Logf("%s: %s %v", line(p), strings.Join(p.Why, " | "), p.Missing)
					}
				}
			}
			checkWhy(t, out, e.why)
		})
	}
}

// checkWhy: every prediction has a reason, and one of the unsafe ones the reason that was asked for.
func checkWhy(t *testing.T, out []adopt.Prediction, want string) {
	t.Helper()
	found := want == ""
	for _, p := range out {
		if len(p.Why) == 0 || p.Step == "" {
			t.Errorf("%s has no reason or no step", line(p))
		}
		found = found || !p.Outcome.Safe() && strings.Contains(strings.Join(p.Why, "\n"), want)
	}
	if !found {
		t.Errorf("no unsafe prediction says %q", want)
		for _, p := range out {
			if !p.Outcome.Safe() {
				t.Logf("%s: %v", line(p), p.Why)
			}
		}
	}
}

// TestMainRun has the whole answer for the cluster that was taken over, in its order.
func TestMainRun(t *testing.T) {
	l := newLab(t)
	var got []string
	for _, p := range Predict(l.s, "prod") {
		got = append(got, string(p.Step)+" "+line(p))
	}
	want := strings.Split(strings.TrimSpace(`
unpause-cluster cluster Cluster/prod adopts
unpause-cluster proxmoxcluster ProxmoxCluster/prod adopts
unpause-machines kubeadmconfig KubeadmConfig/cp-1 adopts
unpause-machines kubeadmconfig KubeadmConfig/cp-2 adopts
unpause-machines kubeadmconfig KubeadmConfig/cp-3 adopts
unpause-machines machine Machine/cp-1 adopts
unpause-machines machine Machine/cp-2 adopts
unpause-machines machine Machine/cp-3 adopts
unpause-machines machine Machine/w-1 adopts
unpause-machines machine Machine/w-2 adopts
unpause-machines proxmoxmachine ProxmoxMachine/cp-1 adopts
unpause-machines proxmoxmachine ProxmoxMachine/cp-2 adopts
unpause-machines proxmoxmachine ProxmoxMachine/cp-3 adopts
unpause-machines proxmoxmachine ProxmoxMachine/w-1 adopts
unpause-machines proxmoxmachine ProxmoxMachine/w-2 adopts
unpause-control-plane kubeadmcontrolplane KubeadmControlPlane/prod-cp adopts
unpause-control-plane kubeadmcontrolplane Machine/cp-1 adopts
unpause-control-plane kubeadmcontrolplane Machine/cp-2 adopts
unpause-control-plane kubeadmcontrolplane Machine/cp-3 adopts
unpause-workers machinedeployment MachineDeployment/prod-md adopts
unpause-workers machineset MachineSet/prod-md-adopted adopts`), "\n")
	if !slices.Equal(got, want) {
		t.Errorf("got:\n%s", strings.Join(got, "\n"))
	}
}
