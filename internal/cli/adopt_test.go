package cli

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/proxaudit/proxaudit/adopt"
	"github.com/proxaudit/proxaudit/adopt/pki/pkitest"
	"github.com/proxaudit/proxaudit/inventory"
	"github.com/proxaudit/proxaudit/inventory/collect"
	"github.com/proxaudit/proxaudit/inventory/inventorytest"
	"github.com/proxaudit/proxaudit/inventory/kube"
)

// adoptBench is a world with a cluster that scripts built; spoil changes what the collectors see.
func adoptBench(t *testing.T, spoil func(*inventory.Snapshot)) *bench {
	t.Helper()
	b := newBench(t)
	b.env.Deps.Collect = func(_ context.Context, p collect.Plan) (*inventory.Snapshot, collect.Timings, error) {
		b.plan = &p
		b.calls.Add(1)
		s := inventorytest.ScriptBuilt("prod", 3, 3)
		if spoil != nil {
			spoil(s)
		}
		return s, collect.Timings{}, nil
	}
	b.env.Deps.DryRun = func(context.Context, kube.Target, [][]byte) (inventory.DryRun, error) {
		t.Error("a dry run that nobody asked for")
		return inventory.DryRun{}, nil
	}
	return b
}

// prod are the flags under which the cluster can be adopted.
func prod(more ...string) []string {
	return append([]string{"adopt", "--cluster", "prod", "--addresses", "10.0.0.200-10.0.0.220"}, more...)
}

func TestAdoptPrintsManifests(t *testing.T) {
	b := adoptBench(t, nil)
	b.ok(prod()...)
	if !b.plan.Adoption || b.plan.ReadSecrets {
		t.Errorf("asked for %+v", b.plan)
	}
	out := b.stdout.String()
	if strings.Count(out, "\nkind: Machine\n") != 6 || strings.Count(out, "---\n") < 25 {
		t.Errorf("stdout:\n%.600s", out)
	}
	for _, want := range []string{"kubectl --context=prod patch node cp-1", "Secrets that have to be there", "generic prod-ca"} {
		if !strings.Contains(b.stderr.String(), want) {
			t.Errorf("stderr lacks %q", want)
		}
	}
	b.ok(prod("-q")...)
	if b.stderr.Len() != 0 || b.stdout.String() != out {
		t.Errorf("-q: stderr %q", b.stderr.String())
	}
	b.ok(prod("-o", "json")...)
	var p adopt.Plan
	if err := json.Unmarshal(b.stdout.Bytes(), &p); err != nil {
		t.Fatal(err)
	}
	if p.Kind != "Plan" || len(p.Machines) != 6 || len(p.Steps) != 12 || !p.Summary.Rendered {
		t.Errorf("%+v", p.Summary)
	}
}

// With a blocker there is nothing on standard output that could be applied.
func TestAdoptBlocked(t *testing.T) {
	b := adoptBench(t, func(s *inventory.Snapshot) { s.VMs[0].Status = "stopped" })
	for _, args := range [][]string{prod(), prod("--force"), prod("--output-dir", "out", "--nodes-out", "nodes.yaml")} {
		v := b.verdict(args...)
		if v.Findings != 1 || v.Incomplete() || b.stdout.Len() != 0 || !strings.Contains(b.stderr.String(), "PXA201") || !strings.Contains(b.stderr.String(), "not adoptable: 1 blocker") {
			t.Errorf("%v: %+v\nstdout %q\nstderr %q", args, v, b.stdout.String(), b.stderr.String())
		}
	}
	for _, name := range []string{"out", "nodes.yaml"} {
		if _, err := os.Lstat(name); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s was written: %v", name, err)
		}
	}
	if v := b.verdict(prod("-o", "table")...); v.Findings != 1 || !strings.Contains(b.stdout.String(), "PXA201") {
		t.Errorf("the plan: %+v\n%s", v, b.stdout.String())
	}
}

// A source that did not answer leaves no bundle either, and says which.
func TestAdoptIncomplete(t *testing.T) {
	b := adoptBench(t, func(s *inventory.Snapshot) {
		c := s.CoverageOf("cluster/prod", inventory.ScopeStaticPods)
		c.State, c.Reason = inventory.Refused, "403 Forbidden"
	})
	if v := b.verdict(prod()...); !v.Incomplete() || b.stdout.Len() != 0 || !strings.Contains(b.stderr.String(), "static-pods") {
		t.Errorf("%+v\n%s", v, b.stderr.String())
	}
}

