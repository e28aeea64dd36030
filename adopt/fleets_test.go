package adopt_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/proxaudit/proxaudit/adopt"
	"github.com/proxaudit/proxaudit/inventory"
)

const v1beta3Text = `apiVersion: kubeadm.k8s.io/v1beta3
kind: ClusterConfiguration
kubernetesVersion: v1.33.4
apiServer:
  timeoutForControlPlane: 4m0s
  extraArgs: {audit-log-path: "-", v: ""}
  extraVolumes: [{name: log, hostPath: /var/log, mountPath: /log, readOnly: false, pathType: DirectoryOrCreate}]
controllerManager: {}
dns: {imageRepository: registry.example/dns, imageTag: v1.12.0}
etcd: {local: {dataDir: /data/etcd, extraArgs: {quota-backend-bytes: "8589934592"}, serverCertSANs: [etcd.example]}}
featureGates: {EtcdLearnerMode: true}
imageRepository: registry.example/k8s
networking: {podSubnet: "10.244.0.0/16,fd00:10::/56", serviceSubnet: "10.96.0.0/12,fd00:20::/112"}
scheduler: {extraArgs: {bind-address: 0.0.0.0}}
`

func kubernetes(v string) change {
	return all(setNodes("", func(n *inventory.Node) { n.KubeletVersion = v }), kubeadm("kubernetesVersion: v1.33.4", "kubernetesVersion: "+v),
		setCluster(func(c *inventory.Cluster) {
			c.Version = v
			for i := range c.StaticPods {
				c.StaticPods[i].Image = strings.Replace(c.StaticPods[i].Image, "v1.33.4", v, 1)
			}
		}))
}

// ipv6 is a cluster whose machines have nothing else.
func ipv6() change {
	return all(func(s *inventory.Snapshot, o *adopt.Options) {
		six := func(v4 string) string { return strings.Replace(v4, "10.0.", "fd00:10::", 1) }
		for i := range s.VMs {
			if c := s.VMs[i].Config.IPConfigs; len(c) > 0 {
				address, _, _ := strings.Cut(c[0].IPv4, "/")
				c[0] = inventory.IPConfig{Slot: "ipconfig0", IPv6: strings.ReplaceAll(six(address), ".", ":") + "/64", Gateway6: "fe80::1"}
				s.VMs[i].Config.Nameserver = "fd00:10::53 fd00:10::54"
			}
		}
		for i := range s.Nodes {
			s.Nodes[i].InternalIPs = []string{strings.ReplaceAll(six(s.Nodes[i].InternalIPs[0]), ".", ":")}
		}
		o.Future.Addresses = []string{"fd00:10::f000-fd00:10::f0ff"}
	}, kubeadm("controlPlaneEndpoint: 10.0.0.10:6443", "controlPlaneEndpoint: '[fd00:10::10]:6443'"),
		setCluster(func(c *inventory.Cluster) { c.Kubeadm.ControlPlaneEndpoint = "[fd00:10::10]:6443" }))
}

