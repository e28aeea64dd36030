package inventory

// Existence is the answer to "is there a guest with this VMID".
type Existence string

const (
	// Exists means that Proxmox says the VMID is taken, by a guest that this token may or may not see.
	Exists Existence = "exists"
	// Free means that Proxmox says the VMID is free. It is the only proof that a guest is gone.
	Free Existence = "free"
	// ExistenceUnknown means that the question was not answered.
	ExistenceUnknown Existence = "unknown"
)

// Probe is the answer for one VMID that no list showed. cluster/nextid?vmid=N is open to every user and looks at the
// unfiltered guest list (pve-manager PVE/API2/Cluster.pm), so that it tells "gone" from "hidden".
type Probe struct {
	Site      string    `json:"site"`
	VMID      int       `json:"vmid"`
	Existence Existence `json:"existence"`
	// MayAudit says whether the token has VM.Audit on /vms/VMID; nil if that was not asked or not answered.
	MayAudit *bool `json:"mayAudit,omitempty"`
	// Reason says why the existence is unknown.
	Reason string `json:"reason,omitempty"`
}

// ProbeOf returns the probe of an address, or nil if it was not probed.
func (s *Snapshot) ProbeOf(k Key) *Probe {
	for i := range s.Probes {
		if s.Probes[i].Site == k.Site && s.Probes[i].VMID == k.VMID {
			return &s.Probes[i]
		}
	}
	return nil
}
