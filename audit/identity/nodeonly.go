package identity

import (
	"slices"

	"github.com/proxaudit/proxaudit/inventory"
)

// nodeOnly: a Node, and neither a VM nor a declaration.
func (j *judge) nodeOnly(e *Entity) {
	defer j.remarks(e)
	n := e.Nodes[0]
	node := &j.s.Nodes[n]
	if j.torn(e) {
		e.unknown(ReasonAmbiguous)
		return
	}
	p := inventory.ParseProviderID(node.ProviderID)
	_, points := j.pointer(n)
	addresses := j.nodeAddresses(node)
	switch {
	case len(addresses) > 0:
		if j.surelyGone(e, j.whereabouts(nodeSubject(node), addresses)) {
			e.Confidence = j.howSure(e)
			e.verdict(GhostNode, ReasonVMGone)
		}
	case points && len(j.uuidGaps) > 0:
		// The site that the region means may be the one that did not tell its names.
		e.unknown(ReasonNotSeen, j.uuidGaps...)
	case points:
		e.unknown(ReasonUnmappedRegion)
	case p.Kind == inventory.ProviderCAPMOX, p.Kind == inventory.ProviderMalformed, j.declaredUUIDs[node.SystemUUID]:
		e.unknown(ReasonUnverifiable, j.uuidGaps...)
	case len(j.s.Sites) == 0:
		e.unknown(ReasonNotSeen, inventory.AnySite)
	case len(j.uuidGaps)+len(j.declaredGaps) > 0:
		// A Machine may point at a VM for it.
		e.unknown(ReasonNotSeen, slices.Concat(j.uuidGaps, j.declaredGaps)...)
	case open(node) && j.loose.alone, node.SystemUUID == "" && j.loose.blank:
		e.unknown(ReasonAmbiguous)
		e.Notes = append(e.Notes, "there is no UUID by which it could be told from the VMs that no Node was found for")
	default:
		e.Confidence = High
		if node.SystemUUID == "" {
			e.Confidence = Medium
		}
		e.verdict(ForeignNode, ReasonPointsNowhere)
	}
}
