package adoption

import (
	"bytes"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/proxaudit/proxaudit/internal/pvesim"
)

const (
	rowSkew      = "Machine two minor versions behind the KubeadmControlPlane"
	rowNoKey     = "Secret `NAME-ca` without `tls.key`"
	rowElsewhere = "credentials of another site, which has no such VM"
	rowLookalike = "credentials of another site, which has a VM of the same VMID and name"
)

var secretRows = []string{rowSkew, rowNoKey, rowElsewhere, rowLookalike}

var (
	elsewhere = naive{machine: worker("elsewhere", 161, "pve1")}
	lookalike = naive{machine: worker("lookalike", 162, "pve1")}
)

// TestBrakesOfSecrets: what the controllers find in the Secrets. The version of one Machine is wrong at first: until that is
// put right none of the control plane is taken over.
func TestBrakesOfSecrets(t *testing.T) {
	w := newWorld(t, writable())
	w.readSecrets(t)
	v := w.naivePlane(t, func(file string) bool {
		if strings.HasSuffix(file, "-prod-ca.yaml") {
			withoutKey(t, file)
		}
		return true
	}, func(o object) bool {
		if named(o, "Machine", "cp-2") {
			spec(o)["version"] = "v1.31.9"
		}
		return true
	})
	none := func() string { return "no write" }
	w.planeBrake(t, v, rowSkew, "KubeadmControlPlane", "prod-control-plane", "refuses", func() (string, string) {
		said := w.Kubectl(t, "-n", prod, "get", "events", "--field-selector=reason=AdoptionFailed", "-o", "jsonpath={.items[*].message}")
		if said == "" {
			return "", "no event AdoptionFailed"
		}
		if owned := w.ownedByPlane(t); len(owned) > 0 {
			return "", fmt.Sprintf("it controls %q", owned)
		}
		return "it takes over none of the three (event AdoptionFailed)", ""
	}, none)
	w.pause(t, plane)
	w.Kubectl(t, "-n", prod, "patch", "machine", "cp-2", "--type=merge", "-p", `{"spec":{"version":"`+kubernetesVersion+`"}}`)
	t.Run(rowNoKey, func(t *testing.T) { w.caWithoutKey(t) })
	t.Run("another site", func(t *testing.T) { w.anotherSite(t) })
}

// withoutKey takes the private key out of a Secret's manifest.
func withoutKey(t *testing.T, file string) {
	t.Helper()
	var o object
	if err := yaml.Unmarshal(readFile(t, file), &o); err != nil {
		t.Fatal(err)
	}
	for _, field := range []string{"data", "stringData"} {
		if data, ok := o[field].(object); ok {
			delete(data, "tls.key")
		}
	}
	data, err := yaml.Marshal(o)
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Contains(data, []byte("tls.key")) {
		t.Fatalf("%s has its key still", file)
	}
	if err := os.WriteFile(file, data, 0o600); err != nil {
		t.Fatal(err)
	}
}

// ownedByPlane are the Machines that the control plane controls.
func (w *World) ownedByPlane(t *testing.T) []string {
	t.Helper()
	return strings.Fields(w.Kubectl(t, "-n", prod, "get", "machines", "-o",
		`jsonpath={range .items[?(@.metadata.ownerReferences[0].kind=="KubeadmControlPlane")]}{.metadata.name}{"\n"}{end}`))
}

