package why

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/proxaudit/proxaudit/internal/pvesim"
	"github.com/proxaudit/proxaudit/test/world"
)

// hostStates come to a halt where the first machine gets its VM. Its name is the controllers' own.
var hostStates = []state{
	{name: "no-template",
		change:  func(_ *bench, s *scene) { s.hostSpec()["templateID"] = 9999 },
		settled: holds("no-template", "proxmoxmachines", provisioned, "False/CloningFailed"),
		want: answer{state: stuck, phase: "hosts", holder: person, cause: "template-missing", object: "ProxmoxMachine/no-template-cp-*",
			says: "the template is not there", shows: "unable to find vm template", command: aboutProxmoxMachine + "no-template-cp-"}},
	{name: "weak-token",
		change: func(b *bench, s *scene) {
			data := s.access["stringData"].(object)
			data["token"], data["secret"] = weakToken, b.pve.Secret(weakToken)
		},
		settled: holds("weak-token", "proxmoxmachines", provisioned, "False/CloningFailed"),
		want: answer{state: stuck, phase: "hosts", holder: person, cause: "credentials", object: "ProxmoxMachine/weak-token-cp-*",
			says: "CAPMOX's API token lacks a privilege", shows: "not authorized to access endpoint", command: aboutProxmoxMachine + "weak-token-cp-"}},
	{name: "no-room",
		change: func(_ *bench, s *scene) {
			s.hostSpec()["allowedNodes"], s.hostSpec()["memoryMiB"] = []string{"pve2"}, 1<<20
		},
		settled: holds("no-room", "proxmoxmachines", provisioned, "False/VMProvisionFailed"),
		want: answer{state: stuck, phase: "hosts", holder: person, cause: "no-room-on-hosts", object: "ProxmoxMachine/no-room-cp-*",
			says: "no host has room for the VM", shows: "of memory on node pve2", command: aboutProxmoxMachine + "no-room-cp-"}},
	{name: "clone-failed",
		change:  func(_ *bench, s *scene) { s.hostSpec()["templateID"] = brokenTemplate },
		settled: holds("clone-failed", "proxmoxmachines", provisioned, "False/TaskFailed"),
		want: answer{state: stuck, phase: "hosts", holder: person, cause: "clone-failed", object: "ProxmoxMachine/clone-failed-cp-*",
			says: "no space left on device", shows: "delete the Machine", command: aboutProxmoxMachine + "clone-failed-cp-"}},
	{name: "pool-exhausted",
		change: func(_ *bench, s *scene) {
			spec(s.infra)["ipv4Config"].(object)["addresses"] = []string{"10.20.0.230"}
			s.plane = nil
		},
		then:    takeTheOnlyAddress,
		settled: holds("pool-exhausted", "proxmoxmachines", provisioned, "False/WaitingForStaticIPAllocation"),
		want: answer{state: stuck, phase: "hosts", holder: person, cause: "pool-exhausted", object: "InClusterIPPool/pool-exhausted-v4-icip",
			says: "the pool pool-exhausted-v4-icip has none left", shows: "spec.ipv4Config.addresses", command: " describe inclusterippools.ipam.cluster.x-k8s.io pool-exhausted-v4-icip"}},
	// CAPMOX looks for the Secret once. At its next pass it takes the machine for ready, and nobody starts the VM.
	{name: "no-bootstrap-secret", readable: "gone",
		change:  func(_ *bench, s *scene) { s.machine("no-bootstrap-secret-1", "gone", host()) },
		settled: holds("no-bootstrap-secret", "proxmoxmachines", provisioned, "True/Provisioned"),
		want: answer{state: stuck, phase: "control-plane", holder: person, cause: "vm-stopped", object: "Machine/no-bootstrap-secret-1",
			says: "is stopped, though CAPMOX says that it is up", shows: "did not find its bootstrap Secret", command: " describe machines.cluster.x-k8s.io no-bootstrap-secret-1"},
		wantReading: answer{state: stuck, phase: "bootstrap", holder: person, cause: "bootstrap-data", object: "Secret/gone",
			says: "there is no Secret gone", shows: "Delete the Machine", command: "-n no-bootstrap-secret get secrets"}},
	{name: "agent-silent",
		change:  func(_ *bench, s *scene) { s.hostSpec()["checks"] = object{} },
		settled: holds("agent-silent", "proxmoxmachines", provisioned, "False/WaitingForCloudInit"),
		want: answer{state: converging, phase: "hosts", holder: kubelet, cause: "guest-agent-silent", object: "ProxmoxMachine/agent-silent-cp-*",
			says: "has no guest agent", shows: "skipQemuGuestAgent", command: aboutProxmoxMachine + "agent-silent-cp-"}},
	// Its VM is up, and nothing runs in it: here Cluster API waits for kubeadm, and workers wait with it.
	{name: "no-init",
		change: func(_ *bench, s *scene) {
			s.more = append(s.more, s.workers("no-init-md")...)
			s.worker("no-init-w")
		},
		settled: func(t *testing.T, b *bench) string {
			t.Helper()
			const up = `jsonpath={.items[?(@.metadata.name!="no-init-w")].status.initialization.infrastructureProvisioned}`
			if got := b.on(t, "no-init", "get", "machines", "-o", up); got != "true" {
				return "the VM of the first machine is not up: " + got
			}
			return holds("no-init", "kubeadmconfig/no-init-w", "DataSecretAvailable", "False/")(t, b)
		},
		want: answer{state: converging, phase: "control-plane", holder: kubelet, cause: "not-initialized", object: "Machine/no-init-cp-*",
			says: "kubeadm has not initialised the control plane there yet", shows: "cloud-init-output.log", command: " describe machines.cluster.x-k8s.io no-init-cp-"}},
}

