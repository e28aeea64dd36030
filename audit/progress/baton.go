package progress

import (
	"fmt"
	"slices"
	"time"

	"github.com/proxaudit/proxaudit/inventory"
)

// hold makes a baton about an object of the management cluster, as its controller's.
func (w *World) hold(phase PhaseID, object inventory.Ref, cause Cause, format string, args ...any) *Baton {
	return &Baton{Phase: phase, Holder: holderOf(object.Kind), Object: object, Cause: cause, Detail: fmt.Sprintf(format, args...)}
}

// byCondition makes one of a condition that does not hold. passes is true if it waits for another object: what that waits for says more.
func (w *World) byCondition(phase PhaseID, object inventory.Ref, c *inventory.Condition) (b *Baton, passes bool) {
	b = w.hold(phase, object, CauseCondition, "%s is %s", c.Type, c.Status)
	b.Condition, b.Since = c, c.Since
	if waitsForCluster(c) {
		return b, true
	}
	m, known := meaningOf(object.Kind, c)
	if old := unmet(w.older(object), c.Type); old != nil {
		if means, ok := meaningOf(object.Kind, old); ok {
			m, known, b.Condition, c = means, true, old, old
		}
	}
	if !known {
		if c.Reason != "" {
			b.Detail += " (" + c.Reason + ")"
		}
		tell(b, c.Message)
		return b, false
	}
	b.Cause, b.Detail, b.Next, b.Remedy = m.cause, m.says, m.next, m.remedy
	if m.holder != "" {
		b.Holder = m.holder
	}
	tell(b, c.Message)
	return b, m.passes
}

// vague are causes of which an Event may say more.
var vague = []Cause{CauseCondition, CauseProvisioning, CauseNotLooked, CauseReplicas, CauseFailed, CauseRollout}

// settle fills in what follows from the rest: for how long, in which state, what to run, and whether its controller lives.
func (w *World) settle(b *Baton, fallback *time.Time) *Baton {
	if b.Since = w.past(b.Since); b.Since == nil {
		b.Since = w.past(fallback)
	}
	if e := w.warning(b.Object); e != nil && b.Cluster == "" {
		text := fmt.Sprintf("the last warning about it: %s: %s", e.Reason, e.Message)
		if e.Reporter != "" {
			text += " (by " + e.Reporter + ")"
		}
		b.Evidence = append(b.Evidence, text)
		// What was reported before the condition came to be so, or long ago, may be over.
		recent := e.Last != nil && w.s.CollectedAt.Sub(*e.Last) < w.grace && (b.Since == nil || !e.Last.Before(*b.Since))
		if recent && slices.Contains(vague, b.Cause) {
			tell(b, e.Message)
		}
	}
	b = w.alive(b)
	if b.Since != nil {
		at := b.Since.UTC()
		seconds := int64(w.s.CollectedAt.Sub(at) / time.Second)
		b.Since, b.Seconds = &at, &seconds
	}
	if b.State == "" {
		b.State = w.stateOf(b)
	}
	if b.Commands == nil {
		b.Commands = w.look(b)
	}
	return b
}

// stateOf is stuck for what is older than the grace period, or has no time, and for what no controller will change.
func (w *World) stateOf(b *Baton) State {
	switch {
	case len(b.Missing) > 0:
		return Unknown
	case b.Holder == Person:
		return Stuck
	case b.Since == nil || w.s.CollectedAt.Sub(*b.Since) >= w.grace:
		return Stuck
	default:
		return Converging
	}
}

// notLooked is for an object of which its controller has said nothing yet.
func (w *World) notLooked(phase PhaseID, object inventory.Ref, m *inventory.Meta) *Baton {
	b := w.hold(phase, object, CauseNotLooked, "its controller has said nothing about it yet")
	b.Next = "the controller looks at it"
	b.Since = m.CreatedAt
	b.Remedy = "See the controller's log: it ends each pass with an error before it writes a condition, or never looks."
	if b.Holder == Infrastructure {
		// pkg/scope/cluster.go: NewClusterScope.
		b.Remedy = "See CAPMOX's log: where it cannot log in to Proxmox, it says so there alone. Check its credentials (the Secret of spec.credentialsRef, or its own), the address and the certificate."
	}
	return b
}

// unobserved is true if a controller has not looked at an object's latest change.
func unobserved(m *inventory.Meta) bool {
	return m.Generation > 0 && m.Observed > 0 && m.Observed < m.Generation
}

// stale notes that.
func stale(b *Baton, m *inventory.Meta) {
	if unobserved(m) {
		b.Evidence = append(b.Evidence, fmt.Sprintf("its controller has not looked at its last change (generation %d, observed %d)", m.Generation, m.Observed))
	}
}

// pausedBy is a baton for an object that somebody paused; nil if nobody did.
func (w *World) pausedBy(phase PhaseID, object inventory.Ref, m *inventory.Meta) *Baton {
	if m == nil || !m.Paused {
		return nil
	}
	how := "spec.paused"
	if _, ok := m.Annotations[annotationPaused]; ok {
		how = "its annotation " + annotationPaused
	}
	b := w.hold(phase, object, CausePaused, "it is paused (%s): its controller does nothing", how)
	if object.Kind == "Cluster" {
		b.Detail = "it is paused (" + how + "): no controller does anything in it"
	}
	b.Holder, b.Since = Person, nil
	b.Remedy = "Find out who paused it, and why. It goes on when that is taken off."
	if c := condition(m, "Paused"); c != nil && c.Status == "True" {
		b.Condition, b.Since = c, c.Since
	}
	return b
}
