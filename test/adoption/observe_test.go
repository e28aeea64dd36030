package adoption

import (
	"cmp"
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
	Spec     struct {
		ProviderID        string
		InfrastructureRef struct{ Name string }
	}
	Status struct {
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
			if strings.HasPrefix(nameOf(vm), prefix) && !slices.Contains(original, vmid) && !slices.Contains(w.beside, vmid) {
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
	case s.Status.Initialization.Provisioned && s.Spec.ProviderID != "proxmox://"+vm.UUID && w.refused(t, m.name) == "" && vm.UUID == m.uuid():
		// It is another VM of the same number.
		return "false-green"
	case s.Status.Initialization.Provisioned && (!w.sameMachine(t, m.name, s.Spec.VirtualMachineID) || len(w.referring(t, m.name)) > 1):
		return "false-green"
	case s.Status.Initialization.Provisioned:
		return "adopts"
	case w.refused(t, m.name) != "":
		return "refuses"
	}
	return "waits-forever"
}

// sameMachine is true if the Node that a Machine ended up with runs on a VM, or if it has none.
func (w *World) sameMachine(t *testing.T, name string, vmid int) bool {
	t.Helper()
	m, _ := w.machineNamed(t, name)
	if m.Status.NodeRef.Name == "" {
		return true
	}
	uuid := w.WorkloadKubectl(t, "get", "node", m.Status.NodeRef.Name, "-o", "jsonpath={.status.nodeInfo.systemUUID}")
	vm := w.vm(t, vmid)
	return vm != nil && vm.UUID == uuid
}

// refused is what the API server said to CAPMOX's last write of a ProxmoxMachine, if it took none.
func (w *World) refused(t *testing.T, name string) string {
	t.Helper()
	last := ""
	for line := range strings.Lines(w.logOf(t, "infrastructure-proxmox")) {
		if _, said, ok := strings.Cut(line, fmt.Sprintf(`ProxmoxMachine.infrastructure.cluster.x-k8s.io \"%s\" is invalid: `, name)); ok {
			last = said
		}
	}
	return last
}

// logOf is what a manager has logged.
func (w *World) logOf(t *testing.T, provider string) string {
	t.Helper()
	path, err := w.Managers.Log(provider)
	if err != nil {
		t.Fatal(err)
	}
	return string(readFile(t, path))
}

// referring are the Machines with a ProxmoxMachine that have a Node.
func (w *World) referring(t *testing.T, infra string) []string {
	t.Helper()
	return strings.Fields(w.Kubectl(t, "-n", prod, "get", "machines", "-o",
		fmt.Sprintf(`jsonpath={range .items[?(@.spec.infrastructureRef.name==%q)]}{.status.nodeRef.name}{"\n"}{end}`, infra)))
}

// nodeTaken names another Machine that has the same Node.
func (w *World) nodeTaken(t *testing.T, name, node string) string {
	t.Helper()
	for _, other := range strings.Fields(w.Kubectl(t, "-n", prod, "get", "machines", "-o", fmt.Sprintf("jsonpath={.items[?(@.status.nodeRef.name==%q)].metadata.name}", node))) {
		if other != name {
			return other
		}
	}
	return ""
}

// becameOfMachine is what the Machine controller did with a Machine.
func (w *World) becameOfMachine(t *testing.T, m machine) string {
	t.Helper()
	s, found := w.machineNamed(t, m.name)
	infra, _ := w.infra(t, cmp.Or(s.Spec.InfrastructureRef.Name, m.name))
	node := w.WorkloadKubectl(t, "get", "node", cmp.Or(s.Status.NodeRef.Name, m.name), "--ignore-not-found", "-o", "jsonpath={.status.nodeInfo.systemUUID} {.spec.unschedulable}")
	uuid, unschedulable, _ := strings.Cut(node, " ")
	switch {
	case !found && w.vm(t, m.vmid) == nil:
		return "destroys"
	case !found:
		return "gone"
	case s.Metadata.DeletionTimestamp != nil && unschedulable == "true":
		return "changes-workload"
	case strings.Contains(w.logOf(t, "cluster-api"), fmt.Sprintf("unexpectedly found more than one Node matching the providerID %s", s.Spec.ProviderID)):
		return "refuses"
	case s.Metadata.DeletionTimestamp != nil, s.Status.NodeRef.Name == "", !infra.Status.Initialization.Provisioned:
		return "waits-forever"
	}
	vm := w.vm(t, infra.Spec.VirtualMachineID)
	if vm == nil || vm.UUID != uuid || vm.Status != "running" || len(w.writesOn(m.vmid)) > 0 || w.nodeTaken(t, m.name, s.Status.NodeRef.Name) != "" {
		return "false-green"
	}
	return "adopts"
}

// declaredKinds are all that a bundle, a controller or a person could make of Cluster API, and the Secrets.
const declaredKinds = "clusters,machines,machinesets,machinedeployments,machinehealthchecks,machinepools,clusterclasses,kubeadmcontrolplanes,kubeadmcontrolplanetemplates," +
	"kubeadmconfigs,kubeadmconfigtemplates,proxmoxclusters,proxmoxclustertemplates,proxmoxmachines,proxmoxmachinetemplates,ipaddressclaims,ipaddresses,inclusterippools,globalinclusterippools,secrets"

// declared are the objects of all namespaces, one a line.
func (w *World) declared(t *testing.T) []string {
	t.Helper()
	out := strings.Fields(w.Kubectl(t, "get", declaredKinds, "-A", "--ignore-not-found", "-o", `jsonpath={range .items[*]}{.kind}/{.metadata.namespace}/{.metadata.name}{"\n"}{end}`))
	slices.Sort(out)
	if len(out) < 30 {
		t.Fatalf("%q", out)
	}
	return out
}

// nothingElse: beside what the bundle applied there is what controllers derive from it, the pool that CAPMOX makes for a ProxmoxCluster,
// and nothing more.
func (w *World) nothingElse(t *testing.T, before []string) {
	t.Helper()
	want := slices.Sorted(slices.Values(append(slices.Clone(before), "InClusterIPPool/"+prod+"/"+prod+"-v4-icip")))
	if got := w.declared(t); !slices.Equal(got, want) {
		t.Errorf("there is\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}
