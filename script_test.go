package main

import (
	"errors"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/proxaudit/proxaudit/internal/kubesim"
	"github.com/proxaudit/proxaudit/internal/pvesim"
)

// world is what one script has around it.
type world struct {
	// canaries must never be seen in any output: every exits looks for them.
	canaries []string
	sites    map[string]*pvesim.Server
	kubes    map[string]*kubesim.Server
	webhooks map[string]*webhook
	// background is the program that was interrupted.
	background *exec.Cmd
}

type worldKey struct{}

func worldOf(ts *testscript.TestScript) *world { return ts.Value(worldKey{}).(*world) }

// need fails a script that uses a command in the wrong way.
func need(ts *testscript.TestScript, ok bool, usage string) {
	if !ok {
		ts.Fatalf("usage: %s", usage)
	}
}

// canary WORD...: words that no output may have.
func addCanary(ts *testscript.TestScript, neg bool, args []string) {
	need(ts, !neg && len(args) > 0, "canary WORD...")
	w := worldOf(ts)
	w.canaries = append(w.canaries, args...)
}

func noCanary(ts *testscript.TestScript, where, text string) {
	for _, word := range worldOf(ts).canaries {
		if strings.Contains(text, word) {
			ts.Fatalf("%s has the canary %.8s…", where, word)
		}
	}
}

// exits CODE COMMAND...: runs a command, checks its exit code, and looks for canaries in what it printed.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	need(ts, !neg && len(args) > 1, "exits CODE COMMAND...")
	err := ts.Exec(args[1], args[2:]...)
	got := 0
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit):
		got = exit.ExitCode()
	case err != nil:
		ts.Fatalf("%s: %v", args[1], err)
	}
	if want := args[0]; strconv.Itoa(got) != want {
		ts.Fatalf("exit code %d, want %s", got, want)
	}
	for _, stream := range []string{"stdout", "stderr"} {
		noCanary(ts, stream, ts.ReadFile(stream))
	}
}

// ! leaks FILE...: no file may have a canary.
func leaks(ts *testscript.TestScript, neg bool, args []string) {
	need(ts, neg && len(args) > 0, "! leaks FILE...")
	for _, f := range args {
		noCanary(ts, f, ts.ReadFile(f))
	}
}

// lines N [FILE]: standard output, or the file, has so many lines.
func lines(ts *testscript.TestScript, neg bool, args []string) {
	need(ts, !neg && (len(args) == 1 || len(args) == 2), "lines N [FILE]")
	file := "stdout"
	if len(args) == 2 {
		file = args[1]
	}
	if n := strings.Count(ts.ReadFile(file), "\n"); strconv.Itoa(n) != args[0] {
		ts.Fatalf("%s has %d lines, want %s", file, n, args[0])
	}
}

// site NAME FILE: starts a simulated Proxmox site. NAME_URL, NAME_SECRET, NAME_FINGERPRINT and the file NAME.ca say how
// to reach it; its secret is a canary.
func startSite(ts *testscript.TestScript, neg bool, args []string) {
	need(ts, !neg && len(args) == 2, "site NAME FLEET-FILE")
	fleet, err := pvesim.LoadFleet(ts.MkAbs(args[1]))
	ts.Check(err)
	s, err := pvesim.Start(fleet, pvesim.Options{AuthDelay: pvesim.NoDelay, AgentTimeout: pvesim.NoDelay})
	ts.Check(err)
	ts.Defer(func() { ts.Check(s.Close()) })
	const token = "proxaudit@pve!audit"
	ts.Check(os.WriteFile(ts.MkAbs(args[0]+".ca"), s.CAPEM(), 0o600))
	ts.Setenv(args[0]+"_URL", s.URL)
	ts.Setenv(args[0]+"_SECRET", s.Secret(token))
	ts.Setenv(args[0]+"_FINGERPRINT", s.Fingerprint())
	worldOf(ts).sites[args[0]] = s
	addCanary(ts, false, []string{s.Secret(token)})
}

// kube NAME DIR: starts a simulated Kubernetes API server and writes NAME.kubeconfig, whose token is a canary.
func startKube(ts *testscript.TestScript, neg bool, args []string) {
	need(ts, !neg && len(args) == 2, "kube NAME MANIFESTS")
	cluster, err := kubesim.Load(ts.MkAbs(args[1]))
	ts.Check(err)
	token := "canary-token-of-" + args[0]
	s, err := kubesim.Start(cluster, kubesim.Options{Token: token, TLS: true})
	ts.Check(err)
	ts.Defer(func() { ts.Check(s.Close()) })
	ts.Check(s.WriteKubeconfig(ts.MkAbs(args[0]+".kubeconfig"), args[0]))
	worldOf(ts).kubes[args[0]] = s
	addCanary(ts, false, []string{token})
}

