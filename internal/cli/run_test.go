package cli

import (
	"context"
	"errors"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/proxaudit/proxaudit/audit"
	"github.com/proxaudit/proxaudit/inventory"
	"github.com/proxaudit/proxaudit/inventory/collect"
	"github.com/proxaudit/proxaudit/inventory/snapfile"
)

func TestVerdict(t *testing.T) {
	b := newBench(t)
	if v := b.verdict("orphans"); v.Findings != 8 || v.Incomplete() || v.FailOn != audit.Warning {
		t.Errorf("orphans: %+v", v)
	}
	if v := b.verdict("orphans", "--fail-on", "critical"); v.Findings != 1 {
		t.Errorf("--fail-on critical: %+v", v)
	}
	b.ok("orphans", "--exit-zero")
	if !strings.Contains(b.stderr.String(), "8 findings at or above warning") {
		t.Errorf("--exit-zero hides the summary: %q", b.stderr.String())
	}
	b.ok("inventory")
	if v := b.verdict("inventory", "--fail-on", "info"); v.Findings != 8 {
		t.Errorf("inventory --fail-on info: %+v", v)
	}
	if v := b.verdict("explain", "vm/dc1/204"); v.Findings != 1 || v.Incomplete() {
		t.Errorf("explain: %+v", v)
	}
	b.ok("explain", "--fail-on", "critical", "vm/dc1/204")
	b.ok("scan")
}

