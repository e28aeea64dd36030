package cli

import (
	"os"

	"golang.org/x/sys/unix"
)

// closedAtStart is true if a standard stream was closed by whoever started the program (>&-). Nobody can write to it to
// find out: Go opens /dev/null in its place, for reading and writing (runtime/fds_unix.go, checkfds), where a shell opens
// it for writing only. Some supervisors do as Go does, so that this is a reason for a warning and not for an error.
func closedAtStart(fd int) bool {
	var got, null unix.Stat_t
	if unix.Fstat(fd, &got) != nil || unix.Stat(os.DevNull, &null) != nil || got.Mode&unix.S_IFMT != unix.S_IFCHR || got.Rdev != null.Rdev {
		return false
	}
	flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFL, 0)
	return err == nil && flags&unix.O_ACCMODE == unix.O_RDWR
}
