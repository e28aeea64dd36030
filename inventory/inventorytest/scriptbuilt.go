package inventorytest

import (
	"fmt"
	"strings"
	"time"

	"github.com/proxaudit/proxaudit/inventory"
)

// ScriptBuilt is a cluster that scripts made with kubeadm, and that could be adopted as it is: control planes cp-1, cp-2, …
// and workers w-1, w-2, … in two shapes by turns, on site lab with hosts pve1 to pve3; a template; a management cluster with
// the proven providers and nothing declared. Numbers from 1 on; VMIDs are 100 plus the number for control planes and 1000
// plus it for workers.
func ScriptBuilt(cluster string, controlPlanes, workers int) *inventory.Snapshot {
	b := &scriptBuilt{cluster: cluster, s: &inventory.Snapshot{FormatVersion: inventory.FormatVersion, CollectedAt: Now}}
	b.site()
	b.management()
	b.clusterOf()
	for i := 1; i <= controlPlanes; i++ {
		b.controlPlane(i)
	}
	for i := 1; i <= workers; i++ {
		b.worker(i)
	}
	b.template()
	b.s.Coverage = append(everything(b.s), b.coverage()...)
	b.s.Sort()
	return b.s
}

type scriptBuilt struct {
	cluster string
	s       *inventory.Snapshot
}

// ScriptBuiltVersion is the Kubernetes of such a cluster.
const ScriptBuiltVersion = "v1.33.4"

func (b *scriptBuilt) site() {
	since := Now.Add(-day)
	site := inventory.Site{TasksSince: &since, Name: "lab", ClusterName: "lab", URL: "https://pve1.example:8006", Version: "9.1.4", Visibility: inventory.Visibility{Complete: true}}
	for i := 1; i <= 3; i++ {
		site.Nodes = append(site.Nodes, inventory.ProxmoxNode{Name: fmt.Sprintf("pve%d", i), Status: inventory.NodeOnline})
	}
	b.s.Sites = []inventory.Site{site}
}

func (b *scriptBuilt) management() {
	b.s.Management = &inventory.Management{Context: "mgmt", Version: "v1.34.2", Served: map[string][]string{
		inventory.GroupCluster: {"v1beta2", "v1beta1"}, inventory.GroupBootstrap: {"v1beta2", "v1beta1"},
		inventory.GroupControlPlane: {"v1beta2", "v1beta1"}, inventory.GroupInfrastructure: {"v1alpha2", "v1alpha1"},
		"ipam.cluster.x-k8s.io": {"v1beta2", "v1alpha2"}}}
	provider := func(namespace, name, label, version string) {
		b.s.Providers = append(b.s.Providers, inventory.Provider{Namespace: namespace, Name: name, Label: label, Version: version,
			Image: "registry.example/" + name + ":" + version, Desired: 1, Available: 1})
	}
	provider("capi-system", "capi-controller-manager", "cluster-api", "v1.14.2")
	provider("capi-kubeadm-bootstrap-system", "capi-kubeadm-bootstrap-controller-manager", "bootstrap-kubeadm", "v1.14.2")
	provider("capi-kubeadm-control-plane-system", "capi-kubeadm-control-plane-controller-manager", "control-plane-kubeadm", "v1.14.2")
	provider("capmox-system", "capmox-controller-manager", "infrastructure-proxmox", "v0.9.0")
	provider("capi-ipam-in-cluster-system", "capi-ipam-in-cluster-controller-manager", "ipam-in-cluster", "v1.1.0")
}

