package adopt_test

import (
	"fmt"
	"slices"
	"strings"

	"github.com/proxaudit/proxaudit/adopt"
	"github.com/proxaudit/proxaudit/inventory"
	"github.com/proxaudit/proxaudit/inventory/inventorytest"
)

// change spoils a Snapshot, or the Options, in one way.
type change func(s *inventory.Snapshot, o *adopt.Options)

// all makes one change of several.
func all(list ...change) change {
	return func(s *inventory.Snapshot, o *adopt.Options) {
		for _, c := range list {
			c(s, o)
		}
	}
}

func same(*inventory.Snapshot, *adopt.Options) {}

// setVM changes the VM with a VMID of site lab. A fixture without it is the test's own mistake.
func setVM(vmid int, f func(*inventory.VM)) change {
	return func(s *inventory.Snapshot, _ *adopt.Options) {
		i := slices.IndexFunc(s.VMs, func(v inventory.VM) bool { return v.VMID == vmid && v.Site == "lab" })
		if i < 0 {
			panic(fmt.Sprintf("the fixture has no VM %d", vmid))
		}
		f(&s.VMs[i])
	}
}

func setNode(name string, f func(*inventory.Node)) change {
	return func(s *inventory.Snapshot, _ *adopt.Options) {
		i := slices.IndexFunc(s.Nodes, func(n inventory.Node) bool { return n.Name == name && n.Cluster == "prod" })
		if i < 0 {
			panic("the fixture has no Node " + name)
		}
		f(&s.Nodes[i])
	}
}

func setNodes(prefix string, f func(*inventory.Node)) change {
	return func(s *inventory.Snapshot, _ *adopt.Options) {
		for i := range s.Nodes {
			if strings.HasPrefix(s.Nodes[i].Name, prefix) {
				f(&s.Nodes[i])
			}
		}
	}
}

func setCluster(f func(*inventory.Cluster)) change {
	return func(s *inventory.Snapshot, _ *adopt.Options) { f(&s.Clusters[0]) }
}

func setOptions(f func(*adopt.Options)) change {
	return func(_ *inventory.Snapshot, o *adopt.Options) { f(o) }
}

func setProvider(label string, f func(*inventory.Provider)) change {
	return func(s *inventory.Snapshot, _ *adopt.Options) {
		i := slices.IndexFunc(s.Providers, func(p inventory.Provider) bool { return p.Label == label })
		if i < 0 {
			panic("the fixture has no provider " + label)
		}
		f(&s.Providers[i])
	}
}

// fixture is another cluster than the usual one, of 3 control planes and 3 workers.
func fixture(controlPlanes, workers int) change {
	return func(s *inventory.Snapshot, _ *adopt.Options) {
		*s = *inventorytest.ScriptBuilt("prod", controlPlanes, workers)
	}
}

// kubeadm edits kubeadm-config, as pairs of old and new text.
func kubeadm(pairs ...string) change {
	return setCluster(func(c *inventory.Cluster) {
		for i := 0; i < len(pairs); i += 2 {
			if !strings.Contains(c.Kubeadm.ClusterConfiguration, pairs[i]) {
				panic("the fixture's kubeadm-config lacks " + pairs[i])
			}
			c.Kubeadm.ClusterConfiguration = strings.ReplaceAll(c.Kubeadm.ClusterConfiguration, pairs[i], pairs[i+1])
		}
	})
}

const externalEtcdText = "  external:\n    caFile: /etc/kubernetes/pki/etcd/ca.crt\n    certFile: /etc/kubernetes/pki/apiserver-etcd-client.crt\n" +
	"    endpoints:\n    - https://10.0.0.31:2379\n    keyFile: /etc/kubernetes/pki/apiserver-etcd-client.key\n"

func externalEtcd() change {
	return all(kubeadm("  local:\n    dataDir: /var/lib/etcd\n", externalEtcdText), noPods("etcd"))
}

func noPods(component string) change {
	return setCluster(func(c *inventory.Cluster) {
		c.StaticPods = slices.DeleteFunc(c.StaticPods, func(p inventory.StaticPod) bool { return p.Component == component })
	})
}

func addPod(p inventory.StaticPod) change {
	return setCluster(func(c *inventory.Cluster) { c.StaticPods = append(c.StaticPods, p) })
}

func setPod(name string, f func(*inventory.StaticPod)) change {
	return setCluster(func(c *inventory.Cluster) {
		i := slices.IndexFunc(c.StaticPods, func(p inventory.StaticPod) bool { return p.Name == name })
		if i < 0 {
			panic("the fixture has no Pod " + name)
		}
		f(&c.StaticPods[i])
	})
}

