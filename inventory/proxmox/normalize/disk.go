package normalize

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/proxaudit/proxaudit/inventory"
)

var (
	// diskSlot matches every key of a drive or volume. scsihw is a controller and does not match.
	diskSlot = regexp.MustCompile(`^(?:ide|sata|scsi|virtio|efidisk|tpmstate|unused)[0-9]+$`)
	// cloudInitVolume is what Proxmox names its cloud-init drives (qemu-server PVE/QemuServer/Drive.pm,
	// drive_is_cloudinit).
	cloudInitVolume = regexp.MustCompile(`(?:^|[:/])(?:vm-[0-9]+-)?cloudinit(?:\.(?:raw|qcow2|vmdk))?$`)
	// volumeOwner is the VMID in the name of a volume. In a linked clone's name the base volume stands before it, so
	// that only the last part of the path counts.
	volumeOwner = regexp.MustCompile(`^(?:vm|base|subvol|basevol)-([0-9]+)-`)
)

// disk reads a drive like "local-lvm:vm-100-disk-0,iothread=1,size=32G".
func disk(slot, value string, vmid int) inventory.Disk {
	props := Properties(value)
	d := inventory.Disk{Slot: slot}
	file, _ := property(props, "file", true)
	if vol, _ := property(props, "volume", false); file == "" {
		file = vol
	}
	if strings.HasPrefix(file, "/") {
		d.Volume = file
	} else if storage, volume, ok := strings.Cut(file, ":"); ok {
		d.Storage, d.Volume = storage, volume
	} else {
		d.Volume = file
	}
	if media, _ := property(props, "media", false); media == "cdrom" {
		d.CDROM = true
	}
	d.CloudInit = cloudInitVolume.MatchString(file)
	if size, ok := property(props, "size", false); ok {
		if n, ok := Size(size); ok {
			d.SizeBytes = &n
		}
	}
	last := d.Volume[strings.LastIndexByte(d.Volume, '/')+1:]
	if m := volumeOwner.FindStringSubmatch(last); m != nil && d.Storage != "" {
		d.Foreign = m[1] != strconv.Itoa(vmid)
	}
	return d
}

// bootDisk is the slot of the first disk that the guest's configuration boots from; empty if it names none that is there. boot is
// "order=scsi0;net0", or in the older form letters for kinds of devices ("cdn"), with the disk in bootdisk (qemu-server
// PVE/QemuServer/Drive.pm: get_bootdisks, bootdisk_size).
func bootDisk(boot, bootdisk string, disks []inventory.Disk) string {
	named := []string{bootdisk}
	if order, ok := property(Properties(boot), "order", false); ok {
		named = strings.FieldsFunc(order, func(r rune) bool { return r == ';' || r == ' ' })
	}
	for _, slot := range named {
		for _, d := range disks {
			if d.Slot == slot && !d.CDROM && !d.CloudInit && !strings.HasPrefix(slot, "unused") {
				return slot
			}
		}
	}
	return ""
}
