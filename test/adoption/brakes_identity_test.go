package adoption

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/proxaudit/proxaudit/internal/pvesim"
)

// The rows of testdata/brakes.md about which VM is which Node.
const (
	rowWrongVM    = "`virtualMachineID` of a VM with the name and another UUID (a restored backup)"
	rowWrongID    = "providerID of another VM's Node, the right `virtualMachineID`"
	rowTwins      = "two Machines, each with a ProxmoxMachine, for one VM"
	rowShared     = "two Machines with one ProxmoxMachine"
	rowNoUUID     = "VM without a UUID in its configuration"
	rowSameUUID   = "two VMs with one UUID, and so two Nodes with one providerID"
	rowDevices    = "network device of another model, VM runs"
	rowDevicesOff = "network device of another model, VM is stopped"
	rowK3s        = "Node has the providerID `k3s://NAME`"
	rowRKE2       = "Node has the providerID `rke2://NAME`"
	rowTalos      = "Node has the providerID `talos://PLATFORM/NAME`"
	rowIgnored    = "credentials of another site in the Secret, and CAPMOX has some of its own"
	rowMark       = "VM that still has the tag `go-proxmox+cloud-init`"
	rowDirect     = "`kubectl delete proxmoxmachine` of an adopted one that is not paused"
)

var identityRows = []string{rowWrongVM, rowWrongID, rowTwins, rowShared, rowNoUUID, rowSameUUID, rowDevices, rowDevicesOff, rowK3s, rowRKE2, rowTalos, rowMark, rowIgnored, rowDirect}

var (
	// wrongVM names 238, and its Node runs on 138. Both VMs have the name.
	wrongVM = naive{machine: worker("wrong-vm", 138, "pve1"), beside: map[int]*pvesim.VM{238: worker("wrong-vm", 238, "pve1").vm()},
		manifest: func(infra, _ object) { spec(infra)["virtualMachineID"] = 238 }}
	// bystander is a Node that nobody adopts.
	bystander = naive{machine: worker("bystander", 140, "pve1")}
	wrongID   = naive{machine: worker("wrong-id", 139, "pve1"), manifest: func(infra, machine object) {
		spec(infra)["providerID"], spec(machine)["providerID"] = bystander.providerID(), bystander.providerID()
	}}
	twin      = naive{machine: worker("twin", 141, "pve1")}
	otherTwin = naive{machine: machine{name: "other-of-two", vmid: 141, host: "pve1"}}
	shared    = naive{machine: worker("shared", 142, "pve1")}
	sharer    = naive{machine: machine{name: "sharer", vmid: 142, host: "pve1"}, manifest: func(_, machine object) {
		spec(machine)["infrastructureRef"].(object)["name"] = shared.name
	}}
	noUUID     = naive{machine: worker("no-uuid", 143, "pve1"), vm: func(vm *pvesim.VM) { vm.UUID = "" }}
	sameUUID   = naive{machine: worker("same-uuid", 144, "pve1")}
	sameUUIDas = naive{machine: worker("as-same-uuid", 145, "pve1"), nodeID: sameUUID.providerID(), nodeUUID: sameUUID.uuid(),
		vm: func(vm *pvesim.VM) { vm.UUID = sameUUID.uuid() }, manifest: func(infra, machine object) {
			spec(infra)["providerID"], spec(machine)["providerID"] = sameUUID.providerID(), sameUUID.providerID()
		}}
	devices    = naive{machine: worker("e1000", 146, "pve1"), manifest: e1000}
	devicesOff = naive{machine: worker("stopped-e1000", 147, "pve1"), vm: func(vm *pvesim.VM) { vm.Status = "stopped" }, manifest: e1000}
	k3sID      = naive{machine: worker("k3s-id", 148, "pve1"), nodeID: "k3s://k3s-id"}
	rke2ID     = naive{machine: worker("rke2-id", 149, "pve1"), nodeID: "rke2://rke2-id"}
	talosID    = naive{machine: worker("talos-id", 150, "pve1"), nodeID: "talos://nocloud/talos-id"}
	marked     = naive{machine: worker("marked", 153, "pve1"), vm: func(vm *pvesim.VM) { vm.Tags = []string{"go-proxmox+cloud-init"} }}
	ignored    = naive{machine: worker("ignored", 152, "pve1")}
	direct     = naive{machine: worker("direct", 151, "pve1"), manifest: annotated(preDrain, preTerminate, "cluster.x-k8s.io/skip-remediation")}
)

// e1000 is not the model that the VMs have.
func e1000(infra, _ object) {
	spec(infra)["network"].(object)["networkDevices"].([]object)[0]["model"] = "e1000"
}

