package render

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning"
	crvalidation "k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	metav1validation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/yaml"

	"github.com/proxaudit/proxaudit/audit"
)

// customResource checks objects of one CustomResourceDefinition with the code that kube-apiserver does it with.
type customResource struct {
	kind, apiVersion string
	validator        crvalidation.SchemaValidator
	structural       *structuralschema.Structural
}

func newCustomResource(t *testing.T, file, version string) *customResource {
	t.Helper()
	text, err := os.ReadFile("testdata/outside/" + file)
	if err != nil {
		t.Fatal(err)
	}
	var crd apiextensionsv1.CustomResourceDefinition
	if err := yaml.UnmarshalStrict(text, &crd); err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	i := slices.IndexFunc(crd.Spec.Versions, func(v apiextensionsv1.CustomResourceDefinitionVersion) bool { return v.Name == version && v.Served })
	if i < 0 {
		t.Fatalf("%s does not serve %s", file, version)
	}
	var internal apiextensions.JSONSchemaProps
	if err := apiextensionsv1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(crd.Spec.Versions[i].Schema.OpenAPIV3Schema, &internal, nil); err != nil {
		t.Fatal(err)
	}
	c := &customResource{kind: crd.Spec.Names.Kind, apiVersion: crd.Spec.Group + "/" + version}
	if c.validator, _, err = crvalidation.NewSchemaValidator(&internal); err != nil {
		t.Fatal(err)
	}
	if c.structural, err = structuralschema.NewStructural(&internal); err != nil {
		t.Fatal(err)
	}
	return c
}

// problems are what a server has against an object: of its schema, fields that it would drop, and of its name and labels.
func (c *customResource) problems(doc []byte) []string {
	var object map[string]any
	if err := yaml.UnmarshalStrict(doc, &object); err != nil {
		return []string{err.Error()}
	}
	var out []string
	if object["kind"] != c.kind || object["apiVersion"] != c.apiVersion {
		out = append(out, fmt.Sprintf("it is a %v of %v", object["kind"], object["apiVersion"]))
	}
	for _, err := range crvalidation.ValidateCustomResource(nil, object, c.validator) {
		out = append(out, err.Error())
	}
	for _, path := range pruning.PruneWithOptions(object, c.structural, true, structuralschema.UnknownFieldPathOptions{TrackUnknownFieldPaths: true}) {
		out = append(out, "unknown field "+path)
	}
	var r clusterPolicyReport
	if err := yaml.Unmarshal(doc, &r); err != nil {
		return append(out, err.Error())
	}
	out = append(out, validation.IsDNS1123Subdomain(r.Name)...)
	for _, err := range metav1validation.ValidateLabels(r.Labels, field.NewPath("metadata", "labels")) {
		out = append(out, err.Error())
	}
	return out
}

func policyFormats(t *testing.T) map[string]*customResource {
	return map[string]*customResource{
		"policyreport": newCustomResource(t, "wgpolicyk8s.io_clusterpolicyreports.yaml", "v1alpha2"),
		"openreports":  newCustomResource(t, "openreports.io_clusterreports.yaml", "v1alpha1"),
	}
}

// manyFindings are enough for several objects.
func manyFindings(n int) *audit.OrphanReport {
	r := sampleOrphans()
	one := r.Findings[0]
	r.Findings = nil
	for i := range n {
		f := one
		f.Subject = vmRef("lab", 1000+i, fmt.Sprintf("w-%d", i))
		f.Fingerprint = fmt.Sprintf("%032x", i*7919)
		r.Findings = append(r.Findings, f)
	}
	return r
}

// TestPolicySchemas: a Kubernetes server would take every object as it is.
func TestPolicySchemas(t *testing.T) {
	docs := junitSamples()
	docs["many"] = Orphans(manyFindings(1500))
	docs["long"] = hostileDocument(strings.Repeat("\u202elong ", 3000))
	for format, c := range policyFormats(t) {
		for name, d := range docs {
			for _, doc := range policyDocuments(rendered(t, format, d, Options{})) {
				if p := c.problems(doc); len(p) > 0 {
					t.Errorf("-o %s of %s: %q", format, name, p)
				}
			}
		}
	}
}

// TestPolicySchemasFail: a check that takes everything would prove nothing.
func TestPolicySchemasFail(t *testing.T) {
	for format, c := range policyFormats(t) {
		good := string(rendered(t, format, Orphans(sampleOrphans()), Options{}))
		for what, spoiled := range map[string]string{
			"a result that is none":   strings.Replace(good, "result: fail", "result: lost", 1),
			"a severity that is none": strings.Replace(good, "severity: critical", "severity: warning", 1),
			"a field that is none":    strings.Replace(good, "\nresults:", "\nlater: 1\nresults:", 1),
			"a text for a number":     strings.Replace(good, "fail: 1", "fail: x1", 1),
			"a name with a capital":   strings.Replace(good, "name: proxaudit", "name: Proxaudit", 1),
			"a label with a colon":    strings.Replace(good, "proxaudit/run: ", "proxaudit/run: a:", 1),
		} {
			if spoiled == good {
				t.Fatalf("-o %s: %s changes nothing", format, what)
			}
			if len(c.problems([]byte(spoiled))) == 0 {
				t.Errorf("-o %s: %s passes", format, what)
			}
		}
	}
}

// TestPolicyParts: what is too long for one object is divided, each part is small enough for kubectl apply, and a finding stays in
// its part while others come and go.
func TestPolicyParts(t *testing.T) {
	places := func(r *audit.OrphanReport) map[string]string {
		out := map[string]string{}
		for _, doc := range policyDocuments(rendered(t, "policyreport", Orphans(r), Options{})) {
			compact, err := yaml.YAMLToJSON(doc)
			if err != nil {
				t.Fatal(err)
			}
			// kubectl apply keeps the object in an annotation.
			if len(compact) >= 256<<10 {
				t.Errorf("an object has %d bytes", len(compact))
			}
			one := policyOf(t, doc)
			for _, res := range one.Results {
				if id := res.Properties[policyResultID]; out[id] != "" {
					t.Errorf("%s is in two objects", id)
				} else {
					out[id] = one.Name
				}
			}
			if got := policySummary(one.Results); got != one.Summary {
				t.Errorf("%s says %+v, and has %+v", one.Name, one.Summary, got)
			}
		}
		return out
	}
	all := manyFindings(1500)
	before := places(all)
	objects := slices.Compact(slices.Sorted(maps.Values(before)))
	if len(objects) < 2 || len(before) < len(all.Findings) {
		t.Fatalf("%d results in %q", len(before), objects)
	}
	fewer := manyFindings(1500)
	fewer.Findings = slices.Delete(fewer.Findings, 100, 200)
	fewer.GeneratedAt = fewer.GeneratedAt.Add(24 * time.Hour)
	for id, name := range places(fewer) {
		if before[id] != name {
			t.Errorf("%s has moved from %s to %s", id, before[id], name)
		}
	}
	if a, b := rendered(t, "openreports", Orphans(all), Options{}), rendered(t, "openreports", Orphans(all), Options{}); !bytes.Equal(a, b) {
		t.Error("two runs differ")
	}
}
