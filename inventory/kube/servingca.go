package kube

import (
	"crypto/sha256"
	"crypto/tls"
	"encoding/hex"
	"maps"
	"slices"
	"sync"

	"github.com/proxaudit/proxaudit/inventory"
)

// roots are the certificates to which a server's own was verified on the connections of one Client. Which of them signed
// it cannot be asked of anybody: the CA in a kubeconfig may hold several, of which only one is in use.
type roots struct {
	mu sync.Mutex
	// seen are hex SHA-256 of the DER forms.
	seen map[string]bool
}

// note takes the state of the connection on which an answer came; nil, or one that was not verified, says nothing.
func (r *roots) note(state *tls.ConnectionState) {
	if r == nil || state == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, chain := range state.VerifiedChains {
		if len(chain) == 0 {
			continue
		}
		if r.seen == nil {
			r.seen = map[string]bool{}
		}
		r.seen[fingerprint(chain[len(chain)-1].Raw)] = true
	}
}

func (r *roots) list() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Sorted(maps.Keys(r.seen))
}

// fingerprint is the lower-case hex SHA-256 of a certificate's DER form, which openssl x509 -fingerprint -sha256 prints
// with colons.
func fingerprint(der []byte) string {
	sum := sha256.Sum256(der)
	return hex.EncodeToString(sum[:])
}

// servingCA tells which CA the connections of this Client showed. With a proxy that ends TLS, that is the proxy's. A
// refusal came over a connection as well; only if there was none does the failure that the caller knows of count.
func (w *workloadReader) servingCA(f failure) {
	cov := inventory.Coverage{Source: w.source, Scope: inventory.ScopeServingCA, State: inventory.Complete, Asked: 1, Got: 1, Optional: true}
	w.cluster.ServingCAs = w.c.wire.roots.list()
	switch {
	case len(w.cluster.ServingCAs) > 0:
	case w.c.server.Scheme != "https":
		cov = withFailure(cov, failure{state: inventory.NotAsked,
			reason: "the connection is not encrypted, so that the server shows no certificate: " + w.c.Server(),
			remedy: "use an https server in the kubeconfig"})
	case w.c.config.Insecure:
		cov = withFailure(cov, failure{state: inventory.NotAsked,
			reason: "the kubeconfig skips the verification of the server's certificate, so that nothing vouches for it",
			remedy: "put the cluster's CA into certificate-authority-data and take insecure-skip-tls-verify out"})
	case f.state != "":
		cov = withFailure(cov, f)
	default:
		cov = withFailure(cov, failure{state: inventory.Failed, reason: "no answer came over a connection whose certificate was verified",
			remedy: "proxaudit doctor checks the connection and says what to do"})
	}
	w.add(cov)
}
