package schema

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/proxaudit/proxaudit/audit"
	"github.com/proxaudit/proxaudit/render"
)

// TestStatefulCommands: what the commands print that keep something (a history, a baseline, ignore rules) is of its schema too, with
// all the fields that only they fill.
func TestStatefulCommands(t *testing.T) {
	c := compile(t)
	t.Chdir("../examples/homelab")
	dir := t.TempDir()
	earlier, rules, history := baseline(t), filepath.Join(dir, "ignore.yaml"), filepath.Join(dir, "history.db")
	from := []string{"--config", "proxaudit.yaml", "--from", "snapshot.json"}
	const fingerprint = "9ba7094b33b3273961ab179aea51b096"
	printed(t, []string{"ignore", "add", "--ignore", rules, "--fingerprint", fingerprint, "--reason", "a spare host", "--owner", "storage", "--expires", "never"})
	kinds := map[string]int{}
	for _, args := range [][]string{
		slices.Concat([]string{"report", "--history", history}, from),
		slices.Concat([]string{"report", "--history", history, "--ignore", rules, "--show-ignored"}, from),
		slices.Concat([]string{"report", "--baseline", earlier, "--ignore", rules}, from),
		slices.Concat([]string{"orphans", "--ignore", rules, "--show-ignored"}, from),
		slices.Concat([]string{"ignore", "list", "--ignore", rules}, from[2:]),
		{"ignore", "list", "--ignore", rules},
		{"history", "--history", history},
		{"history", "--history", history, "--fingerprint", fingerprint[:8]},
		{"version"},
	} {
		for _, format := range []string{"json", "yaml"} {
			run := slices.Concat(args, []string{"-o", format})
			got := printed(t, run)
			if format == "yaml" {
				var err error
				if got, err = yaml.YAMLToJSON(got); err != nil {
					t.Fatal(err)
				}
			}
			if strings.Contains(strings.Join(args, " "), "--show-ignored") && !strings.Contains(string(got), "a spare host") {
				t.Errorf("%v does not show what is ignored", run)
			}
			kinds[c.check(t, strings.Join(run, " "), got)]++
		}
	}
	for _, kind := range []string{audit.KindReport, audit.KindOrphanReport, audit.KindIgnoreList, audit.KindHistory, audit.KindFindingLife, render.KindVersion} {
		if kinds[kind] == 0 {
			t.Errorf("no command has printed a %s: %v", kind, kinds)
		}
	}
}
