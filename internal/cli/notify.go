package cli

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/urfave/cli/v2"

	"github.com/proxaudit/proxaudit/audit"
	"github.com/proxaudit/proxaudit/internal/notify"
	"github.com/proxaudit/proxaudit/render"
)

// readWebhook reads the URL before any server is asked: a file that has none costs no night.
func (n *nightly) readWebhook(c *cli.Context) (err error) {
	if !c.IsSet("notify-url-file") {
		return nil
	}
	if n.webhook, err = notify.ReadTarget(c.String("notify-url-file")); err != nil {
		return usagef("--notify-url-file: %v", err)
	}
	if n.webhook.OpenToOthers {
		n.warnf("%s holds a webhook's URL, which is a secret, and is open to others: chmod 600 %[1]s", n.webhook.File)
	}
	return nil
}

// tellWebhook posts what changed. All else is done by then: the report is out, and the history has the run.
func (n *nightly) tellWebhook(ctx context.Context, report *audit.Report) error {
	if n.webhook == nil || !report.HasNews() {
		return nil
	}
	changes := report.Changes()
	if changes == nil {
		return nil
	}
	changes.Text = render.ChangesText(changes)
	body, err := json.Marshal(changes)
	if err != nil {
		return err
	}
	if err := n.env.Deps.Notify(ctx, n.webhook, body, changes.Run); err != nil {
		return fmt.Errorf("the webhook was not told what changed (the report is written): %w", err)
	}
	n.verbosef("told the webhook of %s what changed", n.webhook.File)
	return nil
}
