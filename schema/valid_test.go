package schema

import (
	"bytes"
	"encoding/json"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"sigs.k8s.io/yaml"

	"github.com/proxaudit/proxaudit/internal/cli"
)

// compiled are the schemas as a validator has them that is not ours: as they are published, and strict ones, which take no field
// that they do not name. The latter are for the tests: what the program writes must be what the schemas tell.
type compiled struct{ published, strict map[string]*jsonschema.Schema }

func compile(t *testing.T) *compiled {
	t.Helper()
	out := &compiled{map[string]*jsonschema.Schema{}, map[string]*jsonschema.Schema{}}
	for _, kind := range Kinds() {
		for _, way := range []struct {
			into    map[string]*jsonschema.Schema
			tighten bool
		}{{out.published, false}, {out.strict, true}} {
			text, err := Of(kind)
			if err != nil {
				t.Fatal(err)
			}
			doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
			if err != nil {
				t.Fatalf("%s: %v", kind, err)
			}
			if way.tighten {
				tighten(doc)
			}
			c := jsonschema.NewCompiler()
			c.AssertFormat()
			if err := c.AddResource("file:///schema", doc); err != nil {
				t.Fatal(err)
			}
			s, err := c.Compile("file:///schema")
			if err != nil {
				t.Fatalf("%s: %v", kind, err)
			}
			if s.DraftVersion != 2020 {
				t.Errorf("%s is of draft %d", kind, s.DraftVersion)
			}
			way.into[kind] = s
		}
	}
	return out
}

// tighten closes every object that names its fields.
func tighten(v any) {
	switch v := v.(type) {
	case map[string]any:
		if _, ok := v["properties"].(map[string]any); ok && v["type"] == "object" {
			v["additionalProperties"] = false
		}
		for _, k := range slices.Sorted(maps.Keys(v)) {
			tighten(v[k])
		}
	case []any:
		for _, x := range v {
			tighten(x)
		}
	}
}

// check validates one result, and returns its kind.
func (c *compiled) check(t *testing.T, name string, text []byte) string {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Errorf("%s: %v", name, err)
		return ""
	}
	object, _ := doc.(map[string]any)
	kind, _ := object["kind"].(string)
	if _, has := object["kind"]; !has {
		kind = snapshotKind
	}
	if c.strict[kind] == nil {
		t.Errorf("%s: there is no schema of kind %q", name, kind)
		return kind
	}
	if err := c.strict[kind].Validate(doc); err != nil {
		t.Errorf("%s: %v", name, err)
	} else if err := c.published[kind].Validate(doc); err != nil {
		t.Errorf("%s, as published: %v", name, err)
	}
	return kind
}

// TestGoldens: every JSON and YAML output of the renderers' tests is of its schema, hostile names and all.
func TestGoldens(t *testing.T) {
	c, seen := compile(t), map[string]int{}
	for _, pattern := range []string{"../render/testdata/golden/*.json", "../render/testdata/golden/*.yaml", "../test/testdata/golden/*.json"} {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: %v, %d files", pattern, err, len(files))
		}
		for _, name := range files {
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			if filepath.Ext(name) == ".yaml" {
				if text, err = yaml.YAMLToJSON(text); err != nil {
					t.Fatalf("%s: %v", name, err)
				}
			}
			if base := strings.TrimSuffix(filepath.Base(name), filepath.Ext(name)); base == "plan-notes" || base == "rejections" {
				continue // notes beside a result, which no -o json prints
			}
			seen[c.check(t, name, text)]++
		}
	}
	for _, kind := range Kinds() {
		if seen[kind] == 0 && kind != snapshotKind {
			t.Errorf("no golden file is of kind %s", kind)
		}
	}
}

