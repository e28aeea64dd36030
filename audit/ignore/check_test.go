package ignore_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/proxaudit/proxaudit/audit/ignore"
)

const print1, print2 = "00000000000000000000000000000001", "00000000000000000000000000000002"

// TestCheck: a rule that would hide what nobody meant is refused, at the field that is to be changed.
func TestCheck(t *testing.T) {
	lab := ignore.Selector{Sites: []string{"lab"}}
	for name, tc := range map[string]struct {
		rule ignore.Rule
		// field is that of the problem; "-" for none.
		field string
	}{
		"by fingerprint":                {ignore.Rule{Fingerprint: print1}, "-"},
		"by fingerprint, of a critical": {ignore.Rule{Rule: "PXA106", Fingerprint: print1}, "-"},
		"by selector":                   {ignore.Rule{Rule: "PXA101", Selector: lab}, "-"},
		"a stuck cluster":               {ignore.Rule{Rule: "PXA301", Selector: ignore.Selector{Clusters: []string{"a"}}}, "-"},
		"nothing":                       {ignore.Rule{}, ""},
		"a selector alone":              {ignore.Rule{Selector: lab}, ""},
		"a rule alone":                  {ignore.Rule{Rule: "PXA101"}, ""},
		"an unknown rule":               {ignore.Rule{Rule: "PXA999", Selector: lab}, "rule"},
		"a rule for information":        {ignore.Rule{Rule: "PXA201", Selector: lab}, "rule"},
		"all criticals":                 {ignore.Rule{Rule: "PXA106", Selector: lab}, "rule"},
		"half a fingerprint":            {ignore.Rule{Fingerprint: "0001"}, "fingerprint"},
		"both":                          {ignore.Rule{Fingerprint: print1, Rule: "PXA101", Selector: lab}, "selector"},
		"no subject":                    {ignore.Rule{Fingerprint: print1, Subject: "lab 101"}, "subject"},
		"a subject and a selector":      {ignore.Rule{Rule: "PXA101", Subject: "vm/lab/101", Selector: lab}, "subject"},
		"every name":                    {ignore.Rule{Rule: "PXA101", Selector: ignore.Selector{Names: ".*"}}, "selector.names"},
		"no regular expression":         {ignore.Rule{Rule: "PXA101", Selector: ignore.Selector{Names: "a)|(b"}}, "selector.names"},
		"every VMID":                    {ignore.Rule{Rule: "PXA101", Selector: ignore.Selector{VMIDs: []string{"100-999999999"}}}, "selector.vmids[0]"},
		"no VMID":                       {ignore.Rule{Rule: "PXA101", Selector: ignore.Selector{VMIDs: []string{"7"}}}, "selector.vmids"},
		"an empty site":                 {ignore.Rule{Rule: "PXA101", Selector: ignore.Selector{Sites: []string{" "}}}, "selector.sites[0]"},
	} {
		t.Run(name, func(t *testing.T) {
			tc.rule.Reason, tc.rule.Owner, tc.rule.Expires = "r", "o", ignore.Never
			set, bad := ignore.New("f", []ignore.Rule{tc.rule})
			switch {
			case tc.field == "-":
				if len(bad) > 0 || set == nil {
					t.Errorf("%+v", bad)
				}
			case len(bad) != 1 || bad[0].Field != tc.field || bad[0].Msg == "" || set != nil:
				t.Errorf("%+v, want one problem of %q", bad, tc.field)
			}
		})
	}
	_, bad := ignore.New("f", []ignore.Rule{{Fingerprint: print1, Expires: "tomorrow", Reason: " "}})
	var fields []string
	for _, b := range bad {
		fields = append(fields, b.Field)
	}
	if d := cmp.Diff([]string{"reason", "owner", "expires"}, fields); d != "" {
		t.Error(d)
	}
	both := ignore.Rule{Fingerprint: print2, Reason: "r", Owner: "o", Expires: ignore.Never, Line: 4}
	if _, bad = ignore.New("f", []ignore.Rule{both, both}); len(bad) != 1 || bad[0].Rule != 1 || bad[0].Field != "fingerprint" {
		t.Errorf("%+v", bad)
	}
}

// TestEnd: a day holds to its end.
func TestEnd(t *testing.T) {
	for expires, want := range map[string]time.Time{
		"never":                     {},
		"2027-01-31":                time.Date(2027, 2, 1, 0, 0, 0, 0, time.UTC),
		"2027-12-31":                time.Date(2028, 1, 1, 0, 0, 0, 0, time.UTC),
		"2027-01-31T10:00:00Z":      time.Date(2027, 1, 31, 10, 0, 0, 0, time.UTC),
		"2027-01-31T10:00:00+02:00": time.Date(2027, 1, 31, 8, 0, 0, 0, time.UTC),
	} {
		if got, err := ignore.End(expires); err != nil || !got.Equal(want) {
			t.Errorf("%s: %v, %v", expires, got, err)
		}
	}
	for _, expires := range []string{"", "Never", "2027-02-30", "31.01.2027", "2027-01-31 10:00"} {
		if _, err := ignore.End(expires); err == nil {
			t.Errorf("%q was taken", expires)
		}
	}
}

// TestVerdict: of several rules the one that holds counts, else the one that held last.
func TestVerdict(t *testing.T) {
	at := time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC)
	rule := func(expires string, sites ...string) ignore.Rule {
		return ignore.Rule{Rule: "PXA101", Selector: ignore.Selector{Sites: sites}, Reason: "r", Owner: "o", Expires: expires}
	}
	set, bad := ignore.New("f", []ignore.Rule{rule("2026-01-01", "lab"), rule("2026-06-01", "lab", "dc1"), rule("2026-03-01", "lab"), rule("2026-12-31", "dc1"), rule("2027-01-01", "dc2")})
	if len(bad) > 0 {
		t.Fatal(bad)
	}
	for site, want := range map[string][2]int{"lab": {-1, 1}, "dc1": {-1, 3}, "dc2": {4, -1}, "dc3": {-1, -1}} {
		holds, expired := set.Verdict(set.Matches(&ignore.Finding{Rule: "PXA101", Kind: "vm", Site: site, Name: "a", VMID: 101}), at)
		if holds != want[0] || expired != want[1] {
			t.Errorf("%s: %d, %d, want %v", site, holds, expired, want)
		}
	}
	if m := set.Matches(&ignore.Finding{Rule: "PXA101", Site: "lab", Critical: true}); len(m) > 0 {
		t.Errorf("a selector hides what is critical: %v", m)
	}
	if m := set.Matches(&ignore.Finding{Rule: "PXA102", Site: "lab"}); len(m) > 0 {
		t.Errorf("another rule's finding: %v", m)
	}
}
