package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/proxaudit/proxaudit/adopt"
	"github.com/proxaudit/proxaudit/adopt/predict"
	"github.com/proxaudit/proxaudit/internal/config"
	"github.com/proxaudit/proxaudit/inventory"
	"github.com/proxaudit/proxaudit/inventory/proxmox"
	"github.com/proxaudit/proxaudit/render"
)

func verifyCommand(env *Env) *cli.Command {
	return command(env, &cli.Command{
		Name:  "verify",
		Usage: "say what every controller would do to an adopted cluster if it were unpaused",
		Description: `For use after the manifests are applied, and again after each step. It compares
VM, ProxmoxMachine, Machine and Node by UUID, the CA with the API server's, the
Secrets, etcd's members and Proxmox's task lists, and predicts each controller.
Exit 0: safe. 1: not safe, with everything seen that the verdict needs. 3:
something that it needs was not seen, whatever else is not safe; without
--read-secrets that is always so. 3 too for a cluster that Cluster API made:
there is nothing to verify. --watch ends with 0 when every step is done, 1 at
the first thing that must not happen, 130 when you stop it. --fail-on changes
nothing here: a step that is not safe always counts.

Examples:
  proxaudit verify --cluster prod --read-secrets
  proxaudit verify --cluster prod --read-secrets --watch
  proxaudit scan --read-secrets -o json=monday.json
  proxaudit verify --cluster prod --from monday.json -o wide`,
	}, append(targetFlags(), []cli.Flag{
		&cli.StringFlag{Name: "capmox-token-id", Category: catCommand, Usage: "`ID` of the API token that CAPMOX uses (user@realm!name), to know its tasks (else clusters[].adopt.capmoxTokenID; its credentials say it too, where --read-secrets sees them)"},
		&cli.StringFlag{Name: "task-window", Category: catCommand, Usage: "`TIME` for which Proxmox's tasks are read back (default: 24h)"},
		&cli.BoolFlag{Name: "watch", Category: catCommand, Usage: "go on until every step is done, tell what changes, and stop at the first thing that must not happen"},
		&cli.StringFlag{Name: "interval", Category: catCommand, Usage: "`TIME` between two looks of --watch (default: 10s)"},
	}...), func(c *cli.Context, r *run) error {
		v := &verification{run: r}
		if err := v.read(c); err != nil {
			return err
		}
		if v.watch {
			return v.watching(c.Context)
		}
		return r.analyse(c, func(snap *inventory.Snapshot, s *settings) (*render.Document, *Verdict, error) {
			result, err := v.verify(snap)
			if err != nil {
				return nil, nil, err
			}
			doc := render.Verify(result)
			return &doc, verifyVerdict(result, s), nil
		})
	})
}

// verification is one run of verify.
type verification struct {
	*run
	settings *settings
	options  adopt.VerifyOptions
	watch    bool
	interval time.Duration
}

func (v *verification) read(c *cli.Context) error {
	var err error
	if v.settings, err = readSettings(c, v.env); err != nil {
		return err
	}
	v.options = adopt.VerifyOptions{Options: v.settings.options(), Cluster: v.settings.target.cluster, CAPMOXTokenID: c.String("capmox-token-id")}
	for _, name := range []string{"target-name", "target-namespace"} {
		if len(v.settings.from) > 0 && c.IsSet(name) {
			return usagef("--%s says how servers are asked, and --from asks none: the snapshot says which Cluster object is the cluster's", name)
		}
	}
	if v.options.CAPMOXTokenID == "" {
		v.options.CAPMOXTokenID = clusterConfig(v.settings.cfg, v.options.Cluster).Adopt.CAPMOXTokenID
	} else if err := proxmox.CheckTokenID(v.options.CAPMOXTokenID); err != nil {
		return usagef("--capmox-token-id %v", err)
	}
	v.watch, v.interval = c.Bool("watch"), 10*time.Second
	if c.IsSet("interval") {
		if !v.watch {
			return usagef("--interval says how often --watch looks, and --watch is missing")
		}
		d, err := config.ParseDuration(c.String("interval"))
		if err != nil || d < time.Second {
			return usagef("--interval: want a time of a second or more, like 10s")
		}
		v.interval = d
	}
	if v.watch && len(v.settings.from) > 0 {
		return usagef("--watch looks at the servers again and again, and --from asks none")
	}
	if v.watch && c.IsSet("output") {
		return usagef("--watch tells what changes as it happens, and writes no result: leave out -o")
	}
	return nil
}

