package render

import (
	"fmt"
	"time"

	"github.com/proxaudit/proxaudit/audit"
	"github.com/proxaudit/proxaudit/audit/history"
)

// Runs is the view of `history`: one line for each run.
func Runs(r *audit.HistoryReport) Document {
	t := Table{Columns: []Column{{Title: "RUN"}, {Title: "FINDINGS", Align: Right}, {Title: "CRITICAL", Align: Right, Fit: Fold}, {Title: "WARNING", Align: Right, Fit: Fold}, {Title: "INFO", Align: Right, Fit: Fold}, {Title: "MISSING", Fit: FoldFirst, Min: 30}},
		Empty: "No run is kept."}
	for _, run := range r.Runs {
		var missing []string
		for _, c := range run.Coverage {
			missing = append(missing, c.Need().String()+" ("+string(c.State)+")")
		}
		t.Rows = append(t.Rows, []Cell{{Text: run.At.Format(time.RFC3339)}, {Text: fmt.Sprint(run.Findings)}, {Text: fmt.Sprint(run.Critical)}, {Text: fmt.Sprint(run.Warning)}, {Text: fmt.Sprint(run.Info)},
			{Text: list(missing)}})
	}
	return Document{Value: r, Names: []string{}, Sections: []Section{{Blocks: []Block{t}}}}
}

// FindingLife is the view of `history --fingerprint`: what became of one finding, run by run.
func FindingLife(r *audit.FindingLife) Document {
	rec := &r.Record
	items := []KeyValue{{Key: "Finding", Value: rec.Title}, {Key: "Subject", Value: rec.Subject}, {Key: "Rule", Value: rec.Rule}, {Key: "State", Value: string(rec.State), Style: lifeStyle(rec.State)},
		{Key: "First seen", Value: rec.FirstSeen.Format(time.RFC3339)}, {Key: "Last seen", Value: rec.LastSeen.Format(time.RFC3339)}, {Key: "Seen by", Value: count(rec.Runs, "run", "runs")}}
	if rec.Why != "" {
		items = append(items, KeyValue{Key: "Because", Value: rec.Why})
	}
	t := Table{Columns: []Column{{Title: "RUN"}, {Title: "CHANGE"}, {Title: "WHY", Fit: FoldFirst, Min: 30}}, Empty: "The runs that changed it are not kept any more."}
	for _, e := range r.Events {
		t.Rows = append(t.Rows, []Cell{{Text: e.At.Format(time.RFC3339)}, {Text: string(e.Change)}, {Text: e.Why}})
	}
	return Document{Value: r, Names: []string{rec.Subject}, Sections: []Section{{Blocks: []Block{KeyValues{Items: items}}}, {Blocks: []Block{t}}}}
}

func lifeStyle(s history.State) Style {
	switch s {
	case history.Resolved:
		return Good
	case history.Unverified:
		return Warn
	default:
		return Bad
	}
}