// TestCommands: what the commands print of the examples is of its schema, as JSON and as YAML, and so are the snapshots.
func TestCommands(t *testing.T) {
	c := compile(t)
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	for _, example := range []struct {
		name, cluster, explain, adopted string
	}{{"homelab", "home", "vm/homelab/204", ""}, {"messy", "web", "", ""}, {"prod", "prod", "", "adopted.json"}, {"stuck", "", "", ""}} {
		t.Run(example.name, func(t *testing.T) {
			t.Chdir(filepath.Join(root, "examples", example.name))
			text, err := os.ReadFile("snapshot.json")
			if err != nil {
				t.Fatal(err)
			}
			c.check(t, "snapshot.json", text)
			commands := [][]string{{"orphans"}, {"orphans", "--all"}, {"inventory"}, {"why"}, {"report"}}
			if example.cluster != "" {
				commands = append(commands, []string{"adopt", "--cluster", example.cluster})
			}
			if example.adopted != "" {
				commands = append(commands, []string{"verify", "--cluster", example.cluster})
			}
			if example.explain != "" {
				commands = append(commands, []string{"explain", example.explain})
			}
			kinds := map[string]bool{}
			for _, args := range commands {
				for _, format := range []string{"json", "yaml"} {
					// Flags come first, for explain takes a subject.
					from := "snapshot.json"
					if args[0] == "verify" {
						from = example.adopted
					}
					run := slices.Concat([]string{args[0], "-o", format, "--config", "proxaudit.yaml", "--from", from}, args[1:])
					got := printed(t, run)
					if format == "yaml" {
						if got, err = yaml.YAMLToJSON(got); err != nil {
							t.Fatal(err)
						}
					}
					kinds[c.check(t, strings.Join(run, " "), got)] = true
				}
			}
			if len(kinds) < 4 {
				t.Errorf("the commands have printed %v only", kinds)
			}
		})
	}
}

// printed is the standard output of a command.
func printed(t *testing.T, args []string) []byte {
	t.Helper()
	var stdout, stderr bytes.Buffer
	env := cli.Env{Stdout: &stdout, Stderr: &stderr, Now: time.Now, Deps: cli.Collectors(), Getenv: func(string) (string, bool) { return "", false }}
	var verdict *cli.Verdict
	if err := cli.Run(t.Context(), append([]string{"proxaudit"}, args...), env); err != nil && !errors.As(err, &verdict) {
		t.Fatalf("%v: %v\n%s", args, err, stderr.String())
	}
	return stdout.Bytes()
}

// TestFails: a schema that takes everything would prove nothing.
func TestFails(t *testing.T) {
	c := compile(t)
	text, err := os.ReadFile("../render/testdata/golden/report.json")
	if err != nil {
		t.Fatal(err)
	}
	finding := func(doc map[string]any) map[string]any { return doc["findings"].([]any)[0].(map[string]any) }
	for name, tt := range map[string]struct {
		spoil      func(map[string]any)
		compatible bool
	}{
		"another kind":            {func(d map[string]any) { d["kind"] = "Inventory" }, false},
		"another version":         {func(d map[string]any) { d["formatVersion"] = "proxaudit/v2" }, false},
		"a severity that is none": {func(d map[string]any) { finding(d)["severity"] = "awful" }, false},
		"a class that is none":    {func(d map[string]any) { finding(d)["class"] = "lost" }, false},
		"a text for a number":     {func(d map[string]any) { d["summary"].(map[string]any)["vms"] = "7" }, false},
		"a date that is none":     {func(d map[string]any) { d["generatedAt"] = "yesterday" }, false},
		"no fingerprint":          {func(d map[string]any) { delete(finding(d), "fingerprint") }, false},
		"a new field":             {func(d map[string]any) { finding(d)["later"] = true }, true},
		"a new field at the top":  {func(d map[string]any) { d["later"] = 1 }, true},
	} {
		var doc map[string]any
		if err := json.Unmarshal(text, &doc); err != nil {
			t.Fatal(err)
		}
		tt.spoil(doc)
		changed, err := json.Marshal(doc)
		if err != nil {
			t.Fatal(err)
		}
		// The validator wants numbers as its own reader makes them.
		value, err := jsonschema.UnmarshalJSON(bytes.NewReader(changed))
		if err != nil {
			t.Fatal(err)
		}
		if c.strict["Report"].Validate(value) == nil {
			t.Errorf("%s: the strict schema takes it", name)
		}
		if ok := c.published["Report"].Validate(value) == nil; ok != tt.compatible {
			t.Errorf("%s: the published schema takes it: %v", name, ok)
		}
	}
}
