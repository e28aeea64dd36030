package pvesim

import "time"

// VM is a QEMU guest. It takes the text of its configuration file, or the
// common options one by one.
type VM struct {
	// Node that owns it; empty means the first node.
	Node string `yaml:"node,omitempty"`
	// Config is the text of the configuration file, as it stands. It excludes
	// the fields from Name to Options.
	Config string `yaml:"config,omitempty"`

	Name    string `yaml:"name,omitempty"`
	Cores   int    `yaml:"cores,omitempty"`
	Sockets int    `yaml:"sockets,omitempty"`
	// Memory in MiB.
	Memory      int      `yaml:"memory,omitempty"`
	Tags        []string `yaml:"tags,omitempty"`
	Description string   `yaml:"description,omitempty"`
	// UUID becomes smbios1: uuid=….
	UUID string `yaml:"uuid,omitempty"`
	// MAC becomes net0: virtio=MAC,bridge=vmbr0.
	MAC string `yaml:"mac,omitempty"`
	// IP is an address in CIDR notation or "dhcp"; it becomes ipconfig0: ip=….
	IP string `yaml:"ip,omitempty"`
	// Disk in GiB becomes scsi0 on storage "local-lvm" and the boot order.
	Disk int `yaml:"disk,omitempty"`
	// Created is the time of creation (RFC 3339), or its age ("72h") counted
	// back from the start of the simulator; it becomes meta: …,ctime=….
	Created    string `yaml:"created,omitempty"`
	Template   bool   `yaml:"template,omitempty"`
	Protection bool   `yaml:"protection,omitempty"`
	OnBoot     bool   `yaml:"onboot,omitempty"`
	Lock       string `yaml:"lock,omitempty"`
	// Options are any further lines of the file, such as scsi1 or ostype.
	Options map[string]string `yaml:"options,omitempty"`

	// Status is stopped (the default), running, or another QMP state of a process
	// that exists: paused, prelaunch, suspended, io-error, …
	Status string        `yaml:"status,omitempty"`
	Uptime time.Duration `yaml:"uptime,omitempty"`
	// Booted is the moment when the process began; it goes before Uptime, which
	// counts back from the start of the simulator.
	Booted time.Time `yaml:"booted,omitempty"`
	// PID of the QEMU process; 0 means one made up.
	PID int `yaml:"pid,omitempty"`
	// QEMU is the version of the running process ("9.0.2"), which
	// status/current and the full list show. Empty leaves those keys out.
	QEMU string `yaml:"qemu,omitempty"`
	// Agent is the guest agent in the guest. Without it nothing answers there:
	// when the configuration enables the agent, calls fail after three seconds.
	Agent *Agent `yaml:"agent,omitempty"`
	// Fresh says that no status broadcast has named the guest yet, as in the
	// first seconds after a create or clone: its row has no name and no figures.
	Fresh bool `yaml:"fresh,omitempty"`
	// Hidden drops the guest's row from lists although it exists and can be read
	// by VMID. Proxmox VE never does that; it is for tests of a client's checks.
	Hidden bool `yaml:"hidden,omitempty"`
}

// Agent is a guest agent that answers.
type Agent struct {
	// Hostname answers get-host-name.
	Hostname string `yaml:"hostname,omitempty"`
	// Interfaces answers network-get-interfaces.
	Interfaces []AgentInterface `yaml:"interfaces,omitempty"`
	// OS answers get-osinfo (keys such as id, pretty-name, kernel-release).
	OS map[string]string `yaml:"os,omitempty"`
	// Results answers any other command by its name, with this value.
	Results map[string]any `yaml:"results,omitempty"`
	// Errors makes a command answer HTTP 200 with result.error.
	Errors map[string]AgentError `yaml:"errors,omitempty"`
	// Dead says that the agent does not answer: the call fails after the ping
	// timeout of three seconds, and holds a worker until then.
	Dead bool `yaml:"dead,omitempty"`
}

// AgentInterface is a network interface as the guest agent reports it.
type AgentInterface struct {
	Name string `yaml:"name"`
	MAC  string `yaml:"mac,omitempty"`
	// IPs in CIDR notation. Without a prefix the agent did not report one, and
	// the prefix is -1, as on some versions of Windows.
	IPs []string `yaml:"ips,omitempty"`
	// Statistics adds the packet counters, all optional in reality.
	Statistics bool `yaml:"statistics,omitempty"`
}

// AgentError is the error object of the QEMU guest agent protocol.
type AgentError struct {
	Class string `yaml:"class"`
	Desc  string `yaml:"desc"`
}
