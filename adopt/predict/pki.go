package predict

import (
	"fmt"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	controlplanev1 "sigs.k8s.io/cluster-api/api/controlplane/kubeadm/v1beta2"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/proxaudit/proxaudit/adopt"
	"github.com/proxaudit/proxaudit/inventory"
)

// purposes are the Secrets that hold a cluster's certificates (cluster-api util/secret/certificates.go:
// NewCertificatesForInitialControlPlane).
var purposes = []string{"ca", "sa", "proxy", "etcd"}

// judgePKI is what the control-plane controller makes of the cluster's certificates (reconcileClusterCertificates;
// util/secret/certificates.go: LookupOrGenerateCached): a Secret that is not there is made, and everything stays green.
func (w *world) judgePKI(k *controlplanev1.KubeadmControlPlane) []verdict {
	external := k.Spec.KubeadmConfigSpec.ClusterConfiguration.Etcd.External.IsDefined()
	names := slices.Clone(purposes)
	if external {
		names = append(names, "apiserver-etcd-client")
	}
	initialized := condition(k.Status.Conditions, controlplanev1.KubeadmControlPlaneInitializedCondition)
	var absent, unread []string
	var out []verdict
	for _, purpose := range names {
		name := w.name + "-" + purpose
		s := w.secret(w.namespace, name)
		switch {
		case s == nil:
			unread = append(unread, name)
		case s.Absent && external && (purpose == "etcd" || purpose == "apiserver-etcd-client"):
			out = append(out, isf(adopt.Refuses, "there is no Secret %s, which an external etcd needs", name))
		case s.Absent:
			absent = append(absent, name)
		case !hasKey(s, "tls.crt"):
			out = append(out, isf(adopt.Refuses, "the Secret %s has no tls.crt: the controller ends each pass with an error", name))
		case s.KeyMatches != nil && !*s.KeyMatches:
			out = append(out, isf(adopt.FalseGreen, "the key in the Secret %s does not belong to its certificate: the controller does not look, and what it signs is worthless", name))
		case purpose == "ca" && !slices.Contains(s.Keys, "tls.key") && w.takesKubeconfig():
			out = append(out, isf(adopt.Refuses, "the Secret %s has no tls.key, and %s-kubeconfig is of Cluster API's type: the controller takes that over, and from half a year before its client certificate expires each pass ends with the error that it cannot renew it", name, w.name))
		case purpose == "etcd" && !external && !slices.Contains(s.Keys, "tls.key"):
			out = append(out, isf(adopt.WaitsForever, "the Secret %s has no tls.key: without it the controller takes etcd for an external one, and needs a client certificate that nobody made", name))
		}
	}
	switch {
	case len(absent) == 0:
	case initialized != nil && initialized.Status == metav1.ConditionTrue:
		out = append(out, isf(adopt.Refuses, "there is no Secret %s: the control plane counts as initialised, so that none is invented; it cannot grow", strings.Join(absent, ", ")))
	default:
		out = append(out, isf(adopt.NewCA, "there is no Secret %s: the controller invents one that the cluster does not know, and reports everything healthy", strings.Join(absent, ", ")))
	}
	if len(unread) > 0 {
		out = append(out, unseen([]inventory.Need{needSecrets}, fmt.Sprintf("whether there is a Secret %s was not seen; one that is not there is invented", strings.Join(unread, ", "))))
	}
	if v := w.judgeRoot(); v != nil {
		out = append(out, *v)
	}
	return out
}

// takesKubeconfig is whether the controller takes charge of the kubeconfig's Secret: of one of another type it does not
// (cluster-api controlplane/kubeadm/reconcilers/kubeadmcontrolplane/helpers.go: reconcileKubeconfig, adoptKubeconfigSecret).
func (w *world) takesKubeconfig() bool {
	s := w.secret(w.namespace, w.name+"-kubeconfig")
	return s != nil && !s.Absent && s.Type == string(clusterv1.ClusterSecretType)
}

// judgeRoot compares the certificate authority in the Secret with the one that the API server's certificate was verified to.
func (w *world) judgeRoot() *verdict {
	s := w.secret(w.namespace, w.name+"-ca")
	if s == nil || s.Absent || !hasKey(s, "tls.crt") {
		return nil
	}
	needs := w.lacksOwn(inventory.ScopeServingCA)
	if len(needs) > 0 || len(w.cluster.ServingCAs) == 0 {
		v := unseen(append(needs, w.lacksOwn(inventory.ScopeAccess)...), "which certificate authority signed the API server's certificate is not known")
		return &v
	}
	// Of a bundle the controllers sign with the first (util/certs: DecodeCertPEM).
	if certs := s.Certificates["tls.crt"]; len(certs) > 0 && slices.Contains(w.cluster.ServingCAs, certs[0]) {
		return nil
	}
	v := isf(adopt.FalseGreen, "the certificate in the Secret %s did not sign the API server's: the controller does not look, and no machine could join with it", s.Name)
	return &v
}

// hasKey is true for a key that is there, with a value or without: the controller looks no further.
func hasKey(s *inventory.StoredSecret, key string) bool {
	return slices.Contains(s.Keys, key) || slices.Contains(s.EmptyKeys, key)
}
