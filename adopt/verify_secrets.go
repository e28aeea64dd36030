package adopt

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/proxaudit/proxaudit/adopt/pki"
	"github.com/proxaudit/proxaudit/audit"
	"github.com/proxaudit/proxaudit/inventory"
)

var needSecrets = inventory.Need{Source: inventory.ManagementSource, Scope: inventory.ScopeSecrets}

func secretSubject(namespace, name string) audit.SubjectRef {
	return audit.SubjectRef{Kind: "secret", Namespace: namespace, Name: name, ID: "secret/" + namespace + "/" + name}
}

// stored is what was seen of a Secret; nil if it was not asked for.
func (v *verifier) stored(name string) *inventory.StoredSecret { return v.secrets[name] }

// checkSecrets looks at each Secret that the controllers read. One that is missing is invented by the control-plane
// controller, and one with bootstrap data lets CAPMOX put an ISO into a VM.
func (v *verifier) checkSecrets() []Check {
	var out []Check
	for _, suffix := range []string{"-ca", "-etcd", "-proxy", "-sa"} {
		out = append(out, v.checkSecret(v.name+suffix, StepUnpauseControlPlane, func(s *inventory.StoredSecret) (CheckState, string) {
			return v.pairProblem(s, suffix)
		}))
	}
	if v.kubeadm.externalEtcd {
		out = append(out, v.checkSecret(v.name+"-apiserver-etcd-client", StepUnpauseControlPlane, func(s *inventory.StoredSecret) (CheckState, string) {
			return v.pairProblem(s, "-apiserver-etcd-client")
		}))
	}
	// Through this one every controller reaches the cluster, the Machine controller too.
	out = append(out, v.checkSecret(v.name+"-kubeconfig", StepUnpauseFirst, kubeconfigProblem))
	for _, m := range v.machines {
		if isPlanned(&m.Meta) && m.DataSecretName != "" {
			out = append(out, v.checkSecret(m.DataSecretName, StepUnpauseFirst, bootstrapProblem))
		}
	}
	return out
}

func (v *verifier) checkSecret(name string, step StepID, problem func(*inventory.StoredSecret) (CheckState, string)) Check {
	c := Check{Name: CheckSecret, Subject: secretSubject(v.namespace, name), State: CheckOK, Step: step}
	switch s := v.stored(name); {
	case s == nil:
		c.State, c.Missing, c.Detail = CheckUnknown, []inventory.Need{needSecrets}, "it was not read"
		c.Remedy = "Allow it with --read-secrets: of a Secret its type, the names of its keys and the fingerprints of certificates are looked at, and nothing is kept."
	case s.Absent:
		c.State, c.Detail = CheckFailed, "it is not there"
		c.Remedy = "Make it before anything is unpaused: the runbook's step \"Make the namespace, …\" has the command."
	default:
		if c.State, c.Detail = problem(s); c.State != CheckOK {
			c.Remedy = "Make it anew: the runbook has the command."
		} else if label := s.Labels[clusterv1.ClusterNameLabel]; label != v.name {
			c.State, c.Detail = CheckNote, fmt.Sprintf("its label %s is %q: the controllers' caches select by it", clusterv1.ClusterNameLabel, label)
		} else {
			c.Detail = "type " + s.Type
			if len(s.Keys) > 0 {
				c.Detail += ", keys " + strings.Join(s.Keys, ", ")
			}
		}
	}
	return c
}

func lacksKeys(s *inventory.StoredSecret, keys ...string) string {
	for _, k := range keys {
		if !slices.Contains(s.Keys, k) {
			return fmt.Sprintf("it has no value for the key %s", k)
		}
	}
	return ""
}

// typeProblem: a Secret of the one type is the control-plane controller's, which becomes its owner, and of the other the
// user's (cluster-api controlplane/kubeadm/controllers: ensureCertificatesOwnerRef).
func typeProblem(s *inventory.StoredSecret) string {
	if s.Type == pki.TypeOwned || s.Type == pki.TypeOpaque {
		return ""
	}
	return fmt.Sprintf("its type is %s; it has to be %s (the controllers') or %s (yours)", s.Type, pki.TypeOwned, pki.TypeOpaque)
}

