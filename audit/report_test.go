package audit_test

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/proxaudit/proxaudit/audit"
	"github.com/proxaudit/proxaudit/audit/identity"
	"github.com/proxaudit/proxaudit/inventory"
	"github.com/proxaudit/proxaudit/inventory/inventorytest"
)

func ids(fs []audit.Finding) []string {
	var out []string
	for _, f := range fs {
		out = append(out, f.Subject.ID)
	}
	return out
}

// TestOrphansListsTheWorstFirst, and leaves out what is nothing to tell.
func TestOrphansListsTheWorstFirst(t *testing.T) {
	f := fixture(t, lab+whole)
	r := audit.Orphans(f.Snapshot, audit.Options{})
	want := []string{"vm/lab/103", "vm/lab/104", "machine/default/prod-10", "machine/default/gone", "node/prod/ghost", "proxmoxmachine/default/ownerless"}
	if got := ids(r.Findings); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if r.Kind != audit.KindOrphanReport || r.FormatVersion != "proxaudit/v1" || !r.GeneratedAt.Equal(f.Snapshot.CollectedAt) {
		t.Errorf("the envelope is %+v", r.Envelope)
	}
	if r.Summary.Findings != len(want) || r.Summary.Severities[audit.Warning] != len(want) || r.Summary.VMs != 5 || r.Summary.Machines != 3 || r.Summary.Nodes != 3 {
		t.Errorf("the summary is %+v", r.Summary)
	}
	all := audit.Orphans(f.Snapshot, audit.Options{All: true})
	if got := ids(all.Findings); !slices.Contains(got, "vm/lab/102") {
		t.Errorf("--all lists %q, want the adoptable Node too", got)
	}
}

// TestReclaimable: what the orphans hold, by their configuration, and whether that is all.
func TestReclaimable(t *testing.T) {
	f := fixture(t, `
clusters: [{name: prod, selector: {tags: [prod]}}]
vms:
- {id: 990, name: member, uuid: $u99}
- {id: 101, name: a, uuid: $u1, tags: [prod], cores: 4, memory: 4096, disk: 10}
- {id: 102, name: b, uuid: $u2, tags: [prod], cores: 2, memory: 1024, disk: -1}
- {id: 103, name: c, uuid: $u3, cores: 64, memory: 999999}
nodes: [{name: member, uuid: $u99}]
want: {vm/lab/101: orphan-vm}
`)
	r := audit.Orphans(f.Snapshot, audit.Options{})
	want := audit.Reclaimable{VMs: 2, VCPU: 6, MemoryMiB: 5120, DiskGiB: 10, Partial: true}
	if r.Summary.Reclaimable != want {
		t.Errorf("got %+v, want %+v", r.Summary.Reclaimable, want)
	}
	r.Summary.Count(r.Findings[:1])
	if r.Summary.Findings != 1 || r.Summary.Reclaimable.VMs != 1 || r.Summary.Reclaimable.Partial {
		t.Errorf("after filtering: %+v", r.Summary)
	}
	h := r.Findings[1].Holds
	if h == nil || *h.VCPU != 2 || *h.DiskGiB != 0 || !h.DiskPartial {
		t.Errorf("the second holds %+v", h)
	}
}

// TestDiskIsRoundedUp to whole GiB: a lower figure would promise too little to free.
func TestDiskIsRoundedUp(t *testing.T) {
	f := fixture(t, `
clusters: [{name: prod, selector: {tags: [prod]}}]
vms: [{id: 101, name: a, uuid: $u1, tags: [prod]}]
want: {vm/lab/101: orphan-vm}
`)
	*f.Snapshot.VMs[0].Config.Disks[0].SizeBytes = 1<<30 + 1
	if h := audit.Orphans(f.Snapshot, audit.Options{}).Findings[0].Holds; *h.DiskGiB != 2 {
		t.Errorf("%d GiB, want 2", *h.DiskGiB)
	}
}

