package realkube

import (
	"context"
	"errors"
	"fmt"
	"net"
	"path/filepath"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
)

// KubeadmCluster describes a cluster that somebody built with kubeadm, before any Cluster API.
type KubeadmCluster struct {
	// Name is the clusterName of kubeadm-config.
	Name string
	// Version of Kubernetes with its v, such as "v1.33.4".
	Version string
	// CertSANs and APIServerArgs are what the builder gave kubeadm beside its defaults.
	CertSANs      []string
	APIServerArgs []Arg
	Machines      []KubeadmMachine
}

// Arg is an argument of a component, as kubeadm's v1beta4 configuration has it.
type Arg struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// KubeadmMachine is one machine of a KubeadmCluster.
type KubeadmMachine struct {
	// Name is the name of the Node, and of the etcd member of a control plane.
	Name         string
	ControlPlane bool
	// SystemUUID is the SMBIOS UUID as the kubelet reports it.
	SystemUUID string
	// IP is the InternalIP of the Node. Nothing listens there: everything real is on loopback.
	IP string
	// CPUs and MemoryMiB are the Node's capacity.
	CPUs, MemoryMiB int
	// ProviderID is the Node's; a cluster without a cloud controller has none.
	ProviderID string
	// Labels and Taints come on top of those that kubeadm sets.
	Labels map[string]string
	Taints []corev1.Taint
}

// Kubeadm stands in for a cluster that kubeadm built: an API server with the objects that kubeadm and the kubelets
// leave there, a real etcd member behind every static etcd Pod, and a kubelet for each control plane that can forward
// ports into the static Pods and nothing else. So much is what the control-plane controller of Cluster API touches:
// its checks of etcd and of the API servers' certificates are real. No Pod runs, and none can be run.
type Kubeadm struct {
	KubeadmCluster
	// PKIDir has the files of /etc/kubernetes/pki that make a cluster: ca, etcd/ca, front-proxy-ca and sa.
	PKIDir string

	server   *Server
	etcdCA   *authority
	members  []*etcdMember
	kubelets []*kubelet
}

// BuildKubeadm makes the server the API server of a cluster. The etcd members and the kubelets end with the bench.
func (s *Server) BuildKubeadm(ctx context.Context, cluster KubeadmCluster) (*Kubeadm, error) {
	k := &Kubeadm{KubeadmCluster: cluster, server: s}
	s.bench.mu.Lock()
	s.bench.clusters = append(s.bench.clusters, k)
	s.bench.mu.Unlock()
	if err := k.build(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("build the cluster %s: %w", cluster.Name, err), k.stop())
	}
	return k, nil
}

func (k *Kubeadm) build(ctx context.Context) error {
	k.server.bench.front.lead(k.Endpoint(), loopback(k.server.port))
	if err := k.writePKI(); err != nil {
		return err
	}
	if err := k.startEtcd(ctx); err != nil {
		return err
	}
	if err := k.startKubelets(ctx); err != nil {
		return err
	}
	client, err := kubernetes.NewForConfig(k.server.AdminConfig())
	if err != nil {
		return err
	}
	if err := k.createConfig(ctx, client); err != nil {
		return err
	}
	for _, m := range k.Machines {
		node, err := k.createNode(ctx, client, m)
		if err != nil {
			return err
		}
		if m.ControlPlane {
			if err := k.createStaticPods(ctx, client, m, node); err != nil {
				return err
			}
		}
	}
	return nil
}

// endpointDomain is where clusters have their endpoints; no resolver knows it (RFC 2606).
const endpointDomain = "clusters.example"

// Endpoint is host:port of the control plane, as kubeadm-config has it. The managers reach it, and nobody else does.
func (k *Kubeadm) Endpoint() string {
	return net.JoinHostPort(k.server.name+"."+endpointDomain, "6443")
}

// EndpointPort is the port on loopback to which Endpoint leads.
func (k *Kubeadm) EndpointPort() int { return k.server.port }

// EndpointKubeconfig is Kubeconfig for the managers: its server is the cluster's endpoint, and its cluster has the cluster's name.
func (k *Kubeadm) EndpointKubeconfig(path, user string, groups ...string) error {
	if err := k.server.Kubeconfig(path, user, groups...); err != nil {
		return err
	}
	config, err := clientcmd.LoadFromFile(path)
	if err != nil {
		return err
	}
	config.Clusters[k.server.name].Server = "https://" + k.Endpoint()
	return clientcmd.WriteToFile(*config, path)
}

func (k *Kubeadm) controlPlanes() []KubeadmMachine {
	return slices.DeleteFunc(slices.Clone(k.Machines), func(m KubeadmMachine) bool { return !m.ControlPlane })
}

// path is a file of this cluster in the bench's folder.
func (k *Kubeadm) path(parts ...string) (string, error) {
	return k.server.bench.path(append([]string{k.server.name}, parts...)...)
}

func (k *Kubeadm) stop() error {
	var failures []error
	for _, kubelet := range k.kubelets {
		failures = append(failures, kubelet.close())
	}
	for _, member := range k.members {
		failures = append(failures, member.stop())
	}
	return errors.Join(failures...)
}

// startKubelets gives every control plane a kubelet that reaches its static Pods.
func (k *Kubeadm) startKubelets(ctx context.Context) error {
	for _, m := range k.controlPlanes() {
		log, err := k.path("kubelet-" + m.Name + ".log")
		if err != nil {
			return err
		}
		pair, err := k.server.bench.ca.server(m.Name)
		if err != nil {
			return err
		}
		pods := map[string]string{
			"kube-apiserver-" + m.Name: loopback(k.server.port),
			"etcd-" + m.Name:           k.member(m.Name).address(),
		}
		kubelet, err := startKubelet(ctx, filepath.Clean(log), pair, pods)
		if err != nil {
			return fmt.Errorf("kubelet of %s: %w", m.Name, err)
		}
		k.kubelets = append(k.kubelets, kubelet)
	}
	return nil
}
