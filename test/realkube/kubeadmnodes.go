package realkube

import (
	"context"
	"fmt"
	"maps"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
)

const (
	controlPlaneLabel = "node-role.kubernetes.io/control-plane"
	criSocket         = "unix:///var/run/containerd/containerd.sock"
)

// createNode registers a machine as its kubelet and kubeadm would have done.
func (k *Kubeadm) createNode(ctx context.Context, client kubernetes.Interface, m KubeadmMachine) (*corev1.Node, error) {
	labels := map[string]string{
		"beta.kubernetes.io/arch": "amd64", "beta.kubernetes.io/os": "linux",
		"kubernetes.io/arch": "amd64", "kubernetes.io/os": "linux", "kubernetes.io/hostname": m.Name,
	}
	taints := m.Taints
	if m.ControlPlane {
		labels[controlPlaneLabel] = ""
		labels["node.kubernetes.io/exclude-from-external-load-balancers"] = ""
		taints = append([]corev1.Taint{{Key: controlPlaneLabel, Effect: corev1.TaintEffectNoSchedule}}, taints...)
	}
	maps.Copy(labels, m.Labels)
	node, err := client.CoreV1().Nodes().Create(ctx, &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{
			Name: m.Name, Labels: labels,
			// kubeadm up to 1.33 notes the socket that it joined the machine with (cmd/kubeadm/app/constants,
			// AnnotationKubeadmCRISocket).
			Annotations: map[string]string{
				"kubeadm.alpha.kubernetes.io/cri-socket":                 criSocket,
				"node.alpha.kubernetes.io/ttl":                           "0",
				"volumes.kubernetes.io/controller-managed-attach-detach": "true",
			},
		},
		Spec: corev1.NodeSpec{ProviderID: m.ProviderID, Taints: taints},
	}, metav1.CreateOptions{})
	if err != nil {
		return nil, fmt.Errorf("create Node %s: %w", m.Name, err)
	}
	node.Status = k.nodeStatus(m)
	node, err = client.CoreV1().Nodes().UpdateStatus(ctx, node, metav1.UpdateOptions{})
	if err != nil {
		return nil, fmt.Errorf("status of Node %s: %w", m.Name, err)
	}
	return node, nil
}

func (k *Kubeadm) nodeStatus(m KubeadmMachine) corev1.NodeStatus {
	capacity := corev1.ResourceList{
		corev1.ResourceCPU:    *resource.NewQuantity(int64(m.CPUs), resource.DecimalSI),
		corev1.ResourceMemory: *resource.NewQuantity(int64(m.MemoryMiB)<<20, resource.BinarySI),
		corev1.ResourcePods:   *resource.NewQuantity(110, resource.DecimalSI),
	}
	status := corev1.NodeStatus{
		Capacity: capacity, Allocatable: capacity,
		Addresses: []corev1.NodeAddress{
			{Type: corev1.NodeInternalIP, Address: m.IP},
			{Type: corev1.NodeHostName, Address: m.Name},
		},
		NodeInfo: corev1.NodeSystemInfo{
			SystemUUID: m.SystemUUID, MachineID: strings.ReplaceAll(m.SystemUUID, "-", ""), BootID: m.SystemUUID,
			KernelVersion: "6.1.0-38-amd64", OSImage: "Debian GNU/Linux 12 (bookworm)",
			ContainerRuntimeVersion: "containerd://2.1.4", KubeletVersion: k.Version,
			OperatingSystem: "linux", Architecture: "amd64",
		},
	}
	for kind, state := range map[corev1.NodeConditionType]corev1.ConditionStatus{
		corev1.NodeReady: corev1.ConditionTrue, corev1.NodeMemoryPressure: corev1.ConditionFalse,
		corev1.NodeDiskPressure: corev1.ConditionFalse, corev1.NodePIDPressure: corev1.ConditionFalse,
	} {
		status.Conditions = append(status.Conditions, corev1.NodeCondition{
			Type: kind, Status: state, Reason: "Kubelet" + string(kind),
			LastHeartbeatTime: metav1.NewTime(time.Now()), LastTransitionTime: metav1.NewTime(time.Now()),
		})
	}
	for i, controlPlane := range k.controlPlanes() {
		if controlPlane.Name == m.Name {
			// Where the API server finds the kubelet: see --kubelet-preferred-address-types.
			status.Addresses = append(status.Addresses, corev1.NodeAddress{Type: corev1.NodeExternalIP, Address: "127.0.0.1"})
			status.DaemonEndpoints.KubeletEndpoint.Port = int32(k.kubelets[i].port()) //nolint:gosec // a port
		}
	}
	return status
}
