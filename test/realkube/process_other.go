//go:build !linux

package realkube

import "syscall"

// processAttributes: without Linux's parent-death signal, a test that is killed leaves its servers running.
func processAttributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true}
}
