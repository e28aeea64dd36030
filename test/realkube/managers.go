package realkube

import (
	"context"
	"errors"
	"fmt"
	"sync"
)

// Managers are the managers of all Providers at work on one API server, with their webhooks.
type Managers struct {
	server *Server
	list   []*manager
}

// StartManagers makes the server a management cluster that lives: it installs the CRDs, starts the managers, points
// their webhooks (defaulting, validation and conversion between versions) at them, and puts up the Deployments that a
// real installation would run them from. It returns when everything answers.
//
// The managers end with the bench, before its API servers. Two sets of managers cannot run on one machine at once:
// CAPMOX has no flag for the port of its webhooks.
func (s *Server) StartManagers(ctx context.Context, pve ProxmoxAccess) (*Managers, error) {
	if err := s.InstallCRDs(ctx); err != nil {
		return nil, err
	}
	m := &Managers{server: s}
	for _, spec := range managerSpecs(pve) {
		one, err := newManager(s, spec)
		if err != nil {
			return nil, err
		}
		m.list = append(m.list, one)
	}
	s.bench.mu.Lock()
	s.bench.managers = append(s.bench.managers, m)
	s.bench.mu.Unlock()
	if err := m.each(func(one *manager) error { return one.start(ctx) }); err != nil {
		return nil, errors.Join(err, m.Stop())
	}
	if err := m.each(func(one *manager) error { return s.installProvider(ctx, one) }); err != nil {
		return nil, errors.Join(err, m.Stop())
	}
	return m, nil
}

// Stop ends all managers at once. It may be called again.
func (m *Managers) Stop() error {
	return m.each((*manager).stop)
}

// Halt ends one manager, by its provider's name, and its webhooks with it, as when its Pod cannot start. Its Deployment stays as it is:
// nobody is here who would write that it has become unavailable.
func (m *Managers) Halt(provider string) error {
	one, err := m.find(provider)
	if err != nil {
		return err
	}
	return one.stop()
}

// Restart ends one manager, by its provider's name, and starts it anew, as an upgrade or an eviction does: what it
// learns it has to learn from the API server. Its webhooks stay away in between.
func (m *Managers) Restart(ctx context.Context, provider string) error {
	one, err := m.find(provider)
	if err != nil {
		return err
	}
	if err := one.stop(); err != nil {
		return err
	}
	if err := one.start(ctx); err != nil {
		return err
	}
	// The webhooks are on another port now.
	return m.server.installProvider(ctx, one)
}

// Log returns the path of a manager's log, by its provider's name.
func (m *Managers) Log(provider string) (string, error) {
	one, err := m.find(provider)
	if err != nil {
		return "", err
	}
	return one.log(), nil
}

func (m *Managers) find(provider string) (*manager, error) {
	for _, one := range m.list {
		if one.provider == provider {
			return one, nil
		}
	}
	return nil, fmt.Errorf("no manager of a provider %q", provider)
}

func (m *Managers) each(do func(*manager) error) error {
	failures := make([]error, len(m.list))
	var wait sync.WaitGroup
	for i, one := range m.list {
		wait.Go(func() { failures[i] = do(one) })
	}
	wait.Wait()
	return errors.Join(failures...)
}
