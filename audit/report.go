package audit

import (
	"slices"
	"time"

	"github.com/proxaudit/proxaudit/audit/history"
	"github.com/proxaudit/proxaudit/audit/progress"
	"github.com/proxaudit/proxaudit/audit/rules"
	"github.com/proxaudit/proxaudit/inventory"
)

// KindReport is the kind of a Report's JSON form.
const KindReport = "Report"

// Report is the result of `report`: what is wrong, whom the clusters wait for, and what changed since an earlier run.
type Report struct {
	Envelope
	Summary  ReportSummary   `json:"summary"`
	Findings []ReportFinding `json:"findings"`
	// Clusters say whom each is waiting for.
	Clusters []ClusterProgress `json:"clusters"`
	// Since is what the run is compared with; nil if there is nothing yet.
	Since *Since `json:"since,omitempty"`
	// NotCompared says why there is nothing that the run is compared with although somebody asked for it.
	NotCompared string `json:"notCompared,omitempty"`
	// Resolved are the findings that are over since then, and Unverified those that nobody could look at.
	Resolved   []history.Record `json:"resolved"`
	Unverified []history.Record `json:"unverified"`
	// Read is what was read in full of what verdicts rest on: a later run knows by it whether it may know better.
	Read []history.Source `json:"read"`

	Ignores

	// Trend are the runs that a history has, the oldest first, this one included; nil without a history.
	Trend    []history.Kept `json:"-"`
	run      history.Run
	ignoring *ignoring
	// unseen are the fingerprints of Unverified that were open until this run.
	unseen map[string]bool
	// machines is called by the one format that draws them.
	machines func() []MachineLinks
}

// ReportSummary counts a report.
type ReportSummary struct {
	Summary
	Clusters WhySummary `json:"clusters"`
	// Changes counts the findings by what became of them since the run before; nil without one.
	Changes *ChangeCounts `json:"changes,omitempty"`
}

// ChangeCounts counts findings by what became of them.
type ChangeCounts struct {
	New        int `json:"new"`
	Reopened   int `json:"reopened"`
	Resolved   int `json:"resolved"`
	Unverified int `json:"unverified"`
	// Verified could not be looked at before, and are still there.
	Verified int `json:"verified"`
	// IgnoreExpired were there before, and are back in the list because an ignore rule has expired since then.
	IgnoreExpired int `json:"ignoreExpired,omitempty"`
	// Unchanged were there before.
	Unchanged int `json:"unchanged"`
}

// Any is true if there is something that the run before did not say.
func (c *ChangeCounts) Any() bool {
	return c != nil && c.New+c.Reopened+c.Resolved+c.Unverified+c.Verified+c.IgnoreExpired > 0
}

// ReportFinding is a Finding with its life.
type ReportFinding struct {
	Finding
	// Key is the subject's identity over runs.
	Key string `json:"key"`
	// History is nil where no earlier run is known.
	History *Life `json:"history,omitempty"`
}

// Life is what earlier runs know of a finding.
type Life struct {
	// Change is what this run did: new, reopened, verified; empty if it was there before.
	Change history.Change `json:"change,omitempty"`
	// FirstSeen and Runs count this run.
	FirstSeen  time.Time  `json:"firstSeen"`
	Runs       int        `json:"runs"`
	Reopened   int        `json:"reopened,omitempty"`
	ReopenedAt *time.Time `json:"reopenedAt,omitempty"`
}

// Since is the run that a report is compared with.
type Since struct {
	At time.Time `json:"at"`
	// Source is the name of the history's or baseline's file.
	Source string `json:"source"`
	// Run is the ID of that run, where a history knows it.
	Run string `json:"-"`
	// MachinesOnly is true for a run that had no findings about clusters: what orphans says.
	MachinesOnly bool `json:"-"`
}

// NewReport looks at all that a Snapshot has.
func NewReport(s *inventory.Snapshot, opt Options) *Report {
	r := analyse(s, opt)
	out := &Report{Envelope: r.envelope(KindReport), Summary: ReportSummary{Summary: r.summary()},
		Findings: []ReportFinding{}, Clusters: []ClusterProgress{}, Resolved: []history.Record{}, Unverified: []history.Record{}}
	findings, keys := []Finding{}, map[string]string{}
	for i := range r.graph.Entities {
		if e := &r.graph.Entities[i]; e.Class.IsFinding() {
			f := *r.finding(e)
			findings, keys[f.Fingerprint] = append(findings, f), subjectKey(f.Subject, r.ctime(e))
		}
	}
	w := progress.New(r.graph, progress.Options{Grace: r.grace})
	clusters := slices.Clone(r.s.Clusters)
	for _, key := range w.Ownerless() {
		clusters = append(clusters, inventory.Cluster{Key: key})
	}
	for i := range clusters {
		c := w.Cluster(&clusters[i])
		out.Clusters = append(out.Clusters, c)
		out.Summary.Clusters.add(&c)
		if c.State == progress.Stuck {
			f := stuckFinding(&c)
			findings, keys[f.Fingerprint] = append(findings, f), subjectKey(f.Subject, "")
		}
	}
	SortFindings(findings)
	out.Summary.Count(findings)
	for i := range findings {
		out.Findings = append(out.Findings, ReportFinding{Finding: findings[i], Key: keys[findings[i].Fingerprint]})
	}
	out.Summary.Incomplete = out.Summary.Incomplete || clusterless(r.s)
	out.machines = r.machineLinks
	st := r.settler(out.Clusters)
	out.Read = st.read
	out.run = history.Run{At: out.GeneratedAt, ID: runID(r.s), Read: st.read, Settled: st.settled}
	for i := range out.Findings {
		out.run.Findings = append(out.run.Findings, out.Findings[i].kept())
	}
	out.ignore(opt.Ignore, r.s)
	return out
}

