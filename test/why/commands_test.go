package why

import (
	"bytes"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"
)

// logs is a command for the log of a controller. Here a controller is a process of the bench, and no Pod has its log.
var logs = regexp.MustCompile(`^(kubectl .*)-n (\S+) logs deployment/(\S+) --since=1h$`)

// reads is a command that changes nothing, with what is read.
var reads = regexp.MustCompile(`^kubectl (?:--\S+ )*(?:-n \S+ )?((?:get|describe|logs)(?: events)?) `)

// runs runs every command that is printed, as it is printed.
func (b *bench) runs(t *testing.T, h *baton) {
	t.Helper()
	if len(h.Commands) == 0 {
		t.Errorf("%s: no command is printed", h.Detail)
	}
	for _, line := range h.Commands {
		read := reads.FindStringSubmatch(line)
		if read == nil {
			t.Errorf("%q reads nothing", line)
			continue
		}
		b.read[read[1]]++
		if m := logs.FindStringSubmatch(line); m != nil {
			// The namespace and the Deployment that it names are there.
			line = m[1] + "get namespace/" + m[2] + " && " + m[1] + "-n " + m[2] + " get deployment/" + m[3]
		}
		b.shell(t, line)
	}
}

// ran: every kind of command was run.
func (b *bench) ran(t *testing.T) {
	t.Logf("commands that were run: %v", b.read)
	for _, what := range []string{"get", "describe", "get events", "logs"} {
		if b.read[what] == 0 {
			t.Errorf("no command %s was printed anywhere", what)
		}
	}
}

func (b *bench) shell(t *testing.T, line string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "bash", "-c", line)
	cmd.Dir = b.dir
	cmd.Env = []string{"HOME=" + b.dir, "PATH=" + filepath.Dir(b.kubectl) + ":/usr/bin:/bin"}
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Run(); err != nil {
		t.Errorf("%s: %v\n%s", line, err, out.Bytes())
	} else if out.Len() == 0 {
		t.Errorf("%s prints nothing", line)
	}
}
