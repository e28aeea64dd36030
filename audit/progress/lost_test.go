package progress_test

import (
	"fmt"
	"regexp"
	"slices"
	"testing"

	"github.com/proxaudit/proxaudit/audit/progress"
)

// What says nothing about a cluster as it is: templates and addresses, what bootstraps a machine once, whether counts are being changed
// (the counts themselves are compared), a MachineDeployment without whom its MachineSet goes on, and a Node that is the only one.
var saysNothing = regexp.MustCompile(`Template |Config |^(IP|InCluster)|^(Deployment|Pod|Lease) | (Resized|Initialized|MachinesCreated|MachinesBootstrapped)$|^Machine \S+ Available$|^MachineDeployment \S+ deleted$|^Node \S+ deleted$`)

// A healthy cluster of which anything is taken away, or says that it is not well, is not healthy.
func TestWhatIsLostIsMissed(t *testing.T) {
	for _, world := range []string{"v1beta1", "v1beta2", "talos"} {
		base := newLab(t, world)
		for _, o := range slices.Concat(base.objects, base.nodes) {
			kind, ok := o["kind"].(string)
			if !ok {
				t.Fatalf("%v", o)
			}
			id := fmt.Sprintf("kind: %s\nmetadata: {name: %s}\n", kind, name(o))
			changes := map[string]string{"deleted": id + "delete: true"}
			status, _ := o["status"].(map[string]any)
			conditions, _ := status["conditions"].([]any)
			for _, c := range conditions {
				if c, ok := c.(map[string]any); ok && c["status"] == "True" {
					changes[fmt.Sprint(c["type"])] = fmt.Sprintf(`%sstatus: {conditions: [{type: %s, status: "False", reason: Odd, message: odd, lastTransitionTime: "@2h"}]}`, id, c["type"])
				}
			}
			for what, patch := range changes {
				what = kind + " " + name(o) + " " + what
				if saysNothing.MatchString(what) {
					continue
				}
				l := newLab(t, world)
				l.patch(t, patch)
				if c := analyse(l.snapshot(t)); c.State != progress.Stuck || c.Baton == nil || len(c.Baton.Commands) == 0 {
					t.Errorf("%s: %s: %s", world, what, toJSON(t, c))
				}
			}
		}
	}
}
