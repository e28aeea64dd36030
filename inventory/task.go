package inventory

import "time"

// Task is a task of a site that worked on a guest: one line of Proxmox's task list (pve-manager PVE/API2/Tasks.pm).
type Task struct {
	Site string `json:"site"`
	// Node is the Proxmox host that ran it.
	Node string `json:"node"`
	UPID string `json:"upid"`
	// Type is Proxmox's worker type: qmclone, qmconfig, qmstart, qmstop, qmdestroy, qmigrate, vzdump, …
	Type string `json:"type"`
	// VMID is 0 for a task of no guest.
	VMID int `json:"vmid,omitempty"`
	// User is user@realm, or user@realm!token for an API token. A token's ID is no secret.
	User string `json:"user"`
	// Start and End are in UTC; End is nil while the task runs.
	Start time.Time  `json:"start"`
	End   *time.Time `json:"end,omitempty"`
	// Status is "OK", an error's text, or empty while the task runs.
	Status string `json:"status,omitempty"`
}

// Storage is a storage of a site, from its configuration.
type Storage struct {
	Name string `json:"name"`
	// Type is like lvmthin, zfspool, nfs, rbd.
	Type string `json:"type,omitempty"`
	// Content lists what may lie there (images, iso, snippets, …), sorted.
	Content []string `json:"content,omitempty"`
	Shared  bool     `json:"shared,omitempty"`
	// Nodes are the hosts that have it, sorted; empty means all.
	Nodes    []string `json:"nodes,omitempty"`
	Disabled bool     `json:"disabled,omitempty"`
}