// ScriptBuiltClusterConfiguration is such a cluster's kubeadm-config.
const ScriptBuiltClusterConfiguration = `apiServer:
  certSANs:
  - k8s.example
  - 10.0.0.10
  extraArgs:
  - name: oidc-issuer-url
    value: https://id.example
apiVersion: kubeadm.k8s.io/v1beta4
caCertificateValidityPeriod: 87600h0m0s
certificateValidityPeriod: 8760h0m0s
certificatesDir: /etc/kubernetes/pki
clusterName: kubernetes
controlPlaneEndpoint: 10.0.0.10:6443
controllerManager:
  extraArgs:
  - name: bind-address
    value: 0.0.0.0
dns: {}
encryptionAlgorithm: RSA-2048
etcd:
  local:
    dataDir: /var/lib/etcd
imageRepository: registry.k8s.io
kind: ClusterConfiguration
kubernetesVersion: v1.33.4
networking:
  dnsDomain: cluster.local
  podSubnet: 10.244.0.0/16
  serviceSubnet: 10.96.0.0/12
proxy: {}
scheduler: {}
`

func (b *scriptBuilt) clusterOf() {
	b.s.Clusters = []inventory.Cluster{{Key: b.cluster, Access: "kubeconfig " + b.cluster, Version: ScriptBuiltVersion,
		Server: "https://10.0.0.10:6443", ServingCAs: []string{strings.Repeat("ab", 32)},
		KubeletConfiguration: "apiVersion: kubelet.config.k8s.io/v1beta1\ncontainerRuntimeEndpoint: unix:///run/containerd/containerd.sock\nkind: KubeletConfiguration\n",
		Kubeadm: &inventory.KubeadmCluster{KubernetesVersion: ScriptBuiltVersion, ControlPlaneEndpoint: "10.0.0.10:6443", ClusterName: "kubernetes",
			PodSubnet: "10.244.0.0/16", ServiceSubnet: "10.96.0.0/12", ClusterConfiguration: ScriptBuiltClusterConfiguration}}}
}

// ScriptBuiltUUID is the SMBIOS UUID of the VM with this VMID.
func ScriptBuiltUUID(vmid int) string { return fmt.Sprintf("6c3fa683-bef9-4425-b413-%012d", vmid) }

func (b *scriptBuilt) vm(vmid int, name string, cores int, memoryMiB, diskGiB int64, address string) *inventory.VM {
	no := false
	created := Now.Add(-400 * day)
	size := diskGiB << 30
	b.s.VMs = append(b.s.VMs, inventory.VM{Site: "lab", VMID: vmid, Type: inventory.GuestQEMU, Node: fmt.Sprintf("pve%d", 1+vmid%3), Name: name,
		Status: "running", Template: &no, UptimeSeconds: 9e6, Config: &inventory.VMConfig{UUID: ScriptBuiltUUID(vmid), RawUUID: ScriptBuiltUUID(vmid),
			UUIDSource: "smbios1", CreatedAt: &created, Sockets: 1, Cores: cores, VCPUs: cores, MemoryMiB: memoryMiB, SCSIHW: "virtio-scsi-single",
			Disks:      []inventory.Disk{{Slot: "scsi0", Storage: "local-zfs", Volume: fmt.Sprintf("vm-%d-disk-0", vmid), SizeBytes: &size}, {Slot: "ide2", CDROM: true, CloudInit: true}},
			NICs:       []inventory.NIC{{Slot: "net0", Model: "virtio", MAC: fmt.Sprintf("bc:24:11:00:%02x:%02x", vmid>>8&255, vmid&255), Bridge: "vmbr0"}},
			IPConfigs:  []inventory.IPConfig{{Slot: "ipconfig0", IPv4: address + "/16", Gateway4: "10.0.0.1"}},
			Nameserver: "10.0.0.1"}})
	return &b.s.VMs[len(b.s.VMs)-1]
}

func (b *scriptBuilt) node(vmid int, name, address string, labels map[string]string) *inventory.Node {
	created := Now.Add(-400*day + 10*time.Minute)
	all := map[string]string{"kubernetes.io/hostname": name, "kubernetes.io/os": "linux", "kubernetes.io/arch": "amd64"}
	for k, v := range labels {
		all[k] = v
	}
	b.s.Nodes = append(b.s.Nodes, inventory.Node{Cluster: b.cluster, Name: name, UID: fmt.Sprintf("node-%d", vmid), CreatedAt: &created,
		SystemUUID: ScriptBuiltUUID(vmid), InternalIPs: []string{address}, Hostname: name, Ready: "True", KubeletVersion: ScriptBuiltVersion,
		OSImage: "Debian GNU/Linux 12", ContainerRuntime: "containerd://1.7.24", Labels: all,
		Annotations: map[string]string{"kubeadm.alpha.kubernetes.io/cri-socket": "unix:///run/containerd/containerd.sock"}})
	return &b.s.Nodes[len(b.s.Nodes)-1]
}

