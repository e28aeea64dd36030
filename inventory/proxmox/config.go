package proxmox

import (
	"sync"
	"time"

	"github.com/proxaudit/proxaudit/inventory"
)

// Config says which site to read and how. URL, TokenID and Secret are needed.
type Config struct {
	// Site is proxaudit's name for the site. Empty: the Proxmox cluster's name, else the only node's, else the
	// URL's host.
	Site string
	// URL is the API's address; /api2/json is completed.
	URL string
	// TokenID is like user@realm!name.
	TokenID string
	// Secret is the token's value.
	Secret inventory.Secret

	// CAFile is a PEM file with the only authorities that may have signed the API's certificate.
	CAFile string
	// Fingerprint is the SHA-256 of the API's certificate, with or without colons.
	Fingerprint string
	// Insecure accepts any certificate, and plain HTTP to other machines.
	Insecure bool

	// Regions are the names under which the Proxmox cloud controller manager knows this site.
	Regions []string

	// PerNode bounds the requests in flight to one Proxmox node (default 3), Total those over all nodes (default 24).
	PerNode, Total int
	// Timeout is for one request (default 35 s: Proxmox itself gives up on a node after 30).
	Timeout time.Duration
	// GuestAgent says that Agents will be asked; Doctor then checks the privilege for it.
	GuestAgent bool
	// Adoption asks for what adopt and verify need of a site beyond who is who: its storages and the tasks of the last 24
	// hours. That costs one request more for the site and two for each host that is not offline (and one for each further
	// 500 tasks of a host). Doctor then checks the privileges for it.
	Adoption bool
	// Tasks asks for the tasks alone.
	Tasks bool
	// TaskWindow is how far back tasks are read; 0 means TaskWindow.
	TaskWindow time.Duration
	// Configurations says whose configuration is read; nil reads all. A run that only watches a few machines spares the site
	// a request for every other guest; the others are listed, and their configuration is then not known.
	Configurations func(inventory.Key) bool
	// Now is the run's clock, from which the 24 hours of tasks are counted back; zero means the time of day.
	Now time.Time

	// Logf gets what a person may want to know while the run goes on; nil drops it. It is never called twice at a
	// time, and no secret is ever in it.
	Logf func(format string, args ...any)
	// Progress is told how many of the configurations have been asked for; it is never called twice at a time.
	Progress func(done, total int)

	// retryDelay is waited before a request is repeated; tests shorten it.
	retryDelay time.Duration
}

// Measured on Proxmox VE 8: a node's throughput is used up with three requests in flight, because pveproxy and
// pvedaemon have three workers each (pve-manager, MAX_WORKERS); more only lengthens everybody's queue.
const (
	defaultPerNode    = 3
	defaultTotal      = 24
	defaultTimeout    = 35 * time.Second
	defaultRetryDelay = time.Second
	// maxAnswer bounds one answer. A guest list of 50,000 rows has about 25 MiB.
	maxAnswer = 64 << 20
)

func (c *Config) setDefaults() {
	if c.PerNode <= 0 {
		c.PerNode = defaultPerNode
	}
	if c.Total <= 0 {
		c.Total = defaultTotal
	}
	if c.Timeout <= 0 {
		c.Timeout = defaultTimeout
	}
	if c.Now.IsZero() {
		c.Now = time.Now()
	}
	if c.retryDelay <= 0 {
		c.retryDelay = defaultRetryDelay
	}
	c.Logf = oneAtATime(c.Logf)
	if c.Progress == nil {
		c.Progress = func(int, int) {}
	}
}

// oneAtATime makes a logger safe for the many requests that are in flight.
func oneAtATime(logf func(string, ...any)) func(string, ...any) {
	if logf == nil {
		return func(string, ...any) {}
	}
	var mu sync.Mutex
	return func(format string, args ...any) {
		mu.Lock()
		defer mu.Unlock()
		logf(format, args...)
	}
}
