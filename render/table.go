package render

import (
	"bytes"
	"fmt"
	"strings"
)

func renderTable(b *bytes.Buffer, d Document, o Options) error { return renderTerminal(b, d, o, false) }

func renderWide(b *bytes.Buffer, d Document, o Options) error { return renderTerminal(b, d, o, true) }

// renderTerminal writes the sections one below the other, with an empty line between.
func renderTerminal(b *bytes.Buffer, d Document, o Options, wide bool) error {
	for _, s := range d.Sections {
		if (s.Wide && !wide) || (s.Footer && o.NoHeaders) {
			continue
		}
		var part bytes.Buffer
		for _, block := range s.Blocks {
			if err := writeBlock(&part, block, o, wide); err != nil {
				return err
			}
		}
		if part.Len() == 0 {
			continue
		}
		if b.Len() > 0 {
			b.WriteByte('\n')
		}
		if s.Title != "" && !o.NoHeaders {
			b.WriteString(indent(wrap(Visible(s.Title), o.Width), ""))
		}
		b.Write(part.Bytes())
	}
	return nil
}

func writeBlock(b *bytes.Buffer, block Block, o Options, wide bool) error {
	switch v := block.(type) {
	case Table:
		return writeTable(b, v, o, wide)
	case KeyValues:
		writeKeyValues(b, v, o)
	case Label:
		writeStyled(b, "", v.Text, Plain, o)
	case Notes:
		writeNotes(b, v, o, wide)
	case Tree:
		writeTree(b, v.Roots, "", o)
	case Code:
		writeCode(b, v)
	default:
		return fmt.Errorf("the terminal formats do not know the block %T", block)
	}
	return nil
}

func writeKeyValues(b *bytes.Buffer, kv KeyValues, o Options) {
	widest := 0
	for _, item := range kv.Items {
		widest = max(widest, width(Visible(item.Key)))
	}
	for _, item := range kv.Items {
		key := Visible(item.Key) + ":"
		prefix := key + strings.Repeat(" ", widest+1+gap-width(key))
		if o.Width > 0 && width(prefix)+2*leastWidth > o.Width {
			// No room beside the names: the value goes below.
			writeStyled(b, "", key, Plain, o)
			prefix = "  "
		}
		writeStyled(b, prefix, item.Value, item.Style, o)
	}
}

func writeNotes(b *bytes.Buffer, n Notes, o Options, wide bool) {
	for _, item := range n.Items {
		if item.Wide && !wide {
			continue
		}
		writeStyled(b, "", item.Text, item.Style, o)
		if item.Detail != "" {
			writeStyled(b, "  ", item.Detail, Plain, o)
		}
	}
}

// writeCode is indented, so that it stands out, and not wrapped.
func writeCode(b *bytes.Buffer, c Code) {
	for _, line := range c.Lines {
		b.WriteString("    " + Visible(line) + "\n")
	}
}

// writeTree draws branches with ASCII, which every terminal and every log viewer has.
func writeTree(b *bytes.Buffer, branches []Branch, margin string, o Options) {
	for i, br := range branches {
		tee, below := "|- ", "|  "
		if i == len(branches)-1 {
			tee, below = "`- ", "   "
		}
		writeStyled(b, margin+tee, br.Text, br.Style, o)
		writeTree(b, br.Branches, margin+below, o)
	}
}

// writeStyled writes text behind a prefix, wrapped with a hanging indent. The limit never gets so small that a deep
// tree or a long key leaves no room at all.
func writeStyled(b *bytes.Buffer, prefix, text string, s Style, o Options) {
	limit := 0
	if o.Width > 0 {
		limit = max(o.Width-width(prefix), leastWidth)
	}
	lines := wrap(Visible(text), limit)
	for i := range lines {
		lines[i] = paint(lines[i], s, o)
	}
	b.WriteString(indent(lines, prefix))
}
