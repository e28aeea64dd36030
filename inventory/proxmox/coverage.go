package proxmox

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/proxaudit/proxaudit/inventory"
	"github.com/proxaudit/proxaudit/inventory/proxmox/transport"
)

// stateOf is how a failed question counts.
func stateOf(e *transport.Error) inventory.State {
	if e.Kind == transport.Refused {
		return inventory.Refused
	}
	return inventory.Failed
}

// answered is the entry of a single question that was answered.
func answered(scope string) inventory.Coverage {
	return inventory.Coverage{Scope: scope, State: inventory.Complete, Asked: 1, Got: 1}
}

// unanswered is the entry of a single question that was not.
func (c *Collector) unanswered(scope string, e *transport.Error) inventory.Coverage {
	return inventory.Coverage{Scope: scope, State: stateOf(e), Asked: 1, Failed: 1, Reason: e.Error(), Remedy: c.remedy(e)}
}

// misread is the entry of a single question whose answer could not be read.
func misread(scope, path string, err error) inventory.Coverage {
	return inventory.Coverage{Scope: scope, State: inventory.Failed, Asked: 1, Failed: 1,
		Reason: "GET " + path + ": " + err.Error()}
}

// tally collects why things failed, so that 150 guests on a dead node make one reason and not 150.
type tally struct {
	reasons []string
	vmids   map[string][]int
}

func (t *tally) add(vmid int, reason string) {
	if t.vmids == nil {
		t.vmids = map[string][]int{}
	}
	if _, known := t.vmids[reason]; !known {
		t.reasons = append(t.reasons, reason)
	}
	t.vmids[reason] = append(t.vmids[reason], vmid)
}

// maxReasons and maxVMIDs bound one line of a report.
const (
	maxReasons = 3
	maxVMIDs   = 5
)

// String lists the first reasons with the first VMIDs of each, by VMID: the order in which answers came in does not
// show.
func (t *tally) String() string {
	for _, ids := range t.vmids {
		slices.Sort(ids)
	}
	slices.SortFunc(t.reasons, func(a, b string) int { return t.vmids[a][0] - t.vmids[b][0] })
	var parts []string
	for i, reason := range t.reasons {
		if i == maxReasons {
			parts = append(parts, fmt.Sprintf("and %d other reasons", len(t.reasons)-i))
			break
		}
		parts = append(parts, fmt.Sprintf("%s: %s", numbers(t.vmids[reason]), reason))
	}
	return strings.Join(parts, "; ")
}

func numbers(vmids []int) string {
	var b strings.Builder
	for i, n := range vmids {
		if i == maxVMIDs {
			fmt.Fprintf(&b, " and %d more", len(vmids)-i)
			break
		}
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(strconv.Itoa(n))
	}
	return b.String()
}
