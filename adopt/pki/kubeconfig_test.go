package pki_test

import (
	"bytes"
	"encoding/base64"
	"regexp"
	"strings"
	"testing"

	"github.com/proxaudit/proxaudit/adopt/pki"
	"github.com/proxaudit/proxaudit/adopt/pki/pkitest"
)

func TestKubeconfigFaults(t *testing.T) {
	p, other := pkitest.New(t, "ecdsa"), pkitest.New(t, "ecdsa")
	const canary = "canary-0123456789-token"
	replace := func(pattern, with string) []byte {
		re := regexp.MustCompile(pattern)
		if !re.Match(p.Kubeconfig) {
			t.Fatalf("%s is not in the kubeconfig", pattern)
		}
		return re.ReplaceAll(p.Kubeconfig, []byte(with))
	}
	leafKey := base64.StdEncoding.EncodeToString(pkitest.KeyPEM(t, pkitest.Key(t, "ecdsa")))
	for name, c := range map[string]struct {
		data []byte
		want string
	}{
		"no YAML":             {[]byte("\t" + canary), "cannot be parsed as a kubeconfig"},
		"another type":        {[]byte("users: " + canary), "cannot be parsed as a kubeconfig"},
		"empty":               {[]byte{}, "it has no current context"},
		"no current context":  {replace(`current-context: .*`, ""), "it has no current context"},
		"no such context":     {replace(`current-context: .*`, "current-context: x"), "it has no current context"},
		"no such cluster":     {replace(`context: \{cluster: \w+`, "context: {cluster: x"), "names a cluster that it lacks"},
		"no such user":        {replace(`user: kubernetes-admin`, "user: x"), "names a user that it lacks"},
		"no https":            {replace(`https://`, "http://"), "its server is no https address"},
		"no server":           {replace(`server: "[^"]*"`, `server: ""`), "its server is no https address"},
		"insecure":            {replace(`certificate-authority-data: [^}]*`, "insecure-skip-tls-verify: true"), "skips the verification"},
		"a CA file":           {replace(`certificate-authority-data: [^}]*`, "certificate-authority: /etc/ca.crt"), "its certificate-authority is a file"},
		"no CA":               {replace(`, certificate-authority-data: [^}]*`, ""), "it has no certificate-authority-data"},
		"a broken CA":         {replace(`certificate-authority-data: [^}]*`, "certificate-authority-data: eHg="), "its certificate-authority-data: it holds no PEM block"},
		"another CA":          {other.Kubeconfig, "its certificate-authority-data is not ca.crt"},
		"exec":                {replace(`user: \{.*`, "user: {exec: {command: aws}}"), "runs a program"},
		"a token file":        {replace(`user: \{.*`, "user: {tokenFile: /t}"), "its user names files"},
		"certificate files":   {replace(`user: \{.*`, "user: {client-certificate: /c, client-key: /k}"), "its user names files"},
		"no credentials":      {replace(`user: \{.*`, "user: {}"), "its user has no credentials"},
		"a broken client":     {replace(`client-certificate-data: [^,]*`, "client-certificate-data: eHg="), "its client-certificate-data: it holds no PEM block"},
		"no client key":       {replace(`, client-key-data: [^}]*`, ""), "its client-key-data: it is empty"},
		"another client key":  {replace(`client-key-data: [^}]*`, "client-key-data: "+leafKey), "its client key does not belong"},
		"an alien client":     {alienClient(p, other), "its client certificate is not signed by ca.crt"},
		"secrets stay unsaid": {replace(`user: \{.*`, "user: {exec: {command: "+canary+"}}"), "runs a program"},
	} {
		t.Run(name, func(t *testing.T) {
			s := source(p)
			s.Kubeconfig = c.data
			m, err := pki.Parse(s)
			if m != nil || err == nil || !strings.Contains(err.Error(), "copy/admin.conf: ") || !strings.Contains(err.Error(), c.want) {
				t.Fatalf("material %v, error %v; want %q", m, err, c.want)
			}
			wholeProblems(t, err)
			if strings.Contains(err.Error(), canary) {
				t.Errorf("the document is quoted: %v", err)
			}
		})
	}
}