// brokenClones are answered with the task of one that failed.
func brokenClones() (pvesim.Match, pvesim.Fault) {
	return pvesim.Match{Method: http.MethodPost, Path: fmt.Sprintf("/nodes/pve1/qemu/%d/clone", brokenTemplate)},
		pvesim.Fault{Status: http.StatusOK, Body: fmt.Sprintf(`{"data":%q}`, upid(cloneTask))}
}

// takeTheOnlyAddress gives it to somebody else before there is a machine.
func takeTheOnlyAddress(t *testing.T, b *bench, s *scene) {
	t.Helper()
	claim := s.object(groupIPAM+"/v1beta2", "IPAddressClaim", "printer", object{"poolRef": ref(groupIPAM, "InClusterIPPool", s.name+"-v4-icip")})
	b.apply(t, claim)
	world.WaitFor(t, "the only address", time.Minute, func() string {
		if b.on(t, s.name, "get", "ipaddressclaim/printer", "-o", "jsonpath={.status.addressRef.name}") == "" {
			return "nobody has it"
		}
		return ""
	})
	b.apply(t, newScene(b, s.name).plane)
}

// workers are a MachineDeployment with what it names.
func (s *scene) workers(name string) []object {
	labels := object{clusterLabel: s.name, groupCluster + "/deployment-name": name}
	config := s.object(groupBootstrap+"/v1beta2", "KubeadmConfigTemplate", name, object{"template": object{"spec": object{
		"joinConfiguration": nodeRegistration()}}})
	hosts := s.object(groupInfra+"/v1alpha2", "ProxmoxMachineTemplate", name, object{"template": object{"spec": host()}})
	deployment := s.object(groupCluster+"/v1beta2", "MachineDeployment", name, object{
		"clusterName": s.name, "replicas": 1, "selector": object{"matchLabels": labels},
		"template": object{"metadata": object{"labels": labels}, "spec": object{
			"clusterName": s.name, "version": kubernetesVersion,
			"bootstrap":         object{"configRef": ref(groupBootstrap, "KubeadmConfigTemplate", name)},
			"infrastructureRef": ref(groupInfra, "ProxmoxMachineTemplate", name),
		}},
	})
	return []object{config, hosts, deployment}
}
