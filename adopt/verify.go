package adopt

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/proxaudit/proxaudit/audit"
	"github.com/proxaudit/proxaudit/inventory"
)

// NotDeclaredError says that there is nothing to verify yet.
type NotDeclaredError struct{ Cluster string }

func (e *NotDeclaredError) Error() string {
	return fmt.Sprintf("the management cluster has no Cluster object for %q: apply the manifests first (proxaudit adopt --cluster %s)", e.Cluster, e.Cluster)
}

// Verify compares what is applied with what runs, and puts it together with what the controllers would do. The predictions are
// package predict's for the same Snapshot and cluster. The error is an *UnknownClusterError or a *NotDeclaredError.
func Verify(s *inventory.Snapshot, opt VerifyOptions, predictions []Prediction) (*Verification, error) {
	p := newPlanner(s, Options{Options: opt.Options, Cluster: opt.Cluster})
	if !p.findCluster() {
		e := &UnknownClusterError{Cluster: opt.Cluster}
		for i := range p.s.Clusters {
			e.Known = append(e.Known, p.s.Clusters[i].Key)
		}
		return nil, e
	}
	if p.cluster.Declared == nil {
		if p.s.Management == nil || p.s.Known(inventory.ManagementSource, inventory.ScopeClusters) {
			return nil, &NotDeclaredError{Cluster: opt.Cluster}
		}
	}
	p.findMembers()
	p.kubeadm = &kubeadmConfig{}
	if k := p.cluster.Kubeadm; k != nil {
		p.kubeadm = readKubeadm(k)
	}
	p.findExisting()
	v := &verifier{planner: p, actor: actor{said: opt.CAPMOXTokenID, seen: p.capmoxTokenID()}}
	if !opt.Narrow {
		v.hidden = p.unseenGuests()
	}
	v.findDeclared()
	out := &Verification{
		Envelope: audit.Envelope{FormatVersion: audit.FormatVersion, Kind: KindVerification, GeneratedAt: p.s.CollectedAt.UTC(), Parts: p.s.Parts,
			Coverage: append([]inventory.Coverage{}, p.s.Coverage...), Requests: append([]inventory.Requests{}, p.s.Requests...)},
		Cluster: p.cluster.Key, Name: p.name, Namespace: p.namespace, Since: v.since,
		Predictions: predictions, Checks: v.checks(), Steps: []VerifiedStep{},
	}
	out.pause, out.actor = commander{p: p}.pauseAll(), v.actor
	if out.Predictions == nil {
		out.Predictions = []Prediction{}
	}
	v.judge(out)
	var missing []inventory.Need
	for _, c := range out.Checks {
		missing = append(missing, c.Missing...)
	}
	for _, pr := range out.Predictions {
		missing = append(missing, pr.Missing...)
	}
	slices.SortFunc(missing, inventory.CompareNeeds)
	out.Coverage = required(out.Coverage, slices.Compact(missing))
	return out, nil
}

// verifier is a planner that looks at what is applied.
type verifier struct {
	*planner
	actor actor
	// hidden are the guests that may have the UUID of an adopted VM too.
	hidden []inventory.Need
	// machines are the Machines of the cluster, groups their owners.
	machines []*inventory.Machine
	infra    map[string]*inventory.ProxmoxMachine
	groups   []*inventory.Group
	since    *time.Time

	// vms are by SITE/VMID, secrets those of the namespace by name, nodes the cluster's by name, plane the Machines of control
	// planes by name.
	vms     map[string]*inventory.VM
	secrets map[string]*inventory.StoredSecret
	nodes   map[string]*member
	plane   map[string]bool
}

func (v *verifier) findDeclared() {
	v.infra = map[string]*inventory.ProxmoxMachine{}
	v.vms, v.secrets = make(map[string]*inventory.VM, len(v.s.VMs)), make(map[string]*inventory.StoredSecret, len(v.s.StoredSecrets))
	v.nodes, v.plane = make(map[string]*member, len(v.members)), map[string]bool{}
	for i := range v.s.VMs {
		v.vms[v.s.VMs[i].Key().String()] = &v.s.VMs[i]
	}
	for i := range v.s.StoredSecrets {
		if s := &v.s.StoredSecrets[i]; s.Namespace == v.namespace {
			v.secrets[s.Name] = s
		}
	}
	for _, m := range slices.Concat(v.members, v.leftOut) {
		v.nodes[m.node.Name] = m
	}
	early := func(t *time.Time) {
		if t != nil && (v.since == nil || t.Before(*v.since)) {
			v.since = t
		}
	}
	if d := v.cluster.Declared; d != nil {
		early(d.CreatedAt)
	}
	for i := range v.s.Machines {
		if m := &v.s.Machines[i]; m.Cluster == v.cluster.Key && m.Namespace == v.namespace {
			v.machines = append(v.machines, m)
			v.plane[m.Name] = m.ControlPlane
			early(m.CreatedAt)
		}
	}
	for i := range v.s.ProxmoxMachines {
		if m := &v.s.ProxmoxMachines[i]; m.Namespace == v.namespace {
			v.infra[m.Name] = m
		}
	}
	for i := range v.s.Groups {
		if g := &v.s.Groups[i]; g.Cluster == v.cluster.Key && g.Namespace == v.namespace {
			v.groups = append(v.groups, g)
		}
	}
}

