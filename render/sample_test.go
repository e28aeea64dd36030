package render

import (
	"strings"
	"testing"
	"time"

	"github.com/proxaudit/proxaudit/audit"
	"github.com/proxaudit/proxaudit/audit/identity"
	"github.com/proxaudit/proxaudit/inventory"
)

func ptr[T any](v T) *T { return &v }

var collected = time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC)

// The names that somebody who may create VMs could choose, and what a careless terminal would make of them.
const (
	clearScreen = "web\x1b[2J\x1b[1;31mpwned\x1b]0;title\x07"
	rightToLeft = "invoice\u202egnp.exe"
	twoLines    = "a\nvm/lab/1  managed"
	zeroWidth   = "zero\u200bwidth\u2066x\u2069\ufeff"
	c1Control   = "csi\u009b31mred"
	notUTF8     = "bad\xff\xfebytes"
	emoji       = "rocket-🚀-日本語"
)

var longName = strings.Repeat("very-long-name-", 20)

func sampleEnvelope(kind string) audit.Envelope {
	return audit.Envelope{
		FormatVersion: audit.FormatVersion, Kind: kind, GeneratedAt: collected,
		Coverage: []inventory.Coverage{
			{Source: "cluster/prod", Scope: "nodes", State: inventory.Complete, Asked: 3, Got: 3},
			{Source: "management", Scope: "machines.cluster.x-k8s.io", State: inventory.Complete, Asked: 5, Got: 5},
			{Source: "management", Scope: "ipaddresses.ipam.cluster.x-k8s.io", State: inventory.Absent},
			{Source: "site/lab", Scope: "config/pve3", State: inventory.Partial, Asked: 10, Got: 8, Failed: 2,
				Reason: "595 Connection refused", Remedy: "bring pve3 back, or wait for it"},
			{Source: "site/lab", Scope: "guest-agent", State: inventory.Refused, Optional: true,
				Reason: "403 Permission check failed (/vms/105, VM.GuestAgent.Audit)"},
			{Source: "site/edge", Scope: "guests", State: inventory.Complete, Asked: 4, Got: 4},
		},
		Requests: []inventory.Requests{
			{Source: "cluster/prod", Count: 3}, {Source: "management", Count: 14, Throttled: 2},
			{Source: "site/edge", Count: 8}, {Source: "site/lab", Count: 31, Retries: 1},
		},
	}
}

func vmRef(site string, vmid int, name string) audit.SubjectRef {
	k := inventory.Key{Site: site, VMID: vmid}
	return audit.SubjectRef{Kind: inventory.SubjectVM, Site: site, Cluster: "prod", Name: name, VMID: vmid, Node: "pve1",
		UUID: "6c3fa683-bef9-4425-b413-eaa45a9d0105", ID: inventory.VMSubject(k).String()}
}

func objectRef(kind, scope, name string) audit.SubjectRef {
	return audit.SubjectRef{Kind: kind, Cluster: "prod", Namespace: scope, Name: name,
		ID: inventory.Subject{Kind: kind, Scope: scope, Name: name}.String()}
}

func sampleEvidence() []identity.Evidence {
	vm := inventory.VMSubject(inventory.Key{Site: "lab", VMID: 105})
	node := inventory.Subject{Kind: inventory.SubjectNode, Scope: "prod", Name: "prod-w-3"}
	return []identity.Evidence{
		{Kind: identity.KindName, Strength: identity.Hint, From: node, To: vm, Left: "prod-w-3", Right: "PROD-W-3"},
		{Kind: identity.KindProviderIDUUID, Strength: identity.Proof, From: node, To: vm,
			Left: "proxmox://6c3fa683-bef9-4425-b413-eaa45a9d0105", Right: "6c3fa683-bef9-4425-b413-eaa45a9d0105"},
		{Kind: identity.KindInfraRef, Strength: identity.Declared, From: node, To: vm, Left: "prod-w-3", Right: "prod-w-3"},
		{Kind: identity.KindMAC, Strength: identity.Supporting, From: node, To: vm, Left: "bc:24:11:00:00:01"},
		{Kind: identity.KindVMIDAndName, Strength: identity.Strong, From: node, To: vm, Left: "105 prod-w-3",
			Right: "lab/105 other", Against: true, Note: "the VM with this VMID has another name"},
	}
}

