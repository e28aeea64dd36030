package main

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestRun(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	out, w := io.Pipe()
	kubeconfig := filepath.Join(t.TempDir(), "kc")
	done := make(chan error, 1)
	go func() {
		done <- run(ctx, []string{"--manifests", "../testdata/cluster", "--kubeconfig", kubeconfig, "--context", "demo"}, w, io.Discard)
	}()
	url, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, strings.TrimSpace(url)+"/version", nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	if err := resp.Body.Close(); err != nil || resp.StatusCode != http.StatusOK {
		t.Errorf("%d, %v", resp.StatusCode, err)
	}
	data, err := os.ReadFile(kubeconfig)
	if err != nil || !strings.Contains(string(data), strings.TrimSpace(url)) || !strings.Contains(string(data), "current-context: demo") {
		t.Errorf("%s, %v", data, err)
	}
	cancel()
	if err := <-done; err != nil {
		t.Error(err)
	}
}

type closedWriter struct{}

func (closedWriter) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }

func TestRunErrors(t *testing.T) {
	for want, args := range map[string][]string{
		"usage":                  {},
		"usage: ":                {"--manifests", "x", "positional"},
		"not defined":            {"--nope"},
		"no such file":           {"--manifests", "../testdata/none"},
		"not on loopback":        {"--manifests", "../testdata/cluster", "--listen", "0.0.0.0:0"},
		"not a directory":        {"--manifests", "../testdata/cluster", "--kubeconfig", "main.go/x"},
		io.ErrClosedPipe.Error(): {"--manifests", "../testdata/cluster"},
	} {
		if err := run(t.Context(), args, closedWriter{}, io.Discard); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v", args, err)
		}
	}
}
