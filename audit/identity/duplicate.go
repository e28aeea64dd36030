package identity

func (b *builder) isDuplicateMachine(m int) bool {
	pm := b.pmOfMachine[m]
	if pm < 0 {
		return false
	}
	_, dup := b.duplicate[pm]
	return dup
}

// findDuplicates looks for VMs that several ProxmoxMachines claim. If exactly one of them fits by VMID and name (the
// two by which CAPMOX itself finds a VM), it is the holder and the others are duplicates: conflicts of their own.
func (b *builder) findDuplicates() {
	claims := newPosting[int](upTo(len(b.pms)), len(b.pms))
	for i := range b.pms {
		if vm := b.pms[i].vm; vm >= 0 && (b.pms[i].strength == Proof || b.pms[i].strength == Strong) {
			claims.add(vm, i)
		}
	}
	for vm, pms := range claims.more {
		holder, n := -1, 0
		for _, pm := range pms {
			if b.fitsExactly(pm, vm) {
				holder, n = pm, n+1
			}
		}
		if n != 1 {
			continue
		}
		for _, pm := range pms {
			if pm != holder {
				b.duplicate[pm] = vm
			}
		}
	}
}

func (b *builder) fitsExactly(pm, vm int) bool {
	p, v := &b.s.ProxmoxMachines[pm], &b.s.VMs[vm]
	return p.VMID != nil && *p.VMID == v.VMID && p.Name == v.Name
}
