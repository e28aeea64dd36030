package adopt

import (
	"fmt"

	"github.com/proxaudit/proxaudit/audit/identity"
)

var ruleIdentity = Rule{
	ID: "PXA213", Blocks: true, Destroys: true,
	Title: "It is not proven which VM the Node is",
	Why: "A manifest that names the wrong VM gives it to the controllers: it is reconfigured, or deleted with the Machine. Names, addresses " +
		"and VMIDs recur; only the SMBIOS UUID on both sides counts here.",
	Remedy: "proxaudit explain shows what ties the two. Scan the site that has the VM, give its UUID back to a VM that lost it, or leave the " +
		"cluster unadopted until the Node is gone.",
	check: func(r *Rule, p *planner) []Finding {
		var out []Finding
		for _, m := range p.members {
			switch {
			case m.whole():
			case m.undecided():
				// Something was not seen, and the plan says what.
			case m.entity == nil || len(m.entity.VMs) == 0:
				out = append(out, r.of(nodeRef(m.node), "no VM of a scanned site is this Node"+classText(m.entity)))
			case len(m.entity.VMs) > 1:
				out = append(out, r.of(nodeRef(m.node), fmt.Sprintf("%d VMs could be this Node", len(m.entity.VMs))))
			case len(m.entity.Nodes) > 1:
				out = append(out, r.of(nodeRef(m.node), fmt.Sprintf("VM %s could be %d Nodes", p.s.VMs[m.entity.VMs[0]].Key(), len(m.entity.Nodes))))
			case m.vm.UUID() == "":
				// PXA203 says so.
			case m.entity.Class == identity.Conflict:
				out = append(out, r.of(vmRef(m.vm), fmt.Sprintf("its identity is in conflict (%s)", m.entity.Reason)))
			default:
				out = append(out, r.of(nodeRef(m.node), fmt.Sprintf("VM %s has the UUID %s, and the Node says %q", m.vm.Key(), m.vm.UUID(), nodeUUID(m))))
			}
		}
		return out
	},
}

func classText(e *identity.Entity) string {
	if e == nil {
		return ""
	}
	return fmt.Sprintf(" (%s)", e.Class)
}

func nodeUUID(m *member) string {
	if m.node.SystemUUID != "" {
		return m.node.SystemUUID
	}
	return m.node.RawSystemUUID
}
