package realkube

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"time"
)

// process is one server that the bench started, with its output in a file.
type process struct {
	name string
	log  string
	cmd  *exec.Cmd
	// ended is closed when the process is gone and waitErr is set.
	ended   chan struct{}
	waitErr error
}

// launch starts every process of a bench on one OS thread that never ends. Linux sends the parent-death signal
// when the thread that forked ends, not when the process does, and Go ends threads as it likes.
var launch = sync.OnceValue(func() chan<- func() {
	jobs := make(chan func())
	go func() {
		runtime.LockOSThread()
		for job := range jobs {
			job()
		}
	}()
	return jobs
})

// startProcess runs a server until it is stopped. It dies with this process, however this process ends.
func startProcess(name, log, binary string, args ...string) (*process, error) {
	return startProcessWith(nil, name, log, binary, args...)
}

// startProcessWith is startProcess with more in the environment, as NAME=VALUE.
func startProcessWith(env []string, name, log, binary string, args ...string) (*process, error) {
	out, err := os.OpenFile(log, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600) //nolint:gosec // below the bench's own folder
	if err != nil {
		return nil, err
	}
	// It outlives the context of whoever starts it: stop ends it, in the order that the servers need.
	cmd := exec.CommandContext(context.Background(), binary, args...) //nolint:gosec // what build.sh has built
	cmd.Stdout, cmd.Stderr = out, out
	// No environment of the caller's: etcd reads ETCD_*, and all of them read proxy settings.
	cmd.Env = append([]string{"HOME=" + os.TempDir(), "PATH=/usr/bin:/bin"}, env...)
	cmd.SysProcAttr = processAttributes()
	started := make(chan error, 1)
	launch() <- func() { started <- cmd.Start() }
	if err := <-started; err != nil {
		return nil, errors.Join(fmt.Errorf("start %s: %w", name, err), out.Close())
	}
	p := &process{name: name, log: log, cmd: cmd, ended: make(chan struct{})}
	go func() {
		p.waitErr = errors.Join(cmd.Wait(), out.Close())
		close(p.ended)
	}()
	return p, nil
}

// exited reports whether the process has ended by itself.
func (p *process) exited() bool {
	select {
	case <-p.ended:
		return true
	default:
		return false
	}
}

// stop asks the process to end, and ends it if it takes longer than grace.
func (p *process) stop(grace time.Duration) error {
	if p == nil || p.exited() {
		return nil
	}
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return fmt.Errorf("stop %s (pid %d): %w", p.name, p.cmd.Process.Pid, err)
	}
	select {
	case <-p.ended:
		return nil
	case <-time.After(grace):
	}
	if err := p.cmd.Process.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return fmt.Errorf("kill %s (pid %d): %w", p.name, p.cmd.Process.Pid, err)
	}
	<-p.ended
	return nil
}

// failure is an error about this process that carries the end of its log: the reason is nearly always there.
func (p *process) failure(what string) error {
	state := "still running"
	if p.exited() {
		state = fmt.Sprintf("ended: %v", p.waitErr)
	}
	return fmt.Errorf("%s: %s (%s); the end of %s:\n%s", p.name, what, state, p.log, tail(p.log, 20))
}

// addressInUse is true if the process gave up because somebody else took its port first.
func (p *process) addressInUse() bool {
	return p.exited() && strings.Contains(tail(p.log, 40), "address already in use")
}

// tail returns the last lines of a file, or why they cannot be had.
func tail(path string, lines int) string {
	data, err := os.ReadFile(path) //nolint:gosec // a log of the bench
	if err != nil {
		return err.Error()
	}
	all := strings.Split(strings.TrimRight(string(data), "\n"), "\n")
	return strings.Join(all[max(0, len(all)-lines):], "\n")
}
