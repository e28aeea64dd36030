package identity

import (
	"slices"
	"strings"
)

func (r *resolver) byMAC() {
	for _, stated := range r.c.macs {
		mac := strings.ToLower(stated)
		vms := r.x.vmByMAC.get(mac)
		if len(vms) != 1 {
			// A MAC on two VMs (a copied configuration) identifies neither.
			continue
		}
		r.weak(atSupporting, fact{kind: KindMAC, vm: vms[0], left: mac, right: mac})
	}
}

func (r *resolver) byIP() {
	for _, stated := range r.c.ips {
		ip, _ := parseAddress(stated)
		if !ip.IsValid() {
			continue
		}
		vms := r.x.vmByIP.get(ip.As16())
		if len(vms) != 1 {
			continue
		}
		shown := ip.String()
		r.weak(atSupporting, fact{kind: KindIP, vm: vms[0], left: shown, right: shown})
	}
}

// weak adds a fact that a differing UUID overrules.
func (r *resolver) weak(at int, f fact) {
	vm := f.vm
	switch {
	case r.contradicts(vm):
		r.dispute(f, r.levels[at].strength)
	case r.c.vmid != nil && *r.c.vmid != r.x.s.VMs[vm].VMID:
		// The declaration's own word is another VMID; only a UUID could show that the VM was restored under this one.
		f.note = joinNotes(f.note, "but it names VMID "+itoa(*r.c.vmid))
		r.against(f, r.levels[at].strength)
	case r.unset(vm):
		f.note = joinNotes(f.note, "but the VM sets no SMBIOS UUID, and this states "+r.c.uuids[0].uuid)
		r.against(f, r.levels[at].strength)
		r.out.blank = append(r.out.blank, vm)
	default:
		r.levels[at].add(f)
	}
}

func (r *resolver) byName() {
	var seen []int
	for _, n := range r.c.names {
		full := foldName(n)
		vms := r.x.vmByName.get(full)
		if len(vms) == 0 {
			vms = r.x.vmByShort.get(shortName(full))
		}
		// Names repeat in large fleets (every site has a "test"): past this many equals a name says nothing, and
		// listing them all would make the evidence grow with the square of the fleet.
		const tooCommon = 16
		if len(vms) > tooCommon {
			continue
		}
		for _, vm := range vms {
			if slices.Contains(seen, vm) {
				continue
			}
			if !sameFolded(full, foldName(r.x.s.VMs[vm].Name)) {
				continue
			}
			seen = append(seen, vm)
			r.weak(atHint, fact{kind: KindName, vm: vm, left: n, right: r.x.s.VMs[vm].Name})
		}
	}
}