func TestSinceAndStatus(t *testing.T) {
	f := fixture(t, `
sites: [{name: lab, regions: [r1]}]
clusters: [{name: prod, declared: true, selector: {tags: [prod]}}]
vms:
- {id: 101, name: a, uuid: $u1, tags: [prod], age: 2d, status: stopped}
- {id: 102, name: b, uuid: $u2, tags: [prod], age: none}
- {id: 103, name: c, uuid: $u3, unread: true}
- {id: 110, name: linked, uuid: $u10}
machines: [{name: m-1, age: 3d, phase: Provisioning}, {name: linked, uuid: $u10}]
proxmoxMachines: [{name: m-1, age: 4d}, {name: ownerless, owner: none, age: 5d}, {name: linked, vmid: 110, uuid: $u10}]
nodes: [{name: ghost, uuid: $u8, providerID: "proxmox://r1/108", ready: Unknown, age: 6d}, {name: metal, uuid: $u9, age: 7d}]
probes: [{id: 108, answer: free}]
want: {vm/lab/101: x}
`)
	got := map[string]audit.Finding{}
	for _, fd := range audit.Orphans(f.Snapshot, audit.Options{All: true}).Findings {
		got[fd.Subject.ID] = fd
	}
	for id, want := range map[string]struct {
		days   int64
		status string
	}{
		"vm/lab/101": {2, "stopped"}, "vm/lab/102": {-1, "running"}, "vm/lab/103": {-1, "running"}, "machine/default/m-1": {3, "Provisioning"},
		"proxmoxmachine/default/ownerless": {5, ""}, "node/prod/ghost": {6, "NotReady"}, "node/prod/metal": {7, "Ready"},
	} {
		fd, ok := got[id]
		switch {
		case !ok:
			t.Errorf("%s is not listed", id)
		case fd.Status != want.status:
			t.Errorf("%s has the status %q, want %q", id, fd.Status, want.status)
		case want.days < 0 && (fd.Since != nil || fd.AgeSeconds != nil):
			t.Errorf("%s is since %v, which nobody knows", id, fd.Since)
		case want.days >= 0 && (fd.AgeSeconds == nil || *fd.AgeSeconds != want.days*86400 || fd.Since.Location() != time.UTC):
			t.Errorf("%s is since %v, want %d days ago", id, fd.Since, want.days)
		}
	}
}

// TestFingerprintIsTheSubjects: it outlives renames, and not the guest.
func TestFingerprintIsTheSubjects(t *testing.T) {
	const head = "clusters: [{name: prod, selector: {vmids: [\"100-199\"]}}]\nvms: "
	const want = "\nwant: {vm/lab/101: orphan-vm}"
	of := func(vm string) string {
		fs := audit.Orphans(fixture(t, head+"[{id: 101, "+vm+"}]"+want).Snapshot, audit.Options{}).Findings
		if len(fs) != 1 {
			t.Fatalf("%d findings", len(fs))
		}
		return fs[0].Fingerprint
	}
	base := of("name: a, uuid: $u1")
	for name, same := range map[string]string{"renamed": "name: b, uuid: $u1", "moved": "name: a, uuid: $u1, node: pve9", "older": "name: a, uuid: $u1, age: 1d"} {
		if of(same) != base {
			t.Errorf("%s: another fingerprint", name)
		}
	}
	for name, other := range map[string]string{"another UUID": "name: a, uuid: $u2", "no UUID": "name: a"} {
		if of(other) == base {
			t.Errorf("%s: the same fingerprint", name)
		}
	}
	if of("name: a") == of("name: a, age: 1d") || of("name: a") == of("name: a, age: none") {
		t.Error("without a UUID, a guest of another creation time is another guest: VMIDs are recycled")
	}
}

