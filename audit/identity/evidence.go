// Package identity decides who is who: which VM, ProxmoxMachine, Machine and Node are one machine, with the evidence
// for every link, and which class each falls into. It is pure: it computes from a Snapshot alone.
package identity

import "github.com/proxaudit/proxaudit/inventory"

// Strength orders evidence. A weak link never overrules a strong one.
type Strength string

// The strengths, the strongest first.
const (
	// Proof: the SMBIOS UUID on both sides, unique over all sites.
	Proof Strength = "proof"
	// Declared: a reference between API objects. It joins them and never says which VM it is.
	Declared Strength = "declared"
	// Strong: two independent facts that are unlikely to agree by chance (VMID and name; region and VMID).
	Strong Strength = "strong"
	// Supporting: a MAC or IP address.
	Supporting Strength = "supporting"
	// Hint: a name.
	Hint Strength = "hint"
)

// rank orders strengths as links, the strongest highest: a declared reference says nothing about a VM.
func (s Strength) rank() int {
	switch s {
	case Proof:
		return 4
	case Strong:
		return 3
	case Supporting:
		return 2
	case Hint:
		return 1
	default:
		return 0
	}
}

// Kind says what was compared.
type Kind string

// The kinds of evidence.
const (
	// KindProviderIDUUID: proxmox://UUID against the VM's SMBIOS UUID.
	KindProviderIDUUID Kind = "provider-id-uuid"
	// KindSystemUUID: the Node's systemUUID against the VM's SMBIOS UUID.
	KindSystemUUID Kind = "system-uuid"
	// KindSwappedUUID: the same with the first three groups byte-swapped, only if the straight form has no match.
	KindSwappedUUID Kind = "byte-swapped-uuid"
	// KindSharedUUID: the UUID is carried by more than one VM or Node, so it proves nothing.
	KindSharedUUID Kind = "shared-uuid"
	// KindVMIDAndName: virtualMachineID and the same name.
	KindVMIDAndName Kind = "vmid-and-name"
	// KindVMID: virtualMachineID alone, where the VM's name is not known or differs.
	KindVMID Kind = "vmid"
	// KindRegionVMID: the cloud controller manager's proxmox://REGION/VMID, with the region mapped to the site.
	KindRegionVMID Kind = "region-vmid"
	// KindInstanceID: the annotation proxmox.sinextra.dev/instance-id with the region label.
	KindInstanceID Kind = "instance-id"
	KindMAC        Kind = "mac"
	KindIP         Kind = "ip"
	KindName       Kind = "name"
	// KindInfraRef, KindOwnerRef, KindNodeRef: references between API objects.
	KindInfraRef Kind = "infrastructure-ref"
	KindOwnerRef Kind = "owner-ref"
	KindNodeRef  Kind = "node-ref"
	// KindProviderIDString: the providerIDs of Machine and Node as strings, the way Cluster API compares them.
	KindProviderIDString Kind = "provider-id-string"
	// KindSelector, KindTag, KindPool, KindSibling, KindMark: why a VM belongs to a cluster.
	KindSelector Kind = "selector"
	KindTag      Kind = "tag"
	KindPool     Kind = "pool"
	KindSibling  Kind = "sibling"
	KindMark     Kind = "integration-mark"
	// KindEndpoint: the VM's name is the host name of a cluster's API endpoint or external etcd.
	KindEndpoint Kind = "endpoint"
	// KindProbe: what cluster/nextid said of a VMID.
	KindProbe Kind = "probe"
	// KindCoverage: something that was not seen.
	KindCoverage Kind = "coverage"
	// KindState: a fact about one side, like "Node is Ready" or "VM is locked".
	KindState Kind = "state"
)

// Evidence is one fact about one machine.
type Evidence struct {
	Kind     Kind     `json:"kind"`
	Strength Strength `json:"strength,omitempty"`
	// From and To are what is compared; To is zero for a fact about one side.
	From inventory.Subject `json:"from"`
	To   inventory.Subject `json:"to,omitzero"`
	// Left and Right are the two values, as they stand on either side.
	Left  string `json:"left,omitempty"`
	Right string `json:"right,omitempty"`
	// Against is true for a fact that argues against the verdict or link.
	Against bool `json:"against,omitempty"`
	// Note says in words what the two values do not show.
	Note string `json:"note,omitempty"`
}
