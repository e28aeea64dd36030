package adopt

import "github.com/proxaudit/proxaudit/inventory"

// Controller is who acts on an object.
type Controller string

// The controllers.
const (
	ControllerCluster           Controller = "cluster"
	ControllerMachine           Controller = "machine"
	ControllerMachineSet        Controller = "machineset"
	ControllerMachineDeployment Controller = "machinedeployment"
	ControllerHealthCheck       Controller = "machinehealthcheck"
	ControllerKubeadmConfig     Controller = "kubeadmconfig"
	ControllerControlPlane      Controller = "kubeadmcontrolplane"
	ControllerProxmoxCluster    Controller = "proxmoxcluster"
	ControllerProxmoxMachine    Controller = "proxmoxmachine"
)

// Outcome is what a controller would do to an object if it were unpaused.
type Outcome string

// The outcomes. Those of the first group are what adoption wants; a controller that does any of the others must stay paused.
const (
	// Adopts: takes the object over and changes nothing that runs.
	Adopts Outcome = "adopts"
	// NothingToDo: leaves everything as it is.
	NothingToDo Outcome = "nothing"

	// Clones: makes a second VM.
	Clones Outcome = "clones"
	// Rewrites: changes the VM's configuration (cores, memory, network devices, tags).
	Rewrites Outcome = "rewrites"
	// Stops, Destroys: what happens to an adopted VM.
	Stops    Outcome = "stops"
	Destroys Outcome = "destroys"
	// FalseGreen: reports ready what is not: a VM that does not run, or another VM than the Node's.
	FalseGreen Outcome = "false-green"
	// RollsOut: replaces control-plane Machines, or the Machines of a MachineDeployment.
	RollsOut Outcome = "rolls-out"
	// ScalesUp, ScalesDown: makes new Machines (and VMs), or deletes adopted ones.
	ScalesUp   Outcome = "scales-up"
	ScalesDown Outcome = "scales-down"
	// NewCA: invents a certificate authority that the cluster does not know.
	NewCA Outcome = "new-ca"
	// RemovesMember: takes a member out of etcd.
	RemovesMember Outcome = "removes-etcd-member"
	// ChangesWorkload: rewrites kube-proxy or CoreDNS of the workload cluster.
	ChangesWorkload Outcome = "changes-workload"
	// Bootstraps: makes join data for a machine that has joined long ago: a token in the workload cluster, and a Secret that
	// CAPMOX would put into a VM.
	Bootstraps Outcome = "generates-bootstrap-data"
	// Remediates: deletes Machines that it holds for unhealthy.
	Remediates Outcome = "remediates"
	// Refuses: stops with an error or a terminal failure; nothing is changed.
	Refuses Outcome = "refuses"
	// WaitsForever: waits for something that does not come; nothing is changed.
	WaitsForever Outcome = "waits-forever"

	// CannotTell: something that the prediction needs was not seen.
	CannotTell Outcome = "unknown"
)

// Safe is true for the outcomes that adoption wants.
func (o Outcome) Safe() bool { return o == Adopts || o == NothingToDo }

// Destructive is true for the outcomes that change or remove something that runs.
func (o Outcome) Destructive() bool {
	switch o {
	case Clones, Rewrites, Stops, Destroys, RollsOut, ScalesUp, ScalesDown, NewCA, RemovesMember, ChangesWorkload, Remediates:
		return true
	default:
		return false
	}
}

// Prediction is what one controller would do to one object if the object were unpaused, as far as the Snapshot tells.
type Prediction struct {
	Controller Controller `json:"controller"`
	// Object is what it would act on.
	Object inventory.Ref `json:"object"`
	// Step is the step that lets it act.
	Step    StepID  `json:"step"`
	Outcome Outcome `json:"outcome"`
	// Why says what the outcome rests on, one sentence each, the decisive one first.
	Why []string `json:"why,omitempty"`
	// Missing names the coverage that was needed, for CannotTell.
	Missing []inventory.Need `json:"missing,omitempty"`
}
