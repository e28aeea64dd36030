package audit

import "github.com/proxaudit/proxaudit/audit/history"

// Kinds of what a history tells.
const (
	KindHistory     = "History"
	KindFindingLife = "FindingLife"
)

// HistoryReport is the result of `history`: the runs that are kept, the newest first.
type HistoryReport struct {
	FormatVersion string         `json:"formatVersion"`
	Kind          string         `json:"kind"`
	Runs          []history.Kept `json:"runs"`
}

// FindingLife is the result of `history --fingerprint`.
type FindingLife struct {
	FormatVersion string          `json:"formatVersion"`
	Kind          string          `json:"kind"`
	Record        history.Record  `json:"record"`
	Events        []history.Event `json:"events"`
}