// proxmoxDown is what a run sees whose Proxmox does not answer.
func proxmoxDown(s *inventory.Snapshot) {
	s.VMs = nil
	s.Sites[0].Visibility, s.Sites[0].Nodes = inventory.Visibility{}, nil
	s.Coverage = slices.DeleteFunc(s.Coverage, func(c inventory.Coverage) bool {
		return c.Source == "site/lab" && (c.Scope == inventory.ScopeTasks || strings.HasPrefix(c.Scope, inventory.ConfigScope("")))
	})
	for i := range s.Coverage {
		if c := &s.Coverage[i]; c.Source == "site/lab" {
			c.State, c.Reason, c.Remedy = inventory.Failed, "connection refused", "check the address"
		}
	}
}

// workloadDown is what a run sees whose workload cluster does not answer, after the bundle was applied.
func workloadDown(t *testing.T) func(*inventory.Snapshot) {
	return func(s *inventory.Snapshot) {
		plan, err := adopt.Make(s, adopt.Options{Cluster: "prod", Future: adopt.Future{Addresses: []string{"10.0.0.200-10.0.0.220"}}})
		if err != nil {
			t.Fatal(err)
		}
		if err := inventorytest.Apply(s, "prod", plan.Bundle().Manifests()); err != nil {
			t.Fatal(err)
		}
		c := &s.Clusters[0]
		s.Nodes, c.Kubeadm, c.StaticPods, c.ServingCAs = nil, nil, nil, nil
		for i := range s.Coverage {
			if c := &s.Coverage[i]; c.Source == "cluster/prod" {
				c.State, c.Reason = inventory.Failed, "connection refused"
			}
		}
	}
}

// What did not answer comes first, and no blocker is made of it: an orphan of nobody's is not to be deleted, nor a member of etcd removed.
func TestAdoptUnseen(t *testing.T) {
	for source, spoil := range map[string]func(*inventory.Snapshot){"site/lab guests": proxmoxDown, "cluster/prod": workloadDown(t)} {
		b := adoptBench(t, spoil)
		v := b.verdict(prod()...)
		if v.Findings != 0 || !v.Incomplete() || b.stdout.Len() != 0 || strings.Contains(b.stderr.String(), "PXA2") {
			t.Errorf("%s: %+v\n%s%s", source, v, b.stdout.String(), b.stderr.String())
		}
		if first, _, _ := strings.Cut(b.stderr.String(), "\n"); !strings.HasPrefix(first, "incomplete: ") || !strings.Contains(b.stderr.String(), source[:8]) {
			t.Errorf("%s: the first line is %q", source, first)
		}
		if v := b.verdict(prod("-o", "table", "--force")...); v.Findings != 0 {
			t.Errorf("%s, forced: %+v", source, v)
		}
		out := b.stdout.String()
		if i, k := strings.Index(out, "Not seen, and needed"), strings.Index(out, "Machines:"); i < 0 || i > k || strings.Contains(out, "PXA2") || strings.Contains(out, "cannot help") || strings.Contains(out, "site \n") {
			t.Errorf("%s:\n%s", source, out)
		}
		if strings.Contains(out, "the run did not ask") {
			t.Errorf("%s: a server that is down was not left out:\n%s", source, out)
		}
	}
}

// What was seen is judged all the same.
func TestAdoptUnseenKeepsWhatWasSeen(t *testing.T) {
	b := adoptBench(t, func(s *inventory.Snapshot) {
		for i := range s.Providers {
			if p := &s.Providers[i]; p.Label == "infrastructure-proxmox" {
				p.Version = "v0.7.2"
			}
		}
		s.VMs[0].Status = "stopped"
		c := s.CoverageOf("cluster/prod", inventory.ScopeKubeadm)
		c.State, c.Reason, s.Clusters[0].Kubeadm = inventory.Refused, "403 Forbidden", nil
	})
	v := b.verdict(prod()...)
	out := b.stderr.String()
	if v.Findings != 2 || !v.Incomplete() || !strings.Contains(out, "PXA201") || !strings.Contains(out, "PXA208") || strings.Index(out, "kubeadm-config") > strings.Index(out, "PXA201") {
		t.Errorf("%+v\n%s", v, out)
	}
}

