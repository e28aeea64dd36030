package adopt_test

import (
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
