package render

import (
	"fmt"
	"time"

	"github.com/proxaudit/proxaudit/audit"
	"github.com/proxaudit/proxaudit/audit/history"
	"github.com/proxaudit/proxaudit/inventory"
)

// sampleReport is the orphans' sample the night after: one finding is new, one is back, one is gone, one could not be
// looked at.
func sampleReport() *audit.Report {
	orphans, why := sampleOrphans(), sampleWhy()
	r := &audit.Report{Envelope: sampleEnvelope(audit.KindReport), Summary: audit.ReportSummary{Summary: orphans.Summary, Clusters: why.Summary},
		Findings: []audit.ReportFinding{}, Read: []history.Source{}, Clusters: why.Items, Since: &audit.Since{At: collected.Add(-24 * time.Hour), Source: "history.db"}}
	back := collected.Add(-48 * time.Hour)
	for i := range orphans.Findings {
		life := &audit.Life{FirstSeen: collected.Add(-30 * 24 * time.Hour), Runs: 30}
		switch i {
		case 0:
			life = &audit.Life{Change: history.New, FirstSeen: collected, Runs: 1}
		case 1:
			life.Change, life.Reopened, life.ReopenedAt = history.Reopened, 1, &collected
		case 2:
			life.Reopened, life.ReopenedAt = 2, &back
		}
		orphans.Findings[i].Fingerprint = fmt.Sprintf("%032x", i+1)
		r.Findings = append(r.Findings, audit.ReportFinding{Finding: orphans.Findings[i], Key: "key", History: life})
	}
	first, last := collected.Add(-9*24*time.Hour), collected.Add(-24*time.Hour)
	record := history.Record{Finding: history.Finding{Fingerprint: "f1", Rule: "PXA101", Severity: "warning", Class: "orphan-vm", Subject: "vm/lab/150", Key: "key", Name: clearScreen,
		Site: "lab", Title: "It is gone"}, State: history.Resolved, FirstSeen: first, LastSeen: last, Runs: 8, ResolvedAt: &collected,
		Why: "it is not there any more: Proxmox says that its VMID is free"}
	unseen := record
	unseen.Fingerprint, unseen.Subject, unseen.State, unseen.ResolvedAt, unseen.UnverifiedSince, unseen.Why = "f2", "vm/edge/7", history.Unverified, nil, &collected, "site/edge guests: "+rightToLeft
	r.Resolved, r.Unverified = []history.Record{record}, []history.Record{unseen}
	r.Summary.Changes = &audit.ChangeCounts{New: 1, Reopened: 1, Resolved: 1, Unverified: 1, Unchanged: len(r.Findings) - 2}
	return r
}

func sampleIgnoreList() *audit.IgnoreList {
	l := &audit.IgnoreList{FormatVersion: audit.FormatVersion, Kind: audit.KindIgnoreList, GeneratedAt: collected, IgnoreFile: "ignore.yaml"}
	for i, state := range []audit.IgnoreState{audit.IgnoreInForce, audit.IgnoreExpired, audit.IgnoreUnused} {
		l.Items = append(l.Items, audit.Ignore{IgnoreRule: audit.IgnoreRule{Line: 10 * i, Reason: twoLines, Owner: "storage", Expires: "2026-12-31"}, State: state, Rule: "PXA101",
			About: "vm/lab/150 " + clearScreen, Findings: ptr(i)})
	}
	return l
}

func sampleRuns() *audit.HistoryReport {
	e := sampleEnvelope(audit.KindHistory)
	return &audit.HistoryReport{FormatVersion: audit.FormatVersion, Kind: audit.KindHistory, Runs: []history.Kept{
		{ID: "b", At: collected, Findings: 12, Critical: 1, Warning: 8, Info: 3, Incomplete: true, Coverage: e.Coverage[3:4]},
		{ID: "a", At: collected.Add(-24 * time.Hour), Findings: 9, Warning: 9, Coverage: []inventory.Coverage{}},
	}}
}

func sampleLife() *audit.FindingLife {
	r := sampleReport().Resolved[0]
	return &audit.FindingLife{FormatVersion: audit.FormatVersion, Kind: audit.KindFindingLife, Record: r, Events: []history.Event{
		{At: r.FirstSeen, Change: history.New}, {At: collected, Change: history.Gone, Why: r.Why}}}
}
