package render

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/proxaudit/proxaudit/adopt"
	"github.com/proxaudit/proxaudit/audit"
	"github.com/proxaudit/proxaudit/inventory"
	"github.com/proxaudit/proxaudit/inventory/inventorytest"
)

// samplePlan is a plan that can be rendered, with hostile names where others choose them.
func samplePlan(t *testing.T, spoil func(*inventory.Snapshot)) *adopt.Plan {
	t.Helper()
	s := inventorytest.ScriptBuilt("prod", 1, 2)
	if spoil != nil {
		spoil(s)
	}
	p, err := adopt.Make(s, adopt.Options{Cluster: "prod", Future: adopt.Future{Addresses: []string{"10.0.0.200-10.0.0.220"}}})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func sampleBlocked(t *testing.T) *adopt.Plan {
	return samplePlan(t, func(s *inventory.Snapshot) {
		for i := range s.VMs {
			if s.VMs[i].Name == "w-2" {
				s.VMs[i].Status, s.VMs[i].Name = "stopped", clearScreen
			}
		}
		s.Nodes[0].Labels["example.com/"+rightToLeft] = twoLines
	})
}

func sampleVerification() *adopt.Verification {
	since := collected.Add(-time.Hour)
	v := &adopt.Verification{Envelope: sampleEnvelope(adopt.KindVerification), Cluster: "prod", Name: "prod", Namespace: "prod", Since: &since,
		Next: adopt.StepUnpauseFirst,
		Steps: []adopt.VerifiedStep{
			{ID: adopt.StepUnpauseCluster, Title: "Unpause the Cluster", Done: true, Objects: 2, Verdict: adopt.Safe},
			{ID: adopt.StepUnpauseFirst, Title: "Unpause one worker", Objects: 3, Paused: 3, Verdict: adopt.Unsafe, Why: []string{"one", twoLines, "three"}},
			{ID: adopt.StepUnpauseMachines, Title: "Unpause the other Machines", Objects: 6, Paused: 6, Verdict: adopt.Unknown, Why: []string{clearScreen}},
			{ID: adopt.StepUnpauseWorkers, Title: "Unpause the workers", Objects: 2, Paused: 2, Verdict: adopt.Safe},
			{ID: adopt.StepFinish, Title: "Take the brakes off", Objects: 6, Paused: 6, Verdict: adopt.Safe}},
		Checks: []adopt.Check{
			{Name: adopt.CheckIdentity, Subject: objectRef("machine", "prod", "w-1"), State: adopt.CheckFailed, Step: adopt.StepUnpauseFirst, Detail: "VM lab/1001 is stopped", Remedy: "leave it paused"},
			{Name: adopt.CheckIdentity, Subject: objectRef("machine", "prod", "w-2"), State: adopt.CheckFailed, Step: adopt.StepUnpauseFirst, Detail: rightToLeft, Remedy: "leave it paused"},
			{Name: adopt.CheckSecret, Subject: objectRef("secret", "prod", "prod-ca"), State: adopt.CheckUnknown, Step: adopt.StepUnpauseControlPlane, Detail: "it was not read"},
			{Name: adopt.CheckUnplanned, Subject: objectRef("machine", "prod", zeroWidth), State: adopt.CheckNote, Step: adopt.StepUnpauseCluster, Detail: "made after"},
			{Name: adopt.CheckTasks, Subject: audit.SubjectRef{Kind: "site", Name: "lab", ID: "site/lab"}, State: adopt.CheckOK, Step: adopt.StepUnpauseCluster, Detail: "none"}},
		Predictions: []adopt.Prediction{
			{Controller: adopt.ControllerProxmoxMachine, Object: inventory.Ref{Kind: "ProxmoxMachine", Name: "w-1"}, Step: adopt.StepUnpauseMachines, Outcome: adopt.FalseGreen, Why: []string{"the VM does not run", notUTF8}},
			{Controller: adopt.ControllerControlPlane, Object: inventory.Ref{Kind: "KubeadmControlPlane", Name: "prod"}, Step: adopt.StepUnpauseControlPlane, Outcome: adopt.CannotTell, Why: []string{"not seen"}},
			{Controller: adopt.ControllerMachine, Object: inventory.Ref{Kind: "Machine", Name: "w-2"}, Step: adopt.StepUnpauseMachines, Outcome: adopt.Adopts, Why: []string{"its Node is there"}}}}
	v.Summary = adopt.VerifySummary{Safe: 3, Unsafe: 1, Unknown: 1, Done: 1, Incomplete: true}
	return v
}

// sampleUnseen is a plan without what Proxmox says.
func sampleUnseen(t *testing.T) *adopt.Plan {
	return samplePlan(t, func(s *inventory.Snapshot) {
		s.VMs = nil
		for i := range s.Coverage {
			if c := &s.Coverage[i]; c.Source == "site/lab" && c.Scope == inventory.ScopeGuests {
				c.State, c.Reason, c.Remedy = inventory.Failed, clearScreen, "check the address"
			}
		}
		c := s.CoverageOf("cluster/prod", inventory.ScopeStaticPods)
		c.State, c.Reason = inventory.Refused, "403 Forbidden"
	})
}

// sampleNotAdopted is the verification of a cluster that Cluster API made.
func sampleNotAdopted() *adopt.Verification {
	return &adopt.Verification{Envelope: sampleEnvelope(adopt.KindVerification), Cluster: "apps", Name: clearScreen, Namespace: "apps",
		Steps:       []adopt.VerifiedStep{{ID: adopt.StepUnpauseCluster, Title: "Unpause the Cluster", Done: true, Objects: 2, Verdict: adopt.Unsafe, Why: []string{"one"}}},
		Checks:      []adopt.Check{{Name: adopt.CheckUnplanned, Subject: objectRef("cluster", "", "apps"), State: adopt.CheckUnknown, Step: adopt.StepUnpauseCluster, Detail: "none was rendered"}},
		Predictions: []adopt.Prediction{}, Summary: adopt.VerifySummary{Unsafe: 1, Done: 1, Incomplete: true}}
}

func sampleRejections() *inventory.DryRun {
	return &inventory.DryRun{Sent: 3, Accepted: 1, Rejections: []inventory.Rejection{
		{Object: inventory.Ref{Kind: "ProxmoxMachine", Namespace: "prod", Name: "w-1"}, Cause: inventory.RejectedInvalid, Field: "spec.network", Message: clearScreen, Remedy: "look"},
		{Object: inventory.Ref{Kind: "Machine", Namespace: "prod", Name: "w-1"}, Cause: inventory.RejectedForbidden, Message: "no"}}}
}

// The runbook is markdown in which no name of others is markup, and no command is changed by it.
func TestRunbook(t *testing.T) {
	p := samplePlan(t, func(s *inventory.Snapshot) {
		for i := range s.Nodes {
			s.Nodes[i].Ready = "<b>[x](http://evil)|@team " + clearScreen
		}
	})
	got, err := Runbook(p)
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "runbook.md", got)
	for _, bad := range []string{"<b>", "](http:", "@team", "\x1b"} {
		if bytes.Contains(got, []byte(bad)) {
			t.Errorf("it has %q", bad)
		}
	}
	for _, s := range p.Steps {
		for _, c := range slices.Concat(s.Before, s.Beside, s.Commands, s.Also, s.Check, s.After, s.Abort, s.Instead, s.Resume) {
			// A block stops at what fails.
			if !strings.Contains(string(got), "\n"+c+"\n") && !strings.Contains(string(got), "\n"+c+" &&\n") {
				t.Errorf("it lacks the command %q as it is", c)
			}
		}
	}
}

