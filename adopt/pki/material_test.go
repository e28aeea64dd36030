package pki_test

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/rsa"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"errors"
	"fmt"
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/proxaudit/proxaudit/adopt/pki"
	"github.com/proxaudit/proxaudit/adopt/pki/pkitest"
)

func source(p pkitest.PKI) pki.Source {
	return pki.Source{Dir: "copy/pki", Files: maps.Clone(p.Files), Kubeconfig: p.Kubeconfig, KubeconfigFile: "copy/admin.conf"}
}

func parse(t *testing.T, s pki.Source) *pki.Material {
	t.Helper()
	m, err := pki.Parse(s)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestKinds: every kind of key in every form in which it is written is taken.
func TestKinds(t *testing.T) {
	for _, kind := range []string{"rsa", "ecdsa", "ed25519"} {
		t.Run(kind, func(t *testing.T) {
			p := pkitest.New(t, kind)
			m := parse(t, source(p))
			if err := m.CheckDates(pkitest.Now); err != nil {
				t.Error(err)
			}
			if err := m.CheckServing([]string{m.Fingerprint()}); err != nil {
				t.Error(err)
			}
			s := source(p)
			s.Files[pki.FileCAKey] = oldForm(t, p.CA.Key)
			s.Files[pki.FileSAKey] = oldForm(t, p.ServiceAccount)
			parse(t, s)
		})
	}
}

// oldForm is PKCS #1 or SEC 1; an Ed25519 key has none.
func oldForm(t *testing.T, key any) []byte {
	t.Helper()
	switch k := key.(type) {
	case *rsa.PrivateKey:
		return pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(k)})
	case *ecdsa.PrivateKey:
		der, err := x509.MarshalECPrivateKey(k)
		if err != nil {
			t.Fatal(err)
		}
		return pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: der})
	default:
		der, err := x509.MarshalPKCS8PrivateKey(k)
		if err != nil {
			t.Fatal(err)
		}
		return pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der})
	}
}

// TestAllowed: what looks odd and works is taken.
func TestAllowed(t *testing.T) {
	p := pkitest.New(t, "ecdsa")
	other := pkitest.New(t, "ecdsa")
	for name, change := range map[string]func(*pki.Source){
		"no leaf certificates": func(s *pki.Source) {
			for _, f := range []string{pki.FileAPIServer, pki.FileEtcdServer, pki.FileProxyClient, pki.FileEtcdClientCert, pki.FileEtcdClientKey} {
				delete(s.Files, f)
			}
		},
		"text before the certificate": func(s *pki.Source) {
			s.Files[pki.FileCACert] = append([]byte("Certificate:\n    Data:\n"), s.Files[pki.FileCACert]...)
		},
		"CRLF": func(s *pki.Source) {
			s.Files[pki.FileCACert] = bytes.ReplaceAll(s.Files[pki.FileCACert], []byte("\n"), []byte("\r\n"))
		},
		"an older authority behind": func(s *pki.Source) {
			s.Files[pki.FileCACert] = pkitest.CertPEM(p.CA.Cert, other.CA.Cert)
		},
		"an older service-account key in front": func(s *pki.Source) {
			s.Files[pki.FileSAPublic] = append(pkitest.PublicPEM(t, other.ServiceAccount), pkitest.PublicPEM(t, p.ServiceAccount)...)
		},
		"a certificate in sa.pub": func(s *pki.Source) {
			s.Files[pki.FileSAPublic] = pkitest.CertPEM(pkitest.NewAuthority(t, "sa", p.ServiceAccount).Cert)
		},
		"curve parameters before the service account's key": func(s *pki.Source) {
			s.Files[pki.FileSAKey] = append(curve(), s.Files[pki.FileSAKey]...)
		},
		"external CA":   func(s *pki.Source) { delete(s.Files, pki.FileCAKey) },
		"external etcd": func(s *pki.Source) { delete(s.Files, pki.FileEtcdKey) },
		"no proxy key":  func(s *pki.Source) { delete(s.Files, pki.FileProxyKey) },
		"no kubeconfig": func(s *pki.Source) { s.Kubeconfig = nil },
	} {
		t.Run(name, func(t *testing.T) {
			s := source(p)
			change(&s)
			parse(t, s)
		})
	}
}

func curve() []byte {
	return pem.EncodeToMemory(&pem.Block{Type: "EC PARAMETERS", Bytes: []byte{6, 8, 0x2a, 0x86, 0x48, 0xce, 0x3d, 3, 1, 7}})
}

