package render

// The colours are the eight that every terminal has, so that they follow the theme of the person who reads.
var sgr = map[Style]string{
	Good:  "\x1b[32m",
	Info:  "\x1b[36m",
	Warn:  "\x1b[33m",
	Bad:   "\x1b[31m",
	Faint: "\x1b[2m",
}

const sgrReset = "\x1b[0m"

// paint colours text that is already safe. Each line is painted by itself: a colour that spans a line break would run
// into the columns beside it.
func paint(text string, s Style, o Options) string {
	code, ok := sgr[s]
	if !o.Colour || !ok || text == "" {
		return text
	}
	return code + text + sgrReset
}
