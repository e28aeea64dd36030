package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/proxaudit/proxaudit/audit"
	"github.com/proxaudit/proxaudit/inventory"
)

// ErrInterrupted is what a run ends with that somebody stopped.
var ErrInterrupted = errors.New("interrupted")

// Verdict is the error of a run that worked and has something to tell. It never comes with another error: a run that
// could not do its work has no verdict.
type Verdict struct {
	// Findings is the number of findings at or above FailOn.
	Findings int
	FailOn   audit.Severity
	// Text says what the findings mean; empty for those of a report.
	Text string
	// Unknown is the number of verdicts that are missing, and Gaps the number of sources' answers.
	Unknown, Gaps int
	// NoVerdict says why there is none at all; empty if there is one.
	NoVerdict string
	// Coverage has the gaps, as the report shows them.
	Coverage []inventory.Coverage
}

// Incomplete is true if something that a verdict needs was not seen.
func (v *Verdict) Incomplete() bool { return v.Gaps > 0 || v.Unknown > 0 || v.NoVerdict != "" }

// Error says what the exit code stands for.
func (v *Verdict) Error() string {
	var parts []string
	if v.Gaps > 0 {
		parts = append(parts, count(v.Gaps, "answer is", "answers are")+" missing")
	}
	if v.Unknown > 0 {
		parts = append(parts, count(v.Unknown, "machine has", "machines have")+" no verdict")
	}
	if len(parts) > 0 {
		parts = []string{"incomplete: " + strings.Join(parts, ", ")}
	}
	if v.NoVerdict != "" {
		parts = append(parts, v.NoVerdict)
	}
	switch {
	case v.Findings > 0 && v.Text != "":
		parts = append(parts, v.Text)
	case v.Findings > 0:
		parts = append(parts, count(v.Findings, "finding", "findings")+" at or above "+string(v.FailOn))
	}
	return strings.Join(parts, "; ")
}

// orNil is the verdict as an error; nil if all is well.
func (v *Verdict) orNil() error {
	if v.Findings == 0 && !v.Incomplete() {
		return nil
	}
	return v
}

// UsageError is a command line or configuration that cannot be meant.
type UsageError struct {
	Msg string
	// Hint is what to do instead; it may be empty.
	Hint string
}

// Error is the message, with the hint on a line of its own.
func (e *UsageError) Error() string {
	if e.Hint == "" {
		return e.Msg
	}
	return e.Msg + "\n" + e.Hint
}

func usagef(format string, args ...any) *UsageError {
	return &UsageError{Msg: fmt.Sprintf(format, args...)}
}

func (e *UsageError) hint(format string, args ...any) *UsageError {
	e.Hint = fmt.Sprintf(format, args...)
	return e
}

// interrupted turns a cancelled run's error into ErrInterrupted, whatever the collectors made of it.
func interrupted(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ErrInterrupted
	}
	return err
}

func count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