// pairProblem: the keys for service accounts have a public key in the place of a certificate. An authority whose key is kept elsewhere
// has none, nor has that of an external etcd.
func (v *verifier) pairProblem(s *inventory.StoredSecret, suffix string) (CheckState, string) {
	if p := cmp.Or(typeProblem(s), lacksKeys(s, pki.KeyCert)); p != "" {
		return CheckFailed, p
	}
	if suffix != "-sa" && len(s.Certificates[pki.KeyCert]) == 0 {
		return CheckFailed, "there is no certificate in " + pki.KeyCert + " that can be read"
	}
	switch keyless := lacksKeys(s, pki.KeyPrivate); {
	case keyless == "":
	case suffix == "-etcd" && v.kubeadm.externalEtcd:
		return CheckOK, ""
	case suffix == "-ca" || suffix == "-proxy":
		return CheckNote, keyless + ": the authority's key is kept elsewhere, and no control-plane machine that the controllers make can join"
	default:
		return CheckFailed, keyless
	}
	switch {
	case s.KeyMatches == nil:
		return CheckFailed, "what is in " + pki.KeyCert + " or " + pki.KeyPrivate + " cannot be read: a certificate or public key, and its private key without a passphrase, have to be there in PEM"
	case !*s.KeyMatches:
		return CheckFailed, "its private key does not belong to its certificate"
	}
	return CheckOK, ""
}

// kubeconfigProblem: one that the controllers own is renewed by them, and where it lacks an entry of the Cluster's name, as
// kubeadm's admin.conf does, they panic (cluster-api util/kubeconfig: RegenerateSecret).
func kubeconfigProblem(s *inventory.StoredSecret) (CheckState, string) {
	if p := cmp.Or(typeProblem(s), lacksKeys(s, pki.KeyKubeconfig)); p != "" {
		return CheckFailed, p
	}
	switch {
	case s.Type != pki.TypeOwned:
	case s.Renewable == nil:
		return CheckUnknown, "the controllers own it, and whether they could renew it was not seen"
	case !*s.Renewable:
		return CheckFailed, "its type makes it the controllers', and they panic when they renew it: it has no cluster entry of the Cluster's name, or a user without a client certificate"
	}
	return CheckOK, ""
}

func bootstrapProblem(s *inventory.StoredSecret) (CheckState, string) {
	if slices.Contains(s.EmptyKeys, pki.KeyKubeconfig) {
		// CAPMOX 0.9.0 internal/controller/proxmoxmachine_controller.go, getBootstrapData: the key's absence is what stops it.
		return CheckFailed, "it has the key " + pki.KeyKubeconfig + ", though it is empty: CAPMOX would take that for bootstrap data"
	}
	if slices.Contains(s.Keys, pki.KeyKubeconfig) {
		return CheckFailed, "it has bootstrap data: with it CAPMOX could write a bootstrap ISO into the VM"
	}
	if s.Type != pki.TypeOwned {
		return CheckNote, fmt.Sprintf("its type is %s, and Cluster API's are %s", s.Type, pki.TypeOwned)
	}
	return CheckOK, ""
}

// checkAuthority compares the authorities in the Secrets with the one that signed the API server's certificate: the one that
// the controllers sign with, and the one by which they know the cluster that they work on.
func (v *verifier) checkAuthority() []Check {
	return append(v.checkSigner(), v.checkTarget()...)
}

// checkTarget: through NAME-kubeconfig the controllers reach the cluster, its etcd included.
func (v *verifier) checkTarget() []Check {
	c := Check{Name: CheckAuthority, Subject: secretSubject(v.namespace, v.name+"-kubeconfig"), State: CheckOK, Step: StepUnpauseFirst}
	s := v.stored(v.name + "-kubeconfig")
	if s == nil || s.Absent {
		// checkSecrets says so.
		return nil
	}
	known := s.Certificates[pki.KeyKubeconfig]
	switch {
	case len(v.cluster.ServingCAs) == 0:
		c.State, c.Missing = CheckUnknown, []inventory.Need{{Source: inventory.ClusterSource(v.cluster.Key), Scope: inventory.ScopeServingCA}}
		c.Detail = "which authority signed the API server's certificate was not seen"
	case len(known) == 0:
		c.State, c.Detail = CheckUnknown, "it names no authority, so that which cluster it leads to is not known"
		c.Remedy = "Make it from admin.conf of a control-plane node: the runbook has the command."
	case !slices.ContainsFunc(known, func(f string) bool { return slices.Contains(v.cluster.ServingCAs, f) }):
		c.State = CheckFailed
		c.Detail = fmt.Sprintf("it knows %s, and this cluster's API server is signed by %s: the controllers would work on another cluster", fingerprints(known), fingerprints(v.cluster.ServingCAs))
		c.Remedy = "Leave everything paused. Make it from admin.conf of one of this cluster's control-plane nodes."
	default:
		c.Detail = "it leads to an API server of the authority that serves here"
		if endpoint := v.declaredEndpoint(); endpoint != "" && s.Server != "" && !sameEndpoint(s.Server, endpoint) {
			if v.ownServer(s.Server) {
				c.State = CheckNote
				c.Detail += fmt.Sprintf(", at %s, and not by the Cluster's endpoint %s: while that one server is away, no controller sees the cluster", s.Server, endpoint)
			} else {
				c.State = CheckUnknown
				c.Detail = fmt.Sprintf("it leads to %s, which is neither the Cluster's endpoint %s nor an address of one of its control planes: a copy of the cluster has the same authority", s.Server, endpoint)
				c.Remedy = "Make it from admin.conf of a control-plane node, with the endpoint as its server, the name or address of a control-plane Node, or a name in the certSANs of kubeadm-config."
			}
		}
	}
	return []Check{c}
}

