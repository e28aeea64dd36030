package render

import (
	"fmt"
	"strings"
	"testing"

	"github.com/proxaudit/proxaudit/audit"
	"github.com/proxaudit/proxaudit/audit/identity"
	"github.com/proxaudit/proxaudit/inventory"
)

func TestHuman(t *testing.T) {
	for seconds, want := range map[int64]string{0: "0s", 59: "59s", 600: "10m", 76 * 3600: "3d4h", 400 * 86400: "400d", -1: "?"} {
		if got := age(&seconds); got != want {
			t.Errorf("age of %d s is %q, want %q", seconds, got, want)
		}
	}
	for mib, want := range map[int64]string{512: "512 MiB", 1024: "1 GiB", 1536: "1.5 GiB", 8192: "8 GiB"} {
		if got := mebibytes(mib); got != want {
			t.Errorf("%d MiB is %q, want %q", mib, got, want)
		}
	}
	if got := holds(&audit.Holds{}); got != "" {
		t.Errorf("what holds nothing known is %q", got)
	}
	if got := holds(&audit.Holds{VCPU: ptr(4), MemoryMiB: ptr(int64(8192)), DiskGiB: ptr(int64(40))}); got != "4 vCPU / 8 GiB / 40 GiB" {
		t.Errorf("holds: %q", got)
	}
	if got := list([]string{"a", "b", "c"}); got != "a, b and c" {
		t.Errorf("list: %q", got)
	}
	if since(nil, nil) != "" || since(&collected, nil) != "2026-07-01 12:00:00 UTC" || since(&collected, ptr(int64(-9))) != "2026-07-01 12:00:00 UTC" {
		t.Error("since")
	}
}

func TestEvidenceLine(t *testing.T) {
	e := sampleEvidence()
	for name, tc := range map[string]struct {
		all     []identity.Evidence
		missing []inventory.Need
		want    string
	}{
		"nothing":         {want: "the title"},
		"references only": {all: e[2:3], want: "the title"},
		"the strongest first, and what argues against": {all: e,
			want: "providerID UUID proxmox://6c3fa683-bef9-4425-b413-eaa45a9d0105; MAC bc:24:11:00:00:01; but: VMID and name " +
				"105 prod-w-3 != lab/105 other (the VM with this VMID has another name)"},
		"the same twice": {all: []identity.Evidence{e[0], e[0]}, want: "name prod-w-3"},
		"not seen":       {missing: []inventory.Need{{Source: "cluster/a b", Scope: "nodes"}, {Source: "b"}, {Source: "c"}}, want: "not seen: cluster/a b nodes, and 2 others"},
		"an empty side": {all: []identity.Evidence{{Kind: identity.KindProviderIDString, Left: "proxmox://x", Against: true}},
			want: "but: providerID proxmox://x != (empty)"},
		"a probe":     {all: []identity.Evidence{{Kind: identity.KindProbe, Left: "114", Right: "free"}}, want: "VMID probe 114 is free"},
		"a state":     {all: []identity.Evidence{{Kind: identity.KindState, Left: "Ready=True", Note: "it runs"}}, want: "Ready=True (it runs)"},
		"a note only": {all: []identity.Evidence{{Kind: identity.KindState, Note: "it runs"}}, want: "it runs"},
		"two that differ a little": {all: []identity.Evidence{{Kind: identity.KindIP, Left: "10.0.0.1", Right: "10.0.0.2"}},
			want: "IP 10.0.0.1 ~ 10.0.0.2"},
		"the other side only": {all: []identity.Evidence{{Kind: identity.KindIP, Right: "10.0.0.2"}}, want: "IP 10.0.0.2"},
		"the longer one says both": {all: []identity.Evidence{{Kind: identity.KindVMIDAndName, Left: "105 a", Right: "lab/105 A"}},
			want: "VMID and name lab/105 A"},
		"a kind of a newer version": {all: []identity.Evidence{{Kind: "serial", Left: "x"}}, want: "serial x"},
	} {
		if got := evidenceLine(tc.all, tc.missing, "the title"); got != tc.want {
			t.Errorf("%s: %q, want %q", name, got, tc.want)
		}
	}
}

// TestKindWords: every kind of evidence that the analysis knows has its words.
func TestKindWords(t *testing.T) {
	for _, k := range []identity.Kind{identity.KindProviderIDUUID, identity.KindSystemUUID, identity.KindSwappedUUID,
		identity.KindSharedUUID, identity.KindVMIDAndName, identity.KindVMID, identity.KindRegionVMID, identity.KindInstanceID,
		identity.KindMAC, identity.KindIP, identity.KindName, identity.KindInfraRef, identity.KindOwnerRef, identity.KindNodeRef,
		identity.KindProviderIDString, identity.KindSelector, identity.KindTag, identity.KindPool, identity.KindSibling,
		identity.KindMark, identity.KindProbe, identity.KindCoverage, identity.KindState} {
		if _, ok := kindWords[k]; !ok {
			t.Errorf("%s has no words", k)
		}
	}
}

