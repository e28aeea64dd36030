package kube

import (
	"crypto/rand"
	"fmt"
	"net/http"
	"net/url"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/client-go/rest"

	"github.com/proxaudit/proxaudit/inventory"
)

// maxRetries bounds what client-go does by itself about a 429 with Retry-After or a connection that broke.
const maxRetries = 3

// Client reads one API server. It is safe for concurrent use; discovery is asked once.
type Client struct {
	target Target
	// context is the kubeconfig context, or "in-cluster".
	context string
	access  string
	server  *url.URL
	config  *rest.Config
	rest    rest.Interface
	wire    *readOnly
	clean   *sanitizer
	known   *credentials

	discovery once[*discovered]
	version   once[string]
	secrets   tally
}

// Connect prepares a Client. Nothing is sent yet; an error means that there is no usable kubeconfig, and says which
// file and context were tried.
func Connect(t Target) (*Client, error) { return connect(t, rest.InClusterConfig) }

func connect(t Target, inCluster func() (*rest.Config, error)) (*Client, error) {
	found, err := loadConfig(t, inCluster)
	if err != nil {
		return nil, err
	}
	cfg := found.config
	server, _, err := rest.DefaultServerUrlFor(cfg)
	if err != nil {
		return nil, fmt.Errorf("%s: its server address cannot be used: it is no URL of a host", found.access)
	}
	c := &Client{target: t, context: found.context, access: found.access, server: server, config: cfg, known: found.known}
	c.known.add(cfg.BearerToken, cfg.Password)
	c.wire = &readOnly{scheme: server.Scheme, host: server.Host, limit: maxAnswer, known: c.known, roots: &roots{}}

	cfg.Timeout = t.timeout()
	// One run asks a few dozen lists: client-go's default of 5 a second would be the slowest part of it.
	cfg.QPS = -1
	cfg.UserAgent = "proxaudit"
	cfg.WarningHandler = warnings{c}
	cfg.Wrap(c.wire.wrap)
	cfg.NegotiatedSerializer = statusCodec()
	cfg.AcceptContentTypes, cfg.ContentType = "application/json", "application/json"
	httpClient, err := rest.HTTPClientFor(cfg)
	if err != nil {
		return nil, fmt.Errorf("%s: the credentials cannot be used: %s", found.access, c.oneLine(err.Error()))
	}
	// The transport refuses a redirect already; this is in case somebody takes it out.
	httpClient.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	if c.rest, err = rest.UnversionedRESTClientForConfigAndClient(cfg, httpClient); err != nil {
		return nil, fmt.Errorf("%s: %s", found.access, c.oneLine(err.Error()))
	}
	if c.clean, err = newSanitizer(t.HashKey); err != nil {
		return nil, err
	}
	return c, nil
}

// Context is the kubeconfig context that the Client uses, or "in-cluster".
func (c *Client) Context() string { return c.context }

// Access is the way to the server as inventory.Cluster.Access has it.
func (c *Client) Access() string { return c.access }

// Server is the API server's URL without user information.
func (c *Client) Server() string {
	u := *c.server
	u.User = nil
	return u.String()
}

// SecretRequests counts what WorkloadKubeconfig asked: the caller adds it to the management cluster's Requests.
func (c *Client) SecretRequests() inventory.Requests {
	return c.secrets.requests(inventory.ManagementSource)
}

// statusCodec decodes the Status objects in which an API server states its errors; all else is decoded here.
func statusCodec() runtime.NegotiatedSerializer {
	s := runtime.NewScheme()
	metav1.AddToGroupVersion(s, schema.GroupVersion{Version: "v1"})
	return serializer.NewCodecFactory(s).WithoutConversion()
}

// warnings passes the server's deprecation warnings to the log, where client-go would print them to stderr.
type warnings struct{ c *Client }

func (w warnings) HandleWarningHeader(_ int, _ string, text string) {
	w.c.logf("server warning: %s", text)
}

// logf says which server a message is about: the workload cluster's key, or the context.
func (c *Client) logf(format string, args ...any) {
	name := c.target.Key
	if name == "" {
		name = c.context
	}
	c.target.logf("%s: %s", name, c.oneLine(fmt.Sprintf(format, args...)))
}

func randomKey() ([]byte, error) {
	key := make([]byte, 32)
	if _, err := rand.Read(key); err != nil {
		return nil, fmt.Errorf("no random bytes from the system: %w", err)
	}
	return key, nil
}

var _ http.RoundTripper = (*readOnly)(nil)
