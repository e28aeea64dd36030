package render

import (
	"fmt"
	"slices"

	"github.com/proxaudit/proxaudit/audit"
)

// ignoreNotes count what ignore rules hide, and name the rules that are not needed.
func ignoreNotes(ig *audit.Ignores, s *audit.Summary) []Block {
	if ig.Ignored == nil {
		return nil
	}
	var notes []Note
	if s.Ignored > 0 {
		notes = append(notes, Note{Text: fmt.Sprintf("%s by the rules of %s (--show-ignored lists them)", count(s.Ignored, "finding is ignored", "findings are ignored"), ig.IgnoreFile), Style: Faint})
	}
	var unused, unseen []string
	why := ""
	for i := range ig.UnusedIgnores {
		u := &ig.UnusedIgnores[i]
		place := fmt.Sprintf("%s:%d", ig.IgnoreFile, u.Line)
		if u.Unseen != "" {
			unseen, why = append(unseen, place), u.Unseen
			continue
		}
		unused = append(unused, place)
	}
	if len(unused) > 0 {
		notes = append(notes, Note{Text: count(len(unused), "ignore rule is", "ignore rules are") + " about nothing that there is, and can go: " + some(unused, 8)})
	}
	if len(unseen) > 0 {
		notes = append(notes, Note{Text: fmt.Sprintf("%s about nothing that was found, and not all was seen (%s): %s", count(len(unseen), "ignore rule is", "ignore rules are"), why, some(unseen, 8)), Wide: true})
	}
	if len(notes) == 0 {
		return nil
	}
	return []Block{Notes{Items: notes}}
}

// expiredText is the note on a finding that is back.
func expiredText(e *audit.ExpiredIgnore) string { return "it was " + ignoredText(&e.IgnoreRule) }

// ShowIgnored puts what ignore rules hide into the Document, in front of its totals.
func (d *Document) ShowIgnored(ig *audit.Ignores) {
	if len(ig.Ignored)+len(ig.IgnoredRecords) == 0 {
		return
	}
	t := Table{Columns: []Column{{Title: "CLASS"}, {Title: "SUBJECT", Min: 40}, {Title: "NAME", Fit: Fold, Min: 30}, {Title: "UNTIL"}, {Title: "OWNER", Fit: Fold}, {Title: "STATE", Fit: Fold},
		{Title: "RULE", Wide: true, Fit: Fold}, {Title: "LINE", Wide: true, Align: Right, Fit: Fold}, {Title: "REASON", Fit: FoldFirst, Min: 36}, {Title: "FINGERPRINT", Wide: true, Fit: Fold}}}
	row := func(class, subject, name, state, rule, fingerprint string, by *audit.IgnoreRule) {
		t.Rows = append(t.Rows, []Cell{{Text: class}, {Text: subject}, {Text: name}, {Text: by.Expires}, {Text: by.Owner}, {Text: state}, {Text: rule}, {Text: fmt.Sprint(by.Line)}, {Text: by.Reason}, {Text: fingerprint}})
	}
	for i := range ig.Ignored {
		f := &ig.Ignored[i]
		row(string(f.Class), f.Subject.ID, f.Subject.Name, "", f.Rule, f.Fingerprint, &f.Ignore)
	}
	for i := range ig.IgnoredRecords {
		r := &ig.IgnoredRecords[i]
		row(r.Class, r.Subject, r.Name, string(r.State), r.Rule, r.Fingerprint, &r.Ignore)
	}
	at := len(d.Sections)
	for at > 0 && d.Sections[at-1].Footer {
		at--
	}
	d.Sections = slices.Insert(d.Sections, at, Section{Title: "Ignored:", Blocks: []Block{t}})
	if d.Findings != nil {
		d.Findings.Ignored = ig
	}
}

// IgnoreRules is the view of `ignore list`.
func IgnoreRules(l *audit.IgnoreList) Document {
	t := Table{Columns: []Column{{Title: "LINE", Align: Right}, {Title: "STATE"}, {Title: "RULE", Fit: Fold}, {Title: "ABOUT", Min: 40}, {Title: "UNTIL"}, {Title: "OWNER", Fit: Fold}, {Title: "FINDINGS", Align: Right, Fit: Fold}, {Title: "REASON", Fit: FoldFirst, Min: 36}},
		Empty: "No rules."}
	for i := range l.Items {
		it := &l.Items[i]
		findings := ""
		if it.Findings != nil {
			findings = fmt.Sprint(*it.Findings)
		}
		t.Rows = append(t.Rows, []Cell{{Text: fmt.Sprint(it.Line)}, {Text: string(it.State), Style: ignoreStyle(it.State)}, {Text: it.Rule}, {Text: it.About}, {Text: it.Expires}, {Text: it.Owner}, {Text: findings}, {Text: it.Reason}})
	}
	return Document{Value: l, Sections: []Section{{Blocks: []Block{t}}}}
}

func ignoreStyle(s audit.IgnoreState) Style {
	switch s {
	case audit.IgnoreInForce:
		return Plain
	case audit.IgnoreExpired:
		return Warn
	default:
		return Info
	}
}

// ignoredText says why a finding is ignored.
func ignoredText(r *audit.IgnoreRule) string {
	if r.ExpiresAt == nil {
		return fmt.Sprintf("ignored for good (%s: %s)", r.Owner, r.Reason)
	}
	return fmt.Sprintf("ignored until %s (%s: %s)", r.Expires, r.Owner, r.Reason)
}

// evidenceNoted is the evidence of a finding in one line, with the note of a rule that has expired.
func evidenceNoted(f *audit.Finding) string {
	line := evidenceLine(f.Evidence, f.Missing, f.Title)
	if f.IgnoreExpired != nil {
		line += "; " + expiredText(f.IgnoreExpired)
	}
	return line
}
