package cli

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"
)

// Help fits 80 columns: that is what a serial console and half of all terminals have. The library's own templates do
// not wrap, so that the two pages are written here.
const (
	helpWidth  = 80
	helpColumn = 27
)

func init() {
	cli.HelpPrinter = func(w io.Writer, _ string, data any) {
		var b bytes.Buffer
		switch v := data.(type) {
		case *cli.App:
			programHelp(&b, v)
		case *cli.Command:
			commandHelp(&b, v)
		}
		// The library has no way to return an error from here: the writer remembers it.
		_, _ = w.Write(b.Bytes())
	}
}

func programHelp(b *bytes.Buffer, app *cli.App) {
	fmt.Fprintf(b, "%s\n\n%s\n\nUsage: %s COMMAND [flags]\n\nCommands:\n", app.Usage, app.Description, app.Name)
	for _, c := range app.Commands {
		if !c.Hidden {
			entry(b, "  "+c.Name, c.Usage, 14)
		}
	}
	fmt.Fprintf(b, "\nExamples:\n  %[1]s doctor\n  %[1]s orphans\n  %[1]s explain vm/lab/105\n\n"+
		"Flags come behind the command. %[1]s COMMAND --help lists them.\n", app.Name)
}

func commandHelp(b *bytes.Buffer, c *cli.Command) {
	if c.Name == c.HelpName {
		// The program without a command.
		return
	}
	fmt.Fprintf(b, "%s.\n\nUsage: %s\n", capital(c.Usage), usageLine(c))
	if c.Description != "" {
		fmt.Fprintf(b, "\n%s\n", c.Description)
	}
	for _, cat := range categories(c) {
		flags := flagsOf(c, cat)
		if len(flags) == 0 {
			continue
		}
		title := cat
		if title == "" {
			title = "Help"
		}
		fmt.Fprintf(b, "\n%s:\n", title)
		for _, f := range flags {
			entry(b, flagNames(f), flagUsage(f), helpColumn)
		}
	}
}

// categories are those of a command's flags in the order of help: its own, whatever they are called, then the shared ones.
func categories(c *cli.Command) []string {
	own, shared := []string{catCommand}, []string{catInput, catVerdict, catOutput, ""}
	for _, f := range c.Flags {
		if cf, ok := f.(cli.CategorizableFlag); ok && !slices.Contains(own, cf.GetCategory()) && !slices.Contains(shared, cf.GetCategory()) {
			own = append(own, cf.GetCategory())
		}
	}
	return append(own, shared...)
}

func flagsOf(c *cli.Command, category string) []cli.DocGenerationFlag {
	var out []cli.DocGenerationFlag
	for _, f := range c.Flags {
		d, ok := f.(cli.DocGenerationFlag)
		if !ok || !visible(f) {
			continue
		}
		got := ""
		if cf, ok := f.(cli.CategorizableFlag); ok {
			got = cf.GetCategory()
		}
		if got == category {
			out = append(out, d)
		}
	}
	return out
}

// flagNames is "  -o, --output FORMAT": the short form first, as kubectl has it.
func flagNames(f cli.DocGenerationFlag) string {
	var short, long string
	for _, n := range f.(cli.Flag).Names() {
		if len(n) == 1 {
			short = "-" + n + ", "
		} else if long == "" {
			long = "--" + n
		}
	}
	if short == "" {
		short = "    "
	}
	s := "  " + short + long
	if value, _ := placeholder(f.GetUsage()); f.TakesValue() && value != "" {
		s += " " + value
	}
	return s
}

func flagUsage(f cli.DocGenerationFlag) string {
	_, text := placeholder(f.GetUsage())
	return text
}

// placeholder takes the value's name out of a usage text, where it stands between backquotes.
func placeholder(usage string) (name, text string) {
	before, rest, ok := strings.Cut(usage, "`")
	if !ok {
		return "", usage
	}
	name, after, _ := strings.Cut(rest, "`")
	return name, before + name + after
}

// entry writes a name and, beside it, a text that is wrapped in its column.
func entry(b *bytes.Buffer, name, text string, column int) {
	lines := wrapText(text, helpWidth-column)
	if len(name) >= column-1 {
		b.WriteString(name + "\n")
	} else {
		b.WriteString(name + strings.Repeat(" ", column-len(name)) + lines[0] + "\n")
		lines = slices.Delete(lines, 0, 1)
	}
	for _, l := range lines {
		b.WriteString(strings.Repeat(" ", column) + l + "\n")
	}
}

func wrapText(text string, limit int) []string {
	lines := []string{""}
	for _, w := range strings.Fields(text) {
		last := &lines[len(lines)-1]
		switch {
		case *last == "":
			*last = w
		case len(*last)+1+len(w) <= limit:
			*last += " " + w
		default:
			lines = append(lines, w)
		}
	}
	return lines
}

func capital(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}
