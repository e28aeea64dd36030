package adopt

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/proxaudit/proxaudit/audit"
	"github.com/proxaudit/proxaudit/inventory"
)

// changing are the tasks that change a guest (the worker types of qemu-server PVE/API2/Qemu.pm). Of a guest that is under
// high availability, starting and stopping are tasks of that (hastart, hastop), and the token's; the host's own task then
// follows under root's name. A backup, a console or a migration is none of them.
var changing = []string{"hastart", "hastop", "qmclone", "qmconfig", "qmcreate", "qmdestroy", "qmmove", "qmreboot", "qmreset", "qmresize", "qmrestore", "qmresume",
	"qmrollback", "qmshutdown", "qmstart", "qmstop", "qmsuspend", "qmtemplate", "resize"}

// Changing is true for a task that changes the guest that it works on.
func Changing(t *inventory.Task) bool { return slices.Contains(changing, t.Type) }

// checkTasks finds changing tasks by CAPMOX on adopted VMs since their objects exist. It is per site: one answer for all VMs.
func (v *verifier) checkTasks() []Check {
	adopted := map[inventory.Key]*inventory.Machine{}
	var sites []string
	for _, m := range v.machines {
		site, vmid, ok := strings.Cut(m.Annotations[AnnotationVM], "/")
		if !isPlanned(&m.Meta) || !ok {
			continue
		}
		if id, err := strconv.Atoi(vmid); err == nil {
			adopted[inventory.Key{Site: site, VMID: id}] = m
		}
		sites = append(sites, site)
	}
	slices.Sort(sites)
	var out []Check
	for _, site := range slices.Compact(sites) {
		out = append(out, v.checkSiteTasks(site, adopted))
	}
	return out
}

// actor tells CAPMOX's tasks from those of others.
type actor struct {
	// said is the token that the operator named, and seen the one in CAPMOX's credentials; empty if not known.
	said, seen string
}

// acted is true for a user that is CAPMOX, and unsure for one that may be: an API token, where nothing but somebody's word says which is
// CAPMOX's. It has a token always, and never a user's password (CAPMOX 0.9.0 cmd/main.go: setupProxmoxClient).
func (a actor) acted(user string) (own, unsure bool) {
	if user != "" && (user == a.said || user == a.seen) {
		return true, false
	}
	return false, a.seen == "" && strings.Contains(user, "!")
}

// suspect is true for a user whose changing task ends a watch: others' are shown only, and where somebody named CAPMOX's token, another's is.
func (a actor) suspect(user string) bool {
	own, unsure := a.acted(user)
	return own || unsure && a.said == ""
}

// clockTolerance is how far the clocks of a Proxmox host and of the management cluster may be apart.
const clockTolerance = 5 * time.Minute

// counts is true for a task that may be a consequence of the bundle's objects.
func counts(t *inventory.Task, since *time.Time) bool {
	return since == nil || !t.Start.Before(since.Add(-clockTolerance))
}

func (v *verifier) checkSiteTasks(site string, adopted map[inventory.Key]*inventory.Machine) Check {
	c := Check{Name: CheckTasks, Subject: audit.SubjectRef{Kind: "site", Site: site, Name: site, ID: "site/" + site}, State: CheckOK, Step: StepUnpauseCluster}
	need := inventory.Need{Source: inventory.SiteSource(site), Scope: inventory.ScopeTasks}
	var own, unsure, others []string
	for i := range v.s.Tasks {
		t := &v.s.Tasks[i]
		m := adopted[inventory.Key{Site: t.Site, VMID: t.VMID}]
		if t.Site != site || m == nil || !Changing(t) || !counts(t, v.since) {
			continue
		}
		text := fmt.Sprintf("%s on VM %s (%s) at %s by %s", t.Type, inventory.Key{Site: t.Site, VMID: t.VMID}, m.Name, t.Start.UTC().Format(time.RFC3339), t.User)
		switch isOwn, maybe := v.actor.acted(t.User); {
		case isOwn:
			own = append(own, text)
		case maybe:
			unsure = append(unsure, text)
		default:
			others = append(others, text)
		}
	}
	switch {
	case len(own) > 0:
		c.State, c.Detail = CheckFailed, strings.Join(own, "; ")
		c.Remedy = "Pause the Cluster at once, and see what CAPMOX logged about that ProxmoxMachine."
	case !v.s.Known(need.Source, need.Scope):
		c.State, c.Missing = CheckUnknown, []inventory.Need{need}
		c.Detail = "the tasks of others were not seen"
		c.Remedy = "Give proxaudit's token Sys.Audit on /nodes (the role PVEAuditor has it)."
	case len(unsure) > 0:
		c.State, c.Detail = CheckUnknown, "whether this was CAPMOX is not known: "+strings.Join(unsure, "; ")
		c.Remedy = "Let the Secret of CAPMOX's credentials be read (--read-secrets): it says which API token is CAPMOX's. What --capmox-token-id says clears no other token."
	case v.since == nil:
		c.State, c.Detail = CheckUnknown, "when the objects were made is not known, and so which tasks count"
		c.Remedy = "Collect anew: the API server says it of each object."
	case v.since.Add(-clockTolerance).Before(v.tasksSince(site)):
		c.State, c.Missing = CheckUnknown, []inventory.Need{need}
		// Without the clock's time, which moves from one look of --watch to the next.
		c.Detail = fmt.Sprintf("the objects were made at %s, and tasks were not read that far back", v.since.UTC().Format(time.RFC3339))
		c.Remedy = "Read further back: --task-window 72h, say."
	default:
		c.Detail = "none by CAPMOX on an adopted VM"
		if a := v.actor; a.said != "" && a.seen != "" && a.said != a.seen {
			c.Detail += fmt.Sprintf(" (its credentials have the token %s, and %s was named: both were looked for)", a.seen, a.said)
		}
		if len(others) > 0 {
			c.Detail += "; by others: " + strings.Join(others, "; ")
		}
	}
	return c
}

// tasksSince is how far back a site's tasks were read.
func (v *verifier) tasksSince(site string) time.Time {
	for i := range v.s.Sites {
		if s := &v.s.Sites[i]; s.Name == site && s.TasksSince != nil {
			return *s.TasksSince
		}
	}
	return v.s.CollectedAt
}
