package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const fleet = "../testdata/fleet"

// firstLines ends the run once something was announced.
type firstLines struct {
	buf  bytes.Buffer
	stop context.CancelFunc
}

func (w *firstLines) Write(p []byte) (int, error) {
	defer w.stop()
	return w.buf.Write(p)
}

func (w *firstLines) String() string { return w.buf.String() }

func TestServe(t *testing.T) {
	ca := filepath.Join(t.TempDir(), "ca.pem")
	for _, tc := range []struct {
		name string
		args []string
		want []string
		not  string
	}{
		{"with TLS", []string{"--fleet", fleet + ".yaml", "--fleet", "../testdata/overlay.yaml", "--ca-file", ca},
			[]string{"https://127.0.0.1:", "export PROXMOX_URL=https://", "export PROXMOX_TOKEN='audit@pve!big'", "export PROXMOX_SECRET='", "fingerprint", ca}, "http://"},
		{"plain", []string{"--fleet", fleet + ".yaml", "--plain-http"}, []string{"http://127.0.0.1:", "token root@pam!full"}, "fingerprint"},
		{"writable", []string{"--fleet", fleet + ".yaml", "--plain-http", "--writable"}, []string{"It carries out writes.\n"}, "fingerprint"},
		{"not writable", []string{"--fleet", fleet + ".yaml"}, []string{"Proxmox VE simulator"}, "carries out"},
		{"an import", []string{"--import", fleet, "--listen", "[::1]:0"}, []string{"https://[::1]:"}, "127.0.0.1"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(context.Background())
			defer cancel()
			out := &firstLines{stop: cancel}
			if err := run(ctx, tc.args, out, &bytes.Buffer{}); err != nil {
				t.Fatal(err)
			}
			for _, w := range tc.want {
				if !strings.Contains(out.String(), w) {
					t.Errorf("%q is not in the output:\n%s", w, out.String())
				}
			}
			if strings.Contains(out.String(), tc.not) {
				t.Errorf("%q is in the output:\n%s", tc.not, out.String())
			}
		})
	}
	if data, err := os.ReadFile(ca); err != nil || !bytes.Contains(data, []byte("BEGIN CERTIFICATE")) {
		t.Errorf("the CA file: %v", err)
	}
}

func TestImportWrites(t *testing.T) {
	want, err := os.ReadFile(fleet + ".yaml")
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := run(context.Background(), []string{"--import", fleet, "--write", "-"}, &out, &bytes.Buffer{}); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(out.Bytes(), want) {
		t.Error("standard output differs from testdata/fleet.yaml")
	}
	file := filepath.Join(t.TempDir(), "f.yaml")
	if err := run(context.Background(), []string{"--import", fleet, "--write", file}, &bytes.Buffer{}, &bytes.Buffer{}); err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(file); err != nil || !bytes.Equal(got, want) {
		t.Errorf("the file differs: %v", err)
	}
}

func TestMistakes(t *testing.T) {
	bad := filepath.Join(t.TempDir(), "bad.yaml")
	if err := os.WriteFile(bad, []byte("nodes:\n  pve1: {offlin: 3m}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	good := fleet + ".yaml"
	for _, tc := range []struct {
		args []string
		want string
	}{
		{nil, "give --fleet FILE or --import DIR"},
		{[]string{"--fleet", good, "extra"}, `unexpected argument "extra"`},
		{[]string{"--fleet", good, "--write", "x"}, "--write goes with --import"},
		{[]string{"--fleet", good, "--import", fleet}, "not both"},
		{[]string{"--fleet", "none.yaml"}, "none.yaml"},
		{[]string{"--fleet", bad}, `bad.yaml: line 2: unknown key "offlin"`},
		{[]string{"--import", "none"}, "import none"},
		{[]string{"--fleet", good, "--listen", "0.0.0.0:8006"}, "loopback only"},
		{[]string{"--fleet", good, "--ca-file", filepath.Join("none", "ca.pem")}, "write the CA"},
		{[]string{"--import", fleet, "--write", filepath.Join("none", "f.yaml")}, "none"},
		{[]string{"--nonsense"}, "nonsense"},
	} {
		err := run(context.Background(), tc.args, &bytes.Buffer{}, &bytes.Buffer{})
		if err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%v: got %v, want %q", tc.args, err, tc.want)
		}
	}
	if err := run(context.Background(), []string{"--help"}, &bytes.Buffer{}, &bytes.Buffer{}); !errors.Is(err, flag.ErrHelp) {
		t.Errorf("--help: %v", err)
	}
}
