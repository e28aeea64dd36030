package adopt

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/proxaudit/proxaudit/inventory"
	"github.com/proxaudit/proxaudit/inventory/shell"
)

// Step is one thing to do, with how to see that it worked and how to go back.
type Step struct {
	ID     StepID `json:"id"`
	Number int    `json:"number"`
	Title  string `json:"title"`
	// Why says what it does and what it leaves alone.
	Why string `json:"why"`
	// File is the step's file in --output-dir; empty if it has none.
	File string `json:"file,omitempty"`
	// Before has to be typed and read before Commands is, and StopIf says what in it means to go no further; empty if nothing does.
	Before []string `json:"before,omitempty"`
	StopIf string   `json:"stopIf,omitempty"`
	// ByHand is what no command does, between Before and Commands.
	ByHand []string `json:"byHand,omitempty"`
	// Beside runs in another terminal, from before Commands to the last step.
	Beside []string `json:"beside,omitempty"`
	// Commands are the step itself. All commands are for a POSIX shell, a line each; some lines are comments.
	Commands []string `json:"commands,omitempty"`
	// Also is not for everybody: AlsoIf says for whom.
	AlsoIf string   `json:"alsoIf,omitempty"`
	Also   []string `json:"also,omitempty"`
	// Check shows whether it is safe to go on, and Expect says what it has to show.
	Check  []string `json:"check,omitempty"`
	Expect string   `json:"expect,omitempty"`
	// After cleans up when the check is as it should be.
	After []string `json:"after,omitempty"`
	// Abort goes back, and AbortNote says what that means; Resume goes on after it.
	Abort     []string `json:"abort,omitempty"`
	AbortNote string   `json:"abortNote,omitempty"`
	// Instead goes back too, where InsteadIf is so.
	InsteadIf string   `json:"insteadIf,omitempty"`
	Instead   []string `json:"instead,omitempty"`
	Resume    []string `json:"resume,omitempty"`
}

// stepFiles are the files of --output-dir that hold manifests.
var stepFiles = map[StepID]string{
	StepApplyCluster: "01-cluster.yaml", StepApplyInfra: "02-infrastructure.yaml", StepApplyMachines: "03-machines.yaml",
	StepApplyOwners: "04-owners.yaml",
}

// StepFile is the file of --output-dir with the manifests of a step; empty if it has none.
func StepFile(id StepID) string { return stepFiles[id] }

// steps is what to do, in order.
func (p *planner) steps(plan *Plan) []Step {
	k := commander{p: p, plan: plan}
	all := []Step{k.patchNodes(), k.createSecrets()}
	all = append(all, k.applies()...)
	all = append(all, k.unpauseCluster())
	if first := k.first(); first != nil {
		all = append(all, k.unpauseFirst(first))
	}
	all = append(all, k.unpauseMachines(), k.unpauseControlPlane())
	if len(p.groups) > 0 {
		all = append(all, k.unpauseWorkers())
	}
	all = append(all, k.finish())
	for i := range all {
		all[i].Number = i
	}
	return all
}

// commander writes command lines for a POSIX shell.
type commander struct {
	p    *planner
	plan *Plan
}

// management is kubectl on the management cluster, workload on the cluster itself.
func (k commander) management(words ...string) string {
	return kubectl(k.p.managementAccess(), words...)
}

func (k commander) workload(words ...string) string {
	return kubectl(k.p.workloadAccess(), words...)
}

func kubectl(access []string, words ...string) string {
	return shell.Line(slices.Concat([]string{"kubectl"}, access, words)...)
}

func (k commander) inNamespace(words ...string) string {
	return k.management(append([]string{"-n", k.p.namespace}, words...)...)
}

func (k commander) verify() string {
	line := "proxaudit verify --cluster " + shell.Quote(k.p.cluster.Key) + " --read-secrets"
	for _, f := range k.p.opt.Flags {
		line += " " + shell.Quote(f)
	}
	return line
}

// pauseAll stops every controller at once.
func (k commander) pauseAll() string {
	return k.inNamespace("patch", resClusters, k.p.name, "--type=merge", "-p", `{"spec":{"paused":true}}`)
}

