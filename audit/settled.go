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
	// gap is the first thing that was not seen and that a verdict may need; empty if there is none.
	gap string
}

func (r *result) settler() *settler {
	st := &settler{r: r, by: map[string]*identity.Entity{}, gap: firstGap(r.s)}
	for i := range r.graph.Entities {
		e := &r.graph.Entities[i]
		for _, ref := range refsOf(r.s, e) {
			st.by[subjectKey(ref, r.ctime(e))] = e
		}
	}
	return st
}

// firstGap names a source of which something is missing. Any may matter: what one site has can say who a VM of another is.
func firstGap(s *inventory.Snapshot) string {
	if gaps := s.Incomplete(); len(gaps) > 0 {
		return gaps[0].Need().String()
	}
	if otherNamespaces(s) {
		return inventory.ScopeOtherNamespaces
	}
	return ""
}

// otherNamespaces is true for a run that was told which ones to read.
func otherNamespaces(s *inventory.Snapshot) bool {
	return s.CoverageOf(inventory.ManagementSource, inventory.ScopeOtherNamespaces) != nil || s.Management != nil && len(s.Management.Namespaces) > 0
}

// settled says whether a finding that the run does not have is over, and why. It is over if the subject has another
// verdict, or if the list that it would be in was read whole and does not have it. With a
// source less there is less that argues for a finding, so that only one verdict counts as another where something is missing: that of a
// machine of which all parts were seen. Even then a rival may be what is missing, or what made
// the doubt.
func (st *settler) settled(f history.Finding) (bool, string) {
	if e := st.by[f.Key]; e != nil {
		switch {
		case e.Class == identity.Unknown:
			return false, "it has no verdict now"
		case e.Class != identity.Managed && f.Cluster != "" && !st.r.s.Known(inventory.ClusterSource(f.Cluster), inventory.ScopeNodes):
			return false, "it looks " + string(e.Class) + " now, and its cluster was not read: " + f.Cluster
		case st.gap != "" && (e.Class != identity.Managed || f.Class == string(identity.Conflict) || f.Class == string(identity.Unknown)):
			return false, "it looks " + string(e.Class) + " now, and not all was seen: " + st.gap
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
		return st.vmGone(sub, f.Key)
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

// vmGone is about a VM that no VM of the run is known to be. One that has its VMID and was not looked into may be it. Proxmox
// takes guests that a token may not see out of its list and says nothing, so that a probe of the VMID has the last word
// (collect.Plan.Remembered); without one, as in a file, a list counts that the token may see all of.
func (st *settler) vmGone(sub inventory.Subject, key string) (bool, string) {
	vmid, err := strconv.Atoi(sub.Name)
	if err != nil {
		return false, "its VMID cannot be read: " + err.Error()
	}
	k, s := inventory.Key{Site: sub.Scope, VMID: vmid}, st.r.s
	for i := range s.VMs {
		switch vm := &s.VMs[i]; {
		case vm.Key() != k:
		case vm.Config == nil:
			return false, "the configuration of the VM with its VMID was not read"
		case key == subjectKey(SubjectRef{Kind: sub.Kind, Site: sub.Scope, VMID: vmid}, ""):
			return false, "which VM had its VMID was not known when it was found"
		default:
			return true, "its VMID is another VM's now"
		}
	}
	if p := s.ProbeOf(k); p != nil {
		switch p.Existence {
		case inventory.Free:
			return true, "it is not there any more: Proxmox says that its VMID is free"
		case inventory.Exists:
			return false, "the guest list does not have it, and Proxmox says that its VMID is taken: the token may not see it"
		default:
			return false, "the guest list does not have it, and whether its VMID is free was not answered: " + p.Reason
		}
	}
	for i := range s.Sites {
		if site := &s.Sites[i]; site.Name == k.Site && !site.Visibility.Complete {
			return false, "the token does not see all guests of the site"
		}
	}
	return absent(s, inventory.SiteSource(k.Site), inventory.ScopeGuests)
}

// declaredAbsent is absent for what the management cluster declares: what other namespaces have was not seen by a run
// that left them out.
func declaredAbsent(s *inventory.Snapshot, scope string) (bool, string) {
	if otherNamespaces(s) {
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
