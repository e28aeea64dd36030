package adoption

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/proxaudit/proxaudit/internal/pvesim"
)

// productOwners are what adopt calls the owners of prod's machines.
var productOwners = owners{plane: "prod-control-plane", small: "prod-workers-4c-8g", large: "prod-workers-8c-16g"}

// plan is the part of adopt's plan that a person follows.
type plan struct {
	Steps []step
}

type step struct {
	ID              string
	Title, File     string
	Commands, Check []string
}

// writable is a Proxmox VE that does what it is asked: whatever a controller wants to write is recorded, and happens if its
// token may.
func writable() Options {
	return Options{PVE: pvesim.Options{Writable: true}, Site: func(f *pvesim.Fleet) {
		f.Storages = map[string]*pvesim.Storage{
			"local":     {Type: "dir", Content: []string{"iso", "vztmpl", "backup", "snippets"}},
			"local-lvm": {Type: "lvmthin", Content: []string{"images", "rootdir"}},
		}
	}}
}

// TestAdopt takes prod under Cluster API with what proxaudit renders, by the commands of its own runbook and nothing else.
func TestAdopt(t *testing.T) {
	o := writable()
	site := o.Site
	// As docs/adoption.md advises: until everything is adopted, CAPMOX's token can read and nothing else.
	o.Site = func(f *pvesim.Fleet) {
		site(f)
		f.Tokens[capmoxToken].Role = "PVEAuditor"
	}
	w := newWorld(t, o)
	nodes := w.nodeUIDs(t)
	w.readSecrets(t)
	dir := filepath.Join(w.Dir, "adoption")
	var steps []step

	w.Step(t, "verify before there is anything", func() { w.Proxaudit(t, "verify", "--cluster", prod).Want(t, 2) })
	w.Step(t, "adopt", func() { steps = w.renderBundle(t, dir) })
	for _, s := range steps {
		if s.ID == "finish" {
			break
		}
		w.Step(t, s.ID, func() { w.follow(t, dir, s) })
		if s.ID == "apply-owners" {
			w.Step(t, "a second adopt changes nothing", func() { w.renderAgain(t, dir) })
		}
	}
	w.Step(t, "the outcome", func() { w.adopted(t, nodes, productOwners) })
	w.Step(t, "new CAPMOX and control-plane managers", func() { w.restartManagers(t, productOwners.plane) })
	w.Step(t, "the outcome, still", func() { w.adopted(t, nodes, productOwners) })
	w.Step(t, "finish", func() { w.follow(t, dir, steps[len(steps)-1]) })
	w.Step(t, "the outcome, without brakes", func() { w.adopted(t, nodes, productOwners) })
	w.Step(t, "proxaudit after", func() { w.classed(t, "managed") })
	t.Run("under management", func(t *testing.T) { w.scaleUp(t) })
}

// readSecrets lets proxaudit read the Secrets that verify looks at, by name.
func (w *World) readSecrets(t *testing.T) {
	t.Helper()
	names := []string{prod + "-ca", prod + "-etcd", prod + "-proxy", prod + "-sa", prod + "-kubeconfig", prod + "-pve"}
	for _, m := range machines {
		names = append(names, m.name)
	}
	w.Kubectl(t, "create", "namespace", prod)
	role := []string{"-n", prod, "create", "role", "proxaudit-secrets", "--verb=get", "--resource=secrets"}
	for _, name := range names {
		role = append(role, "--resource-name="+name)
	}
	w.Kubectl(t, role...)
	w.Kubectl(t, "-n", prod, "create", "rolebinding", "proxaudit-secrets", "--role=proxaudit-secrets", "--group=proxaudit")
}

// renderBundle writes the adoption into a folder, lets the management cluster judge it, and returns the plan's steps.
func (w *World) renderBundle(t *testing.T, dir string) []step {
	t.Helper()
	w.Proxaudit(t, "adopt", "--cluster", prod, "--output-dir", dir, "--pki-dir", w.Kubeadm.PKIDir, "--kubeconfig-file", w.WorkloadConfig,
		"--secrets-dir", filepath.Join(dir+"-secrets")).Want(t, 0)
	w.Proxaudit(t, "adopt", "--cluster", prod, "--kubeconfig", w.ManagementConfig, "--server-dry-run").Want(t, 0)
	o := w.Proxaudit(t, "adopt", "--cluster", prod, "-o", "json").Want(t, 0)
	var p plan
	if err := json.Unmarshal(o.Stdout, &p); err != nil {
		t.Fatal(err)
	}
	if len(p.Steps) != 12 {
		t.Fatalf("%d steps", len(p.Steps))
	}
	runbook := readFile(t, filepath.Join(dir, "RUNBOOK.md"))
	for _, s := range p.Steps {
		for _, c := range slices.Concat(s.Commands, s.Check) {
			if !bytes.Contains(runbook, []byte(c)) {
				t.Errorf("RUNBOOK.md lacks %q of step %s", c, s.ID)
			}
		}
	}
	return p.Steps
}

