package adopt_test

import (
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/proxaudit/proxaudit/adopt"
	"github.com/proxaudit/proxaudit/inventory/inventorytest"
)

// What the Secrets are made from stays until it was seen to fit: Proxmox shows the secret of a token once.
func TestCopiesStayUntilTheyFit(t *testing.T) {
	for _, dir := range []string{"", "/srv/my secrets"} {
		o := options()
		o.SecretsDir = dir
		p := plan(t, inventorytest.ScriptBuilt("prod", 3, 3), o)
		keys := "rm -rf -- prod-pki"
		if dir != "" {
			keys = "rm -rf -- '/srv/my secrets'"
		}
		for _, s := range p.Steps {
			want := map[adopt.StepID]string{adopt.StepApplyOwners: keys, adopt.StepUnpauseCluster: "rm -f -- prod-pve.env"}[s.ID]
			if got := strings.Join(s.After, "\n"); (want == "") != (got == "") || !strings.HasSuffix(got, want) {
				t.Errorf("after %s: %q, want %q", s.ID, got, want)
			}
		}
		secrets := stepOf(t, p, adopt.StepSecrets)
		for _, lines := range [][]string{p.CleanUp(), secrets.Abort} {
			if all := strings.Join(lines, "\n"); !strings.Contains(all, keys) || !strings.Contains(all, "rm -f -- prod-pve.env") {
				t.Errorf("something stays behind: %s", all)
			}
		}
	}
}

// A copy that failed is no wrong authority, and an address of the loopback interface is warned of and taken.
func TestSecretsAreLookedAt(t *testing.T) {
	s := stepOf(t, plan(t, inventorytest.ScriptBuilt("prod", 1, 1), options()), adopt.StepSecrets)
	if !strings.Contains(s.StopIf, "last line") || len(s.ByHand) != 2 || !strings.Contains(s.ByHand[0], "prod-pve.env") || !strings.Contains(s.ByHand[0], "Pods of the management cluster") || !strings.Contains(s.ByHand[1], "prod-pki/admin.conf") {
		t.Errorf("%q %q", s.StopIf, s.ByHand)
	}
	dir := t.TempDir()
	run := func(line string) (string, error) {
		sh := exec.CommandContext(t.Context(), "bash", "-euo", "pipefail", "-c", "scp() { false; }; "+line)
		sh.Dir = dir
		out, err := sh.CombinedOutput()
		return string(out), err
	}
	chain := strings.Join(slices.DeleteFunc(slices.Clone(s.Before), func(l string) bool { return strings.HasPrefix(l, "#") }), " && ")
	if out, err := run(chain); err == nil || strings.Contains(out, "AUTHORITY") || strings.Contains(out, "the right authority") {
		t.Errorf("the copy fails: %v: %s", err, out)
	}
	warn := s.Commands[slices.IndexFunc(s.Commands, func(l string) bool { return strings.Contains(l, "WARNING") })]
	for url, want := range map[string]bool{"https://127.0.0.1:38009": true, "https://localhost:8006": true, "https://[::1]:8006": true, "https://10.0.0.127:8006": false, "https://127x.example:8006": false, "https://localhost.example": false, "https://localhost": true} {
		out, err := run("echo url=" + url + " > prod-pve.env; " + warn)
		if err != nil || strings.Contains(out, "WARNING") != want {
			t.Errorf("%s: %v: %q", url, err, out)
		}
	}
}

// Whom proxaudit runs as is not known: the Role is no part of what everybody does.
func TestSecretsRoleIsOptional(t *testing.T) {
	p := plan(t, inventorytest.ScriptBuilt("prod", 1, 1), options())
	s := stepOf(t, p, adopt.StepSecrets)
	if len(s.Also) != 1 || !strings.HasSuffix(s.Also[0], " apply -f "+adopt.SecretsRoleFile) || s.AlsoIf == "" || strings.Contains(strings.Join(s.Commands, "\n"), adopt.SecretsRoleFile) {
		t.Errorf("%q %q", s.AlsoIf, s.Also)
	}
	role, err := p.SecretsRole()
	if err != nil {
		t.Fatal(err)
	}
	const name = "proxaudit-secrets-of-prod"
	if !strings.Contains(string(role), "name: "+name+"\n") || !strings.Contains(p.SecretsRoleCommands("delete"), adopt.SecretsRoleFile) {
		t.Errorf("%s", role)
	}
	// Who gives up may have no right to touch it.
	if slices.ContainsFunc(p.GivingUp(), func(l string) bool { return strings.Contains(l, "rolebindings") }) {
		t.Errorf("giving up may fail for what is optional: %q", p.GivingUp())
	}
	if len(s.Instead) != 1 || !strings.HasSuffix(s.Instead[0], "delete namespace prod") || !strings.HasSuffix(p.DeleteNamespace(), "delete namespace prod") {
		t.Errorf("%q %q", s.Instead, p.DeleteNamespace())
	}
	o := options()
	o.Namespace = "default"
	p = plan(t, inventorytest.ScriptBuilt("prod", 1, 1), o)
	if s := stepOf(t, p, adopt.StepSecrets); len(s.Instead) > 0 || p.DeleteNamespace() != "" {
		t.Error("it says to delete the namespace default")
	}
}

// A Secret that somebody named may be other clusters' too: it is looked at, and stays as it is.
func TestNamedCredentialsAreLookedAt(t *testing.T) {
	o := options()
	o.Future.CredentialsSecret = "shared"
	p := plan(t, inventorytest.ScriptBuilt("prod", 1, 1), o)
	s := stepOf(t, p, adopt.StepSecrets)
	all := strings.Join(slices.Concat(s.Before, s.ByHand, s.Commands), "\n")
	if p.MakesCredentials() || strings.Contains(all, "shared.env") || strings.Contains(all, "generic shared") || !strings.Contains(all, "get secret shared -o") {
		t.Error(all)
	}
	// Its own it makes.
	p = plan(t, inventorytest.ScriptBuilt("prod", 1, 1), options())
	if all := strings.Join(stepOf(t, p, adopt.StepSecrets).Commands, "\n"); !p.MakesCredentials() || !strings.Contains(all, "generic prod-pve") {
		t.Error(all)
	}
	o = options()
	o.Future.ControllerCredentials = true
	if plan(t, inventorytest.ScriptBuilt("prod", 1, 1), o).MakesCredentials() {
		t.Error("CAPMOX has its own")
	}
}
