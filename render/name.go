package render

import (
	"bytes"
	"errors"
)

// ErrNoNames says that a result holds nothing that could be named.
var ErrNoNames = errors.New("this result has no subjects to name: use another output format")

// renderName writes one subject a line: what explain takes.
func renderName(b *bytes.Buffer, d Document, _ Options) error {
	if d.Names == nil {
		return ErrNoNames
	}
	for _, n := range d.Names {
		b.WriteString(Visible(n))
		b.WriteByte('\n')
	}
	return nil
}
