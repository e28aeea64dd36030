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
	// swapped is true if a UUID in swapped form argues for the VM.
	swapped bool
	// contested is true if some fact names another VM than the one that the claim is about; backed if an address and the
	// name both name that one.
	contested, backed bool
	*doubts
}

// doubts are what keeps a claim from being about one VM. Hardly any claim has one.
type doubts struct {
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
	// unlike are VMs that an address or a name fits and whose UUID is another, twins those of them that both fit. Kept only
	// for what found no VM.
	unlike, twins []int
	// unverified are VMs that an address names and that could not be checked, for their name or UUID was not seen.
	unverified []int
}

// noDoubts stands for those of nearly every claim. Nobody writes to it.
var noDoubts doubts

func (d *doubts) kept() *doubts {
	if len(d.rivals)+len(d.shared)+len(d.blank)+len(d.deadlocked)+len(d.taken)+len(d.unverified)+len(d.unlike) == 0 {
		return &noDoubts
	}
	c := *d
	return &c
}

// resolver collects the facts of one claim, strength by strength. It serves many claims, one after the other, so that its
// lists are made once.
type resolver struct {
	x      *index
	c      claim
	levels [4]level
	out    resolution
	found  doubts
	// doubted are facts that spoke against a candidate at once.
	doubted []fact
}

const (
	atProof = iota
	atStrong
	atSupporting
	atHint
)

// resolve finds the VM that a claim is about. The strongest level that names a VM decides.
func (r *resolver) resolve(c claim) resolution {
	r.compare(c, false)
	return r.decide()
}

// factsOf are all that can be compared for a claim, what argues for its VM first.
func (r *resolver) factsOf(c claim) []fact {
	r.compare(c, true)
	r.decide()
	return r.ordered()
}

// compare collects the facts of a claim. Where a UUID proves which VM it is, addresses of interfaces and names decide nothing
// any more: they are compared only for somebody who wants to see all evidence.
func (r *resolver) compare(c claim, all bool) {
	r.c, r.found, r.doubted = c, doubts{}, r.doubted[:0]
	r.out = resolution{vm: -1, doubts: &r.found}
	for at, strength := range [...]Strength{atProof: Proof, atStrong: Strong, atSupporting: Supporting, atHint: Hint} {
		r.levels[at].reset(strength)
	}
	r.byUUID()
	r.byAddress()
	// A guest with another name at the VMID that the claim names may be the same one after all, if MAC or IP fit.
	if proven := len(r.levels[atProof].vms) > 0 && len(r.found.taken) == 0; all || !proven {
		r.byMAC()
		r.byIP()
		r.byName()
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
	for i := range r.levels {
		for _, f := range r.levels[i].facts {
			r.out.swapped = r.out.swapped || (f.kind == KindSwappedUUID && r.chosen(f.vm))
		}
	}
	if r.out.vm >= 0 {
		r.found.unlike, r.found.twins = nil, nil
		for i := range r.levels {
			for _, vm := range r.levels[i].vms {
				r.out.contested = r.out.contested || vm != r.out.vm
			}
		}
		r.out.backed = r.levels[atSupporting].names(r.out.vm) && r.levels[atHint].names(r.out.vm)
	}
	r.out.doubts = r.found.kept()
	return r.out
}

// ordered is all evidence: facts for the chosen VM (or for every rival) first, then those that name others, which argue
// against it, then what spoke against candidates before.
func (r *resolver) ordered() []fact {
	n := len(r.doubted)
	for at := range r.levels {
		n += len(r.levels[at].facts)
	}
	out := make([]fact, 0, n)
	for _, against := range []bool{false, true} {
		for at := range r.levels {
			l := &r.levels[at]
			for _, vm := range l.vms {
				if r.chosen(vm) == against {
					continue
				}
				for i := range l.facts {
					if l.facts[i].vm == vm {
						out = append(out, l.facts[i])
						out[len(out)-1].against = against
					}
				}
			}
		}
	}
	return append(out, r.doubted...)
}

// chosen is true for the VM that the claim is about and for its rivals.
func (r *resolver) chosen(vm int) bool { return vm == r.out.vm || slices.Contains(r.out.rivals, vm) }

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

func guestWord(v *inventory.VM) string {
	if v.Type == inventory.GuestLXC {
		return "a container"
	}
	return "a template"
}