// alienClient is p's kubeconfig with the user of another cluster.
func alienClient(p, other pkitest.PKI) []byte {
	user := regexp.MustCompile(`user: \{client-certificate-data.*`)
	return user.ReplaceAllLiteral(p.Kubeconfig, user.Find(other.Kubeconfig))
}

// TestKubeconfigType: the control-plane controller gets a kubeconfig only if it can renew it.
func TestKubeconfigType(t *testing.T) {
	p := pkitest.New(t, "ecdsa")
	for name, c := range map[string]struct {
		kubeconfig []byte
		change     func(*pki.Source, *pki.Options)
		want       string
		warning    string
	}{
		"kubeadm's own": {p.Kubeconfig, nil, pki.TypeOpaque, "its client certificate ends on 2027-05-01, and no controller renews it"},
		"named after the cluster": {pkitest.Kubeconfig(t, p.CA, "prod", "https://10.0.0.10:6443"), nil,
			pki.TypeOwned, ""},
		"not owned": {pkitest.Kubeconfig(t, p.CA, "prod", "https://10.0.0.10:6443"),
			func(_ *pki.Source, o *pki.Options) { o.Owned = false }, pki.TypeOpaque, "no controller renews it"},
		"external CA": {pkitest.Kubeconfig(t, p.CA, "prod", "https://10.0.0.10:6443"),
			func(s *pki.Source, o *pki.Options) { o.Owned = false; delete(s.Files, pki.FileCAKey) }, pki.TypeOpaque, "no controller renews it"},
		"a token": {regexp.MustCompile(`user: \{client-certificate-data.*`).ReplaceAll(pkitest.Kubeconfig(t, p.CA, "prod", "https://10.0.0.10:6443"), []byte("user: {token: t}")),
			nil, pki.TypeOpaque, ""},
		"on loopback": {pkitest.Kubeconfig(t, p.CA, "prod", "https://127.0.0.1:6443"), nil, pki.TypeOwned, "its server is on the loopback interface"},
	} {
		t.Run(name, func(t *testing.T) {
			s := source(p)
			s.Kubeconfig = c.kubeconfig
			o := pki.Options{}
			if c.change != nil {
				c.change(&s, &o)
			}
			m := parse(t, s)
			real := options(m)
			if c.change != nil {
				real.Owned = false
			}
			set, err := m.Secrets(real)
			if err != nil {
				t.Fatal(err)
			}
			got := find(t, set, "prod-kubeconfig")
			if got.Type != c.want {
				t.Errorf("type = %s", got.Type)
			}
			if data := decoded(t, got); !bytes.Equal(data["value"], c.kubeconfig) || len(data) != 1 {
				t.Errorf("it does not hold the kubeconfig as it is")
			}
			if c.warning == "" {
				if len(set.Warnings) > 0 {
					t.Errorf("warnings: %v", set.Warnings)
				}
			} else if !strings.Contains(set.Warnings.Error(), c.warning) {
				t.Errorf("warnings: %v", set.Warnings)
			}
		})
	}
}

// The server in the kubeconfig is the endpoint, or whoever gives it hears that it is another.
func TestKubeconfigServer(t *testing.T) {
	p := pkitest.New(t, "ecdsa")
	for _, c := range []struct {
		server, endpoint string
		warns            bool
	}{
		{"https://10.0.0.10:6443", "10.0.0.10:6443", false},
		{"https://API.example", "api.example:443", false},
		{"https://[fd00::1]:6443", "[fd00::1]:6443", false},
		{"https://10.0.0.11:6443", "", false},
		{"https://10.0.0.11:6443", "10.0.0.10:6443", true},
		{"https://10.0.0.10:6444", "10.0.0.10:6443", true},
	} {
		s := source(p)
		s.Kubeconfig = pkitest.Kubeconfig(t, p.CA, "prod", c.server)
		m := parse(t, s)
		o := options(m)
		o.Endpoint = c.endpoint
		set, err := m.Secrets(o)
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Contains(set.Warnings.Error(), "and the control-plane endpoint is "+c.endpoint+":"); got != c.warns {
			t.Errorf("%s for %q: %v", c.server, c.endpoint, set.Warnings)
		}
	}
}