// TestMismatches: each fault is found, and the error names the file, what was found and what to do.
func TestMismatches(t *testing.T) {
	p, other := pkitest.New(t, "ecdsa"), pkitest.New(t, "rsa")
	notCA := pkitest.NewAuthority(t, "leaf", p.CA.Key, func(c *x509.Certificate) { c.IsCA = false })
	noSign := pkitest.NewAuthority(t, "ca", p.CA.Key, func(c *x509.Certificate) { c.KeyUsage = x509.KeyUsageDigitalSignature })
	set := func(file string, data []byte) func(*pki.Source) {
		return func(s *pki.Source) { s.Files[file] = data }
	}
	drop := func(files ...string) func(*pki.Source) {
		return func(s *pki.Source) {
			for _, f := range files {
				delete(s.Files, f)
			}
		}
	}
	for name, c := range map[string]struct {
		change func(*pki.Source)
		want   string
	}{
		"no ca.crt":                   {drop(pki.FileCACert), "copy/pki/ca.crt: it is not there"},
		"no etcd/ca.crt":              {drop(pki.FileEtcdCert), "copy/pki/etcd/ca.crt: it is not there"},
		"no front-proxy-ca.crt":       {drop(pki.FileProxyCert), "copy/pki/front-proxy-ca.crt: it is not there"},
		"no sa.pub":                   {drop(pki.FileSAPublic), "copy/pki/sa.pub: it is not there"},
		"no sa.key":                   {drop(pki.FileSAKey), "copy/pki/sa.key: it is not there"},
		"no way into etcd":            {drop(pki.FileEtcdKey, pki.FileEtcdClientCert), "copy/pki/etcd/ca.key: it is not there, nor is a client certificate"},
		"no client key for etcd":      {drop(pki.FileEtcdKey, pki.FileEtcdClientKey), "copy/pki/etcd/ca.key: it is not there, nor is a client certificate"},
		"empty":                       {set(pki.FileCACert, nil), "copy/pki/ca.crt: it is empty"},
		"no PEM":                      {set(pki.FileCACert, []byte("hello")), "copy/pki/ca.crt: it holds no PEM block"},
		"broken off":                  {set(pki.FileCACert, p.Files[pki.FileCACert][:200]), "copy/pki/ca.crt: 1 PEM blocks begin in it and 0 are whole"},
		"the second broken off":       {set(pki.FileCACert, append(bytes.Clone(p.Files[pki.FileCACert]), p.Files[pki.FileCACert][:200]...)), "copy/pki/ca.crt: 2 PEM blocks begin in it and 1 are whole"},
		"a key as certificate":        {set(pki.FileCACert, p.Files[pki.FileCAKey]), "copy/pki/ca.crt: block 1 in it is a private key and not a certificate"},
		"a key behind the cert":       {set(pki.FileCACert, append(bytes.Clone(p.Files[pki.FileCACert]), p.Files[pki.FileCAKey]...)), "copy/pki/ca.crt: block 2 in it is a private key"},
		"a request":                   {set(pki.FileCACert, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE REQUEST"})), "a certificate request and not a certificate"},
		"no DER":                      {set(pki.FileCACert, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: []byte("x")})), "copy/pki/ca.crt: certificate 1 in it cannot be parsed"},
		"no CA":                       {set(pki.FileCACert, pkitest.CertPEM(notCA.Cert)), "copy/pki/ca.crt: its first certificate is not a CA's"},
		"a CA that may not sign":      {set(pki.FileCACert, pkitest.CertPEM(noSign.Cert)), "copy/pki/ca.crt: its first certificate may not sign"},
		"another cluster's ca.key":    {set(pki.FileCAKey, other.Files[pki.FileCAKey]), "copy/pki/ca.key: it is not the key of ca.crt"},
		"another etcd/ca.key":         {set(pki.FileEtcdKey, other.Files[pki.FileEtcdKey]), "copy/pki/etcd/ca.key: it is not the key of etcd/ca.crt"},
		"another front-proxy-ca.key":  {set(pki.FileProxyKey, p.Files[pki.FileCAKey]), "copy/pki/front-proxy-ca.key: it is not the key of front-proxy-ca.crt"},
		"another sa.pub":              {set(pki.FileSAPublic, other.Files[pki.FileSAPublic]), "copy/pki/sa.pub: it is not the public half of sa.key"},
		"another key for etcd":        {func(s *pki.Source) { drop(pki.FileEtcdKey)(s); set(pki.FileEtcdClientKey, p.Files[pki.FileCAKey])(s) }, "copy/pki/apiserver-etcd-client.key: it is not the key of apiserver-etcd-client.crt"},
		"the older key":               {set(pki.FileCACert, pkitest.CertPEM(other.CA.Cert, p.CA.Cert)), "copy/pki/ca.key: it is the key of a later certificate in ca.crt"},
		"an empty key":                {set(pki.FileCAKey, nil), "copy/pki/ca.key: it is empty"},
		"a certificate as key":        {set(pki.FileCAKey, p.Files[pki.FileCACert]), "copy/pki/ca.key: block 1 in it is a certificate and not a private key"},
		"two keys":                    {set(pki.FileCAKey, append(bytes.Clone(p.Files[pki.FileCAKey]), other.Files[pki.FileCAKey]...)), "copy/pki/ca.key: it holds more than one private key"},
		"an encrypted key":            {set(pki.FileCAKey, pem.EncodeToMemory(&pem.Block{Type: "ENCRYPTED PRIVATE KEY", Bytes: []byte("x")})), "copy/pki/ca.key: its private key is encrypted"},
		"an encrypted key, old form":  {set(pki.FileCAKey, pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Headers: map[string]string{"Proc-Type": "4,ENCRYPTED", "DEK-Info": "AES-256-CBC,00"}, Bytes: []byte("x")})), "copy/pki/ca.key: its private key is encrypted"},
		"a broken key":                {set(pki.FileCAKey, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: []byte("x")})), "copy/pki/ca.key: its private key cannot be parsed"},
		"only curve parameters":       {set(pki.FileCAKey, curve()), "copy/pki/ca.key: it holds no private key"},
		"curve parameters before it":  {set(pki.FileCAKey, append(curve(), p.Files[pki.FileCAKey]...)), "copy/pki/ca.key: the parameters of a curve stand before the key"},
		"sa.pub is a key":             {set(pki.FileSAPublic, p.Files[pki.FileSAKey]), "copy/pki/sa.pub: block 1 in it is a private key and not a public key"},
		"sa.pub is broken":            {set(pki.FileSAPublic, pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: []byte("x")})), "copy/pki/sa.pub: public key 1 in it cannot be parsed"},
		"sa.key is broken":            {set(pki.FileSAKey, []byte("x")), "copy/pki/sa.key: it holds no PEM block"},
		"the API server's is another": {set(pki.FileAPIServer, other.Files[pki.FileAPIServer]), "copy/pki/ca.crt: it did not sign apiserver.crt"},
		"etcd's is another":           {set(pki.FileEtcdServer, other.Files[pki.FileEtcdServer]), "copy/pki/etcd/ca.crt: it did not sign etcd/server.crt"},
		"the proxy's is another":      {set(pki.FileProxyClient, other.Files[pki.FileProxyClient]), "copy/pki/front-proxy-ca.crt: it did not sign front-proxy-client.crt"},
		"the API server's is broken":  {set(pki.FileAPIServer, []byte("x")), "copy/pki/apiserver.crt: it holds no PEM block"},
		"etcd's client is broken":     {func(s *pki.Source) { drop(pki.FileEtcdKey)(s); set(pki.FileEtcdClientCert, []byte("x"))(s) }, "copy/pki/apiserver-etcd-client.crt: it holds no PEM block"},
	} {
		t.Run(name, func(t *testing.T) {
			s := source(p)
			c.change(&s)
			m, err := pki.Parse(s)
			if m != nil || err == nil || !strings.Contains(err.Error(), c.want) {
				t.Fatalf("material %v, error %v; want %q", m, err, c.want)
			}
			wholeProblems(t, err)
			noKeys(t, err.Error())
		})
	}
}

