package audit

import (
	"fmt"
	"strings"

	"github.com/proxaudit/proxaudit/audit/identity"
	"github.com/proxaudit/proxaudit/audit/rules"
	"github.com/proxaudit/proxaudit/inventory"
)

// NotFoundError says that a Snapshot has no such subject.
type NotFoundError struct {
	Subject inventory.Subject
	// Near are subjects of a like name.
	Near []string
	// Incomplete is true if sources did not answer: it may exist and not have been seen.
	Incomplete bool
}

func (e *NotFoundError) Error() string {
	msg := fmt.Sprintf("%s was not seen in this run", e.Subject)
	if e.Incomplete {
		msg += " (the run is incomplete: see the coverage of proxaudit inventory)"
	}
	if len(e.Near) > 0 {
		msg += "; there is " + strings.Join(e.Near, ", ")
	} else {
		msg += "; proxaudit inventory -o name lists what was"
	}
	return msg
}

// Explain gives all evidence about one VM, Machine, ProxmoxMachine or Node, what argued against included. The error is
// a NotFoundError.
func Explain(s *inventory.Snapshot, sub inventory.Subject, opt Options) (*Explanation, error) {
	r := analyse(s, opt)
	e := r.graph.Of(sub)
	if e == nil {
		return nil, &NotFoundError{Subject: sub, Near: near(r.s, sub), Incomplete: len(r.s.Incomplete()) > 0}
	}
	out := &Explanation{Envelope: r.envelope(KindExplanation), Item: r.item(e), Missing: e.Missing,
		For: []identity.Evidence{}, Against: []identity.Evidence{}}
	for _, ref := range refsOf(r.s, e) {
		if ref.ID == sub.String() {
			out.Subject = ref
		}
	}
	for _, ev := range e.Evidence() {
		if ev.Against {
			out.Against = append(out.Against, ev)
		} else {
			out.For = append(out.For, ev)
		}
	}
	out.Verdict = verdictOf(e)
	if rule, ok := rules.Of(e.Class); ok {
		out.Verdict = titleOf(rule, e)
		out.Remedy = remedyOf(rule, e)
		out.Finding = &ExplainedFinding{Rule: rule.ID, Severity: ruleOf(e).Severity, WaitingFor: r.waitingFor(e)}
	}
	return out, nil
}

func verdictOf(e *identity.Entity) string {
	switch {
	case e.Class == identity.Managed:
		return "VM, Machine and Node are one, and their providerIDs agree"
	case e.Class == identity.Template:
		return "A template: clones are made from it"
	case e.Reason == identity.ReasonContainer:
		return "A container: never matched to a Machine or Node"
	case e.Reason == identity.ReasonServes:
		return "It serves a cluster, and is no machine of it: a load balancer, or a member of an external etcd"
	case e.Reason == identity.ReasonOtherProvider:
		return "A Machine of another infrastructure provider"
	default:
		return "Nothing that was seen ties it to a cluster"
	}
}

// near lists up to five subjects of the same kind whose name or number is the one asked for, in another scope.
func near(s *inventory.Snapshot, sub inventory.Subject) []string {
	var out []string
	add := func(o inventory.Subject) {
		if o.Kind == sub.Kind && o.Name == sub.Name && len(out) < 5 {
			out = append(out, o.String())
		}
	}
	for i := range s.VMs {
		add(inventory.VMSubject(s.VMs[i].Key()))
	}
	for i := range s.Machines {
		add(inventory.Subject{Kind: inventory.SubjectMachine, Scope: s.Machines[i].Namespace, Name: s.Machines[i].Name})
	}
	for i := range s.ProxmoxMachines {
		add(inventory.Subject{Kind: inventory.SubjectProxmoxMachine, Scope: s.ProxmoxMachines[i].Namespace,
			Name: s.ProxmoxMachines[i].Name})
	}
	for i := range s.Nodes {
		add(inventory.Subject{Kind: inventory.SubjectNode, Scope: s.Nodes[i].Cluster, Name: s.Nodes[i].Name})
	}
	return out
}
