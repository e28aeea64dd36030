package cli

import (
	"errors"
	"os"
	"path/filepath"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/proxaudit/proxaudit/adopt"
	"github.com/proxaudit/proxaudit/inventory"
	"github.com/proxaudit/proxaudit/render"
)

func adoptCommand(env *Env) *cli.Command {
	return command(env, &cli.Command{
		Name:  "adopt",
		Usage: "render the manifests that bring a kubeadm cluster under Cluster API, paused",
		Description: `Without -o it prints the manifests; -o table and the others print the plan:
blockers, warnings, machines, Secrets, and every step with its commands. It
changes nothing. With a blocker that could destroy something nothing is
rendered, --force or not: exit 1, and an empty standard output.

Examples:
  proxaudit adopt --cluster prod -o table
  proxaudit adopt --cluster prod > manifests.yaml
  proxaudit adopt --cluster prod --output-dir prod-adoption
  proxaudit adopt --cluster prod --server-dry-run > manifests.yaml
  proxaudit adopt --cluster prod --pki-dir ./pki --secrets-dir ./secrets > manifests.yaml`,
	}, adoptFlags(), func(c *cli.Context, r *run) error {
		a := &adoption{run: r}
		if err := a.read(c); err != nil {
			return err
		}
		snap, err := r.snapshot(c.Context, a.settings)
		if err != nil {
			return err
		}
		if a.options.Flags, err = sameServers(c, a.settings, snap); err != nil {
			return err
		}
		plan, err := adopt.Make(snap, a.options)
		var left *adopt.LeaveOutError
		switch {
		case errors.As(err, &left):
			return usagef("--leave-out: %v", left)
		case err != nil:
			return unknownCluster(err, snap, a.settings)
		}
		if m := snap.Management; m != nil && m.ClusterName == plan.Cluster {
			a.warnf("%s is the management cluster itself: its controllers would own the machines that they run on", plan.Cluster)
		}
		return a.deliver(c, plan, snap)
	})
}

// unknownCluster is the user's error: a name that no cluster has. A cluster that no configuration names is not read, whatever it is
// called in a kubeconfig.
func unknownCluster(err error, snap *inventory.Snapshot, s *settings) error {
	var u *adopt.UnknownClusterError
	if !errors.As(err, &u) {
		return err
	}
	err = known("cluster", []string{u.Cluster}, clusterKeys(snap))
	var usage *UsageError
	if errors.As(err, &usage) && len(s.from) == 0 && clusterConfig(s.cfg, u.Cluster).Name == "" {
		usage.Hint += "\nA workload cluster is read only if proxaudit.yaml names it under clusters:, with its context or kubeconfig (or if Cluster API declares it, with --read-secrets). --context is the management cluster's."
	}
	return err
}

func clusterKeys(snap *inventory.Snapshot) []string {
	var out []string
	for i := range snap.Clusters {
		out = append(out, snap.Clusters[i].Key)
	}
	return out
}

// adoption is one run of adopt.
type adoption struct {
	*run
	settings *settings
	options  adopt.Options
	targets  []target
	// manifests is true if they go to standard output, and no plan does.
	manifests                                               bool
	nodesOut, outputDir, pkiDir, secretsDir, kubeconfigFile string
	dryRun                                                  bool
	// begin says in the end where to go on.
	begin string
}

