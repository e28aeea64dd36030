package history

import (
	"time"

	"github.com/proxaudit/proxaudit/inventory"
)

// Kept is what is kept of a run.
type Kept struct {
	// ID is that of the Run.
	ID string `json:"id"`
	// At is when its Snapshot was collected.
	At       time.Time `json:"at"`
	Findings int       `json:"findings"`
	Critical int       `json:"critical"`
	Warning  int       `json:"warning"`
	Info     int       `json:"info"`
	// Classes counts the findings by class.
	Classes map[string]int `json:"classes,omitempty"`
	// Incomplete is true if a verdict was missing.
	Incomplete bool `json:"incomplete"`
	// Coverage has the entries because of which that is so.
	Coverage []inventory.Coverage `json:"coverage"`
}

// Event is what one run did to a finding.
type Event struct {
	At     time.Time `json:"at"`
	Change Change    `json:"change"`
	Why    string    `json:"why,omitempty"`
}
