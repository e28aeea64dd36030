package inventory

import (
	"strings"
	"time"
)

// Ref names an API object. Group, never a version: references change their version between API generations.
type Ref struct {
	Group     string `json:"group,omitempty"`
	Kind      string `json:"kind"`
	Namespace string `json:"namespace,omitempty"`
	Name      string `json:"name"`
	UID       string `json:"uid,omitempty"`
	// Controller is set on ownerReferences that are the controlling one.
	Controller bool `json:"controller,omitempty"`
}

// Condition is a condition of either family (v1beta1 or v1beta2), as the object states it.
type Condition struct {
	Type     string     `json:"type"`
	Status   string     `json:"status"`
	Severity string     `json:"severity,omitempty"`
	Reason   string     `json:"reason,omitempty"`
	Message  string     `json:"message,omitempty"`
	Since    *time.Time `json:"since,omitempty"`
}

// Meta is the metadata that every declared object shares.
type Meta struct {
	Namespace string `json:"namespace,omitempty"`
	Name      string `json:"name"`
	UID       string `json:"uid,omitempty"`
	// APIVersion as served to the collector. Only adopt may look at it.
	APIVersion string            `json:"apiVersion,omitempty"`
	CreatedAt  *time.Time        `json:"createdAt,omitempty"`
	DeletedAt  *time.Time        `json:"deletedAt,omitempty"`
	Generation int64             `json:"generation,omitempty"`
	Observed   int64             `json:"observedGeneration,omitempty"`
	Labels     map[string]string `json:"labels,omitempty"`
	// Annotations without last-applied-configuration.
	Annotations map[string]string `json:"annotations,omitempty"`
	Finalizers  []string          `json:"finalizers,omitempty"`
	Owners      []Ref             `json:"owners,omitempty"`
	// Paused is true if the object carries the annotation cluster.x-k8s.io/paused or spec.paused.
	Paused     bool        `json:"paused,omitempty"`
	Conditions []Condition `json:"conditions,omitempty"`
}

// Owner returns the first ownerReference of a kind, or nil.
func (m *Meta) Owner(group, kind string) *Ref {
	for i := range m.Owners {
		if m.Owners[i].Kind == kind && m.Owners[i].Group == group {
			return &m.Owners[i]
		}
	}
	return nil
}

// API groups of the objects that are read.
const (
	GroupCluster        = "cluster.x-k8s.io"
	GroupControlPlane   = "controlplane.cluster.x-k8s.io"
	GroupBootstrap      = "bootstrap.cluster.x-k8s.io"
	GroupInfrastructure = "infrastructure.cluster.x-k8s.io"
)

// Cluster is one workload cluster.
type Cluster struct {
	// Key is the name by which Nodes and Machines of the Snapshot refer to it: unique over the Snapshot.
	Key string `json:"key"`
	// Declared is nil if no Cluster object declares it (or none was seen).
	Declared *DeclaredCluster `json:"declared,omitempty"`
	// Access says how its API server was reached: "kubeconfig CONTEXT", "secret NS/NAME", "in-cluster", or empty if
	// no way was given.
	Access string `json:"access,omitempty"`
	// Kubeconfig is the file of "kubeconfig CONTEXT" that somebody named, as they did; empty if kubectl's own rules found it.
	Kubeconfig string `json:"kubeconfig,omitempty"`
	// Site is the site that the configuration names for it; empty if it names none.
	Site string `json:"site,omitempty"`
	// Selector says which VMs belong to it by the configuration's word.
	Selector Selector `json:"selector,omitzero"`
	// Version is the API server's version; empty if it was not read.
	Version string `json:"version,omitempty"`
	// Server is the API server's URL without user information.
	Server  string          `json:"server,omitempty"`
	Kubeadm *KubeadmCluster `json:"kubeadm,omitempty"`
	// KubeletConfiguration is the document of kube-system/kubelet-config, without secrets; empty if it was not read.
	KubeletConfiguration string `json:"kubeletConfiguration,omitempty"`
	// StaticPods are the mirror Pods of kube-system, by name; empty unless the run asked for them (ScopeStaticPods).
	StaticPods []StaticPod `json:"staticPods,omitempty"`
	// ServingCAs are the lower-case hex SHA-256 of the root certificates to which the API server's own certificate was
	// verified on the connection; empty if it was not verified.
	ServingCAs []string `json:"servingCAs,omitempty"`
}

