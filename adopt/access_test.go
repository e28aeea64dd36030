package adopt_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/proxaudit/proxaudit/adopt"
)

// TestCommandsNameTheFile: every kubectl that asks a server says in which file its context is, where somebody named one, and what is
// for the one cluster is never for the other.
func TestCommandsNameTheFile(t *testing.T) {
	for _, c := range []struct{ management, workload, wantManagement, wantWorkload string }{
		{"mgmt.conf", "my clusters/prod.conf", "kubectl --kubeconfig=mgmt.conf --context=kubernetes-admin@kubernetes ", "kubectl '--kubeconfig=my clusters/prod.conf' --context=kubernetes-admin@kubernetes "},
		{"", "prod.conf", "kubectl --context=kubernetes-admin@kubernetes ", "kubectl --kubeconfig=prod.conf --context=kubernetes-admin@kubernetes "},
		{"", "", "kubectl --kubeconfig=MANAGEMENT-KUBECONFIG --context=kubernetes-admin@kubernetes ", "kubectl --kubeconfig=WORKLOAD-KUBECONFIG --context=kubernetes-admin@kubernetes "},
	} {
		s, o := spoiled(sameContext(c.management, c.workload))
		p := plan(t, s, o)
		lines := p.GivingUp()
		for _, step := range p.Steps {
			for _, l := range append(append(step.Commands, step.Check...), step.Abort...) {
				if step.ID == adopt.StepPatchNodes && strings.HasPrefix(l, "kubectl") && !strings.HasPrefix(l, c.wantWorkload) {
					t.Errorf("%q, want %q", l, c.wantWorkload)
				}
				if step.ID != adopt.StepPatchNodes && !strings.Contains(l, " exec ") {
					lines = append(lines, l)
				}
			}
		}
		for _, l := range lines {
			for _, part := range strings.Split(l, " | ") {
				if strings.HasPrefix(part, "kubectl") && !strings.Contains(part, "--local") && !strings.HasPrefix(part, c.wantManagement) {
					t.Errorf("%q, want %q", part, c.wantManagement)
				}
			}
		}
	}
}

// TestCommandsFromAnyFolder: a kubeconfig that was named by a relative path is found from the runbook's folder as well, if it is known
// where that was. Of a recorded Snapshot it is not, and the path stays as it was named.
func TestCommandsFromAnyFolder(t *testing.T) {
	for _, c := range []struct {
		environment *adopt.Environment
		want        []string
	}{
		{nil, []string{"--kubeconfig=sim1/mgmt.kc", "--kubeconfig=/etc/prod.kc"}},
		{&adopt.Environment{Folder: "/home/me/it's"}, []string{`'--kubeconfig=/home/me/it'\''s/sim1/mgmt.kc'`, "--kubeconfig=/etc/prod.kc"}},
	} {
		s, o := spoiled(sameContext("sim1/mgmt.kc", "/etc/prod.kc"))
		o.Environment = c.environment
		p := plan(t, s, o)
		for _, step := range p.Steps {
			for _, l := range slices.Concat(step.Before, step.Commands, step.Also, step.Check, step.Abort, step.Instead, step.Resume, p.GivingUp(), p.GivenUp(), p.MayWrite()) {
				for part := range strings.SplitSeq(l, " | ") {
					if strings.HasPrefix(part, "kubectl ") && !strings.Contains(part, "--local") && !strings.Contains(part, c.want[0]) && !strings.Contains(part, c.want[1]) {
						t.Errorf("%s names no file as %q", part, c.want)
					}
				}
			}
		}
		if p.ByEnvironment() {
			t.Error("each command names a file")
		}
	}
	if s, o := spoiled(sameContext("", "prod.kc")); !plan(t, s, o).ByEnvironment() {
		t.Error("the management cluster is reached as kubectl's environment says")
	}
}
