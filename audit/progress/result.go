// Package progress says whose turn it is: in which phase of its life a cluster is, which controller holds it there, what that one
// waits for, and where to look next. It is pure: it looks at a Snapshot and at nothing else.
package progress

import (
	"time"

	"github.com/proxaudit/proxaudit/inventory"
)

// State is how far something is.
type State string

// The states, of phases, batons and clusters.
const (
	// Done is a phase that is behind, Healthy a cluster with all of them.
	Done    State = "done"
	Healthy State = "healthy"
	// Converging is on its way, and younger than the grace period.
	Converging State = "converging"
	// Stuck has not moved for longer, or cannot move without a person.
	Stuck State = "stuck"
	// NotStarted is a phase that waits for one before it.
	NotStarted State = "not-started"
	// Unknown is what cannot be told, because something was not seen.
	Unknown State = "unknown"
	// NotManaged is a cluster that no Cluster API is responsible for.
	NotManaged State = "not-managed"
)

// Holder is who has to act next.
type Holder string

// The holders.
const (
	Core           Holder = "core"
	Bootstrap      Holder = "bootstrap"
	ControlPlane   Holder = "control-plane"
	Infrastructure Holder = "infrastructure"
	IPAM           Holder = "ipam"
	Kubelet        Holder = "kubelet"
	CNI            Holder = "cni"
	Person         Holder = "person"
	// Other is a controller that proxaudit does not know.
	Other Holder = "other"
)

// PhaseID is one of the six phases of a cluster's life, or its end.
type PhaseID string

// The phases, in order.
const (
	PhaseInfrastructure PhaseID = "infrastructure"
	PhaseBootstrap      PhaseID = "bootstrap"
	PhaseHosts          PhaseID = "hosts"
	PhaseControlPlane   PhaseID = "control-plane"
	PhaseWorkers        PhaseID = "workers"
	PhaseNetwork        PhaseID = "network"
	// PhaseDeletion stands alone.
	PhaseDeletion PhaseID = "deletion"
)

var titles = map[PhaseID]string{
	PhaseInfrastructure: "Shared infrastructure",
	PhaseBootstrap:      "Control plane and bootstrap data",
	PhaseHosts:          "Provisioning and boot of the first hosts",
	PhaseControlPlane:   "providerIDs and control-plane initialisation",
	PhaseWorkers:        "Workers",
	PhaseNetwork:        "Network in the cluster",
	PhaseDeletion:       "Deletion",
}

// phases are those of a life, in order.
var phases = []PhaseID{PhaseInfrastructure, PhaseBootstrap, PhaseHosts, PhaseControlPlane, PhaseWorkers, PhaseNetwork}

// Cluster is one cluster's progress.
type Cluster struct {
	// Key is its name in the Snapshot, Namespace and Name those of its Cluster object.
	Key       string `json:"cluster"`
	Namespace string `json:"namespace,omitempty"`
	Name      string `json:"name,omitempty"`
	// About is the Machine or Node that it is narrowed to, KIND NAME.
	About string `json:"about,omitempty"`
	State State  `json:"state"`
	// Phase is the baton's, or else the first that is not done.
	Phase  PhaseID `json:"phase,omitempty"`
	Phases []Phase `json:"phases,omitempty"`
	// Baton is whose turn it is first; nil if nothing is left to do, or nobody is responsible.
	Baton *Baton `json:"baton,omitempty"`
	// Others wait as well: those that are stuck go first, each in the order of the phases.
	Others []Baton `json:"others,omitempty"`
	// Notes are remarks that change no state.
	Notes []string `json:"notes,omitempty"`
	// Missing is what was not seen and would have been needed.
	Missing []inventory.Need `json:"missing,omitempty"`
}

// Phase is how far one phase is.
type Phase struct {
	ID    PhaseID `json:"id"`
	Title string  `json:"title"`
	State State   `json:"state"`
	// Since is when it came to be in that state, as far as a condition says so.
	Since *time.Time `json:"since,omitempty"`
	// Evidence says what that rests on.
	Evidence []string `json:"evidence,omitempty"`
}

// Cause says what holds something, for programs; Baton.Detail says it for people.
type Cause string

