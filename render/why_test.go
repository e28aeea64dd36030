package render

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/proxaudit/proxaudit/audit"
	"github.com/proxaudit/proxaudit/audit/progress"
	"github.com/proxaudit/proxaudit/inventory"
)

// sampleWhy has a cluster that is stuck, one that is healthy, and one that nobody manages.
func sampleWhy() *audit.WhyReport {
	since := collected.Add(-3 * time.Hour)
	seconds := int64(3 * 3600)
	pm := inventory.Ref{Group: inventory.GroupInfrastructure, Kind: "ProxmoxMachine", Namespace: "prod", Name: "prod-cp-1"}
	return &audit.WhyReport{Envelope: sampleEnvelope(audit.KindProgress), Summary: audit.WhySummary{Stuck: 1, Healthy: 1, NotManaged: 1}, Items: []progress.Cluster{
		{Key: "dev", Namespace: "dev", Name: "dev", State: progress.Healthy},
		{Key: "old", State: progress.NotManaged, Notes: []string{"no Cluster object declares it: no controller is responsible for it"}},
		{Key: "prod", Namespace: "prod", Name: "prod", State: progress.Stuck, Phase: progress.PhaseHosts,
			Phases: []progress.Phase{
				{ID: progress.PhaseInfrastructure, Title: "Shared infrastructure", State: progress.Done, Evidence: []string{"InfrastructureReady"}},
				{ID: progress.PhaseBootstrap, Title: "Control plane and bootstrap data", State: progress.Done},
				{ID: progress.PhaseHosts, Title: "Provisioning and boot of the first hosts", State: progress.Stuck, Since: &since},
				{ID: progress.PhaseWorkers, Title: "Workers", State: progress.NotStarted},
			},
			Baton: &progress.Baton{Phase: progress.PhaseHosts, State: progress.Stuck, Holder: progress.Infrastructure, Controller: "capmox-system/capmox-controller-manager", Object: pm,
				Cause: progress.CauseCloneFailed, Detail: "the template could not be cloned", Since: &since, Seconds: &seconds, Next: "CAPMOX tries again", Remedy: "See the message.",
				Condition: &inventory.Condition{Type: "VirtualMachineProvisioned", Status: "False", Reason: "CloningFailed", Message: "no space left\x1b[31m on <b>local-lvm</b>"},
				Evidence:  []string{"VM lab/101 on pve1 is stopped"},
				Commands:  []string{"kubectl --context=mgmt -n prod describe proxmoxmachines.infrastructure.cluster.x-k8s.io prod-cp-1"}},
			Others: []progress.Baton{{Phase: progress.PhaseWorkers, State: progress.Converging, Holder: progress.Core, Object: inventory.Ref{Kind: "MachineSet", Namespace: "prod", Name: "prod-md"},
				Cause: progress.CauseReplicas, Detail: "it has 0 of 2 Machines"}}},
	}}
}

// A message of a megabyte does not bury the rest, and what lacks is said.
func TestWhyForPeople(t *testing.T) {
	r := sampleWhy()
	b := r.Items[2].Baton
	b.Condition.Message, b.Detail = strings.Repeat("x", 1<<20), strings.Repeat("y ", 1<<19)
	b.Evidence = []string{strings.Repeat("é", 1<<20)}
	r.Items[0] = progress.Cluster{Key: "dev", State: progress.Unknown, Missing: []inventory.Need{{Source: "management", Scope: "machines.cluster.x-k8s.io"}}}
	for _, all := range []bool{false, true} {
		var out bytes.Buffer
		table, err := Lookup("table")
		if err != nil {
			t.Fatal(err)
		}
		if err := table.Write(&out, Why(r, all), Options{Width: 100}); err != nil {
			t.Fatal(err)
		}
		if out.Len() > 20_000 || !strings.Contains(out.String(), "more characters") || !strings.Contains(out.String(), "not seen: management") {
			t.Errorf("all %t: %d bytes:\n%.3000s", all, out.Len(), out.String())
		}
	}
}