// resume undoes pauseAll, for who looked at what every controller would do then.
func (k commander) resume() []string {
	return []string{k.verify(), k.unpauseField()}
}

func (k commander) unpauseField() string {
	return k.inNamespace("patch", resClusters, k.p.name, "--type=merge", "-p", `{"spec":{"paused":false}}`)
}

// stop is how to go back from a step that lets controllers act: none of them goes on, and nothing is undone.
func (k commander) stop(s Step) Step {
	s.Abort, s.Resume = []string{k.pauseAll()}, k.resume()
	s.AbortNote = "This stops every controller of the cluster where it is, and undoes nothing. To go on after it, find what was wrong, see that verify says " +
		"safe, unpause the Cluster again, and do this step again: each of its commands can be repeated."
	return s
}

// unpause takes the annotation off objects of one kind.
func (k commander) unpause(resource string, names ...string) string {
	words := append([]string{"annotate", resource}, names...)
	return k.inNamespace(append(words, clusterv1.PausedAnnotation+"-")...)
}

const (
	resMachines        = "machines." + inventory.GroupCluster
	resProxmoxMachines = "proxmoxmachines." + inventory.GroupInfrastructure
	resKubeadmConfigs  = "kubeadmconfigs." + inventory.GroupBootstrap
	resControlPlanes   = "kubeadmcontrolplanes." + inventory.GroupControlPlane
	resMachineSets     = "machinesets." + inventory.GroupCluster
	resDeployments     = "machinedeployments." + inventory.GroupCluster
	resProxmoxClusters = "proxmoxclusters." + inventory.GroupInfrastructure
	resClusters        = "clusters." + inventory.GroupCluster
)

const (
	verified = `verify says "safe: the next step is", with the one that is next here, and ends with exit code 0 (echo $?)`

	untouched = "The VM is looked at and not touched."
)

func (k commander) patchNodes() Step {
	s := Step{ID: StepPatchNodes, Title: "Write the providerID on the Nodes that have none", File: nodesFile(k.p.name),
		Why: "Cluster API finds a Machine's Node by this string alone. The API server takes it once and refuses every change. Nothing restarts."}
	for _, n := range k.plan.NodePatches {
		s.Commands = append(s.Commands, k.workload("patch", "node", n.Node, "--type=merge", "-p", fmt.Sprintf(`{"spec":{"providerID":%q}}`, n.ProviderID)))
	}
	if len(k.plan.NodePatches) == 0 {
		s.File, s.Why = "", "Every Node has a providerID already: there is nothing to do but to look."
	}
	s.Check = []string{k.workload("get", "nodes", "-o", "custom-columns=NAME:.metadata.name,PROVIDERID:.spec.providerID,UUID:.status.nodeInfo.systemUUID")}
	s.Expect = "PROVIDERID is proxmox:// and the UUID of the same line in lower case, for each Node that is adopted"
	s.AbortNote = "There is nothing to take back of a providerID that is right: it does nothing by itself. One that is wrong cannot be changed. " +
		"Put the Node's name in the place of NAME: this keeps what it is, drains it and deletes it. Then restart its kubelet, which registers it anew without one, " +
		"set the labels, annotations and taints again that it had through the API (its role among them; they are in the file), and do this step again. One control plane at a time."
	s.Abort = []string{k.workload("get", "node", "NAME", "-o", "yaml") + " > NAME.yaml", k.workload("drain", "NAME", "--ignore-daemonsets"), k.workload("delete", "node", "NAME")}
	return s
}

// comment makes a name that others chose fit to stand in a comment of one line.
func comment(text string) string {
	quoted := fmt.Sprintf("%q", text)
	if quoted == `"`+text+`"` {
		return text
	}
	return quoted
}

