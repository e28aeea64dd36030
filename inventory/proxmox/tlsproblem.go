package proxmox

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"time"

	"github.com/proxaudit/proxaudit/inventory/proxmox/transport"
)

// tlsProblem says in which way a certificate was not accepted; empty for an error that is not about TLS.
func tlsProblem(err error) string {
	var pinned *transport.FingerprintError
	if errors.As(err, &pinned) {
		return pinned.Error()
	}
	served := ""
	if fingerprint, ok := servedFingerprint(err); ok {
		served = "; SHA-256 fingerprint of the certificate: " + fingerprint
	}
	var expired x509.CertificateInvalidError
	if errors.As(err, &expired) && expired.Reason == x509.Expired {
		return fmt.Sprintf("the certificate is not valid now: it is from %s to %s%s",
			expired.Cert.NotBefore.UTC().Format(time.RFC3339), expired.Cert.NotAfter.UTC().Format(time.RFC3339), served)
	}
	var host x509.HostnameError
	if errors.As(err, &host) {
		return fmt.Sprintf("the certificate is for other names: %s%s", host.Error(), served)
	}
	var authority x509.UnknownAuthorityError
	if errors.As(err, &authority) {
		return "the certificate is signed by an authority that this machine does not know" + served
	}
	var verify *tls.CertificateVerificationError
	if errors.As(err, &verify) {
		return verify.Error() + served
	}
	var record tls.RecordHeaderError
	if errors.As(err, &record) {
		return "the server does not speak TLS on this port: " + record.Msg
	}
	return ""
}

// tlsRemedy fits the problem: pinning helps against everything but a server without TLS.
func (c *Collector) tlsRemedy(e *transport.Error) string {
	var expired x509.CertificateInvalidError
	if errors.As(e, &expired) && expired.Reason == x509.Expired {
		return "on the node: pvecm updatecerts --force && systemctl restart pveproxy; until then " + c.reachRemedy(e)
	}
	var host x509.HostnameError
	if errors.As(e, &host) {
		return "use one of those names in the URL; " + c.reachRemedy(e)
	}
	return c.reachRemedy(e)
}
