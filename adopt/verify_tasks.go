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

func (v *verifier) checkSiteTasks(site string, adopted map[inventory.Key]*inventory.Machine) Check {
	c := Check{Name: CheckTasks, Subject: audit.SubjectRef{Kind: "site", Site: site, Name: site, ID: "site/" + site}, State: CheckOK, Step: StepUnpauseCluster}
	need := inventory.Need{Source: inventory.SiteSource(site), Scope: inventory.ScopeTasks}
	var own, others []string
	for i := range v.s.Tasks {
		t := &v.s.Tasks[i]
		m := adopted[inventory.Key{Site: t.Site, VMID: t.VMID}]
		if t.Site != site || m == nil || !Changing(t) || v.since != nil && t.Start.Before(*v.since) {
			continue
		}
		text := fmt.Sprintf("%s on VM %s (%s) at %s by %s", t.Type, inventory.Key{Site: t.Site, VMID: t.VMID}, m.Name, t.Start.UTC().Format(time.RFC3339), t.User)
		if v.opt.CAPMOXTokenID != "" && t.User == v.opt.CAPMOXTokenID {
			own = append(own, text)
		} else {
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
	case len(others) > 0 && v.opt.CAPMOXTokenID == "":
		c.State, c.Detail = CheckUnknown, "whether this was CAPMOX is not known: "+strings.Join(others, "; ")
		c.Remedy = "Say which API token CAPMOX uses: --capmox-token-id, or clusters[].adopt.capmoxTokenID."
	case v.since == nil:
		c.State, c.Detail = CheckUnknown, "when the objects were made is not known, and so which tasks count"
		c.Remedy = "Collect anew: the API server says it of each object."
	case v.since.Before(v.tasksSince(site)):
		c.State, c.Missing = CheckUnknown, []inventory.Need{need}
		// Without the clock's time, which moves from one look of --watch to the next.
		c.Detail = fmt.Sprintf("the objects were made at %s, and tasks were not read that far back", v.since.UTC().Format(time.RFC3339))
		c.Remedy = "Read further back: --task-window 72h, say."
	default:
		c.Detail = "none by CAPMOX on an adopted VM"
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
