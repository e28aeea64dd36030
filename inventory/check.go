package inventory

// CheckStatus is the outcome of one of doctor's checks.
type CheckStatus string

// The outcomes. A skipped check could not be tried because one before it failed.
const (
	CheckOK      CheckStatus = "ok"
	CheckWarning CheckStatus = "warning"
	CheckFailed  CheckStatus = "failed"
	CheckSkipped CheckStatus = "skipped"
	// CheckNote is something that one command says less without, and that no verdict needs.
	CheckNote CheckStatus = "note"
)

// Check is one thing that doctor tried.
type Check struct {
	// Source is as in Coverage.
	Source string `json:"source"`
	// Name is what was checked, like "tls", "token", "permission VM.Audit on /vms", "api group cluster.x-k8s.io".
	Name   string      `json:"name"`
	Status CheckStatus `json:"status"`
	// Detail says what came back.
	Detail string `json:"detail,omitempty"`
	// Remedy is what to do, as a command where there is one.
	Remedy string `json:"remedy,omitempty"`
}
