package identity

import (
	"slices"
	"strings"

	"github.com/proxaudit/proxaudit/inventory"
)

func (r *resolver) against(f fact, s Strength) {
	f.against = true
	f.strength = s
	r.doubted = append(r.doubted, f)
}

func (r *resolver) byUUID() {
	for _, u := range r.c.uuids {
		switch vms := r.x.vmByUUID.get(u.uuid); {
		case len(vms) == 1:
			r.levels[atProof].add(fact{kind: u.kind, vm: vms[0], left: u.raw, right: u.uuid})
		case len(vms) > 1:
			// One UUID on a whole fleet (a constant in its template) must not make evidence of everything with everything.
			const enough = 16
			for _, vm := range vms[:min(len(vms), enough)] {
				r.against(fact{kind: KindSharedUUID, vm: vm, left: u.raw, right: u.uuid,
					note: "more than one VM carries this UUID, so it proves nothing"}, Proof)
			}
			r.out.shared = vms
		case u.kind == KindSystemUUID:
			// Only what firmware shows can be swapped; a providerID is made from the configuration's text.
			if sw := r.x.vmByUUID.get(inventory.SwapUUID(u.uuid)); len(sw) == 1 {
				at, note := atStrong, "equal after swapping the bytes of the first three groups; the straight form has no match"
				if len(r.x.uuidGaps) > 0 {
					at, note = atSupporting, "equal after swapping the bytes of the first three groups; whether the straight form has a match was not seen"
				}
				r.levels[at].add(fact{kind: KindSwappedUUID, vm: sw[0], left: u.raw, right: r.x.s.VMs[sw[0]].UUID(), note: note})
			}
		}
	}
}

// contradicts is true if a VM cannot be what the claim is about: both have a UUID that can be compared, and they
// differ in the straight and in the swapped form.
func (r *resolver) contradicts(vm int) bool {
	v := &r.x.s.VMs[vm]
	if len(r.c.uuids) == 0 || v.UUID() == "" {
		return false
	}
	// A UUID that several VMs share is compared like any other here: it cannot prove, but it still can rule out.
	for _, u := range r.c.uuids {
		if u.uuid == v.Config.UUID || inventory.SwapUUID(u.uuid) == v.Config.UUID {
			return false
		}
	}
	return true
}

// swapped is true if a UUID of the claim is the VM's with the bytes of its first groups in the other order.
func (r *resolver) swapped(vm int) bool {
	own := r.x.s.VMs[vm].UUID()
	return own != "" && slices.ContainsFunc(r.c.uuids, func(u uuidClaim) bool { return inventory.SwapUUID(u.uuid) == own })
}

// unset is true if the claim has a UUID and the VM's configuration was read and sets none. Such a guest sees a nil UUID
// as a rule, but a vGPU or a hand-edited configuration gives it one that no configuration shows (qemu-server
// PVE/QemuServer/PCI.pm), so that it is no proof of a difference either.
func (r *resolver) unset(vm int) bool {
	c := r.x.s.VMs[vm].Config
	return len(r.c.uuids) > 0 && c != nil && c.UUID == "" && c.RawUUID == ""
}

func (r *resolver) dispute(f fact, s Strength) {
	vm := f.vm
	f.note = joinNotes(f.note, "but its UUID is "+orNone(r.x.s.VMs[vm].UUID())+", not "+r.c.uuids[0].uuid)
	r.against(f, s)
	// Names repeat and addresses are given to the next one: against one of them the UUID has the last word.
	switch {
	case s == Strong && !slices.Contains(r.out.deadlocked, vm):
		r.out.deadlocked = append(r.out.deadlocked, vm)
	case s == Strong:
	case !slices.Contains(r.out.unlike, vm):
		r.out.unlike = append(r.out.unlike, vm)
	case s == Hint && !slices.Contains(r.out.twins, vm):
		// It comes after the addresses, so that one of them fits as well.
		r.out.twins = append(r.out.twins, vm)
	}
}

