package render

import (
	"bytes"
	"strings"

	"github.com/proxaudit/proxaudit/adopt"
)

// Runbook is RUNBOOK.md: what is adopted, what it takes, the steps with what to type, and how to give up. The error is one of
// the format.
func Runbook(p *adopt.Plan) ([]byte, error) {
	d := Document{}
	d.Sections = append(d.Sections, Section{Blocks: []Block{planFacts(p), Notes{Items: []Note{
		{Text: "Every step says what it does, how to see that it worked, and how to go back. Do them in this order, and read the output of each block before you type the next."},
		{Text: "Until the step that unpauses the Cluster, nothing reaches Proxmox or the cluster's Nodes but the providerIDs of step 0."},
		{Text: "A Machine that is Running is no proof: with the wrong VM, a stopped VM or a new authority everything shows green as well. proxaudit verify compares."},
		{Text: "Whatever happens: pausing the Cluster stops every controller. Until the last step, applying the files again puts the brakes back; after it never apply them again: they have the numbers of machines, and the VMIDs, of today."},
	}}}}, beforeSection(p))
	if len(p.Warnings) > 0 {
		d.Sections = append(d.Sections, Section{Title: "Know before you start", Blocks: []Block{findingsTable(p.Warnings)}})
	}
	if files := p.ControlPlaneFiles(); len(files) > 0 {
		d.Sections = append(d.Sections, filesSection(files))
	}
	d.Sections = append(d.Sections, Section{Title: "Machines", Blocks: []Block{machinesTable(p)}}, Section{Title: "Secrets", Blocks: []Block{secretsTable(p)}})
	d.Sections = append(d.Sections, stepSections(p)...)
	d.Sections = append(d.Sections, Section{Title: "Giving up", Blocks: []Block{
		Notes{Items: []Note{
			{Text: "Takes out of the management cluster again what the steps put there, Secrets included, and leaves the VMs and the cluster alone. The order matters: pause first, and take finalizers off before anything is unpaused, or CAPMOX stops and destroys the VMs."},
			{Text: "Run the file and do not type what is in it: it stops at the first command that fails, and what comes after a failed pause would destroy VMs. It can be repeated."},
			{Text: "The Nodes keep their providerID, and a few annotations and labels of Cluster API; both do nothing by themselves."},
			{Text: "The namespace " + p.Namespace + " stays. If it was made for this alone, delete it afterwards, and not before: kubectl delete namespace " + p.Namespace + "."},
		}},
		Code{Lines: []string{"bash " + adopt.GivingUpFile}}}})
	var b bytes.Buffer
	b.WriteString("# Adoption of cluster " + markdownText(p.Cluster) + "\n")
	if err := renderMarkdown(&b, d, Options{}); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// beforeSection says where the commands run, and with what.
func beforeSection(p *adopt.Plan) Section {
	management, workload := p.Contexts()
	contexts := workload + " (this cluster)"
	if management != "" {
		contexts = management + " (the management cluster) and " + contexts
	} else {
		contexts += "; the current context has to be the management cluster's"
	}
	return Section{Title: "What you need", Blocks: []Block{Notes{Items: []Note{
		{Text: "A shell (sh or bash) in the folder of this file: the commands name the files beside it."},
		{Text: "Never apply the folder as a whole: each file has its step. What lies in a folder below is for another cluster (workload), or optional (rbac)."},
		{Text: "The programs kubectl, clusterctl, proxaudit and openssl, and ssh with scp as root to a control-plane node. etcdctl runs in the Pod of etcd."},
		{Text: "kubectl with leave to write in these contexts: " + contexts + ". The commands name the kubeconfigs and contexts through which proxaudit read; if its account may only read, the commands below say no: put those of an account that may write in their place, in this file and in " + adopt.GivingUpFile + "."},
		{Text: "Time for all of it in one day. If it takes longer, add --task-window=72h (or more) to each proxaudit verify, so that it reads Proxmox's tasks back to the beginning."},
		{Text: "If proxaudit runs as an account of its own, leave for it to read the Secrets of step 1, once the namespace is there: kubectl apply -f " + adopt.SecretsRoleFile + ", with your group or account in it."},
	}}, Code{Lines: p.MayWrite()}}}
}

// filesSection shows where the files go that no API shows.
func filesSection(files []string) Section {
	lines := []string{"files:"}
	for _, f := range files {
		lines = append(lines, "- path: "+quotedYAML(f), "  owner: root:root", `  permissions: "0600"`, "  content: |", "    # what cat shows of it on a control-plane node")
	}
	return Section{Title: "Files of the control planes", Blocks: []Block{
		Notes{Items: []Note{
			{Text: "The adopted control planes have these files, and one that is made later lacks them. To give them to it, put this into 04-owners.yaml, below spec.kubeadmConfigSpec of the KubeadmControlPlane, and into 03-machines.yaml, below spec of each KubeadmConfig: the same bytes each time, for any difference is a rollout."},
			{Text: "Do it before the steps that apply these files. For a file that holds secrets use contentFrom with a Secret in the place of content."},
		}},
		Code{Language: "yaml", Lines: lines}}}
}

// quotedYAML is a path as YAML takes it, whatever is in it.
func quotedYAML(path string) string {
	if strings.Trim(path, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-") == "" && path != "" {
		return path
	}
	return "'" + strings.ReplaceAll(path, "'", "''") + "'"
}
