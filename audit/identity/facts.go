package identity

import (
	"slices"
	"strings"

	"github.com/proxaudit/proxaudit/inventory"
)

func (r *resolver) vmSubject(vm int) inventory.Subject { return r.x.vmSubjects[vm] }

func (r *resolver) fact(kind Kind, vm int, left, right, note string) Evidence {
	return Evidence{Kind: kind, From: r.c.from, To: r.vmSubject(vm), Left: left, Right: right, Note: note}
}

func (r *resolver) against(e Evidence, s Strength) {
	e.Against = true
	e.Strength = s
	r.out.evidence = append(r.out.evidence, e)
}

func (r *resolver) byUUID() {
	for _, u := range r.c.uuids {
		switch vms := r.x.vmByUUID[u.uuid]; {
		case len(vms) == 1:
			r.levels[atProof].add(vms[0], r.fact(u.kind, vms[0], u.raw, u.uuid, ""))
		case len(vms) > 1:
			for _, vm := range vms {
				r.against(r.fact(KindSharedUUID, vm, u.raw, u.uuid,
					"more than one VM carries this UUID, so it proves nothing"), Proof)
			}
			r.out.shared = vms
		case u.kind == KindSystemUUID:
			// Only what firmware shows can be swapped; a providerID is made from the configuration's text.
			if sw := r.x.vmBySwapped[u.uuid]; len(sw) == 1 {
				at, note := atStrong, "equal after swapping the bytes of the first three groups; the straight form has no match"
				if len(r.x.uuidGaps) > 0 {
					at, note = atSupporting, "equal after swapping the bytes of the first three groups; whether the straight form has a match was not seen"
				}
				r.levels[at].add(sw[0], r.fact(KindSwappedUUID, sw[0], u.raw, r.x.s.VMs[sw[0]].UUID(), note))
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

func (r *resolver) dispute(vm int, e Evidence, s Strength) {
	e.Note = joinNotes(e.Note, "but its UUID is "+orNone(r.x.s.VMs[vm].UUID())+", not "+r.c.uuids[0].uuid)
	r.against(e, s)
	// Names repeat and addresses are given to the next one: against them the UUID has the last word.
	if s == Strong && !slices.Contains(r.out.deadlocked, vm) {
		r.out.deadlocked = append(r.out.deadlocked, vm)
	}
}

func (r *resolver) byAddress() {
	for _, a := range r.c.addresses {
		for _, vm := range r.x.vmByKey[a.key] {
			r.atAddress(a, vm)
		}
	}
}

// atAddress weighs one guest that stands at an address which the claim names. The three outcomes besides a link: the
// address is taken by somebody else, the facts disagree about it, or it could not be checked.
func (r *resolver) atAddress(a addressClaim, vm int) {
	v := &r.x.s.VMs[vm]
	e := r.fact(a.kind, vm, a.raw, v.Key().String(), "")
	if a.needsName {
		e.Left, e.Right = a.raw+" "+r.c.names[0], v.Key().String()+" "+orNone(v.Name)
	}
	seen := v.Config != nil || v.Name != ""
	same := v.Name != "" && r.sameName(v.Name)
	proven := r.levels[atProof].names(vm)
	switch {
	case !candidate(v):
		r.take(vm, e, "the VMID is "+guestWord(v)+"'s")
	case proven && a.needsName && !same:
		e.Kind, e.Note = KindVMID, "the names differ: CAPMOX looks a VM up by VMID and exact name and will not find it"
		r.levels[atSupporting].add(vm, e)
	case proven:
		r.levels[atStrong].add(vm, e)
	case same && r.contradicts(vm):
		r.dispute(vm, e, Strong)
	case same:
		r.levels[r.atBlank(vm)].add(vm, e)
	case !seen || v.Config == nil:
		if a.needsName {
			e.Kind = KindVMID
		}
		e.Note = "what is at this VMID was not seen well enough to tell whether it is the same machine"
		r.levels[atSupporting].add(vm, e)
		r.out.unverified = append(r.out.unverified, vm)
	case a.needsName && r.swapped(vm):
		e.Kind, e.Note = KindVMID, "the names differ, and the UUIDs are equal but for the order of their bytes"
		r.against(e, Supporting)
		r.out.blank = append(r.out.blank, vm)
		r.out.unverified = append(r.out.unverified, vm)
	case a.needsName:
		e.Kind = KindVMID
		r.take(vm, e, "the VM with this VMID has another name")
	case r.contradicts(vm):
		r.take(vm, e, "the VMID now belongs to a guest with another UUID")
	case r.begins(v.Name):
		r.levels[r.atBlank(vm)].add(vm, e)
	default:
		// The cloud controller manager wants the same UUID and a VM name that begins with the Node's. Here the UUIDs cannot
		// be compared and the name fits nothing: it may be the machine, or whoever got its VMID afterwards.
		e.Note = "there is no UUID to compare, and the names differ: the VMID may have been given to another guest"
		r.against(e, Supporting)
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
func (r *resolver) take(vm int, e Evidence, note string) {
	e.Note = note
	r.against(e, Strong)
	r.out.taken = append(r.out.taken, vm)
}

func (r *resolver) sameName(name string) bool {
	f := foldName(name)
	for _, n := range r.c.names {
		if foldName(n) == f || shortName(foldName(n)) == shortName(f) {
			return true
		}
	}
	return false
}

func (r *resolver) byMAC() {
	for _, mac := range r.c.macs {
		vms := r.x.vmByMAC[mac]
		if len(vms) != 1 {
			// A MAC on two VMs (a copied configuration) identifies neither.
			continue
		}
		r.weak(atSupporting, vms[0], r.fact(KindMAC, vms[0], mac, mac, ""))
	}
}

func (r *resolver) byIP() {
	for _, ip := range r.c.ips {
		vms := r.x.vmByIP[ip]
		if len(vms) != 1 {
			continue
		}
		r.weak(atSupporting, vms[0], r.fact(KindIP, vms[0], ip.String(), ip.String(), ""))
	}
}

// weak adds a fact that a differing UUID overrules.
func (r *resolver) weak(at int, vm int, e Evidence) {
	switch {
	case r.contradicts(vm):
		r.dispute(vm, e, r.levels[at].strength)
	case r.c.vmid != nil && *r.c.vmid != r.x.s.VMs[vm].VMID:
		// The declaration's own word is another VMID; only a UUID could show that the VM was restored under this one.
		e.Note = joinNotes(e.Note, "but it names VMID "+itoa(*r.c.vmid))
		r.against(e, r.levels[at].strength)
	case r.unset(vm):
		e.Note = joinNotes(e.Note, "but the VM sets no SMBIOS UUID, and this states "+r.c.uuids[0].uuid)
		r.against(e, r.levels[at].strength)
		r.out.blank = append(r.out.blank, vm)
	default:
		r.levels[at].add(vm, e)
	}
}

func (r *resolver) byName() {
	seen := map[int]bool{}
	for _, n := range r.c.names {
		full := foldName(n)
		vms := r.x.vmByName[full]
		if len(vms) == 0 {
			vms = r.x.vmByShort[shortName(full)]
		}
		// Names repeat in large fleets (every site has a "test"): past this many equals a name says nothing, and
		// listing them all would make the evidence grow with the square of the fleet.
		const tooCommon = 16
		if len(vms) > tooCommon {
			continue
		}
		for _, vm := range vms {
			if seen[vm] {
				continue
			}
			seen[vm] = true
			r.weak(atHint, vm, r.fact(KindName, vm, n, r.x.s.VMs[vm].Name, ""))
		}
	}
}