// isPlanned is true for a Machine that a bundle of proxaudit had.
func isPlanned(m *inventory.Meta) bool { return m.Annotations[AnnotationRendered] == renderedBy }

// checks are all comparisons, in the order of the steps that they stand before.
func (v *verifier) checks() []Check {
	out := []Check{}
	for _, find := range []func() []Check{v.checkIdentities, v.checkUnplanned, v.checkBrakes, v.checkTasks, v.checkCredentials, v.checkPool, v.checkSecrets, v.checkAuthority, v.checkMembers, v.checkSelectors} {
		out = append(out, find()...)
	}
	rank := map[StepID]int{}
	for i, id := range Steps() {
		rank[id] = i
	}
	slices.SortStableFunc(out, func(a, b Check) int {
		return cmp.Or(cmp.Compare(rank[a.Step], rank[b.Step]), cmp.Compare(a.Name, b.Name), cmp.Compare(a.Subject.ID, b.Subject.ID))
	})
	return out
}

// unpauses are the steps that let something act, with the kinds that each unpauses.
var unpauses = []struct {
	id    StepID
	title string
}{
	{StepUnpauseCluster, "Unpause the Cluster and the ProxmoxCluster"},
	{StepUnpauseFirst, "Unpause one worker"},
	{StepUnpauseMachines, "Unpause the other Machines"},
	{StepUnpauseControlPlane, "Unpause the control plane"},
	{StepUnpauseWorkers, "Unpause the MachineSets and MachineDeployments"},
	{StepFinish, "Take the brakes off"},
}

// judge gives each step its verdict: by what its controllers would do, and by every check that stands before it.
func (v *verifier) judge(out *Verification) {
	rank := map[StepID]int{}
	for i, id := range Steps() {
		rank[id] = i
	}
	var before *VerifiedStep
	for _, u := range unpauses {
		step := VerifiedStep{ID: u.id, Title: u.title, Verdict: Safe}
		step.Objects, step.Paused = v.count(u.id)
		predictions := v.predictionsFor(u.id, out.Predictions)
		// A cluster may have no workers. That none were seen is another matter, and a prediction says so.
		if step.Objects == 0 && (u.id == StepUnpauseFirst || u.id == StepUnpauseWorkers) && !v.hasWorkers() &&
			!slices.ContainsFunc(predictions, func(p Prediction) bool { return !p.Outcome.Safe() }) {
			continue
		}
		step.Done = step.Objects > 0 && step.Paused == 0
		if u.id == StepUnpauseFirst {
			step.Done = step.Objects > 0 && step.Paused < step.Objects
		}
		say := func(verdict Verdict, why string) {
			if verdict == Unsafe || step.Verdict == Safe {
				step.Verdict = verdict
			}
			step.Why = append(step.Why, why)
		}
		if step.Objects == 0 {
			say(Unknown, "nothing of it was seen")
		}
		for _, p := range predictions {
			switch {
			case p.Outcome.Safe():
			case p.Outcome == CannotTell:
				say(Unknown, predictionText(p))
			default:
				say(Unsafe, predictionText(p))
			}
		}
		reach := rank[u.id]
		if u.id == StepUnpauseCluster && !step.Done {
			reach = max(reach, v.reach(rank))
		}
		for _, c := range out.Checks {
			if rank[c.Step] > reach {
				continue
			}
			switch c.State {
			case CheckFailed:
				say(Unsafe, checkText(c))
			case CheckUnknown:
				say(Unknown, checkText(c))
			case CheckOK, CheckNote:
			}
		}
		// What comes after a step is no safer than it: the predictions assume that the steps before did what they should.
		if before != nil && worse(before.Verdict, step.Verdict) {
			step.Verdict = before.Verdict
			step.Why = append(step.Why, fmt.Sprintf("%q comes first, and is %s", before.Title, before.Verdict))
		}
		if before == nil || worse(step.Verdict, before.Verdict) {
			first := step
			before = &first
		}
		if out.Next == "" && !step.Done {
			out.Next = step.ID
		}
		out.Steps = append(out.Steps, step)
	}
	for _, s := range out.Steps {
		switch s.Verdict {
		case Safe:
			out.Summary.Safe++
		case Unsafe:
			out.Summary.Unsafe++
		case Unknown:
			out.Summary.Unknown++
			out.Summary.Incomplete = true
		}
		if s.Done {
			out.Summary.Done++
		}
	}
}

