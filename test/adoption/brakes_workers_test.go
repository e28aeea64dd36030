package adoption

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/proxaudit/proxaudit/internal/pvesim"
)

// The rows of testdata/brakes.md, by what the bundle would be without the product's care.
const (
	rowPool      = "the pool holds an address of a Node"
	rowNoVMID    = "ProxmoxMachine without `virtualMachineID`"
	rowName      = "VM of another name than the ProxmoxMachine"
	rowNameHost  = "VM of another name, and `sourceNode` is not its host"
	rowMoved     = "`sourceNode` is not the VM's host, its name is right"
	rowStopped   = "VM is stopped, nothing else differs"
	rowResized   = "VM is stopped, and its cores and memory differ"
	rowForeignID = "Node has the providerID `proxmox://region/vmid`"
	rowSetFirst  = "MachineSet before its Machine"
)

var workerRows = []string{rowNoVMID, rowName, rowNameHost, rowMoved, rowStopped, rowResized, rowForeignID, rowPool, rowSetFirst}

// The machines of the cases. All are workers that run as Nodes of prod, but for what their case says.
var (
	noVMID = naive{machine: worker("no-vmid", 121, "pve1"), manifest: func(infra, _ object) {
		delete(spec(infra), "virtualMachineID")
		delete(spec(infra), "providerID")
	}}
	otherName     = naive{machine: worker("other-name", 122, "pve1"), vm: func(vm *pvesim.VM) { vm.Name = "legacy-122" }}
	otherNameHost = naive{machine: worker("other-name-and-host", 123, "pve2"), vm: func(vm *pvesim.VM) { vm.Name = "legacy-123" },
		manifest: func(infra, _ object) { spec(infra)["sourceNode"] = "pve1" }}
	moved   = naive{machine: worker("moved", 124, "pve2"), manifest: func(infra, _ object) { spec(infra)["sourceNode"] = "pve1" }}
	stopped = naive{machine: worker("stopped", 125, "pve1"), vm: func(vm *pvesim.VM) { vm.Status = "stopped" }}
	resized = naive{machine: worker("resized", 126, "pve1"), vm: func(vm *pvesim.VM) { vm.Status = "stopped" },
		manifest: func(infra, _ object) { spec(infra)["numCores"], spec(infra)["memoryMiB"] = 8, 16384 }}
	foreignID = naive{machine: worker("foreign-id", 127, "pve1"), nodeID: "proxmox://dc1/127"}
	// setFirst is declared only after its MachineSet.
	setFirst = naive{machine: worker("set-first-1", 128, "pve1"), manifest: inSet("set-first")}
)

func worker(name string, vmid int, host string) machine {
	return machine{name: name, vmid: vmid, host: host, cores: 4, memoryMiB: 8192}
}

// inSet makes a machine one that a MachineSet selects.
func inSet(set string) func(infra, machine object) {
	return func(_, machine object) { labels(machine)[setLabel] = set }
}

// TestBrakes adopts prod with the product's bundle, with a CAPMOX that may do anything, and tries to do harm. Then it adds
// machines with manifests that each lack one piece of the product's care, asks verify while they are paused, lets them go,
// and compares.
func TestBrakes(t *testing.T) {
	w := newWorld(t, writable())
	w.readSecrets(t)
	w.adoptProd(t)
	t.Run("the worst outcomes", func(t *testing.T) { w.worst(t) })
	if t.Failed() {
		t.FailNow()
	}
	t.Run("naive machines", func(t *testing.T) { w.naiveMachines(t) })
	if t.Failed() {
		t.FailNow()
	}
	t.Run("naive deletions", func(t *testing.T) { w.naiveDeletions(t) })
}

// adoptProd takes prod under management by the product's runbook, with its brakes still on.
func (w *World) adoptProd(t *testing.T) {
	t.Helper()
	dir := w.Dir + "/adoption"
	var steps []step
	w.Step(t, "adopt", func() { steps = w.renderBundle(t, dir) })
	for _, s := range steps[:len(steps)-1] {
		w.Step(t, s.ID, func() { w.follow(t, dir, s) })
	}
}

