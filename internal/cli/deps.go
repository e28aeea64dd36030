package cli

import (
	"context"

	"github.com/proxaudit/proxaudit/inventory"
	"github.com/proxaudit/proxaudit/inventory/collect"
)

// Deps is what asks the servers. Tests put functions in its place.
type Deps struct {
	Collect func(context.Context, collect.Plan) (*inventory.Snapshot, collect.Timings, error)
	Doctor  func(context.Context, collect.Plan) ([]inventory.Check, []inventory.Requests)
}

// Collectors are the real ones.
func Collectors() Deps { return Deps{Collect: collect.Run, Doctor: collect.Doctor} }
