package pki_test

import (
	"crypto/sha256"
	"flag"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/proxaudit/proxaudit/adopt/pki"
	"github.com/proxaudit/proxaudit/adopt/pki/pkitest"
	"github.com/proxaudit/proxaudit/inventory/shell"
)

var update = flag.Bool("update", false, "write the golden files anew")

func commands(t *testing.T, o pki.CommandOptions) []pki.Command {
	t.Helper()
	all, err := pki.Commands(o)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func commandOptions() pki.CommandOptions {
	return pki.CommandOptions{Options: pki.Options{Cluster: "prod", Namespace: "prod", Owned: true, Bootstrap: []string{"cp-1"},
		ServingCAs: []string{strings.Repeat("ab", 32)}, Annotations: map[string]string{"proxaudit.io/rendered-by": "proxaudit"}},
		Access: []string{"--context=mgmt"}, Host: "10.0.0.11"}
}

func TestCommands(t *testing.T) {
	odd := commandOptions()
	odd.Access, odd.Host, odd.PKIDir = []string{"--context=it's; rm -rf /"}, "fd00::1", "/srv/my pki/"
	odd.Annotations = map[string]string{"a": "$(x)"}
	odd.ServingCAs = []string{"not hex; rm"}
	odd.Owned, odd.ExternalEtcd, odd.NoCAKey = true, true, true
	odd.EtcdCA, odd.EtcdClientCert, odd.EtcdClientKey = "/etc/etcd/a,b='c'.crt", "/srv/my pki/apiserver-etcd-client.crt", "/srv/keys/../etcd.key"
	for name, o := range map[string]pki.CommandOptions{"prod": commandOptions(), "odd": odd} {
		t.Run(name, func(t *testing.T) {
			var out strings.Builder
			for _, c := range commands(t, o) {
				if c.When == pki.Before && c.Makes != "" {
					t.Errorf("%s is made before anything was looked at", c.Makes)
				}
				if c.Why == "" {
					t.Errorf("%s says nothing of why", c.Line)
				}
				out.WriteString("# " + strings.TrimSpace(c.Makes+" "+c.Why) + "\n" + c.Line + "\n")
			}
			path := filepath.Join("testdata", "commands-"+name+".sh")
			if *update {
				if err := os.WriteFile(path, []byte(out.String()), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(path)
			if err != nil {
				t.Fatalf("%v (-update writes it)", err)
			}
			if out.String() != string(want) {
				t.Errorf("got\n%s\nwant\n%s", out.String(), want)
			}
		})
	}
}

// TestCommandsMakeTheSecrets: by hand come the same Secrets of the same types, with the same keys from the same files, as
// Secrets makes of the folder.
func TestCommandsMakeTheSecrets(t *testing.T) {
	create := regexp.MustCompile(`create secret generic (\S+) --type=(\S+)((?: --from-file=\S+)*) --dry-run=client`)
	from := regexp.MustCompile(`--from-file=([^=]+)=prod-pki/(?:pki/)?(\S+)`)
	whereKey := regexp.MustCompile(`\$\(test -e \S+ && echo (\S+)\)`)
	p := pkitest.New(t, "ecdsa")
	for name, c := range map[string]struct {
		drop []string
		tune func(*pki.CommandOptions)
	}{
		"owned":         {nil, func(o *pki.CommandOptions) { o.Owned = true }},
		"the user's":    {nil, func(o *pki.CommandOptions) { o.Owned = false }},
		"external CA":   {[]string{pki.FileCAKey}, func(o *pki.CommandOptions) { o.Owned, o.NoCAKey = false, true }},
		"external etcd": {[]string{pki.FileEtcdKey}, func(o *pki.CommandOptions) { o.ExternalEtcd = true }},
	} {
		t.Run(name, func(t *testing.T) {
			s := source(p)
			for _, f := range c.drop {
				delete(s.Files, f)
			}
			m := parse(t, s)
			o := pki.CommandOptions{Options: options(m)}
			c.tune(&o)
			set, err := m.Secrets(o.Options)
			if err != nil {
				t.Fatal(err)
			}
			files := maps.Clone(p.Files)
			files["admin.conf"] = p.Kubeconfig
			var want, got []string
			for _, secret := range set.Secrets {
				line := secret.Namespace + "/" + secret.Name + " " + secret.Type
				data := decoded(t, secret)
				for _, key := range secret.Keys {
					line += " " + key + "=" + which(files, data[key])
				}
				want = append(want, line)
			}
			for _, cmd := range commands(t, o) {
				if cmd.Makes == "" {
					continue
				}
				parts := create.FindStringSubmatch(whereKey.ReplaceAllString(cmd.Line, "$1"))
				if parts == nil {
					t.Fatalf("%s makes no Secret", cmd.Line)
				}
				line := "prod/" + parts[1] + " " + parts[2]
				for _, pair := range from.FindAllStringSubmatch(parts[3], -1) {
					line += " " + pair[1] + "=" + pair[2]
				}
				if cmd.Makes != "prod/"+parts[1] {
					t.Errorf("%s makes %s", cmd.Line, cmd.Makes)
				}
				got = append(got, line)
			}
			if !slices.Equal(got, want) {
				t.Errorf("by hand\n%s\nwritten\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
			}
		})
	}
}

// The authority that was copied is compared by a shell, and whatever is wrong with it does not pass.
func TestComparesTheAuthority(t *testing.T) {
	p := pkitest.New(t, "ecdsa")
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "prod-pki", "pki"), 0o700); err != nil {
		t.Fatal(err)
	}
	o := commandOptions()
	run := func() (string, error) {
		all := commands(t, o)
		i := slices.IndexFunc(all, func(c pki.Command) bool { return strings.Contains(c.Line, "openssl") })
		sh := exec.CommandContext(t.Context(), "bash", "-euo", "pipefail", "-c", all[i].Line)
		sh.Dir = dir
		out, err := sh.CombinedOutput()
		return string(out), err
	}
	if out, err := run(); err == nil || !strings.Contains(out, "WRONG AUTHORITY") {
		t.Errorf("no copy: %v: %s", err, out)
	}
	if err := os.WriteFile(filepath.Join(dir, "prod-pki", "pki", pki.FileCACert), p.Files[pki.FileCACert], 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := run(); err == nil || out != "WRONG AUTHORITY: stop\n" {
		t.Errorf("another's: %v: %s", err, out)
	}
	o.ServingCAs = []string{fmt.Sprintf("%x", sha256.Sum256(p.CA.Cert.Raw))}
	if out, err := run(); err != nil || out != pki.RightAuthority+"\n" || !o.Compares() {
		t.Errorf("the same: %v: %s", err, out)
	}
	o.ServingCAs = []string{"not hex"}
	if o.Compares() {
		t.Error("there is nothing to compare it with")
	}
}

// TestRenewKubeconfig: the Secret is looked at and made as it was made before, and the end of its certificate is found.
func TestRenewKubeconfig(t *testing.T) {
	o := commandOptions()
	all, err := pki.RenewKubeconfig(o)
	if err != nil {
		t.Fatal(err)
	}
	var first, lines []string
	for _, c := range commands(t, o) {
		first = append(first, c.Line)
	}
	for _, c := range all {
		lines = append(lines, c.Line)
		if c.Makes != "" && (c.Makes != "prod/prod-kubeconfig" || !slices.Contains(first, c.Line)) {
			t.Errorf("%+v is not the command of before", c)
		}
	}
	if got := strings.Join(lines, "\n"); !strings.Contains(got, "ssh root@10.0.0.11 kubeadm certs renew admin.conf") || !strings.Contains(got, "--context=mgmt -n prod create secret generic prod-kubeconfig") {
		t.Error(got)
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "conf"), pkitest.New(t, "ecdsa").Kubeconfig, 0o600); err != nil {
		t.Fatal(err)
	}
	sh := exec.CommandContext(t.Context(), "bash", "-c", "kubectl() { base64 -w0 conf; }; "+lines[0])
	sh.Dir = dir
	if out, err := sh.CombinedOutput(); err != nil || !strings.HasPrefix(string(out), "notAfter=") {
		t.Errorf("%v: %s", err, out)
	}
	o.Cluster = "a b"
	if _, err := pki.RenewKubeconfig(o); err == nil {
		t.Error("a name that no API server takes")
	}
}

func TestCommandsRefuseNames(t *testing.T) {
	o := commandOptions()
	o.Cluster = "a b"
	if _, err := pki.Commands(o); err == nil || !strings.Contains(err.Error(), `"a b"`) {
		t.Errorf("error = %v", err)
	}
}

// TestQuoteThroughShell: what a shell makes of a quoted word is the word.
func TestQuoteThroughShell(t *testing.T) {
	for _, word := range []string{"", "a", "it's", "$(touch x)", "`x`", "a b", "\\", "\"", "a\nb", "~", "*", "!", "#x", "a;b", "^x", "-n", "{a,b}", "x=y", "''"} {
		out, err := exec.CommandContext(t.Context(), "sh", "-c", "printf '[%s]' "+shell.Quote(word)).Output()
		if err != nil {
			t.Fatalf("%q: %v", word, err)
		}
		if string(out) != "["+word+"]" {
			t.Errorf("shell.Quote(%q) = %s, which a shell reads as %s", word, shell.Quote(word), out)
		}
	}
}

func FuzzQuote(f *testing.F) {
	for _, w := range []string{"", "a", "it's", "$x", "a b", "\x00"} {
		f.Add(w)
	}
	f.Fuzz(func(t *testing.T, w string) {
		q := shell.Quote(w)
		if q == w {
			if w == "" || strings.ContainsAny(w, " \t\n'\"\\$`&|;<>()*?[]#~!{}^") {
				t.Errorf("%q is not quoted", w)
			}
			return
		}
		if got := strings.ReplaceAll(strings.TrimSuffix(strings.TrimPrefix(q, "'"), "'"), `'\''`, "'"); got != w {
			t.Errorf("%q became %q", w, got)
		}
	})
}
