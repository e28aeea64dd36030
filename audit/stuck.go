package audit

import (
	"strings"

	"github.com/proxaudit/proxaudit/audit/identity"
	"github.com/proxaudit/proxaudit/audit/progress"
	"github.com/proxaudit/proxaudit/audit/rules"
	"github.com/proxaudit/proxaudit/inventory"
)

// isFinding is true for a class that a report lists: of machines, those of orphans.
func isFinding(c identity.Class) bool { return c.IsFinding() || c == rules.Stuck }

// stuckFinding is what a report says of a cluster that does not get on by itself. It is the same finding as long as the
// cluster is stuck, whatever it is that holds it.
func stuckFinding(c *progress.Cluster) Finding {
	sub := inventory.Subject{Kind: inventory.SubjectCluster, Name: c.Key}
	ref := SubjectRef{Kind: sub.Kind, Cluster: c.Key, Namespace: c.Namespace, Name: c.Name, ID: sub.String()}
	if ref.Name == "" {
		ref.Name = c.Key
	}
	rule := rules.StuckCluster
	f := Finding{Rule: rule.ID, Severity: rule.Severity, Class: rules.Stuck, Subject: ref, Title: rule.Title, Evidence: []identity.Evidence{},
		Confidence: identity.High, Status: string(c.State), Remedy: rule.Remedy, Fingerprint: digest(append([]string{rule.ID}, who(ref, "")...))}
	b := c.Baton
	if b == nil {
		return f
	}
	what := b.Object.Kind + " " + b.Object.Name + ": " + b.Detail
	f.Title += ": " + what
	f.WaitingFor = waitsFor(b)
	f.Since, f.AgeSeconds = b.Since, b.Seconds
	for _, text := range append([]string{what}, b.Evidence...) {
		f.Evidence = append(f.Evidence, identity.Evidence{Kind: identity.KindState, From: sub, Left: text})
	}
	if b.Remedy != "" {
		f.Remedy = b.Remedy
	}
	if len(b.Commands) > 0 {
		f.Remedy = strings.TrimSuffix(f.Remedy, ".") + ". Next: " + b.Commands[0]
	}
	return f
}
