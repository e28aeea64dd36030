package adoption

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/proxaudit/proxaudit/internal/pvesim"
)

const (
	rowDeleted   = "ProxmoxMachine that is deleted while paused"
	rowProtected = "the same, with Proxmox's protection on the VM"
	rowHeld      = "Machine that is deleted, with both hooks"
	rowDrained   = "Machine that is deleted, with the pre-terminate hook only"
	rowNoHooks   = "Machine that is deleted, without hooks"
	rowSetLater  = "Machine after its MachineSet made another"
	rowUnhealthy = "MachineHealthCheck, and a Machine without `skip-remediation`"
	rowSkipped   = "MachineHealthCheck, and a Machine with `skip-remediation`"
)

var deletionRows = []string{rowSetLater, rowDeleted, rowProtected, rowHeld, rowDrained, rowNoHooks, rowUnhealthy, rowSkipped}

const (
	preDrain     = "pre-drain.delete.hook.machine.cluster.x-k8s.io/proxaudit"
	preTerminate = "pre-terminate.delete.hook.machine.cluster.x-k8s.io/proxaudit"
)

// Workers that are adopted first, and then deleted in one way or another.
var (
	deleted   = naive{machine: worker("deleted", 131, "pve1")}
	protected = naive{machine: worker("protected", 132, "pve1"), vm: func(vm *pvesim.VM) { vm.Protection = true }}
	held      = naive{machine: worker("held", 133, "pve1"), manifest: annotated(preDrain, preTerminate)}
	drained   = naive{machine: worker("drained", 134, "pve1"), manifest: annotated(preTerminate)}
	noHooks   = naive{machine: worker("no-hooks", 135, "pve1")}
	unhealthy = naive{machine: worker("unhealthy", 136, "pve1"), manifest: inSet("watched")}
	skipped   = naive{machine: worker("skipped", 137, "pve1"), manifest: func(infra, machine object) {
		inSet("watched")(infra, machine)
		annotated("cluster.x-k8s.io/skip-remediation")(infra, machine)
	}}
)

// leavers are adopted together with the naive ones; none of their manifests is wrong until then.
var leavers = []naive{deleted, protected, held, drained, noHooks, unhealthy, skipped}

func annotated(names ...string) func(infra, machine object) {
	return func(_, machine object) {
		for _, name := range names {
			annotations(machine)[name] = ""
		}
	}
}

// naiveDeletions are what happens to adopted machines later, for want of a brake.
func (w *World) naiveDeletions(t *testing.T) {
	w.apply(t, machineSet("watched", 2))
	w.Unpause(t, "machineset/watched")
	// Not by its place in the list: the Machine controller puts the Cluster first if it is quicker.
	w.WaitField(t, "{.metadata.ownerReferences[?(@.controller==true)].name}", "watched", "machine/"+unhealthy.name, "machine/"+skipped.name)

	for _, n := range []naive{unhealthy, skipped} {
		w.setReady(t, n.name, "False")
		w.WaitField(t, `{.status.conditions[?(@.type=="NodeHealthy")].status}`, "False", "machine/"+n.name)
	}
	w.apply(t, healthCheck("watched", object{setLabel: "watched"}))
	var infra, leaving []string
	for _, n := range []naive{deleted, protected} {
		infra = append(infra, "proxmoxmachine/"+n.name)
	}
	for _, n := range []naive{held, drained, noHooks} {
		leaving = append(leaving, "machine/"+n.name)
	}
	w.pause(t, append(append(slices.Clone(infra), leaving...), "machineset/set-first")...)
	w.WaitCondition(t, "Paused", append(slices.Clone(leaving), "machineset/set-first")...)
	w.Kubectl(t, append([]string{"-n", prod, "delete", "--wait=false"}, append(slices.Clone(infra), leaving...)...)...)
	w.apply(t, setFirst.manifests()...)
	before := w.verify(t, 1, "--read-secrets")
	for _, n := range append(slices.Clone(leavers), setFirst) {
		if writes := w.writesOn(n.vmid); len(writes) > 0 {
			t.Fatalf("%s is paused, and its VM was asked to %q", n.name, writes)
		}
	}
	w.Unpause(t, append(append(infra, leaving...), "machineset/set-first", "machinehealthcheck/watched")...)
	w.meet(t, before, w.deletionBrakes())
}

func (w *World) deletionBrakes() []brake {
	return []brake{
		w.setLaterBrake(),
		w.vmBrake(rowDeleted, deleted, "destroys", w.leaves(deleted, "the VM is stopped and destroyed; the Machine stays, with InfrastructureReady False/ObjectDeleted")),
		w.vmBrake(rowProtected, protected, "stops", w.leaves(protected, "Proxmox refuses to destroy the VM, which stays stopped")),
		w.machineBrake(rowHeld, held, "waits-forever", w.deleting(held, "WaitingForPreDrainHook", "nothing is drained")),
		w.machineBrake(rowDrained, drained, "changes-workload", w.deleting(drained, "WaitingForPreTerminateHook", "its Node is cordoned and drained, its VM left")),
		w.machineBrake(rowNoHooks, noHooks, "destroys", w.gone(noHooks, "the Node is drained, the VM stopped and destroyed, the Node deleted")),
		w.unhealthyBrake(), w.skippedBrake(),
	}
}

