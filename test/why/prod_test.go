package why

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/proxaudit/proxaudit/test/world"
)

const noNetwork = "container runtime network not ready: NetworkReady=false reason:NetworkPluginNotReady message:Network plugin returns error: cni plugin not initialized"

// prod is a cluster with Nodes, taken through what can become of one, one after the other.
func (b *bench) prod(t *testing.T) {
	s := newScene(b, prod)
	spec(s.infra)["controlPlaneEndpoint"] = b.endpointOf(t)
	for _, m := range []machine{plane1, worker1} {
		s.adopt(m, m == plane1)
	}
	s.more = append(s.more, b.kubeconfigSecret(t, s))
	b.apply(t, s.objects()...)
	t.Cleanup(func() { b.asTheyAre(t, prod) })
	t.Run("healthy", func(t *testing.T) { b.healthy(t) })
	t.Run("no network plugin", func(t *testing.T) { b.withoutNetwork(t) })
	t.Run("no bootstrap template", func(t *testing.T) { b.withoutBootstrapTemplate(t, s) })
	t.Run("providerID in capitals", func(t *testing.T) { b.mismatch(t, s) })
}

// adopt declares a VM and Node that are there.
func (s *scene) adopt(m machine, controlPlane bool) {
	made := s.machine(m.name, m.name, object{"virtualMachineID": m.vmid, "providerID": m.providerID(), "sourceNode": "pve1", "templateID": template,
		"network": host()["network"], "checks": host()["checks"]})
	spec(made)["providerID"] = m.providerID()
	if !controlPlane {
		for _, o := range s.more[len(s.more)-2:] {
			delete(metadata(o)["labels"].(object), planeLabel)
		}
	}
	s.more = append(s.more, s.secret(m.name))
}

// endpointOf is prod's endpoint, as the controllers reach it.
func (b *bench) endpointOf(t *testing.T) object {
	t.Helper()
	host, port, _ := strings.Cut(b.kubeadm.Endpoint(), ":")
	if port != "6443" {
		t.Fatal(b.kubeadm.Endpoint())
	}
	return object{"host": host, "port": 6443}
}

func (b *bench) kubeconfigSecret(t *testing.T, s *scene) object {
	t.Helper()
	o := s.object("v1", "Secret", s.name+"-kubeconfig", nil)
	o["type"], o["stringData"] = "cluster.x-k8s.io/secret", object{"value": readFile(t, b.endpoint)}
	return o
}

// healthy: both machines have their Nodes, and nobody waits.
func (b *bench) healthy(t *testing.T) {
	for _, m := range []machine{plane1, worker1} {
		world.WaitFor(t, m.name, time.Minute, func() string {
			if phase := b.on(t, prod, "get", "machine/"+m.name, "-o", "jsonpath={.status.phase}"); phase != "Running" {
				return "the phase is " + phase
			}
			return ""
		})
	}
	world.WaitFor(t, "a healthy cluster", 30*time.Second, func() string {
		if got := b.condition(t, prod, "cluster/"+prod, "ControlPlaneInitialized"); !strings.HasPrefix(got, "True") {
			return got
		}
		return ""
	})
	b.says(t, 0, "Cluster prod is healthy: nobody waits for anything")
	if got := b.why(t, prod, 0); got.State != "healthy" || got.Baton != nil || got.Phase != "" {
		t.Error(asJSON(t, got))
	}
}

// says is the answer about prod for people.
func (b *bench) says(t *testing.T, code int, text string) {
	t.Helper()
	if out := string(b.proxaudit(t, "why", "--cluster", prod).Want(t, code).Stdout); !strings.Contains(out, text) {
		t.Errorf("why lacks %q:\n%s", text, out)
	}
}

// withoutNetwork: a kubelet reports what it does without a network plugin.
func (b *bench) withoutNetwork(t *testing.T) {
	set := func(status, message string) {
		b.run(t, b.nodes, "patch", "node", worker1.name, "--subresource=status", "-p", fmt.Sprintf(
			`{"status":{"conditions":[{"type":"Ready","status":%q,"reason":"KubeletNotReady","message":%q,"lastTransitionTime":%q}]}}`, status, message, time.Now().UTC().Format(time.RFC3339)))
	}
	set("False", noNetwork)
	world.WaitFor(t, "the Machine", time.Minute, func() string {
		if got := b.condition(t, prod, "machine/"+worker1.name, "NodeReady"); !strings.HasPrefix(got, "False") {
			return got
		}
		return ""
	})
	b.check(t, prod, answer{state: converging, phase: "network", holder: "cni", cause: "no-network-plugin", object: "Node/w-1",
		says: "Here Cluster API ends", shows: "Install a network plugin", command: "describe node w-1"})
	set("True", "kubelet is posting ready status")
	world.WaitFor(t, "the Machine", time.Minute, func() string {
		if got := b.condition(t, prod, "machine/"+worker1.name, "NodeReady"); !strings.HasPrefix(got, "True") {
			return got
		}
		return ""
	})
}

// withoutBootstrapTemplate: a MachineDeployment that names one that is not there.
func (b *bench) withoutBootstrapTemplate(t *testing.T, s *scene) {
	const name = "prod-md"
	objects := s.workers(name)
	b.apply(t, objects[1:]...)
	world.WaitFor(t, "the MachineDeployment", time.Minute, func() string {
		if got := b.condition(t, prod, "machinedeployment/"+name, "ScalingUp"); !strings.HasPrefix(got, "True/") {
			return got
		}
		return ""
	})
	b.check(t, prod, answer{state: stuck, phase: "workers", holder: person, cause: "object-missing", object: "MachineDeployment/prod-md",
		says: "a template that it names does not exist", shows: "KubeadmConfigTemplate does not exist", command: " describe machinedeployments.cluster.x-k8s.io prod-md"})
	b.on(t, prod, "delete", "machinedeployment/"+name)
}

// mismatch: the Node's providerID is the Machine's in capitals, and Cluster API finds it by the exact one.
func (b *bench) mismatch(t *testing.T, s *scene) {
	node := worker2.node()
	node.ProviderID = "proxmox://" + strings.ToUpper(worker2.uuid())
	if err := b.kubeadm.Join(t.Context(), node); err != nil {
		t.Fatal(err)
	}
	before := len(s.more)
	s.adopt(worker2, false)
	b.apply(t, s.more[before:]...)
	world.WaitFor(t, "its VM", time.Minute, func() string {
		if got := b.condition(t, prod, "machine/"+worker2.name, "InfrastructureReady"); !strings.HasPrefix(got, "True/") {
			return got
		}
		return ""
	})
	b.check(t, prod, answer{state: stuck, phase: "workers", holder: person, cause: "provider-id-mismatch", object: "Node/w-2",
		says: "differ in upper and lower case only", shows: "cannot be changed", command: "get node w-2"})
}