// What has to be read first stands in a block of its own: one paste does not run both.
func TestRunbookStopsBeforeWhatIsDangerous(t *testing.T) {
	p := samplePlan(t, nil)
	got, err := Runbook(p)
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range []adopt.StepID{adopt.StepSecrets, adopt.StepUnpauseControlPlane} {
		i := slices.IndexFunc(p.Steps, func(s adopt.Step) bool { return s.ID == id })
		s := p.Steps[i]
		if len(s.Before) == 0 || s.StopIf == "" {
			t.Fatalf("%s: %+v", id, s)
		}
		for block := range strings.SplitSeq(string(got), "```") {
			if strings.Contains(block, "\n"+s.Before[len(s.Before)-1]+"\n") && strings.Contains(block, "\n"+s.Commands[len(s.Commands)-1]+"\n") {
				t.Errorf("%s: one block has both:\n%s", id, block)
			}
		}
	}
	for _, s := range p.Steps {
		if s.Expect == "" || s.AbortNote == "" {
			t.Errorf("%s does not say what its check has to show, or how to go back", s.ID)
		}
	}
}

// TestMarkup: whatever a text holds, Markdown shows it and does nothing with it.
func TestMarkup(t *testing.T) {
	for text, want := range map[string]string{
		"a|b": `a\|b`, "*a*": `\*a\*`, "<script>": "&lt;script&gt;", "&lt;": "&amp;lt;", "[a](b)": `\[a\](b)`, "`x`": "\\`x\\`",
		"http://a": "http&#58;//a", "@here": "&#64;here", "#12": `\#12`, "_a_": `\_a\_`, "~~a~~": `\~\~a\~\~`, `\`: `\\`, "a\nb": `a\\nb`,
	} {
		if got := markdownText(text); got != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
	for text, want := range map[string]string{"- a": `\- a`, "1. a": `1\. a`, "12) a": `12\) a`, "+ a": `\+ a`, "=": `\=`, "12": "12", "": "", "1.5 GiB": `1\.5 GiB`} {
		if got := markdownLine(text); got != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
	var b bytes.Buffer
	markdownCode(&b, Code{Lines: []string{"echo ```x", "y"}})
	if want := "````sh\necho ```x\ny\n````\n"; b.String() != want {
		t.Errorf("%q", b.String())
	}
}

// The runbook has what docs/adoption.md asks for, a check of giving up, and nothing that sends its reader to itself.
func TestRunbookIsWhole(t *testing.T) {
	p := samplePlan(t, nil)
	got, err := Runbook(p)
	if err != nil {
		t.Fatal(err)
	}
	text := string(got)
	for _, want := range []string{"PVEAuditor until the last step", "real role", "Never delete a ProxmoxMachine of an adopted machine", "\n## MachineDeployments\n", "a cluster-autoscaler", "Flux, Argo CD",
		"Take a backup of each VM", "--read-secrets --watch\n", "kubeadm certs renew admin.conf", "No controller renews the kubeconfig", "kubectl (1.23 or newer)"} {
		if !strings.Contains(text, want) {
			t.Errorf("it lacks %q", want)
		}
	}
	if strings.Contains(text, "in RUNBOOK.md") {
		t.Error("it sends its reader to itself")
	}
	first, then := p.Renewal()
	for _, c := range slices.Concat(p.GivenUp(), p.CleanUp(), p.MayWrite(), first, then, []string{p.DeleteNamespace()}) {
		if !strings.Contains(text, "\n"+c+"\n") && !strings.Contains(text, "\n"+c+" &&\n") {
			t.Errorf("it lacks %q", c)
		}
	}
	if strings.Contains(text, "recorded snapshot") || strings.Contains(text, "manifests already") {
		t.Error("nothing is recorded, and nothing applied")
	}
}