func (k commander) applies() []Step {
	titles := []struct {
		id         StepID
		title, why string
	}{
		{StepApplyCluster, "Apply the Cluster, paused", "It is paused by its field, and everything that belongs to it with it."},
		{StepApplyInfra, "Apply the ProxmoxCluster and the templates, paused", "The templates are for machines to come. The ProxmoxCluster has the addresses that those may take, and none of the adopted machines'."},
		{StepApplyMachines, "Apply the Machines with their ProxmoxMachines, KubeadmConfigs and empty bootstrap Secrets, paused", "They go before what will own them: a MachineSet that is there first clones other machines and then deletes these."},
		{StepApplyOwners, "Apply the control plane, the MachineSets and the MachineDeployments, paused", "They take over what has no owner and matches them, once they are unpaused."},
	}
	var out []Step
	for i, t := range titles {
		s := Step{ID: t.id, Title: t.title, Why: t.why, File: StepFile(t.id), Commands: []string{k.management("apply", "-f", StepFile(t.id))},
			Check: []string{k.management("apply", "-f", StepFile(t.id))}, Expect: "applied a second time, each line ends with \"unchanged\""}
		if i == len(titles)-1 {
			s.Check, s.Expect = append(s.Check, k.verify()), s.Expect+", and "+verified
			// Verify has looked into the Secrets by now.
			s.After = k.removeKeys()
		}
		s.AbortNote = "Mend the file and apply it again. Or give up: " + GivingUpFile + " (of adopt --output-dir) takes out of the management cluster again what is there by now, " +
			"Secrets included, while the Cluster stays paused."
		s.Abort = []string{"bash " + GivingUpFile}
		out = append(out, s)
	}
	return out
}

func (k commander) unpauseCluster() Step {
	return k.stop(Step{ID: StepUnpauseCluster, Title: "Unpause the Cluster and the ProxmoxCluster",
		Why:      "All others keep their annotations. CAPMOX makes the address pool and asks Proxmox for its version; nothing is written there.",
		Commands: []string{k.unpauseField(), k.unpause(resProxmoxClusters, k.p.name)},
		Check:    []string{k.inNamespace("wait", "--for=condition=InfrastructureReady", resClusters+"/"+k.p.name, "--timeout=5m"), k.verify()},
		Expect:   "the condition is met, and " + verified,
		Beside:   []string{k.verify() + " --watch"},
		// CAPMOX has asked Proxmox by now.
		After: k.removeToken()})
}

// first is the machine that goes first: a worker if there is one, of the kind of which there are most, and rather one that
// takes any Pod. The kind of which there are few is what would be missed.
func (k commander) first() *member {
	groups := slices.Clone(k.p.groups)
	slices.SortStableFunc(groups, func(a, b *group) int {
		return cmp.Or(cmp.Compare(min(1, len(a.taints)), min(1, len(b.taints))), cmp.Compare(len(b.members), len(a.members)))
	})
	for _, g := range groups {
		return g.members[0]
	}
	if workers := k.p.workers(); len(workers) > 0 {
		return workers[0]
	}
	return nil
}

func (k commander) unpauseFirst(m *member) Step {
	return k.stop(Step{ID: StepUnpauseFirst, Title: "Unpause one worker", Why: "Whatever is wrong with all of them shows here, on one. " + untouched + " Any worker would do: verify counts all of them for this step, and takes it for done with the first. That the Machine is Running is no proof: verify compares VM, UUID and tasks.",
		Commands: []string{k.unpause(resProxmoxMachines, m.name()), k.unpause(resMachines, m.name())},
		Check: []string{
			k.inNamespace("wait", "--for=jsonpath={.status.nodeRef.name}="+m.node.Name, resMachines+"/"+m.name(), "--timeout=5m"),
			k.verify()},
		Expect: "the condition is met, and " + verified})
}

func (k commander) unpauseMachines() Step {
	var all, controlPlanes []string
	first := k.first()
	for _, m := range k.p.members {
		if m == first {
			continue
		}
		all = append(all, m.name())
		if m.node.ControlPlane {
			controlPlanes = append(controlPlanes, m.name())
		}
	}
	s := Step{ID: StepUnpauseMachines, Title: "Unpause the other Machines",
		Why:      "Every control-plane Machine needs its Node before the next step: the controller takes etcd members without one for left-overs and removes them.",
		Commands: []string{k.unpause(resProxmoxMachines, all...)}}
	if len(controlPlanes) > 0 {
		s.Commands = append(s.Commands, k.unpause(resKubeadmConfigs, controlPlanes...))
	}
	s.Commands = append(s.Commands, k.unpause(resMachines, all...))
	s.Check = []string{k.inNamespace("wait", "--for=jsonpath={.status.phase}=Running", resMachines, "-l", clusterv1.ClusterNameLabel+"="+k.p.name, "--timeout=10m"),
		k.verify()}
	s.Expect = "the condition is met for each Machine, and " + verified
	return k.stop(s)
}

