package proxmox

import (
	"testing"

	"github.com/proxaudit/proxaudit/inventory"
)

// A run that watches a few machines asks for their configurations only, lists the others, and says that it did not ask.
func TestConfigurationsOfAFew(t *testing.T) {
	s := simulate(t, bigFleet(3, 30, nil))
	c := simCollector(t, s, auditor, func(cfg *Config) {
		cfg.Configurations = func(k inventory.Key) bool {
			return k.Site == "big" && (k.VMID == 1000 || k.VMID == 1003)
		}
	})
	snapshot := c.Collect(t.Context())
	if n := c.Requests().Count; n != 2+4 {
		t.Errorf("%d requests, want one for each of two configurations and four for the site", n)
	}
	read := 0
	for i := range snapshot.VMs {
		vm := &snapshot.VMs[i]
		switch {
		case vm.Config != nil:
			read++
		case vm.ConfigError == "":
			t.Errorf("VM %d has no configuration, and nothing says why", vm.VMID)
		}
	}
	if len(snapshot.VMs) < 30 || read != 2 {
		t.Errorf("%d VMs, %d with a configuration", len(snapshot.VMs), read)
	}
	partial := 0
	for _, cov := range snapshot.Coverage {
		if cov.Scope == inventory.ConfigScope("pve01") || cov.Scope == inventory.ConfigScope("pve02") {
			if cov.State == inventory.Complete || cov.Missing() {
				t.Errorf("%+v: want a gap that makes nothing incomplete", cov)
			}
			partial++
		}
	}
	if partial != 2 {
		t.Errorf("%d entries about configurations", partial)
	}
}
