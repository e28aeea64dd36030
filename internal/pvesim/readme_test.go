package pvesim

import (
	"os"
	"regexp"
	"testing"
)

// TestREADMEFleet: the example that people copy works.
func TestREADMEFleet(t *testing.T) {
	data, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	m := regexp.MustCompile("(?s)```yaml\n(.*?)```").FindSubmatch(data)
	if m == nil {
		t.Fatal("README.md has no fleet")
	}
	s := startServer(t, parse(t, string(m[1])), quick())
	_, got := get(t, s, "/cluster/resources?type=vm")
	all := rows(t, got, "vmid")
	if len(all) != 1 || all[100.0]["name"] != "web01" || all[100.0]["pool"] != "team-a" || all[100.0]["status"] != "running" {
		t.Errorf("got %v, want VM 100 alone", all)
	}
	if st, _ := get(t, s, "/nodes/pve2/qemu/101/config"); st != "Forbidden: Permission check failed (/vms/101, VM.Audit)" {
		t.Errorf("the guest under NoAccess: %s", st)
	}
}
