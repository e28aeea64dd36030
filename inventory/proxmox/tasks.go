package proxmox

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/proxaudit/proxaudit/inventory"
	"github.com/proxaudit/proxaudit/inventory/proxmox/normalize"
	"github.com/proxaudit/proxaudit/inventory/proxmox/transport"
)

const (
	// TaskWindow is how far back tasks are read, by their start, if nobody says otherwise.
	TaskWindow = 24 * time.Hour
	// taskPage is the rows asked for at a time; the allowlist of transport knows the number. Proxmox reads its whole index
	// for each page (pve-manager PVE/API2/Tasks.pm), so that small pages cost it more.
	taskPage = 500
	// maxTaskPages bounds what one host can make the run read.
	maxTaskPages = 20
)

// tasks reads from every host that is not offline the tasks that began within Config.TaskWindow of the run's clock, running ones
// included. Proxmox leaves out the tasks of others where the token lacks Sys.Audit on the host, and reports no error, so
// that the permissions decide as much as the answers do. A task that began before and still runs is not seen.
func (l *listing) tasks(ctx context.Context) {
	hosts := make([]*hostTasks, 0, len(l.site.Nodes))
	var wg sync.WaitGroup
	var gone atomic.Pointer[transport.Error]
	for _, node := range l.site.Nodes {
		h := &hostTasks{l: l, node: node.Name, seen: map[string]int{}}
		hosts = append(hosts, h)
		if node.Status == inventory.NodeOffline {
			h.fail("offline", "start it, or if it is gone for good: pvecm delnode "+node.Name)
			continue
		}
		wg.Go(func() { h.read(ctx, &gone) })
	}
	wg.Wait()
	for _, h := range hosts {
		l.snapshot.Tasks = append(l.snapshot.Tasks, h.tasks...)
	}
	since := l.c.cfg.tasksSince().UTC().Truncate(time.Second)
	l.site.TasksSince = &since
	l.coverTasks(hosts)
}

func (c *Config) asksTasks() bool { return c.Adoption || c.Tasks }

func (c *Config) tasksSince() time.Time { return c.Now.Add(-cmp.Or(c.TaskWindow, TaskWindow)) }

// hostTasks is one host's task list in the making.
type hostTasks struct {
	l    *listing
	node string

	tasks []inventory.Task
	// seen is where in tasks a UPID stands: lists that grow between two pages repeat rows.
	seen map[string]int
	// came is true if some of the list came, whole if all of what the token may see did; refused if the answer was a no.
	came, whole, refused bool
	// reasons say what is missing, remedies what to do about it.
	reasons, remedies []string
}

func (h *hostTasks) read(ctx context.Context, gone *atomic.Pointer[transport.Error]) {
	if e := gone.Load(); e != nil {
		h.refused = e.Kind == transport.Refused
		h.fail("not asked, after "+e.Error(), h.l.c.remedy(e))
		return
	}
	e := h.pages(ctx)
	if e == nil && h.came {
		e = h.visible(ctx)
	}
	if e != nil && endsSite(e) {
		gone.CompareAndSwap(nil, e)
	}
}

// pages reads the list until it ends, and notes what is missing.
func (h *hostTasks) pages(ctx context.Context) *transport.Error {
	c := h.l.c
	since := max(1, c.cfg.tasksSince().Unix())
	var bad []string
	start, total := 0, -1
	for page := 0; ; page++ {
		if page == maxTaskPages {
			h.fail(fmt.Sprintf("more than %d tasks since %s: the older ones were not read", start, clock(since)), "")
			return nil
		}
		path := fmt.Sprintf("/nodes/%s/tasks?limit=%d&since=%d&source=all", h.node, taskPage, since)
		if start > 0 {
			path += fmt.Sprintf("&start=%d", start)
		}
		data, beside, e := c.page(ctx, path)
		if e != nil {
			h.refused = e.Kind == transport.Refused
			h.fail(partly(start)+e.Short(), c.remedy(e))
			return e
		}
		tasks, rows, wrong, err := normalize.Tasks(data)
		if err != nil {
			e = &transport.Error{Kind: transport.Malformed, Method: "GET", Path: path, Reason: err.Error()}
			h.fail(partly(start)+e.Short(), c.remedy(e))
			return e
		}
		h.came = true
		h.add(tasks)
		bad = append(bad, wrong...)
		start += rows
		total = normalize.Total(beside)
		if total >= 0 && start >= total || total < 0 && rows < taskPage || rows == 0 {
			break
		}
	}
	switch {
	case len(bad) > 0:
		h.fail(fmt.Sprintf("%d of %d rows could not be read: %s", len(bad), start, firstFew(bad)), "")
	case start < total:
		h.fail(fmt.Sprintf("the list ended after %d of %d tasks", start, total), "")
	default:
		h.whole = true
	}
	return nil
}

// partly says how far a list was read before it broke off.
func partly(rows int) string {
	if rows == 0 {
		return ""
	}
	return fmt.Sprintf("broken off after %d tasks: ", rows)
}

func clock(unix int64) string { return time.Unix(unix, 0).UTC().Format(time.RFC3339) }

func (h *hostTasks) fail(reason, remedy string) {
	h.reasons = append(h.reasons, reason)
	if remedy != "" {
		h.remedies = append(h.remedies, remedy)
	}
}

// add takes each task once. A task that ended between two pages is taken as the later of the two saw it, whichever came
// first.
func (h *hostTasks) add(tasks []inventory.Task) {
	for _, t := range tasks {
		t.Site = h.l.site.Name
		i, again := h.seen[t.UPID]
		switch {
		case !again:
			h.seen[t.UPID] = len(h.tasks)
			h.tasks = append(h.tasks, t)
		case later(&t, &h.tasks[i]):
			h.tasks[i] = t
		}
	}
}

func later(a, b *inventory.Task) bool {
	if a.End == nil || b.End == nil {
		return b.End == nil && (a.End != nil || a.Status > b.Status)
	}
	return cmp.Or(a.End.Compare(*b.End), strings.Compare(a.Status, b.Status)) > 0
}

// visible finds out whether the list held the tasks of others too, by the permissions on the host's own path. Their dump
// does not tell: a role NoAccess on the host is left out of it, and a role on /nodes that is not passed on hides that one
// on / is.
func (h *hostTasks) visible(ctx context.Context) *transport.Error {
	c := h.l.c
	data, e := c.get(ctx, pathPermissions+"?path=/nodes/"+h.node)
	if e != nil {
		h.fail(unsure+e.Short(), c.remedy(e))
		return e
	}
	switch may := normalize.MayAuditNode(data, h.node); {
	case may == nil:
		h.fail(unsure+"the answer about the permissions there does not tell", "")
	case !*may:
		path := "/nodes"
		if _, others := h.l.perms.OnNodes(normalize.PrivSysAudit); others {
			path += "/" + h.node
		}
		h.fail("without Sys.Audit on the host (/nodes/NAME) Proxmox shows the token's own tasks only", c.grant(path, "PVEAuditor"))
	}
	return nil
}

const unsure = "whether the tasks of others were shown is not known: "
