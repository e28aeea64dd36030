package audit

import (
	"fmt"
	"strconv"

	"github.com/proxaudit/proxaudit/audit/history"
	"github.com/proxaudit/proxaudit/audit/identity"
	"github.com/proxaudit/proxaudit/inventory"
)

// settler says of findings of earlier runs what this run has seen in their place.
type settler struct {
	r *result
	// by has each subject of the run under its key, with its entity.
	by map[string]*identity.Entity
}

func (r *result) settler() *settler {
	st := &settler{r: r, by: map[string]*identity.Entity{}}
	for i := range r.graph.Entities {
		e := &r.graph.Entities[i]
		for _, ref := range refsOf(r.s, e) {
			st.by[subjectKey(ref, r.ctime(e))] = e
		}
	}
	return st
}

// settled says whether a finding that the run does not have is over, and why. It is over if the subject has another
// verdict, or if the list that it would be in was read whole and does not have it. An unknown verdict that waits for a
// source is no other verdict.
func (st *settler) settled(f history.Finding) (bool, string) {
	if e := st.by[f.Key]; e != nil {
		if e.Class == identity.Unknown && len(e.Missing) > 0 {
			return false, "it has no verdict now, for " + e.Missing[0].String() + " was not seen"
		}
		return true, "it is " + string(e.Class) + " now"
	}
	sub, err := inventory.ParseSubject(f.Subject)
	if err != nil {
		return false, "its subject cannot be read: " + err.Error()
	}
	s := st.r.s
	switch sub.Kind {
	case inventory.SubjectVM:
		return st.vmGone(sub)
	case inventory.SubjectNode:
		return absent(s, inventory.ClusterSource(sub.Scope), inventory.ScopeNodes)
	case inventory.SubjectMachine:
		return declaredAbsent(s, inventory.ScopeMachines)
	case inventory.SubjectProxmoxMachine:
		return declaredAbsent(s, inventory.ScopeProxmoxMachines)
	default:
		return false, fmt.Sprintf("this version does not know what a %s is", sub.Kind)
	}
}

// vmGone is about a VM that no VM of the run is known to be. One that has its VMID and was not looked into may be it.
func (st *settler) vmGone(sub inventory.Subject) (bool, string) {
	s := st.r.s
	for i := range s.VMs {
		vm := &s.VMs[i]
		if vm.Site != sub.Scope || strconv.Itoa(vm.VMID) != sub.Name {
			continue
		}
		if vm.Config == nil {
			return false, "the configuration of the VM with its VMID was not read"
		}
		if known, why := absent(s, inventory.SiteSource(sub.Scope), inventory.ScopeGuests); !known {
			return false, why
		}
		return true, "its VMID is another VM's now"
	}
	return absent(s, inventory.SiteSource(sub.Scope), inventory.ScopeGuests)
}

// declaredAbsent is absent for what the management cluster declares: what other namespaces have was not seen by a run
// that left them out.
func declaredAbsent(s *inventory.Snapshot, scope string) (bool, string) {
	if s.CoverageOf(inventory.ManagementSource, inventory.ScopeOtherNamespaces) != nil {
		return false, "only some namespaces were read"
	}
	return absent(s, inventory.ManagementSource, scope)
}

// absent: the list was read whole, and what is not in it is not there.
func absent(s *inventory.Snapshot, source, scope string) (bool, string) {
	if s.Known(source, scope) {
		return true, "it is not there any more"
	}
	if c := s.CoverageOf(source, scope); c != nil && c.Reason != "" {
		return false, c.Need().String() + ": " + c.Reason
	}
	return false, inventory.Need{Source: source, Scope: scope}.String() + " was not read"
}
