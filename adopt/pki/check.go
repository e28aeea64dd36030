package pki

import (
	"crypto/x509"
	"fmt"
	"slices"
	"strings"
	"time"
)

// soon is how long before its end a certificate is worth a warning: a client certificate of kubeadm lives for a year.
const soon = 90 * 24 * time.Hour

// CheckDates says which certificates are not valid at a time. The error is Problems.
func (m *Material) CheckDates(at time.Time) error {
	var p Problems
	for _, a := range []authority{m.ca, m.etcd, m.proxy} {
		p.dates(m.path(a.cert), "its certificate ", a.certs[0], at, "renew the authority on the cluster first: nothing that it signs is accepted")
	}
	if m.etcdClient != nil {
		p.dates(m.path(FileEtcdClientCert), "its certificate ", m.etcdClient, at, "renew it (kubeadm certs renew apiserver-etcd-client), then "+copyAgain)
	}
	if k := m.kubeconfig; k != nil && k.client != nil {
		p.dates(k.file, "its client certificate ", k.client, at, "renew it (kubeadm certs renew admin.conf), then copy the file anew")
	}
	return p.err()
}

// dates adds a certificate that is not valid at a time. Renewing helps against one that expired; one that is not valid yet is
// right, and the time is not.
func (p *Problems) dates(file, what string, c *x509.Certificate, at time.Time, renew string) {
	switch {
	case at.After(c.NotAfter):
		p.add(file, what+"expired on "+day(c.NotAfter), renew)
	case at.Before(c.NotBefore):
		p.add(file, what+"is not valid before "+day(c.NotBefore)+", and the cluster was read on "+day(at),
			"set the clock of this machine right, or read the servers anew if the snapshot is older than the certificate; renewing it changes nothing")
	}
}

func day(t time.Time) string { return t.UTC().Format("2006-01-02") }

// CheckServing compares ca.crt with the authorities to which the certificate of the API server that runs was verified
// (inventory.Cluster.ServingCAs: lower-case hex SHA-256 of the DER form). None known is an error: an authority that was
// compared with nothing is never written.
func (m *Material) CheckServing(servingCAs []string) error {
	file, own := m.path(FileCACert), m.Fingerprint()
	if len(servingCAs) == 0 {
		return Problems{{File: file,
			Found: "it cannot be checked that this authority (SHA-256 " + own + ") signed the API server's certificate: that was not seen",
			Do:    "read the workload cluster through a kubeconfig that has its CA (certificate-authority-data) and not insecure-skip-tls-verify, and run again; a file of an older scan lacks it, so scan anew"}}
	}
	if slices.Contains(servingCAs, own) {
		return nil
	}
	found := fmt.Sprintf("this authority (SHA-256 %s) did not sign the certificate of the API server that runs, which was verified to %s", own, strings.Join(servingCAs, ", "))
	do := "copy the folder of a control-plane node of this cluster; if the kubeconfig names another CA than the cluster's own (a load balancer with a certificate of its own), read the cluster directly"
	for _, c := range m.ca.certs[1:] {
		if slices.Contains(servingCAs, fingerprint(c)) {
			found = "the authority that signed the API server's certificate is in it, but not as its first certificate, the one that the controllers sign with"
			do = "finish the rotation of the CA first, or put the certificate that is in use first in the copy, with its key as " + FileCAKey
		}
	}
	return Problems{{File: file, Found: found, Do: do}}
}

// warnings are what is allowed and has a consequence.
func (m *Material) warnings(o Options) Problems {
	var w Problems
	if !m.ca.hasKey {
		w.add(m.path(FileCAKey), "it is not there (external CA)", "the controllers cannot make a control-plane machine join, and nobody renews the kubeconfig: scale the control plane up by hand only")
	}
	if !m.etcd.hasKey {
		w.add(m.path(FileEtcdKey), "it is not there", "right for an external etcd, which the controller reaches with "+FileEtcdClientCert+" until "+day(m.etcdClient.NotAfter)+
			" and whose certificate nobody renews in the Secret; with etcd on the nodes no control-plane machine can join: copy it then")
	}
	if !m.proxy.hasKey {
		w.add(m.path(FileProxyKey), "it is not there", "no control-plane machine that the controllers make can join: copy it if the cluster has it")
	}
	for _, a := range []authority{m.ca, m.etcd, m.proxy} {
		if c := a.certs[0]; c.NotAfter.Before(o.At.Add(soon)) {
			w.add(m.path(a.cert), "its certificate ends on "+day(c.NotAfter), "Cluster API renews no authority: plan the rotation before")
		}
		if n := len(a.certs); n > 1 {
			w.add(m.path(a.cert), fmt.Sprintf("it holds %d certificates", n), "the controllers read the first one; finish the rotation of this authority before control-plane machines are replaced")
		}
	}
	w = append(w, m.kubeconfigWarnings(o)...)
	return w
}
