package realkube

import (
	"context"
	"fmt"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"sigs.k8s.io/yaml"
)

const (
	podSubnet     = "10.244.0.0/16"
	serviceSubnet = "10.96.0.0/16"
)

// createConfig writes what `kubeadm init` uploads: its own configuration, the kubelets' and kube-proxy.
func (k *Kubeadm) createConfig(ctx context.Context, client kubernetes.Interface) error {
	cluster, err := yaml.Marshal(k.clusterConfiguration())
	if err != nil {
		return err
	}
	kubelet, err := yaml.Marshal(kubeletConfiguration())
	if err != nil {
		return err
	}
	proxy := fmt.Sprintf("apiVersion: kubeproxy.config.k8s.io/v1alpha1\nclusterCIDR: %s\nkind: KubeProxyConfiguration\nmode: \"\"\n", podSubnet)
	for name, data := range map[string]map[string]string{
		"kubeadm-config": {"ClusterConfiguration": string(cluster)},
		"kubelet-config": {"kubelet": string(kubelet)},
		"kube-proxy":     {"config.conf": proxy},
	} {
		_, err := client.CoreV1().ConfigMaps(metav1.NamespaceSystem).Create(ctx, &corev1.ConfigMap{
			ObjectMeta: metav1.ObjectMeta{Name: name}, Data: data,
		}, metav1.CreateOptions{})
		if err != nil {
			return fmt.Errorf("create ConfigMap %s: %w", name, err)
		}
	}
	return k.createKubeProxy(ctx, client)
}

// clusterConfiguration is kubeadm-config as kubeadm 1.33 uploads it, defaults written out.
func (k *Kubeadm) clusterConfiguration() map[string]any {
	type m = map[string]any
	api := m{}
	if len(k.CertSANs) > 0 {
		api["certSANs"] = k.CertSANs
	}
	if len(k.APIServerArgs) > 0 {
		api["extraArgs"] = k.APIServerArgs
	}
	return m{
		"apiVersion": "kubeadm.k8s.io/v1beta4", "kind": "ClusterConfiguration",
		"apiServer":                   api,
		"caCertificateValidityPeriod": "87600h0m0s", "certificateValidityPeriod": "8760h0m0s",
		"certificatesDir":      "/etc/kubernetes/pki",
		"clusterName":          k.Name,
		"controlPlaneEndpoint": k.Endpoint(),
		"controllerManager":    m{}, "dns": m{},
		"encryptionAlgorithm": "RSA-2048",
		"etcd":                m{"local": m{"dataDir": "/var/lib/etcd"}},
		"imageRepository":     "registry.k8s.io",
		"kubernetesVersion":   k.Version,
		"networking":          m{"dnsDomain": "cluster.local", "podSubnet": podSubnet, "serviceSubnet": serviceSubnet},
		"proxy":               m{}, "scheduler": m{},
	}
}

// kubeletConfiguration is kubelet-config with the fields that kubeadm sets itself.
func kubeletConfiguration() map[string]any {
	type m = map[string]any
	dns := strings.TrimSuffix(serviceSubnet, "0/16") + "10"
	return m{
		"apiVersion": "kubelet.config.k8s.io/v1beta1", "kind": "KubeletConfiguration",
		"authentication": m{
			"anonymous": m{"enabled": false}, "webhook": m{"enabled": true},
			"x509": m{"clientCAFile": "/etc/kubernetes/pki/ca.crt"},
		},
		"authorization": m{"mode": "Webhook"},
		"cgroupDriver":  "systemd",
		"clusterDNS":    []string{dns}, "clusterDomain": "cluster.local",
		"healthzBindAddress": "127.0.0.1", "healthzPort": 10248,
		"rotateCertificates": true, "staticPodPath": "/etc/kubernetes/manifests",
	}
}

// createKubeProxy: the image is of an older patch release, as a cluster has it whose machines were upgraded by hand.
// Nothing that adopts the cluster may touch it.
func (k *Kubeadm) createKubeProxy(ctx context.Context, client kubernetes.Interface) error {
	labels := map[string]string{"k8s-app": "kube-proxy"}
	set := &appsv1.DaemonSet{
		ObjectMeta: metav1.ObjectMeta{Name: "kube-proxy", Labels: labels},
		Spec: appsv1.DaemonSetSpec{
			Selector: &metav1.LabelSelector{MatchLabels: labels},
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: labels},
				Spec: corev1.PodSpec{
					HostNetwork: true, PriorityClassName: "system-node-critical",
					Containers: []corev1.Container{{Name: "kube-proxy", Image: KubeProxyImage}},
				},
			},
		},
	}
	if _, err := client.AppsV1().DaemonSets(metav1.NamespaceSystem).Create(ctx, set, metav1.CreateOptions{}); err != nil {
		return fmt.Errorf("create DaemonSet kube-proxy: %w", err)
	}
	return nil
}

// KubeProxyImage is the image that the kube-proxy of every Kubeadm cluster has.
const KubeProxyImage = "registry.k8s.io/kube-proxy:v1.33.2"
