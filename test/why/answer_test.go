package why

import (
	"encoding/json"
	"path"
	"strings"
	"testing"

	"github.com/proxaudit/proxaudit/test/world"
)

// report is what `why -o json` writes, as far as the tests go by it.
type report struct {
	Summary struct{ Healthy, Converging, Stuck, Unknown, NotManaged int }
	Items   []progress
}

type progress struct {
	Cluster, State, Phase string
	Baton                 *baton
	Others                []baton
	Notes                 []string
}

type baton struct {
	Phase, State, Holder, Controller, About, Cause, Detail, Next, Remedy string

	InCluster string
	Object    struct{ Kind, Namespace, Name string }
	Condition *struct{ Type, Status, Reason, Message string }
	Seconds   *int64
	Commands  []string
	Evidence  []string
}

// answer is who has to act, and where to look.
type answer struct {
	state, phase, holder, cause string
	// controller is the Deployment of the holder: NAMESPACE/NAME; empty if it is none.
	controller string
	// object is a pattern of KIND/NAME: the controllers give some names an ending of their own.
	object string
	// says is a part of the detail, shows one of what is printed beside it; command is one of the first command.
	says, shows, command string
}

func (b *bench) proxaudit(t *testing.T, args ...string) world.Outcome {
	t.Helper()
	return world.Run(t, b.program, b.dir, b.config, b.confidential, args...)
}

// why asks about one cluster. What is stuck is exit code 1.
func (b *bench) why(t *testing.T, cluster string, code int, args ...string) progress {
	t.Helper()
	return about(t, cluster, b.proxaudit(t, append([]string{"why", "--cluster", cluster, "-o", "json"}, args...)...).Want(t, code))
}

func about(t *testing.T, cluster string, o world.Outcome) progress {
	t.Helper()
	var r report
	if err := json.Unmarshal(o.Stdout, &r); err != nil {
		t.Fatal(err)
	}
	if len(r.Items) != 1 || r.Items[0].Cluster != cluster {
		t.Fatalf("asked about %s, and it answers about %d clusters:\n%s", cluster, len(r.Items), o.Stdout)
	}
	return r.Items[0]
}

// waitsWithCluster: a worker that waits for the control plane has nothing of its own to wait for.
func (b *bench) waitsWithCluster(t *testing.T, cluster, machine string, want answer) {
	t.Helper()
	got := about(t, cluster, b.proxaudit(t, "why", "--machine", cluster+"/"+machine, "-o", "json").Want(t, 0))
	want.is(t, got)
	if text := "it waits for the cluster"; len(got.Notes) != 1 || !strings.Contains(got.Notes[0], text) {
		t.Errorf("the notes are %q, want %q", got.Notes, text)
	}
	for _, h := range append(got.Others, *got.Baton) {
		if h.About == machine {
			t.Errorf("%s waits for something of its own: %s", machine, h.Detail)
		}
	}
}

// checkReading asks once more, as the reader, who may get one Secret.
func (b *bench) checkReading(t *testing.T, s state) {
	t.Helper()
	b.on(t, s.name, "create", "role", "proxaudit-secrets", "--verb=get", "--resource=secrets", "--resource-name="+s.readable)
	b.on(t, s.name, "create", "rolebinding", "proxaudit-secrets", "--role=proxaudit-secrets", "--group=proxaudit")
	got := about(t, s.name, world.Run(t, b.program, b.dir, b.readerConfig, b.confidential, "why", "--cluster", s.name, "--read-secrets", "-o", "json").Want(t, 1))
	s.wantReading.is(t, got)
	// The reader may not list Secrets, and the person who reads this may.
	for i, line := range got.Baton.Commands {
		got.Baton.Commands[i] = strings.ReplaceAll(line, b.readerAccess, b.operator)
	}
	b.runs(t, got.Baton)
}

// check asks why about a cluster, holds the answer against what is right, and runs the commands.
func (b *bench) check(t *testing.T, cluster string, want answer) {
	t.Helper()
	code := 1
	if want.state == converging {
		code = 0
	}
	got := b.why(t, cluster, code)
	want.is(t, got)
	if got.Baton != nil {
		b.runs(t, got.Baton)
		for i := range got.Others {
			b.runs(t, &got.Others[i])
		}
		t.Logf("%s (%s): %s %s/%s: %s [%s]", got.State, got.Phase, got.Baton.Holder, got.Baton.Object.Kind, got.Baton.Object.Name, got.Baton.Detail, strings.Join(got.Baton.Commands, "; "))
	}
	if want.state == converging {
		// Nothing but time makes it stuck.
		want.state = stuck
		want.is(t, b.why(t, cluster, 1, "--grace=1s"))
	}
}

func (want answer) is(t *testing.T, got progress) {
	t.Helper()
	if got.Baton == nil {
		t.Fatalf("nobody waits: %s", asJSON(t, got))
	}
	h := got.Baton
	wrong := false
	for _, c := range []struct{ what, got, want string }{
		{"the state", got.State, want.state}, {"the phase", got.Phase, want.phase}, {"the baton's phase", h.Phase, want.phase},
		{"the holder", h.Holder, want.holder}, {"the cause", h.Cause, want.cause}, {"the controller", h.Controller, want.controller},
	} {
		if c.got != c.want {
			t.Errorf("%s is %q, want %q", c.what, c.got, c.want)
			wrong = true
		}
	}
	if object := h.Object.Kind + "/" + h.Object.Name; !matches(t, want.object, object) {
		t.Errorf("the object is %s, want %s", object, want.object)
		wrong = true
	}
	shown := strings.Join(append(h.Evidence, h.Remedy, h.Next), "\n")
	if h.Condition != nil {
		shown += "\n" + h.Condition.Reason + "\n" + h.Condition.Message
	}
	first := ""
	if len(h.Commands) > 0 {
		first = h.Commands[0]
	}
	for _, c := range []struct{ what, got, want string }{{"the detail", h.Detail, want.says}, {"the first command", first, want.command}, {"what is shown beside it", shown, want.shows}} {
		if !strings.Contains(c.got, c.want) || c.want == "" && c.what != "what is shown beside it" {
			t.Errorf("%s is %q, want %q in it", c.what, c.got, c.want)
			wrong = true
		}
	}
	if wrong {
		t.Log(asJSON(t, got))
	}
}

func matches(t *testing.T, pattern, text string) bool {
	t.Helper()
	ok, err := path.Match(pattern, text)
	if err != nil {
		t.Fatal(err)
	}
	return ok
}

func asJSON(t *testing.T, v any) string {
	t.Helper()
	out, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}
