package render

import (
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"slices"
	"strconv"
	"strings"

	openreports "github.com/openreports/reports-api/apis/openreports.io/v1alpha1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/proxaudit/proxaudit/audit"
	"github.com/proxaudit/proxaudit/audit/history"
	"github.com/proxaudit/proxaudit/audit/identity"
	"github.com/proxaudit/proxaudit/inventory"
)

// The results that both APIs know.
const (
	policyPass  openreports.Result = "pass"
	policyFail  openreports.Result = "fail"
	policyWarn  openreports.Result = "warn"
	policyError openreports.Result = "error"
	policySkip  openreports.Result = "skip"
)

// policyResultID is the property that policy-reporter takes for a result's identity. Without it, it hashes the message, and a
// finding whose evidence changes were a new one.
const policyResultID = "resultID"

// policyTextLimit is for one message or property, in runes: texts of others have no limit of their own, and the object has one.
const policyTextLimit = 2048

// policyResults are the findings, then what could not be verified, then what was not seen. What is resolved is in none: a report
// is what is so now.
func policyResults(l *FindingList) []openreports.ReportResult {
	at := metav1.Timestamp{Seconds: l.Envelope.GeneratedAt.Unix()}
	var out []openreports.ReportResult
	for _, f := range l.Findings {
		out = append(out, policyFinding(f, l.Lives[f.Fingerprint], at))
	}
	for i := range l.Unverified {
		out = append(out, policyUnverified(&l.Unverified[i], at))
	}
	for i := range l.Envelope.Coverage {
		if c := &l.Envelope.Coverage[i]; c.Missing() {
			out = append(out, policyGap(c, at))
		}
	}
	return out
}

func policyFinding(f *audit.Finding, life *audit.Life, at metav1.Timestamp) openreports.ReportResult {
	r := openreports.ReportResult{Source: policySource, Policy: f.Rule, Rule: string(f.Class), Category: policyCategory(f.Subject.Kind), Severity: policySeverity(string(f.Severity)),
		Timestamp: at, Result: policyVerdict(f), Subjects: []corev1.ObjectReference{policySubject(&f.Subject)}}
	if f.Rule == "" {
		// A harmless class, which --all lists and no rule is about.
		r.Policy, r.Rule = string(f.Class), ""
	}
	r.Scored = r.Result == policyFail
	text := f.Title
	if evidence := findingLine(f); evidence != "" {
		text += ". Evidence: " + evidence
	}
	r.Description = policyText(text)
	p := map[string]string{policyResultID: f.Fingerprint, "subject": f.Subject.ID, "name": f.Subject.Name, "site": f.Subject.Site, "cluster": f.Subject.Cluster, "host": f.Subject.Node,
		"vmid": vmid(f.Subject.VMID), "uuid": f.Subject.UUID, "status": f.Status, "confidence": string(f.Confidence), "since": moment(f.Since), "waitingFor": f.WaitingFor, "remedy": f.Remedy}
	if h := f.Holds; h != nil {
		p["vcpu"], p["memoryMiB"], p["diskGiB"] = number(h.VCPU), number(h.MemoryMiB), number(h.DiskGiB)
	}
	if life != nil {
		p["change"], p["firstSeen"], p["runs"] = string(life.Change), moment(&life.FirstSeen), strconv.Itoa(life.Runs)
	}
	r.Properties = policyProperties(p)
	return r
}

// policyUnverified is a finding of an earlier run that could not be looked at: skipped, and neither passed nor failed.
func policyUnverified(rec *history.Record, at metav1.Timestamp) openreports.ReportResult {
	kind, _, _ := strings.Cut(rec.Subject, "/")
	ref := audit.SubjectRef{Kind: kind, ID: rec.Subject, Name: rec.Name, Site: rec.Site, Cluster: rec.Cluster}
	if sub, err := inventory.ParseSubject(rec.Subject); err == nil && kind != inventory.SubjectVM {
		ref.Name = sub.Name
		if kind == inventory.SubjectMachine || kind == inventory.SubjectProxmoxMachine {
			ref.Namespace = sub.Scope
		}
	}
	return openreports.ReportResult{Source: policySource, Policy: rec.Rule, Rule: rec.Class, Category: policyCategory(kind), Severity: policySeverity(rec.Severity), Timestamp: at,
		Result: policySkip, Subjects: []corev1.ObjectReference{policySubject(&ref)}, Description: policyText("Not verified: " + rec.Why + ". It was: " + rec.Title),
		Properties: policyProperties(map[string]string{policyResultID: rec.Fingerprint, "subject": rec.Subject, "name": rec.Name, "site": rec.Site, "cluster": rec.Cluster,
			"firstSeen": moment(&rec.FirstSeen), "lastSeen": moment(&rec.LastSeen), "runs": strconv.Itoa(rec.Runs)})}
}

