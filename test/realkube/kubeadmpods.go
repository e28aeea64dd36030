package realkube

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
)

// createStaticPods shows the mirror Pods of a control plane, as its kubelet would: running and ready. What they would
// run is a process of the bench (etcd, the API server) or nothing at all (the other two).
func (k *Kubeadm) createStaticPods(ctx context.Context, client kubernetes.Interface, m KubeadmMachine, node *corev1.Node) error {
	for _, component := range []string{"etcd", "kube-apiserver", "kube-controller-manager", "kube-scheduler"} {
		pod := k.staticPod(component, m, node)
		created, err := client.CoreV1().Pods(pod.Namespace).Create(ctx, pod, metav1.CreateOptions{})
		if err != nil {
			return fmt.Errorf("create Pod %s: %w", pod.Name, err)
		}
		created.Status = k.runningStatus(created, m)
		if _, err := client.CoreV1().Pods(pod.Namespace).UpdateStatus(ctx, created, metav1.UpdateOptions{}); err != nil {
			return fmt.Errorf("status of Pod %s: %w", pod.Name, err)
		}
	}
	return nil
}

func (k *Kubeadm) staticPod(component string, m KubeadmMachine, node *corev1.Node) *corev1.Pod {
	isController := true
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Name: component + "-" + m.Name, Namespace: metav1.NamespaceSystem,
			Labels: map[string]string{"component": component, "tier": "control-plane"},
			Annotations: map[string]string{
				"kubernetes.io/config.hash": m.SystemUUID, "kubernetes.io/config.mirror": m.SystemUUID,
				"kubernetes.io/config.seen": "2026-03-02T10:00:00Z", "kubernetes.io/config.source": "file",
			},
			OwnerReferences: []metav1.OwnerReference{{
				APIVersion: "v1", Kind: "Node", Name: node.Name, UID: node.UID, Controller: &isController,
			}},
		},
		Spec: corev1.PodSpec{
			NodeName: m.Name, HostNetwork: true, PriorityClassName: "system-node-critical",
			Tolerations: []corev1.Toleration{{Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoExecute}},
			Containers: []corev1.Container{{
				Name: component, Image: "registry.k8s.io/" + component + ":" + k.Version, Command: k.command(component, m),
			}},
		},
	}
	switch component {
	case "etcd":
		pod.Annotations["kubeadm.kubernetes.io/etcd.advertise-client-urls"] = "https://" + m.IP + ":2379"
		pod.Spec.Containers[0].Image = "registry.k8s.io/etcd:3.5.21-0"
	case "kube-apiserver":
		pod.Annotations["kubeadm.kubernetes.io/kube-apiserver.advertise-address.endpoint"] = m.IP + ":6443"
	}
	return pod
}

// command is the command line that kubeadm 1.33 writes, as far as it tells one cluster from another.
func (k *Kubeadm) command(component string, m KubeadmMachine) []string {
	command := []string{component}
	flag := func(name, value string) { command = append(command, "--"+name+"="+value) }
	switch component {
	case "etcd":
		flag("name", m.Name)
		flag("advertise-client-urls", "https://"+m.IP+":2379")
		flag("data-dir", "/var/lib/etcd")
		flag("trusted-ca-file", "/etc/kubernetes/pki/etcd/ca.crt")
	case "kube-apiserver":
		flag("advertise-address", m.IP)
		flag("authorization-mode", "Node,RBAC")
		flag("client-ca-file", "/etc/kubernetes/pki/ca.crt")
		flag("etcd-servers", "https://127.0.0.1:2379")
		flag("secure-port", "6443")
		flag("service-cluster-ip-range", serviceSubnet)
		for _, a := range k.APIServerArgs {
			flag(a.Name, a.Value)
		}
	case "kube-controller-manager":
		flag("cluster-cidr", podSubnet)
		flag("cluster-name", k.Name)
		flag("service-cluster-ip-range", serviceSubnet)
	case "kube-scheduler":
		flag("kubeconfig", "/etc/kubernetes/scheduler.conf")
	}
	return command
}

func (k *Kubeadm) runningStatus(pod *corev1.Pod, m KubeadmMachine) corev1.PodStatus {
	started := true
	container := pod.Spec.Containers[0]
	status := corev1.PodStatus{
		Phase: corev1.PodRunning, HostIP: m.IP, PodIP: m.IP,
		HostIPs: []corev1.HostIP{{IP: m.IP}}, PodIPs: []corev1.PodIP{{IP: m.IP}},
		ContainerStatuses: []corev1.ContainerStatus{{
			Name: container.Name, Image: container.Image, ImageID: container.Image, Ready: true, Started: &started,
			State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{StartedAt: metav1.Now()}},
		}},
	}
	for _, kind := range []corev1.PodConditionType{corev1.PodScheduled, corev1.PodInitialized, corev1.ContainersReady, corev1.PodReady} {
		status.Conditions = append(status.Conditions, corev1.PodCondition{
			Type: kind, Status: corev1.ConditionTrue, LastTransitionTime: metav1.Now(),
		})
	}
	return status
}
