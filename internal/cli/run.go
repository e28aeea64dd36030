package cli

import (
	"fmt"
	"io"
	"regexp"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/proxaudit/proxaudit/inventory"
	"github.com/proxaudit/proxaudit/inventory/proxmox/redact"
	"github.com/proxaudit/proxaudit/render"
)

// run is one command at work: where it writes, and how much it says.
type run struct {
	env       *Env
	quiet     bool
	verbose   bool
	colour    bool
	noHeaders bool
	// remembered are VMs that an earlier run has seen: whether they are gone is asked for.
	remembered []inventory.Key
	// others is what other scans have seen, for --probe-from.
	others *inventory.Snapshot
}

func newRun(c *cli.Context, env *Env) (*run, error) {
	r := &run{env: env, quiet: c.Bool("quiet"), verbose: c.Bool("verbose"), noHeaders: c.Bool("no-headers")}
	if r.quiet && r.verbose {
		return nil, usagef("--quiet and --verbose contradict each other")
	}
	r.colour = env.StdoutTerminal && !c.Bool("no-color") && !env.noColour() && !env.dumbTerminal()
	return r, nil
}

// warnf says something that a person should know and that does not stop the run.
func (r *run) warnf(format string, args ...any) {
	if !r.quiet {
		r.tell("warning: " + fmt.Sprintf(format, args...))
	}
}

// tell says one line on standard error, in as many as its width wants. A word that is wider stays whole.
func (r *run) tell(line string) {
	text := strings.TrimLeft(line, " ")
	indent := line[:len(line)-len(text)]
	if r.env.StderrWidth <= len(indent) {
		Say(r.env.Stderr, line)
		return
	}
	Say(r.env.Stderr, indent+strings.Join(wrapText(text, r.env.StderrWidth-len(indent)), "\n"+indent))
}

// stdout is where the result goes.
func (r *run) stdout() io.Writer {
	if r.env.StdoutNowhere {
		r.warnf("standard output is closed, so that the result is lost (-o FORMAT=FILE writes it to a file)")
	}
	return pipe{w: r.env.Stdout}
}

// verbosef says what is being done.
func (r *run) verbosef(format string, args ...any) {
	if r.verbose {
		Say(r.env.Stderr, fmt.Sprintf(format, args...))
	}
}

// cleaned is a URL that was taken for a path: filepath.Clean leaves one slash.
var cleaned = regexp.MustCompile(`([A-Za-z]:/)([^/])`)

// tokenSecret is what follows a Proxmox token's ID.
var tokenSecret = regexp.MustCompile(`([^\s:/!=]@[^\s!=]+![^\s!=]+=)[^\s"',;]+`)

// withoutCredentials takes the user information of URLs out of a message, as it is done with what servers say, and the
// secret of a token behind its ID. Where somebody gave such a thing for a file's name, it is in the error of the file
// system.
func withoutCredentials(line string) string {
	line = tokenSecret.ReplaceAllString(line, "${1}"+redact.Word)
	whole := cleaned.ReplaceAllString(line, "$1/$2")
	if safe := redact.Text(whole); safe != whole {
		return safe
	}
	return line
}

// Say writes a message for a person. Server answers and names of others end up in messages, so that each line is made
// safe for a terminal, and shows no password of a URL.
func Say(w io.Writer, msg string) {
	var b strings.Builder
	for line := range strings.SplitSeq(strings.TrimRight(msg, "\n"), "\n") {
		b.WriteString(render.Visible(withoutCredentials(line)))
		b.WriteByte('\n')
	}
	// There is no place left to say that standard error cannot be written.
	_, _ = io.WriteString(w, b.String())
}