func (b *scriptBuilt) controlPlane(i int) {
	name, address := fmt.Sprintf("cp-%d", i), fmt.Sprintf("10.0.0.%d", 10+i)
	b.vm(100+i, name, 4, 8192, 40, address)
	n := b.node(100+i, name, address, map[string]string{"node-role.kubernetes.io/control-plane": "", "node.kubernetes.io/exclude-from-external-load-balancers": ""})
	n.ControlPlane = true
	n.Taints = []inventory.Taint{{Key: "node-role.kubernetes.io/control-plane", Effect: "NoSchedule"}}
	c := &b.s.Clusters[0]
	yes := true
	for _, component := range []string{"etcd", "kube-apiserver", "kube-controller-manager", "kube-scheduler"} {
		args := []string{component}
		switch component {
		case "etcd":
			args = append(args, "--name="+name)
		case "kube-apiserver":
			args = append(args, "--advertise-address="+address, "--oidc-issuer-url=https://id.example")
		case "kube-controller-manager":
			args = append(args, "--bind-address=0.0.0.0")
		}
		c.StaticPods = append(c.StaticPods, inventory.StaticPod{Name: component + "-" + name, Component: component, Node: name,
			Image: "registry.k8s.io/" + component + ":" + ScriptBuiltVersion, Args: args, Ready: &yes})
	}
}

func (b *scriptBuilt) worker(i int) {
	name, address := fmt.Sprintf("w-%d", i), fmt.Sprintf("10.0.%d.%d", 1+i/200, 1+i%200)
	if i%2 == 1 {
		b.vm(1000+i, name, 4, 16384, 60, address)
	} else {
		b.vm(1000+i, name, 8, 65536, 200, address)
	}
	b.node(1000+i, name, address, nil)
}

func (b *scriptBuilt) template() {
	v := b.vm(9000, "debian-12-k8s", 2, 2048, 10, "10.0.250.250")
	yes := true
	v.Template, v.Status, v.UptimeSeconds = &yes, "stopped", 0
	v.Config.IPConfigs, v.Config.Nameserver = nil, ""
}

// coverage is what a run for adoption asks beyond who is who.
func (b *scriptBuilt) coverage() []inventory.Coverage {
	var out []inventory.Coverage
	add := func(source string, scopes ...string) {
		for _, scope := range scopes {
			out = append(out, inventory.Coverage{Source: source, Scope: scope, State: inventory.Complete, Asked: 1, Got: 1, Optional: true})
		}
	}
	add(inventory.ClusterSource(b.cluster), inventory.ScopeAccess, inventory.ScopeKubeadm, inventory.ScopeKubelet, inventory.ScopeStaticPods, inventory.ScopeServingCA)
	add(inventory.SiteSource("lab"), inventory.ScopeTasks, inventory.ScopeStorages)
	add(inventory.ManagementSource, inventory.ScopeProviders, inventory.ScopeCRDs,
		"machinehealthchecks."+inventory.GroupCluster, "machinesets."+inventory.GroupCluster, "machinedeployments."+inventory.GroupCluster,
		"kubeadmcontrolplanes."+inventory.GroupControlPlane, "kubeadmconfigs."+inventory.GroupBootstrap, "kubeadmconfigtemplates."+inventory.GroupBootstrap,
		"proxmoxclusters."+inventory.GroupInfrastructure, "proxmoxmachinetemplates."+inventory.GroupInfrastructure,
		"inclusterippools.ipam.cluster.x-k8s.io", "globalinclusterippools.ipam.cluster.x-k8s.io")
	return out
}
