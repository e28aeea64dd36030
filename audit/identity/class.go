package identity

// Class is what one machine is, seen from all sides. Every VM, Machine and Node of a Snapshot falls into exactly one.
type Class string

// The classes.
const (
	// Managed: VM, Machine and Node are one machine, and their providerIDs agree.
	Managed Class = "managed"
	// Adoptable: VM and Node are one machine, and no Machine declares it.
	Adoptable Class = "adoptable"
	// OrphanVM: no Node and no Machine, but it belongs to a cluster.
	OrphanVM Class = "orphan-vm"
	// NonNode: a Machine that is no Node.
	NonNode Class = "non-node"
	// GhostMachine: a Machine whose VM is gone.
	GhostMachine Class = "ghost-machine"
	// GhostNode: a Node whose VM is gone.
	GhostNode Class = "ghost-node"
	// DetachedInfra: a ProxmoxMachine without a Machine.
	DetachedInfra Class = "detached-infra"
	// Converging: would be a finding, but is younger than the grace period and nothing holds it up.
	Converging Class = "converging"
	// Template: a VM template.
	Template Class = "template"
	// Unrelated: a guest that nothing ties to a cluster, or a Machine of another infrastructure provider.
	Unrelated Class = "unrelated"
	// Conflict: two claim one.
	Conflict Class = "conflict"
	// Mismatched: one machine by UUID, but its providerIDs differ, so that Cluster API will not join them.
	Mismatched Class = "mismatched"
	// ForeignNode: a Node with no VM in any scanned site and nothing that points at one.
	ForeignNode Class = "foreign-node"
	// Unknown: the verdict needs something that was not seen, or that cannot be decided from what was.
	Unknown Class = "unknown"
)

// Classes lists all classes, the ones that need a person first.
func Classes() []Class {
	return []Class{Conflict, OrphanVM, NonNode, GhostMachine, GhostNode, DetachedInfra, Mismatched, Unknown,
		Adoptable, ForeignNode, Converging, Managed, Template, Unrelated}
}

// IsFinding is true for the classes that `orphans` lists without --all.
func (c Class) IsFinding() bool {
	switch c {
	case OrphanVM, NonNode, GhostMachine, GhostNode, DetachedInfra, Conflict, Mismatched, Unknown:
		return true
	default:
		return false
	}
}

// Confidence is how far a verdict can be trusted.
type Confidence string

// The levels. High rests on proof or on the configuration's explicit word, Medium on several supporting facts, Low on
// one hint.
const (
	High   Confidence = "high"
	Medium Confidence = "medium"
	Low    Confidence = "low"
)

// lower is one level less; Low stays.
func (c Confidence) lower() Confidence {
	if c == High {
		return Medium
	}
	return Low
}
