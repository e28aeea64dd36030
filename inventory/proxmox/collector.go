package proxmox

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"

	pveapi "github.com/Telmate/proxmox-api-go/proxmox"

	"github.com/proxaudit/proxaudit/inventory"
	"github.com/proxaudit/proxaudit/inventory/proxmox/redact"
	"github.com/proxaudit/proxaudit/inventory/proxmox/transport"
)

// Collector reads one site. Its methods that take a context ask the API; they are meant to be called one after the
// other (Collect, then Probe and Agents).
type Collector struct {
	cfg    Config
	base   *url.URL
	way    *transport.Transport
	client *pveapi.Client

	// certificate is the fingerprint of the one that was accepted unchecked.
	certificate *atomic.Value

	mu sync.Mutex
	// What Collect learned, for the passes after it.
	name  string
	major int
	// free says why the site's word that a VMID is free is not believed.
	free doubt
	// listed is true if the guest list was read.
	listed bool
}

// New checks the configuration. It asks nothing.
func New(cfg Config) (*Collector, error) {
	cfg.setDefaults()
	cfg.TokenID = strings.TrimSpace(cfg.TokenID)
	cfg.Secret = trimmed(cfg.Secret)
	where := "Proxmox site"
	if cfg.Site != "" {
		where += " " + cfg.Site
	}
	base, err := parseURL(cfg.URL, cfg.Insecure)
	if err != nil {
		return nil, fmt.Errorf("%s: the Proxmox URL %w", where, err)
	}
	if err := verifyToken(cfg.TokenID, cfg.Secret.Reveal()); err != nil {
		return nil, fmt.Errorf("%s: %w", where, err)
	}
	certificate := &atomic.Value{}
	way, err := transport.New(transport.Options{
		Base:    base,
		TLS:     transport.TLS{CAFile: cfg.CAFile, Fingerprint: cfg.Fingerprint, Insecure: cfg.Insecure, Served: func(f string) { certificate.Store(f) }},
		Secret:  cfg.Secret,
		PerNode: cfg.PerNode, Total: cfg.Total,
		Timeout: cfg.Timeout, RetryDelay: cfg.retryDelay, MaxBody: maxAnswer,
		Logf: cfg.Logf,
	})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", where, err)
	}
	// Handed an http.Client, Telmate's client uses it as it is and ignores its own TLS and proxy arguments.
	client, err := pveapi.NewClient(base.String(), &http.Client{Transport: way}, "", nil, "", int(cfg.Timeout.Seconds()), false)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", where, err)
	}
	var id pveapi.ApiTokenID
	if err := id.Parse(cfg.TokenID); err != nil {
		return nil, fmt.Errorf("%s: %w", where, err)
	}
	client.SetAPIToken(id, pveapi.ApiTokenSecret(cfg.Secret.Reveal()))
	return &Collector{cfg: cfg, certificate: certificate, base: base, way: way, client: client, name: cfg.Site, free: noHosts("")}, nil
}

// Name is the site's name: the configured one, else what Collect found, else the URL's host.
func (c *Collector) Name() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.name == "" {
		return c.base.Hostname()
	}
	return c.name
}

// served is the fingerprint of the certificate that was accepted unchecked; empty if there was none.
func (c *Collector) served() string {
	f, _ := c.certificate.Load().(string)
	return f
}

// Listed is true if Collect read the site's guest list, whole or not. Of a site that it is false for nothing more should be
// asked: it did not answer or refused the token, and what is missing from a list that there is not is everything.
func (c *Collector) Listed() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.listed
}

// Requests counts everything that was asked so far, over all passes.
func (c *Collector) Requests() inventory.Requests {
	count, retries := c.way.Counts()
	return inventory.Requests{Source: inventory.SiteSource(c.Name()), Count: count, Retries: retries}
}

// Close lets go of idle connections.
func (c *Collector) Close() { c.way.CloseIdleConnections() }

// get asks one question and returns what stands under "data", without the user information of URLs in any text.
func (c *Collector) get(ctx context.Context, path string) (any, *transport.Error) {
	data, _, e := c.page(ctx, path)
	return data, e
}

// page is get for a list that comes in pages: total is what stands beside the data, nil if nothing does.
func (c *Collector) page(ctx context.Context, path string) (data, total any, e *transport.Error) {
	ctx, ex := transport.WithExchange(ctx)
	var body map[string]any
	err := c.client.GetJsonRetryable(ctx, path, &body, 1)
	if ex.Err != nil {
		return nil, nil, ex.Err
	}
	fault := func(reason string) *transport.Error {
		return &transport.Error{Kind: transport.Malformed, Method: http.MethodGet, Path: path, Reason: reason}
	}
	if err != nil {
		return nil, nil, fault("the answer cannot be decoded")
	}
	data, ok := body["data"]
	if !ok {
		return nil, nil, fault("the answer has no data")
	}
	return redact.Strings(data), body["total"], nil
}

// pass is one collection's fragment in the making.
type pass struct {
	c        *Collector
	snapshot *inventory.Snapshot
	count    int
	retries  int
}

func (c *Collector) newPass() *pass {
	p := &pass{c: c, snapshot: &inventory.Snapshot{Coverage: []inventory.Coverage{}}}
	p.count, p.retries = c.way.Counts()
	return p
}

func (p *pass) cover(cov inventory.Coverage) { p.snapshot.Coverage = append(p.snapshot.Coverage, cov) }

// finish names the source, which is known only after the cluster's status was read, and counts what this pass asked.
func (p *pass) finish() *inventory.Snapshot {
	source := inventory.SiteSource(p.c.Name())
	for i := range p.snapshot.Coverage {
		p.snapshot.Coverage[i].Source = source
	}
	count, retries := p.c.way.Counts()
	p.snapshot.Requests = []inventory.Requests{{Source: source, Count: count - p.count, Retries: retries - p.retries}}
	p.snapshot.Sort()
	return p.snapshot
}
