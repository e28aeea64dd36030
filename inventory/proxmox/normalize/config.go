package normalize

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/proxaudit/proxaudit/inventory"
)

// defaultMemoryMiB is what a guest without the key gets (qemu-server PVE/QemuServer/Memory.pm).
const defaultMemoryMiB = 512

// Config is a guest's configuration with what only the configuration knows of the guest itself.
type Config struct {
	VM inventory.VMConfig
	// Name, Template and Tags are current here, where the guest list may be ten seconds old or lack them.
	Name     string
	Template bool
	Tags     []string
	// Problems name the keys whose values have no form that Proxmox gives them. What rests on such a key is at its
	// zero value and not known.
	Problems []string
}

// ParseConfig reads the answer to nodes/N/qemu/VMID/config?current=1. An error means that the guest's identity could
// not be read, and with it nothing that may be used.
func ParseConfig(data any, vmid int) (*Config, error) {
	m, ok := data.(map[string]any)
	if !ok {
		return nil, fmt.Errorf("the configuration is %s, not an object", kind(data))
	}
	for _, key := range []string{"smbios1", "args"} {
		if v, present := m[key]; present && v != nil {
			if _, isText := v.(string); !isText {
				return nil, fmt.Errorf("%s is %s, not a string", key, kind(v))
			}
		}
	}
	r := &reader{m: m}
	c := &Config{Name: Name(r.text("name"), vmid), Template: r.bool("template"), Tags: Tags(r.text("tags"))}
	c.VM = inventory.VMConfig{
		Digest:         r.text("digest"),
		CreatedAt:      createdAt(r.text("meta")),
		Sockets:        r.atLeastOne("sockets"),
		Cores:          r.atLeastOne("cores"),
		CPULimit:       r.number("cpulimit"),
		CPUType:        r.first("cpu", "cputype"),
		MemoryMiB:      r.memory(),
		Description:    r.text("description"),
		OSType:         r.text("ostype"),
		MachineType:    r.first("machine", "type"),
		BIOS:           r.text("bios"),
		SCSIHW:         r.text("scsihw"),
		AgentEnabled:   r.agent(),
		OnBoot:         r.bool("onboot"),
		Protection:     r.bool("protection"),
		CICustom:       r.text("cicustom"),
		CIUser:         r.text("ciuser"),
		Nameserver:     r.text("nameserver"),
		SearchDomain:   r.text("searchdomain"),
		ParentSnapshot: r.text("parent"),
		Lock:           r.text("lock"),
		HasSSHKeys:     r.text("sshkeys") != "",
		HasArgs:        r.text("args") != "",
	}
	setUUID(&c.VM, r.text("smbios1"), r.text("args"))
	c.VM.VCPUs = c.VM.Sockets * c.VM.Cores
	if n, present := r.integer("vcpus"); present && n > 0 {
		c.VM.VCPUs = int(n)
	}
	if n, present := r.integer("balloon"); present {
		c.VM.BalloonMiB = &n
	}
	r.devices(&c.VM, vmid)
	c.VM.BootDisk = bootDisk(r.text("boot"), r.text("bootdisk"), c.VM.Disks)
	slices.Sort(r.problems)
	c.Problems = r.problems
	return c, nil
}

// devices reads the numbered keys. Which keys those are is decided by their form and not by a list up to some number:
// net31, scsi30 and unused255 are legal.
func (r *reader) devices(c *inventory.VMConfig, vmid int) {
	for key := range r.m {
		switch {
		case diskSlot.MatchString(key):
			if s, ok := r.device(key); ok {
				c.Disks = append(c.Disks, disk(key, s, vmid))
			}
		case nicSlot.MatchString(key):
			if s, ok := r.device(key); ok {
				c.NICs = append(c.NICs, nic(key, s))
			}
		case ipConfigSlot.MatchString(key):
			if s, ok := r.device(key); ok {
				c.IPConfigs = append(c.IPConfigs, ipConfig(key, s))
			}
		}
	}
	slices.SortFunc(c.Disks, func(a, b inventory.Disk) int { return compareSlots(a.Slot, b.Slot) })
	slices.SortFunc(c.NICs, func(a, b inventory.NIC) int { return compareSlots(a.Slot, b.Slot) })
	slices.SortFunc(c.IPConfigs, func(a, b inventory.IPConfig) int { return compareSlots(a.Slot, b.Slot) })
}

// compareSlots orders scsi2 before scsi10.
func compareSlots(a, b string) int {
	nameA, numA := splitSlot(a)
	nameB, numB := splitSlot(b)
	if nameA != nameB {
		return strings.Compare(nameA, nameB)
	}
	if len(numA) != len(numB) {
		return len(numA) - len(numB)
	}
	return strings.Compare(numA, numB)
}

func splitSlot(s string) (name, number string) {
	i := len(strings.TrimRight(s, "0123456789"))
	return s[:i], s[i:]
}

var ctime = regexp.MustCompile(`^[1-9][0-9]{0,11}$`)

// createdAt reads meta's ctime ("creation-qemu=9.0.2,ctime=1727000000"): seconds since 1970.
func createdAt(meta string) *time.Time {
	s, ok := property(Properties(meta), "ctime", false)
	if !ok || !ctime.MatchString(s) {
		return nil
	}
	n, ok := Integer(s)
	if !ok {
		return nil
	}
	t := time.Unix(n, 0).UTC()
	return &t
}
