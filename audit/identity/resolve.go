package identity

import (
	"slices"
	"strings"

	"github.com/proxaudit/proxaudit/inventory"
)

// resolution is what became of one claim.
type resolution struct {
	// vm is the index of the VM that the claim is about, or -1.
	vm       int
	strength Strength
	evidence []Evidence
	// rivals are VMs that equally strong evidence names: proof against proof is a conflict, a name against the same
	// name is only ambiguous.
	rivals []int
	// shared are the VMs that carry the claim's UUID, if there are several.
	shared []int
	// blank are VMs that some fact names and that set no UUID, while the claim has one: neither yes nor no.
	blank []int
	// deadlocked are VMs whose VMID and name fit and whose UUID does not: two strong facts disagree.
	deadlocked []int
	// taken are addresses that the object names and that a guest of another identity holds (a recycled VMID).
	taken []int
	// unverified are VMs that an address names and that could not be checked, for their name or UUID was not seen.
	unverified []int
}

// resolver collects the facts of one claim, strength by strength.
type resolver struct {
	x      *index
	c      claim
	levels [4]level
	out    resolution
}

const (
	atProof = iota
	atStrong
	atSupporting
	atHint
)

// resolve finds the VM that a claim is about. The strongest level that names a VM decides; what weaker levels say of
// other VMs is kept as evidence against.
func (x *index) resolve(c claim) resolution {
	// One resolver serves all claims, so that its lists are made once.
	r := &x.scratch
	r.x, r.c, r.out = x, c, resolution{vm: -1}
	for at, strength := range [...]Strength{atProof: Proof, atStrong: Strong, atSupporting: Supporting, atHint: Hint} {
		r.levels[at].reset(strength)
	}
	r.byUUID()
	r.byAddress()
	r.byMAC()
	r.byIP()
	r.byName()
	return r.decide()
}

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

// settleTaken takes back that an address is another guest's where a MAC or IP address fits that guest as well and no UUID
// says otherwise: then it may have been renamed.
func (r *resolver) settleTaken() {
	var kept []int
	for _, vm := range r.out.taken {
		if r.levels[atSupporting].names(vm) || slices.Contains(r.out.blank, vm) {
			r.out.unverified = append(r.out.unverified, vm)
			continue
		}
		kept = append(kept, vm)
	}
	r.out.taken = kept
}

func (r *resolver) decide() resolution {
	r.settleTaken()
	for at := range r.levels {
		if l := &r.levels[at]; len(l.vms) > 0 {
			r.choose(at, l)
			break
		}
	}
	if r.out.vm >= 0 && !certain(r.out.strength) && len(r.out.blank) > 0 && !slices.Contains(r.out.blank, r.out.vm) {
		// It may be either: the one that an address or a name fits, or the one that could not be told apart.
		r.out.vm, r.out.rivals = -1, []int{r.out.vm}
	}
	r.out.evidence = r.ordered()
	return r.out
}

// ordered is all evidence: facts for the chosen VM (or for every rival) first, then those that name others, which argue
// against it, then what spoke against candidates before.
func (r *resolver) ordered() []Evidence {
	n := len(r.out.evidence)
	for at := range r.levels {
		n += len(r.levels[at].facts)
	}
	out := make([]Evidence, 0, n)
	for _, against := range []bool{false, true} {
		for at := range r.levels {
			l := &r.levels[at]
			for _, vm := range l.vms {
				if chosen := vm == r.out.vm || slices.Contains(r.out.rivals, vm); chosen == against {
					continue
				}
				for i := range l.facts {
					if l.facts[i].vm == vm {
						out = append(out, l.facts[i].Evidence)
						out[len(out)-1].Against = against
					}
				}
			}
		}
	}
	return append(out, r.out.evidence...)
}

func (r *resolver) choose(at int, l *level) {
	r.out.strength = l.strength
	if len(l.vms) == 1 {
		r.out.vm = l.vms[0]
		return
	}
	if vm, ok := r.breakTie(at); ok {
		r.out.vm = vm
		return
	}
	r.out.rivals = slices.Clone(l.vms)
	if at == atProof {
		// The claims stand in the order of trust: what the kubelet read from the hardware before what somebody wrote.
		// The object stays with the first, and the other VM is a rival.
		r.out.vm, r.out.rivals = l.vms[0], r.out.rivals[1:]
	}
}

// breakTie looks for the one rival that weaker facts agree on. Proofs that disagree are never settled by anything
// weaker, and strong facts neither: that is a finding, not a coin toss.
func (r *resolver) breakTie(at int) (int, bool) {
	if at <= atStrong {
		return 0, false
	}
	for weaker := at + 1; weaker < len(r.levels); weaker++ {
		hit, n := -1, 0
		for _, vm := range r.levels[at].vms {
			if r.levels[weaker].names(vm) {
				hit, n = vm, n+1
			}
		}
		if n == 1 {
			return hit, true
		}
	}
	return 0, false
}

func joinNotes(notes ...string) string {
	var kept []string
	for _, n := range notes {
		if n != "" {
			kept = append(kept, n)
		}
	}
	return strings.Join(kept, "; ")
}

func orNone(s string) string {
	if s == "" {
		return "(none)"
	}
	return s
}

func lowerAll(in []string) []string {
	out := make([]string, 0, len(in))
	for _, s := range in {
		out = append(out, strings.ToLower(s))
	}
	return out
}

func guestWord(v *inventory.VM) string {
	if v.Type == inventory.GuestLXC {
		return "a container"
	}
	return "a template"
}
