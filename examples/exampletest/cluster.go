package exampletest

import (
	"crypto/tls"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"testing"

	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"github.com/proxaudit/proxaudit/internal/kubesim"
)

// Cluster is one Kubernetes API.
type Cluster struct {
	// Context is its name in the kubeconfig.
	Context string
	// Folder holds its manifests; empty means Context.
	Folder string
	// Address is what stands in the example's files for the simulator's own, like 192.0.2.20:6443.
	Address string
	// Serve makes what is served instead of Folder. Those later in the list are there already.
	Serve func(*testing.T, *World) *kubesim.Cluster
}

// start serves it, and returns the kubeconfig's entry. TLS ends before the simulator: only so is the key of the authority
// known, which a cluster's Secrets have.
func (c Cluster) start(t *testing.T, w *World) *clientcmdapi.Cluster {
	t.Helper()
	srv, err := kubesim.Start(c.serves(t, w), kubesim.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { closeOrFail(t, srv.Close) })
	behind, err := url.Parse(srv.URL())
	if err != nil {
		t.Fatal(err)
	}
	authority := w.Authority(t, c.Context)
	front := httptest.NewUnstartedServer(&httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(behind) }})
	front.TLS = &tls.Config{Certificates: []tls.Certificate{authority.serving(t)}, MinVersion: tls.VersionTLS12}
	front.StartTLS()
	t.Cleanup(front.Close)
	w.pair(front.Listener.Addr().String(), c.Address)
	return &clientcmdapi.Cluster{Server: front.URL, CertificateAuthorityData: authority.Cert}
}

func (c Cluster) serves(t *testing.T, w *World) *kubesim.Cluster {
	t.Helper()
	if c.Serve != nil {
		return c.Serve(t, w)
	}
	folder := c.Folder
	if folder == "" {
		folder = c.Context
	}
	out, err := kubesim.Load(folder)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// startClusters serves them, the last first: a management cluster may hold what the others have. The kubeconfig has one
// context for each; the first is the current one.
func (w *World) startClusters(t *testing.T) {
	t.Helper()
	w.kubeconfig = clientcmdapi.NewConfig()
	for i := len(w.example.Clusters) - 1; i >= 0; i-- {
		c := w.example.Clusters[i]
		w.kubeconfig.Clusters[c.Context] = c.start(t, w)
		w.kubeconfig.AuthInfos[c.Context] = &clientcmdapi.AuthInfo{}
		w.kubeconfig.Contexts[c.Context] = &clientcmdapi.Context{Cluster: c.Context, AuthInfo: c.Context}
		w.kubeconfig.CurrentContext = c.Context
	}
}

// Kubeconfig has the context of one cluster alone, as a Secret for its controllers would.
func (w *World) Kubeconfig(t *testing.T, context, server string) []byte {
	t.Helper()
	one := w.kubeconfig.DeepCopy()
	one.CurrentContext = context
	if err := clientcmdapi.MinifyConfig(one); err != nil {
		t.Fatal(err)
	}
	// It is a Secret's content, in a world whose servers are where the fixture says.
	for _, c := range one.Clusters {
		c.Server = server
	}
	out, err := clientcmd.Write(*one)
	if err != nil {
		t.Fatal(err)
	}
	return out
}
