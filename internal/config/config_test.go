package config

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

const secret = "5d1c7b2e-3f44-4c1a-9e55-0c9d8e7f6a5b"

// env is an environment for a test.
func env(pairs ...string) Getenv {
	m := map[string]string{}
	for i := 0; i+1 < len(pairs); i += 2 {
		m[pairs[i]] = pairs[i+1]
	}
	return func(name string) (string, bool) {
		v, ok := m[name]
		return v, ok
	}
}

func write(t *testing.T, dir, name, content string, mode os.FileMode) string {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), mode); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, mode); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestExample: the commented example is a valid configuration, and means what its comments say.
func TestExample(t *testing.T) {
	example, err := os.ReadFile(filepath.Join("testdata", "example.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	path := write(t, dir, "proxaudit.yaml", string(example), 0o644)
	write(t, dir, "lab.token", secret+"\n", 0o600)
	c, err := Load(path, ForCollection, env("EDGE_TOKEN_SECRET", secret))
	if err != nil {
		t.Fatal(err)
	}
	if len(c.Sites) != 2 || c.Sites[0].Name != "lab" || c.Sites[0].Secret.Reveal() != secret || c.Sites[1].Secret.Reveal() != secret {
		t.Errorf("sites are %+v", c.Sites)
	}
	if c.Sites[0].SecretFile != filepath.Join(dir, "lab.token") || c.Management.Kubeconfig != filepath.Join(dir, "kubeconfigs/mgmt.yaml") {
		t.Errorf("paths are not relative to the file: %s, %s", c.Sites[0].SecretFile, c.Management.Kubeconfig)
	}
	if c.Sites[0].Concurrency.PerNode != 3 || c.Sites[0].Concurrency.Total != 24 || c.Sites[0].Regions[0] != "lab-1" {
		t.Errorf("site lab is %+v", c.Sites[0])
	}
	if c.Grace() != 30*time.Minute || c.Timeout() != 35*time.Second || c.Thresholds.FailOn != "warning" {
		t.Errorf("grace %s, timeout %s, fail on %q", c.Grace(), c.Timeout(), c.Thresholds.FailOn)
	}
	prod, staging := c.Clusters[0], c.Clusters[1]
	if prod.Name != "prod" || !prod.HasAccess() || prod.Selector.Names != "prod-(cp|w)-[0-9a-z-]+" || prod.Selector.IsZero() {
		t.Errorf("cluster prod is %+v", prod)
	}
	if a := prod.Adopt; a.Name != "production" || a.Namespace != "team-a" || a.Template != 9000 || len(a.Addresses) != 1 || a.CAPMOXTokenID != "capmox@pve!capi" {
		t.Errorf("prod would be adopted as %+v", a)
	}
	if staging.Name != "staging" || !staging.ReadSecret || len(staging.Selector.VMIDs) != 2 || len(staging.Selector.Subnets) != 2 {
		t.Errorf("cluster staging is %+v", staging)
	}
	if len(c.Warnings) != 0 {
		t.Errorf("warnings about a file without a secret in it: %q", c.Warnings)
	}
}

// TestEveryKeyIsInTheExample: the example is the reference, so it has to have them all.
func TestEveryKeyIsInTheExample(t *testing.T) {
	example, err := os.ReadFile(filepath.Join("testdata", "example.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"sites", "name", "url", "tokenID", "secret", "secretFile", "secretEnv", "caFile", "fingerprint",
		"insecure", "regions", "concurrency", "perNode", "total", "management", "none", "kubeconfig", "context", "namespaces",
		"clusters", "readSecret", "site", "selector", "tags", "names", "pools", "vmids", "subnets", "gracePeriod",
		"thresholds", "failOn", "requestTimeout", "readSecrets", "guestAgent",
		"adopt", "namespace", "template", "addresses", "prefix", "gateway", "dnsServers", "credentialsSecret", "controllerCredentials", "capmoxTokenID"} {
		if !strings.Contains(string(example), key+":") {
			t.Errorf("%s is not in the example", key)
		}
	}
}

func TestLookup(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	named := write(t, dir, "named.yaml", "gracePeriod: 1m\n", 0o600)
	viaEnv := write(t, dir, "env.yaml", "gracePeriod: 2m\n", 0o600)
	xdg := filepath.Join(dir, "xdg")
	write(t, dir, "xdg/proxaudit/proxaudit.yaml", "gracePeriod: 4m\n", 0o600)
	home := filepath.Join(dir, "home")
	write(t, dir, "home/.config/proxaudit/proxaudit.yaml", "gracePeriod: 5m\n", 0o600)

	load := func(explicit string, use Use, e Getenv) time.Duration {
		t.Helper()
		c, err := Load(explicit, use, e)
		if err != nil {
			t.Fatal(err)
		}
		return c.Grace()
	}
	if got := load("", ForCollection, env()); got != 0 {
		t.Errorf("nothing anywhere gives %s", got)
	}
	if got := load("", ForCollection, env("HOME", home)); got != 5*time.Minute {
		t.Errorf("~/.config: %s", got)
	}
	if got := load("", ForCollection, env("HOME", home, "XDG_CONFIG_HOME", xdg)); got != 4*time.Minute {
		t.Errorf("XDG_CONFIG_HOME: %s", got)
	}
	write(t, dir, "proxaudit.yaml", "gracePeriod: 3m\n", 0o600)
	if got := load("", ForCollection, env("XDG_CONFIG_HOME", xdg)); got != 3*time.Minute {
		t.Errorf("./proxaudit.yaml: %s", got)
	}
	if got := load("", ForCollection, env(EnvPath, viaEnv, "XDG_CONFIG_HOME", xdg)); got != 2*time.Minute {
		t.Errorf("$PROXAUDIT_CONFIG: %s", got)
	}
	if got := load(named, ForCollection, env(EnvPath, viaEnv)); got != time.Minute {
		t.Errorf("--config: %s", got)
	}
	// What a snapshot file says does not depend on the folder in which it is read.
	if got := load("", ForAnalysis, env("XDG_CONFIG_HOME", xdg)); got != 0 {
		t.Errorf("analysis takes a file that nobody named: %s", got)
	}
	if got := load("", ForAnalysis, env(EnvPath, viaEnv)); got != 2*time.Minute {
		t.Errorf("analysis with $PROXAUDIT_CONFIG: %s", got)
	}
	for _, missing := range []string{filepath.Join(dir, "nowhere.yaml"), dir} {
		if _, err := Load(missing, ForCollection, env()); err == nil || !strings.Contains(err.Error(), missing) {
			t.Errorf("%s was named and is no file: %v", missing, err)
		}
	}
}

func TestTooLarge(t *testing.T) {
	path := write(t, t.TempDir(), "big.yaml", strings.Repeat("#", maxSize+1), 0o600)
	if _, err := Load(path, ForCollection, env()); err == nil || !strings.Contains(err.Error(), "MiB") {
		t.Errorf("a file of %d bytes: %v", maxSize+1, err)
	}
}

func TestReadableSecretIsWarnedAbout(t *testing.T) {
	doc := "sites:\n- {name: lab, url: 'https://pve:8006', tokenID: 'a@pve!tt', secret: " + secret + "}\n"
	for mode, want := range map[os.FileMode]int{0o600: 0, 0o640: 1, 0o604: 1} {
		path := write(t, t.TempDir(), "proxaudit.yaml", doc, mode)
		c, err := Load(path, ForCollection, env())
		if err != nil {
			t.Fatal(err)
		}
		if len(c.Warnings) != want {
			t.Errorf("mode %04o: warnings %q", mode, c.Warnings)
		}
		if strings.Contains(strings.Join(c.Warnings, ""), secret) {
			t.Error("the warning has the secret")
		}
	}
}

// TestReadableSecretFileIsWarnedAbout: each file once, and a pipe has no mode that anybody could mend.
func TestReadableSecretFileIsWarnedAbout(t *testing.T) {
	for mode, want := range map[os.FileMode]int{0o600: 0, 0o400: 0, 0o640: 1, 0o604: 1, 0o620: 1} {
		dir := t.TempDir()
		token := write(t, dir, "lab.token", secret+"\n", mode)
		site := func(name string) string {
			return "- {name: " + name + ", url: 'https://" + name + ":8006', tokenID: 'a@pve!tt', secretFile: lab.token}\n"
		}
		c, err := Load(write(t, dir, "proxaudit.yaml", "sites:\n"+site("a")+site("b"), 0o644), ForCollection, env())
		if err != nil {
			t.Fatal(err)
		}
		if len(c.Warnings) != want {
			t.Errorf("mode %04o: warnings %q, want %d", mode, c.Warnings, want)
		}
		if said := strings.Join(c.Warnings, ""); strings.Contains(said, secret) || want > 0 && !strings.Contains(said, "chmod 600 "+token) {
			t.Errorf("the warning is %q", said)
		}
	}
}

// TestAnalysisNeedsNoSecrets: selectors and thresholds count where the token files are not.
func TestAnalysisNeedsNoSecrets(t *testing.T) {
	doc := "sites:\n- {name: lab, url: 'https://pve:8006', tokenID: 'a@pve!tt', secretFile: /nowhere/token, caFile: /nowhere/ca}\n"
	if _, err := Parse("f.yaml", []byte(doc), ForAnalysis, env()); err != nil {
		t.Errorf("for analysis: %v", err)
	}
	_, err := Parse("f.yaml", []byte(doc), ForCollection, env())
	if err == nil || !strings.Contains(err.Error(), "f.yaml:2: sites[0].secretFile: cannot read the secret: /nowhere/token") ||
		!strings.Contains(err.Error(), "sites[0].caFile: /nowhere/ca") {
		t.Errorf("for collection: %v", err)
	}
}

func TestProblemsCanBeTakenApart(t *testing.T) {
	_, err := Parse("f.yaml", []byte("grace: 1m\n"), ForCollection, env())
	var p *Problem
	if !errors.As(err, &p) || p.File != "f.yaml" || p.Line != 1 {
		t.Errorf("%v is %+v", err, p)
	}
}
