package cli

import (
	"context"
	"errors"
	"io"
	"path/filepath"

	"github.com/urfave/cli/v2"

	"github.com/proxaudit/proxaudit/adopt"
	"github.com/proxaudit/proxaudit/internal/newfolder"
	"github.com/proxaudit/proxaudit/internal/pki"
	"github.com/proxaudit/proxaudit/inventory"
	"github.com/proxaudit/proxaudit/inventory/kube"
	"github.com/proxaudit/proxaudit/render"
)

// writing is a writer of bytes that are there already.
func writing(data []byte) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	}
}

// writeOutputDir writes the steps, numbered, and the runbook.
func (a *adoption) writeOutputDir(plan *adopt.Plan) error {
	all, err := plan.Files()
	if err != nil {
		return err
	}
	var files []newfolder.File
	for _, f := range all {
		files = append(files, newfolder.File{Name: f.Name, Data: f.Data})
	}
	runbook, err := render.Runbook(plan)
	if err != nil {
		return err
	}
	files = append(files, newfolder.File{Name: "RUNBOOK.md", Data: runbook})
	if err := newfolder.Write(a.outputDir, newfolder.Public, files); err != nil {
		return err
	}
	a.begin = "wrote RUNBOOK.md and " + count(len(all), "other file", "other files") + " to " + a.outputDir + ": begin with " + filepath.Join(a.outputDir, "RUNBOOK.md")
	return nil
}

// writeSecrets reads the copied keys, compares them with the API server's authority, and writes the Secrets for their owner
// alone.
func (a *adoption) writeSecrets(plan *adopt.Plan, snap *inventory.Snapshot) error {
	loaded, err := pki.Load(a.pkiDir, a.kubeconfigFile)
	if err != nil {
		return err
	}
	set, err := loaded.Secrets(plan.PKIOptions(snap))
	if err != nil {
		return err
	}
	for _, w := range append(loaded.Warnings, set.Warnings...) {
		a.warnf("%s", w.Error())
	}
	files, err := pki.Manifests(set.Secrets)
	if err != nil {
		return err
	}
	if err := newfolder.Write(a.secretsDir, newfolder.Private, files); err != nil {
		return err
	}
	if !a.quiet {
		Say(a.env.Stderr, "wrote "+count(len(files), "Secret", "Secrets")+" to "+a.secretsDir+": step 1 applies them, and deletes the folder")
	}
	return nil
}

// judge sends the manifests to the management cluster as a dry run, if that was asked for.
func (a *adoption) judge(c *cli.Context, plan *adopt.Plan) error {
	if !a.dryRun {
		return nil
	}
	p, err := a.plan(a.settings)
	if err != nil {
		return err
	}
	if p.Management == nil {
		return usagef("--server-dry-run asks the management cluster, and the configuration says that there is none")
	}
	var objects [][]byte
	for _, d := range plan.Bundle().Documents {
		objects = append(objects, d.YAML)
	}
	result, err := a.env.Deps.DryRun(c.Context, *p.Management, objects)
	if err := interrupted(c.Context, err); err != nil {
		return err
	}
	if len(result.Rejections) == 0 {
		a.verbosef("the management cluster would take all of %s", count(result.Sent, "manifest", "manifests"))
		return nil
	}
	if err := a.sayDocument(render.Rejections(&result)); err != nil {
		return err
	}
	v := &Verdict{Findings: len(result.Rejections), FailOn: a.settings.failOn,
		Text: "the management cluster refuses " + count(result.Sent-result.Accepted, "manifest", "manifests")}
	if !result.Judged() {
		v.Gaps = 1
	}
	return v
}

// sayDocument writes a Document for a person to standard error.
func (r *run) sayDocument(d render.Document) error {
	table, err := render.Lookup("table")
	if err != nil {
		return err
	}
	width := 0
	if r.env.StderrTerminal {
		width = r.env.Width
	}
	return table.Write(r.env.Stderr, d, render.Options{Width: width})
}

// dryRun asks a management cluster whether it would take objects.
func dryRun(ctx context.Context, t kube.Target, objects [][]byte) (inventory.DryRun, error) {
	client, err := kube.Connect(t)
	if err != nil {
		return inventory.DryRun{}, err
	}
	r, err := client.DryRun(ctx, objects)
	var missing *kube.MissingNamespace
	if errors.As(err, &missing) {
		return r, usagef("--server-dry-run: %v", missing)
	}
	return r, err
}
