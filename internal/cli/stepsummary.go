package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/proxaudit/proxaudit/render"
)

// stepSummaryVariable names the file of which GitHub Actions shows the text on the page of a job. What runs in one step
// appends to it: to replace it would take away what others have written.
const stepSummaryVariable = "GITHUB_STEP_SUMMARY"

// stepSummaryLimit is what GitHub takes for one step. It drops a larger file whole.
const stepSummaryLimit = 1 << 20

// isStepSummary is true for that file, whatever way leads to it.
func isStepSummary(path string, getenv func(string) (string, bool)) bool {
	v, _ := getenv(stepSummaryVariable)
	if v == "" || path == "" {
		return false
	}
	a, err := resolved(path)
	if err != nil {
		return false
	}
	b, err := resolved(v)
	return err == nil && a == b
}

// appendSummary writes a Document behind what the file has, as far as GitHub takes it.
func appendSummary(path string, d render.Document, f render.Format, o render.Options) (err error) {
	before, err := os.ReadFile(path) //nolint:gosec // the path is the user's own
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	var b bytes.Buffer
	// An empty line ends whatever block the text before it left open.
	switch {
	case len(before) == 0:
	case bytes.HasSuffix(before, []byte("\n")):
		b.WriteByte('\n')
	default:
		b.WriteString("\n\n")
	}
	o.Limit = stepSummaryLimit - len(before) - b.Len()
	if o.Limit <= 0 {
		return fmt.Errorf("the file has %d bytes, and GitHub takes %d for a step: nothing was appended", len(before), stepSummaryLimit)
	}
	if err := f.Write(&b, d, o); err != nil {
		var full *render.ErrNoRoom
		if errors.As(err, &full) {
			return fmt.Errorf("the file has %d bytes, and GitHub takes %d for a step: nothing was appended: %w", len(before), stepSummaryLimit, err)
		}
		return err
	}
	file, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644) //nolint:gosec // as above; others read it
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	_, err = file.Write(b.Bytes())
	return err
}
