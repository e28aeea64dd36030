package schema

import (
	"bytes"
	"encoding/json"
	"flag"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/invopop/jsonschema"

	"github.com/proxaudit/proxaudit/adopt"
	"github.com/proxaudit/proxaudit/audit"
	"github.com/proxaudit/proxaudit/inventory"
	"github.com/proxaudit/proxaudit/render"
)

var update = flag.Bool("update", false, "write the schemas that the types have")

const module = "github.com/proxaudit/proxaudit"

// snapshotKind names the schema of what has no kind: the file of `scan`.
const snapshotKind = "Snapshot"

// results are the Go types of all kinds. TestEveryKind fails for one that is missing.
var results = map[string]any{
	audit.KindOrphanReport:  &audit.OrphanReport{},
	audit.KindInventory:     &audit.InventoryReport{},
	audit.KindExplanation:   &audit.Explanation{},
	audit.KindDoctorReport:  &audit.DoctorReport{},
	audit.KindProgress:      &audit.WhyReport{},
	audit.KindReport:        &audit.Report{},
	audit.KindHistory:       &audit.HistoryReport{},
	audit.KindFindingLife:   &audit.FindingLife{},
	audit.KindReportChanges: &audit.ReportChanges{},
	audit.KindIgnoreList:    &audit.IgnoreList{},
	adopt.KindPlan:          &adopt.Plan{},
	adopt.KindVerification:  &adopt.Verification{},
	render.KindVersion:      &render.VersionInfo{},
	snapshotKind:            &inventory.Snapshot{},
}

// pure are the folders whose types are in results.
var pure = []string{"audit", "adopt", "inventory", "render"}