func TestVerdictText(t *testing.T) {
	for want, v := range map[string]Verdict{
		"1 finding at or above critical":       {Findings: 1, FailOn: audit.Critical},
		"incomplete: 2 answers are missing":    {Gaps: 2},
		"incomplete: 1 machine has no verdict": {Unknown: 1},
		"incomplete: 1 answer is missing, 3 machines have no verdict; 2 findings at or above info": {Gaps: 1, Unknown: 3, Findings: 2, FailOn: audit.Info},
	} {
		if got := v.Error(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	if (&Verdict{FailOn: audit.Warning}).orNil() != nil {
		t.Error("a clean run has no verdict")
	}
}

// TestPlan: what the flags and the environment say is what the collectors are asked for.
func TestPlan(t *testing.T) {
	b := newBench(t)
	b.ok("inventory", "--kubeconfig", "kc", "--context", "ctx", "-n", "a", "-n", "b", "--request-timeout", "7s", "--read-secrets",
		"--guest-agent", "--insecure", "--now", "2026-11-01T00:00:00+01:00", "-q")
	p := b.plan
	if len(p.Sites) != 1 || p.Sites[0].URL != b.vars["PROXMOX_URL"] || p.Sites[0].Secret.Reveal() != secret || !p.Sites[0].Insecure ||
		p.Sites[0].Timeout.String() != "7s" || !p.Sites[0].GuestAgent || p.Sites[0].Site != "" {
		t.Errorf("site is %+v", p.Sites[0])
	}
	if p.Management == nil || p.Management.Kubeconfig != "kc" || p.Management.Context != "ctx" || p.Management.Timeout.String() != "7s" ||
		!p.ManagementIfServed {
		t.Errorf("management is %+v", p.Management)
	}
	if strings.Join(p.Namespaces, " ") != "a b" || !p.ReadSecrets || !p.GuestAgent || p.ToolVersion == "" ||
		p.Now.Format("2006-01-02T15:04:05Z07:00") != "2026-10-31T23:00:00Z" {
		t.Errorf("plan is %+v", p)
	}
	// Without a flag it is what kubectl would take; whether there is one, the collector finds out.
	b.ok("inventory")
	if b.plan.Management == nil || b.plan.Management.Kubeconfig != "" || !b.plan.ManagementIfServed {
		t.Errorf("management is %+v", b.plan.Management)
	}
	// In a Pod there is the service account.
	b.vars["KUBERNETES_SERVICE_HOST"] = "10.96.0.1"
	b.ok("inventory")
	if b.plan.Management == nil || b.plan.Management.Kubeconfig != "" {
		t.Errorf("in a Pod, management is %+v", b.plan.Management)
	}
}

const fileConfig = `
sites:
- {name: lab, url: "https://pve1:8006", tokenID: "a@pve!tt", secretEnv: S, insecure: true, concurrency: {perNode: 2, total: 9}, regions: [r1]}
- {name: pinned, url: "https://pve2:8006", tokenID: "a@pve!tt", secretEnv: S, fingerprint: "` + fingerprint + `"}
management: {name: mgmt, kubeconfig: m.kc, context: mctx, namespaces: [x]}
clusters:
- {name: prod, kubeconfig: p.kc, context: pctx, site: lab, selector: {tags: [prod]}}
- {name: other, readSecret: true}
gracePeriod: 1h
requestTimeout: 40s
thresholds: {failOn: critical}
readSecrets: true
guestAgent: true
`

const fingerprint = "8E:4A:0C:1B:52:F3:77:96:0D:3E:AB:C4:15:68:29:DA:7B:90:EE:31:42:5C:86:F7:08:19:2A:3B:4C:5D:6E:7F"

// TestPlanOfFile: the file says everything, and flags win over it.
func TestPlanOfFile(t *testing.T) {
	b := newBench(t)
	b.vars["S"] = secret
	if err := os.WriteFile("proxaudit.yaml", []byte(fileConfig), 0o600); err != nil {
		t.Fatal(err)
	}
	if v := b.verdict("orphans"); v.FailOn != audit.Critical || v.Findings != 1 {
		t.Errorf("the file's threshold does not count: %+v", v)
	}
	p := b.plan
	if len(p.Sites) != 2 || p.Sites[0].Site != "lab" || p.Sites[0].PerNode != 2 || p.Sites[0].Total != 9 || p.Sites[0].Regions[0] != "r1" ||
		p.Sites[0].Timeout.String() != "40s" || !p.Sites[0].Insecure || p.Sites[1].Insecure || p.Sites[1].Fingerprint != fingerprint {
		t.Errorf("sites are %+v", p.Sites)
	}
	if p.Management.Key != "mgmt" || p.Management.Kubeconfig != "m.kc" || p.Management.Context != "mctx" || p.ManagementIfServed ||
		strings.Join(p.Namespaces, " ") != "x" {
		t.Errorf("management is %+v of %v", p.Management, p.Namespaces)
	}
	w := p.Workloads
	if len(w) != 2 || w[0].Key != "prod" || w[0].Target.Kubeconfig != "p.kc" || w[0].Target.Context != "pctx" || w[0].Site != "lab" ||
		w[0].Selector.Tags[0] != "prod" || w[1].Target != nil || !w[1].ReadSecret {
		t.Errorf("workloads are %+v", w)
	}
	if !strings.Contains(b.stderr.String(), "https://pve1:8006: certificates are not verified") || strings.Contains(b.stderr.String(), "pve2") {
		t.Errorf("warnings: %q", b.stderr.String())
	}
	// --insecure does not undo a fingerprint; another kubeconfig has other contexts.
	_ = b.verdict("orphans", "--insecure", "--kubeconfig", "other.kc", "-A", "--request-timeout", "9s", "-v")
	p = b.plan
	if p.Sites[1].Insecure || p.Management.Kubeconfig != "other.kc" || p.Management.Context != "" || p.Namespaces != nil ||
		p.Sites[0].Timeout.String() != "9s" {
		t.Errorf("with flags: %+v, %+v, %v", p.Sites, p.Management, p.Namespaces)
	}
	if !strings.Contains(b.stderr.String(), "clusters without a selector: other") {
		t.Errorf("stderr: %q", b.stderr.String())
	}
	if err := os.WriteFile("proxaudit.yaml", []byte("clusters: [{name: a, context: b}]\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	_ = b.verdict("orphans")
	if !strings.Contains(b.stderr.String(), "no cluster has a selector") {
		t.Errorf("stderr: %q", b.stderr.String())
	}
}

// TestTerminal: colours and progress are for a person who watches, and only for one.
func TestTerminal(t *testing.T) {
	b := newBench(t)
	b.env.StdoutTerminal, b.env.StderrTerminal, b.env.Width = true, true, 100
	_ = b.verdict("orphans")
	if !strings.Contains(b.stdout.String(), "\x1b[31mconflict") {
		t.Error("no colours on a terminal")
	}
	if !strings.Contains(b.stderr.String(), "\r\x1b[K[") || !strings.Contains(b.stderr.String(), "read 2 sources in ") {
		t.Errorf("no progress on a terminal: %q", b.stderr.String())
	}
	for _, line := range strings.Split(b.stdout.String(), "\n") {
		if len(stripColours(line)) > 100 {
			t.Errorf("wider than the terminal: %q", line)
		}
	}
	_ = b.verdict("orphans", "-v")
	if strings.Contains(b.stderr.String(), "\x1b") || !strings.Contains(b.stderr.String(), "site/dc1: 2 of 2\n") ||
		!strings.Contains(b.stderr.String(), "the log has a line\n") || !strings.Contains(b.stderr.String(), "site/dc1: 32 requests in 1.5s\n") {
		t.Errorf("-v has plain lines: %q", b.stderr.String())
	}
	_ = b.verdict("orphans", "-q")
	if b.stderr.Len() > 0 {
		t.Errorf("-q says %q", b.stderr.String())
	}
	for name, off := range map[string]func(){
		"--no-color": func() {}, "NO_COLOR": func() { b.vars["NO_COLOR"] = "1" }, "TERM=dumb": func() { b.vars["TERM"] = "dumb" },
	} {
		off()
		args := []string{"orphans", "-q"}
		if name == "--no-color" {
			args = append(args, name)
		}
		_ = b.verdict(args...)
		if strings.Contains(b.stdout.String(), "\x1b") {
			t.Errorf("%s has colours", name)
		}
		delete(b.vars, "NO_COLOR")
		delete(b.vars, "TERM")
	}
	// An empty NO_COLOR is none, as no-color.org has it.
	b.vars["NO_COLOR"] = ""
	_ = b.verdict("orphans", "-q")
	if !strings.Contains(b.stdout.String(), "\x1b[") {
		t.Error("an empty NO_COLOR takes the colours away")
	}
	// Machine formats have none anywhere, and neither has a file.
	_ = b.verdict("orphans", "-q", "-o", "json", "-o", "table=t")
	if strings.Contains(b.stdout.String(), "\x1b") {
		t.Error("JSON with colours")
	}
	file, err := os.ReadFile("t")
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(file), "\x1b") || !strings.Contains(string(file), "CONFIDENCE  EVIDENCE") {
		t.Error("a file is written as if it were the terminal")
	}
}

func stripColours(s string) string {
	for {
		i := strings.Index(s, "\x1b[")
		if i < 0 {
			return s
		}
		j := strings.IndexByte(s[i:], 'm')
		s = s[:i] + s[i+j+1:]
	}
}

// TestSnapshotShowsNames: names of others reach neither a terminal nor a file as something that a terminal obeys, and
// the reader of the JSON gets the exact name.
func TestSnapshotShowsNames(t *testing.T) {
	b := newBench(t)
	collected := b.env.Deps.Collect
	b.env.Deps.Collect = func(ctx context.Context, p collect.Plan) (*inventory.Snapshot, collect.Timings, error) {
		s, timings, err := collected(ctx, p)
		s.VMs[0].Name = "csi\u009b2J"
		return s, timings, err
	}
	for _, terminal := range []bool{false, true} {
		b.env.StdoutTerminal = terminal
		b.ok("scan")
		if strings.Contains(b.stdout.String(), "\u009b") || !strings.Contains(b.stdout.String(), `csi\u009b2J`) {
			t.Errorf("terminal %v: the output has a control character", terminal)
		}
		s, err := snapfile.Read(strings.NewReader(b.stdout.String()))
		if err != nil || !slices.ContainsFunc(s.VMs, func(v inventory.VM) bool { return v.Name == "csi\u009b2J" }) {
			t.Errorf("terminal %v: the name is not what it was: %v", terminal, err)
		}
	}
}

func TestInterrupted(t *testing.T) {
	b := newBench(t)
	ctx, cancel := context.WithCancel(t.Context())
	b.env.Deps.Collect = func(context.Context, collect.Plan) (*inventory.Snapshot, collect.Timings, error) {
		cancel()
		return nil, nil, errors.New("get https://pve1: context canceled")
	}
	if err := b.runContext(ctx, "orphans"); !errors.Is(err, ErrInterrupted) || b.stdout.Len() > 0 {
		t.Errorf("orphans: %v, %q", err, b.stdout.String())
	}
	b.env.Deps.Doctor = func(context.Context, collect.Plan) ([]inventory.Check, []inventory.Requests) {
		cancel()
		return nil, nil
	}
	if err := b.runContext(ctx, "doctor"); !errors.Is(err, ErrInterrupted) || b.stdout.Len() > 0 {
		t.Errorf("doctor: %v, %q", err, b.stdout.String())
	}
	if err := os.WriteFile("s.json", fleetJSON(t), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := b.runContext(ctx, "orphans", "--from", "s.json"); !errors.Is(err, ErrInterrupted) {
		t.Errorf("--from: %v", err)
	}
	// Interrupted behind the last moment: 130 has precedence over a verdict and over success.
	if err := b.runContext(ctx, "version"); !errors.Is(err, ErrInterrupted) {
		t.Errorf("version: %v", err)
	}
}

// TestInterruptedLate: who stops a run behind the last request gets 130 and no result, whatever that would have been.
func TestInterruptedLate(t *testing.T) {
	b := newBench(t)
	collected := b.env.Deps.Collect
	for name, args := range map[string][]string{
		"a verdict": {"orphans"}, "a clean list": {"inventory"}, "a file": {"scan", "-o", "json=s.json"}, "an error": {"orphans", "--site", "nowhere"},
		"no exit code": {"orphans", "--exit-zero"},
	} {
		ctx, cancel := context.WithCancel(t.Context())
		b.env.Deps.Collect = func(ctx context.Context, p collect.Plan) (*inventory.Snapshot, collect.Timings, error) {
			s, timings, err := collected(ctx, p)
			cancel()
			return s, timings, err
		}
		var v *Verdict
		if err := b.runContext(ctx, args...); !errors.Is(err, ErrInterrupted) || errors.As(err, &v) || b.stdout.Len() > 0 {
			t.Errorf("%s: %v, %q", name, err, b.stdout.String())
		}
		if strings.Contains(b.stderr.String(), "at or above") {
			t.Errorf("%s: a verdict is told: %q", name, b.stderr.String())
		}
	}
	if _, err := os.Stat("s.json"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a file was written: %v", err)
	}
	// While the result is written.
	b.env.Deps.Collect = collected
	ctx, cancel := context.WithCancel(t.Context())
	b.env.Stdout = writerFunc(func(p []byte) (int, error) { cancel(); return len(p), nil })
	if err := b.runContext(ctx, "orphans"); !errors.Is(err, ErrInterrupted) {
		t.Errorf("while writing: %v", err)
	}
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

// TestPlanErrors: a mistake in the plan is an error, and no server is to blame.
func TestPlanErrors(t *testing.T) {
	b := newBench(t)
	b.env.Deps.Collect = func(context.Context, collect.Plan) (*inventory.Snapshot, collect.Timings, error) {
		return nil, nil, errors.New("two sites are called \"lab\"")
	}
	var v *Verdict
	if err := b.run("orphans"); err == nil || errors.As(err, &v) || !strings.Contains(err.Error(), "two sites") {
		t.Errorf("got %v", err)
	}
}

// TestBrokenOutput: a reader that went away is nobody's failure, a full disk is one.
func TestBrokenOutput(t *testing.T) {
	b := newBench(t)
	for _, args := range [][]string{{"orphans"}, {"scan"}, {"version"}, {"completion", "bash"}, {"doctor"}, {"--version"}, {"inventory", "-o", "json"}} {
		b.env.Stdout = &failWriter{err: syscall.EPIPE, room: 10}
		var v *Verdict
		if err := b.run(args...); err != nil && !errors.As(err, &v) {
			t.Errorf("%v into a closed pipe: %v", args, err)
		}
		for want, errno := range map[string]error{"no space left": syscall.ENOSPC, "bad file descriptor": syscall.EBADF} {
			b.env.Stdout = &failWriter{err: &os.PathError{Op: "write", Path: "/dev/stdout", Err: errno}, room: 10}
			if err := b.run(args...); err == nil || errors.As(err, &v) || !strings.Contains(err.Error(), "standard output: "+want) {
				t.Errorf("%v with %s: %v", args, want, err)
			}
		}
	}
}

func TestDoctor(t *testing.T) {
	b := newBench(t)
	b.checks = []inventory.Check{{Source: "site/lab", Name: "reach", Status: inventory.CheckOK}}
	b.ok("doctor")
	b.checks = append(b.checks, inventory.Check{Source: "site/lab", Name: "tls", Status: inventory.CheckWarning, Remedy: "do this"},
		inventory.Check{Source: "site/lab", Name: "later", Status: inventory.CheckSkipped})
	if v := b.verdict("doctor"); v.Findings != 1 || v.Incomplete() {
		t.Errorf("a warning: %+v", v)
	}
	if !strings.Contains(b.stdout.String(), "do this") || !strings.Contains(b.stdout.String(), "1 ok, 1 warning, 0 failed, 1 skipped") {
		t.Errorf("%s", b.stdout.String())
	}
	b.ok("doctor", "--fail-on", "critical")
	b.checks = append(b.checks, inventory.Check{Source: "site/lab", Name: "guests", Status: inventory.CheckFailed})
	if v := b.verdict("doctor", "--fail-on", "critical", "-o", "json"); v.Findings != 1 {
		t.Errorf("a failure: %+v", v)
	}
	if !strings.Contains(b.stdout.String(), `"kind": "DoctorReport"`) || !strings.Contains(b.stdout.String(), `"generatedAt": "2026-12-01T12:00:00Z"`) {
		t.Errorf("%s", b.stdout.String())
	}
}

// TestNothingIsAskedForNothing: mistakes are found before a server is bothered.
func TestNothingIsAskedForNothing(t *testing.T) {
	b := newBench(t)
	for _, args := range [][]string{
		{"orphans", "-o", "pdf"}, {"orphans", "-o", "json=nowhere/x"}, {"orphans", "-o", "json=."}, {"orphans", "--class", "x"}, {"orphans", "--fail-on", "x"},
		{"orphans", "--grace", "x"}, {"explain", "nonsense"}, {"explain", "cluster/prod"}, {"scan", "-o", "table"}, {"doctor", "-o", "x"},
		{"orphans", "extra"}, {"orphans", "--config", "nowhere"}, {"orphans", "-q", "-v"}, {"frobnicate"}, {"orphans", "--nope"},
		{"doctor", "--config", "nowhere"}, {"scan", "--config", "nowhere"}, {"version", "-o", "x"}, {"help", "x"}, {"completion", "x"},
	} {
		var v *Verdict
		if err := b.run(args...); err == nil || errors.As(err, &v) {
			t.Errorf("%v: %v", args, err)
		}
		if b.stdout.Len() > 0 {
			t.Errorf("%v: standard output has %q", args, b.stdout.String())
		}
	}
	if n := b.calls.Load(); n > 0 {
		t.Errorf("the collectors were called %d times", n)
	}
}

// TestMessagesAreSafe: what a server says reaches the terminal as text.
func TestMessagesAreSafe(t *testing.T) {
	var b strings.Builder
	Say(&b, "first \x1b[2J\nsecond\u202e\n")
	if b.String() != "first \\x1b[2J\nsecond\\u202e\n" {
		t.Errorf("%q", b.String())
	}
	b.Reset()
	Say(&b, "open https:/root:pw@h/x and https:/root:p/w@h and https://root:pw@h:1?a=b@c: user a@pve, https://pve1:8006/x@y\n")
	if b.String() != "open https://REDACTED@h/x and https://REDACTED@h and https://REDACTED@h:1?a=b@c: user a@pve, https://pve1:8006/x@y\n" {
		t.Errorf("%q", b.String())
	}
	b.Reset()
	Say(&b, "open C:/Users/a@b, /srv/a:/b, the token a@pve!x of site/lab, \"a@pve!x=pw\"\n")
	if b.String() != "open C:/Users/a@b, /srv/a:/b, the token a@pve!x of site/lab, \"a@pve!x=REDACTED\"\n" {
		t.Errorf("%q", b.String())
	}
}

// TestOddFiles: what is no regular file is written to and never replaced.
func TestOddFiles(t *testing.T) {
	b := newBench(t)
	if err := os.Mkdir("folder", 0o755); err != nil {
		t.Fatal(err)
	}
	for _, command := range []string{"inventory", "scan"} {
		if err := b.run(command, "-o", "json=folder"); err == nil || !strings.Contains(err.Error(), "is a folder") {
			t.Errorf("%s into a folder: %v", command, err)
		}
		if err := syscall.Mkfifo(command, 0o600); err != nil {
			t.Fatal(err)
		}
		read := make(chan string)
		go func() {
			data, err := os.ReadFile(command)
			if err != nil {
				data = []byte(err.Error())
			}
			read <- string(data)
		}()
		b.ok(command, "-o", "json="+command)
		if got := <-read; !strings.HasPrefix(got, "{") || !strings.HasSuffix(got, "}\n") {
			t.Errorf("%s into a named pipe: %.40q…", command, got)
		}
		if st, err := os.Stat(command); err != nil || st.Mode().IsRegular() {
			t.Errorf("%s replaced the named pipe", command)
		}
	}
	b.ok("scan", "-o", "json=s.json.zst")
	if v := b.verdict("orphans", "--from", "s.json.zst"); v.Findings != 8 {
		t.Errorf("read back: %+v", v)
	}
	if st, err := os.Stat("s.json.zst"); err != nil || st.Mode().Perm() != 0o600 {
		t.Errorf("a snapshot is a map of the house, and has mode %v", st.Mode())
	}
}

// TestVersion: the linker's word counts.
func TestVersion(t *testing.T) {
	b := newBench(t)
	b.env.Version = "v1.2.3"
	b.ok("--version")
	if b.stdout.String() != "proxaudit v1.2.3\n" {
		t.Errorf("%q", b.stdout.String())
	}
	b.ok("version", "-o", "wide")
	if !strings.Contains(b.stdout.String(), "proxaudit:  v1.2.3\n") {
		t.Errorf("%q", b.stdout.String())
	}
	// A test has no commit, and a line without one tells nothing.
	if strings.Contains(b.stdout.String(), "commit") || !strings.Contains(b.stdout.String(), "platform:") {
		t.Errorf("%q", b.stdout.String())
	}
	b.ok("inventory")
	if b.plan.ToolVersion != "v1.2.3" {
		t.Errorf("the snapshot would say %q", b.plan.ToolVersion)
	}
}
