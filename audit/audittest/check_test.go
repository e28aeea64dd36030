package audittest_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/proxaudit/proxaudit/audit/audittest"
	"github.com/proxaudit/proxaudit/inventory/inventorytest"
)

// recorder is a test that does not fail but remembers why it would have.
type recorder struct {
	testing.TB
	errors []string
}

func (r *recorder) Helper() {}

func (r *recorder) Errorf(format string, args ...any) {
	r.errors = append(r.errors, fmt.Sprintf(format, args...))
}

// TestCheckFails: a helper that cannot fail makes tests that cannot fail.
func TestCheckFails(t *testing.T) {
	const fleet = `
vms: [{id: 101, name: w-1, uuid: $u1}, {id: 102, name: db, uuid: $u2}, {id: 103, unread: true}]
nodes: [{name: w-1, uuid: $u1}]
`
	for want, expectation := range map[string]string{
		"want orphan-vm":              "want: {vm/lab/101: orphan-vm}",
		"for the reason":              "want: {vm/lab/101: {class: adoptable, reason: linked}}",
		"with confidence":             "want: {vm/lab/101: {class: adoptable, confidence: low}}",
		"belongs to":                  "want: {vm/lab/101: {class: adoptable, cluster: stage}}",
		"as missing":                  "want: {vm/lab/103: {class: unknown, missing: [site/lab guests]}}",
		"has the notes":               "want: {vm/lab/101: {class: adoptable, notes: [paused]}}",
		"as the other side":           "want: {vm/lab/101: {class: adoptable, rivals: [vm/lab/102]}}",
		"are two entities":            "want: {vm/lab/101: {class: adoptable, with: [vm/lab/102]}}",
		"calls itself incomplete":     "incomplete: false\nwant: {vm/lab/101: adoptable}",
		"system-uuid proof node/prod": "want: {node/prod/w-1: managed}",
	} {
		f, err := inventorytest.Parse([]byte(fleet + expectation))
		if err != nil {
			t.Fatal(err)
		}
		r := &recorder{TB: t}
		audittest.Check(r, f)
		if !strings.Contains(strings.Join(r.errors, "\n"), want) {
			t.Errorf("%s: got the failures %q, want one with %q", expectation, r.errors, want)
		}
	}
	f, err := inventorytest.Parse([]byte(fleet + "incomplete: true\nwant: {vm/lab/101: {class: adoptable, with: [node/prod/w-1]}, vm/lab/102: unrelated}"))
	if err != nil {
		t.Fatal(err)
	}
	r := &recorder{TB: t}
	if g := audittest.Check(r, f); g == nil || len(r.errors) > 0 {
		t.Errorf("a fixture that holds fails: %q", r.errors)
	}
	f.Want["vm/lab/999"] = inventorytest.Verdict{Class: "unrelated"}
	f.Want["nonsense"] = inventorytest.Verdict{Class: "unrelated"}
	f.Want["vm/lab/101"] = inventorytest.Verdict{Class: "adoptable", With: []string{"nonsense"}}
	audittest.Check(r, f)
	if all := strings.Join(r.errors, "\n"); len(r.errors) != 3 || !strings.Contains(all, "has no entity") {
		t.Errorf("subjects that do not exist: %q", r.errors)
	}
}
