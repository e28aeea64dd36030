package identity

import "slices"

// level is all that one strength says. There are few facts to a level, so that a list is searched faster than a map, and
// tens of thousands of claims cost no maps.
type level struct {
	strength Strength
	// vms are the VMs that its facts name, each once, in the order of the facts.
	vms   []int
	facts []fact
}

func (l *level) add(f fact) {
	if !l.names(f.vm) {
		l.vms = append(l.vms, f.vm)
	}
	f.strength = l.strength
	l.facts = append(l.facts, f)
}

func (l *level) names(vm int) bool { return slices.Contains(l.vms, vm) }

// reset empties the level for the next claim.
func (l *level) reset(strength Strength) {
	l.strength, l.vms, l.facts = strength, l.vms[:0], l.facts[:0]
}
