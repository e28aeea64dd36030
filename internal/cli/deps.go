package cli

import (
	"context"

	"github.com/proxaudit/proxaudit/internal/notify"
	"github.com/proxaudit/proxaudit/inventory"
	"github.com/proxaudit/proxaudit/inventory/collect"
	"github.com/proxaudit/proxaudit/inventory/kube"
)

// Deps is what asks the servers. Tests put functions in its place.
type Deps struct {
	Collect func(context.Context, collect.Plan) (*inventory.Snapshot, collect.Timings, error)
	Doctor  func(context.Context, collect.Plan) ([]inventory.Check, []inventory.Requests)
	// DryRun asks the management cluster whether it would take manifests.
	DryRun func(context.Context, kube.Target, [][]byte) (inventory.DryRun, error)
	// Notify posts a JSON document to a webhook. The key is the run's.
	Notify func(ctx context.Context, to *notify.Target, body []byte, key string) error
}

// Collectors are the real ones.
func Collectors() Deps {
	return Deps{Collect: collect.Run, Doctor: collect.Doctor, DryRun: dryRun, Notify: notify.New().Post}
}