// COLUMNS is the width of standard error too.
func TestAdoptWidth(t *testing.T) {
	b := adoptBench(t, func(s *inventory.Snapshot) { s.VMs[0].Status = "stopped" })
	b.env.StderrWidth = 60
	spoil := b.env.Deps.Collect
	b.env.Deps.Collect = func(ctx context.Context, p collect.Plan) (*inventory.Snapshot, collect.Timings, error) {
		s, timings, err := spoil(ctx, p)
		s.Management.ClusterName = "prod"
		s.CoverageOf("cluster/prod", inventory.ScopeKubeadm).State = inventory.Failed
		s.CoverageOf("cluster/prod", inventory.ScopeKubeadm).Reason = strings.Repeat("connection refused, ", 10)
		return s, timings, err
	}
	if v := b.verdict(prod("--output-dir", "x")...); v.Findings == 0 || !v.Incomplete() {
		t.Errorf("%+v", v)
	}
	for line := range strings.SplitSeq(b.stderr.String(), "\n") {
		if len([]rune(line)) > 60 {
			t.Errorf("%d characters: %s", len([]rune(line)), line)
		}
	}
}

func TestAdoptManagementItself(t *testing.T) {
	b := adoptBench(t, func(s *inventory.Snapshot) { s.Management.ClusterName = "prod" })
	b.ok(prod()...)
	if !strings.Contains(b.stderr.String(), "prod is the management cluster itself") {
		t.Error(b.stderr.String())
	}
}

// A folder that is there and cannot be written to is not to be made.
func TestAdoptReadOnlyParent(t *testing.T) {
	b := adoptBench(t, nil)
	closed := "closed"
	if err := os.Mkdir(closed, 0o500); err != nil {
		t.Fatal(err)
	}
	if os.Getuid() == 0 {
		// Root writes everywhere but into what the kernel shows of itself.
		closed = "/sys"
	}
	if err := b.run(prod("--output-dir", closed+"/x")...); err == nil || !strings.Contains(err.Error(), "get leave to write there") {
		t.Error(err)
	}
	if err := b.run(prod("--output-dir", "none/x")...); err == nil || !strings.Contains(err.Error(), "make that folder") {
		t.Error(err)
	}
}

func TestAdoptForce(t *testing.T) {
	b := adoptBench(t, func(s *inventory.Snapshot) {
		for i := range s.Nodes {
			if s.Nodes[i].Name == "w-1" {
				s.Nodes[i].ProviderID = "k3s://w-1"
			}
		}
	})
	if v := b.verdict(prod()...); v.Findings != 1 {
		t.Errorf("%+v", v)
	}
	b.ok(prod("--force")...)
	if !strings.Contains(b.stdout.String(), "kind: KubeadmControlPlane") || !strings.Contains(b.stderr.String(), "PXA204") {
		t.Errorf("stderr %s", b.stderr.String())
	}
}

func TestAdoptOutputDir(t *testing.T) {
	b := adoptBench(t, nil)
	b.ok(prod("--output-dir", "out", "--nodes-out", "nodes.yaml")...)
	if b.stdout.Len() != 0 {
		t.Errorf("stdout %q", b.stdout.String())
	}
	var names []string
	entries, err := os.ReadDir("out")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	if got := strings.Join(names, " "); got != "01-cluster.yaml 02-infrastructure.yaml 03-machines.yaml 04-owners.yaml RUNBOOK.md giving-up.sh rbac workload" {
		t.Error(got)
	}
	if got := b.stderr.String(); !strings.HasSuffix(got, "wrote RUNBOOK.md and 7 other files to out: begin with out/RUNBOOK.md\n") || strings.Contains(got, "prod-ca") || strings.Contains(got, "--output-dir") {
		t.Errorf("stderr %s", got)
	}
	for _, name := range names[:4] {
		data, err := os.ReadFile(filepath.Join("out", name))
		if err != nil || !bytes.HasPrefix(data, []byte("# Step ")) || !bytes.Contains(data, []byte("for the management cluster")) {
			t.Errorf("%s: %v: %.80s", name, err, data)
		}
	}
	role, err := os.ReadFile("out/rbac/secrets-role.yaml")
	if err != nil || strings.Count(string(role), "\n  - prod-") != 6 || !bytes.Contains(role, []byte("\n  - w-3\n")) {
		t.Errorf("%v\n%s", err, role)
	}
	a, err := os.ReadFile("nodes.yaml")
	if err != nil {
		t.Fatal(err)
	}
	c, err := os.ReadFile("out/workload/nodes-of-prod.yaml")
	if err != nil || !bytes.Equal(a, c) || bytes.Count(a, []byte("kind: Node")) != 6 {
		t.Errorf("%v\n%s", err, a)
	}
	calls := b.calls.Load()
	var u *UsageError
	if err := b.run(prod("--output-dir", "out")...); !errors.As(err, &u) || !strings.Contains(err.Error(), "is there already") || b.calls.Load() != calls {
		t.Errorf("a second time: %v", err)
	}
	// Of two that are there it is always the same one that is named.
	for range 20 {
		if err := b.run(prod("--output-dir", "out", "--pki-dir", "out", "--secrets-dir", "out")...); err == nil || !strings.Contains(err.Error(), "--output-dir: out is there") {
			t.Fatalf("both there: %v", err)
		}
	}
}

