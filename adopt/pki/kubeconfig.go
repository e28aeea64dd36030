package pki

import (
	"cmp"
	"crypto/x509"
	"net"
	"net/url"
	"strings"

	"sigs.k8s.io/yaml"
)

// kubeconfig is what was found in one, without its secrets.
type kubeconfig struct {
	file    string
	content hidden
	// client is the certificate of the user in use; nil if it has a token instead.
	client *x509.Certificate
	server string
	// clusters are the names of its cluster entries.
	clusters map[string]bool
	// certificates is true if every user has a client certificate.
	certificates bool
}

// rawKubeconfig has the fields that count (k8s.io/client-go/tools/clientcmd/api/v1).
type rawKubeconfig struct {
	CurrentContext string `json:"current-context"`
	Clusters       []struct {
		Name    string `json:"name"`
		Cluster struct {
			Server   string `json:"server"`
			CAFile   string `json:"certificate-authority"`
			CA       []byte `json:"certificate-authority-data"`
			Insecure bool   `json:"insecure-skip-tls-verify"`
		} `json:"cluster"`
	} `json:"clusters"`
	Contexts []struct {
		Name    string `json:"name"`
		Context struct {
			Cluster string `json:"cluster"`
			User    string `json:"user"`
		} `json:"context"`
	} `json:"contexts"`
	Users []struct {
		Name string  `json:"name"`
		User rawUser `json:"user"`
	} `json:"users"`
}

type rawUser struct {
	CertFile     string `json:"client-certificate"`
	Cert         []byte `json:"client-certificate-data"`
	KeyFile      string `json:"client-key"`
	Key          []byte `json:"client-key-data"`
	Token        string `json:"token"`
	TokenFile    string `json:"tokenFile"`
	Exec         any    `json:"exec"`
	AuthProvider any    `json:"auth-provider"`
	Username     string `json:"username"`
	Password     string `json:"password"`
}

const (
	kubeadmConf = "take admin.conf of a control-plane node"
	flatten     = "make one that stands alone: kubectl config view --raw --flatten --minify"
)

// parseKubeconfig checks that the controllers can use a kubeconfig, who have it in a Secret and not in a folder, and that
// it is the cluster's. nil if it cannot be read.
func parseKubeconfig(p *Problems, file string, data []byte, ca authority) *kubeconfig {
	var raw rawKubeconfig
	if err := yaml.Unmarshal(data, &raw); err != nil {
		// The parser's message can quote the document.
		p.add(file, "it cannot be parsed as a kubeconfig", kubeadmConf)
		return nil
	}
	k := &kubeconfig{file: file, content: hide(data), clusters: map[string]bool{}, certificates: true}
	cluster, user := "", ""
	found := false
	for _, c := range raw.Contexts {
		if c.Name == raw.CurrentContext && c.Name != "" {
			cluster, user, found = c.Context.Cluster, c.Context.User, true
		}
	}
	if !found {
		p.add(file, "it has no current context, or names one that it lacks", kubeadmConf)
		return nil
	}
	found = false
	for _, c := range raw.Clusters {
		k.clusters[c.Name] = true
		if c.Name != cluster {
			continue
		}
		found, k.server = true, c.Cluster.Server
		k.checkCluster(p, c.Cluster.Insecure, c.Cluster.CAFile, c.Cluster.CA, ca)
	}
	if !found {
		p.add(file, "its current context names a cluster that it lacks", kubeadmConf)
	}
	found = false
	for _, u := range raw.Users {
		if len(u.User.Cert) == 0 {
			k.certificates = false
		}
		if u.Name == user {
			found = true
			k.checkUser(p, u.User, ca)
		}
	}
	if !found {
		p.add(file, "its current context names a user that it lacks", kubeadmConf)
	}
	return k
}

