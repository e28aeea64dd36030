package adopt

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/proxaudit/proxaudit/inventory"
)

// Watch compares what is seen while somebody unpauses with what was there at first. It is not for use from several goroutines.
type Watch struct {
	seen bool
	// machines, infra and vms are the names of what is there, with what tells one from another of the same name.
	machines, infra map[string]string
	vms             map[inventory.Key]string
	// sites are those that answered before: only of them is a VM that was not there new.
	sites map[string]bool
	tasks map[string]bool
	// last is when the world was looked at before.
	last time.Time
	// said is the last state of each line, so that only changes are told.
	said map[string]string
}

// NewWatch watches one cluster.
func NewWatch() *Watch {
	return &Watch{sites: map[string]bool{}, tasks: map[string]bool{}, said: map[string]string{}}
}

// Event is one thing that changed.
type Event struct {
	// Alarm is true for what must not happen during an adoption: whoever watches has to stop.
	Alarm bool
	Text  string
}

// Next takes what is seen now, and returns what changed since, alarms first. The first call tells the state and alarms of
// nothing but what CAPMOX already did. A source that did not answer is no change: what it shows is compared when it answers
// again.
func (w *Watch) Next(s *inventory.Snapshot, v *Verification) []Event {
	var out []Event
	out = append(out, w.compareObjects(s, v)...)
	out = append(out, w.compareVMs(s, v)...)
	out = append(out, w.newTasks(s, v)...)
	out = append(out, w.progress(s, v)...)
	w.seen, w.last = true, s.CollectedAt
	slices.SortStableFunc(out, func(a, b Event) int {
		switch {
		case a.Alarm == b.Alarm:
			return 0
		case a.Alarm:
			return -1
		default:
			return 1
		}
	})
	return out
}

func (w *Watch) compareObjects(s *inventory.Snapshot, v *Verification) []Event {
	var out []Event
	if s.Known(inventory.ManagementSource, inventory.ScopeMachines) {
		now := map[string]string{}
		for i := range s.Machines {
			if m := &s.Machines[i]; m.Cluster == v.Cluster {
				now[m.Namespace+"/"+m.Name] = m.UID
			}
		}
		out = append(out, w.difference("Machine", w.machines, now)...)
		w.machines = now
	}
	if s.Known(inventory.ManagementSource, inventory.ScopeProxmoxMachines) {
		now := map[string]string{}
		for i := range s.ProxmoxMachines {
			// One without the label may be anybody's, and so ours.
			if m := &s.ProxmoxMachines[i]; m.Namespace == v.Namespace && (m.Cluster == v.Cluster || m.Cluster == "") {
				now[m.Namespace+"/"+m.Name] = m.UID
			}
		}
		out = append(out, w.difference("ProxmoxMachine", w.infra, now)...)
		w.infra = now
	}
	return out
}

func (w *Watch) difference(kind string, before, now map[string]string) []Event {
	var out []Event
	if !w.seen || before == nil {
		return nil
	}
	for _, name := range sortedKeys(now) {
		switch uid, was := before[name]; {
		case !was:
			out = append(out, Event{true, fmt.Sprintf("%s %s appeared", kind, name)})
		case uid != now[name]:
			out = append(out, Event{true, fmt.Sprintf("%s %s was replaced by another of the same name", kind, name)})
		}
	}
	for _, name := range sortedKeys(before) {
		if _, still := now[name]; !still {
			out = append(out, Event{true, fmt.Sprintf("%s %s disappeared", kind, name)})
		}
	}
	return out
}

