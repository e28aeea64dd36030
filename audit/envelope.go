// Package audit turns a Snapshot into results: values without I/O that every output format renders.
package audit

import (
	"time"

	"github.com/proxaudit/proxaudit/audit/identity"
	"github.com/proxaudit/proxaudit/audit/ignore"
	"github.com/proxaudit/proxaudit/audit/rules"
	"github.com/proxaudit/proxaudit/inventory"
)

// FormatVersion is the version of every result's JSON form.
const FormatVersion = "proxaudit/v1"

// Kinds of results.
const (
	KindOrphanReport = "OrphanReport"
	KindInventory    = "Inventory"
	KindExplanation  = "Explanation"
	KindDoctorReport = "DoctorReport"
)

// Envelope is what every result starts with.
type Envelope struct {
	FormatVersion string `json:"formatVersion"`
	Kind          string `json:"kind"`
	// GeneratedAt equals the Snapshot's CollectedAt, so that the same file gives the same bytes.
	GeneratedAt time.Time `json:"generatedAt"`
	// Parts are the scans whose files were read together; empty for one.
	Parts    []inventory.Part     `json:"parts,omitempty"`
	Coverage []inventory.Coverage `json:"coverage"`
	Requests []inventory.Requests `json:"requests"`
}

// Severity of a finding; it comes from its rule.
type Severity = rules.Severity

// The severities, the worst first.
const (
	Critical = rules.Critical
	Warning  = rules.Warning
	Info     = rules.Info
)

// Holds is what a VM occupies by its configuration. Nil fields are not known.
type Holds struct {
	VCPU      *int   `json:"vcpu,omitempty"`
	MemoryMiB *int64 `json:"memoryMiB,omitempty"`
	// DiskGiB is rounded up to whole GiB; DiskPartial says that a disk's size was not known, so it is a lower bound.
	DiskGiB     *int64 `json:"diskGiB,omitempty"`
	DiskPartial bool   `json:"diskPartial,omitempty"`
}

// SubjectRef is the subject of a finding or item with the ids that a person needs to find it.
type SubjectRef struct {
	// Kind is vm, machine, proxmoxmachine or node.
	Kind string `json:"kind"`
	// Site is set for VMs, Cluster where one is known.
	Site      string `json:"site,omitempty"`
	Cluster   string `json:"cluster,omitempty"`
	Namespace string `json:"namespace,omitempty"`
	Name      string `json:"name,omitempty"`
	VMID      int    `json:"vmid,omitempty"`
	// Node is the Proxmox host of a VM.
	Node string `json:"node,omitempty"`
	UUID string `json:"uuid,omitempty"`
	// ID is the form that -o name prints and explain takes.
	ID string `json:"id"`
}

// Finding is one thing that is wrong, or worth knowing.
type Finding struct {
	// Rule is empty for the harmless classes that --all lists and no rule is about.
	Rule       string              `json:"rule"`
	Severity   Severity            `json:"severity"`
	Class      identity.Class      `json:"class"`
	Subject    SubjectRef          `json:"subject"`
	Others     []SubjectRef        `json:"others,omitempty"`
	Title      string              `json:"title"`
	Evidence   []identity.Evidence `json:"evidence"`
	Confidence identity.Confidence `json:"confidence"`
	// Since is when the subject came to be, as far as it is known: ctime of a VM, creation of a Machine or Node.
	Since *time.Time `json:"since,omitempty"`
	// AgeSeconds is GeneratedAt - Since.
	AgeSeconds *int64 `json:"ageSeconds,omitempty"`
	Status     string `json:"status,omitempty"`
	Holds      *Holds `json:"holds,omitempty"`
	// WaitingFor names what would change the verdict by itself.
	WaitingFor string `json:"waitingFor,omitempty"`
	Remedy     string `json:"remedy"`
	// Missing names the coverage entries because of which the verdict is unknown.
	Missing     []inventory.Need `json:"missing,omitempty"`
	Fingerprint string           `json:"fingerprint"`
	// IgnoreExpired is there for one that an ignore rule has hidden until it expired.
	IgnoreExpired *ExpiredIgnore `json:"ignoreExpired,omitempty"`
}

// Summary counts a report.
type Summary struct {
	// Classes counts machines by class: every machine of the run, listed or not; if a filter hides some, those that are
	// listed.
	Classes map[identity.Class]int `json:"classes"`
	// Severities counts the listed findings that a rule is about.
	Severities map[Severity]int `json:"severities"`
	// Findings is the number of listed findings.
	Findings int `json:"findings"`
	// Hidden is how many of the findings (or items, in an inventory) a filter leaves out. Without a filter it is nil.
	Hidden *int `json:"hidden,omitempty"`
	// Ignored is how many findings ignore rules hide, and UnusedIgnores how many of the rules are not needed.
	Ignored       int `json:"ignored,omitempty"`
	UnusedIgnores int `json:"unusedIgnores,omitempty"`
	// VMs, Machines and Nodes are what was looked at, whatever is listed of it.
	VMs        int `json:"vms"`
	Containers int `json:"containers"`
	Machines   int `json:"machines"`
	Nodes      int `json:"nodes"`
	// Reclaimable sums what orphan VMs hold.
	Reclaimable Reclaimable `json:"reclaimable"`
	// NoVerdict is the number of machines whose class is unknown because something was not seen: in the whole run, for
	// what a filter would list may be among them.
	NoVerdict int `json:"noVerdict"`
	// Incomplete is true if a source did not answer, so that a verdict is missing.
	Incomplete bool `json:"incomplete"`
}

