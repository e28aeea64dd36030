package audit

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"strings"
	"time"

	"github.com/proxaudit/proxaudit/audit/identity"
	"github.com/proxaudit/proxaudit/inventory"
)

// fingerprint identifies a finding over runs: rule and the subject's identity, never the text of a message.
func (r *result) fingerprint(e *identity.Entity, ref SubjectRef) string {
	rule := ruleOf(e).ID
	if rule == "" {
		rule = string(e.Class)
	}
	return digest(append([]string{rule}, who(ref, r.ctime(e))...))
}

// subjectKey identifies a subject over runs.
func subjectKey(ref SubjectRef, ctime string) string { return digest(who(ref, ctime)) }

// who is a subject's identity. A VM is its site and UUID, else its site, VMID and creation time: a VMID alone is recycled.
func who(ref SubjectRef, ctime string) []string {
	parts := []string{ref.Kind}
	switch ref.Kind {
	case inventory.SubjectVM:
		if ref.UUID != "" {
			return append(parts, ref.Site, "uuid", ref.UUID)
		}
		return append(parts, ref.Site, "vmid", strconv.Itoa(ref.VMID), ctime)
	case inventory.SubjectNode:
		return append(parts, ref.Cluster, ref.Name)
	case inventory.SubjectCluster:
		return append(parts, ref.ID)
	default:
		return append(parts, ref.Namespace, ref.Name)
	}
}

func digest(parts []string) string {
	sum := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	return hex.EncodeToString(sum[:16])
}

// ctime is the creation time of an entity's VM in epoch seconds; empty if it is not known.
func (r *result) ctime(e *identity.Entity) string {
	if len(e.VMs) == 0 {
		return ""
	}
	if c := r.s.VMs[e.VMs[0]].Config; c != nil && c.CreatedAt != nil {
		return epoch(*c.CreatedAt)
	}
	return ""
}

func epoch(t time.Time) string { return strconv.FormatInt(t.Unix(), 10) }
