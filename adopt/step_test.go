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

// Before a controller may touch etcd's members there is a snapshot; the watch runs from before the first controller acts; MachineSets
// are waited for by their number.
func TestStepsKeepAndWatch(t *testing.T) {
	s := inventorytest.ScriptBuilt("prod", 3, 3)
	p := plan(t, s, options())
	before := stepOf(t, p, adopt.StepUnpauseControlPlane).Before
	// In one line: a test that has no etcd passes over what names etcdctl.
	if !strings.Contains(before[1], "etcdctl") || !strings.Contains(before[1], " snapshot save /var/lib/etcd/prod-before-adoption.db && (umask 077 && scp root@10.0.0.11:/var/lib/etcd/prod-before-adoption.db ") ||
		!strings.HasSuffix(before[3], " member list") {
		t.Errorf("%q", before)
	}
	if got := stepOf(t, p, adopt.StepUnpauseCluster).Beside; len(got) != 1 || !strings.HasPrefix(got[0], "proxaudit verify --cluster prod --read-secrets") || !strings.HasSuffix(got[0], " --watch") {
		t.Errorf("%q", got)
	}
	n := 0
	for _, l := range stepOf(t, p, adopt.StepUnpauseWorkers).Commands {
		if strings.Contains(l, " wait ") {
			n++
			if !strings.Contains(l, ".status.readyReplicas}=") {
				t.Errorf("any number of replicas will do for %s", l)
			}
		}
	}
	if n != len(p.Groups) {
		t.Errorf("%d waits for %d MachineSets", n, len(p.Groups))
	}
	for i := range s.Nodes {
		s.Nodes[i].InternalIPs = []string{"$(reboot)", "fd00::1"}
	}
	if before := stepOf(t, plan(t, s, options()), adopt.StepUnpauseControlPlane).Before[1]; !strings.Contains(before, "scp 'root@[fd00::1]:/var/lib/") || !strings.Contains(before, " ssh root@fd00::1 ") || strings.Contains(before, "reboot") {
		t.Errorf("%q", before)
	}
}

// MayWrite is quiet where everything may be done, and names what may not.
func TestMayWrite(t *testing.T) {
	p := plan(t, inventorytest.ScriptBuilt("prod", 1, 1), options())
	all := strings.Join(p.MayWrite(), "\n")
	for said, answer := range map[string]string{
		"that was all\n": "true",
		"NO: delete proxmoxmachines.infrastructure.cluster.x-k8s.io\nthat was all\n": `! [[ "$*" = *" delete proxmoxmachines."* ]]`,
		"NO: create pods/exec\nthat was all\n":                                       `! [[ "$*" = *pods/exec* ]]`,
	} {
		out, err := exec.CommandContext(t.Context(), "bash", "-c", "kubectl() { "+answer+"; }; "+all).CombinedOutput()
		if err != nil || string(out) != said {
			t.Errorf("%s: %v: %q, want %q", answer, err, out, said)
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