func (v *verification) verify(snap *inventory.Snapshot) (*adopt.Verification, error) {
	if err := v.checkTarget(snap); err != nil {
		return nil, err
	}
	result, err := adopt.Verify(snap, v.options, predict.Predict(snap.Ordered(), v.options.Cluster))
	if err != nil {
		return nil, unknownCluster(err, snap, v.settings)
	}
	result.Summary.Incomplete = result.Summary.Incomplete || result.Unseen()
	if len(v.settings.from) > 0 {
		for i := range result.Checks {
			result.Checks[i].Remedy = inScan(result.Checks[i].Remedy)
		}
	}
	return result, nil
}

// checkTarget refuses a name that no Cluster object has: what is asked about one must not be answered with another.
func (v *verification) checkTarget(snap *inventory.Snapshot) error {
	name, namespace := v.settings.target.name, v.settings.target.namespace
	if name == "" && namespace == "" {
		return nil
	}
	there, own := map[string]bool{}, ""
	for i := range snap.Clusters {
		d := snap.Clusters[i].Declared
		if d == nil {
			continue
		}
		there[d.Namespace+"/"+d.Name] = true
		if snap.Clusters[i].Key == v.options.Cluster {
			own = d.Namespace + "/" + d.Name
			if (name == "" || d.Name == name) && (namespace == "" || d.Namespace == namespace) {
				return nil
			}
		}
	}
	if own == "" && !snap.Known(inventory.ManagementSource, inventory.ScopeClusters) {
		// The verdict says that it was not seen.
		return nil
	}
	asked := name
	switch {
	case name == "":
		asked = "in the namespace " + namespace
	case namespace != "":
		asked = namespace + "/" + name
	}
	matches := func(key string) bool {
		ns, n, _ := strings.Cut(key, "/")
		return (name == "" || n == name) && (namespace == "" || ns == namespace)
	}
	list := slices.Sorted(maps.Keys(there))
	switch {
	case slices.ContainsFunc(list, matches):
		return usagef("the Cluster %s is not that of %q", asked, v.options.Cluster).hint("Its own is %s.", cmp.Or(own, "none that was seen"))
	case len(list) == 0:
		return usagef("there is no Cluster %s", asked).hint("There is none at all: apply the manifests first.")
	default:
		return usagef("there is no Cluster %s", asked).hint("There is %s.", join(list))
	}
}

func verifyVerdict(result *adopt.Verification, s *settings) *Verdict {
	if result.NotAdopted() {
		return &Verdict{FailOn: s.failOn, NoVerdict: "no verdict: proxaudit rendered none of the Machines of " + result.Cluster, Coverage: result.Coverage}
	}
	out := &Verdict{FailOn: s.failOn, Findings: result.Summary.Unsafe, Text: "not safe: " + count(result.Summary.Unsafe, "step", "steps")}
	if result.Summary.Incomplete {
		out.Gaps, out.Coverage = max(1, gaps(result.Coverage)), result.Coverage
	}
	return out
}

// errAlarm ends --watch.
var errAlarm = errors.New("something happened that must not happen during an adoption")

// watching looks again and again, until every step is done, something is alarming, or somebody stops it.
func (v *verification) watching(ctx context.Context) error {
	w := adopt.NewWatch()
	plan, err := v.plan(v.settings)
	if err != nil {
		return err
	}
	var adopted map[inventory.Key]bool
	for {
		p := *plan
		p.Now = v.env.Now()
		if adopted != nil {
			// Who the machines are was seen in the first look; from then on only their own configurations are read.
			v.options.Narrow = true
			p.Configurations = func(k inventory.Key) bool { return adopted[k] }
		}
		snap, _, err := v.env.Deps.Collect(ctx, p)
		if err := interrupted(ctx, err); err != nil {
			return err
		}
		result, err := v.verify(snap)
		if err != nil {
			return err
		}
		if adopted == nil {
			adopted = adopt.AdoptedVMs(snap, v.options.Cluster)
		}
		alarmed := false
		for _, e := range w.Next(snap, result) {
			alarmed = alarmed || e.Alarm
			v.tell(snap.CollectedAt, e)
		}
		switch {
		case alarmed:
			Say(v.env.Stderr, "\aALARM: pause the Cluster now, then look: "+result.Pause())
			return &Verdict{FailOn: v.settings.failOn, Findings: 1, Text: errAlarm.Error()}
		case result.Finished():
			return nil
		}
		select {
		case <-ctx.Done():
			return ErrInterrupted
		case <-time.After(v.interval):
		}
	}
}

// tell writes one event to standard output: what is watched is the result.
func (v *verification) tell(at time.Time, e adopt.Event) {
	mark := ""
	if e.Alarm {
		mark = "ALARM: "
	}
	fmt.Fprintf(v.stdout(), "%s %s%s\n", at.UTC().Format(time.RFC3339), mark, render.Visible(e.Text)) //nolint:errcheck // a reader that has gone is seen by the next write of the verdict
}