// TestBrakesOfIdentity adopts prod with the product's bundle, and then machines by manifests that are wrong about which VM is
// which Node, or about what the VM has.
func TestBrakesOfIdentity(t *testing.T) {
	w := newWorld(t, writable())
	w.readSecrets(t)
	w.adoptProd(t)
	declared := []naive{wrongVM, wrongID, twin, otherTwin, shared, noUUID, sameUUID, sameUUIDas, devices, devicesOff, k3sID, rke2ID, talosID, marked, direct}
	var manifests []object
	var paused, acknowledge []string
	for _, n := range declared {
		if n.name != otherTwin.name {
			w.join(t, n)
		}
		manifests = append(manifests, n.manifests()...)
		paused = append(paused, "proxmoxmachine/"+n.name, "machine/"+n.name)
		acknowledge = append(acknowledge, "machine/"+n.name)
	}
	w.join(t, bystander)
	// It has no ProxmoxMachine of its own.
	for _, o := range sharer.manifests() {
		if o["kind"] != "ProxmoxMachine" {
			manifests = append(manifests, o)
		}
	}
	paused, acknowledge = append(paused, "machine/"+sharer.name), append(acknowledge, "machine/"+sharer.name)
	w.apply(t, manifests...)
	w.WaitCondition(t, "Paused", acknowledge...)
	before := w.verify(t, 1, "--read-secrets")
	w.noWrites(t, "all is paused")
	w.Unpause(t, paused...)
	w.meet(t, before, w.identityBrakes())
	for _, n := range append(slices.Clone(declared), sharer) {
		t.Run("machine "+n.name, func(t *testing.T) { w.meetMachine(t, before, n.machine) })
	}
	t.Run("credentials", func(t *testing.T) { w.ignoredCredentials(t) })
	t.Run("direct deletion", func(t *testing.T) { w.deleteDirectly(t) })
}

func (w *World) identityBrakes() []brake {
	running := func(n naive, told string) func(*testing.T) (string, string) {
		return func(t *testing.T) (string, string) {
			s, _ := w.infra(t, n.name)
			m, _ := w.machineNamed(t, n.name)
			if !s.Status.Initialization.Provisioned || m.Status.Phase != "Running" || m.Spec.ProviderID != s.Spec.ProviderID {
				return "", fmt.Sprintf("%+v %+v", s, m)
			}
			return fmt.Sprintf("the Machine is Running with the Node %s and the providerID %s; %s", m.Status.NodeRef.Name, m.Spec.ProviderID, told), ""
		}
	}
	return []brake{
		w.vmBrake(rowWrongVM, wrongVM, "false-green", running(wrongVM, "that of the other VM, while the Node runs on the VM 138")),
		w.vmBrake(rowWrongID, wrongID, "false-green", running(wrongID, "that of the VM 139, while the Node runs on the VM 140")),
		w.machineBrake(rowTwins, twin, "false-green", w.twinsDone()),
		w.vmBrake(rowShared, shared, "false-green", w.sharedDone()),
		w.vmBrake(rowNoUUID, noUUID, "false-green", func(t *testing.T) (string, string) {
			if w.refused(t, noUUID.name) == "" {
				return "", "CAPMOX has logged no refusal"
			}
			return running(noUUID, "the API server takes none of CAPMOX's writes but the status, for spec.providerID would be `proxmox://`")(t)
		}),
		w.machineBrake(rowSameUUID, sameUUID, "refuses", func(t *testing.T) (string, string) {
			if got := w.becameOfMachine(t, sameUUID.machine); got != "refuses" {
				return "", got
			}
			s, _ := w.machineNamed(t, sameUUID.name)
			if s.Status.Phase != "Provisioned" {
				return "", s.Status.Phase
			}
			return "the controller finds more than one Node with the providerID; the Machine stays " + s.Status.Phase, ""
		}),
		w.vmBrake(rowDevices, devices, "adopts", w.provisioned(devices, "True/Provisioned", "Running", "nothing is compared, and the device stays as it is")),
		w.devicesOffBrake(),
		w.vmBrake(rowMark, marked, "rewrites", func(t *testing.T) (told, missing string) {
			if told, missing = w.provisioned(marked, "True/Provisioned", "Running", "CAPMOX takes the ISO out and the tag off")(t); missing != "" {
				return "", missing
			}
			if w.asked(marked.machine) == "no write" {
				return "", "nothing was asked for of the VM yet"
			}
			return told, ""
		}),
		w.foreignBrake(rowK3s, k3sID), w.foreignBrake(rowRKE2, rke2ID), w.foreignBrake(rowTalos, talosID),
	}
}

func (w *World) twinsDone() func(t *testing.T) (told, missing string) {
	looked := w.keepsLooking(otherTwin, "False/Cloning")
	return func(t *testing.T) (told, missing string) {
		if _, missing := looked(t); missing != "" {
			return "", missing
		}
		s, _ := w.machineNamed(t, twin.name)
		o, _ := w.machineNamed(t, otherTwin.name)
		if s.Status.Phase != "Running" || o.Status.Phase != "Provisioned" || o.Status.NodeRef.Name != s.Status.NodeRef.Name {
			return "", fmt.Sprintf("%+v %+v", s, o)
		}
		return fmt.Sprintf("both Machines have the Node %s; one is %s, the other, whose name the VM has not, %s", s.Status.NodeRef.Name, s.Status.Phase, o.Status.Phase), ""
	}
}

