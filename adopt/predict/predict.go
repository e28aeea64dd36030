// Package predict says what each controller would do to an adopted machine if it were unpaused.
//
// It is the one package that may import the control-plane controller's public comparison, with what that pulls in: the
// decision is the controller's own, not our reading of it.
package predict

import (
	kcp "sigs.k8s.io/cluster-api/controlplane/kubeadm/pkg"
)

// ControlPlaneVerdict is what the kubeadm control-plane controller finds when it compares a Machine with its
// KubeadmControlPlane: why it would be rolled out, and whether an in-place update could do
// (sigs.k8s.io/cluster-api/controlplane/kubeadm/pkg, public since 1.14).
type ControlPlaneVerdict = kcp.UpToDateResult