// Reclaimable is what deleting the orphan VMs would free.
type Reclaimable struct {
	VMs       int   `json:"vms"`
	VCPU      int   `json:"vcpu"`
	MemoryMiB int64 `json:"memoryMiB"`
	DiskGiB   int64 `json:"diskGiB"`
	// Partial is true if a VM's share was not known, so that the sums are lower bounds.
	Partial bool `json:"partial,omitempty"`
}

// OrphanReport is the result of `orphans`.
type OrphanReport struct {
	Envelope
	Summary  Summary   `json:"summary"`
	Findings []Finding `json:"findings"`
	Ignores
}

// Item is one machine of the inventory: all that is one, in one row.
type Item struct {
	Class    identity.Class `json:"class"`
	Subject  SubjectRef     `json:"subject"`
	VMs      []SubjectRef   `json:"vms,omitempty"`
	Infra    []SubjectRef   `json:"proxmoxMachines,omitempty"`
	Machines []SubjectRef   `json:"machines,omitempty"`
	Nodes    []SubjectRef   `json:"nodes,omitempty"`
	// Rivals are what it is in conflict with and does not have: the VM that another one really is, say.
	Rivals     []SubjectRef        `json:"rivals,omitempty"`
	Cluster    string              `json:"cluster,omitempty"`
	Status     string              `json:"status,omitempty"`
	NodeReady  string              `json:"nodeReady,omitempty"`
	Addresses  []string            `json:"addresses,omitempty"`
	Holds      *Holds              `json:"holds,omitempty"`
	Since      *time.Time          `json:"since,omitempty"`
	AgeSeconds *int64              `json:"ageSeconds,omitempty"`
	Confidence identity.Confidence `json:"confidence"`
	// Link is the strongest evidence that ties the VM to its Node or Machine.
	Link *identity.Evidence `json:"link,omitempty"`
	// Notes are short remarks (location drift, paused, deleting).
	Notes       []string `json:"notes,omitempty"`
	Fingerprint string   `json:"fingerprint"`
	// severity is that of the finding about it; empty if its class is no finding.
	severity Severity
}

// InventoryReport is the result of `inventory`.
type InventoryReport struct {
	Envelope
	Summary Summary `json:"summary"`
	Items   []Item  `json:"items"`
}

// Explanation is the result of `explain`: everything that argued for and against the verdict on one machine.
type Explanation struct {
	Envelope
	// Subject is the one that was asked for: any side of the machine.
	Subject SubjectRef `json:"subject"`
	// Item is the whole machine, as the inventory lists it.
	Item Item `json:"item"`
	// Finding is what the rule about the machine's class says, if there is one: it makes a finding of the classes that orphans
	// lists by itself (identity.Class.IsFinding).
	Finding *ExplainedFinding `json:"finding,omitempty"`
	// Verdict says in words what Item.Class stands for here.
	Verdict string              `json:"verdict"`
	For     []identity.Evidence `json:"for"`
	Against []identity.Evidence `json:"against"`
	// Missing is the coverage that the verdict would need.
	Missing []inventory.Need `json:"missing,omitempty"`
	Remedy  string           `json:"remedy,omitempty"`
}

// ExplainedFinding is what makes a finding of a verdict: the other fields of the Finding that orphans lists are those of
// the Explanation and its Item.
type ExplainedFinding struct {
	Rule     string   `json:"rule"`
	Severity Severity `json:"severity"`
	// WaitingFor is as in Finding.
	WaitingFor string `json:"waitingFor,omitempty"`
}

// DoctorReport is the result of `doctor`.
type DoctorReport struct {
	Envelope
	Summary DoctorSummary     `json:"summary"`
	Checks  []inventory.Check `json:"items"`
}

// DoctorSummary counts checks by outcome.
type DoctorSummary struct {
	OK       int `json:"ok"`
	Warnings int `json:"warnings"`
	Failed   int `json:"failed"`
	Skipped  int `json:"skipped"`
	Notes    int `json:"notes"`
}

// Options are the settings of an analysis. They come from flags and the configuration file, never from a Snapshot.
type Options struct {
	// Grace is how long a machine may be on its way before it is a finding. Zero means DefaultGrace.
	Grace time.Duration
	// All lists every class, not only findings.
	All bool
	// Ignore are the rules that hide findings; nil without any.
	Ignore *ignore.Set
}

// DefaultGrace is the grace period where the configuration sets none.
const DefaultGrace = 30 * time.Minute
