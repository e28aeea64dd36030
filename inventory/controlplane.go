package inventory

import (
	"strings"
	"time"
)

// StaticPod is a mirror Pod of kube-system: what a kubelet runs from a file of its own, as its Node reports it.
type StaticPod struct {
	Name string `json:"name"`
	// Component is the label "component" (etcd, kube-apiserver, kube-controller-manager, kube-scheduler); empty for a
	// static Pod that kubeadm did not make (kube-vip, say).
	Component string `json:"component,omitempty"`
	// Node is spec.nodeName.
	Node  string `json:"node"`
	Image string `json:"image,omitempty"`
	// Args are the command and arguments of the first container, without credentials.
	Args []string `json:"args,omitempty"`
	// HostPaths are the paths of the host that it mounts, sorted.
	HostPaths []string `json:"hostPaths,omitempty"`
	// Ready is nil if the Pod has no such condition.
	Ready *bool `json:"ready,omitempty"`
}

// EtcdMember is the name of the etcd member that a Pod of the component etcd is: what its argument --name says, which kubeadm
// sets to the Node's name and somebody may have changed. Where the arguments were not seen it is the Pod's own name behind
// "etcd-". Given twice, the last counts. It is empty where they are there and do not say it (a configuration file, an environment variable).
func (p *StaticPod) EtcdMember() string {
	if len(p.Args) == 0 {
		return strings.TrimPrefix(p.Name, "etcd-")
	}
	member := ""
	for i, arg := range p.Args {
		// Go's flags may have one dash or two.
		flag, ok := strings.CutPrefix(arg, "-")
		flag = strings.TrimPrefix(flag, "-")
		if name, is := strings.CutPrefix(flag, "name="); ok && is {
			member = name
		} else if ok && flag == "name" && i+1 < len(p.Args) {
			member = p.Args[i+1]
		}
	}
	return member
}

// CRD is a CustomResourceDefinition of the management cluster with the labels by which Cluster API finds out which
// version of a provider's API fulfils which contract (cluster-api api/core/v1beta2: contract labels).
type CRD struct {
	// Name is PLURAL.GROUP.
	Name string `json:"name"`
	// Contracts maps a contract version (v1beta1, v1beta2) to the API versions that fulfil it, joined by "_" as they stand.
	Contracts map[string]string `json:"contracts,omitempty"`
}

// StoredSecret is what is kept of a Secret of the management cluster: that it is there, its type, the names of its keys
// and the fingerprints of the public certificates in it. Never a value.
type StoredSecret struct {
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
	// Absent is true for a Secret that was asked for and is not there; all else is then empty.
	Absent bool   `json:"absent,omitempty"`
	Type   string `json:"type,omitempty"`
	// Keys are the names of the keys with a value, sorted. EmptyKeys are those without.
	Keys      []string `json:"keys,omitempty"`
	EmptyKeys []string `json:"emptyKeys,omitempty"`
	// Changed is when somebody last wrote to it, as the API server says.
	Changed *time.Time `json:"changed,omitempty"`
	// Labels as they are.
	Labels map[string]string `json:"labels,omitempty"`
	// Certificates has, for each key that holds PEM certificates (or a kubeconfig, whose certificate-authority-data is
	// meant), the lower-case hex SHA-256 of each certificate's DER form.
	Certificates map[string][]string `json:"certificates,omitempty"`
	// KeyMatches says whether tls.key (or sa.key) belongs to tls.crt (or sa.pub), which is a certificate or a public key; nil if one
	// of them is missing or not readable.
	KeyMatches *bool `json:"keyMatches,omitempty"`
	// Renewable says whether the control-plane controller could renew a kubeconfig: an entry for the cluster has the Cluster's
	// name, and every user has a client certificate; nil for all other Secrets.
	Renewable *bool `json:"renewable,omitempty"`
	// Server is the API server's URL in a kubeconfig, or scheme, host and port of the Proxmox API in credentials of CAPMOX; without
	// user information.
	Server string `json:"server,omitempty"`
	// TokenID is the ID of the API token in credentials of CAPMOX (user@realm!name), by which Proxmox lists its tasks. It is no secret.
	TokenID string `json:"tokenID,omitempty"`
	// Owners are its ownerReferences.
	Owners []Ref `json:"owners,omitempty"`
}
