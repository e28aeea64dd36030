package inventory_test

import (
	"reflect"
	"testing"

	"github.com/proxaudit/proxaudit/inventory"
)

// TestNodeVMIDs: which VMIDs a Node names, and in which region. The probes and the verdicts both go by it.
func TestNodeVMIDs(t *testing.T) {
	const own, common, id = inventory.LabelRegion, inventory.LabelRegionCommon, inventory.AnnotationInstanceID
	both := map[string]string{own: "r1", common: "r2"}
	for name, c := range map[string]struct {
		providerID string
		annotation string
		labels     map[string]string
		want       []inventory.NodeVMID
	}{
		"nothing":                       {labels: both},
		"CAPMOX":                        {providerID: "proxmox://2a7f1f3e-8c1b-4f0e-9d58-0c2f5b6a7d01", labels: both},
		"another provider":              {providerID: "k3s://r1/105", labels: both},
		"region and VMID":               {providerID: "proxmox://r3/105", labels: both, want: []inventory.NodeVMID{{VMID: 105, Region: "r3"}}},
		"region of the manager's label": {providerID: "proxmox:///105", labels: both, want: []inventory.NodeVMID{{VMID: 105, Region: "r1"}}},
		"region of the common label": {providerID: "proxmox:///105", labels: map[string]string{common: "r2"},
			want: []inventory.NodeVMID{{VMID: 105, Region: "r2"}}},
		"no region": {providerID: "proxmox:///105", want: []inventory.NodeVMID{{VMID: 105}}},
		"annotation": {annotation: "106", labels: map[string]string{common: "r2"},
			want: []inventory.NodeVMID{{VMID: 106, Region: "r2", Annotated: true}}},
		"annotation without a region": {annotation: "106", want: []inventory.NodeVMID{{VMID: 106, Annotated: true}}},
		"both": {providerID: "proxmox://r3/105", annotation: "106", labels: both,
			want: []inventory.NodeVMID{{VMID: 105, Region: "r3"}, {VMID: 106, Region: "r1", Annotated: true}}},
		"too low":          {providerID: "proxmox://r3/99", annotation: "99", labels: both},
		"too high":         {annotation: "1000000000"},
		"no number":        {annotation: "vm-105"},
		"negative":         {annotation: "-105"},
		"with a plus sign": {providerID: "proxmox://r3/+105", annotation: "+105"},
	} {
		n := inventory.Node{ProviderID: c.providerID, Labels: c.labels, Annotations: map[string]string{id: c.annotation}}
		if got := n.VMIDs(); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: got %+v, want %+v", name, got, c.want)
		}
	}
}
