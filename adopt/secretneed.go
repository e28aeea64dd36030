package adopt

import (
	"cmp"
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
	if e := p.kubeadm.config.Etcd.External; p.kubeadm.externalEtcd {
		o.EtcdCA, o.EtcdClientCert, o.EtcdClientKey = e.CAFile, e.CertFile, e.KeyFile
	}
	o.Access = p.managementAccess()
	if p.endpoint.host != "" {
		o.Endpoint = net.JoinHostPort(p.endpoint.host, strconv.Itoa(int(p.endpoint.port)))
	}
	for _, m := range p.controlPlanes() {
		o.Host = cmp.Or(o.Host, m.host())
	}
	return o
}

// PKIOptions are what the Secrets that --secrets-dir writes have to be.
func (p *Plan) PKIOptions(s *inventory.Snapshot) pki.Options {
	o := p.pki
	o.At = s.CollectedAt
	return o
}

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
	// Paths of kubeadm's layout are below its folder; those of external etcd are where its configuration says.
	pair := func(suffix, secretType string, files ...string) SecretNeed {
		out := SecretNeed{Name: p.name + suffix, Type: secretType, Keys: []string{pki.KeyCert, pki.KeyPrivate}[:len(files)]}
		for i, f := range files {
			if i > 0 {
				out.From += " and "
			}
			if !path.IsAbs(f) {
				f = path.Join(dir, f)
			}
			out.From += path.Clean(f)
		}
		out.From += " of a control-plane node"
		return out
	}
	etcd, external := []string{pki.FileEtcdCert, pki.FileEtcdKey}, p.kubeadm.config.Etcd.External
	if p.kubeadm.externalEtcd {
		// No control plane has the key of its authority: the controller signs nothing with it, and reaches etcd with the
		// client's certificate (cluster-api controlplane/kubeadm/pkg/cluster.go: GetWorkloadCluster).
		etcd = []string{cmp.Or(external.CAFile, pki.FileEtcdCert)}
	}
	out := []SecretNeed{
		pair("-ca", kind, pki.FileCACert, pki.FileCAKey),
		pair("-etcd", kind, etcd...),
		pair("-proxy", kind, pki.FileProxyCert, pki.FileProxyKey),
		pair("-sa", kind, pki.FileSAPublic, pki.FileSAKey),
		{Name: p.name + "-kubeconfig", Type: pki.TypeOpaque, Keys: []string{pki.KeyKubeconfig},
			From: "/etc/kubernetes/" + pki.FileKubeconfig + " of a control-plane node"},
	}
	if p.kubeadm.externalEtcd {
		out = append(out, pair("-apiserver-etcd-client", pki.TypeOpaque, cmp.Or(external.CertFile, pki.FileEtcdClientCert), cmp.Or(external.KeyFile, pki.FileEtcdClientKey)))
	}
	if p.future.secret != "" {
		out = append(out, SecretNeed{Name: p.future.secret, Type: pki.TypeOpaque, Keys: []string{"url", "token", "secret"},
			From: "CAPMOX's API token for " + p.siteText()})
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

// siteText names the site, where one is known.
func (p *planner) siteText() string {
	if p.site == "" {
		return "the site of the VMs"
	}
	return "site " + p.site
}