// naiveMachines are those that go wrong, or not, as soon as they are let go.
func (w *World) naiveMachines(t *testing.T) {
	all := []naive{noVMID, otherName, otherNameHost, moved, stopped, resized, foreignID}
	var manifests []object
	var paused, acknowledge []string
	for _, n := range append(slices.Clone(all), leavers...) {
		w.join(t, n)
		manifests = append(manifests, n.manifests()...)
		paused = append(paused, "proxmoxmachine/"+n.name, "machine/"+n.name)
		// CAPMOX does not say that it has seen the pause.
		acknowledge = append(acknowledge, "machine/"+n.name)
	}
	w.join(t, setFirst)
	w.apply(t, append(manifests, machineSet("set-first", 1))...)
	// The addresses of w-1 to w-3 lie in it.
	w.pause(t, "proxmoxcluster/"+prod)
	w.Kubectl(t, "-n", prod, "patch", "proxmoxcluster", prod, "--type=merge", "-p", `{"spec":{"ipv4Config":{"addresses":["10.20.0.21-10.20.0.30"]}}}`)
	w.WaitCondition(t, "Paused", append(acknowledge, "machineset/set-first")...)
	before := w.verify(t, 1, "--read-secrets")
	if writes := w.PVE.Writes(); len(writes) > 0 {
		t.Fatalf("Proxmox was asked for %d writes while all is paused", len(writes))
	}

	w.Unpause(t, "proxmoxcluster/"+prod)
	w.WaitFor(t, "the pool", time.Minute, func() string {
		got := w.Kubectl(t, "-n", prod, "get", "inclusterippools", "-o", "jsonpath={.items[*].spec.addresses[*]}")
		if got != "10.20.0.21-10.20.0.30" {
			return got
		}
		return ""
	})
	w.Unpause(t, append(paused, "machineset/set-first")...)
	w.meet(t, before, w.workerBrakes())
	for _, n := range append(all, leavers...) {
		t.Run("machine "+n.name, func(t *testing.T) { w.meetMachine(t, before, n.machine) })
	}
}

// meetMachine compares what was foretold of a Machine, whose row is that of its ProxmoxMachine.
func (w *World) meetMachine(t *testing.T, before verification, m machine) {
	t.Helper()
	told := before.foretold("machine", "Machine", m.name)
	w.WaitFor(t, m.name, time.Minute, func() string {
		if happened := w.becameOfMachine(t, m); !slices.Equal(told, []string{happened}) {
			return fmt.Sprintf("verify said %q before, and it came to %q", told, happened)
		}
		return ""
	})
}

// vmBrake is a brake about a ProxmoxMachine and its VM.
func (w *World) vmBrake(row string, n naive, want string, shown func(*testing.T) (told, missing string)) brake {
	return brake{manifest: row, controller: "proxmoxmachine", kind: "ProxmoxMachine", name: n.name, want: want, shown: shown,
		outcome: func(t *testing.T) string { return w.becameOfVM(t, n.machine) },
		writes:  func(*testing.T) string { return w.asked(n.machine) }}
}

func (w *World) workerBrakes() []brake {
	return []brake{
		w.noVMIDBrake(),
		w.vmBrake(rowName, otherName, "waits-forever", w.keepsLooking(otherName, "False/Cloning")),
		w.vmBrake(rowNameHost, otherNameHost, "refuses", w.provisioned(otherNameHost, "False/VMProvisionFailed", "", "nothing looks at it again")),
		w.vmBrake(rowMoved, moved, "adopts", w.provisioned(moved, "True/Provisioned", "Running", "CAPMOX finds it where it is")),
		w.vmBrake(rowStopped, stopped, "false-green", w.provisioned(stopped, "True/Provisioned", "Running", "the VM stays stopped")),
		w.vmBrake(rowResized, resized, "rewrites", w.provisioned(resized, "True/Provisioned", "Running", "the VM stays stopped")),
		w.foreignIDBrake(), w.setFirstBrake(), w.poolBrake(),
	}
}

// provisioned waits until a ProxmoxMachine has its last condition, and its Machine a phase.
func (w *World) provisioned(n naive, condition, phase, more string) func(t *testing.T) (told, missing string) {
	return func(t *testing.T) (told, missing string) {
		s, _ := w.infra(t, n.name)
		m, _ := w.machineNamed(t, n.name)
		got := reason(s.Status.Conditions, "VirtualMachineProvisioned")
		if got != condition || phase != "" && m.Status.Phase != phase {
			return "", got + " " + m.Status.Phase
		}
		return fmt.Sprintf("VirtualMachineProvisioned is %s, the Machine %s; %s", got, m.Status.Phase, more), ""
	}
}

// keepsLooking: that something never comes cannot be seen. That CAPMOX looks again and again and stays where it is can.
func (w *World) keepsLooking(n naive, condition string) func(t *testing.T) (told, missing string) {
	before := w.looks(n.machine)
	return func(t *testing.T) (told, missing string) {
		s, _ := w.infra(t, n.name)
		got := reason(s.Status.Conditions, "VirtualMachineProvisioned")
		if looked := w.looks(n.machine) - before; looked < 4 || got != condition {
			return "", fmt.Sprintf("%d looks, VirtualMachineProvisioned is %s", looked, got)
		}
		return "VirtualMachineProvisioned stays " + got + " without a message, however often CAPMOX looks", ""
	}
}

