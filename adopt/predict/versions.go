package predict

import (
	"fmt"
	"slices"
	"strings"

	"github.com/proxaudit/proxaudit/adopt"
	"github.com/proxaudit/proxaudit/inventory"
)

// The values of the label cluster.x-k8s.io/provider whose controllers act here, with the version for which this package
// knows their behaviour (cluster-api cmd/clusterctl/api/v1alpha3: ManifestLabel).
var provenProviders = []struct{ label, version string }{
	{"cluster-api", adopt.ProvenCAPI},
	{"bootstrap-kubeadm", adopt.ProvenCAPI},
	{"control-plane-kubeadm", adopt.ProvenCAPI},
	{providerCAPMOX, adopt.ProvenCAPMOX},
}

const providerCAPMOX = "infrastructure-proxmox"

var needProviders = inventory.Need{Source: inventory.ManagementSource, Scope: inventory.ScopeProviders}

// versionsOf are the versions that the Deployments of a provider run, without repeats.
func versionsOf(s *inventory.Snapshot, label string) []string {
	var out []string
	for i := range s.Providers {
		if s.Providers[i].Label == label {
			out = append(out, "v"+strings.TrimPrefix(s.Providers[i].Version, "v"))
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// unproven says why the controllers that run are not the ones whose behaviour is known; empty if they are.
func (w *world) unproven() (why []string, needs []inventory.Need) {
	for _, p := range provenProviders {
		switch got := versionsOf(w.s, p.label); {
		case len(got) == 0:
			why = append(why, fmt.Sprintf("no Deployment of the provider %s was seen", p.label))
			needs = append(needs, w.lacks(needProviders)...)
		case len(got) > 1 || got[0] == "v":
			why = append(why, fmt.Sprintf("the provider %s runs as %s", p.label, strings.Join(got, " and ")))
		case got[0] != p.version:
			why = append(why, fmt.Sprintf("the provider %s is %s", p.label, got[0]))
		}
	}
	if len(why) > 0 {
		why = []string{fmt.Sprintf("%s: what they do is proven for Cluster API %s with CAPMOX %s only",
			strings.Join(why, ", "), adopt.ProvenCAPI, adopt.ProvenCAPMOX)}
	}
	return why, needs
}

// judgeVersions takes back what was foreseen for controllers of other versions. What the proven ones would do stays as a
// reason, for it is the best guess that there is. One thing is known of CAPMOX 0.7: what it does to an adopted VM.
func (w *world) judgeVersions() {
	why, needs := w.unproven()
	if len(why) == 0 {
		return
	}
	capmox := versionsOf(w.s, providerCAPMOX)
	old := len(capmox) == 1 && strings.HasPrefix(capmox[0], "v0.7.")
	for i := range w.out {
		p := &w.out[i]
		if old && p.Controller == adopt.ControllerProxmoxMachine && p.Object.Kind == kindProxmoxMachine.kind {
			w.judgeOld(p)
			continue
		}
		guess := []string(nil)
		if p.Outcome != adopt.CannotTell && !p.Outcome.Safe() {
			guess = append(guess, fmt.Sprintf("the proven versions would do this (%s):", p.Outcome))
		}
		p.Outcome = adopt.CannotTell
		p.Why = slices.Concat(why, guess, p.Why)
		p.Missing = slices.Concat(needs, p.Missing)
		slices.SortFunc(p.Missing, inventory.CompareNeeds)
		p.Missing = slices.Compact(p.Missing)
	}
}

// judgeOld is CAPMOX 0.7 (cluster-api-provider-proxmox v0.7.7 internal/service/vmservice/vm.go): its machine has no state
// that a running VM could be adopted into, so that it runs through the whole provisioning unless the status says ready.
func (w *world) judgeOld(p *adopt.Prediction) {
	o := find(w.proxmoxMachines, p.Object.Name)
	m := slices.IndexFunc(w.s.ProxmoxMachines, func(m inventory.ProxmoxMachine) bool {
		return m.Namespace == p.Object.Namespace && m.Name == p.Object.Name
	})
	p.Missing = nil
	switch {
	case o == nil || m < 0:
		p.Outcome, p.Why = adopt.CannotTell, []string{"CAPMOX 0.7 runs, and the ProxmoxMachine was not read"}
	case w.s.ProxmoxMachines[m].VMID == nil:
		p.Outcome, p.Why = adopt.Clones, []string{"spec.virtualMachineID is not set"}
	case w.s.ProxmoxMachines[m].Ready:
		p.Outcome, p.Why = adopt.CannotTell, []string{"CAPMOX 0.7 runs; its status was written before, which is not proven"}
	default:
		p.Outcome, p.Why = adopt.Rewrites, []string{
			"CAPMOX 0.7 claims addresses, tags the VM and puts a bootstrap ISO into it, unless the ProxmoxMachine's status was written before: upgrade CAPMOX first"}
	}
}
