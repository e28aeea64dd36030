package render

import (
	"bytes"
	"encoding/csv"
	"strings"
	"time"

	"github.com/proxaudit/proxaudit/audit/history"
)

var csvTitles = []string{"rule", "severity", "class", "subject", "name", "cluster", "site", "host", "vmid", "uuid", "status", "since", "change", "first_seen", "confidence",
	"vcpu", "memory_mib", "disk_gib", "finding", "evidence", "waiting_for", "remedy", "fingerprint"}

// renderCSV writes one row for each finding, and for each that only earlier runs have: resolved and unverified ones, with why
// as their evidence. RFC 4180, with the titles unless --no-headers. A spreadsheet takes what begins like a formula for one
// (OWASP, CSV injection), so that such a text gets an apostrophe in front.
func renderCSV(b *bytes.Buffer, d Document, o Options) error {
	l := d.Findings
	if l == nil {
		return ErrNoFindings
	}
	w := csv.NewWriter(b)
	w.UseCRLF = false
	write := func(cells []string) error {
		for i := range cells {
			cells[i] = noFormula(Visible(cells[i]))
		}
		return w.Write(cells)
	}
	if !o.NoHeaders {
		if err := w.Write(csvTitles); err != nil {
			return err
		}
	}
	for _, f := range l.Findings {
		change, first := "", ""
		if life := l.Lives[f.Fingerprint]; life != nil {
			change, first = string(life.Change), life.FirstSeen.UTC().Format(time.RFC3339)
		}
		vcpu, memory, disk := "", "", ""
		if h := f.Holds; h != nil {
			vcpu, memory, disk = number(h.VCPU), number(h.MemoryMiB), number(h.DiskGiB)
		}
		if err := write([]string{f.Rule, string(f.Severity), string(f.Class), f.Subject.ID, f.Subject.Name, f.Subject.Cluster, f.Subject.Site, f.Subject.Node, vmid(f.Subject.VMID),
			f.Subject.UUID, f.Status, moment(f.Since), change, first, string(f.Confidence), vcpu, memory, disk, f.Title, evidenceNoted(f), f.WaitingFor, f.Remedy,
			f.Fingerprint}); err != nil {
			return err
		}
	}
	for _, records := range [][]history.Record{l.Resolved, l.Unverified} {
		for _, r := range records {
			if err := write([]string{r.Rule, r.Severity, r.Class, r.Subject, r.Name, r.Cluster, r.Site, "", "", "", "", "", string(r.State), r.FirstSeen.UTC().Format(time.RFC3339), "",
				"", "", "", r.Title, r.Why, "", "", r.Fingerprint}); err != nil {
				return err
			}
		}
	}
	if l.Ignored != nil {
		for i := range l.Ignored.Ignored {
			f := &l.Ignored.Ignored[i]
			if err := write([]string{f.Rule, string(f.Severity), string(f.Class), f.Subject.ID, f.Subject.Name, f.Subject.Cluster, f.Subject.Site, f.Subject.Node, vmid(f.Subject.VMID),
				f.Subject.UUID, f.Status, moment(f.Since), "ignored", "", string(f.Confidence), "", "", "", f.Title, ignoredText(&f.Ignore), f.WaitingFor, f.Remedy, f.Fingerprint}); err != nil {
				return err
			}
		}
	}
	w.Flush()
	return w.Error()
}

// noFormula keeps a spreadsheet from calculating what somebody named a VM.
func noFormula(s string) string {
	if strings.HasPrefix(strings.TrimLeft(s, " "), "'") || s != "" && strings.ContainsRune("=+-@|%\uff1d\uff0b\uff0d\uff20", []rune(strings.TrimLeft(s, " ") + " ")[0]) {
		return "'" + s
	}
	return s
}
