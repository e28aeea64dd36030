package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/proxaudit/proxaudit/adopt"
	"github.com/proxaudit/proxaudit/internal/newfolder"
	"github.com/proxaudit/proxaudit/internal/pki"
	"github.com/proxaudit/proxaudit/inventory"
	"github.com/proxaudit/proxaudit/inventory/kube"
	"github.com/proxaudit/proxaudit/inventory/snapfile"
	"github.com/proxaudit/proxaudit/render"
)

// writing is a writer of bytes that are there already.
func writing(data []byte) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	}
}

// delivery is what a run writes beside its results, prepared as far as nothing has its name yet: what fails then leaves nothing
// behind, and above all no Secrets.
type delivery struct {
	*adoption
	folders []*newfolder.Staged
	// nodes is the content of --nodes-out; nil if it is not written.
	nodes []byte
	// said are the messages about what was written.
	said []func()
}

// prepare makes everything ready that was asked for.
func (a *adoption) prepare(plan *adopt.Plan, snap *inventory.Snapshot) (_ *delivery, err error) {
	d := &delivery{adoption: a}
	defer func() {
		if err != nil {
			err = errors.Join(err, d.discard())
		}
	}()
	if a.nodesOut != "" && len(plan.NodePatches) > 0 {
		d.nodes = plan.NodesFile()
		if err := writable(a.nodesOut); err != nil {
			return nil, fmt.Errorf("--nodes-out %s: %w", a.nodesOut, err)
		}
	}
	if a.outputDir != "" {
		if err := d.stageSteps(plan); err != nil {
			return nil, err
		}
	}
	if a.secretsDir != "" {
		if err := d.stageSecrets(plan, snap); err != nil {
			return nil, err
		}
	}
	return d, nil
}

// writable finds out what stands in the way of a file, and leaves nothing.
func writable(file string) error {
	switch st, err := os.Stat(file); {
	case err == nil && st.IsDir():
		return errors.New("it is a folder")
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return err
	case err == nil && !st.Mode().IsRegular():
		return nil
	}
	probe, err := os.CreateTemp(filepath.Dir(file), ".proxaudit.*")
	if err != nil {
		return fmt.Errorf("no file can be made in %s", filepath.Dir(file))
	}
	return errors.Join(probe.Close(), os.Remove(probe.Name()))
}

// commit gives everything its name, the Secrets last.
func (d *delivery) commit() error {
	var there []string
	failed := func(err error) error {
		if len(there) > 0 {
			err = fmt.Errorf("%w (already written, whole: %s)", err, strings.Join(there, ", "))
		}
		return errors.Join(err, d.discard())
	}
	if d.nodes != nil {
		if err := snapfile.ReplaceFile(d.nodesOut, 0o644, writing(d.nodes)); err != nil {
			return failed(fmt.Errorf("--nodes-out %s: %w", d.nodesOut, err))
		}
		there = append(there, d.nodesOut)
		d.verbosef("wrote %s", d.nodesOut)
	} else if d.nodesOut != "" {
		d.warnf("--nodes-out: no Node lacks a providerID (one that is another's cannot be changed), so that %s is not written", d.nodesOut)
	}
	for _, f := range d.folders {
		if err := f.Commit(); err != nil {
			return failed(err)
		}
		there = append(there, f.Name())
	}
	for _, say := range d.said {
		say()
	}
	return nil
}

// discard removes what has no name yet.
func (d *delivery) discard() error {
	var all []error
	for _, f := range d.folders {
		all = append(all, f.Discard())
	}
	return errors.Join(all...)
}

// stageSteps makes the steps, numbered, and the runbook.
func (d *delivery) stageSteps(plan *adopt.Plan) error {
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
	staged, err := newfolder.Stage(d.outputDir, newfolder.Public, files)
	if err != nil {
		return err
	}
	d.folders = append(d.folders, staged)
	d.begin = "wrote RUNBOOK.md and " + count(len(all), "other file", "other files") + " to " + d.outputDir + ": begin with " + filepath.Join(d.outputDir, "RUNBOOK.md")
	return nil
}

// stageSecrets reads the copied keys, compares them with the API server's authority, and makes the Secrets for their owner
// alone.
func (d *delivery) stageSecrets(plan *adopt.Plan, snap *inventory.Snapshot) error {
	loaded, err := pki.Load(d.pkiDir, d.kubeconfigFile)
	if err != nil {
		return err
	}
	set, err := loaded.Secrets(plan.PKIOptions(snap))
	if err != nil {
		return err
	}
	for _, w := range append(loaded.Warnings, set.Warnings...) {
		d.warnf("%s", w.Error())
	}
	files, err := pki.Manifests(set.Secrets)
	if err != nil {
		return err
	}
	staged, err := newfolder.Stage(d.secretsDir, newfolder.Private, files)
	if err != nil {
		return err
	}
	d.folders = append(d.folders, staged)
	d.said = append(d.said, func() {
		if !d.quiet {
			Say(d.env.Stderr, "wrote "+count(len(files), "Secret", "Secrets")+" to "+d.secretsDir+": step 1 applies them, and deletes the folder")
		}
	})
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
	return table.Write(r.env.Stderr, d, render.Options{Width: r.env.StderrWidth})
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
