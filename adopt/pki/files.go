package pki

// The files of a control-plane node that the Secrets are made of, as kubeadm lays them out below its certificatesDir
// (cmd/kubeadm/app/constants: CACertName and its like).
const (
	FileCACert    = "ca.crt"
	FileCAKey     = "ca.key"
	FileSAPublic  = "sa.pub"
	FileSAKey     = "sa.key"
	FileProxyCert = "front-proxy-ca.crt"
	FileProxyKey  = "front-proxy-ca.key"
	FileEtcdCert  = "etcd/ca.crt"
	FileEtcdKey   = "etcd/ca.key"

	// FileEtcdClientCert and FileEtcdClientKey are used where there is no key of etcd's authority (external etcd): the
	// control-plane controller then has no other way into etcd.
	FileEtcdClientCert = "apiserver-etcd-client.crt"
	FileEtcdClientKey  = "apiserver-etcd-client.key"

	// The certificates of servers and clients are not written. If they are in the folder they show whether an authority is
	// the one in use.
	FileAPIServer   = "apiserver.crt"
	FileProxyClient = "front-proxy-client.crt"
	FileEtcdServer  = "etcd/server.crt"

	// FileKubeconfig is kubeadm's kubeconfig of the administrator; it stands beside the folder, in /etc/kubernetes.
	FileKubeconfig = "admin.conf"
)

// DefaultDir is kubeadm's certificatesDir where its configuration names none.
const DefaultDir = "/etc/kubernetes/pki"

// Files lists what Parse looks at, relative to the folder, in order.
func Files() []string {
	return []string{FileCACert, FileCAKey, FileEtcdCert, FileEtcdKey, FileProxyCert, FileProxyKey, FileSAPublic, FileSAKey,
		FileEtcdClientCert, FileEtcdClientKey, FileAPIServer, FileProxyClient, FileEtcdServer}
}

// Private is true for a file of Files that holds a private key.
func Private(file string) bool {
	switch file {
	case FileCAKey, FileEtcdKey, FileProxyKey, FileSAKey, FileEtcdClientKey, FileKubeconfig:
		return true
	default:
		return false
	}
}