func (k commander) unpauseControlPlane() Step {
	s := Step{ID: StepUnpauseControlPlane, Title: "Unpause the control plane",
		Why: "The controller takes the Machines over, compares each with its own configuration, and looks at etcd through its Pods. It removes members that no Machine stands for, within seconds."}
	members := k.p.controlPlanes()
	if len(members) > 0 && !k.p.kubeadm.externalEtcd {
		k.members(&s, members)
	}
	s.Commands = []string{k.unpause(resControlPlanes, k.p.controlPlaneName())}
	s.Check = []string{k.inNamespace("wait", "--for=condition=Available", resControlPlanes+"/"+k.p.controlPlaneName(), "--timeout=10m"),
		k.inNamespace("get", resControlPlanes, k.p.controlPlaneName(), "-o",
			"custom-columns=DESIRED:.spec.replicas,CURRENT:.status.replicas,READY:.status.readyReplicas,UPTODATE:.status.upToDateReplicas"), k.verify()}
	s.Expect = fmt.Sprintf("the condition is met, DESIRED, CURRENT, READY and UPTODATE are all %d, and %s", len(members), verified)
	return k.stop(s)
}

func (k commander) unpauseWorkers() Step {
	var sets, deployments, taken []string
	for _, g := range k.p.groups {
		sets, deployments = append(sets, g.setName()), append(deployments, g.name)
		// With its number: a MachineSet that has taken over fewer would be filled up by its MachineDeployment.
		taken = append(taken, k.inNamespace("wait", fmt.Sprintf("--for=jsonpath={.status.readyReplicas}=%d", len(g.members)), "--timeout=5m", resMachineSets+"/"+g.setName()))
	}
	return k.stop(Step{ID: StepUnpauseWorkers, Title: "Unpause the MachineSets and MachineDeployments",
		Why:      "Each takes over the Machines that match it, the MachineSets first. A MachineDeployment that finds its MachineSet makes no other.",
		Commands: slices.Concat([]string{k.unpause(resMachineSets, sets...)}, taken, []string{k.unpause(resDeployments, deployments...)}),
		Check:    []string{k.inNamespace(append([]string{"wait", "--for=condition=Available", "--timeout=10m", resDeployments}, deployments...)...), k.verify()},
		Expect:   "the condition is met for each, and " + verified})
}

func (k commander) finish() Step {
	machines := []string{resMachines, "-l", clusterv1.ClusterNameLabel + "=" + k.p.name}
	describe := []string{"clusterctl", "describe", "cluster", k.p.name, "-n", k.p.namespace}
	for _, arg := range k.p.managementAccess() {
		// clusterctl calls it so.
		describe = append(describe, strings.Replace(arg, "--context=", "--kubeconfig-context=", 1))
	}
	return Step{ID: StepFinish, Title: "Take the brakes off",
		Why: "Until here no Machine can be drained, deleted or remediated, and clusterctl move waits. Scaling down, MachineHealthChecks and clusterctl move come after this step, not before. So does the role with which CAPMOX's token may write.",
		Commands: []string{
			k.inNamespace(append(append([]string{"annotate"}, machines...), HookPreDrain+"-", HookPreTerminate+"-", clusterv1.MachineSkipRemediationAnnotation+"-")...),
			k.inNamespace("annotate", resClusters, k.p.name, BlockMove+"-")},
		Check:  []string{shell.Line(describe...), k.verify()},
		Expect: "each object is READY or AVAILABLE, and verify says \"adopted: every step is done\"",
		AbortNote: "This puts the brakes back on, and pauses nothing: the controllers go on with what they do. To stop them as well, pause the Cluster as in the steps " +
			"before. Do this step again when it is time.",
		Abort: []string{
			k.inNamespace(append(append([]string{"annotate", "--overwrite"}, machines...), HookPreDrain+"=", HookPreTerminate+"=", clusterv1.MachineSkipRemediationAnnotation+"=")...),
			k.inNamespace("annotate", "--overwrite", resClusters, k.p.name, BlockMove+"=")}}
}
