package adopt

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// The parts of CAPMOX's v1alpha2 types that are written (cluster-api-provider-proxmox api/v1alpha2, v0.9.0). Its module wants
// a Cluster API that cannot be had together with the one whose control-plane comparison is used here.

const capmoxVersion = "infrastructure.cluster.x-k8s.io/v1alpha2"

type proxmoxCluster struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              proxmoxClusterSpec `json:"spec"`
}

type proxmoxClusterSpec struct {
	ControlPlaneEndpoint apiEndpoint             `json:"controlPlaneEndpoint"`
	IPv4Config           *ipConfig               `json:"ipv4Config,omitempty"`
	IPv6Config           *ipConfig               `json:"ipv6Config,omitempty"`
	DNSServers           []string                `json:"dnsServers"`
	CredentialsRef       *corev1.SecretReference `json:"credentialsRef,omitempty"`
}

type apiEndpoint struct {
	Host string `json:"host"`
	Port int32  `json:"port"`
}

type ipConfig struct {
	Addresses []string `json:"addresses"`
	Prefix    int32    `json:"prefix"`
	Gateway   string   `json:"gateway,omitempty"`
}

type proxmoxMachine struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              proxmoxMachineSpec `json:"spec"`
}

type proxmoxMachineTemplate struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              struct {
		Template struct {
			Spec proxmoxMachineSpec `json:"spec"`
		} `json:"template"`
	} `json:"spec"`
}

type proxmoxMachineSpec struct {
	VirtualMachineID *int64  `json:"virtualMachineID,omitempty"`
	ProviderID       string  `json:"providerID,omitempty"`
	SourceNode       string  `json:"sourceNode"`
	TemplateID       int32   `json:"templateID"`
	Description      string  `json:"description,omitempty"`
	NumSockets       int32   `json:"numSockets,omitempty"`
	NumCores         int32   `json:"numCores,omitempty"`
	MemoryMiB        int32   `json:"memoryMiB,omitempty"`
	Disks            *disks  `json:"disks,omitempty"`
	Network          network `json:"network"`
	Checks           *checks `json:"checks,omitempty"`
}

type disks struct {
	BootVolume bootVolume `json:"bootVolume"`
}

type bootVolume struct {
	Disk   string `json:"disk"`
	SizeGB int32  `json:"sizeGb"`
}

type network struct {
	NetworkDevices []networkDevice `json:"networkDevices"`
}

type networkDevice struct {
	Name        string `json:"name"`
	Bridge      string `json:"bridge,omitempty"`
	Model       string `json:"model,omitempty"`
	VLAN        int32  `json:"vlan,omitempty"`
	MTU         int32  `json:"mtu,omitempty"`
	Queues      int32  `json:"queues,omitempty"`
	DefaultIPv4 bool   `json:"defaultIPv4,omitempty"`
	DefaultIPv6 bool   `json:"defaultIPv6,omitempty"`
}

type checks struct {
	SkipQemuGuestAgent  bool `json:"skipQemuGuestAgent,omitempty"`
	SkipCloudInitStatus bool `json:"skipCloudInitStatus,omitempty"`
}