// fleets are clusters that can be adopted, of all kinds.
func fleets() map[string]change {
	taint := func(key, value, effect string) change {
		return setNodes("w-1", func(n *inventory.Node) {
			n.Taints = append(n.Taints, inventory.Taint{Key: key, Value: value, Effect: effect})
		})
	}
	return map[string]change{
		"1+0":   fixture(1, 0),
		"1+2":   fixture(1, 2),
		"3+3":   same,
		"3+6":   fixture(3, 6),
		"5+20":  fixture(5, 20),
		"7+200": fixture(7, 200),
		"one shape": func(s *inventory.Snapshot, _ *adopt.Options) {
			for i := range s.VMs {
				if v := &s.VMs[i]; v.VMID > 1000 && v.VMID < 9000 {
					v.Config.Cores, v.Config.MemoryMiB, v.Config.Disks = 2, 4096, slices.Clone(s.VMs[0].Config.Disks)
				}
			}
		},
		"labels": all(label("w-1", "node-role.kubernetes.io/gpu", ""), label("w-2", "node.cluster.x-k8s.io/tier", "fast"), label("w-3", "pool", "a"),
			label("cp-", "node-restriction.kubernetes.io/zone", "z"), label("cp-", "team", "core")),
		"taints":                       all(taint("dedicated", "gpu", "NoSchedule"), taint("maintenance", "", "NoExecute"), taint("node.kubernetes.io/unschedulable", "", "NoSchedule")),
		"control planes without taint": setNodes("cp-", func(n *inventory.Node) { n.Taints = nil }),
		"control planes with another taint": setNodes("cp-", func(n *inventory.Node) {
			n.Taints = append(n.Taints, inventory.Taint{Key: "zone", Value: "a", Effect: "NoExecute"})
		}),
		"IPv6":                                ipv6(),
		"external etcd":                       externalEtcd(),
		"external etcd on two control planes": all(fixture(2, 1), externalEtcd()),
		"v1beta3":                             setCluster(func(c *inventory.Cluster) { c.Kubeadm.ClusterConfiguration = v1beta3Text }),
		"an argument twice":                   apiArg("oidc-issuer-url", "https://old.example"),
		"everything that has a limit":         kubeadm("8760h0m0s", "87600h0m0s", "87600h0m0s", "8760000h0m0s", "RSA-2048", "ED25519"),
		"other keys and periods":              kubeadm("certificateValidityPeriod: 8760h", "certificateValidityPeriod: 2160h", "RSA-2048", "ECDSA-P256"),
		"1.30":                                kubernetes("v1.30.9"),
		"1.31":                                kubernetes("v1.31.0"),
		"1.35":                                kubernetes("v1.35.1"),
		"1.36":                                kubernetes("v1.36.0"),
		"the gate is set already":             kubeadm("dns: {}", "dns: {}\nfeatureGates: {ControlPlaneKubeletLocalMode: false}"),
		"the template says what we would":     template(func(v *inventory.VM) { v.Config.Description = "Worker of cluster prod, made by Cluster API\n" }),
		"several network devices": setVM(1001, func(v *inventory.VM) {
			v.Config.NICs = append([]inventory.NIC{{Slot: "net1", Model: "e1000", Bridge: "vmbr1", VLAN: 30, MTU: 9000, Queues: 4, MAC: "bc:24:11:99:00:01"}}, v.Config.NICs...)
		}),
		"another name and namespace": setOptions(func(o *adopt.Options) { o.Name, o.Namespace = "production", "team-a" }),
		"a very long name":           setOptions(func(o *adopt.Options) { o.Name = strings.Repeat("long-", 12) + "abc" }),
		"CAPMOX's own credentials":   all(managed("lab"), ownAccess(nil)),
		"VMs with other names":       all(vmName(1001, "blue.example.com"), vmName(101, strings.Repeat("a", 63))),
		"providerIDs are there":      setNodes("", func(n *inventory.Node) { n.ProviderID = "proxmox://" + n.SystemUUID }),
		"older providers":            all(capiVersions("v1.11.6"), version("infrastructure-proxmox", "v0.8.0")),
		"no UUID at the Node":        all(setNode("w-1", func(n *inventory.Node) { n.SystemUUID, n.ProviderID = "", "proxmox://"+n.SystemUUID })),
		"workers of three versions":  all(kubelet("w-1", "v1.30.1"), kubelet("w-2", "v1.33.7")),
		"one CRI socket each": setNode("cp-1", func(n *inventory.Node) {
			n.Annotations = map[string]string{"kubeadm.alpha.kubernetes.io/cri-socket": "unix:///run/crio/crio.sock"}
		}),
		"no CRI socket": all(setNodes("", func(n *inventory.Node) { n.Annotations = nil }), setCluster(func(c *inventory.Cluster) { c.KubeletConfiguration = "" })),
	}
}

// TestFleets: every fleet that can be adopted has a bundle that breaks nothing.
func TestFleets(t *testing.T) {
	for name, c := range fleets() {
		t.Run(name, func(t *testing.T) {
			s, o := spoiled(c)
			p := plan(t, s, o)
			checkInvariants(t, s, p)
			if p.Summary.Objects != len(p.Objects) || len(p.Objects) != len(p.Bundle().Documents) {
				t.Errorf("%d objects are listed, and there are %d", len(p.Objects), len(p.Bundle().Documents))
			}
		})
	}
}

// TestForcedBundles: what --force renders keeps every promise as well.
func TestForcedBundles(t *testing.T) {
	forced := 0
	for id, cases := range ruleCases() {
		for _, c := range cases {
			if !c.forced {
				continue
			}
			t.Run(id+" "+c.name, func(t *testing.T) {
				s, o := spoiled(c.do)
				o.Force = true
				checkInvariants(t, s, plan(t, s, o))
			})
			forced++
		}
	}
	if forced < 10 {
		t.Fatalf("%d forced bundles: the test does not see them", forced)
	}
}
