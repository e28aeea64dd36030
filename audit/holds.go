package audit

import (
	"github.com/proxaudit/proxaudit/audit/identity"
	"github.com/proxaudit/proxaudit/inventory"
)

// holdsOf is what an entity's VM occupies by its configuration; nil if there is no VM or its configuration was not read.
// It never falls back to the guest list: maxcpu there is capped by the host's cores, maxdisk is the boot disk only.
func holdsOf(s *inventory.Snapshot, e *identity.Entity) *Holds {
	if len(e.VMs) != 1 {
		return nil
	}
	c := s.VMs[e.VMs[0]].Config
	if c == nil {
		return nil
	}
	vcpu, mem := c.VCPUs, c.MemoryMiB
	bytes, whole := c.DiskBytes()
	gib := (bytes + 1<<30 - 1) >> 30
	return &Holds{VCPU: &vcpu, MemoryMiB: &mem, DiskGiB: &gib, DiskPartial: !whole}
}

// Add sums what one orphan VM holds.
func (r *Reclaimable) Add(h *Holds) {
	r.VMs++
	if h == nil || h.VCPU == nil || h.MemoryMiB == nil || h.DiskGiB == nil {
		r.Partial = true
		return
	}
	r.VCPU += *h.VCPU
	r.MemoryMiB += *h.MemoryMiB
	r.DiskGiB += *h.DiskGiB
	r.Partial = r.Partial || h.DiskPartial
}
