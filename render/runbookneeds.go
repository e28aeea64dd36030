package render

import (
	"strings"

	"github.com/proxaudit/proxaudit/adopt"
	"github.com/proxaudit/proxaudit/inventory/shell"
)

// needSections say where the commands run, with what, and what else has to be so.
func needSections(p *adopt.Plan) []Section {
	management, workload := p.Contexts()
	contexts := workload + " (this cluster)"
	if management != "" {
		contexts = management + " (the management cluster) and " + contexts
	} else {
		contexts += "; the current context has to be the management cluster's"
	}
	clusterctl := "clusterctl"
	if v := p.Versions.CAPI; v != "" {
		clusterctl += " (" + v + ", as Cluster API here)"
	}
	need := Section{Title: "What you need", Blocks: []Block{
		notes("A shell (sh or bash) in the folder of this file: the commands name the files beside it.",
			"Never apply the folder as a whole: each file has its step. What lies in a folder below is for another cluster (workload), or optional (rbac).",
			"The programs kubectl (1.23 or newer), "+clusterctl+", proxaudit and openssl, and ssh with scp as root to a control-plane node. etcdctl runs in the Pod of etcd.",
			capmoxToken(p),
			"Time for all of it in one day. If it takes longer, add --task-window=72h to each proxaudit verify, so that it reads Proxmox's tasks back to the beginning: the hours since step 2, and 720h at most."),
	}}
	need.Blocks = append(need.Blocks, environmentBlocks(p)...)
	need.Blocks = append(need.Blocks,
		notes("kubectl with leave to write in these contexts: "+contexts+". The commands name the kubeconfigs and contexts through which proxaudit read; if its account may only read, these commands name what it may not: "+
			"put the kubeconfig and context of an account that may write in their place, in this file and in "+adopt.GivingUpFile+"."),
		Label{"That you may do all of it, if these print nothing but \"that was all\":"}, Code{Lines: p.MayWrite()})
	return []Section{need, {Title: "Before anything", Blocks: []Block{
		notes("Take a backup of each VM of the cluster in Proxmox, of the control planes at least. Nothing here writes to them; a backup is for what nobody has thought of. "+etcdBackup(p),
			"Until the last step is done, stop what else changes this cluster or its objects: what applies from Git (Flux, Argo CD) onto the namespace "+p.Namespace+", a cluster-autoscaler, the scripts that add, replace or remove nodes, "+
				"MachineHealthChecks, upgrades with kubeadm, and changes to the VMs in Proxmox. Backups and migrations of VMs may go on."),
	}}}
}

// capmoxToken says by which right CAPMOX acts meanwhile.
func capmoxToken(p *adopt.Plan) string {
	if p.MakesCredentials() {
		return "An API token for CAPMOX, of its own, with the role PVEAuditor until the last step is done: then no mistake on the way reaches a VM. It gets its real role afterwards."
	}
	return "CAPMOX acts with credentials that it has already, and with all their rights: leave them as they are, for other clusters may live on them. " +
		"A cluster with a token of its own (without --controller-credentials and --credentials-secret) could be adopted with one that only reads."
}

func etcdBackup(p *adopt.Plan) string {
	for i := range p.Steps {
		if s := &p.Steps[i]; s.ID == adopt.StepUnpauseControlPlane && len(s.Before) > 0 {
			return "A snapshot of etcd is taken in the step that unpauses the control plane, which is the first that could touch its members."
		}
	}
	return "Take a snapshot of etcd as well, before the step that unpauses the control plane."
}

// environmentBlocks name what the commands need of the shell's environment.
func environmentBlocks(p *adopt.Plan) []Block {
	e := p.Environment()
	if e == nil {
		return []Block{notes("KUBECONFIG, and the variables that say how proxaudit reaches Proxmox, as they were when the servers were read, where anything of it came from there.")}
	}
	var out []Block
	if len(e.Proxmox) > 0 {
		out = append(out, notes("These variables, as they were in the run that wrote this: proxaudit verify reads Proxmox by them ("+strings.Join(e.Proxmox, ", ")+"; a path in one of them in full)."))
	}
	switch {
	case !p.ByEnvironment():
		return out
	case e.Kubeconfig == "":
		return append(out, notes("No KUBECONFIG in the environment: the run that wrote this had none, and a command that names no kubeconfig means that of your account (~/.kube/config)."))
	}
	return append(out, Label{"In each shell, the kubeconfigs through which proxaudit read:"}, Code{Lines: []string{"export KUBECONFIG=" + shell.Quote(e.Kubeconfig)}})
}
