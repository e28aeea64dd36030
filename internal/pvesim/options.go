package pvesim

import (
	"net/url"
	"time"
)

// NoDelay as a delay in [Options] turns that delay off.
const NoDelay time.Duration = -1

// Options are the settings of a [Server] that do not belong to the fleet.
type Options struct {
	// Listen is the address of the API of the first node that is on. It must be
	// a loopback address. Empty means 127.0.0.1 and a free port. The other nodes
	// listen on free ports of the same host.
	Listen string
	// PlainHTTP leaves TLS away.
	PlainHTTP bool
	// AuthDelay is how long a failed authentication takes; 0 means the 3 s of
	// Proxmox VE, [NoDelay] none.
	AuthDelay time.Duration
	// AgentTimeout is how long a guest agent that does not answer holds a worker;
	// 0 means the 3 s of Proxmox VE, [NoDelay] none.
	AgentTimeout time.Duration
	// BroadcastEvery is how long a change made with [Server.Update] takes to reach
	// the rows of /cluster/resources and of pools: until then a guest has its old
	// name and status there, and a new one is "unknown". Proxmox VE takes up to
	// 10 s. 0 means at once.
	BroadcastEvery time.Duration
	// Writable lets the writes through that a Cluster API provider sends: cloning,
	// configuring, resizing, starting, stopping and destroying a VM, and an ISO
	// image's upload and removal. They are checked and carried out as in Proxmox VE
	// and leave tasks. Any other write is "not implemented". Without it, the
	// default, no request changes anything. OnWrite is not asked then.
	Writable bool
	// OnWrite decides about a request that is not a GET. Without it all are
	// refused. It is called without any lock held, so it may call
	// [Server.Update]; what it returns becomes "data".
	OnWrite func(w Write) (data any, allowed bool)
	// Now is the clock; nil means the real one.
	Now func() time.Time
}

// Write is a request that would change something.
type Write struct {
	Method string
	Path   string // without /api2/json
	Form   url.Values
	Token  string // ID
}

func (o Options) authDelay() time.Duration    { return delayOr3s(o.AuthDelay) }
func (o Options) agentTimeout() time.Duration { return delayOr3s(o.AgentTimeout) }

func delayOr3s(d time.Duration) time.Duration {
	switch {
	case d == 0:
		return 3 * time.Second
	case d < 0:
		return 0
	}
	return d
}

func (o Options) now() time.Time {
	if o.Now != nil {
		return o.Now()
	}
	return time.Now()
}