// worse is true for a verdict that is further from safe than another.
func worse(a, b Verdict) bool {
	order := []Verdict{Safe, Unknown, Unsafe}
	return slices.Index(order, a) > slices.Index(order, b)
}

// predictionsFor are those of what a step lets act. Once the Cluster is not paused, every object acts that has no annotation
// of its own: after somebody went back by pausing the Cluster alone, that is more than the step's own two.
func (v *verifier) predictionsFor(step StepID, all []Prediction) []Prediction {
	var out []Prediction
	for _, p := range all {
		switch {
		case p.Step == step:
		case step == StepUnpauseFirst && p.Step == StepUnpauseMachines && v.isWorker(p.Object):
		case step == StepUnpauseCluster && p.Step != StepFinish && v.released(p.Object):
		default:
			continue
		}
		out = append(out, p)
	}
	return out
}

// reach is the rank of the last step of which something is released already: unpausing the Cluster takes all of these steps at once.
func (v *verifier) reach(rank map[StepID]int) int {
	last := 0
	for _, m := range v.machines {
		if pm := v.infra[m.Name]; isPlanned(&m.Meta) && (!m.Paused || pm != nil && !pm.Paused) {
			last = max(last, rank[StepUnpauseMachines])
		}
	}
	for _, g := range v.groups {
		switch {
		case g.Paused:
		case g.Kind == "KubeadmControlPlane":
			last = max(last, rank[StepUnpauseControlPlane])
		default:
			last = max(last, rank[StepUnpauseWorkers])
		}
	}
	return last
}

// released is true for an object that nothing but the Cluster's pause holds.
func (v *verifier) released(ref inventory.Ref) bool {
	o := v.existing.all[objectID{ref.Kind, ref.Namespace, ref.Name}]
	return o != nil && !annotated(o, clusterv1.PausedAnnotation)
}

func (v *verifier) isWorker(o inventory.Ref) bool {
	plane, known := v.plane[o.Name]
	return known && !plane
}

func predictionText(p Prediction) string {
	text := fmt.Sprintf("%s/%s: %s", strings.ToLower(p.Object.Kind), p.Object.Name, p.Outcome)
	if len(p.Why) > 0 {
		text += ": " + p.Why[0]
	}
	return text
}

func checkText(c Check) string { return c.Subject.ID + ": " + c.Detail }

// brakes are the annotations of a Machine that hold it in one place until the last step.
var brakes = []string{HookPreDrain, HookPreTerminate, clusterv1.MachineSkipRemediationAnnotation}

// braked is true for a Machine that has one of the brakes that the last step takes off.
func braked(m *inventory.Meta) bool {
	for _, brake := range brakes {
		if _, on := m.Annotations[brake]; on {
			return true
		}
	}
	return false
}

// count says how many objects a step unpauses, and how many of them are still paused.
func (v *verifier) count(id StepID) (objects, paused int) {
	add := func(p bool) {
		objects++
		if p {
			paused++
		}
	}
	switch id {
	case StepUnpauseCluster:
		if d := v.cluster.Declared; d != nil {
			add(d.Paused)
			if d.Infrastructure != nil {
				add(d.Infrastructure.Paused)
			}
		}
	case StepUnpauseFirst, StepUnpauseMachines:
		for _, m := range v.machines {
			if id == StepUnpauseFirst && m.ControlPlane || !isPlanned(&m.Meta) {
				continue
			}
			pm := v.infra[m.Name]
			// KCP compares the KubeadmConfig, whose controller does nothing until it is let go.
			config := v.existing.all[objectID{"KubeadmConfig", v.namespace, m.Name}]
			add(m.Paused || pm != nil && pm.Paused || m.ControlPlane && config != nil && annotated(config, clusterv1.PausedAnnotation))
		}
	case StepUnpauseControlPlane, StepUnpauseWorkers:
		for _, g := range v.groups {
			if (g.Kind == "KubeadmControlPlane") == (id == StepUnpauseControlPlane) {
				add(g.Paused)
			}
		}
	case StepFinish:
		for _, m := range v.machines {
			if isPlanned(&m.Meta) {
				add(braked(&m.Meta))
			}
		}
		if o := v.existing.all[objectID{"Cluster", v.namespace, v.name}]; o != nil {
			add(annotated(o, BlockMove))
		}
	case StepPatchNodes, StepSecrets, StepApplyCluster, StepApplyInfra, StepApplyMachines, StepApplyOwners:
	}
	return objects, paused
}
