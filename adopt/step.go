package adopt

import (
	"fmt"
	"path"
	"slices"
	"strings"

	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/proxaudit/proxaudit/adopt/pki"
	"github.com/proxaudit/proxaudit/inventory"
)

// Step is one thing to do, with how to see that it worked and how to go back.
type Step struct {
	ID     StepID `json:"id"`
	Number int    `json:"number"`
	Title  string `json:"title"`
	// Why says what it does and what it leaves alone.
	Why string `json:"why"`
	// File is the step's file in --output-dir; empty if it has none.
	File     string   `json:"file,omitempty"`
	Commands []string `json:"commands,omitempty"`
	// Check says how to see that it is safe to go on.
	Check []string `json:"check,omitempty"`
	// Abort says how to go back.
	Abort []string `json:"abort,omitempty"`
}

// NodesFile is where --output-dir puts the providerIDs of Nodes.
const NodesFile = "00-nodes.yaml"

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
	all := slices.Concat([]string{"kubectl"}, access, words)
	for i := range all {
		all[i] = pki.Quote(all[i])
	}
	return strings.Join(all, " ")
}

func (k commander) inNamespace(words ...string) string {
	return k.management(append([]string{"-n", k.p.namespace}, words...)...)
}

func (k commander) verify() string {
	return "proxaudit verify --cluster " + pki.Quote(k.p.cluster.Key) + " --read-secrets"
}

// pauseAll stops every controller at once.
func (k commander) pauseAll() string {
	return k.inNamespace("patch", "clusters."+inventory.GroupCluster, k.p.name, "--type=merge", "-p", `{"spec":{"paused":true}}`)
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

func (k commander) patchNodes() Step {
	s := Step{ID: StepPatchNodes, Title: "Write the providerID on the Nodes that have none", File: NodesFile,
		Why: "Cluster API finds a Machine's Node by this string alone. The API server takes it once and refuses every change, so that a wrong one means to delete the Node and let it register again. Nothing restarts."}
	for _, n := range k.plan.NodePatches {
		s.Commands = append(s.Commands, k.workload("patch", "node", n.Node, "--type=merge", "-p", fmt.Sprintf(`{"spec":{"providerID":%q}}`, n.ProviderID)))
	}
	if len(k.plan.NodePatches) == 0 {
		s.File, s.Why = "", "Every Node has its providerID already: nothing to do."
	}
	s.Check = []string{k.workload("get", "nodes", "-o", "custom-columns=NAME:.metadata.name,PROVIDERID:.spec.providerID,UUID:.status.nodeInfo.systemUUID")}
	s.Abort = []string{"Nothing to take back: a providerID does nothing by itself."}
	return s
}

func (k commander) createSecrets() Step {
	s := Step{ID: StepSecrets, Title: "Make the namespace, CAPMOX's credentials and the cluster's own Secrets",
		Why: "A Secret that is missing later is invented: the control-plane controller makes a new authority, reports it as available, and the next machine cannot join. They have to be there, and be the right ones, before anything is unpaused."}
	if k.p.namespace != "default" {
		s.Commands = append(s.Commands, k.management("create", "namespace", k.p.namespace))
	}
	if f := k.p.future.secret; f != "" {
		url := siteURL(k.p.s, k.p.site)
		if url == "" {
			url = "https://PROXMOX-HOST:8006"
		}
		s.Commands = append(s.Commands, "# token.txt holds the token's ID (user@realm!name), secret.txt its secret, each without a newline",
			k.inNamespace("create", "secret", "generic", f, "--from-literal=url="+url, "--from-file=token=token.txt", "--from-file=secret=secret.txt"))
	}
	commands, err := pki.Commands(k.p.secretOptions())
	if err != nil {
		// Names that no API server takes are a blocker of their own.
		s.Commands = append(s.Commands, "# "+strings.ReplaceAll(err.Error(), "\n", " "))
	}
	for _, c := range commands {
		s.Commands = append(s.Commands, c.Line)
	}
	s.Check = []string{k.inNamespace("get", "secrets", "-o", "custom-columns=NAME:.metadata.name,TYPE:.type")}
	s.Abort = []string{k.inNamespace(append([]string{"delete", "secret"}, k.secretNames()...)...)}
	return s
}

func (k commander) secretNames() []string {
	var out []string
	for _, s := range k.plan.Secrets {
		out = append(out, s.Name)
	}
	return out
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
			Check: []string{k.management("apply", "-f", StepFile(t.id)) + " # a second time: everything is unchanged"}}
		if i == len(titles)-1 {
			s.Check = append(s.Check, k.verify())
		}
		s.Abort = []string{"See \"Giving up\" below: the Cluster stays paused while the objects are deleted."}
		out = append(out, s)
	}
	return out
}

