package cli

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/proxaudit/proxaudit/adopt"
	"github.com/proxaudit/proxaudit/inventory"
	"github.com/proxaudit/proxaudit/inventory/collect"
	"github.com/proxaudit/proxaudit/inventory/inventorytest"
)

// verifyBench is a world in which the bundle of prod is applied and paused; each look at it may see something else.
func verifyBench(t *testing.T, looks ...func(*inventory.Snapshot)) *bench {
	t.Helper()
	b := newBench(t)
	b.env.Deps.Collect = func(ctx context.Context, p collect.Plan) (*inventory.Snapshot, collect.Timings, error) {
		b.plan = &p
		n := int(b.calls.Add(1)) - 1
		s := inventorytest.ScriptBuilt("prod", 3, 3)
		plan, err := adopt.Make(s, adopt.Options{Cluster: "prod", Future: adopt.Future{Addresses: []string{"10.0.0.200-10.0.0.220"}}})
		if err != nil {
			return nil, nil, err
		}
		if err := inventorytest.Apply(s, "prod", plan.Bundle().Manifests()); err != nil {
			return nil, nil, err
		}
		if len(looks) > 0 {
			if look := looks[min(n, len(looks)-1)]; look != nil {
				look(s)
			}
		}
		return s, nil, ctx.Err()
	}
	return b
}

func TestVerify(t *testing.T) {
	b := verifyBench(t)
	b.ok("verify", "--cluster", "prod", "--read-secrets", "--task-window", "72h")
	if !b.plan.Adoption || !b.plan.ReadSecrets || b.plan.TaskWindow.Hours() != 72 {
		t.Errorf("asked for %+v", b.plan)
	}
	if !strings.Contains(b.stdout.String(), "safe: the next step is \"Unpause the Cluster") {
		t.Errorf("stdout:\n%s", b.stdout.String())
	}
	b.ok("verify", "--cluster", "prod", "--read-secrets", "-o", "json")
	var v adopt.Verification
	if err := json.Unmarshal(b.stdout.Bytes(), &v); err != nil {
		t.Fatal(err)
	}
	if v.Kind != "Verification" || len(v.Steps) != 6 || len(v.Predictions) < 20 || v.Next != adopt.StepUnpauseCluster {
		t.Errorf("%+v", v.Summary)
	}
}

func TestVerifyNotSafe(t *testing.T) {
	b := verifyBench(t, func(s *inventory.Snapshot) { s.VMs[0].Status = "stopped" })
	if v := b.verdict("verify", "--cluster", "prod", "--read-secrets"); v.Findings == 0 || v.Incomplete() || !strings.Contains(b.stdout.String(), "NOT SAFE") {
		t.Errorf("%+v\n%s", v, b.stdout.String())
	}
}

func TestVerifyUnknown(t *testing.T) {
	b := verifyBench(t, func(s *inventory.Snapshot) {
		s.StoredSecrets = nil
		s.CoverageOf(inventory.ManagementSource, inventory.ScopeSecrets).State = inventory.NotAsked
	})
	if v := b.verdict("verify", "--cluster", "prod"); !v.Incomplete() || !strings.Contains(b.stdout.String(), "unknown: something that the verdict needs was not seen") {
		t.Errorf("%+v\n%s", v, b.stdout.String())
	}
}

// A verdict that is missing goes before one that is bad: there may be more.
func TestVerifyNotSafeAndUnseen(t *testing.T) {
	b := verifyBench(t, func(s *inventory.Snapshot) {
		s.VMs[0].Status, s.StoredSecrets = "stopped", nil
		s.CoverageOf(inventory.ManagementSource, inventory.ScopeSecrets).State = inventory.NotAsked
	})
	v := b.verdict("verify", "--cluster", "prod", "-o", "json")
	if v.Findings == 0 || !v.Incomplete() || !strings.Contains(b.stdout.String(), `"incomplete": true`) || !strings.Contains(b.stderr.String(), "not safe: ") {
		t.Errorf("%+v\n%s", v, b.stderr.String())
	}
	if v := b.verdict("verify", "--cluster", "prod"); !v.Incomplete() || !strings.Contains(b.stdout.String(), "NOT SAFE: leave everything paused; and something") {
		t.Errorf("%+v\n%s", v, b.stdout.String())
	}
}

