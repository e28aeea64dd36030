package pvesim

import "strings"

// fieldError is a mistake in a fleet, with the keys that lead to it so that the
// loader of a file can name the line.
type fieldError struct {
	path []string
	msg  string
}

func (e *fieldError) Error() string {
	if len(e.path) == 0 {
		return e.msg
	}
	return strings.Join(e.path, ".") + ": " + e.msg
}

func fault(msg string, path ...string) error { return &fieldError{path: path, msg: msg} }
