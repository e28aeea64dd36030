// Package stuck_test holds the example to what it is for: eight clusters, each of which waits for somebody else.
package stuck_test

import (
	"encoding/json"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/proxaudit/proxaudit/audit"
	"github.com/proxaudit/proxaudit/audit/progress"
	"github.com/proxaudit/proxaudit/examples/exampletest"
)

// All objects of the management cluster are of the generation that its API server prefers, as a server gives them out: Cluster API v1beta2
// and CAPMOX v1alpha2. The Talos providers have the older family of conditions.
var stuck = exampletest.Example{
	Now:   "2026-12-01T08:00:00Z",
	Sites: []exampletest.Site{{Fleet: "fleet.yaml", Address: "10.40.0.11:8006"}},
	Clusters: []exampletest.Cluster{
		{Context: "mgmt", Folder: "management", Address: "10.40.0.60:6443"},
		{Context: "batch", Address: "10.40.8.10:6443"},
		{Context: "edge", Address: "10.40.6.10:6443"},
		{Context: "search", Address: "10.40.4.10:6443"},
		{Context: "shop", Address: "10.40.5.10:6443"},
		{Context: "web", Address: "10.40.7.10:6443"},
	},
}

const snapshot = "snapshot.json"

// answer is who a cluster waits for. It stands here as well as in the recorded files, so that -update waves no wrong one through.
type answer struct {
	cluster string
	phase   progress.PhaseID
	holder  progress.Holder
	// controller is the holder's Deployment; empty where it is none's turn.
	controller string
	// object is KIND/NAMESPACE/NAME; those in the cluster itself have no namespace.
	object string
	cause  progress.Cause
	// command is a part of the first one to run.
	command string
}

var answers = []answer{
	{"payments", progress.PhaseInfrastructure, progress.Infrastructure, "capmox-system/capmox-controller-manager", "ProxmoxCluster/payments/payments",
		progress.CauseNotLooked, "--context=mgmt -n payments describe proxmoxclusters.infrastructure.cluster.x-k8s.io payments"},
	{"ledger", progress.PhaseBootstrap, progress.Bootstrap, "cabpt-system/cabpt-controller-manager", "Deployment/cabpt-system/cabpt-controller-manager",
		progress.CauseControllerDown, "--context=mgmt -n cabpt-system get deployments,pods"},
	{"media", progress.PhaseHosts, progress.Person, "", "ProxmoxMachine/media/media-cp-k2hxv",
		progress.CauseCloneFailed, "--context=mgmt -n media describe proxmoxmachines.infrastructure.cluster.x-k8s.io media-cp-k2hxv"},
	{"search", progress.PhaseControlPlane, progress.Person, "", "Node//search-cp-7hq2d",
		progress.CauseProviderIDMismatch, "--context=search get node search-cp-7hq2d"},
	{"shop", progress.PhaseWorkers, progress.Person, "", "InClusterIPPool/shop/shop-v4-icip",
		progress.CausePoolExhausted, "--context=mgmt -n shop describe inclusterippools.ipam.cluster.x-k8s.io shop-v4-icip"},
	{"edge", progress.PhaseNetwork, progress.CNI, "", "Node//edge-cp-9xd4r",
		progress.CauseNoNetwork, "--context=edge describe node edge-cp-9xd4r"},
	{"web", progress.PhaseWorkers, progress.Person, "", "Cluster/web/web",
		progress.CausePaused, "--context=mgmt -n web describe clusters.cluster.x-k8s.io web"},
	{"batch", progress.PhaseDeletion, progress.Person, "", "Machine/batch/batch-md-0-n3zqv-8vgtk",
		progress.CauseHook, "--context=mgmt -n batch describe machines.cluster.x-k8s.io batch-md-0-n3zqv-8vgtk"},
}

// TestSnapshot records what the example is read from: --from, without any server.
func TestSnapshot(t *testing.T) {
	exampletest.Golden(t, snapshot, stuck.Start(t).Record(t))
}

func TestAnswers(t *testing.T) {
	var report audit.WhyReport
	got := exampletest.FromFile(t, snapshot, "why", "--all", "-o", "json")
	if err := json.Unmarshal([]byte(got.Stdout), &report); err != nil {
		t.Fatal(err)
	}
	if got.Code() != 1 {
		t.Errorf("exit %d (%v): want 1", got.Code(), got.Verdict)
	}
	found := map[string]progress.Cluster{}
	for _, c := range report.Items {
		found[c.Key] = c
	}
	// Beside them there is the management cluster itself, which nobody declares.
	if own := found["mgmt"]; own.State != progress.NotManaged || len(found) != len(answers)+1 {
		t.Errorf("%d clusters, and the management cluster is %q", len(found), own.State)
	}
	phases := map[progress.PhaseID]bool{}
	for _, a := range answers {
		a.check(t, found[a.cluster])
		phases[a.phase] = true
	}
	if len(phases) != 7 {
		t.Errorf("%d phases: want the six of a life, and the deletion", len(phases))
	}
}

