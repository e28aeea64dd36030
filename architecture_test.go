package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"path"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/proxaudit/proxaudit"

// listed is what `go list -json` says of a package.
type listed struct {
	ImportPath string
	Imports    []string
	Deps       []string
}

func packages(t *testing.T) []listed {
	t.Helper()
	var stderr bytes.Buffer
	cmd := exec.CommandContext(t.Context(), "go", "list", "-json=ImportPath,Imports,Deps", "./...")
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v\n%s", err, stderr.String())
	}
	var all []listed
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var p listed
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatalf("go list: %v", err)
		}
		all = append(all, p)
	}
	if len(all) < 15 {
		t.Fatalf("go list found %d packages: the test does not see the module", len(all))
	}
	return all
}

func within(importPath, room string) bool {
	p := strings.TrimPrefix(strings.TrimPrefix(importPath, module), "/")
	return p == room || strings.HasPrefix(p, room+"/")
}

// TestRooms holds the layout of the code: data goes from collection through the Snapshot to analysis and rendering, and
// what is pure cannot reach a network, not even through something that it imports.
func TestRooms(t *testing.T) {
	clients := []string{"k8s.io/client-go", "github.com/Telmate/proxmox-api-go", "net/http"}
	for _, p := range packages(t) {
		switch {
		case within(p.ImportPath, "adopt/predict"):
			// The control-plane controller's comparison pulls client-go in; that is this package's one licence.
		case p.ImportPath == module+"/inventory":
			deny(t, p, p.Deps, append(clients, module)...)
		case within(p.ImportPath, "audit"), within(p.ImportPath, "adopt"), within(p.ImportPath, "render"):
			// Cluster API's types, which adopt writes and render may see through it, reach net/http by way of apimachinery; none of
			// ours does.
			deny(t, p, p.Deps, clients[:2]...)
			deny(t, p, p.Imports, clients...)
			deny(t, p, p.Deps, module+"/inventory/proxmox", module+"/inventory/kube", module+"/inventory/collect", module+"/internal")
		case within(p.ImportPath, "inventory"):
			deny(t, p, p.Imports, module+"/audit", module+"/adopt", module+"/render", module+"/internal")
		}
		if p.ImportPath == module+"/internal/notify" {
			// What goes out to others never holds a credential of a cluster, nor what could ask one.
			deny(t, p, p.Deps, append(clients[:2:2], module+"/inventory/proxmox", module+"/inventory/kube", module+"/inventory/collect", module+"/internal/config", module+"/internal/cli")...)
		}
		if p.ImportPath == module {
			for _, i := range p.Imports {
				if strings.HasPrefix(i, module) && i != module+"/internal/cli" {
					t.Errorf("main imports %s: it starts internal/cli and turns its result into an exit code, no more", i)
				}
			}
		}
		if slices.Contains([]string{"util", "utils", "common", "helper", "helpers", "misc"}, path.Base(p.ImportPath)) {
			t.Errorf("%s: a package is named after what it holds", p.ImportPath)
		}
	}
}

// TestSimulatorsStayOut: what tests and the demo start is no part of the product. The package testing itself is in it by way
// of Cluster API's conversion webhooks, which the control-plane controller's comparison pulls in; none of ours imports it.
func TestSimulatorsStayOut(t *testing.T) {
	all := packages(t)
	var deps []string
	for _, p := range all {
		if p.ImportPath == module {
			deps = p.Deps
			deny(t, p, deps, module+"/internal/pvesim", module+"/internal/kubesim", module+"/inventory/inventorytest")
		}
	}
	if len(deps) == 0 {
		t.Fatal("main was not seen")
	}
	for _, p := range all {
		if slices.Contains(deps, p.ImportPath) {
			deny(t, p, p.Imports, "testing")
		}
	}
}

func deny(t *testing.T, p listed, imports []string, denied ...string) {
	t.Helper()
	for _, i := range imports {
		for _, d := range denied {
			if i == d || strings.HasPrefix(i, d+"/") {
				t.Errorf("%s must not reach %s", strings.TrimPrefix(p.ImportPath, module+"/"), i)
			}
		}
	}
}
