package adopt_test

import (
	"strings"
	"testing"

	"github.com/proxaudit/proxaudit/adopt"
	"github.com/proxaudit/proxaudit/inventory"
)

// TestCopyFromAnAddress: what a Node calls its address goes into the line that copies the keys only if it is one.
func TestCopyFromAnAddress(t *testing.T) {
	for want, ips := range map[string][][]string{
		"root@10.0.0.12:":          {{"$(reboot)"}, {"10.0.0.12"}, {"10.0.0.13"}},
		"root@[fd00::12]:":         {{"-oProxyCommand=reboot", "fd00::12"}, {"10.0.0.12"}, {"10.0.0.13"}},
		"root@CONTROL-PLANE-NODE:": {{"evil.example"}, {""}, {"fe80::1%eth0"}},
	} {
		s, o := spoiled(all(setNode("cp-1", func(n *inventory.Node) { n.InternalIPs = ips[0] }), setNode("cp-2", func(n *inventory.Node) { n.InternalIPs = ips[1] }),
			setNode("cp-3", func(n *inventory.Node) { n.InternalIPs = ips[2] })))
		for _, step := range plan(t, s, o).Steps {
			for _, l := range step.Commands {
				if step.ID == adopt.StepSecrets && strings.Contains(l, "scp") && (!strings.Contains(l, want) || strings.Contains(l, "reboot") || strings.Contains(l, "evil")) {
					t.Errorf("%q, want %q", l, want)
				}
			}
		}
	}
}
