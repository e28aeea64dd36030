package adopt

import "fmt"

var ruleInaccurateTemplate = Rule{
	ID:    "PXA250",
	Title: "Later machines would differ from the adopted ones",
	Why: "A clone's disk cannot be made smaller than its template's, and memory goes in steps of 8 MiB. Sockets, cores, memory and network devices come " +
		"from the adopted machines; CPU type, BIOS, agent and everything else from the template.",
	Remedy: "Choose a template that fits (--template VMID), or accept it.",
	check: func(r *Rule, p *planner) []Finding {
		t := p.future.template
		if t == nil || t.Config == nil {
			return nil
		}
		var out []Finding
		say := func(what, text string) { out = append(out, r.of(vmRef(t), what+": "+text)) }
		for _, like := range p.likenesses() {
			s := shapeOf(like.member.vm)
			if slot, _ := p.futureDisk(s); slot == "" {
				if d := t.Config.BootDrive(); d == nil || d.SizeBytes == nil {
					say(like.name, "the size of the template's boot disk is not known, so that the manifests leave a clone's as it is")
				} else if *d.SizeBytes > s.diskGiB<<30 {
					say(like.name, fmt.Sprintf("the template's boot disk has %d GiB, and theirs %d", *d.SizeBytes>>30, s.diskGiB))
				}
			}
			if s.memoryMiB%8 != 0 {
				say(like.name, fmt.Sprintf("their %d MiB of memory are rounded up", s.memoryMiB))
			}
		}
		return out
	},
}

// likeness is a machine after which others will be made.
type likeness struct {
	name   string
	member *member
}

func (p *planner) likenesses() []likeness {
	var out []likeness
	for _, m := range p.controlPlanes() {
		if m.whole() {
			out = append(out, likeness{p.controlPlaneName(), m})
			break
		}
	}
	for _, g := range p.groups {
		out = append(out, likeness{g.name, g.members[0]})
	}
	return out
}