func TestManySourcesAreSummedUp(t *testing.T) {
	var all []inventory.Requests
	for i := range 100 {
		all = append(all, inventory.Requests{Source: fmt.Sprintf("cluster/c%d", i), Count: 4, Retries: 1})
	}
	all = append(all, inventory.Requests{Source: "management", Count: 20}, inventory.Requests{Source: "site/lab", Count: 5000})
	want := "requests: 100 clusters 400 (100 retries), management 20, site 5000"
	if got := requestsText(all); got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if requestsText(nil) != "" {
		t.Error("no requests have to be no line")
	}
}

func TestCoverageFooter(t *testing.T) {
	text := func(all ...inventory.Coverage) string {
		var lines []string
		for _, n := range coverageNotes(all) {
			lines = append(lines, strings.TrimRight(n.Text+"|"+n.Detail, "|"))
		}
		return strings.Join(lines, "\n")
	}
	if got := text(inventory.Coverage{Source: "site/lab", Scope: "guests", State: inventory.Complete}); got !=
		"no management cluster was read: VMs and Nodes are classed without Machines\ncomplete: 1 source" {
		t.Errorf("without a management cluster: %q", got)
	}
	got := text(
		inventory.Coverage{Source: "management", Scope: "machines", State: inventory.Failed, Reason: "timeout", Remedy: "try again"},
		inventory.Coverage{Source: "management", Scope: "clusters", State: inventory.Complete},
		inventory.Coverage{Source: "cluster/prod", Scope: "access", State: inventory.NotAsked, Reason: "no kubeconfig"})
	want := "incomplete: management machines: failed: timeout|try again\nincomplete: cluster/prod access: not-asked: no kubeconfig"
	if got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestOneCauseIsOneLine: an API server that is down, or a hundred clusters without access, is one line with the number,
// the sources and what to do; the wide format and JSON have every name.
func TestOneCauseIsOneLine(t *testing.T) {
	const down = "https://10.0.0.1:6443: connection refused"
	var all []inventory.Coverage
	all = append(all, inventory.Coverage{Source: "cluster/a", Scope: "nodes", State: inventory.Complete})
	for i := range 40 {
		all = append(all, inventory.Coverage{Source: inventory.ManagementSource, Scope: fmt.Sprintf("kind%02d", i), State: inventory.Failed,
			Reason: down, Remedy: "start it", Optional: i >= 5})
	}
	for i := range 12 {
		all = append(all, inventory.Coverage{Source: fmt.Sprintf("cluster/c%02d", i), Scope: "access", State: inventory.NotAsked, Reason: "no kubeconfig"})
	}
	for i := range 3 {
		all = append(all, inventory.Coverage{Source: "site/lab", Scope: fmt.Sprintf("extra%d", i), State: inventory.Refused, Reason: "403", Optional: true})
	}
	// Of the same cause, and too few to be one line; and in part, with numbers of their own.
	for i := range 2 {
		all = append(all, inventory.Coverage{Source: "site/lab", Scope: fmt.Sprintf("node/pve%d", i), State: inventory.Failed, Reason: "595"})
	}
	for i := range 3 {
		all = append(all, inventory.Coverage{Source: "site/lab", Scope: fmt.Sprintf("config/pve%d", i), State: inventory.Partial, Asked: 10, Got: i, Reason: "595"})
	}
	d := Orphans(&audit.OrphanReport{Envelope: audit.Envelope{Coverage: all}})
	table := string(rendered(t, "table", d, Options{}))
	_, got, _ := strings.Cut(table, "\nincomplete: ")
	want := `40 answers of management (kind00, kind01, kind02 and 37 others; 35 of them not needed for a verdict): failed: ` + down + `
  start it
incomplete: 12 answers of cluster/c00, cluster/c01, cluster/c02, cluster/c03, cluster/c04, cluster/c05 and 6 others (access): not-asked: no kubeconfig
incomplete: site/lab node/pve0: failed: 595
incomplete: site/lab node/pve1: failed: 595
incomplete: site/lab config/pve0: partial (0 of 10): 595
incomplete: site/lab config/pve1: partial (1 of 10): 595
incomplete: site/lab config/pve2: partial (2 of 10): 595
not needed for a verdict: 3 answers of site/lab (extra0, extra1 and extra2): refused: 403
complete: 1 source
`
	if got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	for _, format := range []string{"wide", "json", "yaml"} {
		out := string(rendered(t, format, d, Options{}))
		for _, c := range all {
			if c.State != inventory.Complete && !strings.Contains(out, c.Scope) {
				t.Errorf("-o %s does not have %s", format, c.Scope)
			}
		}
		if strings.Count(out, "connection refused") != 40 && format != "wide" {
			t.Errorf("-o %s is folded", format)
		}
	}
}

// TestExplainShowsBothSidesOfAConflict: a machine whose VM is another one's has none of its own, which is not "none".
func TestExplainShowsBothSidesOfAConflict(t *testing.T) {
	x := &audit.Explanation{Item: audit.Item{Class: identity.Conflict, Machines: []audit.SubjectRef{objectRef("machine", "prod", "m")},
		Rivals: []audit.SubjectRef{vmRef("lab", 301, "nas")}}}
	got := string(rendered(t, "table", Explain(x), Options{}))
	want := `What is in conflict, seen from each side:
|- VM: none of its own
|- ProxmoxMachine: none found
|- Machine
|  ` + "`" + `- machine/prod/m
|- Node: none found
` + "`" + `- In conflict with
   ` + "`" + `- vm/lab/301 nas 6c3fa683-bef9-4425-b413-eaa45a9d0105
`
	if !strings.Contains(got, want) {
		t.Errorf("%s lacks\n%s", got, want)
	}
	x.Item.Class, x.Item.Rivals = identity.NonNode, nil
	if got := string(rendered(t, "table", Explain(x), Options{})); !strings.Contains(got, "One machine, seen") || strings.Contains(got, "onflict") {
		t.Errorf("there is no conflict: %s", got)
	}
}

// TestFiltered: the counts of a filtered list are those of what it lists, what is hidden is said, and what is counted of
// the whole run says so.
func TestFiltered(t *testing.T) {
	f := &audit.Filter{Classes: []identity.Class{identity.NonNode}}
	for want, d := range map[string]Document{
		"\n1 finding: 1 warning\nby class: non-node 1\nthe filter hides 11 of 12 rows\nin all, looked at 20 VMs, ": Orphans(f.Orphans(sampleOrphans())),
		"\nin all, 1 machine has no verdict, ":                 Orphans(f.Orphans(sampleOrphans())),
		"\n0 findings\nthe filter hides 6 of 6 rows\nin all, ": Inventory((&audit.Filter{Clusters: []string{"none"}}).Inventory(sampleInventory())),
	} {
		if got := string(rendered(t, "table", d, Options{})); !strings.Contains(got, want) {
			t.Errorf("%q lacks %q", got, want)
		}
	}
	got := string(rendered(t, "json", Orphans(f.Orphans(sampleOrphans())), Options{}))
	for _, want := range []string{`"hidden": 11`, "\"classes\": {\n      \"non-node\": 1\n    }"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q lacks %q", got, want)
		}
	}
	if got := string(rendered(t, "table", Orphans(sampleOrphans()), Options{})); strings.Contains(got, "filter") || strings.Contains(got, "in all") {
		t.Errorf("nothing is hidden: %q", got)
	}
}

