package transport

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxText bounds what of a server's words goes into an error: they end up in one line of a report.
const maxText = 300

// oneLine folds control characters and runs of white space into single blanks and cuts the rest off.
func oneLine(s string) string {
	if len(s) > 4*maxText {
		s = s[:4*maxText]
	}
	s = strings.ToValidUTF8(s, "�")
	s = strings.Join(strings.FieldsFunc(s, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }), " ")
	if utf8.RuneCountInString(s) > maxText {
		s = string([]rune(s)[:maxText]) + "…"
	}
	return s
}
