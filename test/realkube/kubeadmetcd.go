package realkube

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
)

// etcdMember is one member of a cluster's own etcd. It holds nothing of the API server, which has the bench's etcd:
// what the control-plane controller looks at is membership and health.
type etcdMember struct {
	name               string
	clientPort, peer   int
	dir, cert, key, ca string
	client             *http.Client
	process            *process
}

func (m *etcdMember) address() string   { return loopback(m.clientPort) }
func (m *etcdMember) peerURL() string   { return "https://" + loopback(m.peer) }
func (m *etcdMember) clientURL() string { return "https://" + m.address() }

func (m *etcdMember) stop() error {
	if m.process == nil {
		return nil
	}
	return m.process.stop(10 * time.Second)
}

// startEtcd starts a member for each control plane, with mutual TLS under the cluster's etcd authority.
func (k *Kubeadm) startEtcd(ctx context.Context) error {
	for _, m := range k.controlPlanes() {
		member, err := k.newMember(m.Name)
		if err != nil {
			return fmt.Errorf("etcd member %s: %w", m.Name, err)
		}
		k.members = append(k.members, member)
	}
	for attempt := 1; ; attempt++ {
		err := k.tryEtcd(ctx)
		if err == nil {
			return nil
		}
		taken := slices.ContainsFunc(k.members, func(m *etcdMember) bool { return m.process != nil && m.process.addressInUse() })
		if !taken || attempt == portAttempts {
			return err
		}
		for _, m := range k.members {
			if err := errors.Join(m.stop(), os.RemoveAll(filepath.Join(m.dir, "data"))); err != nil {
				return err
			}
		}
	}
}

// tryEtcd starts all members: a quorum has to be up before any of them is healthy.
func (k *Kubeadm) tryEtcd(ctx context.Context) error {
	var peers []string
	for _, m := range k.members {
		var err error
		if m.clientPort, err = freePort(ctx); err != nil {
			return err
		}
		if m.peer, err = freePort(ctx); err != nil {
			return err
		}
		peers = append(peers, m.name+"="+m.peerURL())
	}
	for _, m := range k.members {
		if err := m.start(k.server.bench.binaries.etcd, strings.Join(peers, ",")); err != nil {
			return err
		}
	}
	failures := make([]error, len(k.members))
	var wait sync.WaitGroup
	for i, m := range k.members {
		wait.Go(func() { failures[i] = ready(ctx, m.process, m.health) })
	}
	wait.Wait()
	return errors.Join(failures...)
}

func (k *Kubeadm) newMember(name string) (*etcdMember, error) {
	pair, err := k.etcdCA.peer(name)
	if err != nil {
		return nil, err
	}
	certificate, err := tls.X509KeyPair(pair.cert, pair.key)
	if err != nil {
		return nil, err
	}
	roots := x509.NewCertPool()
	roots.AddCert(k.etcdCA.cert)
	m := &etcdMember{name: name, ca: filepath.Join(k.PKIDir, "etcd", "ca.crt")}
	m.client = &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{
		RootCAs: roots, Certificates: []tls.Certificate{certificate}, MinVersion: tls.VersionTLS12,
	}}}
	if m.cert, err = k.path("etcd-"+name, "server.crt"); err != nil {
		return nil, err
	}
	m.dir = filepath.Dir(m.cert)
	m.key = filepath.Join(m.dir, "server.key")
	return m, errors.Join(os.WriteFile(m.cert, pair.cert, 0o600), os.WriteFile(m.key, pair.key, 0o600))
}

func (m *etcdMember) start(binary, peers string) error {
	var err error
	m.process, err = startProcess("etcd member "+m.name, filepath.Join(m.dir, "etcd.log"), binary,
		"--name="+m.name, "--data-dir="+filepath.Join(m.dir, "data"),
		"--listen-client-urls="+m.clientURL(), "--advertise-client-urls="+m.clientURL(),
		"--listen-peer-urls="+m.peerURL(), "--initial-advertise-peer-urls="+m.peerURL(),
		"--initial-cluster="+peers, "--initial-cluster-state=new",
		"--cert-file="+m.cert, "--key-file="+m.key, "--trusted-ca-file="+m.ca, "--client-cert-auth",
		"--peer-cert-file="+m.cert, "--peer-key-file="+m.key, "--peer-trusted-ca-file="+m.ca, "--peer-client-cert-auth",
		"--unsafe-no-fsync", "--log-level=warn",
	)
	return err
}

func (m *etcdMember) health(ctx context.Context) error {
	e := &etcd{url: m.clientURL(), client: m.client}
	return e.health(ctx)
}

// EtcdMembers returns the names of the members by etcd's own account, sorted.
func (k *Kubeadm) EtcdMembers(ctx context.Context) ([]string, error) {
	var failures []error
	for _, m := range k.members {
		var answer struct {
			Members []struct {
				Name string `json:"name"`
			} `json:"members"`
		}
		e := &etcd{url: m.clientURL(), client: m.client}
		// A member that was removed stops serving; the others know who is left.
		if err := e.call(ctx, "/v3/cluster/member/list", struct{}{}, &answer); err != nil {
			failures = append(failures, fmt.Errorf("etcd member %s: %w", m.name, err))
			continue
		}
		var names []string
		for _, member := range answer.Members {
			names = append(names, member.Name)
		}
		slices.Sort(names)
		return names, nil
	}
	return nil, errors.Join(failures...)
}

// StopEtcd ends the members of the named control planes, as if etcd were down there. Start is not possible again.
func (k *Kubeadm) StopEtcd(names ...string) error {
	var failures []error
	for _, name := range names {
		failures = append(failures, k.member(name).stop())
	}
	return errors.Join(failures...)
}

func (k *Kubeadm) member(name string) *etcdMember {
	for _, m := range k.members {
		if m.name == name {
			return m
		}
	}
	panic(fmt.Sprintf("realkube: the cluster %s has no etcd member %q", k.Name, name))
}
