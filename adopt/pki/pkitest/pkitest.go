// Package pkitest makes what kubeadm leaves in /etc/kubernetes/pki, for tests.
package pkitest

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"testing"
	"time"

	"github.com/proxaudit/proxaudit/adopt/pki"
)

// Now is the time at which everything that New makes is valid.
var Now = time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC)

// Authority is a CA with its key.
type Authority struct {
	Cert *x509.Certificate
	Key  crypto.Signer
}

// Key makes a private key: "rsa", "ecdsa" or "ed25519".
func Key(t testing.TB, kind string) crypto.Signer {
	t.Helper()
	var k crypto.Signer
	var err error
	switch kind {
	case "rsa":
		k, err = rsa.GenerateKey(rand.Reader, 2048)
	case "ecdsa":
		k, err = ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	case "ed25519":
		_, k, err = ed25519.GenerateKey(rand.Reader)
	default:
		err = fmt.Errorf("no such kind of key: %s", kind)
	}
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// NewAuthority makes a self-signed CA; tune changes the certificate before it is signed.
func NewAuthority(t testing.TB, name string, key crypto.Signer, tune ...func(*x509.Certificate)) Authority {
	t.Helper()
	tmpl := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: name},
		NotBefore: Now.AddDate(-1, 0, 0), NotAfter: Now.AddDate(9, 0, 0),
		KeyUsage:              x509.KeyUsageDigitalSignature | x509.KeyUsageKeyEncipherment | x509.KeyUsageCertSign,
		BasicConstraintsValid: true, IsCA: true,
	}
	for _, f := range tune {
		f(tmpl)
	}
	return Authority{Cert: sign(t, tmpl, tmpl, key.Public(), key), Key: key}
}

// Issue makes a certificate of a server and client that the authority signs.
func (a Authority) Issue(t testing.TB, name string, key crypto.Signer, tune ...func(*x509.Certificate)) *x509.Certificate {
	t.Helper()
	tmpl := &x509.Certificate{
		SerialNumber: big.NewInt(2), Subject: pkix.Name{CommonName: name, Organization: []string{"system:masters"}},
		NotBefore: Now.AddDate(0, -1, 0), NotAfter: Now.AddDate(0, 11, 0),
		KeyUsage:    x509.KeyUsageDigitalSignature | x509.KeyUsageKeyEncipherment,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
		DNSNames:    []string{"kubernetes"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
	}
	for _, f := range tune {
		f(tmpl)
	}
	return sign(t, tmpl, a.Cert, key.Public(), a.Key)
}

func sign(t testing.TB, tmpl, parent *x509.Certificate, pub crypto.PublicKey, key crypto.Signer) *x509.Certificate {
	t.Helper()
	der, err := x509.CreateCertificate(rand.Reader, tmpl, parent, pub, key)
	if err != nil {
		t.Fatal(err)
	}
	c, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// CertPEM is a file of certificates.
func CertPEM(certs ...*x509.Certificate) []byte {
	var out []byte
	for _, c := range certs {
		out = append(out, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: c.Raw})...)
	}
	return out
}

// KeyPEM is a private key in PKCS #8.
func KeyPEM(t testing.TB, k crypto.Signer) []byte {
	t.Helper()
	der, err := x509.MarshalPKCS8PrivateKey(k)
	if err != nil {
		t.Fatal(err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der})
}

// PublicPEM is the public half of a key, as sa.pub has it.
func PublicPEM(t testing.TB, k crypto.Signer) []byte {
	t.Helper()
	der, err := x509.MarshalPKIXPublicKey(k.Public())
	if err != nil {
		t.Fatal(err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der})
}

// PKI is what a control-plane node has.
type PKI struct {
	CA, Etcd, Proxy Authority
	ServiceAccount  crypto.Signer
	// Files are those of /etc/kubernetes/pki.
	Files map[string][]byte
	// Kubeconfig is admin.conf.
	Kubeconfig []byte
}

// New makes the files of a node whose keys are of a kind (see Key).
func New(t testing.TB, kind string) PKI {
	t.Helper()
	p := PKI{
		CA:             NewAuthority(t, "kubernetes", Key(t, kind)),
		Etcd:           NewAuthority(t, "etcd-ca", Key(t, kind)),
		Proxy:          NewAuthority(t, "front-proxy-ca", Key(t, kind)),
		ServiceAccount: Key(t, kind),
	}
	leaf := Key(t, "ecdsa")
	p.Files = map[string][]byte{
		pki.FileCACert: CertPEM(p.CA.Cert), pki.FileCAKey: KeyPEM(t, p.CA.Key),
		pki.FileEtcdCert: CertPEM(p.Etcd.Cert), pki.FileEtcdKey: KeyPEM(t, p.Etcd.Key),
		pki.FileProxyCert: CertPEM(p.Proxy.Cert), pki.FileProxyKey: KeyPEM(t, p.Proxy.Key),
		pki.FileSAPublic: PublicPEM(t, p.ServiceAccount), pki.FileSAKey: KeyPEM(t, p.ServiceAccount),
		pki.FileEtcdClientCert: CertPEM(p.Etcd.Issue(t, "kube-apiserver-etcd-client", leaf)), pki.FileEtcdClientKey: KeyPEM(t, leaf),
		pki.FileAPIServer:   CertPEM(p.CA.Issue(t, "kube-apiserver", leaf)),
		pki.FileEtcdServer:  CertPEM(p.Etcd.Issue(t, "cp-1", leaf)),
		pki.FileProxyClient: CertPEM(p.Proxy.Issue(t, "front-proxy-client", leaf)),
	}
	p.Kubeconfig = Kubeconfig(t, p.CA, "kubernetes", "https://10.0.0.10:6443")
	return p
}

// Kubeconfig is a kubeconfig as kubeadm writes admin.conf, with a name for its cluster entry.
func Kubeconfig(t testing.TB, ca Authority, cluster, server string) []byte {
	t.Helper()
	key := Key(t, "ecdsa")
	b64 := base64.StdEncoding.EncodeToString
	return fmt.Appendf(nil, `apiVersion: v1
kind: Config
clusters:
- name: %[1]s
  cluster: {server: %[2]q, certificate-authority-data: %[3]s}
contexts:
- name: kubernetes-admin@%[1]s
  context: {cluster: %[1]s, user: kubernetes-admin}
current-context: kubernetes-admin@%[1]s
users:
- name: kubernetes-admin
  user: {client-certificate-data: %[4]s, client-key-data: %[5]s}
`, cluster, server, b64(CertPEM(ca.Cert)), b64(CertPEM(ca.Issue(t, "kubernetes-admin", key))), b64(KeyPEM(t, key)))
}
