package pvesim

import "time"

// Fleet describes one simulated Proxmox VE installation: a cluster, or a
// standalone host when Cluster is empty. It is what a fleet file holds, and
// tests may build it directly. [Start] copies it.
type Fleet struct {
	// Version of Proxmox VE, such as "8.4.21"; "7", "8" and "9" stand for a late
	// release of that series. Empty means 9.
	Version string `yaml:"version,omitempty"`
	// RepoID is the build identifier of GET /version; empty means a made-up one.
	RepoID string `yaml:"repoid,omitempty"`
	// Cluster is the name of the cluster. Empty with one node means a standalone
	// host (no row of type "cluster"); with several nodes it defaults to "lab".
	Cluster string `yaml:"cluster,omitempty"`
	// ConfigVersion is the version of the cluster configuration that
	// /cluster/status shows; 0 means the number of nodes.
	ConfigVersion int `yaml:"config_version,omitempty"`
	// Nodes by name. Empty means one node, "pve1".
	Nodes map[string]*Node `yaml:"nodes,omitempty"`
	// Workers is how many requests a node works on at once, in each of its two
	// daemons; 0 means 3, as MAX_WORKERS of pveproxy and pvedaemon.
	Workers int `yaml:"workers,omitempty"`
	// Latency is added to every request while a worker of the node is held.
	Latency time.Duration `yaml:"latency,omitempty"`

	// Users by "name@realm". root@pam always exists. The owner of a token is
	// created when it is not listed.
	Users map[string]*User `yaml:"users,omitempty"`
	// Groups by name.
	Groups map[string]*Group `yaml:"groups,omitempty"`
	// Roles maps the name of a custom role to its privileges; the built-in roles
	// of the version exist anyway.
	Roles map[string][]string `yaml:"roles,omitempty"`
	// Tokens by "user@realm!name". Without any token there is one, [DefaultTokenID].
	Tokens map[string]*Token `yaml:"tokens,omitempty"`
	// ACL is the access control list.
	ACL []ACL `yaml:"acl,omitempty"`
	// Pools by ID; "a/b" is nested in "a".
	Pools map[string]*Pool `yaml:"pools,omitempty"`

	// VMs are the QEMU guests by VMID.
	VMs map[int]*VM `yaml:"vms,omitempty"`
	// Containers are the LXC guests by VMID.
	Containers map[int]*Container `yaml:"containers,omitempty"`
	// Storages by ID; without any there is "local".
	Storages map[string]*Storage `yaml:"storages,omitempty"`
	// HA holds the high-availability resources by service ID ("vm:101", "ct:110").
	HA map[string]*HAResource `yaml:"ha,omitempty"`
	// HADigest is the digest that /cluster/ha/resources shows with each resource;
	// empty means one computed from the resources.
	HADigest string `yaml:"ha_digest,omitempty"`
	// Tasks are the recent tasks, newest first.
	Tasks []Task `yaml:"tasks,omitempty"`
	// Options are the settings of datacenter.cfg.
	Options map[string]string `yaml:"options,omitempty"`
}

// Node is one Proxmox VE host.
type Node struct {
	// ID is the corosync node ID; 0 means by position in the order of the names.
	ID int `yaml:"id,omitempty"`
	// IP as /cluster/status shows it; empty means an address of 192.0.2.0/24.
	IP string `yaml:"ip,omitempty"`
	// CPUs is the number of logical CPUs; 0 means 16. A guest never shows more
	// than its host has.
	CPUs int `yaml:"cpus,omitempty"`
	// Memory and Disk are sizes such as "64G"; empty means 64G and 500G.
	Memory string `yaml:"memory,omitempty"`
	Disk   string `yaml:"disk,omitempty"`
	// Uptime at the start of the simulator; 0 means 30 days.
	Uptime time.Duration `yaml:"uptime,omitempty"`
	// Offline says for how long the node has been off when the simulator starts;
	// 0 means it is on. Its guests keep their last row for five minutes and then
	// turn to status "unknown" (pmxcfs drops a broadcast after 300 s).
	Offline time.Duration `yaml:"offline,omitempty"`
	// OfflineSince says the same as a point in time.
	OfflineSince time.Time `yaml:"offline_since,omitempty"`
	// Silent says that the node is on but sends no status broadcasts, as when
	// pvestatd hangs on dead storage: it and its guests are "unknown".
	Silent bool `yaml:"silent,omitempty"`
	// CgroupMode is shown in /cluster/resources unless 0.
	CgroupMode int `yaml:"cgroup_mode,omitempty"`
	// Workers and Latency override the fleet's for this node.
	Workers int           `yaml:"workers,omitempty"`
	Latency time.Duration `yaml:"latency,omitempty"`
}

// User is an account of the permission system.
type User struct {
	// Enabled defaults to true.
	Enabled *bool `yaml:"enabled,omitempty"`
	// Expire is a Unix time; 0 means never.
	Expire  int64    `yaml:"expire,omitempty"`
	Email   string   `yaml:"email,omitempty"`
	Comment string   `yaml:"comment,omitempty"`
	Groups  []string `yaml:"groups,omitempty"`
}

