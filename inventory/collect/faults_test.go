package collect

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/proxaudit/proxaudit/internal/kubesim"
	"github.com/proxaudit/proxaudit/internal/pvesim"
	"github.com/proxaudit/proxaudit/inventory"
)

// The two findings of a run without faults.
const (
	ghost  = "ghost-machine machine/team/prod-gone"
	orphan = "orphan-vm vm/home/105"
)

// Whatever fails, coverage names the source, and nothing that depends on it is called an orphan or gone.
func TestFaults(t *testing.T) {
	fail := func(path string, f pvesim.Fault) func(*testing.T, *lab) {
		return func(_ *testing.T, l *lab) { l.home.Fail(pvesim.Match{Path: path}, f) }
	}
	kubeFault := func(f kubesim.Fault, of func(*lab) *kubesim.Server) func(*testing.T, *lab) {
		return func(_ *testing.T, l *lab) { of(l).SetFaults(f) }
	}
	prod := func(l *lab) *kubesim.Server { return l.prod }
	mgmt := func(l *lab) *kubesim.Server { return l.mgmt }
	offline := func(t *testing.T, l *lab) {
		if err := l.home.SetOffline("pve2", time.Hour); err != nil {
			t.Fatal(err)
		}
	}
	for name, c := range map[string]struct {
		spoil         func(*testing.T, *lab)
		stale         []string
		source, scope string
		state         inventory.State
		reason        string
		// left are the findings that do not depend on it.
		left []string
	}{
		"a node offline": {spoil: offline, source: "site/home", scope: "config/pve2", state: inventory.Failed, reason: "pve2 is offline"},
		"403 on one configuration": {spoil: fail("/nodes/pve2/qemu/105/config", pvesim.Fault{Status: 403, Reason: "Permission check failed (/vms/105, VM.Audit)"}),
			source: "site/home", scope: "config/pve2", state: inventory.Partial, reason: "403"},
		"a token without ACL": {spoil: func(_ *testing.T, l *lab) { l.plan.Sites[0].TokenID = blind },
			source: "site/home", scope: inventory.ScopeGuests, state: inventory.Refused},
		"a wrong secret": {spoil: func(_ *testing.T, l *lab) { l.plan.Sites[0].Secret = inventory.NewSecret(edgeSecret) },
			source: "site/home", scope: inventory.ScopeGuests, state: inventory.Refused, reason: "401"},
		"a site that is gone": {spoil: func(t *testing.T, l *lab) {
			if err := l.home.Close(); err != nil {
				t.Fatal(err)
			}
		}, source: "site/home", scope: inventory.ScopeGuests, state: inventory.Failed},
		"malformed JSON from Proxmox": {spoil: fail("/cluster/resources", pvesim.Fault{MalformedJSON: true}),
			source: "site/home", scope: inventory.ScopeGuests, state: inventory.Failed, reason: "JSON"},
		"a 595 in the middle": {spoil: fail("/nodes/pve2/qemu/105/config", pvesim.Fault{Status: 595, Reason: "No route to host"}),
			source: "site/home", scope: "config/pve2", state: inventory.Partial, reason: "595"},
		"no answer to the probes": {spoil: fail("/cluster/nextid", pvesim.Fault{Status: 500, Reason: "got timeout"}),
			source: "site/home", scope: inventory.ScopeProbes, state: inventory.Failed, left: []string{orphan}},
		"a workload API down": {spoil: func(t *testing.T, l *lab) { l.plan.Workloads[0].Target = l.dead(t, "prod") },
			source: "cluster/prod", scope: inventory.ScopeNodes, state: inventory.Failed, reason: "refused"},
		"a kubeconfig that does not exist": {spoil: func(_ *testing.T, l *lab) { l.plan.Workloads[0].Target.Kubeconfig += "-none" },
			source: "cluster/prod", scope: inventory.ScopeNodes, state: inventory.Failed, reason: "-none"},
		"a context that does not exist": {spoil: func(_ *testing.T, l *lab) { l.plan.Workloads[0].Target.Context = "none" },
			source: "cluster/prod", scope: inventory.ScopeNodes, state: inventory.Failed, reason: `no context "none": it has "prod"`},
		"malformed JSON from a workload cluster": {spoil: kubeFault(kubesim.Fault{Resource: "nodes", Body: `{"items":[`}, prod),
			source: "cluster/prod", scope: inventory.ScopeNodes, state: inventory.Failed},
		"403 on the Nodes": {spoil: kubeFault(kubesim.Fault{Resource: "nodes", Status: 403}, prod),
			source: "cluster/prod", scope: inventory.ScopeNodes, state: inventory.Refused, reason: "forbidden"},
		"the management cluster is gone": {spoil: func(t *testing.T, l *lab) { l.plan.Management = l.dead(t, "mgmt") },
			source: "management", scope: inventory.ScopeMachines, state: inventory.Failed, reason: "refused"},
		"discovery of one API group failing": {stale: []string{inventory.GroupInfrastructure},
			source: "management", scope: inventory.ScopeProxmoxMachines, state: inventory.Failed, reason: "discovery failed"},
		"403 on the Machines": {spoil: kubeFault(kubesim.Fault{Resource: "machines.cluster.x-k8s.io", Status: 403}, mgmt),
			source: "management", scope: inventory.ScopeMachines, state: inventory.Refused},
		"403 on the management cluster's own Nodes": {spoil: kubeFault(kubesim.Fault{Resource: "nodes", Status: 403}, mgmt),
			source: "cluster/mgmt", scope: inventory.ScopeNodes, state: inventory.Refused, left: []string{ghost}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := newLab(t, func(s *settings) { s.managementConfig.Stale = c.stale })
			if c.spoil != nil {
				c.spoil(t, l)
			}
			s := l.run(t)
			cov := coverage(t, s, c.source, c.scope)
			if cov.State != c.state || !cov.Missing() || cov.Reason == "" || !strings.Contains(cov.Reason, c.reason) {
				t.Errorf("%+v", cov)
			}
			if !summary(s).Incomplete || len(s.Incomplete()) == 0 {
				t.Errorf("the run counts as complete: %+v", s.Coverage)
			}
			if got := serious(s); !slices.Equal(got, c.left) {
				t.Errorf("findings %q, want %q", got, c.left)
			}
		})
	}
}
