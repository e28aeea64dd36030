// Package adopt turns a Snapshot into what Cluster API and CAPMOX need to take over machines that already run: a Plan with
// its blockers, warnings and steps, and the Bundle of manifests. It is pure, as audit is: the same Snapshot and options give
// the same bytes. Its part that foresees the controllers' decisions is package predict.
//
// # What the manifests rest on
//
// What every controller does to an object that it did not make was read in the sources of Cluster API 1.14.2 and CAPMOX
// 0.9.0 and then executed against them; docs/adoption.md tells it. Four rules follow, and nothing here may break them:
//
//   - A ProxmoxMachine without virtualMachineID makes CAPMOX clone a VM, so that it is never left out.
//   - Machines come before the MachineSet that will own them: a MachineSet that finds too few clones others and then deletes
//     the adopted ones.
//   - Every control-plane Node and etcd member has a Machine: members without one are removed from etcd.
//   - KubeadmConfigs say exactly what the control-plane controller would compute from the KubeadmControlPlane: any
//     difference is a rollout.
package adopt