// A Proxmox that does not answer is the reason, and what it was not asked any more has the same.
func TestVerifyProxmoxDown(t *testing.T) {
	b := verifyBench(t, proxmoxDown)
	v := b.verdict("verify", "--cluster", "prod", "--read-secrets")
	if out := b.stdout.String(); !v.Incomplete() || !strings.Contains(out, "connection refused") || strings.Contains(out, "the run did not ask") {
		t.Errorf("%+v\n%s", v, out)
	}
}

// What is asked about one Cluster is not answered with another.
func TestVerifyTarget(t *testing.T) {
	b := verifyBench(t)
	for want, args := range map[string][]string{
		"there is no Cluster nope\nThere is prod/prod.":                  {"--target-name", "nope"},
		"there is no Cluster in the namespace nope\nThere is prod/prod.": {"--target-namespace", "nope"},
		"there is no Cluster nope/prod\nThere is prod/prod.":             {"--target-name", "prod", "--target-namespace", "nope"},
		"--cluster stands 2 times (prod, prod)":                          {"--cluster", "prod"},
	} {
		var u *UsageError
		if err := b.run(append([]string{"verify", "--cluster", "prod"}, args...)...); !errors.As(err, &u) || !strings.Contains(err.Error(), want) || b.stdout.Len() != 0 {
			t.Errorf("%v: %v, want %q", args, err, want)
		}
	}
	b.ok("verify", "--cluster", "prod", "--read-secrets", "--target-name", "prod", "--target-namespace", "prod")
	b = verifyBench(t, func(s *inventory.Snapshot) {
		s.Clusters = append(s.Clusters, inventory.Cluster{Key: "dev", Declared: &inventory.DeclaredCluster{Meta: inventory.Meta{Namespace: "dev", Name: "dev"}}})
	})
	if err := b.run("verify", "--cluster", "prod", "--target-name", "dev"); err == nil || !strings.Contains(err.Error(), `the Cluster dev is not that of "prod"`) {
		t.Error(err)
	}
}

// A cluster that Cluster API made has no step to take.
func TestVerifyNotAdopted(t *testing.T) {
	made := func(s *inventory.Snapshot) {
		d := s.Clusters[0].Declared
		d.Paused, d.Infrastructure.Paused = false, false
		for i := range s.Machines {
			s.Machines[i].Paused, s.Machines[i].Annotations, s.ProxmoxMachines[i].Paused = false, nil, false
		}
		for i := range s.Groups {
			s.Groups[i].Paused = false
		}
	}
	b := verifyBench(t, made)
	v := b.verdict("verify", "--cluster", "prod", "--read-secrets")
	if first, _, _ := strings.Cut(b.stdout.String(), "\n"); v.Findings != 0 || !v.Incomplete() || !strings.HasPrefix(first, "A cluster that Cluster API made needs no verification") || strings.Contains(b.stdout.String(), "STEP") {
		t.Errorf("%+v\n%s", v, b.stdout.String())
	}
	// One that is paused may have been adopted by hand.
	b = verifyBench(t, func(s *inventory.Snapshot) {
		made(s)
		s.Clusters[0].Declared.Paused = true
	})
	if v := b.verdict("verify", "--cluster", "prod", "--read-secrets"); v == nil || !strings.Contains(b.stdout.String(), "STEP") {
		t.Error(b.stdout.String())
	}
}

// A file cannot be read with --read-secrets: it has to be made with it.
func TestVerifyFromFile(t *testing.T) {
	b := verifyBench(t, func(s *inventory.Snapshot) {
		s.StoredSecrets = nil
		c := s.CoverageOf(inventory.ManagementSource, inventory.ScopeSecrets)
		c.State, c.Remedy = inventory.NotAsked, "allow it with --read-secrets; docs/permissions.md"
	})
	b.ok("scan", "-o", "json=s.json")
	v := b.verdict("verify", "--cluster", "prod", "--from", "s.json", "-o", "json")
	out := b.stdout.String()
	if v == nil || !strings.Contains(out, "scan again with proxaudit scan --read-secrets; docs") || strings.Contains(out, "llow it with --read-secrets") {
		t.Error(out)
	}
	if err := b.run("verify", "--from", "s.json"); err == nil || !strings.Contains(err.Error(), "There is prod.") {
		t.Error(err)
	}
}