// TestSchemas: the files are what the types say.
func TestSchemas(t *testing.T) {
	t.Chdir("..")
	enums := constants(t)
	written := map[string]bool{}
	for kind, value := range results {
		got := generated(t, enums, kind, value)
		name := filepath.Join("schema", kind+Suffix)
		written[kind+Suffix] = true
		if *update {
			if err := os.WriteFile(name, got, 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		want, err := os.ReadFile(name)
		if err != nil {
			t.Error(err)
		} else if !bytes.Equal(got, want) {
			t.Errorf("%s is not what the Go type says: run make generate", name)
		}
	}
	files, err := filepath.Glob("schema/*" + Suffix)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if !written[filepath.Base(f)] {
			t.Errorf("%s is the schema of no kind", f)
		}
	}
}

// TestEveryKind: each constant Kind… of a result has a schema, so that a new kind without one fails.
func TestEveryKind(t *testing.T) {
	t.Chdir("..")
	found := 0
	for _, folder := range []string{"audit", "adopt", "render"} {
		for _, c := range constantsOf(t, folder) {
			if !strings.HasPrefix(c.name, "Kind") || c.typ != "" {
				continue
			}
			found++
			if results[c.value] == nil {
				t.Errorf("%s.%s = %q has no schema", folder, c.name, c.value)
			}
		}
	}
	if found < len(results)-1 {
		t.Errorf("%d constants of kinds were found, and there are %d schemas", found, len(results))
	}
	if got := Kinds(); len(got) != len(results) || !slices.IsSorted(got) {
		t.Errorf("the package has %v", got)
	}
	if _, err := Of("Nothing"); err == nil {
		t.Error("there is a schema of nothing")
	}
}

func generated(t *testing.T, enums map[string][]any, kind string, value any) []byte {
	t.Helper()
	r := &jsonschema.Reflector{ExpandedStruct: true, Anonymous: true,
		// Two packages have a Summary.
		Namer: func(typ reflect.Type) string {
			if typ.Name() == "" {
				return ""
			}
			return path.Base(typ.PkgPath()) + "." + typ.Name()
		},
		Mapper: func(typ reflect.Type) *jsonschema.Schema {
			if values := enums[typ.PkgPath()+"."+typ.Name()]; typ.Kind() == reflect.String && len(values) > 0 {
				return &jsonschema.Schema{Type: "string", Enum: values}
			}
			return nil
		}}
	for _, folder := range pure {
		if err := r.AddGoComments(module, folder, jsonschema.WithFullComment()); err != nil {
			t.Fatal(err)
		}
	}
	for k, text := range r.CommentMap {
		r.CommentMap[k] = strings.Join(strings.Fields(text), " ")
	}
	s := r.Reflect(value)
	s.ID, s.Title = jsonschema.ID("urn:proxaudit:v1:"+kind), "proxaudit "+kind
	constant := func(field, value string) {
		p, ok := s.Properties.Get(field)
		if !ok {
			t.Fatalf("%s has no %s", kind, field)
		}
		p.Const = value
	}
	if kind == snapshotKind {
		s.ID = "urn:proxaudit:snapshot:v1"
		constant("formatVersion", inventory.FormatVersion)
	} else {
		constant("formatVersion", audit.FormatVersion)
		constant("kind", kind)
	}
	// What a later version adds is allowed.
	for _, part := range append([]*jsonschema.Schema{s}, definitions(s)...) {
		if part.AdditionalProperties == jsonschema.FalseSchema {
			part.AdditionalProperties = nil
		}
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	if err := enc.Encode(s); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func definitions(s *jsonschema.Schema) []*jsonschema.Schema {
	var out []*jsonschema.Schema
	for _, d := range s.Definitions {
		out = append(out, d)
	}
	return out
}

// constants are the values of each named string type, by the type's full name: what its schema enumerates.
func constants(t *testing.T) map[string][]any {
	t.Helper()
	out := map[string][]any{}
	for _, folder := range pure {
		err := filepath.WalkDir(folder, func(p string, d fs.DirEntry, err error) error {
			if err != nil || !d.IsDir() || d.Name() == "testdata" {
				return err
			}
			for _, c := range constantsOf(t, p) {
				if c.typ != "" {
					// A class of clusters stands beside their rule, and not where the type is.
					out[c.typ] = append(out[c.typ], c.value)
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if n := len(out[module+"/audit/identity.Class"]); n < 10 {
		t.Fatalf("%d classes were found: the test does not see the constants", n)
	}
	return out
}

// constant is one of a string; its type has its package in front, and is empty where none is written.
type constant struct{ name, typ, value string }

// constantsOf are the string constants of one folder's files, in their order.
func constantsOf(t *testing.T, folder string) []constant {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(folder, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	var out []constant
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, decl := range f.Decls {
			g, ok := decl.(*ast.GenDecl)
			if !ok || g.Tok != token.CONST {
				continue
			}
			for _, spec := range g.Specs {
				v, ok := spec.(*ast.ValueSpec)
				if !ok || len(v.Names) != 1 || len(v.Values) != 1 {
					continue
				}
				lit, ok := v.Values[0].(*ast.BasicLit)
				if !ok || lit.Kind != token.STRING {
					continue
				}
				text, err := strconv.Unquote(lit.Value)
				if err != nil {
					t.Fatal(err)
				}
				out = append(out, constant{name: v.Names[0].Name, typ: typeName(f, folder, v.Type), value: text})
			}
		}
	}
	return out
}

// typeName is the full name of a type as a file of that folder writes it.
func typeName(f *ast.File, folder string, expr ast.Expr) string {
	switch typ := expr.(type) {
	case *ast.Ident:
		return module + "/" + filepath.ToSlash(folder) + "." + typ.Name
	case *ast.SelectorExpr:
		room, _ := typ.X.(*ast.Ident)
		for _, i := range f.Imports {
			imported := strings.Trim(i.Path.Value, `"`)
			if name := path.Base(imported); room != nil && (i.Name != nil && i.Name.Name == room.Name || i.Name == nil && name == room.Name) {
				return imported + "." + typ.Sel.Name
			}
		}
	}
	return ""
}
