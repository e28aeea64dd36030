package progress

import (
	"time"

	"github.com/proxaudit/proxaudit/inventory"
)

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