// The causes.
const (
	CausePaused              Cause = "paused"
	CauseControllerDown      Cause = "controller-down"
	CauseControllerMissing   Cause = "controller-missing"
	CauseNotLooked           Cause = "not-reconciled"
	CauseObjectMissing       Cause = "object-missing"
	CauseOwnerMissing        Cause = "owner-missing"
	CauseCredentials         Cause = "credentials"
	CauseUnreachable         Cause = "proxmox-unreachable"
	CauseEndpointMissing     Cause = "endpoint-missing"
	CauseEndpointUnreachable Cause = "endpoint-unreachable"
	CauseTemplateMissing     Cause = "template-missing"
	CauseNoRoom              Cause = "no-room-on-hosts"
	CauseCloneFailed         Cause = "clone-failed"
	CauseTaskFailed          Cause = "task-failed"
	CauseTaskRunning         Cause = "task-running"
	CauseVMGone              Cause = "vm-gone"
	CauseVMStopped           Cause = "vm-stopped"
	CausePoolExhausted       Cause = "pool-exhausted"
	CausePoolMissing         Cause = "pool-missing"
	CauseAddressWait         Cause = "address-wait"
	CauseBootstrapData       Cause = "bootstrap-data"
	CauseCertificates        Cause = "certificates"
	CauseCloudInit           Cause = "cloud-init"
	CauseCloudInitFailed     Cause = "cloud-init-failed"
	CauseAgentSilent         Cause = "guest-agent-silent"
	CauseProvisioning        Cause = "provisioning"
	CauseProviderIDMissing   Cause = "provider-id-missing"
	CauseProviderIDMismatch  Cause = "provider-id-mismatch"
	CauseNodeProviderID      Cause = "node-without-provider-id"
	CauseNoNode              Cause = "no-node"
	CauseJoinExpired         Cause = "join-expired"
	CauseNodeGone            Cause = "node-gone"
	CauseNotInitialized      Cause = "not-initialized"
	CauseNotAvailable        Cause = "not-available"
	CauseReplicas            Cause = "replicas"
	CauseRollout             Cause = "rollout"
	CausePreflight           Cause = "preflight"
	CauseSkew                Cause = "version-skew"
	CauseWebhook             Cause = "webhook-down"
	CauseFinalizer           Cause = "finalizer"
	CauseHook                Cause = "delete-hook"
	CauseDrain               Cause = "drain"
	CauseNoNetwork           Cause = "no-network-plugin"
	CauseNodeNotReady        Cause = "node-not-ready"
	CauseFailed              Cause = "failed"
	// CauseCondition is a condition that proxaudit does not know: it is printed and not interpreted.
	CauseCondition Cause = "condition"
	CauseNotSeen   Cause = "not-seen"
)

// Baton is one thing that somebody has to do, or to wait for.
type Baton struct {
	Phase  PhaseID `json:"phase"`
	State  State   `json:"state"`
	Holder Holder  `json:"holder"`
	// Controller is the Deployment of the holder as it was found, NAMESPACE/NAME; empty if none is, or none was found.
	Controller string        `json:"controller,omitempty"`
	Object     inventory.Ref `json:"object"`
	// Cluster is the key of the workload cluster that the object is in; empty for those of the management cluster.
	Cluster string `json:"inCluster,omitempty"`
	// About is the Machine that it is about, where the object is another: a claim, a pool, a controller.
	About string `json:"about,omitempty"`
	Cause Cause  `json:"cause"`
	// Detail is what the holder waits for, or what is wrong.
	Detail    string               `json:"detail"`
	Condition *inventory.Condition `json:"condition,omitempty"`
	Since     *time.Time           `json:"since,omitempty"`
	// Seconds is for how long, at the time of the run.
	Seconds *int64 `json:"seconds,omitempty"`
	// Next names what will change it by itself; empty if nothing will.
	Next   string `json:"next,omitempty"`
	Remedy string `json:"remedy,omitempty"`
	// Commands are the next ones to run. None of them changes anything.
	Commands []string         `json:"commands,omitempty"`
	Evidence []string         `json:"evidence,omitempty"`
	Missing  []inventory.Need `json:"missing,omitempty"`
}
