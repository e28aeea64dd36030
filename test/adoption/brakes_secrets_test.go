package adoption

import (
	"bytes"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"sigs.k8s.io/yaml"

	"github.com/proxaudit/proxaudit/internal/pvesim"
)

const (
	rowSkew      = "Machine two minor versions behind the KubeadmControlPlane"
	rowNoKey     = "Secret `NAME-ca` without `tls.key`, `NAME-kubeconfig` of Cluster API's type"
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
	o := writable()
	o.NoCredentials = true
	w := newWorld(t, o)
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

// caWithoutKey: the controller takes the kubeconfig over, and cannot renew it without the authority's key. It does so from
// half a year before the client certificate expires; here it is due. A Secret of another type it leaves alone.
func (w *World) caWithoutKey(t *testing.T) {
	before := w.verify(t, 1, "--read-secrets")
	said := ""
	for _, c := range before.Checks {
		if c.Name == "secret" && c.Subject.ID == "secret/prod/prod-ca" {
			said = c.State + ": " + c.Detail
		}
	}
	if !strings.HasPrefix(said, "note: ") {
		t.Errorf("verify says of the Secret: %q", said)
	}
	w.Unpause(t, plane)
	w.planeBrake(t, before, rowNoKey, "KubeadmControlPlane", "prod-control-plane", "refuses", func() (string, string) {
		if !strings.Contains(w.logOf(t, "control-plane-kubeadm"), "failed to regenerate kubeconfig: failed to decode private key") {
			return "", "no error of the controller"
		}
		if got := w.Field(t, plane, `{.status.upToDateReplicas} {.status.conditions[?(@.type=="CertificatesAvailable")].status} {.status.conditions[?(@.type=="Available")].status}`); got != "0 True Unknown" && got != "0 True False" {
			return "", got
		}
		return "CertificatesAvailable is True, and each pass ends with an error (the kubeconfig cannot be renewed), so that no Machine is ever up to date", ""
	}, func() string { return "no write" })
	if keys := w.Field(t, "secret/prod-ca", "{.data}"); strings.Contains(keys, "tls.key") {
		t.Error("the Secret has a key")
	}
	w.noWrites(t, "an authority without its key")
}

// otherSite is another Proxmox, where CAPMOX's token has the same name.
func (w *World) otherSite(t *testing.T, vms map[int]*pvesim.VM) *pvesim.Server {
	t.Helper()
	far := site()
	far.Cluster = "dc2"
	far.VMs = vms
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
	return other
}

// useSite puts the address and token of a Proxmox into the Secret that the ProxmoxCluster names.
func (w *World) useSite(t *testing.T, other *pvesim.Server) {
	t.Helper()
	w.Kubectl(t, "-n", prod, "patch", "secret", prod+"-pve", "--type=merge", "-p",
		fmt.Sprintf(`{"stringData":{"url":%q,"token":%q,"secret":%q}}`, other.URL, capmoxToken, other.Secret(capmoxToken)))
}

// knowSite puts another Proxmox into proxaudit's configuration.
func (w *World) knowSite(t *testing.T, name string, other *pvesim.Server) {
	t.Helper()
	var config map[string]any
	if err := yaml.Unmarshal(readFile(t, w.Config), &config); err != nil {
		t.Fatal(err)
	}
	sites, ok := config["sites"].([]any)
	if !ok {
		t.Fatalf("%+v", config)
	}
	config["sites"] = append(sites, map[string]any{"name": name, "url": other.URL, "tokenID": auditToken, "secret": other.Secret(auditToken), "fingerprint": other.Fingerprint()})
	data, err := yaml.Marshal(config)
	if err != nil {
		t.Fatal(err)
	}
	w.confidential = append(w.confidential, other.Secret(auditToken))
	w.Config = w.write(t, "with-"+name+".yaml", data)
}

// anotherSite: CAPMOX is given the address and token of another Proxmox, which proxaudit knows too: of the credentials verify sees the
// host, and that it is the other site's, and looks there for the VMs as CAPMOX would. That a site has no VM of a VMID no list proves,
// for a token may not see all: of that one the prediction is unknown, and the check is what stands against it.
func (w *World) anotherSite(t *testing.T) {
	imposter := lookalike.machine.vm()
	imposter.UUID = strings.Replace(imposter.UUID, "6c3fa683", "00000683", 1)
	other := w.otherSite(t, map[int]*pvesim.VM{lookalike.vmid: imposter})
	w.join(t, elsewhere)
	w.join(t, lookalike)
	w.apply(t, append(elsewhere.manifests(), lookalike.manifests()...)...)
	w.WaitCondition(t, "Paused", "machine/"+elsewhere.name, "machine/"+lookalike.name)
	w.useSite(t, other)
	w.knowSite(t, "dc2", other)
	before := w.verify(t, 3, "--read-secrets")
	said := before.failed("credentials")
	if !strings.Contains(said, "lead to site dc2") {
		t.Errorf("verify says of the credentials %q", said)
	}
	w.Unpause(t, "proxmoxmachine/"+elsewhere.name, "machine/"+elsewhere.name, "proxmoxmachine/"+lookalike.name, "machine/"+lookalike.name)
	unforeseen := func(manifest string, n naive, foretold, want string, shown func() (told, missing string)) {
		t.Run(manifest, func(t *testing.T) {
			if got := before.foretold("proxmoxmachine", "ProxmoxMachine", n.name); !slices.Equal(got, []string{foretold}) {
				t.Errorf("verify said %q before", got)
			}
			told := ""
			w.WaitFor(t, manifest, 90*time.Second, func() (missing string) {
				told, missing = shown()
				return missing
			})
			if got := w.becameOfVM(t, n.machine); got != want {
				t.Errorf("it came to %q, want %q", got, want)
			}
			row(t, manifest, "proxmoxmachine/"+n.name+": `"+foretold+"`, and the check `credentials` fails: they lead to the other site", "`"+want+"`: "+told, "no write")
		})
	}
	unforeseen(rowElsewhere, elsewhere, "unknown", "waits-forever", func() (string, string) {
		s, _ := w.infra(t, elsewhere.name)
		got := reason(s.Status.Conditions, "VirtualMachineProvisioned")
		looks := other.CountPath(fmt.Sprintf("/nodes/pve1/qemu/%d/", elsewhere.vmid))
		if looks < 4 || s.Status.Initialization.Provisioned {
			return "", fmt.Sprintf("%d looks, %s", looks, got)
		}
		return "VirtualMachineProvisioned stays " + got + ", however often CAPMOX looks there", ""
	})
	unforeseen(rowLookalike, lookalike, "false-green", "false-green", func() (string, string) {
		s, _ := w.infra(t, lookalike.name)
		m, _ := w.machineNamed(t, lookalike.name)
		if !s.Status.Initialization.Provisioned || s.Spec.ProviderID != "proxmox://"+imposter.UUID || m.Spec.ProviderID != s.Spec.ProviderID || m.Status.Phase != "Running" {
			return "", fmt.Sprintf("%+v %s", s, m.Status.Phase)
		}
		return fmt.Sprintf("the ProxmoxMachine is ready with the providerID of the other site's VM, the Machine %s with the Node %s", m.Status.Phase, m.Status.NodeRef.Name), ""
	})
	after := w.verify(t, 3, "--read-secrets")
	if got := after.foretold("proxmoxmachine", "ProxmoxMachine", lookalike.name); !slices.Equal(got, []string{"false-green"}) {
		t.Errorf("verify says %q after it", got)
	}
	if writes := other.Writes(); len(writes) > 0 {
		t.Errorf("the other site was asked for %d writes, the first %+v", len(writes), writes[0])
	}
}
