package kube

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"syscall"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/proxaudit/proxaudit/inventory"
)

// TestExplain: the failures that no server on loopback produces on demand.
func TestExplain(t *testing.T) {
	c, err := Connect(Target{Kubeconfig: kubeconfigFor(t, "https://api.example.com:6443")})
	if err != nil {
		t.Fatal(err)
	}
	sent := func(err error) error {
		return &url.Error{Op: "Get", URL: "https://api.example.com:6443/apis", Err: err}
	}
	for name, want := range map[string]struct {
		err            error
		reason, remedy string
		state          inventory.State
		whole, tls     bool
	}{
		"no such name":   {err: sent(&net.DNSError{Err: "no such host", Name: "api.example.com"}), reason: "no such host", remedy: "DNS", whole: true},
		"no route":       {err: sent(&net.OpError{Op: "dial", Err: syscall.EHOSTUNREACH}), reason: "no route to host", remedy: "address", whole: true},
		"no network":     {err: sent(syscall.ENETUNREACH), reason: "network is unreachable", remedy: "address", whole: true},
		"wrong name":     {err: sent(&tls.CertificateVerificationError{Err: x509.HostnameError{Certificate: &x509.Certificate{}, Host: "api.example.com"}}), reason: "x509", remedy: "its names", whole: true, tls: true},
		"expired":        {err: sent(x509.CertificateInvalidError{Reason: x509.Expired}), reason: "expired", remedy: "its dates", whole: true, tls: true},
		"no TLS":         {err: sent(tls.RecordHeaderError{Msg: "first record does not look like a TLS handshake"}), reason: "TLS handshake", remedy: "speaks no TLS", whole: true, tls: true},
		"deadline":       {err: sent(context.DeadlineExceeded), reason: "no answer from https://api.example.com:6443 within 30s", remedy: "--request-timeout", whole: true},
		"client timeout": {err: errors.New("net/http: request canceled (Client.Timeout exceeded while reading body)"), reason: "no answer", whole: true},
		"interrupted":    {err: sent(context.Canceled), reason: "interrupted", whole: true},
		"plugin":         {err: sent(errors.New("getting credentials: exec: executable aws not found")), reason: "executable aws not found", remedy: "plugin", state: inventory.Refused, whole: true},
		"credentials":    {err: fmt.Errorf("proxy https://u:canary@p: bad"), reason: "https://REDACTED@p"},
		"unavailable":    {err: apierrors.NewServiceUnavailable("etcd is away"), reason: "503 from https://api.example.com:6443: etcd is away"},
		"in many lines":  {err: errors.New("a\n  b\tc"), reason: "a b c"},
		"no status":      {err: apierrors.NewGenericServerResponse(http.StatusBadGateway, "get", schema.GroupResource{Resource: "nodes"}, "n", "<html>", 0, true), reason: "502 from"},
	} {
		f := c.explain(want.err)
		if want.state == "" {
			want.state = inventory.Failed
		}
		if f.state != want.state || f.whole != want.whole || f.tls != want.tls || !strings.Contains(f.reason, want.reason) || !strings.Contains(f.remedy, want.remedy) {
			t.Errorf("%s: %+v", name, f)
		}
		if strings.Contains(f.reason, "canary") {
			t.Errorf("%s: %s", name, f.reason)
		}
	}
}