// noVMIDBrake: the Machine finds the old Node by its own providerID before CAPMOX gives it the new VM's.
func (w *World) noVMIDBrake() brake {
	b := w.vmBrake(rowNoVMID, noVMID, "clones", func(t *testing.T) (told, missing string) {
		s, _ := w.infra(t, noVMID.name)
		m, _ := w.machineNamed(t, noVMID.name)
		if !s.Status.Initialization.Provisioned || s.Spec.ProviderID == noVMID.providerID() || m.Spec.ProviderID != s.Spec.ProviderID || m.Status.Phase != "Running" {
			return "", fmt.Sprintf("provisioned: %t, providerID %s, the Machine %s %s", s.Status.Initialization.Provisioned, s.Spec.ProviderID, m.Status.Phase, m.Spec.ProviderID)
		}
		return fmt.Sprintf("a second VM; the Machine is %s with the Node %s of the first VM and the providerID of the second", m.Status.Phase, m.Status.NodeRef.Name), ""
	})
	b.writes = func(t *testing.T) string { return w.askedForClone(t) }
	return b
}

// foreignIDBrake: a cluster whose Nodes were initialised by a cloud controller. No kubelet is needed for this to go on.
func (w *World) foreignIDBrake() brake {
	return brake{manifest: rowForeignID, controller: "machine", kind: "Machine", name: foreignID.name, want: "waits-forever",
		shown: func(t *testing.T) (told, missing string) {
			s, _ := w.infra(t, foreignID.name)
			m, _ := w.machineNamed(t, foreignID.name)
			i := slices.IndexFunc(m.Status.Conditions, func(c metav1.Condition) bool { return c.Type == "NodeHealthy" })
			if !s.Status.Initialization.Provisioned || i < 0 || !strings.Contains(m.Status.Conditions[i].Message, foreignID.providerID()) {
				return "", fmt.Sprintf("ProxmoxMachine provisioned: %t; %s; %+v", s.Status.Initialization.Provisioned, m.Status.Phase, m.Status.Conditions)
			}
			return fmt.Sprintf("the ProxmoxMachine is ready, the Machine stays %s: %s", m.Status.Phase, m.Status.Conditions[i].Message), ""
		},
		outcome: func(t *testing.T) string { return w.becameOfMachine(t, foreignID.machine) },
		writes:  func(*testing.T) string { return w.asked(foreignID.machine) }}
}

// setFirstBrake ends with the start of the clone: what it would boot into is not here.
func (w *World) setFirstBrake() brake {
	return brake{manifest: rowSetFirst, controller: "machineset", kind: "MachineSet", name: "set-first", want: "scales-up",
		shown: func(t *testing.T) (told, missing string) {
			clones := w.clones(t, "set-first-", setFirst.vmid)
			if len(clones) == 0 {
				return "", "no clone yet"
			}
			if writes := w.writesOn(clones[0]); !slices.Contains(writes, "POST status/start") {
				return "", fmt.Sprintf("the clone has %q", writes)
			}
			return "a new Machine, whose VM is cloned, configured and started", ""
		},
		outcome: func(t *testing.T) string {
			made := w.machinesOf(t, "set-first")
			if len(made) == 1 && made[0] != setFirst.name {
				return "scales-up"
			}
			return fmt.Sprintf("Machines %q", made)
		},
		writes: func(t *testing.T) string { return w.askedForClone(t) }}
}

// machinesOf are the Machines that a MachineSet selects.
func (w *World) machinesOf(t *testing.T, set string) []string {
	t.Helper()
	return strings.Fields(w.Kubectl(t, "-n", prod, "get", "machines", "-l", setLabel+"="+set, "-o", "jsonpath={.items[*].metadata.name}"))
}

// poolBrake: the first machine that is made gets the address of one that runs. Which of those that ask here is the first is
// left to chance.
func (w *World) poolBrake() brake {
	taken := func(t *testing.T) string {
		given := strings.Fields(w.Kubectl(t, "-n", prod, "get", "ipaddresses.ipam.cluster.x-k8s.io", "-o", "jsonpath={.items[*].spec.address}"))
		for _, m := range machines {
			if slices.Contains(given, m.ip()) {
				return m.ip() + ", which the Node " + m.name + " has,"
			}
		}
		return ""
	}
	return brake{manifest: rowPool, controller: "proxmoxcluster", kind: "ProxmoxCluster", name: prod, want: "false-green",
		shown: func(t *testing.T) (told, missing string) {
			if taken(t) == "" {
				return "", "no address that a Node has was given out"
			}
			return taken(t) + " is given to the next machine that is made", ""
		},
		outcome: func(t *testing.T) string {
			ready := w.Field(t, "proxmoxcluster/"+prod, `{.status.initialization.provisioned} {.status.conditions[?(@.type=="Ready")].status}`)
			if taken(t) != "" && ready == "true True" {
				return "false-green"
			}
			return "ready: " + ready
		},
		writes: func(*testing.T) string { return "no write by the pool itself" }}
}