// renderAgain: the objects that are there now are the bundle's own, and what is rendered is the same.
func (w *World) renderAgain(t *testing.T, dir string) {
	t.Helper()
	o := w.Proxaudit(t, "adopt", "--cluster", prod).Want(t, 0)
	var first []byte
	for _, name := range []string{"01-cluster.yaml", "02-infrastructure.yaml", "03-machines.yaml", "04-owners.yaml"} {
		first = append(first, readFile(t, filepath.Join(dir, name))...)
	}
	if !bytes.Equal(o.Stdout, first) {
		t.Errorf("rendered again it is\n%s", o.Stdout)
	}
}

// notHere are commands of the runbook that this World has no place for: keys are copied from a control-plane node, which is
// no machine here, and etcdctl runs in a Pod, of which there is only the object. What they are for is done in another way.
func (w *World) notHere(t *testing.T, s step, command string) bool {
	t.Helper()
	switch {
	case s.ID == "create-secrets":
		// The Secrets of --secrets-dir take the place of all but CAPMOX's.
		return !strings.Contains(command, "generic "+prod+"-pve")
	case strings.Contains(command, "etcdctl"):
		w.workloadUntouched(t)
		return true
	}
	return false
}

// follow types what the runbook says, and then its checks.
func (w *World) follow(t *testing.T, dir string, s step) {
	t.Helper()
	if s.ID == "create-secrets" {
		w.write(t, "adoption/token.txt", []byte(capmoxToken))
		w.write(t, "adoption/secret.txt", []byte(w.PVE.Secret(capmoxToken)))
	}
	for _, c := range s.Commands {
		if !w.notHere(t, s, c) {
			w.shell(t, dir, c)
		}
	}
	if s.ID == "create-secrets" {
		w.Kubectl(t, "apply", "--server-side", "-f", dir+"-secrets")
	}
	for _, c := range s.Check {
		out := w.shell(t, dir, c)
		if strings.Contains(c, "a second time") && strings.Count(out, "unchanged") != strings.Count(out, "\n") {
			t.Errorf("applied a second time, %s changes something:\n%s", s.File, out)
		}
	}
}

// shell runs one line of the runbook, with kubectl, clusterctl and proxaudit by their names.
func (w *World) shell(t *testing.T, dir, line string) string {
	t.Helper()
	binary, err := product()
	if err != nil {
		t.Fatal(err)
	}
	bin := filepath.Join(w.Dir, "bin")
	if err := os.MkdirAll(bin, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, path := range map[string]string{"kubectl": w.kubectl, "clusterctl": w.clusterctl, "proxaudit": binary} {
		if _, err := os.Lstat(filepath.Join(bin, name)); err == nil {
			continue
		}
		if err := os.Symlink(path, filepath.Join(bin, name)); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.CommandContext(t.Context(), "bash", "-euo", "pipefail", "-c", line)
	cmd.Dir = dir
	cmd.Env = []string{"HOME=" + w.Dir, "PATH=" + bin + ":/usr/bin:/bin", "KUBECONFIG=" + w.ManagementConfig + ":" + w.WorkloadConfig,
		"PROXAUDIT_CONFIG=" + w.Config, "CLUSTERCTL_DISABLE_VERSIONCHECK=true", "NO_COLOR=1"}
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", line, err, out)
	}
	for _, text := range w.confidential {
		if bytes.Contains(out, []byte(text)) {
			t.Errorf("%s prints the secret %.8s...", line, text)
		}
	}
	return string(out)
}

// scaleUp: one worker more makes CAPMOX ask Proxmox for a clone, and nothing is done to the adopted ones.
func (w *World) scaleUp(t *testing.T) {
	if err := w.PVE.Update(func(f *pvesim.Fleet) { f.Tokens[capmoxToken].Role = "Administrator" }); err != nil {
		t.Fatal(err)
	}
	w.Kubectl(t, "-n", prod, "scale", "machinedeployment", productOwners.small, "--replicas=3")
	var clone pvesim.Request
	w.WaitFor(t, "a clone of the template", 2*time.Minute, func() string {
		for _, r := range w.PVE.Writes() {
			if r.Method == http.MethodPost && r.Path == fmt.Sprintf("/nodes/pve1/qemu/%d/clone", templateVM) {
				clone = r
				return ""
			}
		}
		return "not asked for yet"
	})
	if clone.Token != capmoxToken || clone.Status != http.StatusOK {
		t.Errorf("%+v", clone)
	}
	w.WaitFor(t, "the clone to start", 2*time.Minute, func() string {
		for _, r := range w.PVE.Writes() {
			if strings.HasSuffix(r.Path, "/status/start") {
				return ""
			}
		}
		return fmt.Sprintf("%d writes so far, no start", len(w.PVE.Writes()))
	})
	for _, r := range w.PVE.Writes() {
		for _, m := range machines {
			if strings.Contains(r.Path, fmt.Sprintf("/qemu/%d/", m.vmid)) || strings.HasSuffix(r.Path, fmt.Sprintf("/qemu/%d", m.vmid)) {
				t.Errorf("an adopted VM was written to: %s %s", r.Method, r.Path)
			}
		}
	}
}
