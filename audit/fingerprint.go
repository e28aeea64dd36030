package audit

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"strings"

	"github.com/proxaudit/proxaudit/audit/identity"
	"github.com/proxaudit/proxaudit/inventory"
)

// fingerprint identifies a finding over runs: rule and the subject's identity, never the text of a message. A VM is its
// site and UUID, else its site, VMID and creation time: a VMID alone is recycled.
func (r *result) fingerprint(e *identity.Entity, ref SubjectRef) string {
	rule := ruleOf(e).ID
	if rule == "" {
		rule = string(e.Class)
	}
	parts := []string{rule, ref.Kind}
	switch ref.Kind {
	case inventory.SubjectVM:
		parts = append(parts, ref.Site)
		if ref.UUID != "" {
			parts = append(parts, "uuid", ref.UUID)
			break
		}
		parts = append(parts, "vmid", strconv.Itoa(ref.VMID), r.ctime(e))
	case inventory.SubjectNode:
		parts = append(parts, ref.Cluster, ref.Name)
	default:
		parts = append(parts, ref.Namespace, ref.Name)
	}
	sum := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	return hex.EncodeToString(sum[:16])
}

// ctime is the creation time of an entity's VM in epoch seconds; empty if it is not known.
func (r *result) ctime(e *identity.Entity) string {
	if len(e.VMs) == 0 {
		return ""
	}
	if c := r.s.VMs[e.VMs[0]].Config; c != nil && c.CreatedAt != nil {
		return strconv.FormatInt(c.CreatedAt.Unix(), 10)
	}
	return ""
}
