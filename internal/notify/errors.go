package notify

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"syscall"
)

var errNoRequest = errors.New("no request can be made of its URL")

// withoutURL says what kept a request from its answer. The library's errors repeat the URL, or its host, in several places, so that none of
// their text is used.
func withoutURL(err error) error {
	var (
		dns       *net.DNSError
		authority x509.UnknownAuthorityError
		hostname  x509.HostnameError
		invalid   x509.CertificateInvalidError
		record    tls.RecordHeaderError
		alert     tls.AlertError
		number    syscall.Errno
		op        *net.OpError
	)
	switch {
	case errors.As(err, &dns) && dns.IsNotFound:
		return errors.New("the host of its URL has no address in the DNS")
	case errors.As(err, &dns):
		return errors.New("the DNS did not answer for the host of its URL")
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, os.ErrDeadlineExceeded), isTimeout(err):
		return errors.New("no answer within " + timeout.String())
	case errors.As(err, &authority):
		return errors.New("its certificate is of an authority that this machine does not trust (SSL_CERT_FILE names others)")
	case errors.As(err, &hostname):
		return errors.New("its certificate is for another host than that of its URL")
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired:
		return errors.New("its certificate has expired, or is not valid yet")
	case errors.As(err, &invalid):
		return errors.New("its certificate is not valid")
	case errors.As(err, &record), errors.Is(err, http.ErrSchemeMismatch):
		return errors.New("it does not speak TLS: does its URL begin with https:// where http:// is meant?")
	case errors.As(err, &alert):
		return errors.New("the TLS handshake failed")
	case errors.As(err, &number):
		return errors.New(number.Error())
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return errors.New("it closed the connection without an answer")
	case errors.As(err, &op):
		return errors.New("the connection failed (" + op.Op + ")")
	default:
		return errors.New("the request failed")
	}
}

func isTimeout(err error) bool {
	var t interface{ Timeout() bool }
	return errors.As(err, &t) && t.Timeout()
}