func (r *resolver) byAddress() {
	for _, a := range r.c.addresses {
		for _, vm := range r.x.at(a.key) {
			r.atAddress(a, vm)
		}
	}
}

// atAddress weighs one guest that stands at an address which the claim names. The three outcomes besides a link: the
// address is taken by somebody else, the facts disagree about it, or it could not be checked.
func (r *resolver) atAddress(a addressClaim, vm int) {
	v := &r.x.s.VMs[vm]
	f := fact{kind: a.kind, vm: vm, left: a.raw, right: v.Key().String()}
	if a.needsName {
		f.left, f.right = a.raw+" "+r.c.names[0], v.Key().String()+" "+orNone(v.Name)
	}
	seen := v.Config != nil || v.Name != ""
	same := v.Name != "" && r.sameName(v.Name)
	proven := r.levels[atProof].names(vm)
	switch {
	case !candidate(v):
		r.take(f, "the VMID is "+guestWord(v)+"'s")
	case proven && a.needsName && !same:
		f.kind, f.note = KindVMID, "the names differ: CAPMOX looks a VM up by VMID and exact name and will not find it"
		r.levels[atSupporting].add(f)
	case proven:
		r.levels[atStrong].add(f)
	case same && r.contradicts(vm):
		r.dispute(f, Strong)
	case same:
		r.levels[r.atBlank(vm)].add(f)
	case !seen || v.Config == nil:
		if a.needsName {
			f.kind = KindVMID
		}
		f.note = "what is at this VMID was not seen well enough to tell whether it is the same machine"
		r.levels[atSupporting].add(f)
		r.out.unverified = append(r.out.unverified, vm)
	case a.needsName && r.swapped(vm):
		f.kind, f.note = KindVMID, "the names differ, and the UUIDs are equal but for the order of their bytes"
		r.against(f, Supporting)
		r.out.blank = append(r.out.blank, vm)
		r.out.unverified = append(r.out.unverified, vm)
	case a.needsName:
		f.kind = KindVMID
		r.take(f, "the VM with this VMID has another name")
	case r.contradicts(vm):
		r.take(f, "the VMID now belongs to a guest with another UUID")
	case r.begins(v.Name):
		// So does prod-10 with prod-1, and a backup with what it is one of.
		f.note = "there is no UUID to compare, and the VM's name only begins with this one"
		r.levels[atSupporting].add(f)
	default:
		// The cloud controller manager wants the same UUID and a VM name that begins with the Node's. Here the UUIDs cannot
		// be compared and the name fits nothing: it may be the machine, or whoever got its VMID afterwards.
		f.note = "there is no UUID to compare, and the names differ: the VMID may have been given to another guest"
		r.against(f, Supporting)
		r.out.blank = append(r.out.blank, vm)
		r.out.unverified = append(r.out.unverified, vm)
	}
}

// atBlank is the level of an address and a name that fit: less than strong if the claim has a UUID, the VM has none or the
// swapped form, and not all UUIDs were seen, for another VM may have the very one. (A VM with the very one is proof already.)
func (r *resolver) atBlank(vm int) int {
	if len(r.c.uuids) > 0 && r.x.s.VMs[vm].Config != nil && len(r.x.uuidGaps) > 0 {
		return atSupporting
	}
	return atStrong
}

// begins is true if a VM's name begins with one of the claim's, which is how the Proxmox cloud controller manager
// compares them (sergelogvinov/proxmox-cloud-controller-manager).
func (r *resolver) begins(name string) bool {
	f := foldName(name)
	for _, n := range r.c.names {
		if short := shortName(foldName(n)); short != "" && strings.HasPrefix(f, short) {
			return true
		}
	}
	return false
}

// take notes that the address is another guest's: VMIDs are recycled.
func (r *resolver) take(f fact, note string) {
	f.note = note
	r.against(f, Strong)
	r.out.taken = append(r.out.taken, f.vm)
}

func (r *resolver) sameName(name string) bool {
	f := foldName(name)
	return slices.ContainsFunc(r.c.names, func(n string) bool { return sameFolded(foldName(n), f) })
}
