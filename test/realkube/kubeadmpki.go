package realkube

import "os"

// writePKI lays out /etc/kubernetes/pki: the authority that signed the API server is the bench's own, the others are
// made here.
func (k *Kubeadm) writePKI() error {
	var err error
	if k.etcdCA, err = newAuthority("etcd-ca"); err != nil {
		return err
	}
	proxy, err := newAuthority("front-proxy-ca")
	if err != nil {
		return err
	}
	if k.PKIDir, err = k.path("pki"); err != nil {
		return err
	}
	files := map[string][]byte{"sa.key": k.server.account.key, "sa.pub": k.server.account.cert}
	for name, authority := range map[string]*authority{"ca": k.server.bench.ca, "etcd/ca": k.etcdCA, "front-proxy-ca": proxy} {
		files[name+".crt"] = authority.pem
		if files[name+".key"], err = authority.private(); err != nil {
			return err
		}
	}
	for name, content := range files {
		path, err := k.path("pki", name)
		if err != nil {
			return err
		}
		if err := os.WriteFile(path, content, 0o600); err != nil {
			return err
		}
	}
	return nil
}