// sampleOrphans has an ordinary finding, one of each odd shape, and every hostile name.
func sampleOrphans() *audit.OrphanReport {
	r := &audit.OrphanReport{Envelope: sampleEnvelope(audit.KindOrphanReport)}
	add := func(f audit.Finding) {
		if f.Rule == "" {
			f.Rule, f.Severity, f.Confidence = "PXA101", audit.Warning, identity.Medium
		}
		if f.Class == "" {
			f.Class = identity.OrphanVM
		}
		if f.Evidence == nil {
			f.Evidence = []identity.Evidence{}
		}
		f.Title, f.Remedy = "VM belongs to cluster prod, and is neither a Node nor a Machine", "Look at what runs on it first."
		f.Fingerprint = "07a10fd9e165da9c66d270448e03f0d5"
		r.Findings = append(r.Findings, f)
	}
	add(audit.Finding{Rule: "PXA106", Severity: audit.Critical, Class: identity.Conflict, Confidence: identity.High,
		Subject: vmRef("lab", 105, "prod-w-3"), Status: "running", Since: ptr(collected.Add(-76 * time.Hour)),
		AgeSeconds: ptr(int64(76 * 3600)), Evidence: sampleEvidence(),
		Others: []audit.SubjectRef{objectRef("machine", "prod", "prod-w-3"), objectRef("node", "prod", "prod-w-3")},
		Holds:  &audit.Holds{VCPU: ptr(4), MemoryMiB: ptr(int64(8192)), DiskGiB: ptr(int64(40))}})
	add(audit.Finding{Subject: vmRef("lab", 106, "prod-w-4"), Status: "stopped", AgeSeconds: ptr(int64(-5)),
		Holds: &audit.Holds{VCPU: ptr(2), MemoryMiB: ptr(int64(1536)), DiskGiB: ptr(int64(10)), DiskPartial: true}})
	add(audit.Finding{Rule: "PXA108", Severity: audit.Info, Class: identity.Unknown, Confidence: identity.Low,
		Subject: objectRef("node", "prod", "prod-w-9"), Missing: []inventory.Need{{Source: "site/lab", Scope: "config/pve3"}, {Source: "site/lab", Scope: "guests"}}})
	add(audit.Finding{Rule: "PXA102", Severity: audit.Warning, Class: identity.NonNode, Confidence: identity.High,
		Subject: objectRef("machine", "prod", "prod-w-7"), AgeSeconds: ptr(int64(30)), WaitingFor: "the VM's first boot",
		Holds: &audit.Holds{MemoryMiB: ptr(int64(512))}})
	for i, name := range []string{clearScreen, rightToLeft, twoLines, zeroWidth, c1Control, notUTF8, emoji, longName} {
		add(audit.Finding{Subject: vmRef("lab", 200+i, name), Status: "running", AgeSeconds: ptr(int64(600)),
			Evidence: []identity.Evidence{{Kind: identity.KindTag, Strength: identity.Supporting,
				From: inventory.VMSubject(inventory.Key{Site: "lab", VMID: 200 + i}), Left: name}}})
	}
	r.Summary = audit.Summary{Classes: map[identity.Class]int{identity.Managed: 7, identity.Conflict: 1,
		identity.OrphanVM: 9, identity.Unknown: 1, identity.NonNode: 1}, NoVerdict: 1, VMs: 20, Containers: 1, Machines: 9, Nodes: 8,
		Incomplete: true}
	r.Summary.Count(r.Findings)
	return r
}

func sampleItem() audit.Item {
	return audit.Item{Class: identity.Managed, Subject: vmRef("lab", 105, "prod-w-3"), VMs: []audit.SubjectRef{vmRef("lab", 105, "prod-w-3")},
		Infra:    []audit.SubjectRef{objectRef("proxmoxmachine", "prod", "prod-w-3")},
		Machines: []audit.SubjectRef{objectRef("machine", "prod", "prod-w-3")}, Cluster: "prod", Status: "running",
		NodeReady: "Ready", Addresses: []string{"10.0.0.5", "fd00::5"}, Since: ptr(collected.Add(-76 * time.Hour)),
		AgeSeconds: ptr(int64(76 * 3600)), Confidence: identity.High, Link: &sampleEvidence()[1],
		Notes: []string{"paused", rightToLeft}, Fingerprint: "07a10fd9e165da9c66d270448e03f0d5",
		Holds: &audit.Holds{VCPU: ptr(4), MemoryMiB: ptr(int64(8192)), DiskGiB: ptr(int64(40))}}
}

func sampleInventory() *audit.InventoryReport {
	r := &audit.InventoryReport{Envelope: sampleEnvelope(audit.KindInventory), Summary: sampleOrphans().Summary}
	r.Items = append(r.Items, sampleItem(),
		audit.Item{Class: identity.Template, Subject: vmRef("lab", 9000, "tmpl"), Status: "stopped", Confidence: identity.High},
		audit.Item{Class: identity.GhostNode, Subject: objectRef("node", "prod", "prod-w-8"), NodeReady: "Unknown", Confidence: identity.High,
			Nodes: []audit.SubjectRef{objectRef("node", "prod", "prod-w-8")}},
		audit.Item{Class: identity.NonNode, Subject: objectRef("machine", "prod", "prod-w-5"), Status: "running", Confidence: identity.Medium,
			VMs:      []audit.SubjectRef{vmRef("lab", 107, "prod-w-5")},
			Machines: []audit.SubjectRef{objectRef("machine", "prod", "prod-w-5")}},
		audit.Item{Class: identity.OrphanVM, Subject: vmRef("lab", 201, clearScreen), Confidence: identity.Low},
		audit.Item{Class: identity.Adoptable, Subject: vmRef("lab", 202, emoji), Confidence: identity.High})
	return r
}

