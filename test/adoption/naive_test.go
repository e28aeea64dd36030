package adoption

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/proxaudit/proxaudit/internal/pvesim"
)

// object is a manifest.
type object = map[string]any

const (
	pausedAnnotation = "cluster.x-k8s.io/paused"
	clusterLabel     = "cluster.x-k8s.io/cluster-name"
	// setLabel is what the MachineSets of naive machines select by.
	setLabel = "naive"
)

// naive is a worker that comes under management by a manifest of its own, after prod is adopted.
type naive struct {
	machine
	// vm, node and manifest change what is there and what is declared.
	vm       func(*pvesim.VM)
	nodeID   string
	nodeUUID string
	manifest func(infra, machine object)
	// beside are VMs that are there as well, by VMID.
	beside map[int]*pvesim.VM
}

func spec(o object) object        { return o["spec"].(object) }
func metadata(o object) object    { return o["metadata"].(object) }
func labels(o object) object      { return metadata(o)["labels"].(object) }
func annotations(o object) object { return metadata(o)["annotations"].(object) }

func newObject(apiVersion, kind, name string, annotations object) object {
	return object{"apiVersion": apiVersion, "kind": kind, "metadata": object{
		"name": name, "namespace": prod, "labels": object{clusterLabel: prod}, "annotations": annotations,
	}}
}

// manifests are a Machine, its ProxmoxMachine and its empty bootstrap Secret, paused, as the bundle would have them.
func (n naive) manifests() []object {
	secret := newObject("v1", "Secret", n.name, object{})
	secret["type"] = string(clusterSecret)
	infra := newObject("infrastructure.cluster.x-k8s.io/v1alpha2", "ProxmoxMachine", n.name, object{pausedAnnotation: ""})
	infra["spec"] = object{
		"virtualMachineID": n.vmid, "providerID": n.providerID(), "sourceNode": n.host, "templateID": templateVM,
		"network": object{"networkDevices": []object{{"name": "net0", "bridge": "vmbr0", "model": "virtio", "defaultIPv4": true, "defaultIPv6": true}}},
		"checks":  object{"skipQemuGuestAgent": true, "skipCloudInitStatus": true},
	}
	machine := newObject("cluster.x-k8s.io/v1beta2", "Machine", n.name, object{pausedAnnotation: ""})
	machine["spec"] = object{
		"clusterName": prod, "version": kubernetesVersion, "providerID": n.providerID(),
		"bootstrap":         object{"dataSecretName": n.name},
		"infrastructureRef": object{"apiGroup": "infrastructure.cluster.x-k8s.io", "kind": "ProxmoxMachine", "name": n.name},
	}
	if n.manifest != nil {
		n.manifest(infra, machine)
	}
	return []object{secret, infra, machine}
}

// machineSet is a MachineSet, paused, that makes machines as prod's small workers are and selects naive ones.
func machineSet(name string, replicas int) object {
	set := newObject("cluster.x-k8s.io/v1beta2", "MachineSet", name, object{pausedAnnotation: ""})
	selected := object{clusterLabel: prod, setLabel: name}
	set["spec"] = object{
		"clusterName": prod, "replicas": replicas, "selector": object{"matchLabels": selected},
		"template": object{
			"metadata": object{"labels": selected},
			"spec": object{
				"clusterName": prod, "version": kubernetesVersion,
				"bootstrap": object{"configRef": object{
					"apiGroup": "bootstrap.cluster.x-k8s.io", "kind": "KubeadmConfigTemplate", "name": productOwners.small,
				}},
				"infrastructureRef": object{
					"apiGroup": "infrastructure.cluster.x-k8s.io", "kind": "ProxmoxMachineTemplate", "name": productOwners.small,
				},
			},
		},
	}
	return set
}

// join makes the VM and the Node of a machine, both as they are before any adoption.
func (w *World) join(t *testing.T, n naive) {
	t.Helper()
	vm := n.machine.vm()
	if n.vm != nil {
		n.vm(vm)
	}
	if err := w.PVE.Update(func(f *pvesim.Fleet) {
		f.VMs[n.vmid] = vm
		for vmid, other := range n.beside {
			f.VMs[vmid] = other
			w.beside = append(w.beside, vmid)
		}
	}); err != nil {
		t.Fatal(err)
	}
	node := n.node()
	node.ProviderID = n.providerID()
	if n.nodeID != "" {
		node.ProviderID = n.nodeID
	}
	if n.nodeUUID != "" {
		node.SystemUUID = n.nodeUUID
	}
	if err := w.Kubeadm.Join(t.Context(), node); err != nil {
		t.Fatal(err)
	}
}

// apply applies objects in their order.
func (w *World) apply(t *testing.T, objects ...object) {
	t.Helper()
	var out bytes.Buffer
	for _, o := range objects {
		if err := json.NewEncoder(&out).Encode(o); err != nil {
			t.Fatal(err)
		}
	}
	w.Kubectl(t, "apply", "-f", w.write(t, "naive.json", out.Bytes()))
}

// pause puts the paused annotation on objects in the namespace of prod.
func (w *World) pause(t *testing.T, objects ...string) {
	t.Helper()
	args := append([]string{"-n", prod, "annotate"}, objects...)
	w.Kubectl(t, append(args, pausedAnnotation+"=")...)
}
