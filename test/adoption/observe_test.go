package adoption

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/proxaudit/proxaudit/internal/pvesim"
)

// What happened is read from the objects, from the Proxmox that is there, and from what it was asked. Nothing here knows
// what was foretold.

// infraState is what there is to be seen of a ProxmoxMachine.
type infraState struct {
	Metadata metav1.ObjectMeta
	Spec     struct {
		VirtualMachineID int
		ProviderID       string
	}
	Status struct {
		Initialization struct{ Provisioned bool }
		Conditions     []metav1.Condition
	}
}

// machineState is what there is to be seen of a Machine.
type machineState struct {
	Metadata metav1.ObjectMeta
	Spec     struct{ ProviderID string }
	Status   struct {
		Phase      string
		NodeRef    struct{ Name string }
		Conditions []metav1.Condition
	}
}

// get reads an object of the namespace of prod. It is false if there is none.
func (w *World) get(t *testing.T, object string, into any) bool {
	t.Helper()
	out := w.Kubectl(t, "-n", prod, "get", object, "--ignore-not-found", "-o", "json")
	if strings.TrimSpace(out) == "" {
		return false
	}
	if err := json.Unmarshal([]byte(out), into); err != nil {
		t.Fatal(err)
	}
	return true
}

func (w *World) infra(t *testing.T, name string) (s infraState, found bool) {
	t.Helper()
	found = w.get(t, "proxmoxmachines.infrastructure.cluster.x-k8s.io/"+name, &s)
	return s, found
}

func (w *World) machineNamed(t *testing.T, name string) (s machineState, found bool) {
	t.Helper()
	found = w.get(t, "machines.cluster.x-k8s.io/"+name, &s)
	return s, found
}

// reason is that of a condition, with its status: "True/Provisioned".
func reason(conditions []metav1.Condition, kind string) string {
	for _, c := range conditions {
		if c.Type == kind {
			return string(c.Status) + "/" + c.Reason
		}
	}
	return ""
}

// writesOn are the kinds of writes that were asked for on a VM, each once: "POST config", "DELETE".
func (w *World) writesOn(vmid int) []string {
	var out []string
	for _, r := range w.PVE.Writes() {
		_, rest, ok := strings.Cut(r.Path, fmt.Sprintf("/qemu/%d", vmid))
		if ok && (rest == "" || rest[0] == '/') {
			out = append(out, strings.TrimSpace(r.Method+" "+strings.TrimPrefix(rest, "/")))
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// vm is a VM as it is now; nil if there is none.
func (w *World) vm(t *testing.T, vmid int) (found *pvesim.VM) {
	t.Helper()
	if err := w.PVE.Update(func(f *pvesim.Fleet) { found = f.VMs[vmid] }); err != nil {
		t.Fatal(err)
	}
	return found
}

// clones are the VMIDs of the VMs that CAPMOX gave a name that begins so, beside those in original.
func (w *World) clones(t *testing.T, prefix string, original ...int) (out []int) {
	t.Helper()
	if err := w.PVE.Update(func(f *pvesim.Fleet) {
		for vmid, vm := range f.VMs {
			if strings.HasPrefix(nameOf(vm), prefix) && !slices.Contains(original, vmid) {
				out = append(out, vmid)
			}
		}
	}); err != nil {
		t.Fatal(err)
	}
	return out
}

// nameOf is a VM's name. One that a write made or changed has it in the text of its configuration.
func nameOf(vm *pvesim.VM) string {
	for line := range strings.Lines(vm.Config) {
		if name, ok := strings.CutPrefix(line, "name: "); ok {
			return strings.TrimSpace(name)
		}
	}
	return vm.Name
}

// looks is how often CAPMOX looked at a VM.
func (w *World) looks(m machine) int {
	return w.PVE.CountPath(fmt.Sprintf("/nodes/%s/qemu/%d/status/current", m.host, m.vmid))
}

// asked says which writes a VM had.
func (w *World) asked(m machine) string {
	var out []string
	for _, write := range w.writesOn(m.vmid) {
		method, rest, _ := strings.Cut(write, " ")
		out = append(out, "`"+strings.TrimSuffix(fmt.Sprintf("%s …/qemu/%d/%s", method, m.vmid, rest), "/")+"`")
	}
	if len(out) == 0 {
		return "no write"
	}
	return strings.Join(out, ", ")
}

// askedForClone is the write by which a VM is made.
func (w *World) askedForClone(t *testing.T) string {
	t.Helper()
	for _, r := range w.PVE.Writes() {
		if r.Method == http.MethodPost && strings.HasSuffix(r.Path, fmt.Sprintf("/qemu/%d/clone", templateVM)) && r.Token == capmoxToken {
			return fmt.Sprintf("`POST …/qemu/%d/clone`", templateVM)
		}
	}
	t.Error("nobody asked for a clone of the template")
	return "no write"
}

// becameOfVM is what CAPMOX did with a ProxmoxMachine and its VM.
func (w *World) becameOfVM(t *testing.T, m machine) string {
	t.Helper()
	writes := w.writesOn(m.vmid)
	s, found := w.infra(t, m.name)
	vm := w.vm(t, m.vmid)
	switch {
	case vm == nil:
		return "destroys"
	case slices.Contains(writes, "POST status/stop"):
		return "stops"
	case len(writes) > 0:
		return "rewrites"
	case len(w.clones(t, m.name, m.vmid)) > 0:
		return "clones"
	case !found:
		return "gone"
	case strings.HasSuffix(reason(s.Status.Conditions, "VirtualMachineProvisioned"), "/VMProvisionFailed"):
		return "refuses"
	case s.Status.Initialization.Provisioned && vm.Status != "running":
		return "false-green"
	case s.Status.Initialization.Provisioned:
		return "adopts"
	}
	return "waits-forever"
}

// becameOfMachine is what the Machine controller did with a Machine.
func (w *World) becameOfMachine(t *testing.T, m machine) string {
	t.Helper()
	s, found := w.machineNamed(t, m.name)
	infra, _ := w.infra(t, m.name)
	node := w.WorkloadKubectl(t, "get", "node", m.name, "--ignore-not-found", "-o", "jsonpath={.status.nodeInfo.systemUUID} {.spec.unschedulable}")
	uuid, unschedulable, _ := strings.Cut(node, " ")
	switch {
	case !found && w.vm(t, m.vmid) == nil:
		return "destroys"
	case !found:
		return "gone"
	case s.Metadata.DeletionTimestamp != nil && unschedulable == "true":
		return "changes-workload"
	case s.Metadata.DeletionTimestamp != nil, s.Status.NodeRef.Name == "", !infra.Status.Initialization.Provisioned:
		return "waits-forever"
	}
	vm := w.vm(t, infra.Spec.VirtualMachineID)
	if vm == nil || vm.UUID != uuid || vm.Status != "running" || len(w.writesOn(m.vmid)) > 0 {
		return "false-green"
	}
	return "adopts"
}
