package render

import (
	"bytes"
	"encoding/xml"
	"strings"

	"github.com/proxaudit/proxaudit/audit"
)

// The elements of JUnit's XML, as Jenkins' xunit plugin, GitLab and GitHub's actions read it. There are several schemas; what is
// written here is what all of them have, so that a skipped test has its reason as text, and the root does not count them.
type (
	junitSuites struct {
		XMLName  xml.Name     `xml:"testsuites"`
		Name     string       `xml:"name,attr"`
		Tests    int          `xml:"tests,attr"`
		Failures int          `xml:"failures,attr"`
		Errors   int          `xml:"errors,attr"`
		Suites   []junitSuite `xml:"testsuite"`
	}
	junitSuite struct {
		Name      string      `xml:"name,attr"`
		Tests     int         `xml:"tests,attr"`
		Failures  int         `xml:"failures,attr"`
		Errors    int         `xml:"errors,attr"`
		Skipped   int         `xml:"skipped,attr"`
		Time      string      `xml:"time,attr"`
		Timestamp string      `xml:"timestamp,attr"`
		Cases     []junitCase `xml:"testcase"`
	}
	junitCase struct {
		Class   string       `xml:"classname,attr"`
		Name    string       `xml:"name,attr"`
		Time    string       `xml:"time,attr"`
		Failure *junitResult `xml:"failure,omitempty"`
		Error   *junitResult `xml:"error,omitempty"`
		Skipped *string      `xml:"skipped,omitempty"`
		Out     string       `xml:"system-out,omitempty"`
	}
	junitResult struct {
		Message string `xml:"message,attr"`
		Type    string `xml:"type,attr,omitempty"`
		Text    string `xml:",chardata"`
	}
)

// renderJUnit makes a test of each finding: critical ones and warnings fail, information passes with its text. Sources that
// did not answer are errors, and findings that could not be looked at are skipped tests. Without a finding one test passes,
// for a file without tests is an error to most readers.
func renderJUnit(b *bytes.Buffer, d Document, _ Options) error {
	l := d.Findings
	if l == nil {
		return ErrNoFindings
	}
	at := l.Envelope.GeneratedAt.UTC().Format("2006-01-02T15:04:05")
	all := junitSuites{Name: "proxaudit"}
	add := func(name string, cases []junitCase) {
		if len(cases) == 0 {
			return
		}
		s := junitSuite{Name: name, Tests: len(cases), Cases: cases, Time: "0", Timestamp: at}
		for _, c := range cases {
			s.Failures += count01(c.Failure)
			s.Errors += count01(c.Error)
			if c.Skipped != nil {
				s.Skipped++
			}
		}
		all.Tests += s.Tests
		all.Failures += s.Failures
		all.Errors += s.Errors
		all.Suites = append(all.Suites, s)
	}
	var findings, unverified, ignored, coverage []junitCase
	for _, f := range l.Findings {
		findings = append(findings, junitFinding(f))
	}
	for _, r := range l.Unverified {
		unverified = append(unverified, junitCase{Class: r.Rule, Name: Visible(r.Subject), Time: "0", Skipped: skippedFor("not verified: " + r.Why)})
	}
	if l.Ignored != nil {
		for i := range l.Ignored.Ignored {
			f := &l.Ignored.Ignored[i]
			ignored = append(ignored, junitCase{Class: f.Rule, Name: Visible(f.Subject.ID), Time: "0", Skipped: skippedFor(ignoredText(&f.Ignore))})
		}
	}
	for _, c := range l.Envelope.Coverage {
		if c.Missing() {
			text := lines(c.Reason, c.Remedy)
			coverage = append(coverage, junitCase{Class: "coverage", Name: Visible(c.Need().String()), Time: "0",
				Error: &junitResult{Message: Visible(string(c.State) + ": " + c.Reason), Type: string(c.State), Text: text}})
		}
	}
	if len(findings) == 0 {
		findings = []junitCase{{Class: "proxaudit", Name: "no findings", Time: "0"}}
	}
	add("findings", findings)
	add("unverified", unverified)
	add("ignored", ignored)
	add("coverage", coverage)
	b.WriteString(xml.Header)
	enc := xml.NewEncoder(b)
	enc.Indent("", "  ")
	if err := enc.Encode(all); err != nil {
		return err
	}
	b.WriteByte('\n')
	return nil
}

func junitFinding(f *audit.Finding) junitCase {
	rule := f.Rule
	if rule == "" {
		rule = string(f.Class)
	}
	name := f.Subject.ID
	if f.Subject.Name != "" && !strings.HasSuffix(name, "/"+f.Subject.Name) {
		name += " (" + f.Subject.Name + ")"
	}
	text := lines("class: "+string(f.Class), "confidence: "+string(f.Confidence), "evidence: "+findingLine(f), "remedy: "+f.Remedy, "fingerprint: "+f.Fingerprint)
	c := junitCase{Class: rule, Name: Visible(name), Time: "0"}
	if f.Severity == audit.Info || f.Rule == "" {
		c.Out = lines(f.Title) + "\n" + text
		return c
	}
	c.Failure = &junitResult{Message: Visible(f.Title), Type: string(f.Severity), Text: text}
	return c
}

func skippedFor(reason string) *string {
	reason = Visible(reason)
	return &reason
}

func count01(r *junitResult) int {
	if r == nil {
		return 0
	}
	return 1
}

// lines puts texts of others below each other. A line break in one of them is none here.
func lines(texts ...string) string {
	out := make([]string, len(texts))
	for i, t := range texts {
		out[i] = Visible(t)
	}
	return strings.TrimRight(strings.Join(out, "\n"), "\n")
}