// stranger is a VM that belongs to nothing, on a site.
func stranger(site string, vmid int, f func(*inventory.VM)) change {
	return func(s *inventory.Snapshot, _ *adopt.Options) {
		no := false
		v := inventory.VM{Site: site, VMID: vmid, Type: inventory.GuestQEMU, Node: "pve1", Name: fmt.Sprintf("office-%d", vmid), Status: "running", Template: &no,
			Config: &inventory.VMConfig{UUID: inventorytest.UUID(vmid), RawUUID: inventorytest.UUID(vmid), UUIDSource: "smbios1", Sockets: 1, Cores: 1, VCPUs: 1, MemoryMiB: 1024,
				NICs: []inventory.NIC{{Slot: "net0", Model: "virtio", MAC: fmt.Sprintf("bc:24:11:ff:%02x:%02x", vmid>>8&255, vmid&255), Bridge: "vmbr0"}}}}
		if f != nil {
			f(&v)
		}
		s.VMs = append(s.VMs, v)
		if site != "lab" && !slices.ContainsFunc(s.Sites, func(x inventory.Site) bool { return x.Name == site }) {
			s.Sites = append(s.Sites, inventory.Site{Name: site, ClusterName: site, Visibility: inventory.Visibility{Complete: true},
				Nodes: []inventory.ProxmoxNode{{Name: "pve1", Status: inventory.NodeOnline}}})
			for _, scope := range []string{inventory.ScopeGuests, inventory.ScopeVersion, inventory.ScopePermissions, inventory.ScopeClusterStatus,
				inventory.NodeScope("pve1"), inventory.ConfigScope("pve1")} {
				s.Coverage = append(s.Coverage, inventory.Coverage{Source: inventory.SiteSource(site), Scope: scope, State: inventory.Complete, Asked: 1, Got: 1})
			}
		}
	}
}

// otherCluster is a cluster dev with one Node.
func otherCluster(n inventory.Node) change {
	return func(s *inventory.Snapshot, _ *adopt.Options) {
		s.Clusters = append(s.Clusters, inventory.Cluster{Key: "dev"})
		n.Cluster = "dev"
		s.Nodes = append(s.Nodes, n)
		s.Coverage = append(s.Coverage, inventory.Coverage{Source: inventory.ClusterSource("dev"), Scope: inventory.ScopeNodes, State: inventory.Complete, Asked: 1, Got: 1})
	}
}

// object is an object of the management cluster, in namespace prod unless the content's metadata says otherwise.
func object(apiVersion, kind, name string, content map[string]any) change {
	return func(s *inventory.Snapshot, _ *adopt.Options) {
		o := inventory.Object{APIVersion: apiVersion, Kind: kind, Namespace: "prod", Name: name, Content: content}
		if meta, ok := content["metadata"].(map[string]any); ok && meta["namespace"] != nil {
			o.Namespace = fmt.Sprint(meta["namespace"])
		}
		s.Objects = append(s.Objects, o)
	}
}

const capi = "cluster.x-k8s.io/v1beta2"

// owner is a MachineHealthCheck, MachineSet or MachineDeployment of a cluster with a selector.
func owner(kind, cluster string, selector any, metadata map[string]any) change {
	return object(capi, kind, "other", map[string]any{"metadata": metadata, "spec": map[string]any{"clusterName": cluster, "selector": selector}})
}

func matchLabels(pairs ...string) map[string]any {
	labels := map[string]any{}
	for i := 0; i < len(pairs); i += 2 {
		labels[pairs[i]] = pairs[i+1]
	}
	return map[string]any{"matchLabels": labels}
}

// declaredMachine is a Machine of the cluster, with its ProxmoxMachine, for a VM.
func declaredMachine(namespace, name string, vmid int, annotations map[string]string) change {
	return func(s *inventory.Snapshot, _ *adopt.Options) {
		id := vmid
		created := inventorytest.Now.AddDate(0, 0, -30)
		pid := "proxmox://" + inventorytest.ScriptBuiltUUID(vmid)
		meta := inventory.Meta{Namespace: namespace, Name: name, CreatedAt: &created, Annotations: annotations}
		s.Machines = append(s.Machines, inventory.Machine{Meta: meta, Cluster: "prod", ProviderID: pid,
			InfrastructureRef: &inventory.Ref{Group: inventory.GroupInfrastructure, Kind: "ProxmoxMachine", Name: name}})
		s.ProxmoxMachines = append(s.ProxmoxMachines, inventory.ProxmoxMachine{Meta: meta, Cluster: "prod", ProviderID: pid, VMID: &id,
			SourceNode: "pve1", Ready: true})
		for _, kind := range []string{"Machine", "ProxmoxMachine"} {
			content := renderedFor("prod", annotations, map[string]any{"clusterName": "prod"})
			s.Objects = append(s.Objects, inventory.Object{APIVersion: capi, Kind: kind, Namespace: namespace, Name: name, Content: content})
		}
	}
}

func anyMap(in map[string]string) map[string]any {
	out := map[string]any{}
	for k, v := range in {
		out[k] = v
	}
	return out
}

// spoiled is the usual cluster with a change.
func spoiled(c change) (*inventory.Snapshot, adopt.Options) {
	s, o := inventorytest.ScriptBuilt("prod", 3, 3), options()
	c(s, &o)
	s.Sort()
	return s, o
}
