package realkube

import "syscall"

// processAttributes puts a server into a process group of its own, so that Ctrl-C reaches the test alone and the
// test stops the servers in order, and has the kernel end it if the test dies without doing so.
func processAttributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