// read checks the command line before anything is asked.
func (a *adoption) read(c *cli.Context) error {
	if _, err := positionals(c); err != nil {
		return err
	}
	var err error
	if a.targets, err = outputs(c, "table", a.env.Getenv); err != nil {
		return err
	}
	a.manifests = !c.IsSet("output")
	if a.manifests {
		a.targets = nil
	}
	if a.settings, err = readSettings(c, a.env); err != nil {
		return err
	}
	a.nodesOut, a.outputDir, a.pkiDir, a.secretsDir = c.String("nodes-out"), c.String("output-dir"), c.String("pki-dir"), c.String("secrets-dir")
	a.kubeconfigFile, a.dryRun = c.String("kubeconfig-file"), c.Bool("server-dry-run")
	if a.dryRun && len(a.settings.from) > 0 {
		return usagef("--server-dry-run asks the management cluster, and --from asks none")
	}
	if (a.pkiDir == "") != (a.secretsDir == "") {
		return usagef("--pki-dir and --secrets-dir belong together: the keys are read from the one, and the Secrets written into the other")
	}
	if a.kubeconfigFile != "" && a.pkiDir == "" {
		return usagef("--kubeconfig-file is written into a Secret, which takes --pki-dir and --secrets-dir")
	}
	for _, f := range []struct{ flag, dir string }{{"output-dir", a.outputDir}, {"secrets-dir", a.secretsDir}} {
		if _, err := os.Lstat(f.dir); f.dir != "" && err == nil {
			return usagef("--%s: %s is there already, and nothing in it is changed", f.flag, f.dir).hint("Give a folder that does not exist.")
		}
	}
	if err := overConfiguration(a.targets, a.settings, a.env.Getenv); err != nil {
		return err
	}
	if err := a.apart(); err != nil {
		return err
	}
	if a.nodesOut == "-" {
		return usagef("--nodes-out: standard output has the manifests, and this is for another cluster").hint("Give a file that does not exist.")
	}
	if _, err := os.Lstat(a.nodesOut); a.nodesOut != "" && err == nil {
		return usagef("--nodes-out: %s is there already, and is not overwritten", a.nodesOut).hint("Give a file that does not exist.")
	}
	if a.options, err = adoptOptions(c, a.settings); err != nil {
		return err
	}
	a.options.Recorded = len(a.settings.from) > 0
	if !a.options.Recorded {
		if a.options.Environment, err = a.environment(); err != nil {
			return err
		}
	}
	if a.secretsDir != "" {
		a.options.SecretsDir, err = filepath.Abs(a.secretsDir)
	}
	return err
}

// deliver writes what was asked for, files first, and of those the Secrets last. Nothing that could be applied is written for a plan with a blocker that
// counts.
func (a *adoption) deliver(c *cli.Context, plan *adopt.Plan, snap *inventory.Snapshot) error {
	verdict := a.verdict(plan)
	if plan.Applied().Finished {
		a.warnf("the management cluster has this adoption already, and its last step is done: do not apply it again, for it pauses the cluster and has the numbers of its machines of today")
	}
	files := &delivery{adoption: a}
	if plan.Ready() {
		if err := a.judge(c, plan); err != nil {
			return err
		}
		var err error
		if files, err = a.prepare(plan, snap); err != nil {
			return err
		}
	}
	if err := a.write(a.targets, render.UnseenFirst(render.Plan(plan), plan)); err != nil {
		return errors.Join(err, files.discard())
	}
	if plan.Ready() {
		if err := files.commit(); err != nil {
			return err
		}
	}
	// What was not seen comes first: all else that is said is without it.
	if verdict.Incomplete() {
		a.sayGaps(a.targets, plan.Coverage)
	}
	if a.manifests {
		if err := a.say(plan); err != nil {
			return err
		}
		if plan.Ready() && a.outputDir == "" {
			if _, err := a.stdout().Write(plan.Bundle().Manifests()); err != nil {
				return stdoutError(err)
			}
		}
	}
	if a.begin != "" && !a.quiet {
		Say(a.env.Stderr, a.begin)
	}
	return verdict.orNil()
}

func (a *adoption) verdict(plan *adopt.Plan) *Verdict {
	v := &Verdict{FailOn: a.settings.failOn}
	if !plan.Ready() {
		v.Findings = len(plan.Blockers)
		v.Text = "not adoptable: " + count(len(plan.Blockers), "blocker", "blockers")
		if a.options.Force && len(plan.Lacks) > 0 {
			v.Text += "; --force cannot help: the manifests need " + strings.Join(plan.Lacks, "; ")
		}
	}
	if plan.Summary.Incomplete {
		v.Gaps, v.Coverage = gaps(plan.Coverage), plan.Coverage
	}
	return v
}

// say tells on standard error what the manifests alone do not: what stands in the way, what to know, and which Secrets have
// to be there.
func (a *adoption) say(plan *adopt.Plan) error {
	if a.quiet {
		return nil
	}
	if plan.Ready() && a.outputDir != "" {
		return a.sayDocument(render.FolderNotes(plan))
	}
	return a.sayDocument(render.PlanNotes(plan))
}
