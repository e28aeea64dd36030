package adopt_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/proxaudit/proxaudit/adopt"
	"github.com/proxaudit/proxaudit/inventory"
)

// alike makes all workers of one shape and without labels of their own.
func alike() change {
	return func(s *inventory.Snapshot, _ *adopt.Options) {
		like := s.VMs[slices.IndexFunc(s.VMs, func(v inventory.VM) bool { return v.VMID == 1001 })].Config
		for i := range s.VMs {
			if v := &s.VMs[i]; v.VMID > 1001 && v.VMID < 2000 {
				v.Config.Sockets, v.Config.Cores, v.Config.VCPUs, v.Config.MemoryMiB, v.Config.Disks = like.Sockets, like.Cores, like.VCPUs, like.MemoryMiB, like.Disks
			}
		}
	}
}

// TestGroupsByLabels: a label parts workers unless each of them has another value of it.
func TestGroupsByLabels(t *testing.T) {
	for _, c := range []struct {
		name string
		do   change
		want string
	}{
		{"none", same, "[[w-1 w-2 w-3 w-4 w-5 w-6]]"},
		{"three values that not every worker has", all(label("w-1", "gpu", "a100"), label("w-2", "gpu", "h100"), label("w-3", "gpu", "l40")), "[[w-1] [w-2] [w-3] [w-4 w-5 w-6]]"},
		{"two values", all(label("w-1", "pool", "a"), label("w-2", "pool", "a"), label("w-3", "pool", "b")), "[[w-1 w-2] [w-3] [w-4 w-5 w-6]]"},
		{"another value for each", func(s *inventory.Snapshot, o *adopt.Options) {
			for i := 1; i <= 6; i++ {
				label(fmt.Sprintf("w-%d", i), "asset", fmt.Sprint(i))(s, o)
			}
		}, "[[w-1 w-2 w-3 w-4 w-5 w-6]]"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, o := spoiled(all(fixture(3, 6), alike(), c.do))
			p := plan(t, s, o)
			var got [][]string
			for _, g := range p.Groups {
				got = append(got, g.Machines)
			}
			slices.SortFunc(got, slices.Compare)
			if text := fmt.Sprint(got); text != c.want {
				t.Errorf("got %s, want %s", text, c.want)
			}
		})
	}
}

// TestGroupsByBootDisk: what a machine boots from is what its template's boot disk is made as large as.
func TestGroupsByBootDisk(t *testing.T) {
	boot := func(slot string) change {
		return setVM(1001, func(v *inventory.VM) {
			size := int64(100 << 30)
			v.Config.BootDisk = slot
			v.Config.Disks = append(slices.Clone(v.Config.Disks), inventory.Disk{Slot: "virtio0", Storage: "local-zfs", Volume: "vm-1001-disk-1", SizeBytes: &size})
		})
	}
	for slot, want := range map[string]int64{"virtio0": 100, "scsi0": 60, "": 60} {
		s, o := spoiled(all(fixture(1, 1), boot(slot)))
		if p := plan(t, s, o); len(p.Groups) != 1 || p.Groups[0].DiskGiB != want {
			t.Errorf("boots from %q: %+v, want %d GiB", slot, p.Groups, want)
		}
	}
}
