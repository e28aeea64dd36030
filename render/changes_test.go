package render

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/proxaudit/proxaudit/audit"
)

// sampleChanges are the news of sampleReport, with one finding whose rule has expired, and a hostile name.
func sampleChanges(t *testing.T) *audit.ReportChanges {
	t.Helper()
	r := sampleReport()
	until := collected.AddDate(0, 0, -1)
	r.Findings[3].IgnoreExpired = &audit.ExpiredIgnore{IgnoreRule: audit.IgnoreRule{Line: 3, Reason: twoLines, Owner: "lab", Expires: "2026-05-01", ExpiresAt: &until}, Back: true}
	r.Summary.Changes.IgnoreExpired, r.Summary.Changes.Unverified = 1, 0
	c := r.Changes()
	if c == nil || len(c.Items) < 4 {
		t.Fatalf("%+v", c)
	}
	c.Run = strings.Repeat("0", 32)
	c.Text = ChangesText(c)
	return c
}

// TestChanges is the document that a webhook gets.
func TestChanges(t *testing.T) {
	got, err := json.MarshalIndent(sampleChanges(t), "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "changes.json", append(got, '\n'))
}

// TestChangesText: a chat obeys nothing that others have named, and is not flooded.
func TestChangesText(t *testing.T) {
	c := sampleChanges(t)
	for _, name := range []string{"<!channel>", "<https://evil.example|click>", "`@here` [a](https://evil.example)", "a\nb: c", "a\u202eb\x1b[2Jc", "&lt;!here&gt;", strings.Repeat("x", 5000)} {
		c.Items = []audit.ChangedFinding{{Change: audit.ChangeNew, Class: "orphan-vm", Subject: "vm/lab/1", Name: name, Severity: audit.Critical}}
		text := ChangesText(c)
		lines := strings.Split(text, "\n")
		if !strings.HasPrefix(lines[1], "new: orphan-vm `vm/lab/1` `") || !strings.HasSuffix(lines[1], "` (critical)") || strings.Count(text, "`")%2 != 0 || len(text) > 1000 {
			t.Errorf("%q: %q", name, text)
		}
		if strings.ContainsAny(text, "<>\u202e\x1b") || strings.Count(lines[1], "`") != 4 {
			t.Errorf("%q gives %q", name, text)
		}
	}
	c.Items = nil
	for i := range 100 {
		c.Items = append(c.Items, audit.ChangedFinding{Change: audit.ChangeResolved, Class: "ghost-node", Subject: fmt.Sprintf("node/a/n%d", i), Name: fmt.Sprintf("n%d", i)})
	}
	if text := ChangesText(c); !strings.Contains(text, "resolved: ghost-node `node/a/n9`\n… and 90 more") || strings.Contains(text, "n10`") {
		t.Error(text)
	}
}
