package inventory

import "time"

// Site is one Proxmox VE cluster or standalone node. A VMID is unique within a site only.
type Site struct {
	// Name is proxaudit's own name for the site: from the configuration file, else the Proxmox cluster's or host's.
	Name string `json:"name"`
	// ClusterName is the name of the Proxmox cluster; empty for a standalone host or without Sys.Audit on /.
	ClusterName string `json:"clusterName,omitempty"`
	// URL is the API's address without user information.
	URL string `json:"url,omitempty"`
	// Version is like "8.4.21"; empty if it was not readable.
	Version string `json:"version,omitempty"`
	// Regions are the names under which the Proxmox cloud controller manager knows this site; they are its own
	// configuration's names and not Proxmox's, so they come from ours. Empty: the site's name and ClusterName count.
	Regions []string `json:"regions,omitempty"`
	// Standalone is true for a host that is in no Proxmox cluster.
	Standalone bool `json:"standalone,omitempty"`
	// Quorate is nil where cluster/status was not readable or the host is standalone.
	Quorate *bool         `json:"quorate,omitempty"`
	Nodes   []ProxmoxNode `json:"nodes,omitempty"`
	// Storages is empty unless the run asked for them (ScopeStorages).
	Storages []Storage `json:"storages,omitempty"`
	// TasksSince is how far back the tasks were read; nil if they were not asked for.
	TasksSince *time.Time `json:"tasksSince,omitempty"`
	// Visibility says whether the guest list can be taken as whole.
	Visibility Visibility `json:"visibility"`
}

// ProxmoxNode is a host of a site.
type ProxmoxNode struct {
	Name string `json:"name"`
	// Status is "online", "offline" or "unknown" (online, but without a status broadcast, or not readable).
	Status string `json:"status"`
	// IP is the address from cluster/status; optional there.
	IP string `json:"ip,omitempty"`
}

// Visibility is how much of a site's guest list this token may see. Proxmox filters the list silently, so that a
// list without an error proves nothing by itself (pve-manager PVE/API2/Cluster.pm filters rows by VM.Audit).
type Visibility struct {
	// Complete is true only if the token's permissions show VM.Audit on /vms with propagation and no dumped path
	// below takes it away. Even then a hole of the role NoAccess is invisible in the dump: single absences must
	// be probed before anything is called gone.
	Complete bool `json:"complete"`
	// Reasons says why not, one a line, each with the path and the privilege.
	Reasons []string `json:"reasons,omitempty"`
}

// NodeStatus returns the status of a host, and "unknown" for one that the site does not list.
func (s *Site) NodeStatus(name string) string {
	for i := range s.Nodes {
		if s.Nodes[i].Name == name {
			return s.Nodes[i].Status
		}
	}
	return NodeUnknown
}

// The values of ProxmoxNode.Status.
const (
	NodeOnline  = "online"
	NodeOffline = "offline"
	NodeUnknown = "unknown"
)
