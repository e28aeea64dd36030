package adopt

import (
	"slices"
	"time"

	"github.com/proxaudit/proxaudit/audit"
	"github.com/proxaudit/proxaudit/inventory"
)

// KindVerification is the kind of a Verification's JSON form.
const KindVerification = "Verification"

// Verification says of every step that unpauses something whether it is safe.
type Verification struct {
	audit.Envelope
	Cluster   string `json:"cluster"`
	Name      string `json:"name"`
	Namespace string `json:"namespace"`
	// Since is when the first of the bundle's objects was made: nothing that a controller does because of them is older.
	Since *time.Time `json:"since,omitempty"`
	// Next is the first step that is not done; empty if all are.
	Next        StepID         `json:"next,omitempty"`
	Steps       []VerifiedStep `json:"steps"`
	Checks      []Check        `json:"checks"`
	Predictions []Prediction   `json:"predictions"`
	Summary     VerifySummary  `json:"summary"`

	pause string
	actor actor
}

// Pause is the command that pauses the Cluster: nothing acts then on what is not deleted.
func (v *Verification) Pause() string { return v.pause }

// Unseen is true if a check or a prediction has no answer because something was not seen: the verdicts are then not all that there is
// to say, whatever else is not safe.
func (v *Verification) Unseen() bool {
	return slices.ContainsFunc(v.Checks, func(c Check) bool { return c.State == CheckUnknown && len(c.Missing) > 0 }) ||
		slices.ContainsFunc(v.Predictions, func(p Prediction) bool { return p.Outcome == CannotTell && len(p.Missing) > 0 })
}

// NotAdopted is true for a cluster that is declared, of whose Machines proxaudit rendered none, and of which nothing is paused: Cluster
// API made it, or acts on it already.
func (v *Verification) NotAdopted() bool {
	for _, s := range v.Steps {
		if s.Paused > 0 && s.ID != StepFinish || s.ID == StepUnpauseCluster && s.Objects == 0 {
			return false
		}
	}
	return slices.ContainsFunc(v.Checks, func(c Check) bool {
		return c.Name == CheckUnplanned && c.State == CheckUnknown && len(c.Missing) == 0
	})
}

// VerifySummary counts a Verification.
type VerifySummary struct {
	// Safe, Unsafe and Unknown count the steps with that verdict, done ones included.
	Safe    int `json:"safe"`
	Unsafe  int `json:"unsafe"`
	Unknown int `json:"unknown"`
	Done    int `json:"done"`
	// Incomplete is true if a verdict is missing because something was not seen.
	Incomplete bool `json:"incomplete"`
}

// Verdict is what a step's verification came to.
type Verdict string

// The verdicts.
const (
	Safe    Verdict = "safe"
	Unsafe  Verdict = "unsafe"
	Unknown Verdict = "unknown"
)

// VerifiedStep is a step with its verdict.
type VerifiedStep struct {
	ID    StepID `json:"id"`
	Title string `json:"title"`
	// Done is true if everything that the step unpauses is unpaused (or, of the last, if the brakes are off).
	Done bool `json:"done"`
	// Paused and Objects count what the step unpauses.
	Paused  int     `json:"paused"`
	Objects int     `json:"objects"`
	Verdict Verdict `json:"verdict"`
	// Why says what stands against it, or what is not known.
	Why []string `json:"why,omitempty"`
}

// CheckState is how a check ended.
type CheckState string

// The states. A note changes no verdict.
const (
	CheckOK      CheckState = "ok"
	CheckFailed  CheckState = "failed"
	CheckUnknown CheckState = "unknown"
	CheckNote    CheckState = "note"
)

// CheckName says what was compared.
type CheckName string

// The checks.
const (
	// CheckIdentity: VM, ProxmoxMachine, Machine and Node are the one that was planned, by UUID, and the VM runs.
	CheckIdentity CheckName = "identity"
	// CheckBrakes: the hooks and skip-remediation hold a Machine that has no Node yet.
	CheckBrakes CheckName = "brakes"
	// CheckAuthority: the Secret NAME-ca holds the authority that signed the certificate of the API server that runs.
	CheckAuthority CheckName = "authority"
	// CheckSecret: a Secret is there, of a type and with the keys that the controllers want.
	CheckSecret CheckName = "secret"
	// CheckMembers: every control-plane Node and every etcd member's Pod has a Machine.
	CheckMembers CheckName = "members"
	// CheckTasks: CAPMOX changed nothing on an adopted VM.
	CheckTasks CheckName = "tasks"
	// CheckCredentials: CAPMOX looks for the VMs at their site.
	CheckCredentials CheckName = "credentials"
	// CheckPool: the cluster's pool holds no address that somebody has.
	CheckPool CheckName = "pool"
	// CheckSelector: a MachineSet or MachineDeployment matches the Machines that were planned for it, and no other.
	CheckSelector CheckName = "selector"
	// CheckUnplanned: no Machine is there that the bundle did not have.
	CheckUnplanned CheckName = "unplanned"
)

// Check is one comparison.
type Check struct {
	Name    CheckName        `json:"name"`
	Subject audit.SubjectRef `json:"subject"`
	State   CheckState       `json:"state"`
	// Step is the first that must not be taken while the check does not hold.
	Step   StepID `json:"step"`
	Detail string `json:"detail,omitempty"`
	Remedy string `json:"remedy,omitempty"`
	// Missing names the coverage that was needed.
	Missing []inventory.Need `json:"missing,omitempty"`
}

// VerifyOptions say which cluster, and what else has to be known.
type VerifyOptions struct {
	audit.Options
	// Cluster is the key in the Snapshot.
	Cluster string
	// CAPMOXTokenID is the token by which CAPMOX talks to Proxmox; empty if nobody said. The one in its credentials counts as well.
	CAPMOXTokenID string
	// Narrow is true if only the adopted VMs' configurations were asked for, after a look at all of them: that no other guest has the
	// UUID of one was seen then.
	Narrow bool
}
