package kube

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/go-logr/logr"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"
	"k8s.io/klog/v2"

	"github.com/proxaudit/proxaudit/inventory"
	"github.com/proxaudit/proxaudit/inventory/shell"
)

// fieldManager is who applies, as managedFields would have it if anything were written.
const fieldManager = "proxaudit"

// dryRunsAtOnce bounds the requests that are under way: each one runs the webhooks of a provider.
const dryRunsAtOnce = 8

// MissingNamespace is the error of a dry run in a namespace that does not exist: a dry run creates nothing, so that every
// object would be refused for that alone.
type MissingNamespace struct {
	Namespace string
	// Server is the management API that was asked.
	Server string
	// Command makes the namespace.
	Command string
}

func (m *MissingNamespace) Error() string {
	return fmt.Sprintf("the namespace %q does not exist on %s, and a dry run creates nothing: make it first: %s", m.Namespace, m.Server, m.Command)
}

// DryRun asks the API server whether it would take objects, each one manifest in JSON or YAML: a server-side apply with
// dryRun=All, so that validation, defaulting and admission webhooks judge it and nothing is stored. Secrets are left out.
// Objects are judged one by one and do not see each other.
//
// An error means that nothing was judged: *MissingNamespace, an object that is no manifest, or a server that does not
// answer. What is wrong with one object is a Rejection.
func (c *Client) DryRun(ctx context.Context, objects [][]byte) (r inventory.DryRun, err error) {
	manifests := make([]manifest, 0, len(objects))
	for i, data := range objects {
		m, err := readManifest(data)
		if err != nil {
			return r, fmt.Errorf("object %d of %d cannot be sent as a dry run: %w", i+1, len(objects), err)
		}
		if m.isSecret() {
			r.Skipped = append(r.Skipped, m.ref)
			continue
		}
		manifests = append(manifests, m)
	}
	sender, err := c.dryRunSender()
	if err != nil {
		return r, err
	}
	var t tally
	ctx = withTally(ctx, &t)
	defer func() { r.Requests = t.requests(inventory.ManagementSource) }()
	if len(manifests) == 0 {
		return r, nil
	}
	if err := sender.namespaces(ctx, manifests); err != nil {
		return r, err
	}
	if err := sender.locate(ctx, manifests); err != nil {
		return r, err
	}
	answers, err := sender.sendAll(ctx, manifests)
	if err != nil {
		return r, err
	}
	for i, m := range manifests {
		if m.path != "" {
			r.Sent++
		}
		r.Rejections = append(r.Rejections, answers[i]...)
		if len(answers[i]) == 0 {
			r.Accepted++
		}
	}
	return r, nil
}

// dryRunSender sends by a client of its own.
type dryRunSender struct {
	c    *Client
	rest rest.Interface
}

func (c *Client) dryRunSender() (*dryRunSender, error) {
	cfg := rest.CopyConfig(c.config)
	wire := &dryRunOnly{scheme: c.server.Scheme, host: c.server.Host, prefix: strings.TrimRight(c.server.Path, "/"), limit: maxAnswer, known: c.known}
	// In the place of the readOnly transport, and not around it: this Client's reads never come by here.
	cfg.WrapTransport = func(next http.RoundTripper) http.RoundTripper {
		w := *wire
		w.next = next
		return &w
	}
	httpClient, err := rest.HTTPClientFor(cfg)
	if err != nil {
		return nil, fmt.Errorf("%s: the credentials cannot be used: %s", c.access, c.oneLine(err.Error()))
	}
	httpClient.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	client, err := rest.UnversionedRESTClientForConfigAndClient(cfg, httpClient)
	if err != nil {
		return nil, fmt.Errorf("%s: %s", c.access, c.oneLine(err.Error()))
	}
	return &dryRunSender{c: c, rest: client}, nil
}

func (d *dryRunSender) do(ctx context.Context, req *rest.Request) ([]byte, error) {
	tallyOf(ctx).ask()
	deadline := d.c.target.timeout() + maxRetries*maxRetryAfter
	res := req.MaxRetries(maxRetries).Timeout(deadline).Do(klog.NewContext(ctx, logr.Discard()))
	if err := res.Error(); err != nil {
		return nil, err
	}
	return res.Raw()
}

// namespaces looks for each namespace. One that this user may not read is left to the objects themselves to miss.
func (d *dryRunSender) namespaces(ctx context.Context, manifests []manifest) error {
	var seen []string
	for _, m := range manifests {
		ns := m.ref.Namespace
		if ns == "" || slices.Contains(seen, ns) {
			continue
		}
		seen = append(seen, ns)
		_, err := d.do(ctx, d.rest.Get().AbsPath("/api/v1/namespaces/"+ns))
		switch {
		case err == nil, apierrors.IsForbidden(err):
		case apierrors.IsNotFound(err):
			return d.c.missingNamespace(ns)
		default:
			return d.c.notAsked(err)
		}
	}
	return nil
}

func (c *Client) missingNamespace(ns string) *MissingNamespace {
	command := "kubectl create namespace " + shell.Quote(ns)
	if c.context != inventory.InCluster {
		command = "kubectl --context " + shell.Quote(c.context) + " create namespace " + shell.Quote(ns)
	}
	return &MissingNamespace{Namespace: ns, Server: c.Server(), Command: command}
}

// notAsked is the error of a server that cannot be asked at all.
func (c *Client) notAsked(err error) error {
	f := c.explain(err)
	text := "no dry run on " + c.Server() + ": " + f.reason
	if f.remedy != "" {
		text += ": " + f.remedy
	}
	return &scrubbed{text: text, err: err}
}

// sendAll asks about every object that has a path. When the server is found to be gone the rest is not sent.
func (d *dryRunSender) sendAll(ctx context.Context, manifests []manifest) ([][]inventory.Rejection, error) {
	answers := make([][]inventory.Rejection, len(manifests))
	var wg sync.WaitGroup
	var mu sync.Mutex
	var gone error
	var missing *MissingNamespace
	slots := make(chan struct{}, dryRunsAtOnce)
	for i := range manifests {
		slots <- struct{}{}
		wg.Go(func() {
			defer func() { <-slots }()
			m := manifests[i]
			if m.path == "" {
				answers[i] = []inventory.Rejection{d.notServed(m)}
				return
			}
			mu.Lock()
			before := gone
			mu.Unlock()
			if before != nil {
				answers[i] = []inventory.Rejection{d.unsent(m, before)}
				return
			}
			err := d.send(ctx, m)
			if err == nil {
				return
			}
			mu.Lock()
			defer mu.Unlock()
			if isMissingNamespace(err) {
				missing = d.c.missingNamespace(m.ref.Namespace)
			}
			if gone == nil && d.c.explain(err).whole {
				gone = err
			}
			answers[i] = d.rejections(m, err)
		})
	}
	wg.Wait()
	switch {
	case ctx.Err() != nil:
		return nil, d.c.notAsked(ctx.Err())
	case missing != nil:
		return nil, missing
	}
	return answers, nil
}

func (d *dryRunSender) send(ctx context.Context, m manifest) error {
	_, err := d.do(ctx, d.rest.Patch(types.ApplyYAMLPatchType).AbsPath(m.path).
		Param("dryRun", dryRunAll).
		Param("fieldManager", fieldManager).
		Param("force", "false").
		// As kubectl asks: a field that the server does not know is a fault and not left out.
		Param("fieldValidation", "Strict").
		Body(m.json))
	return err
}
