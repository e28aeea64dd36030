package main

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	"sigs.k8s.io/yaml"
)

// deployed is a command line that deploy/ has, with the configuration that stands beside it.
type deployed struct {
	args   []string
	config string
	// files are what it leaves under /var/lib.
	files []string
	// quiet is true if it says nothing in a night without news.
	quiet bool
}

// TestDeployedCommands: what the CronJob, the systemd service and the crontab line run is a command line of this program, under the
// configuration that stands beside it, and leaves the files that it says. Only the servers are not asked: a snapshot stands for them.
func TestDeployedCommands(t *testing.T) {
	snapshot, err := filepath.Abs("examples/homelab/snapshot.json")
	if err != nil {
		t.Fatal(err)
	}
	for name, d := range map[string]deployed{
		"cronjob": {args: cronJobArgs(t, "deploy/cronjob/base/cronjob.yaml"), config: "deploy/cronjob/base/proxaudit.yaml",
			files: []string{"proxaudit/history.db", "proxaudit/report.json", "proxaudit/report.html", "proxaudit/proxaudit.prom"}},
		"cronjob of the example": {args: cronJobArgs(t, "deploy/cronjob/base/cronjob.yaml"), config: "deploy/cronjob/example/proxaudit.yaml",
			files: []string{"proxaudit/history.db"}},
		"systemd": {args: serviceArgs(t), config: "deploy/systemd/proxaudit.yaml",
			files: []string{"proxaudit/history.db", "proxaudit/report.json", "prometheus/node-exporter/proxaudit.prom"}},
		"cron": {args: cronArgs(t), config: "deploy/systemd/proxaudit.yaml", quiet: true, files: []string{"proxaudit/history.db", "proxaudit/report.json"}},
	} {
		t.Run(name, func(t *testing.T) {
			lib := t.TempDir()
			for _, dir := range []string{"proxaudit", "prometheus/node-exporter"} {
				if err := os.MkdirAll(filepath.Join(lib, dir), 0o750); err != nil {
					t.Fatal(err)
				}
			}
			args := slices.Clone(d.args)
			for i, a := range args {
				a = strings.ReplaceAll(a, "/var/lib/", lib+"/")
				if strings.HasPrefix(a, "--config=") {
					a = "--config=" + d.config
				}
				if i > 0 && args[i-1] == "--config" {
					a = d.config
				}
				args[i] = a
			}
			args = append(args, "--from", snapshot)
			first, _ := proxaudit(t, args)
			if !bytes.Contains(first, []byte("home-worker-3")) {
				t.Errorf("the first night says\n%s", first)
			}
			for _, f := range d.files {
				if st, err := os.Stat(filepath.Join(lib, f)); err != nil || st.Size() == 0 {
					t.Errorf("%s: %v", f, err)
				}
			}
			second, said := proxaudit(t, args)
			if d.quiet != (len(second) == 0) || d.quiet && len(said) > 0 {
				t.Errorf("a night without news says\n%s\n%s", second, said)
			}
		})
	}
}

// proxaudit runs the program, which must come to a result.
func proxaudit(t *testing.T, args []string) (stdout, stderr []byte) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "proxaudit", args...)
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "COLUMNS=140"}
	var out, said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &said
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && (!errors.As(err, &exit) || exit.ExitCode() != 1 && exit.ExitCode() != 3) {
		t.Fatalf("proxaudit %s: %v\n%s", strings.Join(args, " "), err, said.Bytes())
	}
	return out.Bytes(), said.Bytes()
}

func cronJobArgs(t *testing.T, path string) []string {
	t.Helper()
	var job batchv1.CronJob
	if err := yaml.UnmarshalStrict([]byte(readFile(t, path)), &job); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	if job.Spec.ConcurrencyPolicy != batchv1.ForbidConcurrent {
		t.Errorf("%s: concurrencyPolicy is %s", path, job.Spec.ConcurrencyPolicy)
	}
	pod := job.Spec.JobTemplate.Spec.Template.Spec
	c := pod.Containers[0]
	if !*pod.SecurityContext.RunAsNonRoot || !*c.SecurityContext.ReadOnlyRootFilesystem || *c.SecurityContext.AllowPrivilegeEscalation {
		t.Errorf("%s: the Pod may do too much", path)
	}
	return c.Args
}

// serviceArgs are those of ExecStart, with the drop-in for node_exporter.
func serviceArgs(t *testing.T) []string {
	t.Helper()
	_, more, _ := strings.Cut(directive(t, "deploy/systemd/node-exporter.conf", "Environment"), "PROXAUDIT_ARGS=")
	line := strings.ReplaceAll(directive(t, "deploy/systemd/proxaudit.service", "ExecStart"), "$PROXAUDIT_ARGS", strings.Trim(more, `"`))
	return strings.Fields(line)[1:]
}

// directive is the value of the one line of a unit that begins so.
func directive(t *testing.T, path, name string) string {
	t.Helper()
	for line := range strings.Lines(readFile(t, path)) {
		if value, ok := strings.CutPrefix(line, name+"="); ok {
			return strings.TrimSpace(value)
		}
	}
	t.Fatalf("%s has no %s", path, name)
	return ""
}

// cronArgs are those of the crontab's last line: five times, a user, a program.
func cronArgs(t *testing.T) []string {
	t.Helper()
	lines := strings.Split(strings.TrimSpace(readFile(t, "deploy/cron/proxaudit")), "\n")
	words := strings.Fields(lines[len(lines)-1])
	if len(words) < 8 || words[5] != "proxaudit" || words[6] != "/usr/local/bin/proxaudit" {
		t.Fatalf("the crontab's last line is %q", words)
	}
	return words[7:]
}

func readFile(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// TestUnits: systemd reads the units without a word, and finds little to object to in what the service may do.
func TestUnits(t *testing.T) {
	if _, err := exec.LookPath("systemd-analyze"); err != nil {
		t.Skip("there is no systemd-analyze here: the units are not looked at")
	}
	dir := t.TempDir()
	binary, err := exec.LookPath("proxaudit")
	if err != nil {
		t.Fatal(err)
	}
	service := strings.ReplaceAll(readFile(t, "deploy/systemd/proxaudit.service"), "/usr/local/bin/proxaudit", binary)
	for name, text := range map[string]string{"proxaudit.service": service, "proxaudit.timer": readFile(t, "deploy/systemd/proxaudit.timer")} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, args := range [][]string{
		{"verify", "--man=no", filepath.Join(dir, "proxaudit.service"), filepath.Join(dir, "proxaudit.timer")},
		{"calendar", directive(t, "deploy/systemd/proxaudit.timer", "OnCalendar")},
		{"security", "--offline=true", "--threshold=20", filepath.Join(dir, "proxaudit.service")},
	} {
		out, err := exec.CommandContext(t.Context(), "systemd-analyze", args...).CombinedOutput()
		if err != nil || args[0] == "verify" && bytes.Contains(out, []byte("proxaudit")) {
			t.Errorf("systemd-analyze %s: %v\n%s", strings.Join(args, " "), err, out)
		}
	}
}
