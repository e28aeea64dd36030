package rules_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/proxaudit/proxaudit/adopt"
	"github.com/proxaudit/proxaudit/audit/identity"
	"github.com/proxaudit/proxaudit/audit/rules"
)

var update = flag.Bool("update", false, "rewrite the rules' pages in docs/rules")

const docs = "../../docs/rules"

// TestDocs holds docs/rules to the rules: each page is made from the rule's own metadata, those of adoption (PXA2xx) included.
func TestDocs(t *testing.T) {
	pages := map[string]string{"README.md": indexPage()}
	for _, r := range rules.All() {
		pages[r.ID+".md"] = rulePage(r)
	}
	for _, r := range rules.OfClusters() {
		pages[r.ID+".md"] = rulePage(r)
	}
	for _, r := range adopt.Rules() {
		pages[r.ID+".md"] = adoptionPage(r)
	}
	for name, want := range pages {
		path := filepath.Join(docs, name)
		if *update {
			if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		got, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if string(got) != want {
			t.Errorf("%s is out of date: make generate", path)
		}
	}
	entries, err := os.ReadDir(docs)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if _, ok := pages[e.Name()]; !ok {
			t.Errorf("%s/%s belongs to no rule", docs, e.Name())
		}
	}
}

// severity of unknown depends on why: one that waits for a source is said by the run being incomplete.
func severity(r rules.Rule) string {
	if r.Class == identity.Unknown {
		return string(r.Severity) + " where something was not seen, else warning"
	}
	return string(r.Severity)
}

func indexPage() string {
	var b strings.Builder
	b.WriteString("# Rules\n\nWhat each finding means, why it matters, and what to do. `proxaudit explain SUBJECT` shows the evidence of one.\n\n")
	b.WriteString("| rule | class | severity | what is wrong |\n|---|---|---|---|\n")
	for _, r := range rules.All() {
		fmt.Fprintf(&b, "| [%s](%s.md) | `%s` | %s | %s |\n", r.ID, r.ID, r.Class, severity(r), r.Title)
	}
	b.WriteString("\n## Clusters\n\nWhat `proxaudit report` finds of clusters; `proxaudit why` has the rest of it.\n\n| rule | class | severity | what is wrong |\n|---|---|---|---|\n")
	for _, r := range rules.OfClusters() {
		fmt.Fprintf(&b, "| [%s](%s.md) | `%s` | %s | %s |\n", r.ID, r.ID, r.Class, severity(r), r.Title)
	}
	b.WriteString("\n## Adoption\n\nWhat `proxaudit adopt` looks at before it renders a bundle. Where one blocks there is no bundle: the exit code is 1, and stdout is empty.\n\n")
	b.WriteString("| rule | effect | what is wrong |\n|---|---|---|\n")
	for _, r := range adopt.Rules() {
		fmt.Fprintf(&b, "| [%s](%s.md) | %s | %s |\n", r.ID, r.ID, effect(r), r.Title)
	}
	b.WriteString("\nGenerated from the rules (`make generate`).\n")
	return b.String()
}

// effect says in a few words what a finding does to an adoption.
func effect(r adopt.Rule) string {
	switch {
	case r.Destroys:
		return "**blocks**, and `--force` does not override it"
	case r.Blocks:
		return "blocks"
	default:
		return "warns"
	}
}

func adoptionPage(r adopt.Rule) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s: %s\n\n", r.ID, r.Title)
	switch {
	case r.Destroys:
		b.WriteString("Blocks an adoption. What it is about can destroy something, so that `--force` does not override it.\n")
	case r.Blocks:
		b.WriteString("Blocks an adoption. It can destroy nothing: `--force` renders in spite of it, where the manifests can be written at all.\n")
	default:
		b.WriteString("A warning: the bundle is rendered.\n")
	}
	fmt.Fprintf(&b, "\n## Why it matters\n\n%s\n\n## What to do\n\n%s\n", r.Why, r.Remedy)
	b.WriteString("\nGenerated from the rule (`make generate`). How an adoption goes: [adoption](../adoption.md).\n")
	return b.String()
}

func rulePage(r rules.Rule) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s: %s\n\nClass `%s`, severity %s.\n\n## Why it matters\n\n%s\n\n## What to do\n\n%s\n", r.ID, r.Title,
		r.Class, severity(r), r.Why, r.Remedy)
	if len(r.Sources) > 0 {
		b.WriteString("\n## What the verdict needs\n\nIf one of these did not answer, the verdict is `unknown` instead.\n\n")
		for _, s := range r.Sources {
			fmt.Fprintf(&b, "- %s\n", s)
		}
	}
	b.WriteString("\nGenerated from the rule (`make generate`). How classes are decided: [verdicts](../verdicts.md).\n")
	return b.String()
}

// TestCatalogue: IDs and classes are unique, every class that is listed has a rule, and every rule says all of it.
func TestCatalogue(t *testing.T) {
	ids, classes := map[string]bool{}, map[identity.Class]bool{}
	for _, r := range rules.All() {
		if ids[r.ID] || classes[r.Class] {
			t.Errorf("%s (%s) is there twice", r.ID, r.Class)
		}
		ids[r.ID], classes[r.Class] = true, true
		if r.Title == "" || r.Why == "" || r.Remedy == "" || r.Sources == nil || r.Severity.Rank() > 2 {
			t.Errorf("%s says not all that a rule has to", r.ID)
		}
	}
	for _, c := range identity.Classes() {
		if c.IsFinding() && !classes[c] {
			t.Errorf("class %s is a finding and has no rule", c)
		}
	}
	if len(ids) < 11 {
		t.Fatalf("%d rules: the test does not see the catalogue", len(ids))
	}
}
