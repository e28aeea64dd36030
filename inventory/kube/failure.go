package kube

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strings"
	"syscall"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/proxaudit/proxaudit/inventory"
	"github.com/proxaudit/proxaudit/inventory/shell"
)

// notKubernetes is an answer with status 200 that is not what a Kubernetes API sends: a login page, a broken proxy.
type notKubernetes struct {
	path string
	err  error
}

func (n *notKubernetes) Error() string {
	if n.err == nil {
		return "the answer to " + n.path + " is not a Kubernetes API's"
	}
	return "the answer to " + n.path + " is not a Kubernetes API's: " + n.err.Error()
}

func (n *notKubernetes) Unwrap() error { return n.err }

// failure is what an error means for coverage.
type failure struct {
	state  inventory.State
	reason string
	remedy string
	// whole is true if the error is about the server and not about one resource: nothing else will work either.
	whole bool
	// tls is true if a server answered and its certificate, or the lack of one, was the trouble.
	tls bool
}

// explain turns an error of a request into a failure. The remedy of a 403 depends on the resource and is the caller's.
func (c *Client) explain(err error) failure {
	f := failure{state: inventory.Failed, reason: c.reason(err)}
	where := c.Server()
	var refused refusal
	var elsewhere *redirected
	var large tooLarge
	var notK8s *notKubernetes
	var dns *net.DNSError
	var unknownCA x509.UnknownAuthorityError
	var host x509.HostnameError
	var invalid x509.CertificateInvalidError
	var record tls.RecordHeaderError
	switch {
	case errors.As(err, &refused):
		f.remedy = "this is a bug of proxaudit or an odd server address in the kubeconfig: check the address"
	case errors.As(err, &large):
		f.remedy = "look for objects of unusual size, or narrow the run to namespaces"
	case errors.As(err, &elsewhere):
		f.remedy = "if the server redirects to an address that you trust, name that one in the kubeconfig"
	case apierrors.IsUnauthorized(err):
		f.state, f.whole = inventory.Refused, true
		f.reason = fmt.Sprintf("401 from %s: the credentials of %s are not accepted", where, c.access)
		f.remedy = "renew the credentials (kubectl --context " + shell.Quote(c.context) + " auth whoami shows who the server takes you for)"
	case apierrors.IsForbidden(err):
		f.state = inventory.Refused
	case apierrors.IsTooManyRequests(err):
		f.remedy = "the server throttles: run again later, or less often"
	case errors.Is(err, context.Canceled):
		f.reason, f.whole = "interrupted", true
	case errors.As(err, &dns):
		f.whole = true
		f.remedy = "check the server's name in the kubeconfig, and DNS"
	case errors.As(err, &unknownCA):
		f.whole, f.tls = true, true
		f.remedy = "put the cluster's CA into the kubeconfig (certificate-authority-data)"
	case errors.As(err, &host), errors.As(err, &invalid):
		f.whole, f.tls = true, true
		f.remedy = "check the server's certificate: its names and its dates"
	case errors.As(err, &record), strings.Contains(err.Error(), "server gave HTTP response to HTTPS client"):
		f.whole, f.tls = true, true
		f.remedy = "the port speaks no TLS: check the server's URL in the kubeconfig"
	case errors.Is(err, syscall.ECONNREFUSED), errors.Is(err, syscall.EHOSTUNREACH), errors.Is(err, syscall.ENETUNREACH):
		f.whole = true
		f.remedy = "check that the API server runs and that the address is right"
	case isTimeout(err):
		f.whole = true
		f.reason = fmt.Sprintf("no answer from %s within %s", where, c.target.timeout())
		f.remedy = "check the network path, or raise --request-timeout"
	case errors.As(err, &notK8s):
		f.remedy = "check that the kubeconfig's server is a Kubernetes API and not a page in front of one"
	case strings.Contains(err.Error(), "getting credentials"):
		f.state, f.whole = inventory.Refused, true
		f.remedy = "the kubeconfig's credential plugin failed: run it by hand, or log in again"
	}
	return f
}

func isTimeout(err error) bool {
	var n net.Error
	return errors.Is(err, context.DeadlineExceeded) || (errors.As(err, &n) && n.Timeout()) ||
		strings.Contains(err.Error(), "Client.Timeout exceeded")
}

// reason is the error in one line, without credentials.
func (c *Client) reason(err error) string {
	var status apierrors.APIStatus
	if errors.As(err, &status) {
		s := status.Status()
		return c.oneLine(fmt.Sprintf("%d from %s: %s", s.Code, c.Server(), s.Message))
	}
	var wrapped *url.Error
	if errors.As(err, &wrapped) {
		// Its own words are the method and the address, which are said already.
		err = wrapped.Err
	}
	return c.oneLine(fmt.Sprintf("%s: %s", c.Server(), err.Error()))
}

const maxReason = 400

// oneLine is the function of that name without the credentials of this Client: before the text is shortened, because
// a piece of a credential is hard to find.
func (c *Client) oneLine(s string) string { return oneLine(c.known.scrub(s)) }

// scrubbed is an error whose text is fit to be seen. What it stands for stays reachable for errors.Is and errors.As.
type scrubbed struct {
	text string
	err  error
}

func (s *scrubbed) Error() string { return s.text }
func (s *scrubbed) Unwrap() error { return s.err }

func oneLine(s string) string {
	s = scrub(strings.Join(strings.Fields(s), " "))
	if len(s) > maxReason {
		s = strings.ToValidUTF8(s[:maxReason], "") + "…"
	}
	return s
}

// rbacRule is the rule that a role lacks.
func rbacRule(group, resource, verb string) string {
	return fmt.Sprintf(`add to the reader's ClusterRole: {apiGroups: [%q], resources: [%q], verbs: [%q]}`, group, resource, verb)
}
