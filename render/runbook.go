package render

import (
	"bytes"

	"github.com/proxaudit/proxaudit/adopt"
)

// Runbook is RUNBOOK.md: what is adopted, the steps with what to type, and how to give up. The error is one of the format.
func Runbook(p *adopt.Plan) ([]byte, error) {
	d := Document{}
	d.Sections = append(d.Sections, Section{Blocks: []Block{planFacts(p), Notes{Items: []Note{
		{Text: "Every step says what it does, how to see that it worked, and how to go back. Do them in this order, and read the output of each check before the next."},
		{Text: "Until the step that unpauses the Cluster, nothing reaches Proxmox or the cluster's Nodes but the providerIDs of step 0."},
		{Text: "A Machine that is Running is no proof: with the wrong VM, a stopped VM or a new authority everything shows green as well. proxaudit verify compares."},
		{Text: "Whatever happens: pausing the Cluster stops every controller, and applying the files again puts the brakes back."},
	}}}})
	if len(p.Warnings) > 0 {
		d.Sections = append(d.Sections, Section{Title: "Know before you start", Blocks: []Block{findingsTable(p.Warnings)}})
	}
	d.Sections = append(d.Sections, Section{Title: "Machines", Blocks: []Block{machinesTable(p)}}, Section{Title: "Secrets", Blocks: []Block{secretsTable(p)}})
	d.Sections = append(d.Sections, stepSections(p)...)
	d.Sections = append(d.Sections, Section{Title: "Giving up", Blocks: []Block{
		Notes{Items: []Note{
			{Text: "Takes everything out of the management cluster again, and leaves the VMs and the cluster alone. The order matters: pause first, and take finalizers off before anything is unpaused, or CAPMOX stops and destroys the VMs."},
			{Text: "The Nodes keep their providerID, and a few annotations and labels of Cluster API; both do nothing by themselves."},
		}},
		Code{Lines: p.GivingUp()}}})
	var b bytes.Buffer
	b.WriteString("# Adoption of cluster " + markdownText(p.Cluster) + "\n\n")
	if err := renderMarkdown(&b, d, Options{}); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}
