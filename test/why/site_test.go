package why

import (
	"fmt"
	"time"

	"github.com/proxaudit/proxaudit/internal/pvesim"
	"github.com/proxaudit/proxaudit/test/realkube"
)

const (
	// prod is the cluster that has Nodes.
	prod              = "prod"
	kubernetesVersion = "v1.33.4"

	capmoxToken = "capmox@pve!capi"
	// weakToken can read, and clone nothing.
	weakToken   = "weak@pve!capi"
	auditToken  = "proxaudit@pve!audit"
	wrongSecret = "00000000-dead-4bad-8bad-000000000000"

	// template is the VMID of the VM template, brokenTemplate that of one whose clones fail.
	template, brokenTemplate = 9000, 9001
	diskFull                 = "clone failed: copy failed: no space left on device"
)

// machine is one of prod: a VM of Proxmox and a Node of Kubernetes.
type machine struct {
	name string
	vmid int
}

var (
	plane1  = machine{"cp-1", 101}
	worker1 = machine{"w-1", 111}
	worker2 = machine{"w-2", 112}
)

func (m machine) uuid() string       { return fmt.Sprintf("6c3fa683-bef9-4425-b413-eaa45a9d6%d", m.vmid) }
func (m machine) providerID() string { return "proxmox://" + m.uuid() }

func (m machine) vm() *pvesim.VM {
	return &pvesim.VM{Node: "pve1", Name: m.name, UUID: m.uuid(), MAC: fmt.Sprintf("BC:24:11:00:00:%02X", m.vmid-100),
		IP: fmt.Sprintf("10.20.0.%d/24", m.vmid-90), Cores: 2, Memory: 4096, Disk: 20, Created: "2026-03-02T10:00:00Z", Status: "running"}
}

func (m machine) node() realkube.KubeadmMachine {
	return realkube.KubeadmMachine{Name: m.name, SystemUUID: m.uuid(), IP: fmt.Sprintf("10.20.0.%d", m.vmid-90), CPUs: 2, MemoryMiB: 4096, ProviderID: m.providerID()}
}

// nodes is prod as kubeadm built it.
func nodes() realkube.KubeadmCluster {
	first := plane1.node()
	first.ControlPlane = true
	return realkube.KubeadmCluster{Name: prod, Version: kubernetesVersion, Machines: []realkube.KubeadmMachine{first, worker1.node()}}
}

// cloneTask is how every clone of the broken template ends.
var cloneTask = pvesim.Task{Node: "pve1", Type: "qmclone", ID: fmt.Sprint(brokenTemplate), User: capmoxToken, Started: time.Now().Unix() - 30,
	Ended: time.Now().Unix() - 10, Status: diskFull, PID: 0x1234, PStart: 0x5678}

// upid is what Proxmox calls that task.
func upid(t pvesim.Task) string {
	return fmt.Sprintf("UPID:%s:%08X:%08X:%08X:%s:%s:%s:", t.Node, t.PID, t.PStart, t.Started, t.Type, t.ID, t.User)
}

func site() *pvesim.Fleet {
	vm := func(name string) *pvesim.VM {
		return &pvesim.VM{Node: "pve1", Name: name, Cores: 2, Memory: 2048, Disk: 20, Template: true}
	}
	f := &pvesim.Fleet{
		Version: "9.2.11", Cluster: "dc1",
		Nodes: map[string]*pvesim.Node{"pve1": {}, "pve2": {}},
		Tokens: map[string]*pvesim.Token{
			capmoxToken: {Role: "Administrator"}, weakToken: {Role: "PVEAuditor"}, auditToken: {Role: "PVEAuditor"},
		},
		Storages: map[string]*pvesim.Storage{
			"local":     {Type: "dir", Content: []string{"iso", "vztmpl", "backup", "snippets"}},
			"local-lvm": {Type: "lvmthin", Content: []string{"images", "rootdir"}},
		},
		VMs:   map[int]*pvesim.VM{template: vm("debian-12-k8s"), brokenTemplate: vm("debian-12-broken")},
		Tasks: []pvesim.Task{cloneTask},
	}
	for _, m := range []machine{plane1, worker1, worker2} {
		f.VMs[m.vmid] = m.vm()
	}
	return f
}
