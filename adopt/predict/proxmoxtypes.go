package predict

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// The fields of CAPMOX's v1alpha2 objects on which its controllers decide (cluster-api-provider-proxmox v0.9.0
// api/v1alpha2: proxmoxmachine_types.go, proxmoxcluster_types.go).

type proxmoxMachine struct {
	metav1.ObjectMeta `json:"metadata"`
	Spec              struct {
		ProviderID       string  `json:"providerID"`
		VirtualMachineID *int64  `json:"virtualMachineID"`
		SourceNode       string  `json:"sourceNode"`
		Description      *string `json:"description"`
		NumSockets       int64   `json:"numSockets"`
		NumCores         int64   `json:"numCores"`
		MemoryMiB        int64   `json:"memoryMiB"`
		// Network is nil if it is missing: CAPMOX dereferences it.
		Network *struct {
			NetworkDevices []networkDevice `json:"networkDevices"`
		} `json:"network"`
		Tags []string `json:"tags"`
	} `json:"spec"`
	Status struct {
		Initialization struct {
			Provisioned bool `json:"provisioned"`
		} `json:"initialization"`
		ProxmoxNode string             `json:"proxmoxNode"`
		TaskRef     string             `json:"taskRef"`
		Conditions  []metav1.Condition `json:"conditions"`
	} `json:"status"`
}

type networkDevice struct {
	Name   string  `json:"name"`
	Bridge string  `json:"bridge"`
	Model  *string `json:"model"`
	MTU    *int    `json:"mtu"`
	VLAN   *int    `json:"vlan"`
	Queues *int    `json:"queues"`
}

type proxmoxCluster struct {
	metav1.ObjectMeta `json:"metadata"`
	Spec              struct {
		ControlPlaneEndpoint        endpoint                `json:"controlPlaneEndpoint"`
		ExternalManagedControlPlane bool                    `json:"externalManagedControlPlane"`
		IPv4Config                  *addressConfig          `json:"ipv4Config"`
		IPv6Config                  *addressConfig          `json:"ipv6Config"`
		CredentialsRef              *corev1.SecretReference `json:"credentialsRef"`
		ZoneConfigs                 []struct {
			IPv4Config *addressConfig `json:"ipv4Config"`
			IPv6Config *addressConfig `json:"ipv6Config"`
		} `json:"zoneConfig"`
	} `json:"spec"`
	Status struct {
		Initialization struct {
			Provisioned bool `json:"provisioned"`
		} `json:"initialization"`
		NodeLocations struct {
			ControlPlane []nodeLocation `json:"controlPlane"`
			Workers      []nodeLocation `json:"workers"`
		} `json:"nodeLocations"`
		Conditions []metav1.Condition `json:"conditions"`
	} `json:"status"`
}

type endpoint struct {
	Host string `json:"host"`
	Port int32  `json:"port"`
}

type addressConfig struct {
	Addresses []string `json:"addresses"`
}

type nodeLocation struct {
	Machine struct {
		Name string `json:"name"`
	} `json:"machine"`
	Node string `json:"node"`
}
