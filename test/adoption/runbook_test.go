package adoption

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// plan is the part of adopt's plan that a person follows.
type plan struct {
	Steps []step
}

type step struct {
	ID              string
	Title, File     string
	Commands, Check []string
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
