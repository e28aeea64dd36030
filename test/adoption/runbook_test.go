package adoption

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// plan is the part of adopt's plan that a person follows.
type plan struct {
	Steps []step
}

type step struct {
	ID                                   string
	Title, File                          string
	Before, Commands, Also, Check, After []string
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
	// A release takes CAPMOX's environment from a Secret, empty or not (its infrastructure-components.yaml).
	const own, namespace = "capmox-manager-credentials", "capmox-system"
	w.Kubectl(t, "-n", namespace, "create", "secret", "generic", own, "--from-literal=url="+w.capmoxAccess.URL,
		"--from-literal=token="+w.capmoxAccess.TokenID, "--from-literal=secret="+w.capmoxAccess.Secret)
	// The manager has had it in its environment from the start. Nobody rolls Deployments out here: this is what their controller would write
	// once the Pods are up with that Secret.
	now := time.Now().UTC().Add(time.Second).Format(time.RFC3339)
	deployment := strings.TrimSpace(w.Kubectl(t, "-n", namespace, "get", "deployment", "-l", "cluster.x-k8s.io/provider=infrastructure-proxmox", "-o", "name"))
	w.Kubectl(t, "-n", namespace, "patch", deployment, "--subresource=status", "--type=merge", "-p",
		fmt.Sprintf(`{"status":{"conditions":[{"type":"Progressing","status":"True","reason":"NewReplicaSetAvailable","lastUpdateTime":%q,"lastTransitionTime":%q}]}}`, now, now))
	w.Kubectl(t, "-n", namespace, "create", "role", "proxaudit-secrets", "--verb=get", "--resource=secrets", "--resource-name="+own)
	w.Kubectl(t, "-n", namespace, "create", "rolebinding", "proxaudit-secrets", "--role=proxaudit-secrets", "--group=proxaudit")
}

// renderBundle writes the adoption into a folder, lets the management cluster judge it, and returns the plan's steps.
func (w *World) renderBundle(t *testing.T, dir string) []step {
	t.Helper()
	o := w.Proxaudit(t, "adopt", "--cluster", prod, "--output-dir", dir, "--pki-dir", w.Kubeadm.PKIDir, "--kubeconfig-file", w.EndpointConfig,
		"--secrets-dir", dir+"-secrets", "-o", "json").Want(t, 0)
	w.Proxaudit(t, "adopt", "--cluster", prod, "--kubeconfig", w.ManagementConfig, "--server-dry-run").Want(t, 0)
	var p plan
	if err := json.Unmarshal(o.Stdout, &p); err != nil {
		t.Fatal(err)
	}
	if len(p.Steps) != 12 {
		t.Fatalf("%d steps", len(p.Steps))
	}
	runbook := readFile(t, filepath.Join(dir, "RUNBOOK.md"))
	script := filepath.Join(dir, "giving-up.sh")
	if err := os.WriteFile(script, []byte(w.asOperator(string(readFile(t, script)))), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, s := range p.Steps {
		for _, c := range slices.Concat(s.Before, s.Commands, s.Also, s.Check, s.After) {
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
		// Its first line says which step of the runbook it is for.
		_, manifests, _ := bytes.Cut(readFile(t, filepath.Join(dir, name)), []byte("\n"))
		first = append(first, manifests...)
	}
	if !bytes.Equal(o.Stdout, first) {
		t.Errorf("rendered again it is\n%s", o.Stdout)
	}
}

// follow types what the runbook says, and then its checks.
func (w *World) follow(t *testing.T, dir string, s step) {
	t.Helper()
	for _, c := range s.Before {
		if strings.Contains(c, "etcdctl") {
			// It would run in a Pod, of which there is only the object: what it is for is seen in another way.
			w.workloadUntouched(t)
			continue
		}
		w.shell(t, dir, c)
	}
	if s.ID == "create-secrets" {
		w.fillIn(t, filepath.Join(dir, prod+"-pve.env"))
	}
	for _, c := range slices.Concat(s.Commands, s.Also) {
		w.shell(t, dir, c)
	}
	for _, c := range s.Check {
		out := w.shell(t, dir, c)
		if strings.Contains(c, " apply -f ") && strings.Count(out, "unchanged") != strings.Count(out, "\n") {
			t.Errorf("applied a second time, %s changes something:\n%s", s.File, out)
		}
	}
	for _, c := range s.After {
		w.shell(t, dir, c)
	}
	// What holds keys and the token is there until verify has seen that they fit, and no longer.
	for path, last := range map[string]string{dir + "-secrets": "apply-owners", filepath.Join(dir, prod+"-pve.env"): "unpause-cluster"} {
		if _, err := os.Lstat(path); s.ID == last && !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s is still there: %v", path, err)
		}
	}
}

// fillIn does what an editor does.
func (w *World) fillIn(t *testing.T, path string) {
	t.Helper()
	text := string(readFile(t, path))
	text = strings.Replace(text, "token=\n", "token="+capmoxToken+"\n", 1)
	text = strings.Replace(text, "secret=\n", "secret="+w.PVE.Secret(capmoxToken)+"\n", 1)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
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
	// The commands name the kubeconfigs through which proxaudit read, as an account that may only read: the runbook says to put
	// others in their place.
	line = w.asOperator(line)
	cmd := exec.CommandContext(t.Context(), "bash", "-euo", "pipefail", "-c", line)
	cmd.Dir = dir
	cmd.Env = []string{"HOME=" + w.Dir, "PATH=" + bin + ":/usr/bin:/bin", "KUBECONFIG=" + w.ManagementConfig + ":" + w.WorkloadConfig,
		"CLUSTERCTL_DISABLE_VERSIONCHECK=true", "NO_COLOR=1"}
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

// asOperator puts an administrator's kubeconfigs in the place of proxaudit's.
func (w *World) asOperator(text string) string {
	return strings.NewReplacer(w.reader("management"), w.ManagementConfig, w.reader(prod), w.WorkloadConfig).Replace(text)
}