// DeclaredCluster is the Cluster object with its ProxmoxCluster.
type DeclaredCluster struct {
	Meta
	Phase                   string `json:"phase,omitempty"`
	ControlPlaneEndpoint    string `json:"controlPlaneEndpoint,omitempty"`
	InfrastructureRef       *Ref   `json:"infrastructureRef,omitempty"`
	ControlPlaneRef         *Ref   `json:"controlPlaneRef,omitempty"`
	InfrastructureReady     bool   `json:"infrastructureReady,omitempty"`
	ControlPlaneInitialized bool   `json:"controlPlaneInitialized,omitempty"`
	// Infrastructure is the ProxmoxCluster; nil if it was not seen.
	Infrastructure *ProxmoxCluster `json:"infrastructure,omitempty"`
}

// ProxmoxCluster is CAPMOX's cluster object.
type ProxmoxCluster struct {
	Meta
	ControlPlaneEndpoint string   `json:"controlPlaneEndpoint,omitempty"`
	AllowedNodes         []string `json:"allowedNodes,omitempty"`
	// CredentialsSecret is NAMESPACE/NAME of credentialsRef; empty means the controller's own environment.
	CredentialsSecret string   `json:"credentialsSecret,omitempty"`
	IPv4Addresses     []string `json:"ipv4Addresses,omitempty"`
	IPv6Addresses     []string `json:"ipv6Addresses,omitempty"`
	Ready             bool     `json:"ready,omitempty"`
}

// KubeadmCluster is what kube-system/kubeadm-config says.
type KubeadmCluster struct {
	KubernetesVersion    string `json:"kubernetesVersion,omitempty"`
	ControlPlaneEndpoint string `json:"controlPlaneEndpoint,omitempty"`
	ClusterName          string `json:"clusterName,omitempty"`
	PodSubnet            string `json:"podSubnet,omitempty"`
	ServiceSubnet        string `json:"serviceSubnet,omitempty"`
	// ClusterConfiguration is the document as stored; it holds no secrets.
	ClusterConfiguration string `json:"clusterConfiguration,omitempty"`
}

// Selector describes which VMs belong to a cluster. Fields that are set are all needed (and); values within one
// field are alternatives (or). An empty Selector selects nothing.
type Selector struct {
	Tags []string `json:"tags,omitempty" yaml:"tags,omitempty"`
	// Names is a regular expression (RE2) over the VM's name, anchored at both ends.
	Names string   `json:"names,omitempty" yaml:"names,omitempty"`
	Pools []string `json:"pools,omitempty" yaml:"pools,omitempty"`
	// VMIDs are ranges like "100-199" or single numbers.
	VMIDs []string `json:"vmids,omitempty" yaml:"vmids,omitempty"`
	// Subnets are CIDRs that an address of the VM's configuration or agent must be in.
	Subnets []string `json:"subnets,omitempty" yaml:"subnets,omitempty"`
}

// IsZero is true for a Selector that selects nothing.
func (s Selector) IsZero() bool {
	return len(s.Tags) == 0 && s.Names == "" && len(s.Pools) == 0 && len(s.VMIDs) == 0 && len(s.Subnets) == 0
}

// Machine is a Cluster API Machine.
type Machine struct {
	Meta
	// Cluster is the key of its Cluster in the Snapshot.
	Cluster string `json:"cluster"`
	// ProviderID is spec.providerID, as written.
	ProviderID   string `json:"providerID,omitempty"`
	Version      string `json:"version,omitempty"`
	Phase        string `json:"phase,omitempty"`
	ControlPlane bool   `json:"controlPlane,omitempty"`
	// NodeRef is the name in status.nodeRef.
	NodeRef           string `json:"nodeRef,omitempty"`
	InfrastructureRef *Ref   `json:"infrastructureRef,omitempty"`
	BootstrapRef      *Ref   `json:"bootstrapRef,omitempty"`
	DataSecretName    string `json:"dataSecretName,omitempty"`
	// SystemUUID and MachineID are from status.nodeInfo.
	SystemUUID string   `json:"systemUUID,omitempty"`
	MachineID  string   `json:"machineID,omitempty"`
	Addresses  []string `json:"addresses,omitempty"`
	// InfrastructureReady and BootstrapReady are status.initialization's (or the older booleans).
	InfrastructureReady bool       `json:"infrastructureReady,omitempty"`
	BootstrapReady      bool       `json:"bootstrapReady,omitempty"`
	LastUpdated         *time.Time `json:"lastUpdated,omitempty"`
	FailureReason       string     `json:"failureReason,omitempty"`
	FailureMessage      string     `json:"failureMessage,omitempty"`
}

