package schema

import (
	"os"
	"strings"
	"testing"

	"github.com/proxaudit/proxaudit/render"
)

// TestDocs: docs/formats.md, where users find the schemas, names every format and leads to every schema and to none that is not there.
func TestDocs(t *testing.T) {
	data, err := os.ReadFile("../docs/formats.md")
	if err != nil {
		t.Fatal(err)
	}
	page := string(data)
	for _, name := range render.Formats() {
		if !strings.Contains(page, "`"+name+"`") {
			t.Errorf("the page does not name the format %s", name)
		}
	}
	for _, kind := range Kinds() {
		if !strings.Contains(page, "["+kind+"](../schema/"+kind+Suffix+")") {
			t.Errorf("the page does not lead to the schema of %s", kind)
		}
	}
	if links, kinds := strings.Count(page, Suffix+")"), len(Kinds()); links != kinds {
		t.Errorf("the page leads to %d schemas, and there are %d", links, kinds)
	}
}

// TestDocsGauges: the page has every gauge that a report writes, so that an alert is written against names that are there.
func TestDocsGauges(t *testing.T) {
	data, err := os.ReadFile("../docs/formats.md")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir("../examples/homelab")
	text := printed(t, []string{"report", "-o", "prometheus", "--config", "proxaudit.yaml", "--from", "snapshot.json", "--baseline", baseline(t)})
	gauges := 0
	for _, line := range strings.Split(string(text), "\n") {
		name, ok := strings.CutPrefix(line, "# TYPE ")
		if !ok {
			continue
		}
		gauges++
		name = strings.TrimSuffix(name, " gauge")
		// The page writes those of what orphan VMs hold as one name and three endings.
		short := "`…" + strings.TrimPrefix(name, "proxaudit_reclaimable") + "`"
		if !strings.Contains(string(data), "`"+name+"`") && !strings.Contains(string(data), short) {
			t.Errorf("the page does not have %s", name)
		}
	}
	if gauges < 15 {
		t.Errorf("the report has %d gauges", gauges)
	}
}

// baseline is the JSON of an earlier report, so that there are changes to count.
func baseline(t *testing.T) string {
	t.Helper()
	file := t.TempDir() + "/baseline.json"
	if err := os.WriteFile(file, printed(t, []string{"report", "-o", "json", "--config", "proxaudit.yaml", "--from", "snapshot.json"}), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}