func sampleExplanation() *audit.Explanation {
	x := &audit.Explanation{Envelope: sampleEnvelope(audit.KindExplanation), Subject: vmRef("lab", 105, "prod-w-3"),
		Item: sampleItem(), Finding: &audit.ExplainedFinding{Rule: "PXA106", Severity: audit.Critical, WaitingFor: twoLines}, Verdict: "Two claim one machine",
		Missing: []inventory.Need{{Source: "site/lab", Scope: "config/pve3"}}, Remedy: "Touch neither of them before it is clear which is right."}
	x.Item.Class = identity.Conflict
	x.Item.Rivals = []audit.SubjectRef{vmRef("lab", 106, rightToLeft), objectRef("proxmoxmachine", "prod", "prod-w-4")}
	for _, e := range sampleEvidence() {
		if e.Against {
			x.Against = append(x.Against, e)
		} else {
			x.For = append(x.For, e)
		}
	}
	x.Against = append(x.Against, identity.Evidence{Kind: identity.KindState, From: x.For[0].From, Left: twoLines, Against: true})
	return x
}

func sampleDoctor() *audit.DoctorReport {
	return &audit.DoctorReport{Envelope: audit.Envelope{FormatVersion: audit.FormatVersion, Kind: audit.KindDoctorReport,
		GeneratedAt: collected, Coverage: []inventory.Coverage{}, Requests: []inventory.Requests{}},
		Summary: audit.DoctorSummary{OK: 1, Warnings: 1, Failed: 1, Skipped: 1},
		Checks: []inventory.Check{
			{Source: "site/lab", Name: "reach", Status: inventory.CheckOK, Detail: "https://pve1.example.com:8006 answers"},
			{Source: "site/lab", Name: "permission VM.Audit on /vms", Status: inventory.CheckFailed,
				Detail: "the token has no VM.Audit there: 200 with an empty list is what Proxmox sends then",
				Remedy: "pveum acl modify /vms --tokens 'proxaudit@pve!audit' --roles PVEAuditor"},
			{Source: "management", Name: "tls", Status: inventory.CheckWarning, Detail: clearScreen, Remedy: "use https"},
			{Source: "management", Name: "permission list machines.cluster.x-k8s.io", Status: inventory.CheckSkipped},
		}}
}

func sampleVersion() *VersionInfo {
	return &VersionInfo{FormatVersion: audit.FormatVersion, Kind: KindVersion, Version: "v1.2.3", Commit: "0123abcd",
		Modified: true, GoVersion: "go1.26.8", Platform: "linux/amd64", Formats: Formats(),
		Modules: map[string]string{"k8s.io/client-go": "v0.36.3", "github.com/Telmate/proxmox-api-go": "v0.0.0"}}
}

// samples are all views.
func samples(t *testing.T) map[string]Document {
	t.Helper()
	return map[string]Document{
		"orphans": Orphans(sampleOrphans()), "inventory": Inventory(sampleInventory()), "explain": Explain(sampleExplanation()),
		"doctor": Doctor(sampleDoctor()), "version": Version(sampleVersion()),
		"clean": Orphans(&audit.OrphanReport{Envelope: audit.Envelope{FormatVersion: audit.FormatVersion,
			Kind: audit.KindOrphanReport, GeneratedAt: collected, Coverage: []inventory.Coverage{}, Requests: []inventory.Requests{}},
			Summary:  audit.Summary{Classes: map[identity.Class]int{}, Severities: map[audit.Severity]int{}},
			Findings: []audit.Finding{}}),
		"plan": Plan(samplePlan(t, nil)), "blocked": Plan(sampleBlocked(t)), "plan-notes": PlanNotes(samplePlan(t, nil)),
		"plan-unseen": UnseenFirst(Plan(sampleUnseen(t)), sampleUnseen(t)), "not-adopted": Verify(sampleNotAdopted()),
		"why": Why(sampleWhy(), false), "why-all": Why(sampleWhy(), true),
		"report": Report(sampleReport()), "history": Runs(sampleRuns()), "finding-life": FindingLife(sampleLife()),
		"ignore-list": IgnoreRules(sampleIgnoreList()), "verification": Verify(sampleVerification()), "rejections": Rejections(sampleRejections()),
	}
}
