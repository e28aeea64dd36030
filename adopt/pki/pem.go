package pki

import (
	"bytes"
	"crypto"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"strings"
)

// blocks are the PEM blocks of a file. Text around them (openssl x509 -text writes some) is allowed, as the controllers
// allow it; a block that breaks off is not.
func blocks(data []byte) ([]*pem.Block, error) {
	var all []*pem.Block
	for rest := data; ; {
		b, after := pem.Decode(rest)
		if b == nil {
			break
		}
		all = append(all, b)
		rest = after
	}
	switch begun := bytes.Count(data, []byte("-----BEGIN ")); {
	case len(bytes.TrimSpace(data)) == 0:
		return nil, errors.New("it is empty")
	case len(all) == 0 && begun == 0:
		return nil, errors.New("it holds no PEM block")
	case len(all) < begun:
		return nil, fmt.Errorf("%d PEM blocks begin in it and %d are whole", begun, len(all))
	}
	return all, nil
}

// parseCertificates returns what is in a file of certificates, at least one.
func parseCertificates(data []byte) ([]*x509.Certificate, error) {
	all, err := blocks(data)
	if err != nil {
		return nil, err
	}
	var certs []*x509.Certificate
	for i, b := range all {
		if b.Type != "CERTIFICATE" {
			return nil, fmt.Errorf("block %d in it is %s and not a certificate", i+1, kindOf(b))
		}
		c, err := x509.ParseCertificate(b.Bytes)
		if err != nil {
			return nil, fmt.Errorf("certificate %d in it cannot be parsed: %w", i+1, err)
		}
		certs = append(certs, c)
	}
	return certs, nil
}

// private is a private key, of which only the public half is kept.
type private struct {
	public crypto.PublicKey
	// behind is true if another block stands before the key: "openssl ecparam -genkey" writes EC PARAMETERS there.
	// kubeadm passes over it, Cluster API does not (util/certs: DecodePrivateKeyPEM).
	behind bool
}

// parsePrivate reads a file with one private key: PKCS #8, or the older forms of RSA and EC keys.
func parsePrivate(data []byte) (private, error) {
	all, err := blocks(data)
	if err != nil {
		return private{}, err
	}
	var key *pem.Block
	before := 0
	for i, b := range all {
		switch {
		case b.Type == "EC PARAMETERS":
		case !strings.HasSuffix(b.Type, "PRIVATE KEY"):
			return private{}, fmt.Errorf("block %d in it is %s and not a private key", i+1, kindOf(b))
		case key != nil:
			return private{}, errors.New("it holds more than one private key")
		default:
			key, before = b, i
		}
	}
	if key == nil {
		return private{}, errors.New("it holds no private key")
	}
	if key.Type == "ENCRYPTED PRIVATE KEY" || strings.Contains(key.Headers["Proc-Type"], "ENCRYPTED") {
		return private{}, errors.New("its private key is encrypted, and no controller knows the passphrase")
	}
	signer, err := parseSigner(key)
	if err != nil {
		return private{}, err
	}
	return private{public: signer.Public(), behind: before > 0}, nil
}

// parseSigner says nothing of what the parser said: its message is about the bytes of a key.
func parseSigner(b *pem.Block) (crypto.Signer, error) {
	if k, err := x509.ParsePKCS1PrivateKey(b.Bytes); err == nil {
		return k, nil
	}
	if k, err := x509.ParseECPrivateKey(b.Bytes); err == nil {
		return k, nil
	}
	k, err := x509.ParsePKCS8PrivateKey(b.Bytes)
	if err != nil {
		return nil, errors.New("its private key cannot be parsed as PKCS #8, PKCS #1 or SEC 1")
	}
	signer, ok := k.(crypto.Signer)
	if !ok {
		return nil, errors.New("its private key is of a kind that cannot sign")
	}
	return signer, nil
}

// parsePublics reads the public keys of service-account tokens: kubeadm writes one, a rotation leaves several, and the
// API server takes them out of certificates too.
func parsePublics(data []byte) ([]crypto.PublicKey, error) {
	all, err := blocks(data)
	if err != nil {
		return nil, err
	}
	var keys []crypto.PublicKey
	for i, b := range all {
		var k crypto.PublicKey
		var err error
		switch b.Type {
		case "PUBLIC KEY":
			k, err = x509.ParsePKIXPublicKey(b.Bytes)
		case "RSA PUBLIC KEY":
			k, err = x509.ParsePKCS1PublicKey(b.Bytes)
		case "CERTIFICATE":
			var c *x509.Certificate
			if c, err = x509.ParseCertificate(b.Bytes); err == nil {
				k = c.PublicKey
			}
		default:
			return nil, fmt.Errorf("block %d in it is %s and not a public key", i+1, kindOf(b))
		}
		if err != nil {
			return nil, fmt.Errorf("public key %d in it cannot be parsed: %w", i+1, err)
		}
		keys = append(keys, k)
	}
	return keys, nil
}

// kindOf names a block. Its type is text of the file, so that only the usual ones are repeated.
func kindOf(b *pem.Block) string {
	switch b.Type {
	case "CERTIFICATE":
		return "a certificate"
	case "PUBLIC KEY", "RSA PUBLIC KEY":
		return "a public key"
	case "EC PARAMETERS":
		return "the parameters of a curve"
	case "CERTIFICATE REQUEST", "NEW CERTIFICATE REQUEST":
		return "a certificate request"
	}
	if strings.HasSuffix(b.Type, "PRIVATE KEY") {
		return "a private key"
	}
	return "something else"
}

// samePublic compares public keys of any kind.
func samePublic(a, b crypto.PublicKey) bool {
	k, ok := a.(interface{ Equal(crypto.PublicKey) bool })
	return ok && b != nil && k.Equal(b)
}
