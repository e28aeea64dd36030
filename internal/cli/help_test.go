package cli

import (
	"bytes"
	"regexp"
	"strings"
	"testing"

	"github.com/urfave/cli/v2"
)

// TestHelp: each command has an example that its own parser takes, and each flag says in plain words what it does.
func TestHelp(t *testing.T) {
	env := Env{Stdout: &bytes.Buffer{}, Stderr: &bytes.Buffer{}}
	app := newApp(&env, "proxaudit", nil, new(error))
	if len(app.Commands) < 8 {
		t.Fatalf("%d commands", len(app.Commands))
	}
	for _, c := range app.Commands {
		_, examples, ok := strings.Cut(c.Description, "Examples:\n")
		if !ok || !strings.Contains(examples, "proxaudit "+c.Name) {
			t.Errorf("%s has no example of its own", c.Name)
		}
		for line := range strings.SplitSeq(examples, "\n") {
			exampleParses(t, c, line)
		}
		for _, sub := range c.Subcommands {
			if !strings.Contains(sub.Description, "proxaudit "+c.Name+" "+sub.Name) {
				t.Errorf("%s %s has no example of its own", c.Name, sub.Name)
			}
			for line := range strings.SplitSeq(sub.Description+"\n"+examples, "\n") {
				exampleParses(t, sub, strings.Replace(line, "proxaudit "+c.Name+" ", "proxaudit ", 1))
			}
		}
		for _, f := range c.Flags {
			d, ok := f.(cli.DocGenerationFlag)
			if !ok || !visible(f) {
				continue
			}
			usage := flagUsage(d)
			if usage == "" || strings.HasSuffix(usage, ".") || strings.Contains(usage, "\n") {
				t.Errorf("%s: %s says %q", c.Name, f.Names()[0], usage)
			}
			if value, _ := placeholder(d.GetUsage()); d.TakesValue() != (value != "") {
				t.Errorf("%s: %s takes a value and names none, or the other way round", c.Name, f.Names()[0])
			}
		}
	}
}

// exampleParses fails for an example whose flags the command does not have, or refuses.
func exampleParses(t *testing.T, c *cli.Command, line string) {
	t.Helper()
	words := strings.Fields(line)
	for i, w := range words {
		if w == "|" || w == ">" {
			words = words[:i]
			break
		}
	}
	if len(words) < 2 || words[0] != "proxaudit" || words[1] != c.Name {
		return
	}
	for _, w := range words[2:] {
		// The library adds --help to a command when it parses.
		if name := strings.TrimLeft(w, "-"); name != w && name != "help" && len(c.Subcommands) == 0 {
			if f := findFlag(c.Flags, name); f == nil || !visible(f) {
				t.Errorf("%s: the example %q has %s, which the command has not", c.Name, strings.TrimSpace(line), w)
			}
		}
	}
}

// TestHelpHasEveryFlag: what the command line takes, its help lists, once.
func TestHelpHasEveryFlag(t *testing.T) {
	b := newBench(t)
	app := newApp(&Env{Stdout: &bytes.Buffer{}, Stderr: &bytes.Buffer{}}, "proxaudit", nil, new(error))
	for _, c := range app.Commands {
		if c.Hidden || c.Name == "help" {
			continue
		}
		b.ok("help", c.Name)
		help := b.stdout.String()
		for _, f := range c.Flags {
			if !visible(f) {
				continue
			}
			for _, name := range f.Names() {
				entry := "  (    |-\\w, )--" + regexp.QuoteMeta(name) + "( |$)"
				if len(name) == 1 {
					entry = "  -" + name + ", --"
				}
				if n := len(regexp.MustCompile("(?m)^"+entry).FindAllString(help, -1)); n != 1 {
					t.Errorf("%s --help lists %s %d times", c.Name, name, n)
				}
			}
		}
	}
}

// TestFlagsFit: help lists no flag that the command refuses.
func TestFlagsFit(t *testing.T) {
	b := newBench(t)
	for command, flags := range meaningless {
		path := []string{command}
		if command == "add" || command == "list" {
			path = []string{"ignore", command}
		}
		b.ok(append([]string{"help"}, path...)...)
		help := b.stdout.String()
		for _, f := range flags {
			if regexp.MustCompile(`(?m)^ +(-., )?--` + f + `( |$)`).MatchString(help) {
				t.Errorf("%s --help lists --%s", command, f)
			}
		}
		if !strings.Contains(help, "Usage: proxaudit "+strings.Join(path, " ")) {
			t.Errorf("no help of %s:\n%s", command, help)
		}
	}
}