// Run is the report as history takes it.
func (r *Report) Run() history.Run { return r.run }

// Kept is what history keeps of the run itself.
func (r *Report) Kept() history.Kept {
	k := history.Kept{ID: r.run.ID, At: r.GeneratedAt, Findings: len(r.Findings), Critical: r.Summary.Severities[Critical], Warning: r.Summary.Severities[Warning],
		Info: r.Summary.Severities[Info], Incomplete: r.Summary.Incomplete, Classes: map[string]int{}, Coverage: []inventory.Coverage{}}
	for i := range r.Findings {
		k.Classes[string(r.Findings[i].Class)]++
	}
	for _, c := range r.Coverage {
		if c.Missing() {
			k.Coverage = append(k.Coverage, c)
		}
	}
	return k
}

// key is the subject's identity. Of a VM without UUID, Since is its creation time.
func (f *Finding) key() string {
	ctime := ""
	if f.Since != nil {
		ctime = epoch(*f.Since)
	}
	return subjectKey(f.Subject, ctime)
}

// kept is what history keeps of a finding.
func (f *ReportFinding) kept() history.Finding {
	return history.Finding{Fingerprint: f.Fingerprint, Rule: f.Rule, Severity: string(f.Severity), Class: string(f.Class), Subject: f.Subject.ID,
		Key: f.Key, Name: f.Subject.Name, Site: f.Subject.Site, Cluster: f.Subject.Cluster, Title: f.Title}
}

// Compare puts into the report what changed since the runs whose records are given.
func (r *Report) Compare(before []history.Record, since Since) {
	after, changes := before, []history.Changed(nil)
	if since.Run == "" || since.Run != r.run.ID {
		// A Snapshot that is reported again has happened already.
		run := r.run
		if since.MachinesOnly {
			run.Findings = slices.DeleteFunc(slices.Clone(run.Findings), func(f history.Finding) bool { return f.Class == string(rules.Stuck) })
		}
		after, changes = history.Advance(before, run)
	}
	did := map[string]history.Change{}
	for _, c := range changes {
		did[c.Fingerprint] = c.Change
	}
	lives := map[string]*Life{}
	counts := &ChangeCounts{}
	r.Resolved, r.Unverified, r.unseen = []history.Record{}, []history.Record{}, map[string]bool{}
	ignored := r.ignoredLives()
	for _, rec := range after {
		change := did[rec.Fingerprint]
		if ignored.take(&rec, change) {
			continue
		}
		switch rec.State {
		case history.Open:
			lives[rec.Fingerprint] = lifeOf(&rec, change)
		case history.Unverified:
			r.Unverified = append(r.Unverified, rec)
			r.unseen[rec.Fingerprint] = change == history.Unseen
		case history.Resolved:
			if change == history.Gone {
				r.Resolved = append(r.Resolved, rec)
			}
		}
		counts.add(change, rec.State)
	}
	for i := range r.Findings {
		r.Findings[i].History = lives[r.Findings[i].Fingerprint]
	}
	ignored.finish(since.At, counts)
	r.Since, r.Summary.Changes = &since, counts
}

func (c *ChangeCounts) add(change history.Change, state history.State) {
	switch change {
	case history.New:
		c.New++
	case history.Reopened:
		c.Reopened++
	case history.Gone:
		c.Resolved++
	case history.Unseen:
		c.Unverified++
	case history.Seen:
		c.Verified++
	default:
		if state == history.Open {
			c.Unchanged++
		}
	}
}

// SetTrend puts the runs of a history into the report, the oldest first, and this run behind them if it is none of them.
func (r *Report) SetTrend(runs []history.Kept) {
	r.Trend = slices.Clone(runs)
	if !slices.ContainsFunc(runs, func(k history.Kept) bool { return k.ID == r.run.ID }) {
		r.Trend = append(r.Trend, r.Kept())
	}
}
