package inventorytest

import (
	"encoding/json"

	"github.com/proxaudit/proxaudit/inventory"
)

// site: `- lab`, or with details.
type site struct {
	Name        string   `json:"name"`
	ClusterName string   `json:"clusterName,omitempty"`
	Regions     []string `json:"regions,omitempty"`
	// Nodes default to those that the VMs name and pve1.
	Nodes []proxmoxNode `json:"nodes,omitempty"`
	// Hidden says that the token may not see all guests, and why.
	Hidden string `json:"hidden,omitempty"`
}

func (s *site) UnmarshalJSON(data []byte) error {
	if data[0] == '"' {
		return json.Unmarshal(data, &s.Name)
	}
	type plain site
	return strictJSON(data, (*plain)(s))
}

// proxmoxNode: `- pve1`, or with a status. The guests of one that is not online have no name and no configuration.
type proxmoxNode struct {
	Name   string `json:"name"`
	Status string `json:"status,omitempty"`
}

func (n *proxmoxNode) UnmarshalJSON(data []byte) error {
	if data[0] == '"' {
		return json.Unmarshal(data, &n.Name)
	}
	type plain proxmoxNode
	return strictJSON(data, (*plain)(n))
}

// vm defaults to a running QEMU guest on pve1, 90 days old, whose configuration was read.
type vm struct {
	// ID is the VMID, or SITE/VMID where there is more than one site.
	ID   idString `json:"id"`
	Name string   `json:"name,omitempty"`
	Node string   `json:"node,omitempty"`
	Type string   `json:"type,omitempty"`
	// Status defaults to running.
	Status   string   `json:"status,omitempty"`
	Template bool     `json:"template,omitempty"`
	Tags     []string `json:"tags,omitempty"`
	Pool     string   `json:"pool,omitempty"`
	Lock     string   `json:"lock,omitempty"`
	// Uptime like "10m"; empty for a long one.
	Uptime string `json:"uptime,omitempty"`
	// Unread leaves out the configuration; Nameless the name and whether it is a template as well.
	Unread   bool `json:"unread,omitempty"`
	Nameless bool `json:"nameless,omitempty"`
	// UUID that the guest sees; RawUUID what stands in the configuration where that is no identity.
	UUID    string   `json:"uuid,omitempty"`
	RawUUID string   `json:"rawUUID,omitempty"`
	Age     age      `json:"age,omitempty"`
	MACs    []string `json:"macs,omitempty"`
	// IPs are CIDRs of ipconfigN; AgentIPs what the guest agent shows on the first NIC.
	IPs      []string `json:"ips,omitempty"`
	AgentIPs []string `json:"agentIPs,omitempty"`
	Cores    int      `json:"cores,omitempty"`
	Memory   int64    `json:"memory,omitempty"`
	// Disk is the size of scsi0 in GiB; 0 is 32, -1 a disk of unknown size.
	Disk int64 `json:"disk,omitempty"`
}

type management struct {
	Namespaces  []string `json:"namespaces,omitempty"`
	ClusterName string   `json:"clusterName,omitempty"`
}

// cluster: its Nodes were read unless it says otherwise.
type cluster struct {
	Name string `json:"name"`
	// Declared by a Cluster object.
	Declared bool   `json:"declared,omitempty"`
	Paused   bool   `json:"paused,omitempty"`
	Site     string `json:"site,omitempty"`
	// AllowedNodes are the ProxmoxCluster's.
	AllowedNodes []string           `json:"allowedNodes,omitempty"`
	Selector     inventory.Selector `json:"selector,omitempty"`
	// Unread: nobody could ask its API server.
	Unread bool `json:"unread,omitempty"`
}

// object is what Machines and ProxmoxMachines share.
type object struct {
	// Name is NAME in the namespace default, or NAMESPACE/NAME.
	Name    string `json:"name"`
	Cluster string `json:"cluster,omitempty"`
	// Age defaults to 90 days.
	Age age `json:"age,omitempty"`
	// Deleted is how long ago its deletion was asked for.
	Deleted age  `json:"deleted,omitempty"`
	Paused  bool `json:"paused,omitempty"`
	// UUID makes the providerID proxmox://UUID; ProviderID is any other.
	UUID       string   `json:"uuid,omitempty"`
	ProviderID string   `json:"providerID,omitempty"`
	Addresses  []string `json:"addresses,omitempty"`
	Failure    string   `json:"failure,omitempty"`
}

// machine has an infrastructureRef to the ProxmoxMachine of its own name, unless Infra says otherwise ("none", "other",
// "KIND/other").
type machine struct {
	object     `json:",inline"`
	Infra      string `json:"infra,omitempty"`
	NodeRef    string `json:"nodeRef,omitempty"`
	Phase      string `json:"phase,omitempty"`
	SystemUUID string `json:"systemUUID,omitempty"`
}

// proxmoxMachine is owned by the Machine of its own name if there is one, unless Owner says otherwise ("none", "other").
type proxmoxMachine struct {
	object `json:",inline"`
	VMID   *int `json:"vmid,omitempty"`
	// Node is status.proxmoxNode, SourceNode spec.sourceNode: both pve1 unless given; "none" leaves one out.
	Node       string   `json:"node,omitempty"`
	SourceNode string   `json:"sourceNode,omitempty"`
	Owner      string   `json:"owner,omitempty"`
	MACs       []string `json:"macs,omitempty"`
}

// node is Ready and 90 days old.
type node struct {
	// Name is NAME where there is one cluster, else CLUSTER/NAME.
	Name string `json:"name"`
	UID  string `json:"uid,omitempty"`
	// UUID is the usable systemUUID; RawUUID what the kubelet says where that is no identity.
	UUID    string `json:"uuid,omitempty"`
	RawUUID string `json:"rawUUID,omitempty"`
	// ProviderID as the Node has it; "uuid" stands for proxmox://UUID.
	ProviderID  string            `json:"providerID,omitempty"`
	Ready       string            `json:"ready,omitempty"`
	IPs         []string          `json:"ips,omitempty"`
	Hostname    string            `json:"hostname,omitempty"`
	MachineID   string            `json:"machineID,omitempty"`
	Age         age               `json:"age,omitempty"`
	Labels      map[string]string `json:"labels,omitempty"`
	Annotations map[string]string `json:"annotations,omitempty"`
}

type provider struct {
	Label     string `json:"label"`
	Desired   int32  `json:"desired"`
	Available int32  `json:"available"`
}

// probe: one of free, exists, unknown.
type probe struct {
	ID     idString            `json:"id"`
	Answer inventory.Existence `json:"answer"`
}

// coverage replaces or adds an entry.
type coverage struct {
	Source string          `json:"source"`
	Scope  string          `json:"scope"`
	State  inventory.State `json:"state"`
	Reason string          `json:"reason,omitempty"`
	// Remove takes the entry away: nobody asked.
	Remove   bool `json:"remove,omitempty"`
	Optional bool `json:"optional,omitempty"`
}

// idString is a number or a string.
type idString string

func (s *idString) UnmarshalJSON(data []byte) error {
	if data[0] == '"' {
		return json.Unmarshal(data, (*string)(s))
	}
	*s = idString(data)
	return nil
}
