package render

import (
	"bytes"
	"strings"
	"testing"

	openreports "github.com/openreports/reports-api/apis/openreports.io/v1alpha1"
	"sigs.k8s.io/yaml"
)

// policyDocuments are the objects of a file, each as YAML.
func policyDocuments(text []byte) [][]byte { return bytes.Split(text, []byte("\n---\n")) }

// policyOf reads one object strictly, with Kubernetes' own YAML reader.
func policyOf(t *testing.T, doc []byte) *clusterPolicyReport {
	t.Helper()
	var head struct {
		Kind string `json:"kind"`
	}
	if err := yaml.Unmarshal(doc, &head); err != nil {
		t.Fatalf("%v in\n%s", err, doc)
	}
	if head.Kind == "ClusterPolicyReport" {
		var r clusterPolicyReport
		if err := yaml.UnmarshalStrict(doc, &r); err != nil {
			t.Fatalf("%v in\n%s", err, doc)
		}
		return &r
	}
	var r openreports.ClusterReport
	if err := yaml.UnmarshalStrict(doc, &r); err != nil {
		t.Fatalf("%v in\n%s", err, doc)
	}
	return &clusterPolicyReport{TypeMeta: r.TypeMeta, ObjectMeta: r.ObjectMeta, Summary: r.Summary, Results: r.Results}
}

func readHostilePolicies(t *testing.T, s string, text []byte) {
	t.Helper()
	docs := policyDocuments(text)
	if len(docs) != 1 {
		t.Fatalf("%d objects, want 1:\n%s", len(docs), text)
	}
	r := policyOf(t, docs[0])
	if len(r.Results) != 3 || r.Summary.Fail != 1 || r.Summary.Skip != 1 || r.Summary.Error != 1 || r.Name != policySource {
		t.Fatalf("%s has %d results: %+v", r.Name, len(r.Results), r.Summary)
	}
	for _, k := range []string{"name", "site", "cluster", "host", "uuid", "status", "waitingFor", "remedy"} {
		if got := r.Results[0].Properties[k]; got != policyText(s) {
			t.Fatalf("%s is %q, want %q", k, got, policyText(s))
		}
	}
	if !strings.HasPrefix(r.Results[0].Description, policyText(s)[:min(100, len(policyText(s)))]) {
		t.Fatalf("the message is %q", r.Results[0].Description)
	}
}