// policyGap is something that was not seen: an evaluation that failed, for each verdict that needs it.
func policyGap(c *inventory.Coverage, at metav1.Timestamp) openreports.ReportResult {
	sum := sha256.Sum256([]byte("coverage\x00" + c.Source + "\x00" + c.Scope))
	return openreports.ReportResult{Source: policySource, Policy: "coverage", Rule: policyText(c.Scope), Category: "Coverage", Severity: "medium", Timestamp: at, Result: policyError,
		Description: policyText(c.Need().String() + ": " + string(c.State) + ": " + c.Reason),
		Properties: policyProperties(map[string]string{policyResultID: hex.EncodeToString(sum[:16]), "source": c.Source, "scope": c.Scope, "state": string(c.State),
			"remedy": c.Remedy})}
}

// policyVerdict says how a finding ends. A machine without a verdict is an evaluation that failed; information is a rule that is
// not scored; of what no rule is about, only the managed passes.
func policyVerdict(f *audit.Finding) openreports.Result {
	switch {
	case f.Class == identity.Unknown:
		return policyError
	case f.Class == identity.Managed:
		return policyPass
	case f.Rule == "":
		return policySkip
	case f.Severity == audit.Info:
		return policyWarn
	default:
		return policyFail
	}
}

// policySeverity has critical and info in common with the rules. A warning is medium: between them the APIs have three.
func policySeverity(s string) openreports.ResultSeverity {
	switch s {
	case string(audit.Critical):
		return "critical"
	case string(audit.Warning):
		return "medium"
	default:
		return "info"
	}
}

func policyCategory(kind string) string {
	if kind == inventory.SubjectCluster {
		return "Clusters"
	}
	return "Machines"
}

// policySubject names what a result is about as a Kubernetes object. A VM is none: it gets a kind that no API has, without a
// version, and its address as the name, so that a viewer shows it beside the others and nothing looks it up.
func policySubject(s *audit.SubjectRef) corev1.ObjectReference {
	ref := corev1.ObjectReference{Namespace: policyText(s.Namespace), Name: policyText(s.Name)}
	switch s.Kind {
	case inventory.SubjectMachine:
		ref.APIVersion, ref.Kind = "cluster.x-k8s.io/v1beta2", "Machine"
	case inventory.SubjectProxmoxMachine:
		ref.APIVersion, ref.Kind = "infrastructure.cluster.x-k8s.io/v1alpha2", "ProxmoxMachine"
	case inventory.SubjectCluster:
		ref.APIVersion, ref.Kind = "cluster.x-k8s.io/v1beta2", "Cluster"
	case inventory.SubjectNode:
		ref.APIVersion, ref.Kind = "v1", "Node"
	default:
		kind, rest, _ := strings.Cut(s.ID, "/")
		ref = corev1.ObjectReference{Kind: strings.ToUpper(policyText(kind)), Name: policyText(rest)}
	}
	if ref.Name == "" {
		ref.Name = policyText(s.ID)
	}
	return ref
}

// policyProperties leaves out what is not known.
func policyProperties(p map[string]string) map[string]string {
	out := map[string]string{}
	for _, k := range slices.Sorted(maps.Keys(p)) {
		if p[k] != "" {
			out[k] = policyText(p[k])
		}
	}
	return out
}

// policyText is what others wrote, made visible and not too long.
func policyText(s string) string {
	s = Visible(s)
	if len(s) <= policyTextLimit {
		return s
	}
	if runes := []rune(s); len(runes) > policyTextLimit {
		return string(runes[:policyTextLimit-1]) + "…"
	}
	return s
}
