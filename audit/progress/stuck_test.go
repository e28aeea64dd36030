package progress_test

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/proxaudit/proxaudit/audit/progress"
	"github.com/proxaudit/proxaudit/inventory"
)

// state is a state of the world in which somebody waits, and who that is.
type state struct {
	name string
	// world is one of testdata, stages those of stages_test.go that it goes back to, patch what is special about it, as its controllers
	// write it.
	world, stages, patch string
	tune                 func(*inventory.Snapshot)

	state  progress.State
	phase  progress.PhaseID
	holder progress.Holder
	cause  progress.Cause
	// object is KIND/NAME; says is a part of the detail, and shows a part of what is printed beside it; command is the first one, from its
	// context on.
	object, says, shows, command string
	// alone is true where nobody else waits.
	alone bool
}

const (
	aboutPM      = "mgmt -n team describe proxmoxmachines.infrastructure.cluster.x-k8s.io "
	aboutPC      = "mgmt -n team describe proxmoxclusters.infrastructure.cluster.x-k8s.io prod"
	aboutCluster = "mgmt -n team describe clusters.cluster.x-k8s.io prod"
	aboutMachine = "mgmt -n team describe machines.cluster.x-k8s.io "
	aboutMD      = "mgmt -n team describe machinedeployments.cluster.x-k8s.io prod-md"
	aboutSet     = "mgmt -n team describe machinesets.cluster.x-k8s.io prod-md-x"
	aboutKCP     = "mgmt -n team describe kubeadmcontrolplanes.controlplane.cluster.x-k8s.io prod-cp"
	aboutConfig  = "mgmt -n team describe kubeadmconfigs.bootstrap.cluster.x-k8s.io "
	aboutClaim   = "mgmt -n team describe ipaddressclaims.ipam.cluster.x-k8s.io "
	aboutNode    = "prod describe node "
)

// lab builds the state's world.
func (c *state) lab(t *testing.T) *lab {
	t.Helper()
	world := c.world
	if world == "" {
		world = "v1beta2"
	}
	l := newLab(t, world)
	for _, s := range strings.Fields(c.stages) {
		if stages[world][s] == "" {
			t.Fatalf("there is no stage %s of %s", s, world)
		}
		l.patch(t, stages[world][s])
	}
	l.patch(t, c.patch)
	if c.tune != nil {
		l.tune = append(l.tune, c.tune)
	}
	return l
}

// table are all states.
func table() []state {
	var out []state
	for _, g := range [][]state{infrastructureStates, planeStates, hostStates, controllerStates, bindingStates, workerStates, deletionStates, networkStates, rolloutStates, sumStates} {
		out = append(out, g...)
	}
	return out
}

func TestStates(t *testing.T) {
	all := table()
	if len(all) < 40 {
		t.Errorf("only %d states", len(all))
	}
	seen := map[progress.Cause]bool{}
	names := map[string]bool{}
	for _, c := range all {
		seen[c.cause] = true
		if names[c.name] {
			t.Errorf("%q is there twice", c.name)
		}
		names[c.name] = true
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			c.check(t, analyse(c.lab(t).snapshot(t)))
		})
	}
	for _, cause := range causes(t) {
		if !seen[cause] {
			t.Errorf("no state has the cause %s", cause)
		}
	}
}

func (c *state) check(t *testing.T, got progress.Cluster) {
	t.Helper()
	b := got.Baton
	if b == nil {
		t.Fatalf("nobody waits:\n%s", toJSON(t, got))
	}
	wrong := false
	want := func(what string, got, want any) {
		if got != want {
			t.Errorf("%s is %v, want %v", what, got, want)
			wrong = true
		}
	}
	want("state", got.State, c.state)
	want("phase", got.Phase, c.phase)
	want("the baton's phase", b.Phase, c.phase)
	want("holder", b.Holder, c.holder)
	want("cause", b.Cause, c.cause)
	want("object", b.Object.Kind+"/"+b.Object.Name, c.object)
	if !strings.Contains(b.Detail, c.says) || c.says == "" || len(strings.Fields(b.Detail)) < 3 {
		t.Errorf("the detail is %q, want %q in it", b.Detail, c.says)
		wrong = true
	}
	// What is needed: somebody changes it by himself, or a person knows what to do.
	if b.Next == "" && b.Remedy == "" && b.Cause != progress.CauseCondition {
		t.Errorf("neither next nor remedy: %q", b.Detail)
		wrong = true
	}
	if c.state == progress.Converging {
		want("next is said", b.Next != "", true)
	}
	if len(b.Commands) == 0 || b.Commands[0] != "kubectl --context="+c.command {
		t.Errorf("commands %q, want first %q", b.Commands, "kubectl --context="+c.command)
		wrong = true
	}
	if c.shows != "" {
		shown := strings.Join(append(b.Evidence, b.Remedy, b.Next), "\n")
		if b.Condition != nil {
			shown += "\n" + b.Condition.Message
		}
		if !strings.Contains(shown, c.shows) {
			t.Errorf("it does not show %q", c.shows)
			wrong = true
		}
	}
	if c.alone && len(got.Others) > 0 {
		t.Errorf("others wait")
		wrong = true
	}
	if b.Seconds != nil && *b.Seconds < 0 {
		t.Errorf("since %d seconds", *b.Seconds)
	}
	if wrong {
		t.Log(toJSON(t, got))
	}
}

// causes are all of result.go but the one for what was not seen, which is no waiting.
func causes(t *testing.T) []progress.Cause {
	t.Helper()
	source, err := os.ReadFile("result.go")
	if err != nil {
		t.Fatal(err)
	}
	var out []progress.Cause
	for _, m := range regexp.MustCompile(`Cause\w+ +Cause = "([a-z-]+)"`).FindAllSubmatch(source, -1) {
		if c := progress.Cause(m[1]); c != progress.CauseNotSeen {
			out = append(out, c)
		}
	}
	if len(out) < 40 {
		t.Fatalf("only %d causes were found", len(out))
	}
	return out
}

// proxmoxMachine patches a condition of a ProxmoxMachine, with the summary that its controller writes beside it.
func proxmoxMachine(name, reason, message, since string) string {
	return fmt.Sprintf(`
kind: ProxmoxMachine
metadata: {name: %s}
status:
  conditions:
  - {type: Ready, status: "False", reason: %[2]s, message: %[3]q, lastTransitionTime: "@%[4]s"}
  - {type: VirtualMachineProvisioned, status: "False", reason: %[2]s, message: %[3]q, lastTransitionTime: "@%[4]s"}`, name, reason, message, since)
}
