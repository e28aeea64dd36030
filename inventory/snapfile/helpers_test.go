package snapfile

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"

	"github.com/proxaudit/proxaudit/inventory"
)

var noon = time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)

// home is a Snapshot with something in most of its lists.
func home() *inventory.Snapshot {
	vmid, yes, size := 101, true, int64(32<<30)
	since := noon.Add(-time.Hour)
	return &inventory.Snapshot{
		FormatVersion: inventory.FormatVersion, CollectedAt: noon, ToolVersion: "v0.1.0",
		Sites: []inventory.Site{{Name: "home", ClusterName: "home", URL: "https://pve.example:8006/api2/json", Version: "9.0.3",
			Quorate: &yes, Nodes: []inventory.ProxmoxNode{{Name: "pve1", Status: inventory.NodeOnline}}, Visibility: inventory.Visibility{Complete: true}}},
		VMs: []inventory.VM{{Site: "home", VMID: 101, Type: inventory.GuestQEMU, Node: "pve1", Name: "a<b>&\u202e", Status: "running", Tags: []string{"k8s"},
			Config: &inventory.VMConfig{UUID: "3f6a1c52-8e0b-4c7d-9a21-5b0e7f4d1c90", CreatedAt: &since,
				Disks: []inventory.Disk{{Slot: "scsi0", SizeBytes: &size}}}}},
		Management: &inventory.Management{Context: "mgmt", Served: map[string][]string{inventory.GroupCluster: {"v1beta2"}}, ClusterName: "mgmt"},
		Clusters:   []inventory.Cluster{{Key: "prod", Selector: inventory.Selector{Tags: []string{"k8s"}}}},
		Machines:   []inventory.Machine{{Meta: inventory.Meta{Namespace: "ns", Name: "m", CreatedAt: &since}, Cluster: "prod"}},
		ProxmoxMachines: []inventory.ProxmoxMachine{{Meta: inventory.Meta{Namespace: "ns", Name: "m"}, Cluster: "prod",
			VMID: &vmid}},
		Nodes:    []inventory.Node{{Cluster: "prod", Name: "n1", UID: "u1", Labels: map[string]string{"a": "b"}}},
		Probes:   []inventory.Probe{{Site: "home", VMID: 102, Existence: inventory.Free}},
		Coverage: []inventory.Coverage{{Source: "site/home", Scope: inventory.ScopeGuests, State: inventory.Complete, Asked: 1, Got: 1}},
		Requests: []inventory.Requests{{Source: "site/home", Count: 7}},
		Objects: []inventory.Object{{APIVersion: "cluster.x-k8s.io/v1beta2", Kind: "Machine", Namespace: "ns", Name: "m",
			Content: map[string]any{"spec": map[string]any{"clusterName": "prod"}}}},
	}
}

// other is a Snapshot that shares nothing with home.
func other() *inventory.Snapshot {
	return &inventory.Snapshot{
		FormatVersion: inventory.FormatVersion, CollectedAt: noon.Add(time.Hour),
		Sites:    []inventory.Site{{Name: "away"}},
		VMs:      []inventory.VM{{Site: "away", VMID: 101, Type: inventory.GuestQEMU}},
		Clusters: []inventory.Cluster{{Key: "edge"}},
		Nodes:    []inventory.Node{{Cluster: "edge", Name: "n1"}},
		Coverage: []inventory.Coverage{{Source: "site/away", Scope: inventory.ScopeGuests, State: inventory.Failed, Reason: "down"}},
	}
}

func encoded(t *testing.T, s *inventory.Snapshot) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := Write(&b, s); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func compressed(t *testing.T, data []byte, opts ...zstd.EOption) []byte {
	t.Helper()
	var b bytes.Buffer
	zw, err := zstd.NewWriter(&b, opts...)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := zw.Write(data); err != nil {
		t.Fatal(err)
	}
	if err := zw.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// file writes data below a folder and returns the path.
func file(t *testing.T, dir, name string, data []byte) string {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// refused checks an error's words.
func refused(t *testing.T, err error, words ...string) {
	t.Helper()
	if err == nil {
		t.Error("there was no error")
		return
	}
	for _, w := range words {
		if !strings.Contains(err.Error(), w) {
			t.Errorf("%q lacks %q", err, w)
		}
	}
}
