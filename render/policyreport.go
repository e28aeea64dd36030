package render

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"

	openreports "github.com/openreports/reports-api/apis/openreports.io/v1alpha1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// policySource is who these reports are from, in the fields that policy-reporter filters and groups by.
const policySource = "proxaudit"

// policyObjectSize is how large one object may become as JSON: kubectl apply keeps a copy of it in an annotation, and all of them
// together may have 256 KiB.
const policyObjectSize = 240 << 10

// policyMaxDepth ends the search for parts that are small enough: 65,536 of them.
const policyMaxDepth = 4

// clusterPolicyReport is wgpolicyk8s.io/v1alpha2, as far as it is written here. Its module cannot be had; the results are the
// same as those of OpenReports, which began as its copy.
type clusterPolicyReport struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Summary           openreports.ReportSummary  `json:"summary"`
	Results           []openreports.ReportResult `json:"results,omitempty"`
}

// renderPolicyReport writes ClusterPolicyReports of the working group, which every policy-reporter reads.
func renderPolicyReport(b *bytes.Buffer, d Document, _ Options) error {
	return renderPolicies(b, d, func(meta metav1.ObjectMeta, sum openreports.ReportSummary, results []openreports.ReportResult) any {
		return &clusterPolicyReport{TypeMeta: metav1.TypeMeta{APIVersion: "wgpolicyk8s.io/v1alpha2", Kind: "ClusterPolicyReport"}, ObjectMeta: meta, Summary: sum, Results: results}
	})
}

// renderOpenReports writes ClusterReports of OpenReports, the successor, which policy-reporter reads where that is switched on.
func renderOpenReports(b *bytes.Buffer, d Document, _ Options) error {
	return renderPolicies(b, d, func(meta metav1.ObjectMeta, sum openreports.ReportSummary, results []openreports.ReportResult) any {
		return &openreports.ClusterReport{TypeMeta: metav1.TypeMeta{APIVersion: openreports.SchemeGroupVersion.String(), Kind: "ClusterReport"}, ObjectMeta: meta,
			Source: policySource, Summary: sum, Results: results}
	})
}

// renderPolicies writes one YAML document for each object. The objects are cluster-scoped: a VM has no namespace, and a report
// in the namespace of a Machine could be applied only where that namespace is.
func renderPolicies(b *bytes.Buffer, d Document, object func(metav1.ObjectMeta, openreports.ReportSummary, []openreports.ReportResult) any) error {
	l := d.Findings
	if l == nil {
		return ErrNoFindings
	}
	results := policyResults(l)
	for depth := 0; ; depth++ {
		docs, fits, err := policyObjects(l, results, depth, object)
		if err != nil {
			return err
		}
		if !fits && depth < policyMaxDepth {
			continue
		}
		for i, doc := range docs {
			if i > 0 {
				b.WriteString("---\n")
			}
			dec := json.NewDecoder(bytes.NewReader(doc))
			dec.UseNumber()
			if err := writeYAMLObject(b, dec); err != nil {
				return fmt.Errorf("encoding a report as YAML: %w", err)
			}
		}
		return nil
	}
}

// policyObjects puts the results into 16^depth objects, by a hash of what each is about: it stays in its object while others
// come and go, or policy-reporter, which compares an object with its former self, would call it new. An object without results is
// written too, so that it takes the place of one that had some.
func policyObjects(l *FindingList, results []openreports.ReportResult, depth int, object func(metav1.ObjectMeta, openreports.ReportSummary, []openreports.ReportResult) any) (docs [][]byte, fits bool, err error) {
	parts := make([][]openreports.ReportResult, 1<<(4*depth))
	for _, r := range results {
		sum := sha256.Sum256([]byte(r.Properties[policyResultID]))
		at := 0
		for _, digit := range hex.EncodeToString(sum[:])[:depth] {
			at = at<<4 | strings.IndexRune("0123456789abcdef", digit)
		}
		parts[at] = append(parts[at], r)
	}
	fits = true
	at := l.Envelope.GeneratedAt.UTC()
	for i, part := range parts {
		meta := metav1.ObjectMeta{Name: policySource, Labels: map[string]string{
			"app.kubernetes.io/managed-by": policySource,
			// The run, for the selector that removes what an earlier one has left.
			"proxaudit/run": at.Format("20060102T150405Z"),
		}}
		if depth > 0 {
			meta.Name += fmt.Sprintf("-%0*x", depth, i)
		}
		doc, err := json.Marshal(object(meta, policySummary(part), part))
		if err != nil {
			return nil, false, fmt.Errorf("encoding a report as JSON: %w", err)
		}
		fits = fits && len(doc) <= policyObjectSize
		docs = append(docs, doc)
	}
	return docs, fits, nil
}

func policySummary(results []openreports.ReportResult) openreports.ReportSummary {
	var s openreports.ReportSummary
	for i := range results {
		switch results[i].Result {
		case policyPass:
			s.Pass++
		case policyFail:
			s.Fail++
		case policyWarn:
			s.Warn++
		case policyError:
			s.Error++
		case policySkip:
			s.Skip++
		}
	}
	return s
}
