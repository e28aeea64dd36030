package kube

import (
	"time"

	"github.com/proxaudit/proxaudit/inventory"
)

// DefaultTimeout is the time that one request may take if the Target names none.
const DefaultTimeout = 30 * time.Second

// Target says which API server to read and how to get there.
type Target struct {
	// Key is the name of the workload cluster in the Snapshot. It is only used in messages.
	Key string
	// Kubeconfig is the path of a kubeconfig file. Empty means kubectl's own rules: KUBECONFIG (a list), else
	// ~/.kube/config, else the service account of the Pod that this runs in.
	Kubeconfig string
	// Context is a context of the kubeconfig; empty means its current one.
	Context string
	// Data is a kubeconfig that was read from somewhere else, a Secret say. It is not trusted: a kubeconfig in it
	// that runs a program, names a file, skips certificate verification, has no https or goes through a proxy is refused. It may still point at any
	// address: connecting to a Target with Data sends its credentials to the server that it names.
	Data inventory.Secret
	// Origin says where Data came from, like "secret prod/prod-kubeconfig"; it becomes the Cluster's Access.
	Origin string
	// Timeout is for one request; 0 means DefaultTimeout.
	Timeout time.Duration
	// HashKey keys the hashes that stand in for secret fields, so that equal secrets stay recognisably equal within
	// one Snapshot. Empty means 32 random bytes per Client. It is never stored.
	HashKey []byte
	// Logf takes progress and the server's warnings; nil drops them.
	Logf func(format string, args ...any)
}

func (t Target) timeout() time.Duration {
	if t.Timeout <= 0 {
		return DefaultTimeout
	}
	return t.Timeout
}

func (t Target) logf(format string, args ...any) {
	if t.Logf != nil {
		t.Logf(format, args...)
	}
}
