package render

import (
	"bytes"
	"cmp"
	"fmt"
	"strings"
)

// renderMarkdown writes GitHub's flavour: tables, and everything else as lists and fenced code. Nothing that a name or a
// message says becomes markup, a link or a mention.
func renderMarkdown(b *bytes.Buffer, d Document, o Options) error {
	if o.Limit > 0 {
		return renderMarkdownWithin(b, d, o)
	}
	return markdownDocument(b, d, o)
}

func markdownDocument(b *bytes.Buffer, d Document, o Options) error {
	for _, s := range d.Sections {
		if s.Wide || (s.Footer && o.NoHeaders) {
			continue
		}
		var part bytes.Buffer
		for _, block := range s.Blocks {
			if err := markdownBlock(&part, block); err != nil {
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
			b.WriteString("## " + markdownLine(strings.TrimSuffix(s.Title, ":")) + "\n\n")
		}
		b.Write(part.Bytes())
	}
	return nil
}

func markdownBlock(b *bytes.Buffer, block Block) error {
	if b.Len() > 0 {
		b.WriteByte('\n')
	}
	switch v := block.(type) {
	case Table:
		markdownTable(b, v)
	case KeyValues:
		for _, item := range v.Items {
			b.WriteString("- **" + markdownText(item.Key) + ":** " + markdownText(item.Value) + "\n")
		}
	case Notes:
		for _, n := range v.Items {
			if n.Wide {
				continue
			}
			b.WriteString("- " + markdownLine(n.Text) + "\n")
			if n.Detail != "" {
				b.WriteString("  " + markdownLine(n.Detail) + "\n")
			}
		}
	case Label:
		b.WriteString("**" + markdownText(v.Text) + "**\n")
	case Tree:
		markdownTree(b, v.Roots, "")
	case Code:
		markdownCode(b, v)
	default:
		return fmt.Errorf("the format markdown does not know the block %T", block)
	}
	return nil
}

func markdownTable(b *bytes.Buffer, t Table) {
	if len(t.Rows) == 0 {
		b.WriteString(markdownLine(t.Empty) + "\n")
		return
	}
	row := func(cell func(i int, c Column) string) {
		b.WriteByte('|')
		for i, c := range t.Columns {
			if !c.Wide {
				b.WriteString(" " + cell(i, c) + " |")
			}
		}
		b.WriteByte('\n')
	}
	row(func(_ int, c Column) string { return markdownText(c.Title) })
	row(func(_ int, c Column) string {
		if c.Align == Right {
			return "---:"
		}
		return "---"
	})
	for _, r := range t.Rows {
		row(func(i int, _ Column) string { return markdownText(r[i].Text) })
	}
}

func markdownTree(b *bytes.Buffer, branches []Branch, margin string) {
	for _, br := range branches {
		b.WriteString(margin + "- " + markdownLine(br.Text) + "\n")
		markdownTree(b, br.Branches, margin+"  ")
	}
}

// markdownCode fences with more backticks than any line has in a row.
func markdownCode(b *bytes.Buffer, c Code) {
	longest := 0
	for _, line := range c.Lines {
		run := 0
		for _, r := range line {
			if r != '`' {
				run = 0
				continue
			}
			run++
			longest = max(longest, run)
		}
	}
	fence := strings.Repeat("`", max(3, longest+1))
	b.WriteString(fence + cmp.Or(c.Language, "sh") + "\n")
	for _, line := range c.Lines {
		b.WriteString(Visible(line) + "\n")
	}
	b.WriteString(fence + "\n")
}

// markup are the characters that mean something anywhere in a line, or make a link or mention of a word. Each is written as
// what shows it and does nothing.
var markup = strings.NewReplacer(
	`\`, `\\`, "`", "\\`", "*", `\*`, "_", `\_`, "[", `\[`, "]", `\]`, "|", `\|`, "~", `\~`, "#", `\#`,
	"&", "&amp;", "<", "&lt;", ">", "&gt;", "@", "&#64;", "http:", "http&#58;", "https:", "https&#58;", "HTTP:", "HTTP&#58;",
	"HTTPS:", "HTTPS&#58;", "ftp:", "ftp&#58;", "www.", "www&#46;", "WWW.", "WWW&#46;", "mailto:", "mailto&#58;")

// markdownText is text inside a line. A blank at its end would keep ** from being bold, and one at its beginning can make code
// of it, or of a branch another tree.
func markdownText(s string) string {
	const blank = "&#32;"
	s = markup.Replace(Visible(s))
	if strings.HasPrefix(s, " ") {
		s = blank + s[1:]
	}
	if strings.HasSuffix(s, " ") {
		s = s[:len(s)-1] + blank
	}
	return s
}

// markdownLine is text at the beginning of a line, where a few more characters make a list, a heading or a quotation.
func markdownLine(s string) string {
	s = markdownText(s)
	if s == "" {
		return s
	}
	switch s[0] {
	case '-', '+', '=', ':':
		return `\` + s
	}
	digits := strings.TrimLeft(s, "0123456789")
	if n := len(s) - len(digits); n > 0 && digits != "" && (digits[0] == '.' || digits[0] == ')') {
		return s[:n] + `\` + digits
	}
	return s
}
