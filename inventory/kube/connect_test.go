package kube

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/proxaudit/proxaudit/inventory"
)

// kubeconfigFor writes a kubeconfig with the contexts "sim" (current) and "other" for a server.
func kubeconfigFor(t *testing.T, server string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "config")
	write(t, path, fmt.Sprintf(`
apiVersion: v1
kind: Config
current-context: sim
clusters: [{name: c, cluster: {server: %q}}]
users: [{name: u, user: {token: canary-token}}]
contexts: [{name: sim, context: {cluster: c, user: u}}, {name: other, context: {cluster: c, user: u}}]
`, server))
	return path
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func notInCluster() (*rest.Config, error) { return nil, rest.ErrNotInCluster }

func TestConnect(t *testing.T) {
	good := kubeconfigFor(t, "https://user:secret@127.0.0.1:6443/prefix")
	dir := t.TempDir()
	noCurrent := filepath.Join(dir, "nocurrent")
	write(t, noCurrent, "apiVersion: v1\nkind: Config\nclusters: [{name: c, cluster: {server: 'https://x'}}]\ncontexts: [{name: one, context: {cluster: c}}]\n")
	empty := filepath.Join(dir, "empty")
	write(t, empty, "apiVersion: v1\nkind: Config\n")
	broken := filepath.Join(dir, "broken")
	write(t, broken, "a: [")
	dangling := filepath.Join(dir, "dangling")
	write(t, dangling, "apiVersion: v1\nkind: Config\ncurrent-context: x\ncontexts: [{name: x, context: {cluster: nope, user: u}}]\n")
	home := filepath.Join(dir, "home")
	badServer := kubeconfigFor(t, "https://u:canary@h:port")
	badCA := filepath.Join(dir, "badca")
	write(t, badCA, "apiVersion: v1\nkind: Config\ncurrent-context: x\nclusters: [{name: c, cluster: {server: 'https://x', certificate-authority: /does/not/exist}}]\ncontexts: [{name: x, context: {cluster: c}}]\n")

	for name, c := range map[string]struct {
		target    Target
		env       string
		inCluster func() (*rest.Config, error)
		access    string
		err       []string
	}{
		"file":    {target: Target{Kubeconfig: good}, access: "kubeconfig sim"},
		"context": {target: Target{Kubeconfig: good, Context: "other"}, access: "kubeconfig other"},
		"KUBECONFIG of nothing": {env: filepath.Join(dir, "missing") + ":" + filepath.Join(dir, "gone"),
			err: []string{"KUBECONFIG is set, and none of the files", filepath.Join(dir, "missing") + ", " + filepath.Join(dir, "gone")}},
		"KUBECONFIG of nothing in a Pod": {env: filepath.Join(dir, "missing"), inCluster: podConfig, err: []string{"KUBECONFIG is set"}},
		"KUBECONFIG of nothing, and a context": {env: filepath.Join(dir, "missing"), target: Target{Context: "sim"},
			err: []string{"KUBECONFIG is set"}},
		"KUBECONFIG of nothing, and a file":    {env: filepath.Join(dir, "missing"), target: Target{Kubeconfig: good}, access: "kubeconfig sim"},
		"KUBECONFIG without contexts":          {env: empty, err: []string{empty + " (from KUBECONFIG)", "does not run in a Pod"}},
		"KUBECONFIG without contexts in a Pod": {env: empty, inCluster: podConfig, access: "in-cluster"},
		"no such context of KUBECONFIG":        {env: good, target: Target{Context: "nope"}, err: []string{`no context "nope"`, `"other", "sim"`}},
		"no such file beside KUBECONFIG": {env: good, target: Target{Kubeconfig: filepath.Join(dir, "missing")},
			err: []string{"missing cannot be read: no such file or directory (" + good + " (from KUBECONFIG) has the contexts \"other\", \"sim\")"}},
		"KUBECONFIG list":      {env: filepath.Join(dir, "missing") + ":" + good, access: "kubeconfig sim"},
		"no such context":      {target: Target{Kubeconfig: good, Context: "nope"}, err: []string{good, `no context "nope"`, `"other", "sim"`}},
		"no such file":         {target: Target{Kubeconfig: filepath.Join(dir, "missing")}, err: []string{"missing", "cannot be read"}},
		"no current context":   {target: Target{Kubeconfig: noCurrent}, err: []string{"--context", `"one"`}},
		"empty file":           {target: Target{Kubeconfig: empty}, err: []string{"no current context", "no contexts at all"}},
		"broken file":          {target: Target{Kubeconfig: broken}, err: []string{broken}},
		"dangling context":     {target: Target{Kubeconfig: dangling}, err: []string{`context "x"`, "cannot be used"}},
		"bad server":           {target: Target{Kubeconfig: badServer}, err: []string{"sim", "cannot be used"}},
		"missing CA file":      {target: Target{Kubeconfig: badCA}, err: []string{"/does/not/exist"}},
		"nothing":              {err: []string{"no kubeconfig at " + home, "does not run in a Pod"}},
		"nothing with context": {target: Target{Context: "x"}, inCluster: podConfig, err: []string{"no kubeconfig"}},
		"in a Pod":             {inCluster: podConfig, access: "in-cluster"},
		"in a broken Pod": {err: []string{"service account", "no token"},
			inCluster: func() (*rest.Config, error) { return nil, errors.New("no token") }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("KUBECONFIG", c.env)
			noHomeKubeconfig(t, home)
			inCluster := c.inCluster
			if inCluster == nil {
				inCluster = notInCluster
			}
			cl, err := connect(c.target, inCluster)
			if len(c.err) > 0 {
				if err == nil {
					t.Fatal("no error")
				}
				for _, want := range c.err {
					if !strings.Contains(err.Error(), want) {
						t.Errorf("error %q lacks %q", err, want)
					}
				}
				if strings.Contains(err.Error(), "canary") {
					t.Errorf("the error shows a secret: %s", err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if cl.Access() != c.access || !strings.HasSuffix(c.access, cl.Context()) {
				t.Errorf("access %q, context %q", cl.Access(), cl.Context())
			}
			if strings.Contains(cl.Server(), "secret") || !strings.HasPrefix(cl.Server(), "https://") {
				t.Errorf("server = %s", cl.Server())
			}
		})
	}
}

func podConfig() (*rest.Config, error) { return &rest.Config{Host: "https://10.96.0.1:443"}, nil }

// noHomeKubeconfig takes the place of ~/.kube/config, which client-go finds once and for all.
func noHomeKubeconfig(t *testing.T, path string) {
	t.Helper()
	before := clientcmd.RecommendedHomeFile
	clientcmd.RecommendedHomeFile = path
	t.Cleanup(func() { clientcmd.RecommendedHomeFile = before })
}

func TestContextListIsBounded(t *testing.T) {
	var b strings.Builder
	b.WriteString("apiVersion: v1\nkind: Config\ncontexts:\n")
	for i := range 50 {
		fmt.Fprintf(&b, "- {name: ctx-%02d, context: {cluster: c}}\n", i)
	}
	path := filepath.Join(t.TempDir(), "many")
	write(t, path, b.String())
	_, err := Connect(Target{Kubeconfig: path, Context: "nope"})
	if err == nil || !strings.Contains(err.Error(), "and 30 more") {
		t.Errorf("%v", err)
	}
}

func TestUntrustedKubeconfig(t *testing.T) {
	const frame = "apiVersion: v1\nkind: Config\ncurrent-context: x\nclusters: [{name: c, cluster: {server: 'https://h:1', %s}}]\nusers: [{name: u, user: {%s}}]\ncontexts: [{name: x, context: {cluster: c, user: u}}]\n"
	for name, c := range map[string]struct{ cluster, user, err string }{
		"token":            {user: "token: t"},
		"exec":             {user: "exec: {command: sh, apiVersion: client.authentication.k8s.io/v1, interactiveMode: Never}", err: "runs a program"},
		"auth-provider":    {user: "auth-provider: {name: gcp}", err: "auth-provider"},
		"token file":       {user: "tokenFile: /etc/passwd", err: "names a file"},
		"certificate file": {user: "client-certificate: /etc/ssl/x", err: "names a file"},
		"key file":         {user: "client-key: /home/somebody/.ssh/id_rsa", err: "names a file"},
		"CA file":          {cluster: "certificate-authority: /etc/ssl/x", err: "names a file"},
		"proxy":            {cluster: "proxy-url: 'http://u:canary@p'", err: "through a proxy"},
		"insecure":         {cluster: "insecure-skip-tls-verify: true", err: "skips the verification"},
	} {
		t.Run(name, func(t *testing.T) {
			text := fmt.Sprintf(frame, c.cluster, c.user)
			cl, err := Connect(Target{Data: inventory.NewSecret(text), Origin: "secret ns/prod-kubeconfig"})
			if c.err == "" {
				if err != nil || cl.Access() != "secret ns/prod-kubeconfig" || cl.Context() != "x" {
					t.Errorf("%v", err)
				}
				return
			}
			if err == nil || !strings.Contains(err.Error(), c.err) || !strings.Contains(err.Error(), "secret ns/prod-kubeconfig is refused") {
				t.Errorf("error = %v", err)
			}
		})
	}
	for server, want := range map[string]string{"http://h:1": "without https", "h:1": "without https", "": "without https", "https://u:canary@h:1": "with user information"} {
		text := strings.Replace(fmt.Sprintf(frame, "", ""), "https://h:1", server, 1)
		if _, err := Connect(Target{Data: inventory.NewSecret(text)}); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "canary") {
			t.Errorf("%s: %v", server, err)
		}
	}
	for name, text := range map[string]string{"not YAML": "canary: [", "no context": "apiVersion: v1\nkind: Config\n", "another thing": "canary"} {
		if _, err := Connect(Target{Data: inventory.NewSecret(text)}); err == nil || strings.Contains(err.Error(), "canary") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := Connect(Target{Data: inventory.NewSecret(fmt.Sprintf(frame, "", "client-certificate-data: bm8=, client-key-data: bm8="))}); err == nil {
		t.Error("a certificate that is none was taken")
	}
}

// TestErrorsQuoteNoSecret: whatever is wrong with a kubeconfig, and whatever stands in the wrong place of it.
func TestErrorsQuoteNoSecret(t *testing.T) {
	const frame = "apiVersion: v1\nkind: Config\ncurrent-context: x\nclusters: [{name: c, cluster: {server: %s, %s}}]\nusers: [{name: u, user: {%s}}]\ncontexts: [{name: x, context: {cluster: c, user: u}}]\n"
	const pem = `"-----BEGIN RSA PRIVATE KEY-----\ncanary/canary==\n-----END RSA PRIVATE KEY-----\n"`
	for name, c := range map[string]struct{ server, cluster, user, want string }{
		"proxy":              {cluster: "proxy-url: 'http://u:canary@p:port'", want: `proxy-url of cluster "c"`},
		"proxy scheme":       {cluster: "proxy-url: 'ftp://u:canary@p'", want: "proxy"},
		"server blank":       {server: "'https://u:canary canary@h'", want: `server of cluster "c"`},
		"server slash":       {server: "'https://u:canary/canary@h'", want: `server of cluster "c"`},
		"server port":        {server: "'https://u:canary@h:port'", want: `server of cluster "c"`},
		"key text":           {user: "client-certificate-data: bm8=, client-key: " + pem, want: `client-key of user "u", which has to be the path`},
		"certificate text":   {user: "client-key-data: bm8=, client-certificate: " + pem, want: `client-certificate of user "u"`},
		"token for a file":   {user: "tokenFile: canary.canary", want: `tokenFile of user "u", which has to be the path of a file, cannot be read: no such file`},
		"two credentials":    {user: "token: canary, username: a, password: canary", want: "more than one"},
		"key data":           {user: "client-certificate-data: Y2FuYXJ5, client-key-data: Y2FuYXJ5", want: "credentials cannot be used"},
		"token no string":    {user: "token: [canary]", want: "no valid kubeconfig"},
		"token a number":     {user: "token: {canary: 1}", want: "no valid kubeconfig"},
		"data no base64":     {user: "client-key-data: canary!", want: "no valid kubeconfig"},
		"broken in a line":   {user: "token: canary\n  bad: [canary", want: "no valid kubeconfig, line "},
		"exec without a api": {user: "exec: {command: x, env: [{name: A, value: canary}]}", want: "apiVersion"},
	} {
		t.Run(name, func(t *testing.T) {
			if c.server == "" {
				c.server = "'https://h:1'"
			}
			path := filepath.Join(t.TempDir(), "config")
			write(t, path, strings.Replace(fmt.Sprintf(frame, c.server, c.cluster, c.user), ", }", "}", 1))
			_, err := Connect(Target{Kubeconfig: path})
			if err == nil {
				t.Fatal("no error")
			}
			if !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "canary") || strings.Contains(err.Error(), "Y2FuYX") {
				t.Errorf("error = %v", err)
			}
		})
	}
}