// ProxmoxMachine is CAPMOX's machine object.
type ProxmoxMachine struct {
	Meta
	// Cluster is the key of its Cluster, from the label cluster.x-k8s.io/cluster-name; empty without one.
	Cluster    string `json:"cluster,omitempty"`
	ProviderID string `json:"providerID,omitempty"`
	// VMID is spec.virtualMachineID; nil if it was never set. Values below 100 (CAPMOX has written -1) are nil too:
	// Proxmox has no such guest.
	VMID       *int   `json:"vmid,omitempty"`
	SourceNode string `json:"sourceNode,omitempty"`
	TemplateID *int   `json:"templateID,omitempty"`
	// ProxmoxNode is status.proxmoxNode: where the controller last saw the VM.
	ProxmoxNode string `json:"proxmoxNode,omitempty"`
	VMStatus    string `json:"vmStatus,omitempty"`
	Ready       bool   `json:"ready,omitempty"`
	// TaskRef is the UPID of a task that the controller waits for.
	TaskRef        string   `json:"taskRef,omitempty"`
	Addresses      []string `json:"addresses,omitempty"`
	MACs           []string `json:"macs,omitempty"`
	Tags           []string `json:"tags,omitempty"`
	FailureReason  string   `json:"failureReason,omitempty"`
	FailureMessage string   `json:"failureMessage,omitempty"`
}

// Group creates Machines: a MachineSet, a MachineDeployment, a KubeadmControlPlane or a TalosControlPlane.
type Group struct {
	Meta
	Kind    string `json:"kind"`
	Cluster string `json:"cluster"`
	// Replicas is nil where the object does not set it.
	Replicas          *int32 `json:"replicas,omitempty"`
	ReadyReplicas     int32  `json:"readyReplicas,omitempty"`
	Version           string `json:"version,omitempty"`
	Initialized       bool   `json:"initialized,omitempty"`
	InfrastructureRef *Ref   `json:"infrastructureRef,omitempty"`
}

// Node is a Node of a workload cluster.
type Node struct {
	// Cluster is the key of its Cluster.
	Cluster    string     `json:"cluster"`
	Name       string     `json:"name"`
	UID        string     `json:"uid,omitempty"`
	CreatedAt  *time.Time `json:"createdAt,omitempty"`
	ProviderID string     `json:"providerID,omitempty"`
	// SystemUUID is the SMBIOS UUID as the kubelet read it, canonical and in lower case; empty if none is usable.
	SystemUUID string `json:"systemUUID,omitempty"`
	// RawSystemUUID is what the Node says, if it is no usable identity.
	RawSystemUUID string `json:"rawSystemUUID,omitempty"`
	// MachineID is /etc/machine-id. Clones of one image share it: it is never an identity.
	MachineID   string   `json:"machineID,omitempty"`
	InternalIPs []string `json:"internalIPs,omitempty"`
	Hostname    string   `json:"hostname,omitempty"`
	// Ready is "True", "False", "Unknown" or empty.
	Ready string `json:"ready,omitempty"`
	// ReadyReason and ReadyMessage are the condition's.
	ReadyReason      string            `json:"readyReason,omitempty"`
	ReadyMessage     string            `json:"readyMessage,omitempty"`
	ReadySince       *time.Time        `json:"readySince,omitempty"`
	ControlPlane     bool              `json:"controlPlane,omitempty"`
	Unschedulable    bool              `json:"unschedulable,omitempty"`
	KubeletVersion   string            `json:"kubeletVersion,omitempty"`
	OSImage          string            `json:"osImage,omitempty"`
	ContainerRuntime string            `json:"containerRuntime,omitempty"`
	CPU              int64             `json:"cpu,omitempty"`
	MemoryMiB        int64             `json:"memoryMiB,omitempty"`
	Labels           map[string]string `json:"labels,omitempty"`
	Annotations      map[string]string `json:"annotations,omitempty"`
	Taints           []Taint           `json:"taints,omitempty"`
}

// Taint is a Node's taint.
type Taint struct {
	Key    string `json:"key"`
	Value  string `json:"value,omitempty"`
	Effect string `json:"effect"`
}

// Context is the kubeconfig context through which the cluster was read; its key, which is the best guess, if it was read in another way.
func (c *Cluster) Context() string {
	if context, ok := strings.CutPrefix(c.Access, "kubeconfig "); ok {
		return context
	}
	return c.Key
}
