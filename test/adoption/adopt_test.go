package adoption

import (
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/proxaudit/proxaudit/internal/pvesim"
)

// productOwners are what adopt calls the owners of prod's machines.
var productOwners = owners{plane: "prod-control-plane", small: "prod-workers-4c-8g", large: "prod-workers-8c-16g"}

// writable is a Proxmox VE that does what it is asked: whatever a controller wants to write is recorded, and happens if its
// token may.
func writable() Options {
	return Options{PVE: pvesim.Options{Writable: true}, Site: func(f *pvesim.Fleet) {
		f.Storages = map[string]*pvesim.Storage{
			"local":     {Type: "dir", Content: []string{"iso", "vztmpl", "backup", "snippets"}},
			"local-lvm": {Type: "lvmthin", Content: []string{"images", "rootdir"}},
		}
	}}
}

// TestAdopt takes prod under Cluster API with what proxaudit renders, by the commands of its own runbook and nothing else.
func TestAdopt(t *testing.T) {
	o := writable()
	site := o.Site
	// As docs/adoption.md advises: until everything is adopted, CAPMOX's token can read and nothing else.
	o.Site = func(f *pvesim.Fleet) {
		site(f)
		f.Tokens[capmoxToken].Role = "PVEAuditor"
	}
	w := newWorld(t, o)
	nodes := w.nodeUIDs(t)
	w.readSecrets(t)
	dir := filepath.Join(w.Dir, "adoption")
	var steps []step
	var before []string

	w.Step(t, "verify before there is anything", func() { w.Proxaudit(t, "verify", "--cluster", prod).Want(t, 2) })
	w.Step(t, "adopt", func() { steps = w.renderBundle(t, dir) })
	for _, s := range steps {
		if s.ID == "finish" {
			break
		}
		w.Step(t, s.ID, func() { w.follow(t, dir, s) })
		if s.ID == "apply-owners" {
			w.Step(t, "a second adopt changes nothing", func() { w.renderAgain(t, dir) })
			before = w.declared(t)
			w.Step(t, "why, while all is paused", func() { w.waitsFor(t, 1, "Cluster prod is stuck and waits for a person", "it is paused (spec.paused)") })
		}
	}
	w.Step(t, "the outcome", func() { w.adopted(t, nodes, productOwners) })
	w.Step(t, "new CAPMOX and control-plane managers", func() { w.restartManagers(t, productOwners.plane) })
	w.Step(t, "the outcome, still", func() { w.adopted(t, nodes, productOwners) })
	w.Step(t, "finish", func() { w.follow(t, dir, steps[len(steps)-1]) })
	w.Step(t, "the outcome, without brakes", func() { w.adopted(t, nodes, productOwners) })
	w.Step(t, "nothing beside it", func() { w.nothingElse(t, before) })
	w.Step(t, "why, when all is done", func() { w.waitsFor(t, 0, "Cluster prod is healthy: nobody waits for anything") })
	w.Step(t, "proxaudit after", func() { w.classed(t, "managed") })
	t.Run("under management", func(t *testing.T) { w.scaleUp(t) })
}

// waitsFor is what why says of prod, as the real controllers write their conditions.
func (w *World) waitsFor(t *testing.T, code int, words ...string) {
	t.Helper()
	out := string(w.Proxaudit(t, "why", "--cluster", prod).Want(t, code).Stdout)
	for _, word := range words {
		if !strings.Contains(out, word) {
			t.Errorf("why lacks %q:\n%s", word, out)
		}
	}
}

// scaleUp: one worker more makes CAPMOX ask Proxmox for a clone, and nothing is done to the adopted ones.
func (w *World) scaleUp(t *testing.T) {
	if err := w.PVE.Update(func(f *pvesim.Fleet) { f.Tokens[capmoxToken].Role = "Administrator" }); err != nil {
		t.Fatal(err)
	}
	w.Kubectl(t, "-n", prod, "scale", "machinedeployment", productOwners.small, "--replicas=3")
	var clone pvesim.Request
	w.WaitFor(t, "a clone of the template", 2*time.Minute, func() string {
		for _, r := range w.PVE.Writes() {
			if r.Method == http.MethodPost && r.Path == fmt.Sprintf("/nodes/pve1/qemu/%d/clone", templateVM) {
				clone = r
				return ""
			}
		}
		return "not asked for yet"
	})
	if clone.Token != capmoxToken || clone.Status != http.StatusOK {
		t.Errorf("%+v", clone)
	}
	w.WaitFor(t, "the clone to start", 2*time.Minute, func() string {
		for _, r := range w.PVE.Writes() {
			if strings.HasSuffix(r.Path, "/status/start") {
				return ""
			}
		}
		return fmt.Sprintf("%d writes so far, no start", len(w.PVE.Writes()))
	})
	for _, r := range w.PVE.Writes() {
		for _, m := range machines {
			if strings.Contains(r.Path, fmt.Sprintf("/qemu/%d/", m.vmid)) || strings.HasSuffix(r.Path, fmt.Sprintf("/qemu/%d", m.vmid)) {
				t.Errorf("an adopted VM was written to: %s %s", r.Method, r.Path)
			}
		}
	}
}