// wholeProblems: each says what was found and what to do.
func wholeProblems(t *testing.T, err error) {
	t.Helper()
	var all pki.Problems
	if !errors.As(err, &all) || len(all) == 0 {
		t.Fatalf("%T is no Problems", err)
	}
	for _, p := range all {
		if p.Found == "" || p.Do == "" {
			t.Errorf("%+v lacks what was found or what to do", p)
		}
	}
	var one pki.Problem
	if !errors.As(err, &one) {
		t.Error("no Problem is found in it")
	}
}

// noKeys looks for the armour of a key, and for a run of base64 that is as long as a line of one.
func noKeys(t *testing.T, text string) {
	t.Helper()
	if strings.Contains(text, "PRIVATE KEY-----") {
		t.Errorf("a private key is in %q", text)
	}
	for _, w := range strings.FieldsFunc(text, func(r rune) bool {
		return !strings.ContainsRune("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+/=", r)
	}) {
		if len(w) > 64 {
			t.Errorf("%q looks like key material", w)
		}
	}
}

// TestAllFaultsAtOnce: whoever has to copy files anew gets the whole list.
func TestAllFaultsAtOnce(t *testing.T) {
	p := pkitest.New(t, "ecdsa")
	s := source(p)
	delete(s.Files, pki.FileProxyCert)
	s.Files[pki.FileCAKey] = p.Files[pki.FileEtcdKey]
	s.Files[pki.FileSAPublic] = nil
	_, err := pki.Parse(s)
	var all pki.Problems
	if !errors.As(err, &all) || len(all) != 3 {
		t.Fatalf("%d problems: %v", len(all), err)
	}
}

