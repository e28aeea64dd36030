package why

import (
	"fmt"
	"os"
	"testing"
)

// scratch is a folder for the whole run.
var scratch string

func TestMain(m *testing.M) {
	code, err := run(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, "why:", err)
		code = 1
	}
	os.Exit(code)
}

func run(m *testing.M) (code int, err error) {
	if scratch, err = os.MkdirTemp("", "proxaudit-why-"); err != nil {
		return 1, err
	}
	code = m.Run()
	return code, os.RemoveAll(scratch)
}
