package progress

import (
	"time"

	"github.com/proxaudit/proxaudit/inventory"
)

// past is a time as far as it can be one: clocks differ by moments, and what is ahead of ours by more than the grace period, or was never
// set, says nothing.
func (w *World) past(at *time.Time) *time.Time {
	switch {
	case at == nil || at.Year() < 2000:
		return nil
	case !at.After(w.s.CollectedAt):
		return at
	case at.Sub(w.s.CollectedAt) < w.grace:
		now := w.s.CollectedAt
		return &now
	default:
		return nil
	}
}

// latest is when one of an object's conditions changed last, or when it was made.
func latest(m *inventory.Meta) *time.Time {
	out := m.CreatedAt
	for i := range m.Conditions {
		if at := m.Conditions[i].Since; at != nil && (out == nil || at.After(*out)) {
			out = at
		}
	}
	return out
}
