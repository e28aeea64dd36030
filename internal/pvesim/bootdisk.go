package pvesim

import "strings"

// bootDiskSize is the size of the boot disk. A VM whose configuration names none has
// 0 (qemu-server Drive.pm, bootdisk_size).
func (g *guest) bootDiskSize() int64 {
	m := g.conf.main
	if g.lxc {
		if size := diskSize(m.text("rootfs")); size > 0 {
			return size
		}
		return 4 << 30
	}
	for _, name := range g.bootDisks() {
		bus := strings.TrimRight(name, "0123456789")
		schema, ok := driveSchemas[bus]
		if !ok || bus == "unused" {
			continue
		}
		parts, err := schema.parse(m.text(name))
		if err != nil || parts["media"] == "cdrom" || parts["file"] == "" {
			continue
		}
		size, err := parseSize(parts["size"])
		if err != nil {
			return 0
		}
		return size
	}
	return 0
}

func (g *guest) bootDisks() []string {
	m := g.conf.main
	if boot := m.text("boot"); boot != "" {
		if parts, err := bootSchema.parse(boot); err == nil && parts["legacy"] == "" {
			return splitList(parts["order"])
		}
	}
	if d := m.text("bootdisk"); d != "" {
		return []string{d}
	}
	return nil
}

// diskSize finds the size in the text of a volume.
func diskSize(text string) int64 {
	for _, part := range strings.Split(text, ",") {
		if v, ok := strings.CutPrefix(part, "size="); ok {
			if n, err := parseSize(v); err == nil {
				return n
			}
		}
	}
	return 0
}
