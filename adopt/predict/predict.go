// Package predict says what each controller would do to each object of a declared cluster if the object were unpaused now.
//
// It is the one package that may import the control-plane controller's public comparison, with what that pulls in: where
// a controller's own code decides, that code is asked. What could not be asked is read from its source, and each rule
// names the file. The rules hold for the versions of adopt.ProvenCAPI and adopt.ProvenCAPMOX; for others nothing is said.
//
// Each prediction assumes that the steps before its own did what they should: a ProxmoxMachine's that the cluster's
// infrastructure became ready, a control plane's that its Machines were reconciled as predicted.
package predict

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/proxaudit/proxaudit/adopt"
	"github.com/proxaudit/proxaudit/inventory"
)

// Predict foresees what the controllers would do to the objects of one declared cluster, named by its key in
// Snapshot.Clusters. It is pure. The answer is ordered by step, then controller, then object, and never empty: a cluster
// that nobody declares, and a kind that was not read, are answers with the outcome CannotTell.
func Predict(s *inventory.Snapshot, cluster string) []adopt.Prediction {
	w, problem := newWorld(s, cluster)
	if w == nil {
		return []adopt.Prediction{*problem}
	}
	w.unread()
	w.clusterObjects()
	w.bootstrapConfigs()
	w.proxmoxMachineObjects()
	w.machineObjects()
	w.controlPlanes()
	w.machineSets()
	w.machineDeployments()
	w.healthChecks()
	w.judgeVersions()
	return ordered(w.out)
}

// say records an outcome.
func (w *world) say(c adopt.Controller, o inventory.Ref, v verdict) { w.sayAt(stepOf[c], c, o, v) }

// sayAt records an outcome of another step than the controller's usual one.
func (w *world) sayAt(step adopt.StepID, c adopt.Controller, o inventory.Ref, v verdict) {
	slices.SortFunc(v.missing, inventory.CompareNeeds)
	w.out = append(w.out, adopt.Prediction{Controller: c, Object: o, Step: step, Outcome: v.outcome,
		Why: v.why, Missing: slices.Compact(v.missing)})
}

// verdict is an outcome with what it rests on.
type verdict struct {
	outcome adopt.Outcome
	why     []string
	missing []inventory.Need
}

func is(o adopt.Outcome, why ...string) verdict { return verdict{outcome: o, why: why} }

func isf(o adopt.Outcome, format string, args ...any) verdict {
	return is(o, fmt.Sprintf(format, args...))
}

// unseen is CannotTell for want of answers.
func unseen(needs []inventory.Need, why ...string) verdict {
	return verdict{outcome: adopt.CannotTell, why: why, missing: needs}
}

// stepOf is the step that lets each controller act on the objects of an adopted cluster.
var stepOf = map[adopt.Controller]adopt.StepID{
	adopt.ControllerCluster:           adopt.StepUnpauseCluster,
	adopt.ControllerProxmoxCluster:    adopt.StepUnpauseCluster,
	adopt.ControllerMachine:           adopt.StepUnpauseMachines,
	adopt.ControllerProxmoxMachine:    adopt.StepUnpauseMachines,
	adopt.ControllerKubeadmConfig:     adopt.StepUnpauseMachines,
	adopt.ControllerControlPlane:      adopt.StepUnpauseControlPlane,
	adopt.ControllerMachineSet:        adopt.StepUnpauseWorkers,
	adopt.ControllerMachineDeployment: adopt.StepUnpauseWorkers,
	// A MachineHealthCheck has no pause of its own in the bundle: the Cluster's is what holds it.
	adopt.ControllerHealthCheck: adopt.StepUnpauseCluster,
}

func ordered(out []adopt.Prediction) []adopt.Prediction {
	steps := adopt.Steps()
	slices.SortStableFunc(out, func(a, b adopt.Prediction) int {
		return cmp.Or(cmp.Compare(slices.Index(steps, a.Step), slices.Index(steps, b.Step)),
			cmp.Compare(a.Controller, b.Controller),
			cmp.Compare(a.Object.Kind, b.Object.Kind), cmp.Compare(a.Object.Namespace, b.Object.Namespace),
			cmp.Compare(a.Object.Name, b.Object.Name), cmp.Compare(a.Outcome, b.Outcome), slices.Compare(a.Why, b.Why))
	})
	return out
}
