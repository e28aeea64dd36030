package render

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/proxaudit/proxaudit/adopt"
)

// Runbook is RUNBOOK.md: what is adopted, what it takes, the steps with what to type, what is left for later, and how to give up.
// The error is one of the format.
func Runbook(p *adopt.Plan) ([]byte, error) {
	d := Document{}
	d.Sections = append(d.Sections, introSection(p))
	d.Sections = append(d.Sections, needSections(p)...)
	if len(p.Warnings) > 0 {
		d.Sections = append(d.Sections, Section{Title: "Know before you start", Blocks: []Block{findingsTable(p.Warnings)}})
	}
	if len(p.ControlPlaneFiles()) > 0 {
		d.Sections = append(d.Sections, filesSection(p))
	}
	d.Sections = append(d.Sections, Section{Title: "Machines", Blocks: []Block{machinesTable(p)}})
	if len(p.Groups) > 0 {
		d.Sections = append(d.Sections, Section{Title: "MachineDeployments", Blocks: []Block{groupsTable(p)}})
	}
	d.Sections = append(d.Sections, Section{Title: "Secrets", Blocks: []Block{secretsTable(p)}})
	d.Sections = append(d.Sections, stepSections(p)...)
	d.Sections = append(d.Sections, afterSection(p), givingUpSection(p))
	var b bytes.Buffer
	b.WriteString("# Adoption of cluster " + markdownText(p.Cluster) + "\n")
	if err := renderMarkdown(&b, d, Options{}); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// notes are sentences, one a line.
func notes(texts ...string) Notes {
	out := Notes{}
	for _, text := range texts {
		out.Items = append(out.Items, Note{Text: text})
	}
	return out
}

// neverDelete is a sentence that is needed at the beginning and at the end.
const neverDelete = "Never delete a ProxmoxMachine of an adopted machine (kubectl delete proxmoxmachine): CAPMOX stops and destroys its VM at once, for the delete hooks are the Machine's and do not hold it."

func introSection(p *adopt.Plan) Section {
	all := []string{
		"Every step says what it does, how to see that it worked, and how to go back. Do them in this order, and read the output of each block before you type the next.",
		"Until the step that unpauses the Cluster, nothing reaches Proxmox or the cluster's Nodes but the providerIDs of step 0.",
		"A Machine that is Running is no proof: with the wrong VM, a stopped VM or a new authority everything shows green as well. proxaudit verify compares.",
		neverDelete,
		"Whatever happens: pausing the Cluster stops every controller. Until the last step, applying the files again puts the brakes back; after it never apply them again: they have the numbers of machines, and the VMIDs, of today.",
	}
	if p.Recorded() {
		all = append(all, "This was made of a recorded snapshot, and nobody was asked: what changed since it was seen is not in it. The paths of kubeconfigs are those of the machine where it was recorded.")
	}
	switch a := p.Applied(); {
	case a.Finished:
		all = append(all, "STOP: the management cluster has this adoption already, and its last step is done. Apply nothing of this folder.")
	case a.Objects > 0:
		all = append(all, fmt.Sprintf("The management cluster has %d of these %d manifests already, of an earlier run. proxaudit verify, as in step 5, says which step is next: go on there. "+
			"Applying the files again puts on the pauses and brakes of all that has been unpaused since.", a.Objects, a.All))
	}
	return Section{Blocks: []Block{planFacts(p), notes(all...)}}
}

// afterSection is what stays to be done when nothing is paused any more.
func afterSection(p *adopt.Plan) Section {
	first, then := p.Renewal()
	return Section{Title: "Afterwards", Blocks: []Block{
		notes(afterToken(p),
			neverDelete,
			"Never apply the files of this folder again.",
			"No controller renews the kubeconfig in the Secret "+p.Name+"-kubeconfig. Its certificate is the one of admin.conf, which kubeadm makes for a year. When it has ended, no controller reaches the cluster any more: "+
				"they know no Node's state, and nothing can be scaled, upgraded or repaired until a new one is there. Do this before, from the folder of this file:"),
		Code{Lines: chained(first)},
		Label{"And if the address behind \"server:\" is one that the Pods of the management cluster reach (else change it in the copy first):"},
		Code{Lines: chained(then)},
		notes("If you applied " + adopt.SecretsRoleFile + ": proxaudit verify needs it no longer. It is taken away by:"),
		Code{Lines: []string{p.SecretsRoleCommands("delete", "--ignore-not-found")}},
		notes(afterSnapshot(p)...),
	}}
}

func afterToken(p *adopt.Plan) string {
	if p.MakesCredentials() {
		return "CAPMOX's token needs its real role now, the one that CAPMOX's documentation tells: without it no machine can be made. With it a mistake reaches a VM."
	}
	return "CAPMOX has the rights of the credentials that it had before: a mistake reaches a VM."
}

// afterSnapshot is about the snapshot of etcd, if a step took one.
func afterSnapshot(p *adopt.Plan) []string {
	for i := range p.Steps {
		if s := &p.Steps[i]; s.ID == adopt.StepUnpauseControlPlane && len(s.Before) > 0 {
			return []string{fmt.Sprintf("The snapshot of etcd that step %d kept has every Secret in it: delete it when you need it no more.", s.Number)}
		}
	}
	return nil
}

func givingUpSection(p *adopt.Plan) Section {
	out := Section{Title: "Giving up", Blocks: []Block{
		notes("Takes out of the management cluster again what the steps put there, Secrets included, and leaves the VMs and the cluster alone. The order matters: pause first, and take finalizers off before anything is unpaused, or CAPMOX stops and destroys the VMs.",
			"Run the file and do not type what is in it: it stops at the first command that fails, and what comes after a failed pause would destroy VMs. It can be repeated, and takes more than a minute.",
			"The Nodes keep their providerID, and a few annotations and labels of Cluster API; both do nothing by themselves."),
		Code{Lines: []string{"bash " + adopt.GivingUpFile}},
		Label{"It has worked if it says \"done\", and after some seconds these print nothing:"}, Code{Lines: p.GivenUp()},
		Label{"Then what is left of it here, and proxaudit's leave to read CAPMOX's own credentials:"},
		Code{Lines: append(p.CleanUp(), p.SecretsRoleCommands("delete", "--ignore-not-found"))}}}
	if line := p.DeleteNamespace(); line != "" {
		out.Blocks = append(out.Blocks, Label{"And only if the namespace was made for this alone, and not before:"}, Code{Lines: []string{line}})
	}
	return out
}

// filesSection shows where the files go that no API shows.
func filesSection(p *adopt.Plan) Section {
	lines := []string{"files:"}
	for _, f := range p.ControlPlaneFiles() {
		lines = append(lines, "- path: "+quotedYAML(f), "  owner: root:root", `  permissions: "0600"`, "  content: |", "    # what cat shows of it on a control-plane node")
	}
	return Section{Title: "Files of the control planes", Blocks: []Block{
		notes("The adopted control planes have these files, and one that is made later lacks them. To give them to it, take each from a control-plane node. First see that they are the same on all of them:"),
		Code{Lines: p.CompareFiles()},
		notes("One that differs has something of its own node in it: write it as a new node needs it, and not as one of these has it. What stands here changes no file of a machine that runs.",
			"Then put this into 04-owners.yaml, below spec.kubeadmConfigSpec of the KubeadmControlPlane, and into 03-machines.yaml, below spec of each KubeadmConfig: the same bytes each time, for any difference is a rollout.",
			"Do it before the steps that apply these files. For a file that holds secrets use contentFrom with a Secret in the place of content.",
			"A later proxaudit adopt knows nothing of it, and writes the files without: put it in again before you apply any of them."),
		Code{Language: "yaml", Lines: lines}}}
}

// quotedYAML is a path as YAML takes it, whatever is in it.
func quotedYAML(path string) string {
	if strings.Trim(path, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-") == "" && path != "" {
		return path
	}
	return "'" + strings.ReplaceAll(path, "'", "''") + "'"
}
