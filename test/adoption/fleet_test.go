package adoption

import (
	"fmt"

	"github.com/proxaudit/proxaudit/internal/pvesim"
	"github.com/proxaudit/proxaudit/test/realkube"
)

const (
	// prod is the cluster that is adopted, and its namespace in the management cluster.
	prod = "prod"
	// kubernetesVersion is what kubeadm built it with.
	kubernetesVersion = "v1.33.4"
	// capmoxToken is the token that CAPMOX works with, auditToken the one for reading.
	capmoxToken = "capmox@pve!capi"
	auditToken  = "proxaudit@pve!audit"
	// templateVM is the VMID of the template that future machines are cloned from.
	templateVM = 9000
)

// machine is one machine of prod in both worlds: a VM of Proxmox and a Node of Kubernetes.
type machine struct {
	name         string
	vmid         int
	host         string
	controlPlane bool
	cores        int
	memoryMiB    int
}

// machines of prod: three control planes and workers of two shapes, over three hosts.
var machines = []machine{
	{name: "cp-1", vmid: 101, host: "pve1", controlPlane: true, cores: 4, memoryMiB: 8192},
	{name: "cp-2", vmid: 102, host: "pve2", controlPlane: true, cores: 4, memoryMiB: 8192},
	{name: "cp-3", vmid: 103, host: "pve3", controlPlane: true, cores: 4, memoryMiB: 8192},
	{name: "w-1", vmid: 111, host: "pve1", cores: 4, memoryMiB: 8192},
	{name: "w-2", vmid: 112, host: "pve2", cores: 4, memoryMiB: 8192},
	{name: "w-3", vmid: 113, host: "pve3", cores: 8, memoryMiB: 16384},
}

func (m machine) uuid() string       { return fmt.Sprintf("6c3fa683-bef9-4425-b413-eaa45a9d6%d", m.vmid) }
func (m machine) ip() string         { return fmt.Sprintf("10.20.0.%d", m.vmid-90) }
func (m machine) providerID() string { return "proxmox://" + m.uuid() }

// vm is the machine as Proxmox has it.
func (m machine) vm() *pvesim.VM {
	return &pvesim.VM{
		Node: m.host, Name: m.name, UUID: m.uuid(), MAC: fmt.Sprintf("BC:24:11:00:00:%02X", m.vmid-100),
		IP: m.ip() + "/24", Cores: m.cores, Memory: m.memoryMiB, Disk: 40, Tags: []string{prod},
		Created: "2026-03-02T10:00:00Z", Status: "running",
	}
}

// node is the machine as the workload cluster has it.
func (m machine) node() realkube.KubeadmMachine {
	return realkube.KubeadmMachine{
		Name: m.name, ControlPlane: m.controlPlane, SystemUUID: m.uuid(), IP: m.ip(), CPUs: m.cores, MemoryMiB: m.memoryMiB,
	}
}

// cluster is prod as kubeadm built it.
func cluster() realkube.KubeadmCluster {
	c := realkube.KubeadmCluster{Name: prod, Version: kubernetesVersion}
	for _, m := range machines {
		c.Machines = append(c.Machines, m.node())
	}
	return c
}

// site is the Proxmox VE cluster that prod runs on.
func site() *pvesim.Fleet {
	f := &pvesim.Fleet{
		Version: "9.2.11", Cluster: "dc1",
		Nodes: map[string]*pvesim.Node{"pve1": {}, "pve2": {}, "pve3": {}},
		Tokens: map[string]*pvesim.Token{
			capmoxToken: {Role: "Administrator"},
			auditToken:  {Role: "PVEAuditor"},
		},
		VMs: map[int]*pvesim.VM{
			templateVM: {Node: "pve1", Name: "debian-12-k8s", Cores: 2, Memory: 2048, Disk: 20, Template: true},
		},
	}
	for _, m := range machines {
		f.VMs[m.vmid] = m.vm()
	}
	return f
}