// fault SITE PATH STATUS REASON, or fault SITE PATH hang: what a site answers from now on.
func fault(ts *testscript.TestScript, neg bool, args []string) {
	need(ts, !neg && len(args) >= 3, "fault SITE PATH STATUS REASON")
	s := worldOf(ts).sites[args[0]]
	need(ts, s != nil, "site "+args[0]+" first")
	f := pvesim.Fault{Delay: time.Minute}
	if args[2] != "hang" {
		status, err := strconv.Atoi(args[2])
		ts.Check(err)
		f = pvesim.Fault{Status: status, Reason: strings.Join(args[3:], " ")}
	}
	s.Fail(pvesim.Match{Path: args[1]}, f)
}

// asked SITE COUNT: the site was asked so often, and only with GET. The count starts again.
func asked(ts *testscript.TestScript, neg bool, args []string) {
	need(ts, !neg && len(args) == 2, "asked SITE COUNT")
	s := worldOf(ts).sites[args[0]]
	need(ts, s != nil, "site "+args[0]+" first")
	if n := len(s.Requests()); strconv.Itoa(n) != args[1] {
		ts.Fatalf("site %s was asked %d times, want %s", args[0], n, args[1])
	}
	if w := s.Writes(); len(w) > 0 {
		ts.Fatalf("site %s was asked to change something: %v", args[0], w)
	}
	s.ResetRequests()
}

// interrupt SITE [TERM]: waits until the program in the background has asked the site, and sends SIGINT as Ctrl-C does, or
// SIGTERM as a supervisor does.
func interrupt(ts *testscript.TestScript, neg bool, args []string) {
	need(ts, !neg && (len(args) == 1 || len(args) == 2 && args[1] == "TERM"), "interrupt SITE [TERM]")
	s := worldOf(ts).sites[args[0]]
	need(ts, s != nil, "site "+args[0]+" first")
	sig := syscall.SIGINT
	if len(args) == 2 {
		sig = syscall.SIGTERM
	}
	interruptWhen(ts, sig, func() bool { return len(s.Requests()) > 0 })
}

// pipe FILE: makes a named pipe.
func makePipe(ts *testscript.TestScript, neg bool, args []string) {
	need(ts, !neg && len(args) == 1, "pipe FILE")
	ts.Check(syscall.Mkfifo(ts.MkAbs(args[0]), 0o600))
}

// stuck PIPE: waits until the program in the background reads the named pipe, into which nobody writes, and sends SIGINT.
func interruptStuck(ts *testscript.TestScript, neg bool, args []string) {
	need(ts, !neg && len(args) == 1, "stuck PIPE")
	interruptWhen(ts, syscall.SIGINT, func() bool {
		// A writer that does not wait is let in as soon as there is a reader, and not before (fifo(7)).
		fd, err := syscall.Open(ts.MkAbs(args[0]), syscall.O_WRONLY|syscall.O_NONBLOCK|syscall.O_CLOEXEC, 0)
		if errors.Is(err, syscall.ENXIO) {
			return false
		}
		ts.Check(err)
		ts.Defer(func() { ts.Check(syscall.Close(fd)) })
		return true
	})
}

// full PIPE: waits until the program in the background has filled the named pipe, which nobody empties, and sends SIGINT.
// The script opens the pipe for reading and writing (1<>PIPE), so that the write waits and does not fail.
func interruptFull(ts *testscript.TestScript, neg bool, args []string) {
	need(ts, !neg && len(args) == 1, "full PIPE")
	fd, err := syscall.Open(ts.MkAbs(args[0]), syscall.O_RDWR|syscall.O_NONBLOCK|syscall.O_CLOEXEC, 0)
	ts.Check(err)
	ts.Defer(func() { ts.Check(syscall.Close(fd)) })
	interruptWhen(ts, syscall.SIGINT, func() bool {
		// One byte more goes in until the pipe is full; nobody looks at what is in it.
		_, err := syscall.Write(fd, []byte{0})
		if errors.Is(err, syscall.EAGAIN) {
			return true
		}
		ts.Check(err)
		return false
	})
}

// interruptWhen sends a signal to the program in the background as soon as it is where it should be.
func interruptWhen(ts *testscript.TestScript, sig syscall.Signal, there func() bool) {
	bg := ts.BackgroundCmds()
	need(ts, len(bg) == 1, "exec PROGRAM & first")
	for deadline := time.Now().Add(time.Minute); !there(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			ts.Fatalf("the program never came so far")
		}
	}
	worldOf(ts).background = bg[0]
	ts.Check(bg[0].Process.Signal(sig))
}

// ended CODE: behind wait, how the interrupted program ended.
func ended(ts *testscript.TestScript, neg bool, args []string) {
	cmd := worldOf(ts).background
	need(ts, !neg && len(args) == 1 && cmd != nil && cmd.ProcessState != nil, "interrupt SITE, wait, ended CODE")
	if got := strconv.Itoa(cmd.ProcessState.ExitCode()); got != args[0] {
		ts.Fatalf("exit code %s, want %s", got, args[0])
	}
	for _, stream := range []string{"stdout", "stderr"} {
		noCanary(ts, stream, ts.ReadFile(stream))
	}
}