// What no manifest can be written without is said, and --force is not held out as help.
func TestForceCannotHelp(t *testing.T) {
	b := adoptBench(t, nil)
	args := []string{"adopt", "--cluster", "prod"}
	if v := b.verdict(append(args, "--force")...); v.Findings == 0 || b.stdout.Len() != 0 || !strings.Contains(v.Text, "--force cannot help: the manifests need what machines to come are made from") {
		t.Errorf("%+v\n%s", v, b.stderr.String())
	}
	if v := b.verdict(append(args, "-o", "table")...); v.Findings == 0 {
		t.Errorf("%+v", v)
	}
	if !strings.Contains(strings.Join(strings.Fields(b.stdout.String()), " "), "--force cannot help: the manifests need what machines to come are made from") {
		t.Errorf("%s", b.stdout.String())
	}
}

// A file that is there is not overwritten, and nothing is asked before that is said.
func TestNodesOutOverwritesNothing(t *testing.T) {
	b := adoptBench(t, nil)
	if err := os.WriteFile("nodes.yaml", []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	var u *UsageError
	if err := b.run(prod("--nodes-out", "nodes.yaml")...); !errors.As(err, &u) || b.calls.Load() != 0 {
		t.Errorf("%v", err)
	}
	if data, err := os.ReadFile("nodes.yaml"); err != nil || string(data) != "mine" {
		t.Errorf("%v: %s", err, data)
	}
}

// pkiFolder is a copy of /etc/kubernetes/pki with admin.conf in it.
func pkiFolder(t *testing.T, p pkitest.PKI) string {
	t.Helper()
	dir := t.TempDir()
	files := map[string][]byte{"admin.conf": p.Kubeconfig}
	maps.Copy(files, p.Files)
	for name, data := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// Keys go into files for their owner alone, and nowhere else.
func TestAdoptSecrets(t *testing.T) {
	p := pkitest.New(t, "ecdsa")
	dir := pkiFolder(t, p)
	b := adoptBench(t, func(s *inventory.Snapshot) {
		s.Clusters[0].ServingCAs, s.CollectedAt = []string{fmt.Sprintf("%x", sha256.Sum256(p.CA.Cert.Raw))}, pkitest.Now
	})
	b.ok(prod("--pki-dir", dir, "--secrets-dir", "secrets")...)
	if strings.Contains(b.stdout.String()+b.stderr.String(), "PRIVATE KEY") || strings.Contains(b.stdout.String(), "prod-sa") {
		t.Error("a key or its Secret is on a stream")
	}
	st, err := os.Stat("secrets")
	if err != nil || st.Mode().Perm() != 0o700 {
		t.Fatalf("%v %v", st, err)
	}
	files, err := filepath.Glob("secrets/*.yaml")
	if err != nil || len(files) < 4 {
		t.Errorf("%v %v", files, err)
	}
	// The runbook then applies them, and tells nobody to copy keys from a node.
	b.ok(prod("--pki-dir", dir, "--secrets-dir", "more", "--output-dir", "out")...)
	more, err := filepath.Abs("more")
	if err != nil {
		t.Fatal(err)
	}
	runbook, err := os.ReadFile("out/RUNBOOK.md")
	if err != nil || !strings.Contains(string(runbook), "apply --server-side -f "+more+"\n") || !strings.Contains(string(runbook), "\nrm -rf -- "+more+"\n") || strings.Contains(string(runbook), "scp -r") {
		t.Errorf("%v\n%s", err, runbook)
	}
	if strings.Contains(b.stderr.String(), "scp") {
		t.Errorf("%s", b.stderr.String())
	}
	// The authority of another cluster is not written.
	b = adoptBench(t, nil)
	if err := b.run(prod("--pki-dir", dir, "--secrets-dir", "other")...); err == nil || b.stdout.Len() != 0 {
		t.Errorf("another cluster's keys: %v", err)
	}
	if _, err := os.Lstat("other"); err == nil {
		t.Error("another cluster's keys were written")
	}
}

// Where something else cannot be written, no Secret is: not at the place that was named, nor beside it.
func TestAdoptSecretsLast(t *testing.T) {
	p := pkitest.New(t, "ecdsa")
	dir := pkiFolder(t, p)
	b := adoptBench(t, func(s *inventory.Snapshot) {
		s.Clusters[0].ServingCAs, s.CollectedAt = []string{fmt.Sprintf("%x", sha256.Sum256(p.CA.Cert.Raw))}, pkitest.Now
	})
	if err := os.Mkdir("folder", 0o700); err != nil {
		t.Fatal(err)
	}
	for name, args := range map[string][]string{
		"nodes-out in no folder":    {"--nodes-out", "nowhere/nodes.yaml"},
		"nodes-out is a folder":     {"--nodes-out", "folder"},
		"output-dir in no folder":   {"--output-dir", "nowhere/out"},
		"a plan in no folder":       {"--output-dir", "out", "-o", "json=nowhere/plan.json"},
		"both folders are one":      {"--output-dir", "./secrets"},
		"one is there already":      {"--output-dir", "folder"},
		"a kubeconfig that is none": {"--output-dir", "out", "--nodes-out", "nodes.yaml", "--kubeconfig-file", "nowhere"},
		"keys of another authority": {"--output-dir", "out", "--nodes-out", "nodes.yaml", "--pki-dir", pkiFolder(t, pkitest.New(t, "ecdsa"))},
	} {
		t.Run(name, func(t *testing.T) {
			if err := b.run(prod(append([]string{"--pki-dir", dir, "--secrets-dir", "secrets"}, args...)...)...); err == nil {
				t.Error("no error")
			}
			entries, err := os.ReadDir(".")
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range entries {
				if e.Name() != "folder" {
					t.Errorf("%s is there", e.Name())
				}
			}
		})
	}
	b.ok(prod("--pki-dir", dir, "--secrets-dir", "secrets", "--output-dir", "out", "--nodes-out", "nodes.yaml")...)
	for _, name := range []string{"secrets", "out", "nodes.yaml"} {
		if _, err := os.Lstat(name); err != nil {
			t.Error(err)
		}
	}
}

func TestAdoptDryRun(t *testing.T) {
	b := adoptBench(t, nil)
	var sent int
	answer := inventory.DryRun{Sent: 22, Accepted: 22}
	b.env.Deps.DryRun = func(_ context.Context, _ kube.Target, objects [][]byte) (inventory.DryRun, error) {
		sent = len(objects)
		return answer, nil
	}
	b.ok(prod("--server-dry-run")...)
	if sent < 25 || b.stdout.Len() == 0 {
		t.Errorf("%d objects were sent", sent)
	}
	answer = inventory.DryRun{Sent: 22, Accepted: 21, Rejections: []inventory.Rejection{{Object: inventory.Ref{Kind: "Machine", Namespace: "prod", Name: "w-1"},
		Cause: inventory.RejectedInvalid, Field: "spec.version", Message: "no"}}}
	if v := b.verdict(prod("--server-dry-run")...); v.Findings != 1 || v.Incomplete() || b.stdout.Len() != 0 || !strings.Contains(b.stderr.String(), "spec.version") {
		t.Errorf("%+v\n%s", v, b.stderr.String())
	}
	answer.Rejections[0].Cause = inventory.RejectedForbidden
	if v := b.verdict(prod("--server-dry-run")...); !v.Incomplete() || b.stdout.Len() != 0 {
		t.Errorf("what was not judged: %+v", v)
	}
	b.env.Deps.DryRun = func(context.Context, kube.Target, [][]byte) (inventory.DryRun, error) {
		return inventory.DryRun{}, usagef("--server-dry-run: the namespace is not there")
	}
	var u *UsageError
	if err := b.run(prod("--server-dry-run")...); !errors.As(err, &u) || b.stdout.Len() != 0 {
		t.Errorf("%v", err)
	}
}

func TestAdoptUsage(t *testing.T) {
	b := adoptBench(t, nil)
	for want, args := range map[string][]string{
		"--cluster is missing":               {"adopt"},
		"there is no cluster \"prd\"":        {"adopt", "--cluster", "prd"},
		"belong together":                    prod("--pki-dir", "x"),
		"which takes --pki-dir":              prod("--kubeconfig-file", "x"),
		"is no VMID":                         prod("--template", "5"),
		"is no length of a network's prefix": prod("--prefix", "200"),
		"--target-name, or clusters[].adopt.name in proxaudit.yaml: \"Prod_1\"": prod("--target-name", "Prod_1", "--force"),
		"--target-namespace, or":                       prod("--target-namespace", "a.b"),
		"\"10.0.0.1 10.0.0.2\" has a blank in it":      {"adopt", "--cluster", "prod", "--addresses", "10.0.0.1 10.0.0.2"},
		"stand before it already":                      prod("--addresses", "10.0.0.210"),
		"--addresses, or":                              {"adopt", "--cluster", "prod", "--addresses", "10.0.0.300"},
		"in IPv6 form":                                 {"adopt", "--cluster", "prod", "--addresses", "::ffff:10.0.0.200"},
		"of two families":                              prod("--addresses", "fd00::1"),
		"--dns, or clusters[].adopt.dnsServers in":     prod("--dns", "1.1.1.1", "--dns", "resolver"),
		"\"router\" is no address":                     prod("--gateway", "router"),
		"10.1.0.1 is not in the network":               prod("--gateway", "10.1.0.1", "--prefix", "16"),
		"fd00::1 is no IPv4 address":                   prod("--gateway", "fd00::1"),
		"are not in one network":                       prod("--prefix", "28"),
		"1 to 32":                                      prod("--prefix", "64"),
		"\"Prod PVE\" is no name of a Secret":          prod("--credentials-secret", "Prod PVE"),
		"\"prod-ca\" is one of the cluster's own":      prod("--credentials-secret", "prod-ca"),
		"\"x-kubeconfig\" is one of the cluster's own": prod("--target-name", "x", "--credentials-secret", "x-kubeconfig"),
		"contradict each other":                        prod("--credentials-secret", "x", "--controller-credentials"),
		"--from asks none":                             prod("--server-dry-run", "--from", "x"),
		"--cluster stands 2 times (nope, prod)":        {"adopt", "--cluster", "nope", "--cluster", "prod"},
		"--capi-version: \"foo\" is no version":        prod("--capi-version", "foo"),
		"want one like v0.9.0":                         prod("--capmox-version", "foo"),
		"--template: \"abc\" is no number (VMID)":      prod("--template", "abc"),
		"Write -o table.":                              prod("-o", "table=-"),
		"names it under clusters:":                     {"adopt", "--cluster", "prd"},
		"wants no argument":                            prod("extra"),
	} {
		var u *UsageError
		if err := b.run(args...); !errors.As(err, &u) || b.stdout.Len() != 0 {
			t.Errorf("%v: %v", args, err)
		} else if want != "wants no argument" && !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v, want %q", args, err, want)
		}
	}
}

// verify in the runbook reads what adopt did, from whatever folder.
func TestRunbookVerifies(t *testing.T) {
	b := adoptBench(t, nil)
	b.ok(prod("--kubeconfig", "k", "--context", "it's", "--target-namespace", "team", "-o", "json")...)
	var p adopt.Plan
	if err := json.Unmarshal(b.stdout.Bytes(), &p); err != nil {
		t.Fatal(err)
	}
	here, err := filepath.Abs("k")
	if err != nil {
		t.Fatal(err)
	}
	want := "proxaudit verify --cluster prod --read-secrets"
	if _, err := os.Stat("proxaudit.yaml"); err == nil {
		want += " --config=" + filepath.Join(filepath.Dir(here), "proxaudit.yaml")
	}
	want += " --kubeconfig=" + here + ` '--context=it'\''s' --target-namespace=team`
	for _, s := range p.Steps[5:] {
		if s.Check[len(s.Check)-1] != want {
			t.Errorf("%s: %q, want %q", s.ID, s.Check, want)
		}
	}
}

// What the configuration says counts, and flags win over it.
func TestAdoptConfig(t *testing.T) {
	b := adoptBench(t, nil)
	const file = `
sites: [{name: lab, url: "https://pve1.example:8006", tokenID: "a@pve!audit", secretEnv: PROXMOX_SECRET}]
management: {none: true}
clusters:
- name: prod
  context: prod
  adopt: {namespace: team-a, name: production, addresses: [10.0.9.1-10.0.9.9], dnsServers: [1.1.1.1], credentialsSecret: pve, template: 9000, prefix: 20, gateway: 10.0.0.2}
`
	if err := os.WriteFile("proxaudit.yaml", []byte(file), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := b.run("adopt"); err == nil || !strings.Contains(err.Error(), "There is prod.") {
		t.Errorf("the clusters are not named: %v", err)
	}
	b.ok("adopt", "--cluster", "prod")
	for _, want := range []string{"namespace: team-a", "name: production\n", "10.0.9.1-10.0.9.9", "- 1.1.1.1", "name: pve\n", "prefix: 20", "gateway: 10.0.0.2"} {
		if !strings.Contains(b.stdout.String(), want) {
			t.Errorf("the manifests lack %q", want)
		}
	}
	b.ok("adopt", "--cluster", "prod", "--target-namespace", "x", "--addresses", "10.0.8.1", "--credentials-secret", "other", "--dns", "2.2.2.2", "--capi-version", "v1.14.2")
	out := b.stdout.String()
	if strings.Contains(out, "team-a") || strings.Contains(out, "10.0.9.1") || !strings.Contains(out, "name: other\n") || !strings.Contains(out, "- 2.2.2.2") {
		t.Errorf("flags do not win:\n%.900s", out)
	}
}

// What the run took from its environment, the runbook says: an account with another one finds the same servers.
func TestRunbookFromTheEnvironment(t *testing.T) {
	b := adoptBench(t, func(s *inventory.Snapshot) {
		s.Management.Context, s.Management.Kubeconfig = "it's", "sim1/mgmt.kc"
	})
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	b.vars["KUBECONFIG"], b.vars["PROXMOX_CA_FILE"] = "a kc:/etc/b.kc:", "ca.pem"
	if err := os.WriteFile("ca.pem", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	runbook := func(name string, args ...string) string {
		t.Helper()
		b.ok(prod(append(args, "--output-dir", name)...)...)
		data, err := os.ReadFile(filepath.Join(name, "RUNBOOK.md"))
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	got := runbook("out")
	for _, want := range []string{
		"\nexport KUBECONFIG='" + here + "/a kc:/etc/b.kc'\n",
		"PROXMOX\\_URL, PROXMOX\\_TOKEN, PROXMOX\\_SECRET, PROXMOX\\_CA\\_FILE",
		"kubectl --kubeconfig=" + here + `/sim1/mgmt.kc '--context=it'\''s' apply -f 01-cluster.yaml`,
		// Kubectl's current context, which nobody named, may be another by then.
		`--read-secrets '--context=it'\''s'` + "\n",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("RUNBOOK.md lacks %q", want)
		}
	}
	if strings.Contains(got, secret) {
		t.Error("it has the value of a variable")
	}
	// The script is run in that shell: what it has goes before.
	script, err := os.ReadFile("out/giving-up.sh")
	if err != nil || strings.Contains(string(script), "KUBECONFIG") {
		t.Errorf("it names a file of its own: %v %s", err, script)
	}
	b.ok(prod()...)
	if !strings.Contains(b.stderr.String(), "kubectl --kubeconfig="+here+"/sim1/mgmt.kc ") {
		t.Errorf("stderr %s", b.stderr.String())
	}
	delete(b.vars, "KUBECONFIG")
	if got := runbook("more"); strings.Contains(got, "export KUBECONFIG") || !strings.Contains(got, "No KUBECONFIG in the environment") {
		t.Error("it had none")
	}
	const file = `
sites: [{name: lab, url: "https://pve1.example:8006", tokenID: "a@pve!audit", secretEnv: PVE_SECRET}]
management: {context: "it's"}
`
	b.vars["PVE_SECRET"] = secret
	if err := os.WriteFile("proxaudit.yaml", []byte(file), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := runbook("third"); strings.Contains(got, "PROXMOX") || !strings.Contains(got, `PVE\_SECRET`) || !strings.Contains(got, "--read-secrets --config="+here+"/proxaudit.yaml\n") {
		t.Errorf("the configuration names the context and the site:\n%s", got)
	}
}