func (a *answer) check(t *testing.T, c progress.Cluster) {
	t.Helper()
	b := c.Baton
	if b == nil {
		t.Errorf("%s is %s and waits for nobody", a.cluster, c.State)
		return
	}
	object := b.Object.Kind + "/" + b.Object.Namespace + "/" + b.Object.Name
	got := answer{a.cluster, b.Phase, b.Holder, b.Controller, object, b.Cause, a.command}
	if c.State != progress.Stuck || c.Phase != a.phase || got != *a {
		t.Errorf("%s is %s in phase %s, and its baton is\n%+v\nwant\n%+v", a.cluster, c.State, c.Phase, got, *a)
	}
	if len(b.Commands) == 0 || !strings.Contains(b.Commands[0], a.command) {
		t.Errorf("%s: the first command is not about %q: %q", a.cluster, a.command, b.Commands)
	}
}

func TestAll(t *testing.T) {
	exampletest.Golden(t, "why-all.txt", exampletest.FromFile(t, snapshot, "why", "--all").Stdout)
}

func TestTrees(t *testing.T) {
	for _, a := range answers {
		got := exampletest.FromFile(t, snapshot, "why", "--cluster", a.cluster)
		exampletest.Golden(t, a.cluster+".txt", got.Stdout)
		if got.Code() != 1 {
			t.Errorf("%s: exit %d (%v): want 1", a.cluster, got.Code(), got.Verdict)
		}
	}
}

// TestServersSayTheSame: over the network comes the same. How more can be seen, at the end, a file says of scan and a server of the command.
func TestServersSayTheSame(t *testing.T) {
	w := stuck.Start(t)
	same := func(file string, args ...string) {
		recorded, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		got := w.Run(t, args...).Stdout
		if answerOf(t, got) != answerOf(t, string(recorded)) {
			t.Errorf("%s: the servers say\n%s", file, got)
		}
	}
	same("why-all.txt", "why", "--all")
	for _, a := range answers {
		same(a.cluster+".txt", "why", "--cluster", a.cluster)
	}
}

var coverage = regexp.MustCompile(`(?m)^(incomplete|not needed for a verdict|complete): `)

// answerOf is a report without the coverage and the requests at its end.
func answerOf(t *testing.T, report string) string {
	t.Helper()
	at := coverage.FindStringIndex(report)
	if at == nil {
		t.Fatalf("the report does not end with its coverage:\n%s", report)
	}
	return report[:at[0]]
}

// TestRequests: what why asks beyond who is who, as docs/performance.md says: the Pods and leases of each provider's namespace, the Events of
// each cluster's, and two requests about the tasks of each Proxmox host.
func TestRequests(t *testing.T) {
	w := stuck.Start(t)
	cost := func(command string) map[string]int {
		var e audit.Envelope
		if err := json.Unmarshal([]byte(w.Run(t, command, "-o", "json").Stdout), &e); err != nil {
			t.Fatal(err)
		}
		out := map[string]int{}
		for _, r := range e.Requests {
			out[r.Source] = r.Count
		}
		return out
	}
	const providers, clusters, hosts = 7, 8, 3
	more := map[string]int{"management": 2*providers + clusters, "site/dc1": 2 * hosts}
	why, orphans := cost("why"), cost("orphans")
	for source, n := range why {
		if n != orphans[source]+more[source] {
			t.Errorf("%s: %d requests of why, %d of orphans: want %d more", source, n, orphans[source], more[source])
		}
	}
	if len(why) != 8 {
		t.Errorf("%v", why)
	}
}

// TestDoctor: it has a word for each of those permissions.
func TestDoctor(t *testing.T) {
	got := stuck.Start(t).Run(t, "doctor", "-o", "markdown").Stdout
	for _, check := range []string{"permission list pods of the providers", "permission list leases of the providers", "permission list events about clusters"} {
		if !strings.Contains(got, check) {
			t.Errorf("doctor does not check %q:\n%s", check, got)
		}
	}
}

// TestReadme: README.md shows what the example prints.
func TestReadme(t *testing.T) {
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{"why-all.txt", "search.txt"} {
		shown, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(readme), string(shown)) {
			t.Errorf("README.md does not show what why prints: copy examples/stuck/%s into its block", file)
		}
	}
}
