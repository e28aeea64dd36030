package kubesim

import (
	"fmt"
	"os"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"
)

// ConfigFile is the name of the optional configuration in a folder of manifests.
const ConfigFile = "kubesim.yaml"

// DefaultVersion is the server version of a cluster that names none.
const DefaultVersion = "v1.36.3"

// Config says what manifests cannot say.
type Config struct {
	// Version is the server's version, like "v1.33.4".
	Version string `json:"version,omitempty"`
	// Kinds are installed beside those of the manifests, with versions that no manifest has, or without objects.
	Kinds []Kind `json:"kinds,omitempty"`
	// Discovery is "aggregated" (the default), "aggregated-v2beta1" (Kubernetes 1.26 to 1.29) or "legacy".
	Discovery string `json:"discovery,omitempty"`
	// Stale lists groups ("metrics.k8s.io") or group versions ("cluster.x-k8s.io/v1beta2") whose discovery fails.
	Stale  []string `json:"stale,omitempty"`
	Faults []Fault  `json:"faults,omitempty"`
}

// Kind is an installed kind.
type Kind struct {
	Group    string   `json:"group,omitempty"`
	Kind     string   `json:"kind"`
	Versions []string `json:"versions"`
	// Plural is the resource's name in URLs; guessed from the kind if empty.
	Plural string `json:"plural,omitempty"`
	// ClusterScoped kinds have no namespace.
	ClusterScoped bool `json:"clusterScoped,omitempty"`
}

// The forms of discovery.
const (
	DiscoveryAggregated        = "aggregated"
	DiscoveryAggregatedV2Beta1 = "aggregated-v2beta1"
	DiscoveryLegacy            = "legacy"
)

// Fault makes requests go wrong. All conditions that are set have to hold.
type Fault struct {
	// Path is the exact path of the requests; empty matches by Resource, and with that empty too, every request.
	Path string `json:"path,omitempty"`
	// Resource is like "machines.cluster.x-k8s.io", or "nodes" in the core group.
	Resource string `json:"resource,omitempty"`
	// Namespace of the request; empty matches all.
	Namespace string `json:"namespace,omitempty"`
	// Page is the page of a list, from 1; 0 matches all.
	Page int `json:"page,omitempty"`
	// After lets that many matching requests pass first.
	After int `json:"after,omitempty"`
	// Times is how often the fault happens; 0 is always.
	Times int `json:"times,omitempty"`

	// Latency delays the answer.
	Latency metav1.Duration `json:"latency,omitempty"`
	// Status is the HTTP status to answer with; 0 answers as usual (after the latency, with the body).
	Status int `json:"status,omitempty"`
	// Message is the Status object's message; empty gives what an API server says.
	Message string `json:"message,omitempty"`
	// RetryAfter is the header's value in seconds, for 429 and 503.
	RetryAfter int `json:"retryAfter,omitempty"`
	// Body is sent as it is instead of JSON.
	Body string `json:"body,omitempty"`
	// Drop closes the connection without an answer.
	Drop bool `json:"drop,omitempty"`
}

func readConfig(path string) (Config, error) {
	var c Config
	data, err := os.ReadFile(path) //nolint:gosec // the path is the caller's own folder
	if err != nil {
		return c, err
	}
	if err := yaml.UnmarshalStrict(data, &c); err != nil {
		return c, fmt.Errorf("%s: %w", path, err)
	}
	return c, c.check(path)
}

func (c *Config) check(where string) error {
	switch c.Discovery {
	case "", DiscoveryAggregated, DiscoveryAggregatedV2Beta1, DiscoveryLegacy:
	default:
		return fmt.Errorf("%s: discovery %q: want %s, %s or %s", where, c.Discovery, DiscoveryAggregated, DiscoveryAggregatedV2Beta1, DiscoveryLegacy)
	}
	for _, k := range c.Kinds {
		if k.Kind == "" || len(k.Versions) == 0 {
			return fmt.Errorf("%s: kinds: %q in group %q needs kind and versions", where, k.Kind, k.Group)
		}
	}
	return nil
}

// longest is how long a fault may hold a request: a simulator must not outlive its test.
const longest = 5 * time.Minute
