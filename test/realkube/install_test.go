package realkube

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestAdapt: nothing of a provider's manifest points at a Service, for there are none, and the Deployments look like
// those of a release.
func TestAdapt(t *testing.T) {
	bench := testBench(t)
	for _, spec := range managerSpecs(ProxmoxAccess{}) {
		m := &manager{managerSpec: spec, bench: bench, webhookPort: 4711}
		t.Run(m.provider, func(t *testing.T) { adapted(t, m) })
	}
}

func adapted(t *testing.T, m *manager) {
	objects, err := m.bench.manifest(m.provider)
	if err != nil {
		t.Fatal(err)
	}
	kinds := map[string]int{}
	for _, object := range objects {
		if err := m.adapt(object); err != nil {
			t.Fatalf("%s: %v", describe(object), err)
		}
		data, err := json.Marshal(object.Object)
		if err != nil {
			t.Fatal(err)
		}
		text := string(data)
		kinds[object.GetKind()]++
		switch object.GetKind() {
		case "CustomResourceDefinition", "MutatingWebhookConfiguration", "ValidatingWebhookConfiguration":
			// The schemas of the CRDs have fields of these names too, but none with a text in it.
			urls, bundles := strings.Count(text, `"url":"https://127.0.0.1:4711/`), strings.Count(text, `"caBundle":"`)
			if urls == 0 || bundles != urls || strings.Contains(text, `"service":{"name":"`) {
				t.Errorf("%s: %d URLs, %d authorities, or a Service", describe(object), urls, bundles)
			}
		case "Deployment":
			if strings.Contains(text, "${") || !strings.Contains(text, fmt.Sprintf(":%s\"", m.version())) {
				t.Errorf("%s: a variable is left, or the image has no version %s: %s", describe(object), m.version(), text)
			}
			if object.GetLabels()["cluster.x-k8s.io/provider"] != m.provider {
				t.Errorf("%s: labels %v", describe(object), object.GetLabels())
			}
		}
	}
	for _, kind := range []string{"CustomResourceDefinition", "MutatingWebhookConfiguration", "ValidatingWebhookConfiguration", "Deployment", "Namespace"} {
		if kinds[kind] == 0 {
			t.Errorf("the manifest has no %s", kind)
		}
	}
}

// TestManagerPortTaken: two benches with managers cannot run at once, and the error says so.
func TestManagerPortTaken(t *testing.T) {
	dir := t.TempDir()
	m := &manager{
		managerSpec: managerSpec{provider: "p", health: "--health", webhookPort: 9443}, bench: testBench(t),
		dir: dir, path: script(t, dir, "echo 'listen tcp :9443: bind: address already in use' >&2; exit 1"),
	}
	err := m.start(t.Context())
	if err == nil || !strings.Contains(err.Error(), "two benches with managers cannot run at once") {
		t.Errorf("error %v", err)
	}
}

// TestManagerPortTakenOnce: a manager that can be told its port gets another one.
func TestManagerPortTakenOnce(t *testing.T) {
	dir := t.TempDir()
	m := &manager{
		managerSpec: managerSpec{provider: "p", health: "--health"}, bench: testBench(t),
		dir: dir, path: script(t, dir, `echo "$@" >> calls; echo 'address already in use' >&2; exit 1`),
	}
	if err := m.start(t.Context()); err == nil {
		t.Fatal("no error although it never came up")
	}
	lines := strings.Split(strings.TrimSpace(tail(dir+"/calls", 10)), "\n")
	if len(lines) != portAttempts || lines[0] == lines[1] {
		t.Errorf("it was started %d times, want %d with ports of their own:\n%s", len(lines), portAttempts, strings.Join(lines, "\n"))
	}
}

// testBench is a bench on which nothing runs.
func testBench(t *testing.T) *Bench {
	t.Helper()
	found, err := findBinaries()
	if err != nil {
		t.Fatal(err)
	}
	ca, err := newAuthority("test")
	if err != nil {
		t.Fatal(err)
	}
	return &Bench{binaries: found, ca: ca}
}

// script writes a program that stands in for a manager, and runs in dir.
func script(t *testing.T, dir, body string) string {
	t.Helper()
	path := filepath.Join(dir, "manager")
	if err := os.WriteFile(path, []byte("#!/bin/sh\ncd "+dir+"\n"+body+"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	return path
}
