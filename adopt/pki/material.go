package pki

import (
	"crypto/sha256"
	"crypto/x509"
	"encoding/hex"
	"fmt"
	"path"
	"slices"

	"github.com/proxaudit/proxaudit/inventory/shell"
)

// Source is what was read.
type Source struct {
	// Dir is the folder as the user named it, for messages.
	Dir string
	// Files has the contents by the names of Files; a file that is not there is not in it.
	Files map[string][]byte
	// Kubeconfig is the cluster's kubeconfig and KubeconfigFile its path; nil if none was given.
	Kubeconfig     []byte
	KubeconfigFile string
}

// hidden is the content of a file. It is a function so that no way of printing what holds it shows it.
type hidden func() []byte

func hide(data []byte) hidden {
	data = slices.Clone(data)
	return func() []byte { return data }
}

// Material is what a cluster's Secrets are made of: parsed, and found to belong together.
type Material struct {
	dir   string
	files map[string]hidden

	ca, etcd, proxy authority
	etcdClient      *x509.Certificate
	kubeconfig      *kubeconfig
}

// authority is a certificate authority. The first certificate is the one that counts: the controllers and kubeadm read
// no further.
type authority struct {
	cert, key string
	certs     []*x509.Certificate
	hasKey    bool
}

// String implements fmt.Stringer without anything secret.
func (m *Material) String() string { return "PKI of " + m.dir + " (keys not shown)" }

// Format implements fmt.Formatter, so that no verb prints more.
func (m *Material) Format(f fmt.State, _ rune) {
	// A writer that fails here is the caller's: fmt has nowhere to report it either.
	_, _ = f.Write([]byte(m.String()))
}

// Fingerprint is the lower-case hex SHA-256 of ca.crt's first certificate, as inventory.Cluster.ServingCAs has it.
func (m *Material) Fingerprint() string { return fingerprint(m.ca.certs[0]) }

func fingerprint(c *x509.Certificate) string {
	sum := sha256.Sum256(c.Raw)
	return hex.EncodeToString(sum[:])
}

// HasCAKey is false for an external CA, whose key is on no node.
func (m *Material) HasCAKey() bool { return m.ca.hasKey }

// HasKubeconfig is false if no kubeconfig was given.
func (m *Material) HasKubeconfig() bool { return m.kubeconfig != nil }

const (
	copyAgain = "copy it anew from a control-plane node, as root"
	sameNode  = "copy both from the same control-plane node"
)

// Parse reads the material and checks what does not depend on the time or the live cluster: that everything needed is
// there, that it parses, and that keys and certificates belong together. The error is Problems, all of them.
func Parse(s Source) (*Material, error) {
	m := &Material{dir: s.Dir, files: map[string]hidden{}}
	for name, data := range s.Files {
		m.files[name] = hide(data)
	}
	var p Problems
	m.ca = m.authority(&p, FileCACert, FileCAKey, true)
	m.etcd = m.authority(&p, FileEtcdCert, FileEtcdKey, true)
	m.proxy = m.authority(&p, FileProxyCert, FileProxyKey, false)
	m.serviceAccount(&p)
	if len(m.etcd.certs) > 0 && !m.etcd.hasKey {
		m.externalEtcd(&p)
	}
	m.issued(&p, FileAPIServer, m.ca)
	m.issued(&p, FileEtcdServer, m.etcd)
	m.issued(&p, FileEtcdClientCert, m.etcd)
	m.issued(&p, FileProxyClient, m.proxy)
	if s.Kubeconfig != nil {
		m.kubeconfig = parseKubeconfig(&p, s.KubeconfigFile, s.Kubeconfig, m.ca)
	}
	if err := p.err(); err != nil {
		return nil, err
	}
	return m, nil
}

func (m *Material) path(file string) string { return path.Join(m.dir, file) }

func (m *Material) content(file string) ([]byte, bool) {
	h, ok := m.files[file]
	if !ok {
		return nil, false
	}
	return h(), true
}

