package prod_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/proxaudit/proxaudit/adopt"
	"github.com/proxaudit/proxaudit/examples/exampletest"
	"github.com/proxaudit/proxaudit/inventory"
)

// TestAnotherBundle: once a bundle was applied, one that lacks anything of it is refused: what is left would be counted, cloned or
// deleted.
func TestAnotherBundle(t *testing.T) {
	for name, c := range map[string]struct {
		edit func(*inventory.Snapshot)
		args []string
		// left are subjects of findings; none means that the same bundle is rendered again.
		left []string
	}{
		"the same": {},
		"a worker is left out": {args: []string{"--leave-out", "prod-worker-4"},
			left: []string{"machine/prod/prod-worker-4", "proxmoxmachine/prod/prod-worker-4"}},
		"two control planes are no Nodes any more": {edit: func(s *inventory.Snapshot) {
			gone := func(name string) bool { return name == "prod-cp-2" || name == "prod-cp-3" }
			s.Nodes = slices.DeleteFunc(s.Nodes, func(n inventory.Node) bool { return gone(n.Name) })
			for i := range s.Clusters {
				s.Clusters[i].StaticPods = slices.DeleteFunc(s.Clusters[i].StaticPods, func(p inventory.StaticPod) bool { return gone(p.Node) })
			}
		}, left: []string{"machine/prod/prod-cp-2", "machine/prod/prod-cp-3", "kubeadmconfig/prod/prod-cp-3"}},
		"a worker has another size": {edit: func(s *inventory.Snapshot) {
			for i := range s.VMs {
				if s.VMs[i].Name == "prod-worker-4" {
					s.VMs[i].Config.MemoryMiB = 32768
				}
			}
		}, left: []string{"machinedeployment/prod/prod-workers", "machineset/prod/prod-workers-adopted", "proxmoxmachinetemplate/prod/prod-workers"}},
		"a second Cluster over the same machines": {args: []string{"--target-name", "prod2", "--target-namespace", "prod"},
			left: []string{"machine/prod/prod-cp-1", "proxmoxmachine/prod/prod-worker-1", "kubeadmconfig/prod/prod-cp-1"}},
	} {
		t.Run(name, func(t *testing.T) {
			var s inventory.Snapshot
			if err := json.Unmarshal(read(t, "adopted.json"), &s); err != nil {
				t.Fatal(err)
			}
			if c.edit != nil {
				c.edit(&s)
			}
			data, err := json.Marshal(&s)
			if err != nil {
				t.Fatal(err)
			}
			file := filepath.Join(t.TempDir(), "snapshot.json")
			if err := os.WriteFile(file, data, 0o600); err != nil {
				t.Fatal(err)
			}
			args := append([]string{"adopt", "--cluster", "prod", "--force"}, c.args...)
			if got := exampletest.FromFile(t, file, args...); (got.Code() == 0) != (len(c.left) == 0) || (got.Stdout == "") != (len(c.left) > 0) {
				t.Errorf("exit %d, %d bytes: %s", got.Code(), len(got.Stdout), got.Stderr)
			}
			var plan adopt.Plan
			if err := json.Unmarshal([]byte(exampletest.FromFile(t, file, append(args, "-o", "json")...).Stdout), &plan); err != nil {
				t.Fatal(err)
			}
			for _, id := range c.left {
				if !slices.ContainsFunc(plan.Blockers, func(f adopt.Finding) bool { return f.Rule == "PXA214" && f.Destroys && f.Subject.ID == id }) {
					t.Errorf("nothing is said of %s", id)
				}
			}
			if strings.Contains(name, "size") && slices.ContainsFunc(plan.Blockers, func(f adopt.Finding) bool { return f.Subject.Kind == "machine" }) {
				t.Error("the Machines are those of the bundle")
			}
		})
	}
}

// TestAdoptAgainSaysSo: the runbook of a cluster that has its bundle already says how far it is, and that it was made of a file. It names no
// path of the machine that reads the file.
func TestAdoptAgainSaysSo(t *testing.T) {
	for name, c := range map[string]struct {
		file string
		edit func(*inventory.Snapshot)
		want string
	}{
		"before":   {snapshot, nil, ""},
		"applied":  {"adopted.json", nil, "has 33 of these 33 manifests already"},
		"finished": {"adopted.json", func(s *inventory.Snapshot) { takeOff(s, adopt.BlockMove) }, "STOP: the management cluster has this adoption already"},
	} {
		t.Run(name, func(t *testing.T) {
			var s inventory.Snapshot
			if err := json.Unmarshal(read(t, c.file), &s); err != nil {
				t.Fatal(err)
			}
			s.Management.Kubeconfig = "mgmt.kc"
			if c.edit != nil {
				c.edit(&s)
			}
			data, err := json.Marshal(&s)
			if err != nil {
				t.Fatal(err)
			}
			dir := t.TempDir()
			file, out := filepath.Join(dir, "snapshot.json"), filepath.Join(dir, "out")
			if err := os.WriteFile(file, data, 0o600); err != nil {
				t.Fatal(err)
			}
			if got := exampletest.FromFile(t, file, "adopt", "--cluster", "prod", "--output-dir", out); got.Code() != 0 {
				t.Fatalf("exit %d: %s", got.Code(), got.Stderr)
			}
			runbook := string(read(t, filepath.Join(out, "RUNBOOK.md")))
			if !strings.Contains(runbook, "a recorded snapshot") || !strings.Contains(runbook, "kubectl --kubeconfig=mgmt.kc --context=mgmt apply -f 01-cluster.yaml") {
				t.Error("it says nothing of the file that it was made of")
			}
			if c.want == "" && strings.Contains(runbook, "already, ") || !strings.Contains(runbook, c.want) {
				t.Errorf("it does not say %q:\n%.3000s", c.want, runbook)
			}
		})
	}
}

// takeOff takes an annotation off the Cluster.
func takeOff(s *inventory.Snapshot, annotation string) {
	for i := range s.Objects {
		if o := &s.Objects[i]; o.Kind == "Cluster" && o.Name == "prod" {
			if all, ok := o.Content["metadata"].(map[string]any)["annotations"].(map[string]any); ok {
				delete(all, annotation)
			}
		}
	}
}