// sharedDone: which of the two becomes the controller is left to chance.
func (w *World) sharedDone() func(t *testing.T) (told, missing string) {
	return func(t *testing.T) (told, missing string) {
		s, _ := w.infra(t, shared.name)
		a, _ := w.machineNamed(t, shared.name)
		b, _ := w.machineNamed(t, sharer.name)
		if !s.Status.Initialization.Provisioned || a.Status.NodeRef.Name == "" || b.Status.NodeRef.Name != a.Status.NodeRef.Name || a.Status.Phase != "Running" && b.Status.Phase != "Running" {
			return "", fmt.Sprintf("%+v %+v %+v", s, a, b)
		}
		return "the Machine that is first becomes its controller and Running; both have the Node " + a.Status.NodeRef.Name, ""
	}
}

func (w *World) devicesOffBrake() brake {
	return w.vmBrake(rowDevicesOff, devicesOff, "rewrites", func(t *testing.T) (told, missing string) {
		if told, missing = w.provisioned(devicesOff, "True/Provisioned", "Running", "the VM stays stopped")(t); missing != "" {
			return "", missing
		}
		for line := range strings.Lines(w.vm(t, devicesOff.vmid).Config) {
			if strings.HasPrefix(line, "net0:") && strings.Contains(line, "e1000") && !strings.Contains(line, devicesOff.machine.vm().MAC) {
				return "its net0 is written anew, with another MAC address; " + told, ""
			}
		}
		return "", w.vm(t, devicesOff.vmid).Config
	})
}

func (w *World) foreignBrake(row string, n naive) brake {
	return w.machineBrake(row, n, "waits-forever", func(t *testing.T) (told, missing string) {
		s, _ := w.infra(t, n.name)
		m, _ := w.machineNamed(t, n.name)
		for _, c := range m.Status.Conditions {
			if c.Type == "NodeHealthy" && m.Status.Phase == "Provisioned" && s.Status.Initialization.Provisioned && strings.Contains(c.Message, n.providerID()) {
				return fmt.Sprintf("the ProxmoxMachine is ready, the Machine stays %s: %s", m.Status.Phase, c.Message), ""
			}
		}
		return "", fmt.Sprintf("ProxmoxMachine provisioned: %t; %s; %+v", s.Status.Initialization.Provisioned, m.Status.Phase, m.Status.Conditions)
	})
}

// deleteDirectly: the Machine has both hooks, and they hold the Machine only. verify cannot know what somebody is about to
// delete: before, it says of the ProxmoxMachine what it is.
func (w *World) deleteDirectly(t *testing.T) {
	before := w.verify(t, 1, "--read-secrets").foretold("proxmoxmachine", "ProxmoxMachine", direct.name)
	if !slices.Equal(before, []string{"nothing"}) {
		t.Errorf("verify says %q before", before)
	}
	w.Kubectl(t, "-n", prod, "delete", "--wait=false", "proxmoxmachine/"+direct.name)
	told := ""
	w.WaitFor(t, rowDirect, 90*time.Second, func() (missing string) {
		told, missing = w.leaves(direct, "the VM is stopped and destroyed at once: both hooks hold the Machine only, which stays, with InfrastructureReady False/ObjectDeleted")(t)
		if _, there := w.infra(t, direct.name); there {
			return "the ProxmoxMachine is there"
		}
		return missing
	})
	happened := w.becameOfVM(t, direct.machine)
	if happened != "destroys" {
		t.Errorf("it came to %q", happened)
	}
	row(t, rowDirect, "proxmoxmachine/"+direct.name+": `nothing`, for nobody deletes it yet", "`"+happened+"`: "+told, w.asked(direct.machine))
}

// ignoredCredentials: CAPMOX that was given credentials of its own looks at no ProxmoxCluster's, right or wrong
// (cluster-api-provider-proxmox pkg/scope/cluster.go: NewClusterScope).
func (w *World) ignoredCredentials(t *testing.T) {
	other := w.otherSite(t, nil)
	w.join(t, ignored)
	w.apply(t, ignored.manifests()...)
	w.WaitCondition(t, "Paused", "machine/"+ignored.name)
	w.useSite(t, other)
	before := w.verify(t, 1, "--read-secrets")
	w.Unpause(t, "proxmoxmachine/"+ignored.name, "machine/"+ignored.name)
	w.meet(t, before, []brake{w.vmBrake(rowIgnored, ignored, "adopts",
		w.provisioned(ignored, "True/Provisioned", "Running", "CAPMOX goes by its own credentials and never looks at the Secret"))})
	if asked := other.Requests(); len(asked) > 0 {
		t.Errorf("the other site was asked %d times", len(asked))
	}
}
