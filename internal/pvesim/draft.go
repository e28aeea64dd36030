package pvesim

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// draft is a guest's configuration while it is being changed.
type draft struct {
	main, pending section
	deletes       []pendingDelete
	special       []string // sections that only their writer reads, as they are
	snapshots     map[string]section
}

// draft copies the configuration. What did not validate is not in it, so the first
// write drops it from the file, as in Proxmox VE.
func (g *guest) draft() *draft {
	d := &draft{
		main: maps.Clone(g.conf.main), pending: maps.Clone(g.conf.pending), deletes: slices.Clone(g.conf.deletes),
		snapshots: map[string]section{},
	}
	for name, s := range g.conf.snapshots {
		d.snapshots[name] = maps.Clone(s)
	}
	in := false
	for _, line := range strings.SplitAfter(g.raw, "\n") {
		if strings.HasPrefix(line, "[") {
			if in = reSpecial.MatchString(strings.TrimRight(line, "\n")); in {
				d.special = append(d.special, "")
			}
		}
		if in && strings.TrimSpace(line) != "" {
			d.special[len(d.special)-1] += line
		}
	}
	return d
}

// text writes the file (qemu-server QemuServer.pm, write_vm_config): the note as
// comments, the keys sorted, then what is pending, then the other sections.
func (d *draft) text() string {
	d.dropUsedAgain()
	var b strings.Builder
	d.main.write(&b, false)
	pending := maps.Clone(d.pending)
	if len(d.deletes) > 0 {
		var keys []string
		for _, e := range d.deletes {
			key := e.key
			if e.force {
				key = "!" + key
			}
			keys = append(keys, key)
		}
		slices.Sort(keys)
		pending["delete"] = strings.Join(keys, ",")
	}
	if len(pending) > 0 {
		b.WriteString("\n[PENDING]\n")
		pending.write(&b, true)
	}
	for _, s := range d.special {
		b.WriteString("\n" + s)
	}
	for _, name := range sortedKeys(d.snapshots) {
		b.WriteString("\n[" + name + "]\n")
		d.snapshots[name].write(&b, false)
	}
	return b.String()
}

func (s section) write(b *strings.Builder, pending bool) {
	if note, ok := s["description"].(string); ok {
		switch {
		case note != "" && note != "0":
			for _, line := range strings.Split(strings.TrimRight(note, "\n"), "\n") {
				b.WriteString("#" + encodeText(line) + "\n")
			}
		case pending:
			b.WriteString("#\n")
		}
	}
	for _, key := range sortedKeys(s) {
		if key != "description" {
			fmt.Fprintf(b, "%s: %v\n", key, s[key])
		}
	}
}

// dropUsedAgain removes the unusedN of volumes that are in use.
func (d *draft) dropUsedAgain() {
	used := map[string]bool{}
	for _, s := range []section{d.main, d.pending} {
		for key := range s {
			if drive, err := parseDrive(key, s.text(key)); isDrive(key) && err == nil {
				used[drive["file"]] = true
			}
		}
	}
	for key := range d.main {
		if strings.HasPrefix(key, "unused") && used[d.main.text(key)] {
			delete(d.main, key)
		}
	}
}

// addUnused keeps a volume that is no longer attached as unusedN, the first one
// free (PVE::QemuConfig add_unused_volume).
func (d *draft) addUnused(volume string) {
	for i := range driveCount["unused"] {
		key := fmt.Sprintf("unused%d", i)
		switch v := d.main.text(key); v {
		case volume:
			return
		case "":
			d.main[key] = volume
			return
		}
	}
}

// detach is what becomes of a drive that leaves the configuration: the image of
// the guest's own is kept as unused, unless it is a cloud-init drive
// (QemuServer.pm, vmconfig_register_unused_drive).
func (d *draft) detach(vmid int, drive driveProps) {
	if drive.cloudInit() {
		d.special = slices.DeleteFunc(d.special, func(s string) bool { return strings.HasPrefix(s, "[special:cloudinit]") })
		return
	}
	if _, name, ok := splitVolume(drive["file"]); ok && !drive.cdrom() && volumeOwner(name) == vmid {
		d.addUnused(drive["file"])
	}
}

func (d *draft) addDelete(key string, force bool) {
	d.keepDelete(key)
	d.deletes = append(d.deletes, pendingDelete{key: key, force: force})
}

// keepDelete takes a key off the list of those to be deleted.
func (d *draft) keepDelete(key string) {
	d.deletes = slices.DeleteFunc(d.deletes, func(e pendingDelete) bool { return e.key == key })
}

// forgetState takes away that a guest was suspended to disk.
func (d *draft) forgetState() {
	for _, key := range []string{"vmstate", "runningmachine", "runningcpu", "running-nets-host-mtu"} {
		delete(d.main, key)
	}
	if d.main.text("lock") == "suspended" {
		delete(d.main, "lock")
	}
}

// cleanPending drops pending changes that change nothing
// (PVE::AbstractConfig cleanup_pending).
func (d *draft) cleanPending() {
	for key, v := range d.pending {
		if now, ok := d.main[key]; ok && fmt.Sprint(now) == fmt.Sprint(v) {
			delete(d.pending, key)
		}
	}
	d.deletes = slices.DeleteFunc(d.deletes, func(e pendingDelete) bool { _, ok := d.main[e.key]; return !ok })
}

// store writes the draft back as the file of the guest; whatever fields described
// the guest before, the file says it all now.
func (c *call) store(g *guest, d *draft) *VM {
	old := *g.vm
	vm := &VM{
		Node: g.node.name, Config: d.text(), Status: g.status, Uptime: old.Uptime, Booted: old.Booted, PID: old.PID,
		QEMU: old.QEMU, Agent: old.Agent, Fresh: old.Fresh, Hidden: old.Hidden,
	}
	if c.next.VMs == nil {
		c.next.VMs = map[int]*VM{}
	}
	c.next.VMs[g.id] = vm
	return vm
}
