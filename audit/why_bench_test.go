package audit_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/proxaudit/proxaudit/audit"
	"github.com/proxaudit/proxaudit/inventory"
	"github.com/proxaudit/proxaudit/inventory/inventorytest"
)

// BenchmarkWhy is who each of 50 clusters with 1,000 Machines in all waits for, from the Snapshot to the report: where one worker of each is on
// its way, and where all of them wait for an address, which looks at most objects.
func BenchmarkWhy(b *testing.B) {
	for name, waiting := range map[string]int{"waiting=1": 1, "waiting=all": 17} {
		b.Run(name, func(b *testing.B) {
			s := manyClusters(50, 20, waiting)
			b.ReportAllocs()
			var fastest time.Duration
			for b.Loop() {
				began := time.Now()
				r, err := audit.Why(s, audit.Options{}, audit.WhyScope{})
				if took := time.Since(began); fastest == 0 || took < fastest {
					fastest = took
				}
				if err != nil || r.Summary.Stuck != 50 {
					b.Fatalf("%v: %+v", err, r.Summary)
				}
			}
			b.ReportMetric(float64(fastest.Microseconds())/1000, "fastest-ms")
			if fastest > time.Second {
				b.Errorf("%s for 1,000 Machines, want at most a second", fastest)
			}
		})
	}
}

