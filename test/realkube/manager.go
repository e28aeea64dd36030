package realkube

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"time"
)

// manager is one running provider.
type manager struct {
	managerSpec
	bench *Bench
	path  string
	// dir is the folder of this manager: kubeconfig, certificates, log.
	dir                     string
	kubeconfig              string
	webhookPort, healthPort int
	process                 *process
}

// newManager writes what a manager is started with.
func newManager(s *Server, spec managerSpec) (*manager, error) {
	path, err := binary(spec.binary)
	if err != nil {
		return nil, err
	}
	m := &manager{managerSpec: spec, bench: s.bench, path: path}
	if m.kubeconfig, err = s.bench.path("managers", spec.provider, "kubeconfig"); err != nil {
		return nil, err
	}
	m.dir = filepath.Dir(m.kubeconfig)
	// A user of its own, so that the audit log tells the managers apart, in the group that may do everything: the
	// aggregated ClusterRoles of the manifests need a controller that is not here.
	if err := s.Kubeconfig(m.kubeconfig, spec.provider, "system:masters"); err != nil {
		return nil, err
	}
	pair, err := s.bench.ca.server(spec.provider + "-webhooks")
	if err != nil {
		return nil, err
	}
	certs := certificates(m.dir)
	if err := os.MkdirAll(certs, 0o700); err != nil {
		return nil, err
	}
	return m, errors.Join(
		os.WriteFile(filepath.Join(certs, "tls.crt"), pair.cert, 0o600),
		os.WriteFile(filepath.Join(certs, "tls.key"), pair.key, 0o600))
}

func (m *manager) log() string { return filepath.Join(m.dir, "manager.log") }

// start returns when the manager says that it is healthy and its webhooks answer.
func (m *manager) start(ctx context.Context) error {
	for attempt := 1; ; attempt++ {
		if err := m.choosePorts(ctx); err != nil {
			return err
		}
		err := m.startOnce(ctx)
		if err == nil {
			return nil
		}
		taken := m.process.addressInUse()
		if !taken || m.managerSpec.webhookPort != 0 || attempt == portAttempts {
			if taken {
				err = fmt.Errorf("a port of %s (webhooks: %d) is taken; two benches with managers cannot run at once: %w", m.provider, m.webhookPort, err)
			}
			return errors.Join(err, m.stop())
		}
	}
}

func (m *manager) choosePorts(ctx context.Context) error {
	var err error
	if m.healthPort, err = freePort(ctx); err != nil {
		return err
	}
	if m.webhookPort = m.managerSpec.webhookPort; m.webhookPort == 0 {
		m.webhookPort, err = freePort(ctx)
	}
	return err
}

func (m *manager) startOnce(ctx context.Context) error {
	env := append([]string{
		"TMPDIR=" + m.dir, "POD_NAMESPACE=" + m.namespace, "POD_NAME=" + m.provider, "POD_UID=" + m.provider,
	}, append(m.bench.front.environment(), m.env...)...)
	var err error
	m.process, err = startProcessWith(env, m.provider, m.log(), m.path, m.flags(m.kubeconfig, m.dir, m.webhookPort, m.healthPort)...)
	if err != nil {
		return err
	}
	return ready(ctx, m.process, func(ctx context.Context) error {
		return errors.Join(m.healthy(ctx), m.webhooksAnswer(ctx))
	})
}

// stop gives the manager time to finish what it does: afterwards no request of its own is under way.
func (m *manager) stop() error { return m.process.stop(20 * time.Second) }

func (m *manager) healthy(ctx context.Context) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+loopback(m.healthPort)+"/readyz", nil)
	if err != nil {
		return err
	}
	response, err := loopbackClient.Do(request)
	if err != nil {
		return err
	}
	_, err = io.Copy(io.Discard, response.Body)
	if response.StatusCode != http.StatusOK {
		err = errors.Join(err, fmt.Errorf("%s of %s: %s", request.URL.Path, m.provider, response.Status))
	}
	return errors.Join(err, response.Body.Close())
}

// webhooksAnswer connects as the API server will: the certificate has to be of the bench's authority, so that another
// program on the port is not taken for the manager.
func (m *manager) webhooksAnswer(ctx context.Context) error {
	roots := x509.NewCertPool()
	roots.AddCert(m.bench.ca.cert)
	dialer := tls.Dialer{Config: &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12}}
	conn, err := dialer.DialContext(ctx, "tcp", loopback(m.webhookPort))
	if err != nil {
		return fmt.Errorf("webhooks of %s: %w", m.provider, err)
	}
	return conn.Close()
}
