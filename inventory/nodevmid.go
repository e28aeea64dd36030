package inventory

import (
	"strconv"
	"strings"
)

// Marks of the Proxmox cloud controller manager on a Node (sergelogvinov/proxmox-cloud-controller-manager).
const (
	// AnnotationInstanceID holds the VMID with provider=capmox, where the providerID is CAPMOX's.
	AnnotationInstanceID = "proxmox.sinextra.dev/instance-id"
	// LabelRegion and LabelRegionCommon hold the region: the manager's own name for a Proxmox cluster.
	LabelRegion       = "topology.proxmox.sinextra.dev/region"
	LabelRegionCommon = "topology.kubernetes.io/region"
)

// NodeVMID is a VMID that a Node names. It is an address: Snapshot.SitesOfRegion says on which sites it may lie.
type NodeVMID struct {
	VMID int
	// Region is empty if the Node names none.
	Region string
	// Annotated is true for AnnotationInstanceID, and false for the providerID.
	Annotated bool
}

// VMIDs are the VMIDs that the Proxmox cloud controller manager wrote on a Node, the providerID's first: as
// proxmox://<region>/<vmid>, or in the annotation AnnotationInstanceID. A region that stands in neither is the label's.
// What is no VMID (ValidVMID, in decimal digits) is left out.
func (n *Node) VMIDs() []NodeVMID {
	var out []NodeVMID
	if p := ParseProviderID(n.ProviderID); p.Kind == ProviderCCM {
		region := p.Region
		if region == "" {
			region = n.regionLabel()
		}
		out = append(out, NodeVMID{VMID: p.VMID, Region: region})
	}
	if id, ok := parseVMID(n.Annotations[AnnotationInstanceID]); ok {
		out = append(out, NodeVMID{VMID: id, Region: n.regionLabel(), Annotated: true})
	}
	return out
}

func (n *Node) regionLabel() string {
	if r := n.Labels[LabelRegion]; r != "" {
		return r
	}
	return n.Labels[LabelRegionCommon]
}

// parseVMID takes decimal digits only: strconv would take a sign as well.
func parseVMID(s string) (int, bool) {
	if s == "" {
		return 0, false
	}
	n, err := strconv.Atoi(s)
	return n, err == nil && ValidVMID(n) && !strings.ContainsAny(s, "+-")
}