// Group is a group of users.
type Group struct {
	Users   []string `yaml:"users,omitempty"`
	Comment string   `yaml:"comment,omitempty"`
}

// Token is an API token.
type Token struct {
	// Secret is the UUID that goes with the token ID. Empty means one derived
	// from the ID; [Server.Secret] returns it.
	Secret string `yaml:"secret,omitempty"`
	// PrivSep says that the token has its own, separate permissions, which are
	// then cut down to those of its user. It defaults to true, as in Proxmox VE.
	PrivSep *bool `yaml:"privsep,omitempty"`
	// Expire is a Unix time; 0 means never.
	Expire  int64  `yaml:"expire,omitempty"`
	Comment string `yaml:"comment,omitempty"`
	// Role is a shortcut: this role on "/" with propagation for the token and for
	// its user, unless users lists that user.
	Role string `yaml:"role,omitempty"`
}

// ACL grants one role to one subject on one path.
type ACL struct {
	Path string `yaml:"path"`
	// To is a user ("a@pve"), a token ("a@pve!t") or a group ("@ops").
	To   string `yaml:"to"`
	Role string `yaml:"role"`
	// Propagate defaults to true.
	Propagate *bool `yaml:"propagate,omitempty"`
}

// Pool is a resource pool.
type Pool struct {
	Comment  string   `yaml:"comment,omitempty"`
	VMs      []int    `yaml:"vms,omitempty"`
	Storages []string `yaml:"storages,omitempty"`
}

// Container is an LXC guest. It takes its file as text, or the common options.
type Container struct {
	// Node that owns it; empty means the first node.
	Node string `yaml:"node,omitempty"`
	// Config is the text of the configuration file. The fields below it up to
	// Options are not used then.
	Config string `yaml:"config,omitempty"`

	Name     string            `yaml:"name,omitempty"`
	Cores    int               `yaml:"cores,omitempty"`
	Memory   int               `yaml:"memory,omitempty"`
	Tags     []string          `yaml:"tags,omitempty"`
	Template bool              `yaml:"template,omitempty"`
	Options  map[string]string `yaml:"options,omitempty"`

	// Status is "running" or "stopped" (the default).
	Status string        `yaml:"status,omitempty"`
	Uptime time.Duration `yaml:"uptime,omitempty"`
}

// Storage is a storage definition.
type Storage struct {
	// Type such as "dir" (the default), "lvmthin", "nfs", "rbd".
	Type    string   `yaml:"type,omitempty"`
	Content []string `yaml:"content,omitempty"`
	Shared  bool     `yaml:"shared,omitempty"`
	// Nodes that have it; empty means all.
	Nodes []string `yaml:"nodes,omitempty"`
	// Disabled storages are in the list of definitions alone.
	Disabled bool `yaml:"disabled,omitempty"`
	// Size and Used such as "500G".
	Size string `yaml:"size,omitempty"`
	Used string `yaml:"used,omitempty"`
	// Path of a storage of type dir.
	Path string `yaml:"path,omitempty"`
	// Volumes are files on it that belong to no guest, such as ISO images. What
	// guests' configurations name need not be listed.
	Volumes []Volume `yaml:"volumes,omitempty"`
}

// Volume is a file on a storage.
type Volume struct {
	// Name without the storage's ID, such as "iso/debian-12.iso".
	Name string `yaml:"name"`
	// Node that has it; ignored on a shared storage.
	Node string `yaml:"node,omitempty"`
	// Size in bytes.
	Size int64 `yaml:"size,omitempty"`
	// Created is a Unix time.
	Created int64 `yaml:"created,omitempty"`
}

// HAResource is a guest managed by the high-availability stack.
type HAResource struct {
	// State as requested: started (the default), stopped, disabled, ignored.
	State string `yaml:"state,omitempty"`
	// Service is the state that the cluster resource manager reports, such as
	// "started" or "error". Empty means that no manager has reported any: it then
	// counts as "queued", and the resource list shows the requested state.
	Service string `yaml:"service,omitempty"`
	Group   string `yaml:"group,omitempty"`
	Comment string `yaml:"comment,omitempty"`
}

// Task is one entry of the task log.
type Task struct {
	Node string `yaml:"node"`
	// Type such as qmstart, qmclone, vzdump.
	Type string `yaml:"type"`
	// ID of the object, a VMID mostly.
	ID string `yaml:"id,omitempty"`
	// User is "name@realm" or "name@realm!token".
	User string `yaml:"user,omitempty"`
	// Started and Ended are Unix times; Ended 0 means still running.
	Started int64 `yaml:"started"`
	Ended   int64 `yaml:"ended,omitempty"`
	// Status such as "OK" or an error text; only of a task that has ended.
	Status string `yaml:"status,omitempty"`
	// PID and PStart are the parts of the UPID that identify the worker process.
	PID    int `yaml:"pid,omitempty"`
	PStart int `yaml:"pstart,omitempty"`
	// Log is what the task printed, without the final "TASK OK".
	Log []string `yaml:"log,omitempty"`
}
