package inventory

import (
	"slices"
	"strconv"
	"strings"
	"time"
)

// Guest types of Proxmox VE.
const (
	GuestQEMU = "qemu"
	GuestLXC  = "lxc"
)

// StatusUnknown is the status of a guest whose host sends no status: it exists, and that is all that is known.
const StatusUnknown = "unknown"

// VM is a guest of a site. LXC containers are listed so that their VMIDs and names are known, and are never matched
// to a Machine or a Node.
type VM struct {
	Site string `json:"site"`
	VMID int    `json:"vmid"`
	Type string `json:"type"`
	// Node is the Proxmox host that has the guest's configuration.
	Node string `json:"node"`
	// Name is empty if it is not known: a row of an offline host has none. Proxmox's own fallback "VM 105" for a
	// guest without a name is normalised to empty too.
	Name string `json:"name,omitempty"`
	// Status is Proxmox's: running, stopped, paused, prelaunch, suspended, … or unknown.
	Status string `json:"status"`
	// Template is nil if it is not known.
	Template *bool `json:"template,omitempty"`
	// Tags are folded to lower case, split at ';', ',' and blanks, without duplicates, sorted.
	Tags    []string `json:"tags,omitempty"`
	Pool    string   `json:"pool,omitempty"`
	Lock    string   `json:"lock,omitempty"`
	HAState string   `json:"haState,omitempty"`
	// UptimeSeconds is 0 for a guest that does not run or is not known.
	UptimeSeconds int64 `json:"uptimeSeconds,omitempty"`
	// Config is nil if the configuration was not read; ConfigError then says why.
	Config      *VMConfig `json:"config,omitempty"`
	ConfigError string    `json:"configError,omitempty"`
	// Agent is nil unless the guest agent was asked.
	Agent *Agent `json:"agent,omitempty"`
}

// VMConfig is the live configuration of a QEMU guest (config?current=1: without changes that wait for a restart).
type VMConfig struct {
	Digest string `json:"digest,omitempty"`
	// UUID is the SMBIOS UUID that the guest sees, in lower case and canonical form; empty if none is set or the one
	// set is no identity (nil, all-F, known vendor junk): RawUUID then still has what stood there.
	UUID    string `json:"uuid,omitempty"`
	RawUUID string `json:"rawUUID,omitempty"`
	// UUIDSource is "smbios1" or "args" (a -uuid in args overrides smbios1).
	UUIDSource string `json:"uuidSource,omitempty"`
	// CreatedAt is meta's ctime; nil for guests made before Proxmox VE 7 kept it.
	CreatedAt *time.Time `json:"createdAt,omitempty"`

	Sockets int `json:"sockets"`
	Cores   int `json:"cores"`
	// VCPUs is what the guest starts with: vcpus if set, else sockets × cores.
	VCPUs int `json:"vcpus"`
	// CPULimit is in cores; 0 means no limit.
	CPULimit float64 `json:"cpuLimit,omitempty"`
	CPUType  string  `json:"cpuType,omitempty"`
	// MemoryMiB is the configured memory; 512 where the key is absent (Proxmox's default).
	MemoryMiB int64 `json:"memoryMiB"`
	// BalloonMiB is nil where the key is absent; 0 means that ballooning is off.
	BalloonMiB *int64 `json:"balloonMiB,omitempty"`

	// BootDisk is the slot of the disk that the configuration boots from (boot: order=…, or the older bootdisk); empty where
	// it names none. BootDrive knows what Proxmox takes then.
	BootDisk  string     `json:"bootDisk,omitempty"`
	Disks     []Disk     `json:"disks,omitempty"`
	NICs      []NIC      `json:"nics,omitempty"`
	IPConfigs []IPConfig `json:"ipConfigs,omitempty"`

	Description string `json:"description,omitempty"`
	OSType      string `json:"osType,omitempty"`
	MachineType string `json:"machineType,omitempty"`
	BIOS        string `json:"bios,omitempty"`
	SCSIHW      string `json:"scsihw,omitempty"`
	// AgentEnabled is the configuration's word; it does not say that an agent runs.
	AgentEnabled bool   `json:"agentEnabled,omitempty"`
	OnBoot       bool   `json:"onBoot,omitempty"`
	Protection   bool   `json:"protection,omitempty"`
	CICustom     string `json:"ciCustom,omitempty"`
	CIUser       string `json:"ciUser,omitempty"`
	Nameserver   string `json:"nameserver,omitempty"`
	SearchDomain string `json:"searchDomain,omitempty"`
	// HasSSHKeys is all that is kept of sshkeys, HasArgs of args.
	HasSSHKeys bool `json:"hasSSHKeys,omitempty"`
	HasArgs    bool `json:"hasArgs,omitempty"`
	// ParentSnapshot is the snapshot that the state descends from.
	ParentSnapshot string `json:"parentSnapshot,omitempty"`
	// Lock is the configuration's own lock key.
	Lock string `json:"lock,omitempty"`
}

