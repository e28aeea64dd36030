package audit_test

import (
	"crypto/sha256"
	"encoding/hex"
	"testing"
	"time"

	"github.com/proxaudit/proxaudit/audit"
	"github.com/proxaudit/proxaudit/audit/history"
	"github.com/proxaudit/proxaudit/inventory"
)

// lone is a site with one VM, and no cluster at all.
func lone(config *inventory.VMConfig) *inventory.Snapshot {
	return &inventory.Snapshot{CollectedAt: time.Date(2026, 5, 1, 2, 0, 0, 0, time.UTC),
		Sites:    []inventory.Site{{Name: "dc1", Visibility: inventory.Visibility{Complete: true}}},
		VMs:      []inventory.VM{{Site: "dc1", VMID: 101, Name: "prod-1", Config: config}},
		Coverage: []inventory.Coverage{{Source: inventory.SiteSource("dc1"), Scope: inventory.ScopeGuests, State: inventory.Complete}}}
}

// TestClusterThatWasLeftOut: a run that was not told of a cluster says nothing about what is wrong with its machines.
func TestClusterThatWasLeftOut(t *testing.T) {
	settled, why := settledIn(lone(&inventory.VMConfig{}), func(f *history.Finding) { f.Cluster = "prod" })
	if settled {
		t.Errorf("resolved: %s", why)
	}
}

// TestVMThatNobodyKnew: a VM whose configuration could not be read is not "another" one when it can be.
func TestVMThatNobodyKnew(t *testing.T) {
	settled, why := settledIn(lone(&inventory.VMConfig{UUID: "0b9d6f0e-3c5a-4c5e-9b0a-000000000101"}), func(*history.Finding) {})
	if settled {
		t.Errorf("resolved: %s", why)
	}
}

// settledIn asks a run about a finding on VM 101 which had no UUID when it was found.
func settledIn(s *inventory.Snapshot, change func(*history.Finding)) (bool, string) {
	f := history.Finding{Fingerprint: "x", Class: "mismatched", Subject: "vm/dc1/101", Site: "dc1", Key: keyOfUnread()}
	change(&f)
	return audit.NewReport(s, audit.Options{}).Run().Settled(history.Record{Finding: f})
}

// keyOfUnread is the key of vm/dc1/101 without a UUID and a time of creation.
func keyOfUnread() string {
	sum := sha256.Sum256([]byte("vm\x00dc1\x00vmid\x00101\x00"))
	return hex.EncodeToString(sum[:16])
}
