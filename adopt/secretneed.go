package adopt

import (
	"net"
	"path"
	"strconv"
	"strings"

	"github.com/proxaudit/proxaudit/adopt/pki"
	"github.com/proxaudit/proxaudit/inventory"
)

// SecretOptions say what the cluster's own Secrets have to be: for the commands that make them, and for --secrets-dir.
func (p *planner) secretOptions() pki.CommandOptions {
	o := pki.CommandOptions{
		Options: pki.Options{Cluster: p.name, Namespace: p.namespace, Owned: !p.opt.UserPKI, ServingCAs: p.cluster.ServingCAs,
			Annotations: map[string]string{AnnotationRendered: renderedBy}},
		PKIDir: p.kubeadm.config.CertificatesDir, ExternalEtcd: p.kubeadm.externalEtcd,
	}
	if m := p.s.Management; m != nil && m.Context != inCluster {
		o.Context = m.Context
	}
	if p.endpoint.host != "" {
		o.Endpoint = net.JoinHostPort(p.endpoint.host, strconv.Itoa(int(p.endpoint.port)))
	}
	for _, m := range p.controlPlanes() {
		if len(m.node.InternalIPs) > 0 {
			o.Host = m.node.InternalIPs[0]
			break
		}
	}
	return o
}

// PKIOptions are what the Secrets that --secrets-dir writes have to be.
func (p *Plan) PKIOptions(s *inventory.Snapshot) pki.Options {
	o := p.pki
	o.At = s.CollectedAt
	return o
}

// inCluster is the context of a run inside the management cluster (inventory.Management.Context).
const inCluster = "in-cluster"

// secrets are those that have to be there before anything is unpaused. Where one is missing the control-plane controller
// makes a new authority and reports it as available.
func (p *planner) secrets() []SecretNeed {
	kind := pki.TypeOpaque
	if !p.opt.UserPKI {
		kind = pki.TypeOwned
	}
	dir := p.kubeadm.config.CertificatesDir
	if dir == "" {
		dir = pki.DefaultDir
	}
	pair := func(suffix, secretType string, files ...string) SecretNeed {
		out := SecretNeed{Name: p.name + suffix, Type: secretType, Keys: []string{pki.KeyCert, pki.KeyPrivate}}
		for i, f := range files {
			if i > 0 {
				out.From += " and "
			}
			out.From += path.Join(dir, f)
		}
		out.From += " of a control-plane node"
		return out
	}
	out := []SecretNeed{
		pair("-ca", kind, pki.FileCACert, pki.FileCAKey),
		pair("-etcd", kind, pki.FileEtcdCert, pki.FileEtcdKey),
		pair("-proxy", kind, pki.FileProxyCert, pki.FileProxyKey),
		pair("-sa", kind, pki.FileSAPublic, pki.FileSAKey),
		{Name: p.name + "-kubeconfig", Type: pki.TypeOpaque, Keys: []string{pki.KeyKubeconfig},
			From: "/etc/kubernetes/" + pki.FileKubeconfig + " of a control-plane node"},
	}
	if p.kubeadm.externalEtcd {
		out = append(out, pair("-apiserver-etcd-client", pki.TypeOpaque, pki.FileEtcdClientCert, pki.FileEtcdClientKey))
	}
	if p.future.secret != "" {
		out = append(out, SecretNeed{Name: p.future.secret, Type: pki.TypeOpaque, Keys: []string{"url", "token", "secret"},
			From: "CAPMOX's API token for site " + p.site})
	}
	return out
}

// siteURL is the address of a site as CAPMOX wants it, which puts the API's own path behind it (cluster-api-provider-proxmox
// pkg/proxmox/goproxmox: NewAPIClient); empty if the Snapshot does not tell.
func siteURL(s *inventory.Snapshot, name string) string {
	for i := range s.Sites {
		if s.Sites[i].Name == name {
			return strings.TrimSuffix(strings.TrimSuffix(s.Sites[i].URL, "/"), "/api2/json")
		}
	}
	return ""
}
