package adoption

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

var update = flag.Bool("update", false, "write testdata/brakes.md anew")

// brake is a manifest with one piece of the product's care left out.
type brake struct {
	// manifest says what is left out, as a row of testdata/brakes.md has it.
	manifest string
	// controller acts on the object of this kind and name.
	controller, kind, name string
	// want is the outcome: what verify foretells, and what happens. It stands here a third time so that a change of both
	// is noticed.
	want string
	// shown waits for a state by which the outcome is to be seen, and is "" as soon as it is; it returns what is to be told.
	shown func(t *testing.T) (told, missing string)
	// outcome says what happened, from the objects and from what was asked of Proxmox, and knows nothing of want.
	outcome func(t *testing.T) string
	// writes are those at Proxmox that the case leads to.
	writes func(t *testing.T) string
}

// prediction is what verify says of one object.
type prediction struct {
	Controller string
	Object     struct{ Kind, Name string }
	Step       string
	Outcome    string
	Why        []string
}

// verification is as much of verify's JSON as the tests look at.
type verification struct {
	Predictions []prediction
	Checks      []struct {
		Name, State, Detail string
		Subject             struct{ ID string }
	}
}

// verify asks verify, which has to find that it is not safe to go on, and says why.
func (w *World) verify(t *testing.T, code int, args ...string) verification {
	t.Helper()
	args = append([]string{"verify", "--cluster", prod, "-o", "json"}, args...)
	o := w.Proxaudit(t, args...).Want(t, code)
	var v verification
	if err := json.Unmarshal(o.Stdout, &v); err != nil {
		t.Fatal(err)
	}
	return v
}

// foretold is what verify says that a controller would do to an object as it is. It may say several things of one. What would come
// of it once the last step takes the brakes off is another question.
func (v verification) foretold(controller, kind, name string) (outcomes []string) {
	for _, p := range v.Predictions {
		if p.Controller == controller && p.Object.Kind == kind && p.Object.Name == name && p.Step != "finish" {
			outcomes = append(outcomes, p.Outcome)
		}
	}
	return outcomes
}

// failed is what a check of a name that fails says; empty if none does.
func (v verification) failed(check string) string {
	for _, c := range v.Checks {
		if c.Name == check && c.State == "failed" {
			return c.Detail
		}
	}
	return ""
}

// meet compares what was foretold with what happens, for brakes that are let go at once, and writes their rows.
func (w *World) meet(t *testing.T, v verification, brakes []brake) {
	t.Helper()
	for _, b := range brakes {
		t.Run(strings.ReplaceAll(b.manifest, "/", "-"), func(t *testing.T) {
			before := v.foretold(b.controller, b.kind, b.name)
			if !slices.Equal(before, []string{b.want}) {
				t.Errorf("verify said %q before, want %q\n%s", before, b.want, v.about(b))
			}
			told := ""
			w.WaitFor(t, b.manifest, 90*time.Second, func() (missing string) {
				told, missing = b.shown(t)
				return missing
			})
			happened := b.outcome(t)
			if !slices.Equal(before, []string{happened}) {
				t.Errorf("verify said %q before, and it came to %q: %s", before, happened, told)
			}
			row(t, b.manifest, fmt.Sprintf("%s/%s: `%s`", strings.ToLower(b.kind), b.name, strings.Join(before, "`, `")), "`"+happened+"`: "+told, b.writes(t))
		})
	}
}

// about is everything that verify said of what a brake is about.
func (v verification) about(b brake) string {
	var out strings.Builder
	for _, p := range v.Predictions {
		if p.Object.Name == b.name || p.Object.Kind == b.kind {
			fmt.Fprintf(&out, "%s %s/%s %s: %s\n", p.Controller, p.Object.Kind, p.Object.Name, p.Outcome, strings.Join(p.Why, "; "))
		}
	}
	return out.String()
}

const brakesHead = "| the manifest | `verify` before | what the controllers then did | asked of Proxmox |\n|---|---|---|---|\n"

// rows are the brakes in the order of testdata/brakes.md: that each has a test shows in TestBrakesComplete.
var rows = slices.Concat(workerRows, identityRows, deletionRows, planeRows, secretRows, refusedRows)

func brakesFile() string { return filepath.Join("testdata", "brakes.md") }

// rowsWritten are the lines of testdata/brakes.md by what is in their first column.
func rowsWritten(t *testing.T) map[string]string {
	t.Helper()
	out := map[string]string{}
	data, err := os.ReadFile(brakesFile())
	if err != nil && (!*update || !os.IsNotExist(err)) {
		t.Fatal(err)
	}
	for line := range strings.Lines(strings.TrimPrefix(string(data), brakesHead)) {
		first, _, _ := strings.Cut(strings.TrimPrefix(line, "| "), " | ")
		out[first] = line
	}
	return out
}

// row compares one row of testdata/brakes.md with what happened.
func row(t *testing.T, cells ...string) {
	t.Helper()
	if !slices.Contains(rows, cells[0]) {
		t.Fatalf("%q is not among the rows of %s", cells[0], brakesFile())
	}
	line := "| " + strings.Join(cells, " | ") + " |\n"
	written := rowsWritten(t)
	if written[cells[0]] == line {
		return
	}
	if !*update {
		t.Errorf("%s says\n%swant\n%s", brakesFile(), written[cells[0]], line)
		return
	}
	written[cells[0]] = line
	out := brakesHead
	for _, name := range rows {
		out += written[name]
	}
	if err := os.WriteFile(brakesFile(), []byte(out), 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestBrakesComplete: testdata/brakes.md, which docs/adoption.md shows, has a row for each brake and no other.
func TestBrakesComplete(t *testing.T) {
	want := brakesHead
	written := rowsWritten(t)
	for _, name := range rows {
		if written[name] == "" {
			t.Errorf("no row %q", name)
		}
		want += written[name]
	}
	if got := string(readFile(t, brakesFile())); got != want {
		t.Errorf("%s is\n%swant\n%s", brakesFile(), got, want)
	}
	const page, begins, ends = "../../docs/adoption.md", "<!-- brakes -->\n", "<!-- /brakes -->\n"
	before, rest, _ := strings.Cut(string(readFile(t, page)), begins)
	shown, after, ok := strings.Cut(rest, ends)
	switch {
	case !ok:
		t.Errorf("%s has no place for the table", page)
	case shown == "\n"+want+"\n":
	case *update:
		if err := os.WriteFile(page, []byte(before+begins+"\n"+want+"\n"+ends+after), 0o644); err != nil {
			t.Fatal(err)
		}
	default:
		t.Errorf("%s does not show %s (-update writes it)", page, brakesFile())
	}
}