func (k commander) unpauseCluster() Step {
	return Step{ID: StepUnpauseCluster, Title: "Unpause the Cluster and the ProxmoxCluster",
		Why: "All others keep their annotations. CAPMOX makes the address pool and asks Proxmox for its version; nothing is written there.",
		Commands: []string{
			k.inNamespace("patch", resClusters, k.p.name, "--type=merge", "-p", `{"spec":{"paused":false}}`),
			k.unpause(resProxmoxClusters, k.p.name)},
		Check: []string{k.inNamespace("wait", "--for=condition=InfrastructureReady", resClusters+"/"+k.p.name, "--timeout=5m"), k.verify()},
		Abort: []string{k.pauseAll()}}
}

// first is the machine that goes first: a worker if there is one.
func (k commander) first() *member {
	workers := k.p.workers()
	if len(workers) == 0 {
		return nil
	}
	return workers[0]
}

func (k commander) unpauseFirst(m *member) Step {
	return Step{ID: StepUnpauseFirst, Title: "Unpause one worker", Why: "Whatever is wrong with all of them shows here, on one. The VM is looked at and not touched.",
		Commands: []string{k.unpause(resProxmoxMachines, m.name()), k.unpause(resMachines, m.name())},
		Check: []string{
			k.inNamespace("wait", "--for=jsonpath={.status.nodeRef.name}="+m.node.Name, resMachines+"/"+m.name(), "--timeout=5m"),
			k.verify() + " # a Machine that is Running is no proof: this compares VM, UUID and tasks"},
		Abort: []string{k.pauseAll()}}
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
	s.Abort = []string{k.pauseAll()}
	return s
}

func (k commander) unpauseControlPlane() Step {
	s := Step{ID: StepUnpauseControlPlane, Title: "Unpause the control plane",
		Why: "The controller takes the Machines over, compares each with its own configuration, and looks at etcd through its Pods. It removes members that no Machine stands for: first see that every member of etcd has one."}
	members := k.p.controlPlanes()
	if len(members) > 0 && !k.p.kubeadm.externalEtcd {
		dir := k.p.kubeadm.config.CertificatesDir
		if dir == "" {
			dir = pki.DefaultDir
		}
		var names []string
		for _, m := range members {
			names = append(names, m.node.Name)
		}
		slices.Sort(names)
		s.Commands = append(s.Commands,
			k.workload("-n", "kube-system", "exec", "etcd-"+members[0].node.Name, "--", "etcdctl", "--cacert="+path.Join(dir, "etcd/ca.crt"),
				"--cert="+path.Join(dir, "etcd/peer.crt"), "--key="+path.Join(dir, "etcd/peer.key"), "member", "list"),
			"# go on only if the members are exactly: "+strings.Join(names, ", "))
	}
	s.Commands = append(s.Commands, k.unpause(resControlPlanes, k.p.controlPlaneName()))
	s.Check = []string{k.inNamespace("wait", "--for=condition=Available", resControlPlanes+"/"+k.p.controlPlaneName(), "--timeout=10m"),
		k.inNamespace("get", resControlPlanes, k.p.controlPlaneName()), k.verify()}
	s.Abort = []string{k.pauseAll()}
	return s
}

func (k commander) unpauseWorkers() Step {
	var sets, deployments []string
	for _, g := range k.p.groups {
		sets, deployments = append(sets, g.setName()), append(deployments, g.name)
	}
	return Step{ID: StepUnpauseWorkers, Title: "Unpause the MachineSets, then the MachineDeployments",
		Why: "Each takes over the Machines that match it. A MachineDeployment that finds its MachineSet makes no other.",
		Commands: []string{k.unpause(resMachineSets, sets...),
			k.inNamespace(append([]string{"wait", "--for=jsonpath={.status.readyReplicas}", "--timeout=5m", resMachineSets}, sets...)...),
			k.unpause(resDeployments, deployments...)},
		Check: []string{k.inNamespace(append([]string{"wait", "--for=condition=Available", "--timeout=10m", resDeployments}, deployments...)...), k.verify()},
		Abort: []string{k.pauseAll()}}
}

func (k commander) finish() Step {
	return Step{ID: StepFinish, Title: "Take the brakes off",
		Why: "Until here no Machine can be drained, deleted or remediated, and clusterctl move waits. Scaling down, MachineHealthChecks and clusterctl move come after this step, not before.",
		Commands: []string{
			k.inNamespace("annotate", resMachines, "-l", clusterv1.ClusterNameLabel+"="+k.p.name, HookPreDrain+"-", HookPreTerminate+"-", clusterv1.MachineSkipRemediationAnnotation+"-"),
			k.inNamespace("annotate", resClusters, k.p.name, BlockMove+"-")},
		Check: []string{"clusterctl describe cluster " + pki.Quote(k.p.name) + " -n " + pki.Quote(k.p.namespace), k.verify()},
		Abort: []string{k.management("apply", "-f", StepFile(StepApplyMachines)) + " # puts the brakes back on, and pauses the Machines"}}
}