func (k *kubeconfig) checkCluster(p *Problems, insecure bool, caFile string, caData []byte, ca authority) {
	u, err := url.Parse(k.server)
	switch {
	case err != nil || u.Scheme != "https" || u.Host == "":
		p.add(k.file, "its server is no https address", kubeadmConf)
	case insecure:
		p.add(k.file, "it skips the verification of the server's certificate", kubeadmConf)
	case len(caData) == 0 && caFile != "":
		p.add(k.file, "its certificate-authority is a file, which the controllers do not have", flatten)
	case len(caData) == 0:
		p.add(k.file, "it has no certificate-authority-data, without which the controllers take public authorities", kubeadmConf)
	case len(ca.certs) > 0:
		certs, err := parseCertificates(caData)
		if err != nil {
			p.add(k.file, "its certificate-authority-data: "+err.Error(), kubeadmConf)
			return
		}
		for _, c := range certs {
			if c.Equal(ca.certs[0]) {
				return
			}
		}
		p.add(k.file, "its certificate-authority-data is not "+ca.cert+" (SHA-256 "+fingerprint(certs[0])+" and "+fingerprint(ca.certs[0])+")", "take both from the same control-plane node")
	}
}

func (k *kubeconfig) checkUser(p *Problems, u rawUser, ca authority) {
	switch {
	case u.Exec != nil || u.AuthProvider != nil:
		p.add(k.file, "its user runs a program to get credentials, which the controllers do not have", kubeadmConf)
	case len(u.Cert) == 0 && u.CertFile != "", len(u.Key) == 0 && u.KeyFile != "", u.Token == "" && u.TokenFile != "":
		p.add(k.file, "its user names files, which the controllers do not have", flatten)
	case len(u.Cert) == 0 && u.Token == "" && u.Password == "":
		p.add(k.file, "its user has no credentials", kubeadmConf)
	case len(u.Cert) > 0:
		k.checkClient(p, u, ca)
	}
}

func (k *kubeconfig) checkClient(p *Problems, u rawUser, ca authority) {
	certs, err := parseCertificates(u.Cert)
	if err != nil {
		p.add(k.file, "its client-certificate-data: "+err.Error(), kubeadmConf)
		return
	}
	key, err := parsePrivate(u.Key)
	switch {
	case err != nil:
		p.add(k.file, "its client-key-data: "+err.Error(), kubeadmConf)
	case !samePublic(certs[0].PublicKey, key.public):
		p.add(k.file, "its client key does not belong to its client certificate", kubeadmConf)
	case len(ca.certs) > 0 && !signedBy(certs, ca.certs):
		p.add(k.file, "its client certificate is not signed by "+ca.cert, "take both from the same control-plane node")
	}
	k.client = certs[0]
}

// rotatable is true if the control-plane controller can renew it. For that it has to own the Secret; and it looks for the
// cluster entry that bears the Cluster's name, and panics where there is none, as in kubeadm's admin.conf
// (sigs.k8s.io/cluster-api util/kubeconfig: RegenerateSecret, NeedsClientCertRotation).
func (k *kubeconfig) rotatable(cluster string) bool {
	return k.certificates && k.client != nil && k.clusters[cluster]
}

func (m *Material) kubeconfigWarnings(o Options) Problems {
	var w Problems
	k := m.kubeconfig
	if k == nil {
		w.add("", "no kubeconfig was given, and "+o.Cluster+"-kubeconfig is not among the Secrets",
			"no Machine finds its Node without it: give admin.conf of a control-plane node, or make the Secret before the first machine is unpaused")
		return w
	}
	if u, err := url.Parse(k.server); err == nil {
		switch {
		case loopback(u.Hostname()):
			w.add(k.file, "its server is on the loopback interface", "the controllers run elsewhere: set the control-plane endpoint as its server in the copy")
		case o.Endpoint != "" && !strings.EqualFold(net.JoinHostPort(u.Hostname(), cmp.Or(u.Port(), "443")), o.Endpoint):
			w.add(k.file, "its server is "+u.Host+", and the control-plane endpoint is "+o.Endpoint,
				"the controllers lose the cluster when that one machine is down: set the endpoint as its server in the copy, if they reach it")
		}
	}
	if m.kubeconfigType(o) == TypeOpaque && k.client != nil {
		w.add(k.file, "its client certificate ends on "+day(k.client.NotAfter)+", and no controller renews it", "replace the Secret before: without it every Machine is unknown to its controllers")
	}
	return w
}

func loopback(host string) bool {
	ip := net.ParseIP(host)
	return strings.EqualFold(host, "localhost") || (ip != nil && ip.IsLoopback())
}
