package realkube

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"time"

	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

// Server is one kube-apiserver. It can be stopped and started again on the same port, to see what a client does
// meanwhile.
type Server struct {
	name    string
	bench   *Bench
	port    int
	serving keyPair
	admin   keyPair
	// account signs the service account tokens; cert is its public half.
	account keyPair
	process *process
	files   serverFiles
}

// serverFiles are the files that the API server is started with.
type serverFiles struct {
	ca, cert, key, serviceAccount, policy, audit, log, generated string
}

func newServer(b *Bench, name string) (*Server, error) {
	s := &Server{name: name, bench: b}
	var err error
	if s.serving, err = b.ca.server("kube-apiserver"); err != nil {
		return nil, err
	}
	// The group that RBAC lets through without asking.
	if s.admin, err = b.ca.client("bench-admin", "system:masters"); err != nil {
		return nil, err
	}
	if s.account.key, s.account.cert, err = newServiceAccountKey(); err != nil {
		return nil, err
	}
	return s, s.writeFiles()
}

func (s *Server) writeFiles() error {
	for _, f := range []struct {
		path    *string
		name    string
		content []byte
	}{
		{&s.files.ca, "ca.crt", s.bench.ca.pem},
		{&s.files.cert, "apiserver.crt", s.serving.cert},
		{&s.files.key, "apiserver.key", s.serving.key},
		{&s.files.serviceAccount, "sa.key", s.account.key},
		{&s.files.policy, "audit-policy.yaml", []byte(auditPolicy)},
		{&s.files.audit, "audit.log", nil},
		{&s.files.log, "kube-apiserver.log", nil},
		{&s.files.generated, "generated/.keep", nil},
	} {
		path, err := s.bench.path(s.name, f.name)
		if err != nil {
			return err
		}
		if err := os.WriteFile(path, f.content, 0o600); err != nil {
			return err
		}
		*f.path = path
	}
	return nil
}

// Name is the name that Start was given.
func (s *Server) Name() string { return s.name }

// URL is the address of the API server. It stays the same over Stop and Start.
func (s *Server) URL() string { return "https://" + loopback(s.port) }

// Start brings the API server up and returns when it is ready: /readyz covers the bootstrap RBAC roles and the
// CRD informers, without which the first requests would fail.
func (s *Server) Start(ctx context.Context) error {
	for attempt := 1; ; attempt++ {
		chosen := s.port != 0
		if !chosen {
			port, err := freePort(ctx)
			if err != nil {
				return err
			}
			s.port = port
		}
		err := s.startOnce(ctx)
		if err == nil {
			return nil
		}
		if chosen || attempt == portAttempts || !s.process.addressInUse() {
			return errors.Join(err, s.Stop())
		}
		s.port = 0
	}
}

func (s *Server) startOnce(ctx context.Context) error {
	var err error
	s.process, err = startProcess("kube-apiserver "+s.name, s.files.log, s.bench.binaries.apiserver, s.flags()...)
	if err != nil {
		return err
	}
	client, err := kubernetes.NewForConfig(s.AdminConfig())
	if err != nil {
		return err
	}
	return ready(ctx, s.process, func(ctx context.Context) error {
		return client.Discovery().RESTClient().Get().AbsPath("/readyz").Do(ctx).Error()
	})
}

func (s *Server) flags() []string {
	return []string{
		"--etcd-servers=" + s.bench.etcd.url, "--etcd-prefix=" + s.prefix(),
		"--bind-address=127.0.0.1", "--advertise-address=127.0.0.1", "--secure-port=" + strconv.Itoa(s.port),
		"--cert-dir=" + s.files.generated,
		"--tls-cert-file=" + s.files.cert, "--tls-private-key-file=" + s.files.key, "--client-ca-file=" + s.files.ca,
		"--service-account-issuer=" + s.URL(),
		"--service-account-key-file=" + s.files.serviceAccount,
		"--service-account-signing-key-file=" + s.files.serviceAccount,
		"--service-cluster-ip-range=10.96.0.0/16",
		"--authorization-mode=RBAC", "--allow-privileged=true",
		// Where to find a Node's kubelet: the InternalIP of a stand-in is the address that its VM would have.
		"--kubelet-preferred-address-types=ExternalIP,InternalIP,Hostname",
		// No controller makes service accounts, and none takes away the taint not-ready that
		// TaintNodesByCondition puts on every new Node.
		"--disable-admission-plugins=ServiceAccount,TaintNodesByCondition",
		// An advertised loopback address is refused by the Endpoints validation.
		"--endpoint-reconciler-type=none",
		// Stored as JSON instead of protobuf, objects can be backdated (see backdate.go).
		"--storage-media-type=application/json",
		"--audit-policy-file=" + s.files.policy, "--audit-log-path=" + s.files.audit, "--audit-log-mode=blocking",
	}
}

// prefix is the root of this server's keys in etcd.
func (s *Server) prefix() string { return "/" + s.name }

// Stop ends the API server. Its objects stay in etcd.
func (s *Server) Stop() error { return s.process.stop(10 * time.Second) }

// AdminConfig is a client configuration that may do everything.
func (s *Server) AdminConfig() *rest.Config { return s.config(s.admin) }

// UserConfig is a client configuration for a user of its own, who may do what RBAC grants.
func (s *Server) UserConfig(user string, groups ...string) (*rest.Config, error) {
	pair, err := s.bench.ca.client(user, groups...)
	if err != nil {
		return nil, err
	}
	return s.config(pair), nil
}

func (s *Server) config(pair keyPair) *rest.Config {
	return &rest.Config{
		Host:            s.URL(),
		TLSClientConfig: rest.TLSClientConfig{CAData: s.bench.ca.pem, CertData: pair.cert, KeyData: pair.key},
		// The rate limit is for the client's good, and this client is in a hurry.
		QPS: -1,
		// Cluster API's finalizers have names that the server has come to warn about.
		WarningHandler: rest.NoWarnings{},
		// Loopback needs no proxy, whatever the environment says.
		Proxy: noProxy,
	}
}

// Kubeconfig writes a kubeconfig for a user to path. Its only context has the server's name.
func (s *Server) Kubeconfig(path, user string, groups ...string) error {
	pair, err := s.bench.ca.client(user, groups...)
	if err != nil {
		return err
	}
	config := clientcmdapi.NewConfig()
	config.Clusters[s.name] = &clientcmdapi.Cluster{Server: s.URL(), CertificateAuthorityData: s.bench.ca.pem}
	config.AuthInfos[user] = &clientcmdapi.AuthInfo{ClientCertificateData: pair.cert, ClientKeyData: pair.key}
	config.Contexts[s.name] = &clientcmdapi.Context{Cluster: s.name, AuthInfo: user}
	config.CurrentContext = s.name
	if err := clientcmd.WriteToFile(*config, path); err != nil {
		return fmt.Errorf("write the kubeconfig of %s: %w", s.name, err)
	}
	return nil
}

func noProxy(*http.Request) (*url.URL, error) { return nil, nil }