// authority reads a certificate with its key, which may be missing. signs is true if the controllers themselves sign
// with the key.
func (m *Material) authority(p *Problems, cert, key string, signs bool) authority {
	a := authority{cert: cert, key: key}
	data, ok := m.content(cert)
	if !ok {
		p.add(m.path(cert), "it is not there", "the control-plane controller makes a new authority where one is missing, which the cluster does not know: "+copyAgain)
		return a
	}
	certs, err := parseCertificates(data)
	if err != nil {
		p.add(m.path(cert), err.Error(), copyAgain)
		return a
	}
	a.certs = certs
	if why := notCA(certs[0]); why != "" {
		p.add(m.path(cert), why, "it has to be the certificate of the authority: "+copyAgain)
	}
	data, a.hasKey = m.content(key)
	if !a.hasKey {
		return a
	}
	k, err := parsePrivate(data)
	switch {
	case err != nil:
		p.add(m.path(key), err.Error(), copyAgain)
	case !samePublic(certs[0].PublicKey, k.public):
		found := "it is not the key of " + cert
		for _, c := range certs[1:] {
			if samePublic(c.PublicKey, k.public) {
				found = "it is the key of a later certificate in " + cert + " and not of the first one, which is the one that is read"
			}
		}
		p.add(m.path(key), found, sameNode)
	case signs && k.behind:
		p.add(m.path(key), "the parameters of a curve stand before the key, and Cluster API reads the first PEM block only",
			"write the key alone: openssl pkey -in "+shell.Quote(m.path(key))+" -out NEWFILE, and put that in its place in the copy")
	}
	return a
}

// notCA says why a certificate cannot be that of an authority; empty if it can.
func notCA(c *x509.Certificate) string {
	switch {
	case !c.BasicConstraintsValid || !c.IsCA:
		return "its first certificate is not a CA's (basic constraints)"
	case c.KeyUsage != 0 && c.KeyUsage&x509.KeyUsageCertSign == 0:
		return "its first certificate may not sign certificates (key usage)"
	}
	return ""
}

func (m *Material) serviceAccount(p *Problems) {
	pub, hasPub := m.content(FileSAPublic)
	key, hasKey := m.content(FileSAKey)
	if !hasKey {
		p.add(m.path(FileSAKey), "it is not there", "the tokens of a new control plane would not be accepted: "+copyAgain)
	}
	if !hasPub {
		p.add(m.path(FileSAPublic), "it is not there", copyAgain+" (or make it: openssl pkey -in sa.key -pubout -out sa.pub)")
	}
	if !hasKey || !hasPub {
		return
	}
	k, kerr := parsePrivate(key)
	if kerr != nil {
		p.add(m.path(FileSAKey), kerr.Error(), copyAgain)
	}
	pubs, perr := parsePublics(pub)
	if perr != nil {
		p.add(m.path(FileSAPublic), perr.Error(), copyAgain)
	}
	if kerr != nil || perr != nil {
		return
	}
	for _, pk := range pubs {
		if samePublic(pk, k.public) {
			return
		}
	}
	p.add(m.path(FileSAPublic), "it is not the public half of "+FileSAKey, sameNode)
}

// externalEtcd needs a client certificate: without the authority's key the control-plane controller cannot make its own
// (controlplane/kubeadm/pkg/cluster.go: GetWorkloadCluster).
func (m *Material) externalEtcd(p *Problems) {
	const do = "if etcd runs on the control-plane nodes, copy etcd/ca.key too; if it is external, copy the API server's client certificate and key for it as " + FileEtcdClientCert + " and " + FileEtcdClientKey
	cert, hasCert := m.content(FileEtcdClientCert)
	key, hasKey := m.content(FileEtcdClientKey)
	if !hasCert || !hasKey {
		p.add(m.path(FileEtcdKey), "it is not there, nor is a client certificate with which the control-plane controller could reach etcd instead", do)
		return
	}
	certs, err := parseCertificates(cert)
	if err != nil {
		// Said by issued.
		return
	}
	k, err := parsePrivate(key)
	switch {
	case err != nil:
		p.add(m.path(FileEtcdClientKey), err.Error(), copyAgain)
	case !samePublic(certs[0].PublicKey, k.public):
		p.add(m.path(FileEtcdClientKey), "it is not the key of "+FileEtcdClientCert, sameNode)
	}
	m.etcdClient = certs[0]
}

// issued compares a certificate that is in use, if it is in the folder, with the authority that should have signed it.
func (m *Material) issued(p *Problems, file string, by authority) {
	data, ok := m.content(file)
	if !ok || len(by.certs) == 0 {
		return
	}
	certs, err := parseCertificates(data)
	if err != nil {
		p.add(m.path(file), err.Error(), copyAgain)
		return
	}
	if !signedBy(certs, by.certs) {
		p.add(m.path(by.cert), "it did not sign "+file+", which stands beside it", "it is not the authority in use: "+sameNode)
	}
}

// signedBy is true if one of the certificates of a file, the leaf or an intermediate, carries the signature of an authority.
func signedBy(chain, by []*x509.Certificate) bool {
	for _, c := range chain {
		for _, ca := range by {
			if c.CheckSignatureFrom(ca) == nil {
				return true
			}
		}
	}
	return false
}
