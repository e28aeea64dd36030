package render

import (
	"strings"

	"github.com/olekukonko/tablewriter/pkg/twwidth"
)

// Characters of ambiguous width count as narrow, whatever the locale: the library would read it from the environment,
// and then the same file would not give the same bytes on two machines.
func init() { twwidth.SetEastAsian(false) }

// width is the number of terminal columns that safe text takes.
func width(s string) int {
	if isPlain(s) {
		return len(s)
	}
	return twwidth.Width(s)
}

// wrap breaks safe text into lines of at most limit columns, at blanks where there are any and inside a word where the
// word alone is wider. Nothing is lost: identifiers have to survive a narrow terminal. A limit of 0 means no limit.
func wrap(s string, limit int) []string {
	if limit <= 0 || width(s) <= limit {
		return []string{s}
	}
	var lines []string
	line, used := "", 0
	for _, word := range strings.Fields(s) {
		w := width(word)
		switch {
		case used == 0:
		case used+1+w <= limit:
			line, used = line+" "+word, used+1+w
			continue
		default:
			lines = append(lines, line)
		}
		var head []string
		head, word = breakWord(word, limit)
		lines = append(lines, head...)
		line, used = word, width(word)
	}
	if used > 0 || len(lines) == 0 {
		lines = append(lines, line)
	}
	return lines
}

// breakWord cuts a word that is wider than limit; the rest fits. It prefers to cut behind a separator in the last third
// of a line, because that is where a person looks for the parts of an identifier.
func breakWord(word string, limit int) (head []string, rest string) {
	for width(word) > limit {
		used, cut, nice := 0, 0, 0
		for i, r := range word {
			w := width(string(r))
			if used+w > limit && i > 0 {
				break
			}
			used += w
			cut = i + len(string(r))
			if strings.ContainsRune("/-.,:;=_@", r) && used > limit*2/3 {
				nice = cut
			}
		}
		if nice > 0 {
			cut = nice
		}
		head = append(head, word[:cut])
		word = word[cut:]
	}
	return head, word
}

// indent puts a prefix before the first line and as many blanks before the others.
func indent(lines []string, prefix string) string {
	pad := strings.Repeat(" ", width(prefix))
	var b strings.Builder
	for i, l := range lines {
		if i == 0 {
			b.WriteString(prefix)
		} else {
			b.WriteString(pad)
		}
		b.WriteString(l)
		b.WriteByte('\n')
	}
	return b.String()
}
