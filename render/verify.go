package render

import (
	"fmt"
	"strings"
	"time"

	"github.com/proxaudit/proxaudit/adopt"
)

// Verify is the view of `verify`.
func Verify(v *adopt.Verification) Document {
	d := Document{Value: v, Names: []string{}}
	if v.NotAdopted() {
		return notAdopted(v, d)
	}
	since := ""
	if v.Since != nil {
		since = v.Since.UTC().Format(time.RFC3339)
	}
	d.Sections = append(d.Sections, Section{Blocks: []Block{KeyValues{Items: []KeyValue{
		{Key: "Cluster", Value: v.Cluster}, {Key: "Objects", Value: v.Namespace + "/" + v.Name}, {Key: "Made at", Value: orUnknown(since)}, {Key: "Seen at", Value: v.GeneratedAt.Format(time.RFC3339)}}}}})

	steps := Table{Columns: []Column{{Title: "STEP", Min: 24}, {Title: "DONE"}, {Title: "PAUSED", Align: Right}, {Title: "VERDICT"}, {Title: "WHY", Fit: FoldFirst, Min: 36}}}
	for _, s := range v.Steps {
		done := ""
		if s.Done {
			done = "done"
		}
		steps.Rows = append(steps.Rows, []Cell{{Text: s.Title}, {Text: done}, {Text: fmt.Sprintf("%d of %d", s.Paused, s.Objects)},
			{Text: stepVerdict(s), Style: verdictStyle(s.Verdict)}, {Text: whyLine(s.Why)}})
	}
	d.Sections = append(d.Sections, Section{Title: "Steps:", Blocks: []Block{steps}})
	d.Sections = append(d.Sections, checkSection(v, false), predictionSection(v, false))
	for _, s := range []Section{checkSection(v, true), predictionSection(v, true)} {
		s.Wide = true
		d.Sections = append(d.Sections, s)
	}
	d.Sections = append(d.Sections, verifySummary(v), footer(v.Envelope))
	return d
}

// notAdopted is what there is to say of a cluster without a step to take. What its controllers would do they do already.
func notAdopted(v *adopt.Verification, d Document) Document {
	d.Sections = []Section{
		{Blocks: []Block{Notes{Items: []Note{{Style: Info, Text: "A cluster that Cluster API made needs no verification: proxaudit rendered none of its Machines, and nothing of it is paused"}}}}},
		{Blocks: []Block{KeyValues{Items: []KeyValue{{Key: "Cluster", Value: v.Cluster}, {Key: "Objects", Value: v.Namespace + "/" + v.Name}, {Key: "Seen at", Value: v.GeneratedAt.Format(time.RFC3339)}}}}},
		{Blocks: []Block{Notes{Items: []Note{{Text: "If it was adopted by hand, which VM each Machine was meant for is not known: compare each virtualMachineID with its VM yourself"}}}}},
		footer(v.Envelope),
	}
	return d
}

func stepVerdict(s adopt.VerifiedStep) string {
	switch {
	case s.Verdict == adopt.Safe && s.Done:
		return "as it should be"
	case s.Verdict == adopt.Safe && s.ID == adopt.StepFinish:
		return "safe"
	case s.Verdict == adopt.Safe:
		return "safe to unpause"
	case s.Verdict == adopt.Unsafe:
		return "NOT SAFE"
	default:
		return string(s.Verdict)
	}
}

func verdictStyle(v adopt.Verdict) Style {
	switch v {
	case adopt.Safe:
		return Good
	case adopt.Unsafe:
		return Bad
	default:
		return Warn
	}
}

// mostReasons is how many reasons a step's row has; the rest are below it anyway.
const mostReasons = 2

func whyLine(why []string) string {
	if len(why) <= mostReasons {
		return strings.Join(why, "; ")
	}
	return strings.Join(why[:mostReasons], "; ") + fmt.Sprintf("; and %d more", len(why)-mostReasons)
}

// checkSection has the checks that do not hold, or those that do.
func checkSection(v *adopt.Verification, good bool) Section {
	t := Table{Columns: []Column{{Title: "CHECK"}, {Title: "STATE"}, {Title: "SUBJECT", Min: 24}, {Title: "BEFORE", Fit: Fold}, {Title: "DETAIL", Fit: FoldFirst, Min: 30}, {Title: "REMEDY", Fit: FoldFirst, Min: 30}}}
	last := ""
	for _, c := range v.Checks {
		if (c.State == adopt.CheckOK) != good {
			continue
		}
		style, remedy := Good, c.Remedy
		switch c.State {
		case adopt.CheckFailed:
			style = Bad
		case adopt.CheckUnknown:
			style = Warn
		case adopt.CheckNote:
			style = Info
		case adopt.CheckOK:
		}
		if remedy == last {
			remedy = ""
		} else {
			last = remedy
		}
		t.Rows = append(t.Rows, []Cell{{Text: string(c.Name)}, {Text: string(c.State), Style: style}, {Text: c.Subject.ID}, {Text: string(c.Step)}, {Text: c.Detail}, {Text: remedy}})
	}
	title := "Checks that do not hold:"
	if good {
		title = "Checks that hold:"
	}
	return section(title, t)
}

// section leaves an empty table out.
func section(title string, t Table) Section {
	if len(t.Rows) == 0 {
		return Section{}
	}
	return Section{Title: title, Blocks: []Block{t}}
}

// predictionSection has what controllers would do that they should not, or all else.
func predictionSection(v *adopt.Verification, good bool) Section {
	t := Table{Columns: []Column{{Title: "CONTROLLER"}, {Title: "OBJECT", Min: 24}, {Title: "WOULD"}, {Title: "STEP", Fit: Fold}, {Title: "WHY", Fit: FoldFirst, Min: 36}}}
	for _, p := range v.Predictions {
		if p.Outcome.Safe() != good {
			continue
		}
		style := Bad
		switch {
		case good:
			style = Good
		case p.Outcome == adopt.CannotTell:
			style = Warn
		}
		t.Rows = append(t.Rows, []Cell{{Text: string(p.Controller)}, {Text: strings.ToLower(p.Object.Kind) + "/" + p.Object.Name}, {Text: string(p.Outcome), Style: style},
			{Text: string(p.Step)}, {Text: strings.Join(p.Why, "; ")}})
	}
	title := "What controllers would do that they must not:"
	if good {
		title = "What the other controllers would do:"
	}
	return section(title, t)
}

func verifySummary(v *adopt.Verification) Section {
	s := v.Summary
	note := Note{Style: Good}
	switch {
	case s.Unsafe > 0 && s.Incomplete:
		note = Note{Style: Bad, Text: "NOT SAFE: leave everything paused; and something that the verdict needs was not seen"}
	case s.Unsafe > 0:
		note = Note{Style: Bad, Text: "NOT SAFE: leave everything paused"}
	case s.Unknown > 0:
		note = Note{Style: Warn, Text: "unknown: something that the verdict needs was not seen"}
	case v.Next == "":
		note.Text = "adopted: every step is done, and nothing is as it should not be"
	default:
		for _, step := range v.Steps {
			if step.ID == v.Next {
				note.Text = "safe: the next step is \"" + step.Title + "\""
			}
		}
	}
	ok := 0
	for _, c := range v.Checks {
		if c.State == adopt.CheckOK {
			ok++
		}
	}
	return Section{Footer: true, Blocks: []Block{Notes{Items: []Note{note,
		{Text: fmt.Sprintf("%s hold of %d, %s made; -o wide shows all", count(ok, "check", "checks"), len(v.Checks), count(len(v.Predictions), "prediction", "predictions"))}}}}}
}
