package render

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/joshdk/go-junit"

	"github.com/proxaudit/proxaudit/audit"
)

// needXmllint is set where the schema has to be checked: without libxml2's tool the test fails there, instead of being skipped.
const needXmllint = "PROXAUDIT_NEED_XMLLINT"

// junitSamples are documents with what JUnit's XML can have: failures, errors, skipped tests, output, and none of them.
func junitSamples() map[string]Document {
	r := sampleReport()
	return map[string]Document{"report": Report(r), "orphans": Orphans(sampleOrphans()), "hostile": hostileDocument("]]> <a b='c'>\x00\ufffe\x1b&amp;"),
		"clean": Orphans(&audit.OrphanReport{Envelope: audit.Envelope{GeneratedAt: collected}, Findings: []audit.Finding{}})}
}

// TestJUnitSchema: the XML is valid by Jenkins' schema, as libxml2 reads it.
func TestJUnitSchema(t *testing.T) {
	xmllint, err := exec.LookPath("xmllint")
	if err != nil {
		if os.Getenv(needXmllint) != "" {
			t.Fatalf("%s is set, and there is no xmllint: %v", needXmllint, err)
		}
		t.Skip("NOT CHECKED: there is no xmllint (Debian: libxml2-utils)")
	}
	check := func(name string, xml []byte) ([]byte, error) {
		file := filepath.Join(t.TempDir(), name+".xml")
		if err := os.WriteFile(file, xml, 0o600); err != nil {
			t.Fatal(err)
		}
		return exec.CommandContext(t.Context(), xmllint, "--noout", "--nonet", "--schema", "testdata/outside/jenkins-junit.xsd", file).CombinedOutput()
	}
	for name, d := range junitSamples() {
		if out, err := check(name, rendered(t, "junit", d, Options{})); err != nil {
			t.Errorf("%s: %v\n%s", name, err, out)
		}
	}
	// A check that takes everything would prove nothing.
	if out, err := check("wrong", []byte(`<testsuites><testsuite tests="1"><testcase/></testsuite></testsuites>`)); err == nil {
		t.Errorf("xmllint takes a suite and a test without a name: %s", out)
	}
}

// TestJUnit: a reader of JUnit files sees a test for each finding, and the suites count what they have.
func TestJUnit(t *testing.T) {
	r := sampleReport()
	for name, tt := range map[string]struct {
		d    Document
		want junit.Totals
	}{
		"report": {junitSamples()["report"], junit.Totals{Tests: len(r.Findings) + 2, Failed: r.Summary.Severities[audit.Critical] + r.Summary.Severities[audit.Warning], Error: 1, Skipped: 1}},
		"clean":  {junitSamples()["clean"], junit.Totals{Tests: 1}},
	} {
		text := rendered(t, "junit", tt.d, Options{})
		suites, err := junit.Ingest(text)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		var got, said junit.Totals
		for _, s := range suites {
			s.Aggregate()
			got.Tests, got.Failed, got.Error, got.Skipped = got.Tests+s.Totals.Tests, got.Failed+s.Totals.Failed, got.Error+s.Totals.Error, got.Skipped+s.Totals.Skipped
			for attr, n := range map[string]int{"tests": s.Totals.Tests, "failures": s.Totals.Failed, "errors": s.Totals.Error, "skipped": s.Totals.Skipped} {
				if s.Properties[attr] != number(&n) {
					t.Errorf("%s: the suite %s says %s=%q, and has %d", name, s.Name, attr, s.Properties[attr], n)
				}
			}
			said.Tests += len(s.Tests)
		}
		if got.Tests != tt.want.Tests || got.Failed != tt.want.Failed || got.Error != tt.want.Error || got.Skipped != tt.want.Skipped || said.Tests != got.Tests {
			t.Errorf("%s: %+v, want %+v", name, got, tt.want)
		}
	}
}
