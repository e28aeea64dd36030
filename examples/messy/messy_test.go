// Package messy_test holds the example to what it is for: a fleet in which each rule that blocks an adoption shows.
package messy_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"github.com/proxaudit/proxaudit/adopt"
	"github.com/proxaudit/proxaudit/examples/exampletest"
)

var messy = exampletest.Example{
	Now: "2026-12-01T08:00:00Z",
	Sites: []exampletest.Site{
		{Fleet: "dc1.yaml", Address: "10.30.0.11:8006", SecretEnv: "DC1_SECRET"},
		{Fleet: "branch.yaml", Address: "10.31.0.11:8006", SecretEnv: "BRANCH_SECRET"},
	},
	Clusters: []exampletest.Cluster{
		{Context: "mgmt", Folder: "management", Address: "10.30.0.60:6443"},
		{Context: "billing", Address: "10.30.1.21:6443"},
		{Context: "edge", Address: "10.31.0.21:6443"},
		{Context: "legacy", Address: "10.30.2.21:6443"},
		{Context: "reporting", Address: "10.30.3.21:6443"},
		{Context: "shop", Address: "10.30.4.21:6443"},
		{Context: "tools", Address: "10.30.0.110:6443"},
		{Context: "web", Address: "10.30.5.21:6443"},
	},
}

const snapshot = "snapshot.json"

// attempt is an adoption that somebody asks for. Its plan is recorded.
type attempt struct {
	plan string
	args []string
}

// The providers of the fleet are those that are proven. The last attempt says that they were older.
var attempts = []attempt{
	{"billing.txt", []string{"--cluster", "billing"}},
	{"edge.txt", []string{"--cluster", "edge"}},
	{"legacy.txt", []string{"--cluster", "legacy"}},
	{"reporting.txt", []string{"--cluster", "Reporting"}},
	{"shop.txt", []string{"--cluster", "shop"}},
	{"web.txt", []string{"--cluster", "web"}},
	{"billing-capmox-0.7.txt", []string{"--cluster", "billing", "--capmox-version", "v0.7.2"}},
}

func (a attempt) with(args ...string) []string {
	return slices.Concat([]string{"adopt"}, a.args, args)
}

// TestSnapshot records what the example is read from: --from, without any server.
func TestSnapshot(t *testing.T) {
	exampletest.Golden(t, snapshot, messy.Start(t).Record(t))
}

func TestPlans(t *testing.T) {
	for _, a := range attempts {
		got := exampletest.FromFile(t, snapshot, a.with("-o", "table")...)
		exampletest.Golden(t, a.plan, got.Stdout)
		if got.Code() != 1 {
			t.Errorf("%s: exit %d (%v): want 1", a.plan, got.Code(), got.Verdict)
		}
	}
}

// advice is how the Secrets may be read, which a file says of scan and a server of the same command.
var advice = regexp.MustCompile(`(?s)(management secrets: ).*?(complete: )`)

func alike(text string) string {
	return exampletest.Comparable(advice.ReplaceAllString(text, "$1$2"))
}

// TestServersSayTheSame: over the network come the same plans.
func TestServersSayTheSame(t *testing.T) {
	w := messy.Start(t)
	for _, a := range attempts {
		// k3s has no kubeadm-config, so that its endpoint is the kubeconfig's, and a simulator's on loopback is none.
		if a.plan != "edge.txt" {
			recorded, err := os.ReadFile(a.plan)
			if err != nil {
				t.Fatal(err)
			}
			if got, want := alike(w.Run(t, a.with("-o", "table")...).Stdout), alike(string(recorded)); got != want {
				t.Errorf("%s: the servers say\n%s", a.plan, got)
			}
		}
	}
}

// planOf is the plan of an attempt, made from the Snapshot.
func planOf(t *testing.T, a attempt) *adopt.Plan {
	t.Helper()
	plan := &adopt.Plan{}
	if err := json.Unmarshal([]byte(exampletest.FromFile(t, snapshot, a.with("-o", "json")...).Stdout), plan); err != nil {
		t.Fatal(err)
	}
	return plan
}

func TestEveryBlockerShows(t *testing.T) {
	shown := map[string]bool{}
	for _, a := range attempts {
		plan := planOf(t, a)
		if plan.Summary.Incomplete {
			t.Errorf("%s: a source did not answer: %v", a.plan, plan.Missing)
		}
		for _, f := range plan.Blockers {
			shown[f.Rule] = true
		}
	}
	for _, r := range adopt.Rules() {
		if r.Blocks && !shown[r.ID] {
			t.Errorf("%s (%s) blocks, and no cluster of examples/messy shows it", r.ID, r.Title)
		}
	}
}

// TestNothingIsRendered: with a blocker that destroys there is nothing to apply, on no way, whether forced or not. The others
// are overridden.
func TestNothingIsRendered(t *testing.T) {
	var overridden []string
	for _, a := range attempts {
		destructive := planOf(t, a).Summary.Destructive > 0
		refused(t, a)
		if destructive {
			refused(t, a, "--force")
			continue
		}
		overridden = append(overridden, a.plan)
		if got := exampletest.FromFile(t, snapshot, a.with("--force")...); got.Code() != 0 || got.Stdout == "" {
			t.Errorf("%s, forced: exit %d (%v), %d bytes", a.plan, got.Code(), got.Verdict, len(got.Stdout))
		}
	}
	if want := []string{"billing.txt"}; !slices.Equal(overridden, want) {
		t.Errorf("--force overrides the blockers of %q: want %q", overridden, want)
	}
}

func refused(t *testing.T, a attempt, force ...string) {
	t.Helper()
	dir := t.TempDir()
	nodes := []string{"--nodes-out", filepath.Join(dir, "nodes.yaml")}
	for _, args := range [][]string{nodes, append(nodes, "--output-dir", filepath.Join(dir, "out"))} {
		got := exampletest.FromFile(t, snapshot, a.with(append(args, force...)...)...)
		if got.Code() != 1 || got.Stdout != "" {
			t.Errorf("%s %v: exit %d (%v), standard output %q: want 1 and none", a.plan, force, got.Code(), got.Verdict, got.Stdout)
		}
	}
	written, err := os.ReadDir(dir)
	if err != nil || len(written) > 0 {
		t.Errorf("%s %v: wrote %v (%v)", a.plan, force, written, err)
	}
}
