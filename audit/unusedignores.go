package audit

import (
	"slices"

	"github.com/proxaudit/proxaudit/audit/ignore"
	"github.com/proxaudit/proxaudit/audit/rules"
	"github.com/proxaudit/proxaudit/inventory"
)

// unused lists the rules that are about nothing that the run has. Whether one is needed can only be said if all was seen that
// it may be about.
func (g *ignoring) unused() []UnusedIgnore {
	out := []UnusedIgnore{}
	gap := firstGap(g.s)
	for i := range g.set.Rules {
		r := &g.set.Rules[i]
		if g.used[i] {
			continue
		}
		u := UnusedIgnore{IgnoreRule: *ruleAsTold(r), Rule: r.Rule, Fingerprint: r.Fingerprint, Subject: r.Subject, Expired: !r.Holds(g.at), Unseen: gap}
		if u.Unseen == "" {
			u.Unseen = outside(g.s, r)
		}
		if u.Unseen == "" && g.machinesOnly && mayBeOfCluster(r) {
			u.Unseen = "whether clusters are stuck, which report says"
		}
		out = append(out, u)
	}
	return out
}

// outside names a source that a rule is about and that the run did not have at all; empty if there is none: one file of rules
// may serve several runs.
func outside(s *inventory.Snapshot, r *ignore.Rule) string {
	sites, clusters := r.Selector.Sites, r.Selector.Clusters
	declared := len(r.Selector.Namespaces) > 0
	sub, err := inventory.ParseSubject(r.Subject)
	switch {
	case err != nil: // no rule but one with a fingerprint has a subject, and such a one was read
		declared = declared || r.Fingerprint != ""
	case sub.Kind == inventory.SubjectVM:
		sites = []string{sub.Scope}
	case sub.Kind == inventory.SubjectNode:
		clusters = []string{sub.Scope}
	case sub.Kind == inventory.SubjectCluster:
		clusters = []string{sub.Name}
	default:
		declared = true
	}
	for _, name := range sites {
		if s.CoverageOf(inventory.SiteSource(name), inventory.ScopeGuests) == nil {
			return inventory.SiteSource(name)
		}
	}
	for _, name := range clusters {
		if !hasCluster(s, name) {
			return inventory.ClusterSource(name)
		}
	}
	if declared && s.CoverageOf(inventory.ManagementSource, inventory.ScopeMachines) == nil {
		return inventory.ManagementSource
	}
	return ""
}

// mayBeOfCluster is true for a rule that may be about a finding of a cluster, and not of a machine.
func mayBeOfCluster(r *ignore.Rule) bool {
	if r.Rule != "" {
		return slices.ContainsFunc(rules.OfClusters(), func(k rules.Rule) bool { return k.ID == r.Rule })
	}
	sub, err := inventory.ParseSubject(r.Subject)
	return err != nil || sub.Kind == inventory.SubjectCluster
}

func hasCluster(s *inventory.Snapshot, key string) bool {
	for i := range s.Clusters {
		if s.Clusters[i].Key == key {
			return true
		}
	}
	return false
}
