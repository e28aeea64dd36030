package world

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/proxaudit/proxaudit/internal/pvesim"
	"github.com/proxaudit/proxaudit/test/realkube"
)

// Complaints shows what the managers complained about last, if the test failed: their logs go with the test.
func Complaints(t *testing.T, managers *realkube.Managers, pve *pvesim.Server) {
	t.Helper()
	if !t.Failed() {
		return
	}
	for _, p := range realkube.Providers() {
		path, err := managers.Log(p.Name)
		if err != nil {
			t.Error(err)
			continue
		}
		data, err := os.ReadFile(path) //nolint:gosec // a log of the bench
		if err != nil {
			t.Error(err)
			continue
		}
		// klog begins the line of an error with an E.
		errors := slices.DeleteFunc(strings.Split(string(data), "\n"), func(line string) bool { return !strings.HasPrefix(line, "E") })
		t.Logf("%s logged %d errors, the last:\n%s", p.Name, len(errors), strings.Join(errors[max(0, len(errors)-5):], "\n"))
	}
	for _, r := range pve.Writes() {
		t.Logf("Proxmox was asked: %s %s by %s: %d", r.Method, r.Path, r.Token, r.Status)
	}
}