// TestInventoryRowsAreWholeMachines.
func TestInventoryRowsAreWholeMachines(t *testing.T) {
	f := fixture(t, lab+whole)
	r := audit.Inventory(f.Snapshot, audit.Options{})
	if r.Kind != audit.KindInventory || len(r.Items) != 8 || r.Summary.Findings != 6 {
		t.Fatalf("%d rows, %d findings; want 8 and 6", len(r.Items), r.Summary.Findings)
	}
	for _, it := range r.Items {
		if it.Class == identity.Managed {
			if len(it.VMs) != 1 || len(it.Infra) != 1 || len(it.Machines) != 1 || len(it.Nodes) != 1 || it.NodeReady != "Ready" || it.Link == nil || it.Link.Strength != identity.Proof {
				t.Errorf("the managed row is %+v", it)
			}
		}
		if it.Fingerprint == "" || it.Subject.ID == "" {
			t.Errorf("a row without a subject: %+v", it)
		}
	}
	f = fixture(t, `
vms: [{id: 100, name: nas}, {id: 300, name: w-1, uuid: $u1}]
nodes: [{name: w-1, uuid: $u1}]
want: {vm/lab/100: unrelated}
`)
	if items := audit.Inventory(f.Snapshot, audit.Options{}).Items; items[1].Subject.ID != "vm/lab/100" {
		t.Errorf("the last row is %s, want the machine of no cluster", items[1].Subject.ID)
	}
}

// TestTitlesSayWhatIsTheMatter: for every reason that a random fleet can give, the words are whole.
func TestTitlesSayWhatIsTheMatter(t *testing.T) {
	seen := map[string]bool{}
	fleets(400, func(seed uint64, s *inventory.Snapshot) {
		for _, f := range audit.Orphans(s, audit.Options{All: true}).Findings {
			seen[f.Title] = true
			if strings.TrimSpace(f.Title) == "" || (f.Rule != "" && strings.TrimSpace(f.Remedy) == "") || strings.Contains(f.Title+f.Remedy, "%!") {
				t.Fatalf("seed %d: %s has the title %q and the remedy %q", seed, f.Subject.ID, f.Title, f.Remedy)
			}
		}
	})
	if len(seen) < 15 {
		t.Errorf("only %d titles were seen: %v", len(seen), seen)
	}
}

func TestGraceIsAnOption(t *testing.T) {
	f := fixture(t, `
clusters: [{name: prod, selector: {tags: [prod]}}]
vms: [{id: 990, name: member, uuid: $u99}, {id: 101, name: a, uuid: $u1, tags: [prod], age: 45m}]
nodes: [{name: member, uuid: $u99}]
want: {vm/lab/101: orphan-vm}
`)
	for grace, want := range map[time.Duration]identity.Class{0: identity.OrphanVM, time.Hour: identity.Converging} {
		all := audit.Orphans(f.Snapshot, audit.Options{Grace: grace, All: true}).Findings
		at := slices.IndexFunc(all, func(f audit.Finding) bool { return f.Subject.ID == "vm/lab/101" })
		if at < 0 || all[at].Class != want {
			t.Errorf("with a grace period of %v it is not %s: %+v", grace, want, all)
		}
	}
	if !f.Snapshot.CollectedAt.Equal(inventorytest.Now) {
		t.Error("the clock is the Snapshot's")
	}
}

// TestAddressesOfAMachineWithoutNode: what its Machine says, else its ProxmoxMachine; a Node's word comes first.
func TestAddressesOfAMachineWithoutNode(t *testing.T) {
	f := fixture(t, `
vms: [{id: 101, name: a, uuid: $u1}]
machines: [{name: a, uuid: $u1, addresses: [10.0.0.1]}, {name: b, addresses: [10.0.0.2]}, {name: c}]
proxmoxMachines: [{name: a, vmid: 101, uuid: $u1}, {name: b, addresses: [10.0.9.2]}, {name: c, addresses: [10.0.0.3]}]
nodes: [{name: a, uuid: $u1, ips: [10.0.0.9]}]
want: {machine/default/b: {class: non-node}}
`)
	got := map[string]string{}
	for _, it := range audit.Inventory(f.Snapshot, audit.Options{}).Items {
		got[it.Machines[0].Name] = strings.Join(it.Addresses, " ")
	}
	if want := map[string]string{"a": "10.0.0.9", "b": "10.0.0.2", "c": "10.0.0.3"}; !maps.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}