// caWithoutKey: the controller is content, and what it says of the future, that no control plane could join, is in no
// condition. verify has it in its check of the Secrets, which the step's verdict counts.
func (w *World) caWithoutKey(t *testing.T) {
	before := w.verify(t, 1, "--read-secrets")
	if got := before.foretold("kubeadmcontrolplane", "KubeadmControlPlane", "prod-control-plane"); !slices.Equal(got, []string{"adopts"}) {
		t.Errorf("verify says %q before", got)
	}
	said := ""
	for _, c := range before.Checks {
		if c.Name == "secret" && c.Subject.ID == "secret/prod/prod-ca" {
			said = c.State + ": " + c.Detail
		}
	}
	if !strings.HasPrefix(said, "failed: ") {
		t.Errorf("verify says of the Secret: %q", said)
	}
	w.Unpause(t, plane)
	for _, condition := range []string{"CertificatesAvailable", "MachinesUpToDate", "Available"} {
		w.WaitCondition(t, condition, plane)
	}
	w.exactly(t, "kubeadmcontrolplanes", `{.status.upToDateReplicas}`, []string{"prod-control-plane 3"})
	if keys := w.Field(t, "secret/prod-ca", "{.data}"); strings.Contains(keys, "tls.key") {
		t.Error("the Secret has a key")
	}
	w.noWrites(t, "an authority without its key")
	row(t, rowNoKey, "kubeadmcontrolplane/prod-control-plane: `adopts`; the check of the Secret "+said,
		"`adopts`: all three, and CertificatesAvailable and Available are True; the key is made up by nobody", "no write")
}

// anotherSite: CAPMOX is given the address and token of another Proxmox.
func (w *World) anotherSite(t *testing.T) {
	far := site()
	far.Cluster = "dc2"
	imposter := lookalike.machine.vm()
	imposter.UUID = strings.Replace(imposter.UUID, "6c3fa683", "00000683", 1)
	far.VMs = map[int]*pvesim.VM{lookalike.vmid: imposter}
	other, err := pvesim.Start(far, writable().PVE)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := other.Close(); err != nil {
			t.Error(err)
		}
	})
	w.confidential = append(w.confidential, other.Secret(capmoxToken))
	w.join(t, elsewhere)
	w.join(t, lookalike)
	w.apply(t, append(elsewhere.manifests(), lookalike.manifests()...)...)
	w.WaitCondition(t, "Paused", "machine/"+elsewhere.name, "machine/"+lookalike.name)
	w.Kubectl(t, "-n", prod, "patch", "secret", prod+"-pve", "--type=merge", "-p",
		fmt.Sprintf(`{"stringData":{"url":%q,"token":%q,"secret":%q}}`, other.URL, capmoxToken, other.Secret(capmoxToken)))
	before := w.verify(t, 1, "--read-secrets")
	w.Unpause(t, "proxmoxmachine/"+elsewhere.name, "machine/"+elsewhere.name, "proxmoxmachine/"+lookalike.name, "machine/"+lookalike.name)
	asked := func(vmid int) (n int) {
		return other.CountPath(fmt.Sprintf("/nodes/pve1/qemu/%d/status/current", vmid))
	}
	w.meet(t, before, []brake{
		w.vmBrake(rowElsewhere, elsewhere, "waits-forever", func(t *testing.T) (string, string) {
			s, _ := w.infra(t, elsewhere.name)
			got := reason(s.Status.Conditions, "VirtualMachineProvisioned")
			if asked(elsewhere.vmid) < 4 || s.Status.Initialization.Provisioned {
				return "", fmt.Sprintf("%d looks, %s", asked(elsewhere.vmid), got)
			}
			return "VirtualMachineProvisioned stays " + got + ", however often CAPMOX looks there", ""
		}),
		w.vmBrake(rowLookalike, lookalike, "false-green", func(t *testing.T) (string, string) {
			s, _ := w.infra(t, lookalike.name)
			m, _ := w.machineNamed(t, lookalike.name)
			if !s.Status.Initialization.Provisioned || s.Spec.ProviderID != "proxmox://"+imposter.UUID || m.Spec.ProviderID != s.Spec.ProviderID {
				return "", fmt.Sprintf("%+v", s)
			}
			return fmt.Sprintf("the ProxmoxMachine is ready with the providerID of the other site's VM, the Machine %s with the Node %s", m.Status.Phase, m.Status.NodeRef.Name), ""
		}),
	})
	if writes := other.Writes(); len(writes) > 0 {
		t.Errorf("the other site was asked for %d writes, the first %+v", len(writes), writes[0])
	}
}
