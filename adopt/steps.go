package adopt

// StepID names a step of the adoption, in the order of Steps.
type StepID string

// The steps, in their order. Those up to StepApplyOwners change nothing but the management cluster's store: everything in
// it is paused. Each later one lets one kind of controller act.
const (
	// StepPatchNodes writes spec.providerID on the Nodes that have none.
	StepPatchNodes StepID = "patch-nodes"
	// StepSecrets makes the namespace, the credentials, the cluster's PKI and the empty bootstrap Secrets.
	StepSecrets       StepID = "create-secrets"
	StepApplyCluster  StepID = "apply-cluster"
	StepApplyInfra    StepID = "apply-infrastructure"
	StepApplyMachines StepID = "apply-machines"
	// StepApplyOwners comes after the Machines, always: a MachineSet that is there before its Machines clones others, and
	// then deletes the adopted ones as surplus.
	StepApplyOwners StepID = "apply-owners"
	// StepUnpauseCluster lets the Cluster and ProxmoxCluster controllers act.
	StepUnpauseCluster StepID = "unpause-cluster"
	// StepUnpauseFirst is one worker with its ProxmoxMachine: whatever is wrong shows on one machine.
	StepUnpauseFirst    StepID = "unpause-first-machine"
	StepUnpauseMachines StepID = "unpause-machines"
	// StepUnpauseControlPlane needs every control-plane Machine to have its Node: etcd members without one are removed.
	StepUnpauseControlPlane StepID = "unpause-control-plane"
	StepUnpauseWorkers      StepID = "unpause-workers"
	// StepFinish takes the brakes off: hooks, skip-remediation, block-move.
	StepFinish StepID = "finish"
)

// Steps lists the steps in their order.
func Steps() []StepID {
	return []StepID{StepPatchNodes, StepSecrets, StepApplyCluster, StepApplyInfra, StepApplyMachines, StepApplyOwners,
		StepUnpauseCluster, StepUnpauseFirst, StepUnpauseMachines, StepUnpauseControlPlane, StepUnpauseWorkers, StepFinish}
}
