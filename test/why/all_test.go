package why

import (
	"encoding/json"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/proxaudit/proxaudit/test/world"
)

func readFile(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// all: one line for each cluster, and an account that may do only what examples/rbac grants sees the same.
func (b *bench) all(t *testing.T, states []state) {
	names := []string{"management", prod}
	for _, s := range states {
		names = append(names, s.name)
	}
	out := string(b.proxaudit(t, "why", "--all").Want(t, 1).Stdout)
	for _, name := range names {
		if n := len(regexp.MustCompile(`(?m)^\s*`+regexp.QuoteMeta(name)+`\s`).FindAllString(out, -1)); n != 1 {
			t.Errorf("%s has %d lines in\n%s", name, n, out)
		}
	}
	ask := func(config string) string {
		o := world.Run(t, b.program, b.dir, config, b.confidential, "why", "--all", "-o", "json").Want(t, 1)
		var r report
		if err := json.Unmarshal(o.Stdout, &r); err != nil {
			t.Fatal(err)
		}
		var lines []string
		for _, c := range r.Items {
			line := c.Cluster + " " + c.State + " " + c.Phase
			if c.Baton != nil {
				line += " " + c.Baton.Holder + " " + c.Baton.Cause + " " + c.Baton.Object.Kind + "/" + c.Baton.Object.Name
			}
			lines = append(lines, line)
		}
		if len(lines) != len(names) {
			t.Errorf("%d clusters, want %d", len(lines), len(names))
		}
		return strings.Join(lines, "\n")
	}
	if person, reader := ask(b.config), ask(b.readerConfig); person != reader {
		t.Errorf("a person sees\n%s\nand the reader\n%s", person, reader)
	}
}
