package adoption

import (
	"bytes"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"sigs.k8s.io/yaml"

	// The tests run the program as a process. Importing it as well tells the test cache what they depend on.
	_ "github.com/proxaudit/proxaudit/internal/cli"
	"github.com/proxaudit/proxaudit/test/realkube"
)

// product builds proxaudit from the tree, once.
var product = sync.OnceValues(func() (string, error) {
	binary := filepath.Join(scratch, "proxaudit")
	build := exec.Command("go", "build", "-o", binary, ".")
	build.Dir = "../.."
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build proxaudit: %w\n%s", err, out)
	}
	return binary, nil
})

// Outcome is what one run of proxaudit left.
type Outcome struct {
	Args           string
	Stdout, Stderr []byte
	Code           int
}

// Proxaudit runs the program, a command first, with the World's configuration and an empty environment. Whatever it
// prints is searched for secrets.
func (w *World) Proxaudit(t *testing.T, args ...string) Outcome {
	t.Helper()
	binary, err := product()
	if err != nil {
		t.Fatal(err)
	}
	// Behind the command and in front of its subject, as flags have to stand.
	args = slices.Insert(slices.Clone(args), 1, "--config", w.Config)
	cmd := exec.CommandContext(t.Context(), binary, args...)
	cmd.Dir = w.Dir
	cmd.Env = []string{"HOME=" + w.Dir, "PATH=/usr/bin:/bin", "NO_COLOR=1"}
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err = cmd.Run()
	o := Outcome{Args: strings.Join(args, " "), Stdout: stdout.Bytes(), Stderr: stderr.Bytes()}
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		t.Fatalf("proxaudit %s: %v", o.Args, err)
	}
	o.Code = cmd.ProcessState.ExitCode()
	for _, text := range w.confidential {
		if strings.Contains(stdout.String(), text) || strings.Contains(stderr.String(), text) {
			t.Errorf("proxaudit %s prints the secret %.8s...", o.Args, text)
		}
	}
	return o
}

// Want fails the test if the exit code is another one.
func (o Outcome) Want(t *testing.T, code int) Outcome {
	t.Helper()
	if o.Code != code {
		t.Fatalf("proxaudit %s: exit %d, want %d\nstderr:\n%s\nstdout begins:\n%.60000s", o.Args, o.Code, code, o.Stderr, o.Stdout)
	}
	return o
}

// writeConfig writes the proxaudit.yaml of whoever runs this cluster. proxaudit may do what examples/rbac grants and no
// more.
func (w *World) writeConfig(t *testing.T) {
	t.Helper()
	const roles = "../../examples/rbac"
	w.Kubectl(t, "apply", "-f", roles+"/management.yaml", "-f", roles+"/workload.yaml")
	w.WorkloadKubectl(t, "apply", "-f", roles+"/workload.yaml")
	management, workload := w.reader("management"), w.reader(prod)
	for path, server := range map[string]*realkube.Server{management: w.Management, workload: w.Workload} {
		if err := server.Kubeconfig(path, "proxaudit-reader", "proxaudit"); err != nil {
			t.Fatal(err)
		}
	}
	w.confidential = []string{w.PVE.Secret(auditToken), w.PVE.Secret(capmoxToken), "PRIVATE KEY"}
	type m = map[string]any
	data, err := yaml.Marshal(m{
		"sites": []m{{
			"name": "dc1", "url": w.PVE.URL, "tokenID": auditToken, "secret": w.PVE.Secret(auditToken), "fingerprint": w.PVE.Fingerprint(),
		}},
		"management": m{"name": "management", "kubeconfig": management},
		"clusters": []m{{"name": prod, "site": "dc1", "kubeconfig": workload, "selector": m{"tags": []string{prod}},
			"adopt": m{"addresses": []string{"10.20.0.200-10.20.0.220"}, "prefix": 24, "gateway": "10.20.0.1", "dnsServers": []string{"10.20.0.1"}, "capmoxTokenID": capmoxToken},
		}},
	})
	if err != nil {
		t.Fatal(err)
	}
	w.Config = w.write(t, "proxaudit.yaml", data)
}

// reader is the kubeconfig of proxaudit's account on a cluster.
func (w *World) reader(cluster string) string {
	return filepath.Join(w.Dir, "reader-"+cluster+".kubeconfig")
}