// declaredEndpoint is HOST:PORT of the declared control plane; empty if it is not set.
func (v *verifier) declaredEndpoint() string {
	switch d := v.cluster.Declared; {
	case d == nil:
		return ""
	case d.ControlPlaneEndpoint == "" && d.Infrastructure != nil:
		// The Cluster takes it from there once it is unpaused.
		return d.Infrastructure.ControlPlaneEndpoint
	default:
		return d.ControlPlaneEndpoint
	}
}

// ownServer is true for the address of a control-plane Node, one that the API server's certificate is made for by kubeadm's
// configuration, or the one through which proxaudit read the cluster.
func (v *verifier) ownServer(server string) bool {
	address, host := addressOf(server)
	if own, _ := addressOf(v.cluster.Server); own == address {
		return true
	}
	if slices.Contains(v.kubeadm.config.APIServer.CertSANs, host) {
		return true
	}
	// kubeadm's certificate names the Node as well.
	return slices.ContainsFunc(v.controlPlanes(), func(m *member) bool {
		return slices.Contains(m.node.InternalIPs, host) || strings.EqualFold(m.node.Name, host)
	})
}

// sameEndpoint compares an API server's URL with HOST:PORT.
func sameEndpoint(server, endpoint string) bool {
	a, _ := addressOf(server)
	b, _ := addressOf("https://" + endpoint)
	return a == b
}

// checkSigner is about NAME-ca.
func (v *verifier) checkSigner() []Check {
	c := Check{Name: CheckAuthority, Subject: secretSubject(v.namespace, v.name+"-ca"), State: CheckOK, Step: StepUnpauseControlPlane}
	s := v.stored(v.name + "-ca")
	switch {
	case s == nil:
		c.State, c.Missing, c.Detail = CheckUnknown, []inventory.Need{needSecrets}, "the Secret was not read"
	case s.Absent:
		// checkSecrets says so.
		return nil
	case len(v.cluster.ServingCAs) == 0:
		c.State, c.Missing = CheckUnknown, []inventory.Need{{Source: inventory.ClusterSource(v.cluster.Key), Scope: inventory.ScopeServingCA}}
		c.Detail = "which authority signed the API server's certificate was not seen"
	// Of a bundle the controllers sign with the first (cluster-api util/certs: DecodeCertPEM).
	case len(s.Certificates[pki.KeyCert]) == 0 || !slices.Contains(v.cluster.ServingCAs, s.Certificates[pki.KeyCert][0]):
		c.State = CheckFailed
		c.Detail = fmt.Sprintf("it holds %s, and the API server's certificate is signed by %s", fingerprints(s.Certificates[pki.KeyCert]), fingerprints(v.cluster.ServingCAs))
		c.Remedy = "Leave everything paused. Make the Secret from the cluster's own /etc/kubernetes/pki; a controller may have made this one."
	default:
		c.Detail = "the one that signed the API server's certificate"
	}
	return []Check{c}
}

func fingerprints(list []string) string {
	if len(list) == 0 {
		return "no certificate"
	}
	short := make([]string, len(list))
	for i, f := range list {
		short[i] = "sha256:" + f[:min(16, len(f))] + "…"
	}
	return strings.Join(short, ", ")
}
