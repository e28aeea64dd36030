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