// manyClusters are clusters of so many Machines each, three of them control planes, with all that Cluster API keeps of them. The last ones
// wait for an address that their claims do not get.
func manyClusters(clusters, machines, waiting int) *inventory.Snapshot {
	now := time.Date(2026, 12, 1, 8, 0, 0, 0, time.UTC)
	old := now.Add(-2 * time.Hour)
	holds := func(types ...string) []inventory.Condition {
		var out []inventory.Condition
		for _, t := range types {
			out = append(out, inventory.Condition{Type: t, Status: "True", Since: &old})
		}
		return out
	}
	owner := func(group, kind, name string) []inventory.Ref {
		return []inventory.Ref{{Group: group, Kind: kind, Name: name}}
	}
	s := &inventory.Snapshot{FormatVersion: inventory.FormatVersion, CollectedAt: now, Management: &inventory.Management{Context: "mgmt"},
		Sites: []inventory.Site{{Name: "dc", Nodes: []inventory.ProxmoxNode{{Name: "pve1", Status: "online"}}, Visibility: inventory.Visibility{Complete: true}}}}
	whole := func(source string, scopes ...string) {
		for _, scope := range scopes {
			s.Coverage = append(s.Coverage, inventory.Coverage{Source: source, Scope: scope, State: inventory.Complete})
		}
	}
	whole(inventory.ManagementSource, inventory.ScopeClusters, inventory.ScopeMachines, inventory.ScopeProxmoxMachines, inventory.ScopeProviders, "proxmoxclusters.infrastructure.cluster.x-k8s.io",
		"machinesets.cluster.x-k8s.io", "machinedeployments.cluster.x-k8s.io", "ipaddressclaims.ipam.cluster.x-k8s.io", "inclusterippools.ipam.cluster.x-k8s.io", "kubeadmconfigs.bootstrap.cluster.x-k8s.io")
	whole(inventory.SiteSource("dc"), inventory.ScopeGuests, inventory.ConfigScope("pve1"), inventory.ScopeTasks)
	for _, label := range []string{"cluster-api", "bootstrap-kubeadm", "control-plane-kubeadm", "infrastructure-proxmox", "ipam-in-cluster"} {
		s.Providers = append(s.Providers, inventory.Provider{Namespace: label, Name: label, Label: label, Desired: 1, Available: 1})
	}
	replicas := func(n int) *int32 { r := int32(n); return &r }
	for i := range clusters {
		name := fmt.Sprintf("c%02d", i)
		meta := func(n string, owners []inventory.Ref, conditions ...string) inventory.Meta {
			return inventory.Meta{Namespace: name, Name: n, CreatedAt: &old, Owners: owners, Labels: map[string]string{"cluster.x-k8s.io/cluster-name": name}, Conditions: holds(conditions...)}
		}
		ref := func(group, kind, n string) *inventory.Ref {
			return &inventory.Ref{Group: group, Kind: kind, Namespace: name, Name: n}
		}
		object := func(api, kind, n string, content map[string]any) {
			s.Objects = append(s.Objects, inventory.Object{APIVersion: api, Kind: kind, Namespace: name, Name: n, Content: content})
		}
		own := owner(inventory.GroupCluster, "Cluster", name)
		s.Clusters = append(s.Clusters, inventory.Cluster{Key: name, Declared: &inventory.DeclaredCluster{Meta: meta(name, nil, "InfrastructureReady", "RemoteConnectionProbe"), InfrastructureReady: true,
			ControlPlaneInitialized: true, InfrastructureRef: ref(inventory.GroupInfrastructure, "ProxmoxCluster", name), ControlPlaneRef: ref(inventory.GroupControlPlane, "KubeadmControlPlane", name),
			Infrastructure: &inventory.ProxmoxCluster{Meta: meta(name, own, "Ready", "ProxmoxAvailable"), Ready: true}}})
		whole(inventory.ClusterSource(name), inventory.ScopeNodes)
		s.Groups = append(s.Groups, inventory.Group{Meta: meta(name, own, "Available", "EtcdClusterHealthy", "ControlPlaneComponentsHealthy"), Kind: "KubeadmControlPlane", Cluster: name, Replicas: replicas(3), Initialized: true},
			inventory.Group{Meta: meta(name+"-md", own, "Available"), Kind: "MachineDeployment", Cluster: name, Replicas: replicas(machines - 3)},
			inventory.Group{Meta: meta(name+"-md-x", owner(inventory.GroupCluster, "MachineDeployment", name+"-md"), "MachinesReady"), Kind: "MachineSet", Cluster: name, Replicas: replicas(machines - 3)})
		object("ipam.cluster.x-k8s.io/v1alpha2", "InClusterIPPool", name+"-v4-icip", map[string]any{"status": map[string]any{"ipAddresses": map[string]any{"free": int64(0)}}})
		for j := range machines {
			n, id, vmid := fmt.Sprintf("%s-%02d", name, j), inventorytest.UUID(i*machines+j+1), 1000+i*machines+j
			waits := j >= machines-waiting
			m := inventory.Machine{Meta: meta(n, nil, "Available", "Ready", "UpToDate", "BootstrapConfigReady", "InfrastructureReady", "NodeHealthy", "NodeReady"), Cluster: name, ControlPlane: j < 3,
				InfrastructureRef: ref(inventory.GroupInfrastructure, "ProxmoxMachine", n), BootstrapRef: ref("bootstrap.cluster.x-k8s.io", "KubeadmConfig", n), DataSecretName: n, BootstrapReady: true}
			pm := inventory.ProxmoxMachine{Meta: meta(n, owner(inventory.GroupCluster, "Machine", n), "Ready", "VirtualMachineProvisioned"), Cluster: name, ProviderID: "proxmox://" + id, VMID: &vmid, Ready: !waits}
			if !m.ControlPlane {
				m.Labels["cluster.x-k8s.io/set-name"], m.Labels["cluster.x-k8s.io/deployment-name"] = name+"-md-x", name+"-md"
			}
			claim := map[string]any{"metadata": map[string]any{"name": n, "namespace": name, "ownerReferences": []any{map[string]any{"kind": "ProxmoxMachine", "name": n}}},
				"spec": map[string]any{"poolRef": map[string]any{"apiGroup": "ipam.cluster.x-k8s.io", "kind": "InClusterIPPool", "name": name + "-v4-icip"}}}
			if waits {
				pm.Conditions = []inventory.Condition{{Type: "VirtualMachineProvisioned", Status: "False", Reason: "WaitingForStaticIPAllocation", Since: &old}}
			} else {
				m.InfrastructureReady, m.ProviderID, m.NodeRef = true, pm.ProviderID, n
				claim["status"] = map[string]any{"addressRef": map[string]any{"name": n}}
				s.Nodes = append(s.Nodes, inventory.Node{Cluster: name, Name: n, ProviderID: pm.ProviderID, SystemUUID: id, Ready: "True"})
			}
			object("ipam.cluster.x-k8s.io/v1beta2", "IPAddressClaim", n, claim)
			object("bootstrap.cluster.x-k8s.io/v1beta2", "KubeadmConfig", n, map[string]any{"metadata": map[string]any{"name": n, "namespace": name}, "status": map[string]any{"conditions": []any{map[string]any{"type": "Ready", "status": "True"}}}})
			s.Machines, s.ProxmoxMachines = append(s.Machines, m), append(s.ProxmoxMachines, pm)
			s.VMs = append(s.VMs, inventory.VM{Site: "dc", VMID: vmid, Type: "qemu", Node: "pve1", Name: n, Status: "running", Config: &inventory.VMConfig{UUID: id, UUIDSource: "smbios1", AgentEnabled: true}})
		}
	}
	return s
}