// Disk is one drive or unused volume of a VM.
type Disk struct {
	// Slot is like scsi0, virtio1, efidisk0, unused3.
	Slot    string `json:"slot"`
	Storage string `json:"storage,omitempty"`
	Volume  string `json:"volume,omitempty"`
	// SizeBytes is nil if the configuration does not give one.
	SizeBytes *int64 `json:"sizeBytes,omitempty"`
	CDROM     bool   `json:"cdrom,omitempty"`
	CloudInit bool   `json:"cloudInit,omitempty"`
	// Foreign is true for a volume that belongs to another owner (the CSI driver's vm-9999-… disks): its size is
	// not the guest's own.
	Foreign bool `json:"foreign,omitempty"`
}

// NIC is one network device of a VM.
type NIC struct {
	Slot  string `json:"slot"`
	Model string `json:"model,omitempty"`
	// MAC is in lower case.
	MAC    string `json:"mac,omitempty"`
	Bridge string `json:"bridge,omitempty"`
	VLAN   int    `json:"vlan,omitempty"`
	MTU    int    `json:"mtu,omitempty"`
	// Queues is the number of packet queues; 0 where the configuration gives none.
	Queues   int  `json:"queues,omitempty"`
	Firewall bool `json:"firewall,omitempty"`
	LinkDown bool `json:"linkDown,omitempty"`
}

// IPConfig is one ipconfigN of cloud-init.
type IPConfig struct {
	Slot string `json:"slot"`
	// IPv4 and IPv6 are CIDRs, or the words dhcp, auto, manual.
	IPv4     string `json:"ipv4,omitempty"`
	IPv6     string `json:"ipv6,omitempty"`
	Gateway4 string `json:"gateway4,omitempty"`
	Gateway6 string `json:"gateway6,omitempty"`
}

// Agent is what the QEMU guest agent said about its network.
type Agent struct {
	// Error is set if the agent did not answer; the rest is then empty.
	Error      string           `json:"error,omitempty"`
	Interfaces []AgentInterface `json:"interfaces,omitempty"`
}

// AgentInterface is one network interface inside the guest.
type AgentInterface struct {
	Name string `json:"name"`
	// MAC is in lower case and may be empty.
	MAC string `json:"mac,omitempty"`
	// Addresses are CIDRs or bare addresses, without a zone.
	Addresses []string `json:"addresses,omitempty"`
}

// Key is the site and VMID: an address, never an identity over time.
type Key struct {
	Site string
	VMID int
}

// String is SITE/VMID.
func (k Key) String() string { return k.Site + "/" + strconv.Itoa(k.VMID) }

// Key returns the VM's address.
func (v *VM) Key() Key { return Key{Site: v.Site, VMID: v.VMID} }

// IsTemplate is true only if the guest is known to be a template.
func (v *VM) IsTemplate() bool { return v.Template != nil && *v.Template }

// UUID is the usable SMBIOS UUID; empty if there is none or the configuration was not read.
func (v *VM) UUID() string {
	if v.Config == nil {
		return ""
	}
	return v.Config.UUID
}

// HasTag is case-blind, as Proxmox's own tags are by default.
func (v *VM) HasTag(tag string) bool {
	tag = strings.ToLower(tag)
	for _, t := range v.Tags {
		if t == tag {
			return true
		}
	}
	return false
}

// DiskBytes sums the guest's own disks: no CD-ROM, no cloud-init drive, no disk of another owner. The second value
// is false if a disk's size is not known.
func (c *VMConfig) DiskBytes() (int64, bool) {
	var sum int64
	known := true
	for _, d := range c.Disks {
		if d.CDROM || d.CloudInit || d.Foreign {
			continue
		}
		if d.SizeBytes == nil {
			known = false
			continue
		}
		sum += *d.SizeBytes
	}
	return sum, known
}

// BootDrive is the disk that the guest boots from, or nil: the one that its configuration names, else the first disk in the order in
// which Proxmox chooses one for a guest whose configuration names none: ide, scsi, virtio, sata (qemu-server
// PVE/QemuServer/Drive.pm: resolve_first_disk, valid_drive_names). Of those it takes none that belongs to another owner: a CSI
// driver attached it later.
func (c *VMConfig) BootDrive() *Disk {
	var first *Disk
	var least [2]int
	for i := range c.Disks {
		d := &c.Disks[i]
		if d.CDROM || d.CloudInit {
			continue
		}
		if c.BootDisk != "" && d.Slot == c.BootDisk {
			return d
		}
		at, ok := bootRank(d.Slot)
		if ok && !d.Foreign && (first == nil || slices.Compare(at[:], least[:]) < 0) {
			first, least = d, at
		}
	}
	return first
}

// bootRank is where a slot stands among those that can be booted from.
func bootRank(slot string) (rank [2]int, ok bool) {
	for i, bus := range []string{"ide", "scsi", "virtio", "sata"} {
		if number, is := strings.CutPrefix(slot, bus); is {
			n, err := strconv.Atoi(number)
			return [2]int{i, n}, err == nil
		}
	}
	return rank, false
}