func TestDates(t *testing.T) {
	p := pkitest.New(t, "ecdsa")
	m := parse(t, source(p))
	for name, c := range map[string]struct {
		at   time.Time
		want string
	}{
		"the kubeconfig's ended":    {pkitest.Now.AddDate(1, 0, 0), "copy/admin.conf: its client certificate expired on 2027-05-01"},
		"the authorities ended":     {pkitest.Now.AddDate(9, 1, 0), "copy/pki/etcd/ca.crt: its certificate expired on 2035-06-01"},
		"a clock that is years off": {pkitest.Now.AddDate(-5, 0, 0), "copy/pki/ca.crt: its certificate is not valid before 2025-06-01"},
		"and what helps then":       {pkitest.Now.AddDate(-5, 0, 0), "renewing it changes nothing"},
	} {
		t.Run(name, func(t *testing.T) {
			err := m.CheckDates(c.at)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Fatalf("error = %v, want %q", err, c.want)
			}
			wholeProblems(t, err)
		})
	}
	s := source(p)
	delete(s.Files, pki.FileEtcdKey)
	if err := parse(t, s).CheckDates(pkitest.Now.AddDate(1, 0, 0)); err == nil || !strings.Contains(err.Error(), "apiserver-etcd-client.crt: its certificate expired") {
		t.Errorf("error = %v", err)
	}
}

func TestServing(t *testing.T) {
	p, other := pkitest.New(t, "ecdsa"), pkitest.New(t, "ecdsa")
	m := parse(t, source(p))
	alien := parse(t, source(other)).Fingerprint()
	if len(m.Fingerprint()) != 64 || m.Fingerprint() != strings.ToLower(m.Fingerprint()) {
		t.Errorf("fingerprint = %q", m.Fingerprint())
	}
	if err := m.CheckServing([]string{alien, m.Fingerprint()}); err != nil {
		t.Error(err)
	}
	s := source(p)
	s.Files[pki.FileCACert] = pkitest.CertPEM(p.CA.Cert, other.CA.Cert)
	rotating := parse(t, s)
	for name, c := range map[string]struct {
		m    *pki.Material
		cas  []string
		want string
	}{
		"not seen":         {m, nil, "it cannot be checked that this authority"},
		"another's":        {m, []string{alien}, "did not sign the certificate of the API server that runs, which was verified to " + alien},
		"the later one's":  {rotating, []string{alien}, "but not as its first certificate"},
		"upper case is no": {m, []string{strings.ToUpper(m.Fingerprint())}, "did not sign"},
	} {
		t.Run(name, func(t *testing.T) {
			err := c.m.CheckServing(c.cas)
			if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "copy/pki/ca.crt") {
				t.Fatalf("error = %v, want %q", err, c.want)
			}
			wholeProblems(t, err)
		})
	}
}

// TestNothingPrintsKeys: no verb shows what Material and Secrets hold, whatever they are part of.
func TestNothingPrintsKeys(t *testing.T) {
	p := pkitest.New(t, "ecdsa")
	const canary = "canary-0123456789-token"
	s := source(p)
	s.Kubeconfig = bytes.Replace(s.Kubeconfig, []byte("user: {client-certificate-data"), []byte("user: {token: "+canary+", client-certificate-data"), 1)
	m := parse(t, s)
	set, err := m.Secrets(options(m))
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	inside := struct {
		m *pki.Material
		v pki.Material
		s []pki.Secret
		z pki.Set
	}{m, *m, set.Secrets, set}
	for _, v := range []any{m, *m, set, set.Secrets, set.Secrets[0], inside, &inside} {
		for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d"} {
			fmt.Fprintf(&out, verb+"\n", v)
		}
	}
	key, ok := pem.Decode(p.Files[pki.FileCAKey])
	if len(ok) != 0 {
		t.Fatal("the key is not one block")
	}
	secrets := []string{canary, fmt.Sprintf("%x", canary), "PRIVATE KEY", string(key.Bytes), fmt.Sprintf("%x", key.Bytes),
		base64.StdEncoding.EncodeToString(key.Bytes)[:40], fmt.Sprintf("%x", p.Files[pki.FileCAKey][:40]), fmt.Sprintf("%d", p.Files[pki.FileCAKey][:20])[1:60]}
	for _, secret := range secrets {
		if strings.Contains(out.String(), secret) {
			t.Errorf("%q was printed", secret)
		}
	}
	if !strings.Contains(out.String(), "keys not shown") || !strings.Contains(out.String(), "secret prod/prod-ca") {
		t.Error("the test printed nothing")
	}
}