func TestEmptyTablesSaySo(t *testing.T) {
	for want, d := range map[string]Document{
		"No findings.":       Orphans(&audit.OrphanReport{}),
		"Nothing was found.": Inventory(&audit.InventoryReport{}),
		"nothing to check":   Doctor(&audit.DoctorReport{}),
	} {
		if got := string(rendered(t, "table", d, Options{})); !strings.Contains(got, want) {
			t.Errorf("%q lacks %q", got, want)
		}
	}
	if got := string(rendered(t, "table", Orphans(&audit.OrphanReport{}), Options{NoHeaders: true})); got != "" {
		t.Errorf("--no-headers of nothing is %q", got)
	}
}

// TestARemedyIsSaidOnce: what several lack is told in full with the first of them.
func TestARemedyIsSaidOnce(t *testing.T) {
	const long = "pveum acl modify / --users 'proxaudit@pve' --roles PVEAuditor && pveum acl modify / --tokens 'proxaudit@pve!audit' --roles PVEAuditor"
	gap := func(scope, reason, remedy string, optional bool) inventory.Coverage {
		return inventory.Coverage{Source: "site/lab", Scope: scope, State: inventory.Refused, Reason: reason, Remedy: remedy, Optional: optional}
	}
	d := Document{Sections: []Section{footer(audit.Envelope{Coverage: []inventory.Coverage{gap("guests", "a", long, false),
		gap("version", "b", "short", false), gap("nodes", "c", "short", false), gap("agent", "d", long, true)}})}}
	want := `incomplete: site/lab guests: refused: a
  ` + long + `
incomplete: site/lab version: refused: b
  short
incomplete: site/lab nodes: refused: c
  short
not needed for a verdict: site/lab agent: refused: d
  as for site/lab guests
`
	if got := string(rendered(t, "table", d, Options{Width: 300})); !strings.HasPrefix(got, want) {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	doctor := Doctor(&audit.DoctorReport{Checks: []inventory.Check{{Source: "site/lab", Name: "a", Status: inventory.CheckFailed, Remedy: long},
		{Source: "site/lab", Name: "b", Status: inventory.CheckFailed, Remedy: long}}})
	if got := string(rendered(t, "table", doctor, Options{Width: 300})); strings.Count(got, long) != 1 || !strings.Contains(got, "site/lab: b\n  as for site/lab: a\n") {
		t.Errorf("%s", got)
	}
}
