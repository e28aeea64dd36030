package transport

import (
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"strings"
)

// TLS says how the API's certificate is checked. With nothing set the system's certificate authorities decide.
type TLS struct {
	// CAFile is a PEM file with the only authorities that count (Proxmox's own: /etc/pve/pve-root-ca.pem).
	CAFile string
	// Fingerprint is the SHA-256 of the one certificate that is accepted, in hexadecimal, with or without colons.
	// Without CAFile it stands in for the check by an authority, as fingerprints do in Proxmox itself.
	Fingerprint string
	// Insecure accepts any certificate. A Fingerprint is checked all the same.
	Insecure bool
	// Served is told the fingerprint of every certificate that Insecure accepts. It may be nil, and is called from several
	// goroutines.
	Served func(fingerprint string)
}

// FingerprintError is a certificate that is not the one that was pinned.
type FingerprintError struct {
	Want, Got string
}

// Error gives both fingerprints: neither is a secret.
func (e *FingerprintError) Error() string {
	return fmt.Sprintf("the certificate's SHA-256 fingerprint is %s, and the one configured is %s", e.Got, e.Want)
}

// Fingerprint is a certificate's SHA-256 in Proxmox's own spelling (upper case, colons).
func Fingerprint(der []byte) string {
	sum := sha256.Sum256(der)
	parts := make([]string, len(sum))
	for i, b := range sum {
		parts[i] = fmt.Sprintf("%02X", b)
	}
	return strings.Join(parts, ":")
}

// ParseFingerprint brings a SHA-256 fingerprint into Proxmox's spelling. It takes plain hexadecimal, colons, and what
// openssl prints before them ("sha256 Fingerprint=").
func ParseFingerprint(s string) (string, error) {
	s = strings.TrimSpace(s)
	if i := strings.LastIndexByte(s, '='); i >= 0 {
		s = s[i+1:]
	}
	hexed := strings.NewReplacer(":", "", " ", "").Replace(s)
	raw, err := hex.DecodeString(hexed)
	switch {
	case err != nil:
		return "", errors.New("the fingerprint is not hexadecimal: want the certificate's SHA-256, like AB:CD:… (64 digits)")
	case len(raw) == 20:
		return "", errors.New("the fingerprint has 40 digits, as a SHA-1 has: want the certificate's SHA-256 (64 digits)")
	case len(raw) != sha256.Size:
		return "", fmt.Errorf("the fingerprint has %d digits: want the certificate's SHA-256 (64 digits)", len(hexed))
	}
	parts := make([]string, len(raw))
	for i, b := range raw {
		parts[i] = fmt.Sprintf("%02X", b)
	}
	return strings.Join(parts, ":"), nil
}

// config builds the client's TLS configuration.
func (t TLS) config() (*tls.Config, error) {
	c := &tls.Config{MinVersion: tls.VersionTLS12}
	if t.CAFile != "" {
		pem, err := os.ReadFile(t.CAFile)
		if err != nil {
			return nil, fmt.Errorf("cannot read the CA file: %w", err)
		}
		c.RootCAs = x509.NewCertPool()
		if !c.RootCAs.AppendCertsFromPEM(pem) {
			return nil, fmt.Errorf("the CA file %s holds no certificate in PEM form (Proxmox's own is /etc/pve/pve-root-ca.pem)", t.CAFile)
		}
	}
	if t.Fingerprint == "" {
		c.InsecureSkipVerify = t.Insecure
		if t.Insecure && t.Served != nil {
			c.VerifyConnection = func(s tls.ConnectionState) error {
				if len(s.PeerCertificates) > 0 {
					t.Served(Fingerprint(s.PeerCertificates[0].Raw))
				}
				return nil
			}
		}
		return c, nil
	}
	want, err := ParseFingerprint(t.Fingerprint)
	if err != nil {
		return nil, err
	}
	// With a pinned certificate and no CA file the pin is the check: a node's certificate is signed by the
	// cluster's own authority and often names no address that a client uses. VerifyConnection runs in either case.
	c.InsecureSkipVerify = t.CAFile == "" || t.Insecure
	c.VerifyConnection = func(s tls.ConnectionState) error {
		if len(s.PeerCertificates) == 0 {
			return errors.New("the server sent no certificate")
		}
		if got := Fingerprint(s.PeerCertificates[0].Raw); got != want {
			return &FingerprintError{Want: want, Got: got}
		}
		return nil
	}
	return c, nil
}
