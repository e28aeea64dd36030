package audit

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/proxaudit/proxaudit/audit/history"
	"github.com/proxaudit/proxaudit/audit/identity"
	"github.com/proxaudit/proxaudit/audit/progress"
	"github.com/proxaudit/proxaudit/inventory"
)

// settler says of findings of earlier runs what this run has seen in their place.
type settler struct {
	r *result
	// by has each subject of the run under its key, with its entity.
	by map[string]*identity.Entity
	// clusters are the states of the run's clusters, by key; read is what the run has read.
	clusters map[string]progress.State
	read     []history.Source
	// gap is the first thing that was not seen and that a verdict may need; empty if there is none.
	gap string
}

func (r *result) settler(clusters []ClusterProgress) *settler {
	st := &settler{r: r, by: map[string]*identity.Entity{}, clusters: map[string]progress.State{}, read: sourcesRead(r.s), gap: firstGap(r.s)}
	for i := range clusters {
		st.clusters[clusters[i].Key] = clusters[i].State
	}
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
// the doubt. A source that was read for the finding, and is not read now or is another of the same name, is missing as well.
func (st *settler) settled(f history.Record) (bool, string) {
	gap := st.gap
	if gap == "" {
		gap = history.Lacking(f.Read, st.read)
	}
	sub, err := inventory.ParseSubject(f.Subject)
	if err != nil {
		return false, "its subject cannot be read: " + err.Error()
	}
	if other := st.another(f, sub); other != "" {
		return false, other
	}
	if sub.Kind == inventory.SubjectCluster {
		return st.clusterSettled(sub.Name, history.Lacking(f.Read, st.read))
	}
	if e := st.by[f.Key]; e != nil {
		switch {
		case e.Class == identity.Unknown:
			return false, "it has no verdict now"
		case e.Class != identity.Managed && f.Cluster != "" && !st.r.s.Known(inventory.ClusterSource(f.Cluster), inventory.ScopeNodes):
			return false, "it looks " + string(e.Class) + " now, and its cluster was not read: " + f.Cluster
		case gap != "" && (e.Class != identity.Managed || f.Class == string(identity.Conflict) || f.Class == string(identity.Unknown)):
			return false, "it looks " + string(e.Class) + " now, and not all was seen: " + gap
		}
		return true, "it is " + string(e.Class) + " now"
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

// another says that the source which lists the subject is not the one that listed it before; empty if it is.
func (st *settler) another(f history.Record, sub inventory.Subject) string {
	source := inventory.ManagementSource
	switch sub.Kind {
	case inventory.SubjectVM:
		source = inventory.SiteSource(sub.Scope)
	case inventory.SubjectNode:
		source = inventory.ClusterSource(sub.Scope)
	}
	i := slices.IndexFunc(f.Read, func(s history.Source) bool { return s.Name == source })
	j := slices.IndexFunc(st.read, func(s history.Source) bool { return s.Name == source })
	if i < 0 || j < 0 || f.Read[i].Same(st.read[j]) {
		return ""
	}
	return history.Lacking(f.Read[i:i+1], st.read[j:j+1])
}

// clusterSettled is about a cluster that was stuck. What of it was not seen makes its state unknown; what is lacking says which source
// of the run before is none of this one.
func (st *settler) clusterSettled(key, lacking string) (bool, string) {
	if lacking == "" {
		lacking = managementGap(st.r.s)
	}
	switch state := st.clusters[key]; {
	case state == "" && lacking != "":
		// It may be called by another name, or be one of those that were left out.
		return false, "it is not among the clusters now, and not all was seen: " + lacking
	case state == "":
		return declaredAbsent(st.r.s, inventory.ScopeClusters)
	case state == progress.Unknown:
		return false, "whom it waits for is not known now"
	case state != progress.Healthy && lacking != "":
		return false, "it looks " + string(state) + " now, and not all was seen: " + lacking
	default:
		return true, "it is " + string(state) + " now"
	}
}

// managementGap names what the management cluster did not tell of its objects; empty if nothing is.
func managementGap(s *inventory.Snapshot) string {
	if otherNamespaces(s) {
		return inventory.ScopeOtherNamespaces
	}
	for _, c := range s.Incomplete() {
		if c.Source == inventory.ManagementSource {
			return c.Need().String()
		}
	}
	return ""
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
	// A site that did not answer shows nothing to any token, and the reason is its own.
	if c := s.CoverageOf(inventory.SiteSource(k.Site), inventory.ScopeGuests); c != nil && c.Missing() && c.State != inventory.Partial {
		return absent(s, c.Source, c.Scope)
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
