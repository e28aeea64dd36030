package inventory_test

import (
	"reflect"
	"testing"

	"github.com/proxaudit/proxaudit/inventory"
	"github.com/proxaudit/proxaudit/inventory/inventorytest"
)

func parse(t *testing.T, fixture string) *inventory.Snapshot {
	t.Helper()
	f, err := inventorytest.Parse([]byte(fixture))
	if err != nil {
		t.Fatal(err)
	}
	return f.Snapshot
}

// TestUnlistedVMIDs: what a list does not show is asked for once, where it may lie, and nowhere else.
func TestUnlistedVMIDs(t *testing.T) {
	s := parse(t, `
sites: [{name: a, regions: [ra]}, {name: b, clusterName: pve-b}]
clusters: [{name: anywhere, declared: true}, {name: onb, declared: true, site: b}]
vms: [{id: a/101, name: x}, {id: b/300, name: y}]
proxmoxMachines:
- {name: m-1, cluster: anywhere, vmid: 101}
- {name: m-2, cluster: anywhere, vmid: 102}
- {name: m-3, cluster: onb, vmid: 103}
- {name: m-4, cluster: onb}
- {name: m-5, cluster: onb, vmid: 103}
nodes:
- {name: anywhere/n-1, providerID: "proxmox://ra/201"}
- {name: anywhere/n-2, providerID: "proxmox://pve-b/202"}
- {name: anywhere/n-3, providerID: "proxmox://b/300"}
- {name: anywhere/n-4, providerID: "proxmox://nowhere/204"}
- {name: anywhere/n-5, providerID: "proxmox:///205", labels: {topology.kubernetes.io/region: ra}}
- {name: anywhere/n-6, providerID: "rke2://x", annotations: {proxmox.sinextra.dev/instance-id: "206"}, labels: {topology.proxmox.sinextra.dev/region: b}}
- {name: anywhere/n-7, providerID: "proxmox:///207"}
- {name: anywhere/n-8, annotations: {proxmox.sinextra.dev/instance-id: "x"}}
- {name: anywhere/n-9, annotations: {proxmox.sinextra.dev/instance-id: "99"}, labels: {topology.kubernetes.io/region: ra}}
want: {vm/a/101: unknown}
`)
	want := []inventory.Key{{Site: "a", VMID: 102}, {Site: "a", VMID: 201}, {Site: "a", VMID: 205}, {Site: "b", VMID: 101}, {Site: "b", VMID: 102},
		{Site: "b", VMID: 103}, {Site: "b", VMID: 202}, {Site: "b", VMID: 206}}
	if got := inventory.UnresolvedOf(s).VMIDs; !reflect.DeepEqual(got, want) {
		t.Errorf("got %v\nwant %v", got, want)
	}
}

// TestRegionWithoutAName is the only site that there is.
func TestRegionWithoutAName(t *testing.T) {
	s := parse(t, `
nodes: [{name: n-1, providerID: "proxmox:///105"}]
want: {node/prod/n-1: unknown}
`)
	if got := inventory.UnresolvedOf(s).VMIDs; !reflect.DeepEqual(got, []inventory.Key{{Site: "lab", VMID: 105}}) {
		t.Errorf("got %v", got)
	}
}

// TestGuestsForTheAgent: running guests with an agent that no UUID identifies.
func TestGuestsForTheAgent(t *testing.T) {
	s := parse(t, `
vms:
- {id: 101, name: node, uuid: $u1}
- {id: 102, name: machine, uuid: $u2}
- {id: 103, name: infra, uuid: $u3}
- {id: 104, name: nobody, uuid: $u4}
- {id: 105, name: blank}
- {id: 106, name: stopped, uuid: $u6, status: stopped}
- {id: 107, name: template, uuid: $u7, template: true}
- {id: 108, name: unread, unread: true}
- {id: 109, name: ct, type: lxc}
- {id: 110, name: by-provider, uuid: $u10}
- {id: 111, name: no-agent, uuid: $u11}
machines: [{name: m-1, uuid: $u2}]
proxmoxMachines: [{name: m-3, uuid: $u3}]
nodes: [{name: n-1, uuid: $u1}, {name: n-2, providerID: "proxmox://$u10"}]
want: {vm/lab/101: unknown}
`)
	for i := range s.VMs {
		if c := s.VMs[i].Config; c != nil && s.VMs[i].VMID != 111 {
			c.AgentEnabled = true
		}
	}
	if got := inventory.UnresolvedOf(s).Guests; !reflect.DeepEqual(got, []inventory.Key{{Site: "lab", VMID: 104}, {Site: "lab", VMID: 105}}) {
		t.Errorf("got %v", got)
	}
}