// machineBrake is a brake about a Machine.
func (w *World) machineBrake(row string, n naive, want string, shown func(*testing.T) (told, missing string)) brake {
	return brake{manifest: row, controller: "machine", kind: "Machine", name: n.name, want: want, shown: shown,
		outcome: func(t *testing.T) string { return w.becameOfMachine(t, n.machine) },
		writes:  func(*testing.T) string { return w.asked(n.machine) }}
}

// leaves waits until CAPMOX has asked for all that there is to ask, and the Machine has lost its ProxmoxMachine or is about to.
func (w *World) leaves(n naive, told string) func(t *testing.T) (string, string) {
	return func(t *testing.T) (string, string) {
		if writes := w.writesOn(n.vmid); !slices.Equal(writes, []string{"DELETE", "POST status/stop"}) {
			return "", fmt.Sprintf("asked: %q", writes)
		}
		m, _ := w.machineNamed(t, n.name)
		_, there := w.infra(t, n.name)
		if vm := w.vm(t, n.vmid); vm != nil && vm.Status != "stopped" || vm == nil && there || m.Metadata.DeletionTimestamp != nil {
			return "", fmt.Sprintf("the VM is %+v, its ProxmoxMachine there: %t", vm, there)
		}
		if !there && reason(m.Status.Conditions, "InfrastructureReady") != "False/ObjectDeleted" {
			return "", reason(m.Status.Conditions, "InfrastructureReady")
		}
		return told, ""
	}
}

// deleting waits until a Machine that is deleted has gone as far as its hooks let it.
func (w *World) deleting(n naive, hook, told string) func(t *testing.T) (string, string) {
	return func(t *testing.T) (string, string) {
		m, _ := w.machineNamed(t, n.name)
		if got := reason(m.Status.Conditions, "Deleting"); got != "True/"+hook {
			return "", "Deleting is " + got
		}
		return fmt.Sprintf("%s (%s); %s", "it stays", hook, told), ""
	}
}

// gone waits until nothing is left of a machine.
func (w *World) gone(n naive, told string) func(t *testing.T) (string, string) {
	return func(t *testing.T) (string, string) {
		_, machine := w.machineNamed(t, n.name)
		_, infra := w.infra(t, n.name)
		node := w.WorkloadKubectl(t, "get", "node", n.name, "--ignore-not-found", "-o", "name")
		if machine || infra || node != "" || w.vm(t, n.vmid) != nil {
			return "", fmt.Sprintf("there are: its Machine %t, its ProxmoxMachine %t, its Node %q", machine, infra, node)
		}
		return told, ""
	}
}

// setLaterBrake: the Machine is paused, so that what is seen is the MachineSet's decision alone. Which of the two goes is
// left to the order of their names as long as neither has a Node; with its Node it would be the clone.
func (w *World) setLaterBrake() brake {
	deletedOnes := func(t *testing.T) []string {
		return strings.Fields(w.Kubectl(t, "-n", prod, "get", "machines", "-l", setLabel+"=set-first", "-o",
			`jsonpath={range .items[*]}{.metadata.name}/{.metadata.deletionTimestamp}{"\n"}{end}`))
	}
	return brake{manifest: rowSetLater, controller: "machineset", kind: "MachineSet", name: "set-first", want: "scales-down",
		shown: func(t *testing.T) (told, missing string) {
			s, found := w.machineNamed(t, setFirst.name)
			if found && s.Metadata.DeletionTimestamp == nil {
				return "", fmt.Sprintf("%q", deletedOnes(t))
			}
			return "it deletes the adopted Machine and keeps the clone", ""
		},
		outcome: func(t *testing.T) string {
			for _, one := range deletedOnes(t) {
				if !strings.HasSuffix(one, "/") {
					return "scales-down"
				}
			}
			return "nothing"
		},
		writes: func(*testing.T) string { return w.asked(setFirst.machine) }}
}

// unhealthyBrake: the MachineHealthCheck marks the Machine, and the MachineSet that owns it deletes it and makes another.
func (w *World) unhealthyBrake() brake {
	return brake{manifest: rowUnhealthy, controller: "machinehealthcheck", kind: "Machine", name: unhealthy.name, want: "remediates",
		shown: func(t *testing.T) (told, missing string) {
			if _, missing := w.gone(unhealthy, "")(t); missing != "" {
				return "", missing
			}
			if len(w.machinesOf(t, "watched")) != 2 {
				return "", "no other Machine yet"
			}
			return "the Machine is deleted, its VM destroyed, and the MachineSet makes another", ""
		},
		outcome: func(t *testing.T) string {
			if _, found := w.machineNamed(t, unhealthy.name); found {
				return "nothing"
			}
			return "remediates"
		},
		writes: func(*testing.T) string { return w.asked(unhealthy.machine) }}
}

// skippedBrake has its turn when the other Machine of the same MachineHealthCheck is gone.
func (w *World) skippedBrake() brake {
	return brake{manifest: rowSkipped, controller: "machinehealthcheck", kind: "Machine", name: skipped.name, want: "nothing",
		shown: func(*testing.T) (told, missing string) { return "it stays as it is, with its Node not ready", "" },
		outcome: func(t *testing.T) string {
			s, found := w.machineNamed(t, skipped.name)
			if found && s.Metadata.DeletionTimestamp == nil && reason(s.Status.Conditions, "OwnerRemediated") == "" {
				return "nothing"
			}
			return fmt.Sprintf("there: %t, marked: %s", found, reason(s.Status.Conditions, "OwnerRemediated"))
		},
		writes: func(*testing.T) string { return w.asked(skipped.machine) }}
}
