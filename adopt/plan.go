package adopt

import (
	"github.com/proxaudit/proxaudit/adopt/pki"
	"github.com/proxaudit/proxaudit/audit"
	"github.com/proxaudit/proxaudit/inventory"
)

// KindPlan is the kind of a Plan's JSON form.
const KindPlan = "Plan"

// Plan says how one cluster would come under Cluster API, and what stands in the way.
type Plan struct {
	audit.Envelope
	// Cluster is the key in the Snapshot; Name and Namespace are those of the Cluster object.
	Cluster   string   `json:"cluster"`
	Name      string   `json:"name"`
	Namespace string   `json:"namespace"`
	Site      string   `json:"site,omitempty"`
	Versions  Versions `json:"versions"`
	Summary   Summary  `json:"summary"`
	// Blockers come first in order of what they could destroy.
	Blockers []Finding `json:"blockers"`
	Warnings []Finding `json:"warnings"`
	// Missing are the sources without which there is no plan.
	Missing []inventory.Need `json:"missing,omitempty"`
	// Lacks is what the manifests cannot be written without, and is not there: --force cannot help against it.
	Lacks    []string         `json:"lacks,omitempty"`
	Machines []PlannedMachine `json:"machines"`
	Groups   []PlannedGroup   `json:"groups"`
	// Objects are the manifests in the order in which they are applied.
	Objects []ObjectRef  `json:"objects"`
	Secrets []SecretNeed `json:"secrets"`
	// NodePatches are the providerIDs to write; Nodes that have theirs are not among them.
	NodePatches []NodePatch `json:"nodePatches"`
	Steps       []Step      `json:"steps"`

	bundle *Bundle
	pki    pki.Options
	// access and workloadAccess are kubectl's arguments for the two clusters; empty for the current context.
	access, workloadAccess []string
	// managementContext and workloadContext are kubectl's; empty for the current context.
	managementContext, workloadContext string
	// makesCredentials is true if the runbook makes CAPMOX's Secret, with a token of its own.
	makesCredentials bool
	// sharedSecret is the credentials Secret that the options named; empty for the bundle's own.
	sharedSecret string
	// ownCredentials is the Secret of CAPMOX's own access to Proxmox, NAMESPACE/NAME.
	ownCredentials string
	// controlPlaneFiles are paths that a control plane needs and no API shows.
	controlPlaneFiles []string
	// controlPlaneHosts are the addresses of the control planes; empty for one that has none.
	controlPlaneHosts []string
	environment       *Environment
	recorded          bool
	// cleanUp and the others are commands for later.
	cleanUp, renewalBefore, renewal []string
	applied                         Applied
}

// Applied says what of the bundle is in the management cluster already, of an earlier run.
type Applied struct {
	// Objects of All manifests are there; Secrets are not looked for.
	Objects, All int
	// Finished is true if the brakes are off: the bundle must not be applied any more.
	Finished bool
}

// Applied is what an earlier run left.
func (p *Plan) Applied() Applied { return p.applied }

// Environment is what the run went by beside flags and configuration; nil if nobody knows.
func (p *Plan) Environment() *Environment { return p.environment }

// ByEnvironment is true if a command of the steps names no kubeconfig, so that kubectl takes the environment's.
func (p *Plan) ByEnvironment() bool { return !namesFile(p.access) || !namesFile(p.workloadAccess) }

// Recorded is true for a plan of a Snapshot that came from a file.
func (p *Plan) Recorded() bool { return p.recorded }

// Renewal are the commands that renew the kubeconfig through which the controllers reach the cluster: first those that show what is
// there and fetch another, and when that was looked at, those that put it into its Secret.
func (p *Plan) Renewal() (first, then []string) { return p.renewalBefore, p.renewal }

// CleanUp are the commands that remove what the Secrets were made from.
func (p *Plan) CleanUp() []string { return p.cleanUp }

// Summary counts a Plan.
type Summary struct {
	ControlPlanes int `json:"controlPlanes"`
	Workers       int `json:"workers"`
	Objects       int `json:"objects"`
	Blockers      int `json:"blockers"`
	// Destructive counts the blockers that --force does not override.
	Destructive int `json:"destructive"`
	Warnings    int `json:"warnings"`
	// Incomplete is true if a source did not answer without which there is no plan.
	Incomplete bool `json:"incomplete"`
	// Rendered is true if there is a bundle.
	Rendered bool `json:"rendered"`
}

// Versions are those that the manifests are for.
type Versions struct {
	// Kubernetes is that of the control plane.
	Kubernetes string `json:"kubernetes,omitempty"`
	CAPI       string `json:"capi,omitempty"`
	CAPMOX     string `json:"capmox,omitempty"`
	// Proven is true for the pair against which the whole way was executed.
	Proven bool `json:"proven"`
}

// PlannedMachine is one machine with what ties it together.
type PlannedMachine struct {
	// Name is that of the Machine, the ProxmoxMachine and the VM.
	Name         string `json:"name"`
	Node         string `json:"node"`
	NodeUID      string `json:"nodeUID,omitempty"`
	ControlPlane bool   `json:"controlPlane"`
	Site         string `json:"site"`
	VMID         int    `json:"vmid"`
	Host         string `json:"host"`
	UUID         string `json:"uuid"`
	ProviderID   string `json:"providerID"`
	Version      string `json:"version"`
	// Group is the MachineDeployment; empty for a control plane.
	Group string `json:"group,omitempty"`
}

// PlannedGroup is a MachineDeployment with what its machines have in common.
type PlannedGroup struct {
	Name      string            `json:"name"`
	Machines  []string          `json:"machines"`
	Version   string            `json:"version"`
	Sockets   int               `json:"sockets"`
	Cores     int               `json:"cores"`
	MemoryMiB int64             `json:"memoryMiB"`
	DiskGiB   int64             `json:"diskGiB,omitempty"`
	Labels    map[string]string `json:"labels,omitempty"`
	Taints    []inventory.Taint `json:"taints,omitempty"`
}

// ObjectRef names one manifest.
type ObjectRef struct {
	Step       StepID `json:"step"`
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Namespace  string `json:"namespace"`
	Name       string `json:"name"`
}

// NodePatch writes the providerID of one Node.
type NodePatch struct {
	Node       string `json:"node"`
	ProviderID string `json:"providerID"`
}

// SecretNeed is a Secret that has to be there before anything is unpaused, and that proxaudit never prints.
type SecretNeed struct {
	Name string   `json:"name"`
	Type string   `json:"type"`
	Keys []string `json:"keys"`
	// From says where its content lies.
	From string `json:"from"`
}

// Ready is true if there is nothing that forbids rendering.
func (p *Plan) Ready() bool { return p.bundle != nil }

// ControlPlaneFiles are paths on a control plane that a later one needs as well and no API shows (PXA242, PXA244).
func (p *Plan) ControlPlaneFiles() []string { return p.controlPlaneFiles }

// Bundle is nil if there is none: see Blockers and Missing.
func (p *Plan) Bundle() *Bundle { return p.bundle }
