package adopt_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/proxaudit/proxaudit/adopt"
	"github.com/proxaudit/proxaudit/inventory"
	"github.com/proxaudit/proxaudit/inventory/inventorytest"
)

func stepOf(t *testing.T, p *adopt.Plan, id adopt.StepID) adopt.Step {
	t.Helper()
	i := slices.IndexFunc(p.Steps, func(s adopt.Step) bool { return s.ID == id })
	if i < 0 {
		t.Fatalf("there is no step %s", id)
	}
	return p.Steps[i]
}

// The worker that goes first is one of many, and one without taints: not the only machine for storage because its name comes
// first.
func TestFirstWorker(t *testing.T) {
	s := inventorytest.ScriptBuilt("prod", 1, 4)
	taint := func(names ...string) {
		for i := range s.Nodes {
			if slices.Contains(names, s.Nodes[i].Name) {
				s.Nodes[i].Taints = []inventory.Taint{{Key: "storage", Value: "yes", Effect: "NoSchedule"}}
			}
		}
	}
	first := func() string {
		return strings.Join(stepOf(t, plan(t, s, options()), adopt.StepUnpauseFirst).Commands, "\n")
	}
	for _, c := range []struct{ tainted, want string }{{"w-1", " w-2 "}, {"w-3", " w-2 "}, {"w-2", " w-4 "}} {
		taint(c.tainted)
		if got := first(); !strings.Contains(got, c.want) {
			t.Errorf("with %s tainted as well: %s, want%s", c.tainted, got, c.want)
		}
	}
}

// Giving up leaves no Secret behind, whose keys are private, and no finalizer that nobody takes off.
func TestGivingUpTakesTheSecrets(t *testing.T) {
	p := plan(t, inventorytest.ScriptBuilt("prod", 1, 1), options())
	lines := p.GivingUp()
	for _, name := range []string{"prod-ca", "prod-etcd", "prod-proxy", "prod-sa", "prod-kubeconfig", "prod-pve", "cp-1", "w-1"} {
		n := 0
		for _, l := range lines {
			if strings.Contains(l, " secret ") && strings.Contains(l+" ", " "+name+" ") {
				n++
			}
		}
		if n != 2 {
			t.Errorf("%s is in %d lines, want the one that deletes and the one that takes the finalizer off", name, n)
		}
	}
	files, err := p.Files()
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(files, func(f adopt.File) bool { return f.Name == adopt.GivingUpFile })
	for _, l := range lines {
		if !strings.Contains(string(files[i].Data), "\n"+l+"\n") {
			t.Errorf("%s lacks %q", adopt.GivingUpFile, l)
		}
	}
	sh := exec.CommandContext(t.Context(), "sh", "-n")
	sh.Stdin = strings.NewReader(string(files[i].Data))
	if out, err := sh.CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, out)
	}
}

// The credentials of CAPMOX are made of a file that is filled in, and of no other.
func TestCredentials(t *testing.T) {
	s := stepOf(t, plan(t, inventorytest.ScriptBuilt("prod", 1, 1), options()), adopt.StepSecrets)
	line := func(lines []string, part string) string {
		return lines[slices.IndexFunc(lines, func(l string) bool { return strings.Contains(l, part) && !strings.HasPrefix(l, "#") })]
	}
	dir, file := t.TempDir(), "prod-pve.env"
	run := func(command string) (string, error) {
		sh := exec.CommandContext(t.Context(), "sh", "-c", "kubectl() { echo KUBECTL; cat; }; "+command)
		sh.Dir, sh.Stdin = dir, strings.NewReader("")
		out, err := sh.CombinedOutput()
		return string(out), err
	}
	prepare, create := line(s.Before, file), line(s.Commands, file)
	if out, err := run(prepare); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	st, err := os.Stat(filepath.Join(dir, file))
	if err != nil || st.Mode().Perm() != 0o600 {
		t.Fatalf("%v %v", st, err)
	}
	if out, err := run(create); err == nil || !strings.Contains(out, "NOT MADE") || strings.Contains(out, "KUBECTL") {
		t.Errorf("an empty one: %v: %s", err, out)
	}
	filled := []byte("url=https://x\ntoken=a@pve!b\nsecret=c\n")
	if err := os.WriteFile(filepath.Join(dir, file), filled, 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := run(create); err != nil || !strings.Contains(out, "KUBECTL") {
		t.Errorf("%v: %s", err, out)
	}
	if out, err := run(prepare); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if got, err := os.ReadFile(filepath.Join(dir, file)); err != nil || string(got) != string(filled) {
		t.Errorf("repeated, it overwrites what was filled in: %v %s", err, got)
	}
}

// Each step that lets controllers act says how to stop them, and how to go on afterwards.
func TestGoingBackAndOn(t *testing.T) {
	for _, s := range plan(t, inventorytest.ScriptBuilt("prod", 3, 3), options()).Steps {
		switch {
		case s.ID == adopt.StepFinish:
			all := strings.Join(s.Abort, "\n")
			for _, want := range []string{adopt.HookPreDrain + "=", adopt.HookPreTerminate + "=", "skip-remediation=", adopt.BlockMove + "="} {
				if !strings.Contains(all, want) {
					t.Errorf("the brakes come back without %s: %s", want, all)
				}
			}
		case strings.HasPrefix(string(s.ID), "unpause-"):
			if !strings.Contains(s.Abort[0], `"paused":true`) || !strings.Contains(s.Resume[len(s.Resume)-1], `"paused":false`) {
				t.Errorf("%s: %q, %q", s.ID, s.Abort, s.Resume)
			}
		}
	}
}

// A credentials Secret that the options name may be others' too: nothing deletes it.
func TestNamedCredentialsStay(t *testing.T) {
	o := options()
	o.Future.CredentialsSecret = "shared"
	p := plan(t, inventorytest.ScriptBuilt("prod", 1, 1), o)
	if !slices.ContainsFunc(p.Secrets, func(s adopt.SecretNeed) bool { return s.Name == "shared" }) {
		t.Fatal("the plan does not need it")
	}
	for _, l := range slices.Concat(p.GivingUp(), stepOf(t, p, adopt.StepSecrets).Abort) {
		if strings.Contains(l+" ", " shared ") {
			t.Errorf("%s", l)
		}
	}
}
