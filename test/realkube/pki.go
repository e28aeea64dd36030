package realkube

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"time"
)

// certificateLife is short: nothing of a test run should be of use the day after.
const certificateLife = 12 * time.Hour

// authority is the certificate authority of one bench. It signs server and client certificates alike, as the
// cluster CA of kubeadm does.
type authority struct {
	cert *x509.Certificate
	key  crypto.Signer
	pem  []byte
}

// keyPair is a certificate with its key, PEM encoded.
type keyPair struct{ cert, key []byte }

// newAuthority makes a certificate authority that signs itself.
func newAuthority(name string) (*authority, error) {
	// RSA, as kubeadm makes them.
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		return nil, err
	}
	template, err := certificate(name)
	if err != nil {
		return nil, err
	}
	template.IsCA = true
	template.BasicConstraintsValid = true
	template.KeyUsage = x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature | x509.KeyUsageKeyEncipherment
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		return nil, err
	}
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		return nil, err
	}
	return &authority{cert: cert, key: key, pem: pemBlock("CERTIFICATE", der)}, nil
}

// client signs a client certificate: the API server takes the common name as the user and the organisations as
// the groups.
func (a *authority) client(user string, groups ...string) (keyPair, error) {
	template, err := certificate(user)
	if err != nil {
		return keyPair{}, err
	}
	template.Subject.Organization = groups
	template.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}
	return a.sign(template)
}

// server signs a serving certificate for loopback.
func (a *authority) server(name string) (keyPair, error) {
	return a.serving(name, []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
		"localhost", "*."+endpointDomain, "kubernetes", "kubernetes.default", "kubernetes.default.svc")
}

// peer signs a certificate for a member of etcd, who serves the others and is their client.
func (a *authority) peer(name string) (keyPair, error) {
	return a.serving(name, []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth}, "localhost", name)
}

func (a *authority) serving(name string, usage []x509.ExtKeyUsage, dns ...string) (keyPair, error) {
	template, err := certificate(name)
	if err != nil {
		return keyPair{}, err
	}
	template.ExtKeyUsage = usage
	template.IPAddresses = []net.IP{net.IPv4(127, 0, 0, 1)}
	template.DNSNames = dns
	return a.sign(template)
}

// private is the key of the authority, PEM encoded as kubeadm writes it.
func (a *authority) private() ([]byte, error) { return pemKey(a.key) }

func (a *authority) sign(template *x509.Certificate) (keyPair, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return keyPair{}, err
	}
	template.KeyUsage = x509.KeyUsageDigitalSignature
	der, err := x509.CreateCertificate(rand.Reader, template, a.cert, key.Public(), a.key)
	if err != nil {
		return keyPair{}, fmt.Errorf("sign the certificate of %s: %w", template.Subject.CommonName, err)
	}
	private, err := pemKey(key)
	if err != nil {
		return keyPair{}, err
	}
	return keyPair{cert: pemBlock("CERTIFICATE", der), key: private}, nil
}

// certificate is what every certificate of a bench has in common.
func certificate(name string) (*x509.Certificate, error) {
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 120))
	if err != nil {
		return nil, err
	}
	now := time.Now()
	return &x509.Certificate{
		SerialNumber: serial,
		Subject:      pkix.Name{CommonName: name},
		NotBefore:    now.Add(-time.Minute),
		NotAfter:     now.Add(certificateLife),
	}, nil
}

// newServiceAccountKey makes the key pair that an API server signs and checks service account tokens with.
func newServiceAccountKey() (private, public []byte, err error) {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		return nil, nil, err
	}
	der, err := x509.MarshalPKIXPublicKey(key.Public())
	if err != nil {
		return nil, nil, err
	}
	private, err = pemKey(key)
	return private, pemBlock("PUBLIC KEY", der), err
}

func pemKey(key crypto.Signer) ([]byte, error) {
	switch k := key.(type) {
	case *rsa.PrivateKey:
		return pemBlock("RSA PRIVATE KEY", x509.MarshalPKCS1PrivateKey(k)), nil
	case *ecdsa.PrivateKey:
		der, err := x509.MarshalECPrivateKey(k)
		if err != nil {
			return nil, err
		}
		return pemBlock("EC PRIVATE KEY", der), nil
	}
	return nil, fmt.Errorf("no PEM form for a key of type %T", key)
}

func pemBlock(kind string, der []byte) []byte {
	return pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der})
}