func sortedKeys(m map[string]string) []string {
	out := make([]string, 0, len(m))
	for k := range m {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}

// compareVMs looks at the sites that the cluster's VMs are on.
func (w *Watch) compareVMs(s *inventory.Snapshot, v *Verification) []Event {
	sites := map[string]bool{}
	for _, m := range s.Machines {
		if site, _, ok := strings.Cut(m.Annotations[AnnotationVM], "/"); ok && m.Cluster == v.Cluster {
			sites[site] = s.Known(inventory.SiteSource(site), inventory.ScopeGuests)
		}
	}
	now := map[inventory.Key]string{}
	for i := range s.VMs {
		if vm := &s.VMs[i]; sites[vm.Site] {
			now[vm.Key()] = vm.Name
		}
	}
	var out []Event
	for _, k := range keysOf(now) {
		if _, was := w.vms[k]; !was && w.sites[k.Site] {
			out = append(out, w.appeared(s, v.actor, k, now[k]))
		}
	}
	for _, k := range keysOf(w.vms) {
		if _, still := now[k]; !still && sites[k.Site] {
			out = append(out, Event{true, fmt.Sprintf("VM %s (%s) disappeared", k, w.vms[k])})
		}
	}
	for site, answered := range sites {
		w.sites[site] = w.sites[site] || answered
	}
	// Of a site that did not answer, what was known stays.
	for k, name := range w.vms {
		if !sites[k.Site] {
			now[k] = name
		}
	}
	w.vms = now
	return out
}

func keysOf(m map[inventory.Key]string) []inventory.Key {
	out := make([]inventory.Key, 0, len(m))
	for k := range m {
		out = append(out, k)
	}
	slices.SortFunc(out, func(a, b inventory.Key) int {
		return cmp.Or(cmp.Compare(a.Site, b.Site), cmp.Compare(a.VMID, b.VMID))
	})
	return out
}

// appeared is an alarm unless the task list shows that somebody else than CAPMOX made the VM since the last look. A clone's task has
// the VMID of its source, so that CAPMOX may have made any VM that came up while it cloned one.
func (w *Watch) appeared(s *inventory.Snapshot, a actor, k inventory.Key, name string) Event {
	alarm := Event{true, fmt.Sprintf("VM %s (%s) appeared", k, name)}
	made := alarm
	for i := range s.Tasks {
		t := &s.Tasks[i]
		if t.Site != k.Site || !counts(t, &w.last) {
			continue
		}
		switch {
		case t.Type == "qmclone" && a.suspect(t.User):
			return alarm
		case t.VMID == k.VMID && (t.Type == "qmcreate" || t.Type == "qmrestore") && !a.suspect(t.User):
			made = Event{false, fmt.Sprintf("VM %s (%s) appeared: %s by %s", k, name, t.Type, t.User)}
		}
	}
	return made
}

// newTasks tells each task on an adopted VM once. Changing ones by CAPMOX are alarms, and by anybody if nobody said which
// token is CAPMOX's and the task was a token's.
func (w *Watch) newTasks(s *inventory.Snapshot, v *Verification) []Event {
	adopted := map[string]bool{}
	for i := range s.Machines {
		if m := &s.Machines[i]; m.Cluster == v.Cluster && isPlanned(&m.Meta) {
			adopted[m.Annotations[AnnotationVM]] = true
		}
	}
	var out []Event
	for i := range s.Tasks {
		t := &s.Tasks[i]
		key := inventory.Key{Site: t.Site, VMID: t.VMID}.String()
		if !adopted[key] || w.tasks[t.UPID] || !counts(t, v.Since) {
			continue
		}
		w.tasks[t.UPID] = true
		out = append(out, Event{Changing(t) && v.actor.suspect(t.User), fmt.Sprintf("task %s on VM %s by %s at %s", t.Type, key, t.User, t.Start.UTC().Format(time.RFC3339))})
	}
	return out
}

// progress tells what moved: Machines that got their Node, steps that are done, verdicts that changed.
func (w *Watch) progress(s *inventory.Snapshot, v *Verification) []Event {
	var out []Event
	say := func(key, state string) {
		if w.said[key] != state {
			w.said[key] = state
			out = append(out, Event{false, key + ": " + state})
		}
	}
	for i := range s.Machines {
		m := &s.Machines[i]
		if m.Cluster != v.Cluster {
			continue
		}
		state := cmp.Or(m.Phase, "no phase yet")
		if m.Paused {
			state += ", paused"
		}
		if m.NodeRef != "" {
			state += ", Node " + m.NodeRef
		}
		say("Machine "+m.Name, state)
	}
	for _, step := range v.Steps {
		state := string(step.Verdict)
		if step.Verdict == Unsafe {
			state = "NOT SAFE"
		}
		if step.Done {
			state += ", done"
		} else {
			state += fmt.Sprintf(", %d of %d paused", step.Paused, step.Objects)
		}
		if step.Verdict != Safe && len(step.Why) > 0 {
			state += " (" + step.Why[0] + ")"
		}
		say("step \""+step.Title+"\"", state)
	}
	return out
}

// AdoptedVMs are the VMs of a cluster's Machines, for a look that reads no other configuration; nil as long as not all of them
// were seen with theirs.
func AdoptedVMs(s *inventory.Snapshot, cluster string) map[inventory.Key]bool {
	if !s.Known(inventory.ManagementSource, inventory.ScopeMachines) {
		return nil
	}
	names := map[string]bool{}
	for i := range s.Machines {
		if m := &s.Machines[i]; m.Cluster == cluster && m.Annotations[AnnotationVM] != "" {
			names[m.Annotations[AnnotationVM]] = true
		}
	}
	out := map[inventory.Key]bool{}
	for i := range s.VMs {
		if k := s.VMs[i].Key(); names[k.String()] && s.VMs[i].Config != nil {
			out[k] = true
		}
	}
	if len(out) == 0 || len(out) < len(names) {
		return nil
	}
	return out
}

// Finished is true if every step of the adoption is done.
func (v *Verification) Finished() bool {
	return v.Next == "" && v.Summary.Unsafe == 0 && v.Summary.Unknown == 0
}