func TestVerifyUsage(t *testing.T) {
	b := adoptBench(t, nil)
	for want, args := range map[string][]string{
		"--cluster is missing":       {"verify"},
		"there is no cluster":        {"verify", "--cluster", "prd"},
		"no Cluster object":          {"verify", "--cluster", "prod"},
		"--watch is missing":         {"verify", "--cluster", "prod", "--interval", "5s"},
		"--interval: want a time":    {"verify", "--cluster", "prod", "--watch", "--interval", "5ms"},
		"writes no result":           {"verify", "--cluster", "prod", "--watch", "-o", "json"},
		"--from asks none":           {"verify", "--cluster", "prod", "--watch", "--from", "x.json"},
		"--task-window: want":        {"verify", "--cluster", "prod", "--task-window", "99999h"},
		"--capmox-token-id has no !": {"verify", "--cluster", "prod", "--capmox-token-id", "capmox@pve"},
	} {
		if err := b.run(args...); err == nil || !strings.Contains(err.Error(), want) || b.stdout.Len() != 0 {
			t.Errorf("%v: %v, want %q", args, err, want)
		}
	}
}

// --watch tells what changes, reads no more than it needs, and stops at the first thing that must not happen.
func TestVerifyWatch(t *testing.T) {
	running := func(s *inventory.Snapshot) {
		s.Machines[3].Phase, s.Machines[3].NodeRef = "Running", s.Machines[3].Name
	}
	appears := func(s *inventory.Snapshot) {
		running(s)
		v := s.VMs[0]
		v.VMID, v.Name = 4711, "prod-clone\x1b[2J"
		s.VMs = append(s.VMs, v)
	}
	b := verifyBench(t, nil, running, appears)
	v := b.verdict("verify", "--cluster", "prod", "--read-secrets", "--watch", "--interval", "1s")
	out := b.stdout.String()
	if v.Findings != 1 || b.calls.Load() != 3 {
		t.Errorf("%+v after %d looks", v, b.calls.Load())
	}
	for _, want := range []string{"Machine cp-1: no phase yet, paused\n", "Machine w-1: Running, paused, Node w-1\n", `ALARM: VM lab/4711 (prod-clone\x1b[2J) appeared` + "\n"} {
		if !strings.Contains(out, want) {
			t.Errorf("stdout lacks %q:\n%s", want, out)
		}
	}
	if strings.Count(out, "Machine cp-1") != 1 || !strings.Contains(b.stderr.String(), "ALARM: pause the Cluster now") {
		t.Errorf("stdout:\n%s\nstderr:\n%s", out, b.stderr.String())
	}
	if wanted := b.plan.Configurations; wanted == nil || !wanted(inventory.Key{Site: "lab", VMID: 101}) || wanted(inventory.Key{Site: "lab", VMID: 9000}) {
		t.Error("every configuration is read at each look")
	}
}

func TestVerifyWatchEnds(t *testing.T) {
	ended := func(s *inventory.Snapshot) {
		d := s.Clusters[0].Declared
		d.Paused, d.Infrastructure.Paused = false, false
		for i := range s.Machines {
			m := &s.Machines[i]
			m.Paused, s.ProxmoxMachines[i].Paused, m.NodeRef = false, false, m.Name
			for _, brake := range []string{adopt.HookPreTerminate, adopt.HookPreDrain, "cluster.x-k8s.io/skip-remediation"} {
				delete(m.Annotations, brake)
			}
		}
		for i := range s.Groups {
			s.Groups[i].Paused = false
		}
		for _, o := range s.Objects {
			for _, key := range map[string][]string{"Cluster": {adopt.BlockMove}, "KubeadmConfig": {"cluster.x-k8s.io/paused"}}[o.Kind] {
				delete(o.Content["metadata"].(map[string]any)["annotations"].(map[string]any), key)
			}
		}
	}
	b := verifyBench(t, ended)
	// A watch that never ends fails, and does not hang.
	limited, stop := context.WithTimeout(t.Context(), time.Minute)
	defer stop()
	if err := b.runContext(limited, "verify", "--cluster", "prod", "--read-secrets", "--watch"); err != nil {
		t.Errorf("%v\n%s", err, b.stderr.String())
	}
	ctx, cancel := context.WithCancel(t.Context())
	b = verifyBench(t, func(*inventory.Snapshot) { cancel() })
	if err := b.runContext(ctx, "verify", "--cluster", "prod", "--watch"); !errors.Is(err, ErrInterrupted) {
		t.Errorf("interrupted: %v", err)
	}
}
