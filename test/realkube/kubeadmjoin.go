package realkube

import (
	"context"
	"errors"

	"k8s.io/client-go/kubernetes"
)

// Join registers one more worker, as kubeadm join and its kubelet would have done. Nothing runs on it.
func (k *Kubeadm) Join(ctx context.Context, m KubeadmMachine) error {
	if m.ControlPlane {
		return errors.New(m.Name + ": only workers can join later")
	}
	client, err := kubernetes.NewForConfig(k.server.AdminConfig())
	if err != nil {
		return err
	}
	if _, err := k.createNode(ctx, client, m); err != nil {
		return err
	}
	k.Machines = append(k.Machines, m)
	return nil
}
