// Package rules is the catalogue of what proxaudit finds: one rule, one file. A rule's ID and meaning never change once
// published; tickets, ignore files and dashboards refer to them.
package rules

import (
	"slices"
	"sync"

	"github.com/proxaudit/proxaudit/audit/identity"
)

// Severity of a rule's findings.
type Severity string

// The severities, the worst first.
const (
	Critical Severity = "critical"
	Warning  Severity = "warning"
	Info     Severity = "info"
)

// Rank is 0 for the worst. Severities that do not exist come last.
func (s Severity) Rank() int {
	switch s {
	case Critical:
		return 0
	case Warning:
		return 1
	case Info:
		return 2
	default:
		return 3
	}
}

// Rule is one kind of finding.
type Rule struct {
	// ID is like PXA101.
	ID       string         `json:"id"`
	Class    identity.Class `json:"class"`
	Severity Severity       `json:"severity"`
	// Title says in a few words what is wrong.
	Title string `json:"title"`
	// Why says what happens if nobody does anything.
	Why string `json:"why"`
	// Remedy is what a person does about it.
	Remedy string `json:"remedy"`
	// Sources are what the verdict needs; if one of them did not answer, it is unknown instead.
	Sources []string `json:"sources"`
}

// Sources that rules need.
const (
	needGuests     = "Proxmox: the guest list, with VM.Audit on /vms"
	needConfigs    = "Proxmox: the configuration of each guest"
	needProbe      = "Proxmox: cluster/nextid for a VMID that no list shows"
	needDeclared   = "management cluster: Machines and ProxmoxMachines"
	needCluster    = "management cluster: Cluster API's objects with their conditions, and the controllers' Pods and leases"
	needNodes      = "workload cluster: Nodes"
	needNodesOfAll = "workload clusters: the Nodes of every cluster that the VM may belong to"
)

// OfClusters lists the rules about clusters by ID.
func OfClusters() []Rule { return []Rule{StuckCluster} }

// All lists the rules about machines by ID.
func All() []Rule {
	all := []Rule{orphanVM, nonNode, ghostMachine, ghostNode, detachedInfra, conflict, mismatched, unknown, adoptable,
		foreignNode, converging}
	slices.SortFunc(all, func(a, b Rule) int {
		switch {
		case a.ID < b.ID:
			return -1
		case a.ID > b.ID:
			return 1
		default:
			return 0
		}
	})
	return all
}

var byClass = sync.OnceValue(func() map[identity.Class]Rule {
	m := map[identity.Class]Rule{}
	for _, r := range All() {
		m[r.Class] = r
	}
	return m
})

// Of returns the rule for a class. Classes that are nothing to tell (managed, template, unrelated) have none.
func Of(c identity.Class) (Rule, bool) {
	r, ok := byClass()[c]
	return r, ok
}
