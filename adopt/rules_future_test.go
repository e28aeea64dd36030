package adopt_test

import (
	"slices"

	"github.com/proxaudit/proxaudit/adopt"
	"github.com/proxaudit/proxaudit/inventory"
	"github.com/proxaudit/proxaudit/inventory/inventorytest"
)

func addresses(list ...string) change {
	return setOptions(func(o *adopt.Options) { o.Future.Addresses = list })
}

func ipConfig(address string) func(*inventory.VM) {
	return func(v *inventory.VM) {
		v.Config.IPConfigs = []inventory.IPConfig{{Slot: "ipconfig0", IPv4: address}}
	}
}

func agent(list ...string) func(*inventory.VM) {
	return func(v *inventory.VM) {
		v.Agent = &inventory.Agent{Interfaces: []inventory.AgentInterface{{Name: "eth0", Addresses: list}}}
	}
}

func template(f func(*inventory.VM)) change { return setVM(9000, f) }

// twoDisks is a template with a scsi0 of its own and a virtio0 of 50 GiB, which boots from one of them.
func twoDisks(boot string) change {
	return template(func(v *inventory.VM) {
		size := int64(50 << 30)
		v.Config.BootDisk = boot
		v.Config.Disks = append(slices.Clone(v.Config.Disks), inventory.Disk{Slot: "virtio0", Storage: "local-zfs", Volume: "base-9000-disk-1", SizeBytes: &size})
	})
}

func diskSize(bytes int64) change {
	return template(func(v *inventory.VM) { v.Config.Disks[0].SizeBytes = &bytes })
}

// endpointName makes kubeadm's endpoint a DNS name, where the kubeconfig leads to a host.
func endpointName(server string) change {
	return setCluster(func(c *inventory.Cluster) {
		c.Kubeadm.ControlPlaneEndpoint, c.Server = "k8s.example.com:6443", "https://"+server+":6443"
	})
}

// futureCases are those about what machines to come are made from.
func futureCases() map[string][]ruleCase {
	return map[string][]ruleCase{
		"PXA210": {
			{"an adopted machine's", addresses("10.0.0.12-10.0.0.12"), find("vm/lab/102", "10.0.0.12"), false},
			{"the endpoint", addresses("10.0.0.10"), find("cluster/prod", "endpoint 10.0.0.10"), false},
			{"the address behind an endpoint that is a name", endpointName("10.0.0.210"), find("cluster/prod", "in the kubeconfig 10.0.0.210"), false},
			{"an address of the certificate", all(endpointName("k8s.example.com"), kubeadm("  certSANs:\n", "  certSANs:\n  - 10.0.0.211\n")), find("cluster/prod", "certSANs 10.0.0.211"), false},
			{"the endpoint, in the form of IPv6", setCluster(func(c *inventory.Cluster) { c.Kubeadm.ControlPlaneEndpoint = "[::ffff:10.0.0.212]:6443" }), find("cluster/prod", "endpoint 10.0.0.212"), false},
			{"the gateway", addresses("10.0.0.1"), find("cluster/prod", "gateway 10.0.0.1"), false},
			{"a stranger's", stranger("lab", 500, ipConfig("10.0.0.205/16")), find("vm/lab/500", "10.0.0.205"), false},
			{"a stranger's, by its agent", stranger("lab", 500, agent("10.0.0.206", "fe80::1")), find("vm/lab/500", "10.0.0.206"), false},
			{"an adopted machine's, by its agent alone", setVM(1001, agent("10.0.0.207/16")), find("vm/lab/1001", "10.0.0.207"), false},
			{"of a Node of another cluster", all(stranger("lab", 500, nil), otherCluster(inventory.Node{Name: "office-500", SystemUUID: inventorytest.UUID(500), InternalIPs: []string{"10.0.0.208"}})),
				find("node/dev/office-500", "10.0.0.208"), false},
			{"of a pool", pool("dev", "dev-v4-icip", "10.0.0.220-10.0.0.230"), find("inclusterippool/dev/dev-v4-icip", "10.0.0.220-10.0.0.230"), false},
			{"of a pool whose cluster's name begins alike", pool("prod", "prod-v2-v4-icip", "10.0.0.0/24"), find("inclusterippool/prod/prod-v2-v4-icip", "10.0.0.0/24"), false},
			{"of a Node that is left out", all(func(s *inventory.Snapshot, _ *adopt.Options) { dropVM(s, 1001) }, setNode("w-1", func(n *inventory.Node) { n.InternalIPs = []string{"10.0.0.209"} })),
				find("node/prod/w-1", "10.0.0.209"), false},
			{"of a DNS server for future machines", setOptions(func(o *adopt.Options) { o.Future.DNSServers = []string{"10.0.0.211"} }), find("cluster/prod", "the DNS server 10.0.0.211"), false},
			{"of a VM's DNS server", setVM(1001, func(v *inventory.VM) { v.Config.Nameserver = "10.0.0.1 10.0.0.212" }),
				find("cluster/prod", "VM 1001's DNS server 10.0.0.212"), false},
			{"of a stranger's gateway", stranger("lab", 500, func(v *inventory.VM) {
				v.Config.IPConfigs = []inventory.IPConfig{{Slot: "ipconfig0", IPv4: "10.0.7.1/16", Gateway4: "10.0.0.213"}}
			}), find("cluster/prod", "VM 500's gateway 10.0.0.213"), false},
			{"of a Proxmox host", func(s *inventory.Snapshot, _ *adopt.Options) { s.Sites[0].Nodes[1].IP = "10.0.0.214" }, find("cluster/prod", "the Proxmox host pve2's address 10.0.0.214"), false},
			{"of the Proxmox API", func(s *inventory.Snapshot, _ *adopt.Options) { s.Sites[0].URL = "https://10.0.0.215:8006/api2/json" }, find("cluster/prod", "the Proxmox API's address 10.0.0.215"), false},
			{"of a pool that writes them as IPv6", pool("dev", "dev-v4-icip", "::ffff:10.0.0.220-::ffff:10.0.0.230"), find("inclusterippool/dev/dev-v4-icip", "::ffff:10.0.0.220"), false},
			{"of a pool that writes its network as IPv6", pool("dev", "dev-v4-icip", "::ffff:10.0.0.0/120"), find("inclusterippool/dev/dev-v4-icip", "/120"), false},
			{"an adopted machine's, written as IPv6", addresses("::ffff:10.0.0.12-::ffff:10.0.0.12"), find("vm/lab/102", "10.0.0.12"), false},
			{"the same host address on another site", all(stranger("dr", 500, nil), func(s *inventory.Snapshot, _ *adopt.Options) { s.Sites[len(s.Sites)-1].Nodes[0].IP = "10.0.0.214" }), nil, false},
			{"nobody's", same, nil, false},
			{"an endpoint that is a name, with an address elsewhere", endpointName("10.0.0.10"), nil, false},
			{"of its own pool, in a later run", pool("prod", "prod-v4-icip", "10.0.0.200-10.0.0.220"), nil, false},
			{"of another pool that has none of them", pool("dev", "dev-v4-icip", "10.0.1.0/24"), nil, false},
			{"the same private address on another site", stranger("dr", 500, ipConfig("10.0.0.205/16")), nil, false},
			{"words instead of addresses", stranger("lab", 500, ipConfig("dhcp")), nil, false},
			{"edge: a template has none yet", template(ipConfig("10.0.0.205/16")), nil, false},
			{"edge: a CIDR that holds several", addresses("10.0.0.12/31"), []wanted{{"vm/lab/102", "10.0.0.12"}, {"vm/lab/103", "10.0.0.13"}}, false},
		},
		"PXA216": {
			{"no addresses", addresses(), find("cluster/prod", "guesses none"), false},
			{"addresses that are none", addresses("10.0.0.300"), find("cluster/prod", "10.0.0.300"), false},
			{"IPv4 in IPv6 form", addresses("::ffff:10.0.0.200-::ffff:10.0.0.210"), find("cluster/prod", "in IPv6 form"), false},
			{"a range over two families", addresses("::ffff:10.0.0.200-fd00::1"), find("cluster/prod", "is no range"), false},
			{"two families", all(addresses("10.0.0.200", "fd00::200")), find("cluster/prod", "two families"), false},
			{"no template", func(s *inventory.Snapshot, _ *adopt.Options) { dropVM(s, 9000) }, find("cluster/prod", "shows none"), false},
			{"two templates", stranger("lab", 9001, func(v *inventory.VM) { yes := true; v.Template = &yes }), find("cluster/prod", "9000 (debian-12-k8s), 9001 (office-9001)"), false},
			{"a template that is none", all(stranger("lab", 500, nil), setOptions(func(o *adopt.Options) { o.Future.Template = 500 })), find("cluster/prod", "is no template"), false},
			{"a template that is nowhere", setOptions(func(o *adopt.Options) { o.Future.Template = 501 }), find("cluster/prod", "shows no VM 501"), false},
			{"two gateways", setVM(1001, func(v *inventory.VM) { v.Config.IPConfigs[0].Gateway4 = "10.0.0.2" }), find("cluster/prod", "10.0.0.1, 10.0.0.2"), false},
			{"a gateway that is none", setOptions(func(o *adopt.Options) { o.Future.Gateway = "router" }), find("cluster/prod", `"router" is no address`), false},
			{"a gateway of another family", setOptions(func(o *adopt.Options) { o.Future.Gateway = "fd00::1" }), find("cluster/prod", "no IPv4 address"), false},
			{"a derived gateway that is not in the network of the addresses", setOptions(func(o *adopt.Options) { o.Future.Prefix, o.Future.Addresses = 24, []string{"10.0.7.1-10.0.7.9"} }),
				find("cluster/prod", "10.0.0.1 is not in the network of the addresses, 10.0.7.0/24 (--gateway)"), false},
			{"addresses that no one network has", setOptions(func(o *adopt.Options) { o.Future.Prefix, o.Future.Addresses = 24, []string{"10.0.0.250-10.0.1.5"} }),
				find("cluster/prod", "are not in one network (--prefix)"), false},
			{"a DNS server that is none", setOptions(func(o *adopt.Options) { o.Future.DNSServers = []string{"resolver"} }), find("cluster/prod", `"resolver" is no address`), false},
			{"credentials in the kubeconfig's place", setOptions(func(o *adopt.Options) { o.Future.CredentialsSecret = "prod-kubeconfig" }), find("cluster/prod", "own Secrets"), false},
			{"an address twice", addresses("10.0.0.200-10.0.0.210", "10.0.0.205"), find("cluster/prod", "stand before it"), false},
			{"two addresses in one", addresses("10.0.0.200 10.0.0.201"), find("cluster/prod", "has a blank"), false},
			{"more memory than there is", setVM(1001, func(v *inventory.VM) { v.Config.MemoryMiB = 1 << 40 }), find("vm/lab/1001", "memory in MiB is said to be 1099511627776"), false},
			{"more cores than an int32 holds", setVM(102, func(v *inventory.VM) { v.Config.Cores = 1 << 33 }), find("vm/lab/102", "cores is said to be 8589934592"), false},
			{"a negative number of sockets", setVM(1001, func(v *inventory.VM) { v.Config.Sockets = -1 }), find("vm/lab/1001", "sockets is said to be -1"), false},
			{"negative memory", setVM(1001, func(v *inventory.VM) { v.Config.MemoryMiB = -8 }), find("vm/lab/1001", "-8"), false},
			{"no cores", setVM(1001, func(v *inventory.VM) { v.Config.Cores = 0 }), find("vm/lab/1001", "is said to be 0"), false},
			{"a disk of a negative size", setVM(1001, func(v *inventory.VM) { n := int64(-1); v.Config.Disks[0].SizeBytes = &n }), find("vm/lab/1001", "disk scsi0"), false},
			{"a template's disk of any size", diskSize(1 << 62), find("vm/lab/9000", "disk scsi0"), false},
			{"two prefixes", setVM(1001, func(v *inventory.VM) { v.Config.IPConfigs[0].IPv4 = "10.0.1.1/24" }), find("cluster/prod", "16, 24"), false},
			{"a prefix that is none", setOptions(func(o *adopt.Options) { o.Future.Prefix = 33 }), find("cluster/prod", "33 is no length"), false},
			{"no name server", func(s *inventory.Snapshot, _ *adopt.Options) {
				for i := range s.VMs {
					s.VMs[i].Config.Nameserver = ""
				}
			}, find("cluster/prod", "DNS servers"), false},
			{"no endpoint", setCluster(func(c *inventory.Cluster) { c.Kubeadm.ControlPlaneEndpoint, c.Server = "", "" }), find("cluster/prod", "endpoint"), false},
			{"an endpoint through somebody's tunnel", setCluster(func(c *inventory.Cluster) { c.Kubeadm.ControlPlaneEndpoint, c.Server = "", "https://127.0.0.1:6443" }), find("cluster/prod", "endpoint"), false},
			{"an endpoint that is each machine's own: a name", setCluster(func(c *inventory.Cluster) { c.Kubeadm.ControlPlaneEndpoint = "localhost:6443" }), find("cluster/prod", "kubeadm-config says localhost:6443, which is each machine's own"), false},
			{"an endpoint that is each machine's own: an address", setCluster(func(c *inventory.Cluster) { c.Kubeadm.ControlPlaneEndpoint = "127.0.0.1:6443" }), find("cluster/prod", "kubeadm-config says 127.0.0.1:6443, which is each machine's own"), false},
			{"an endpoint that is each machine's own: an address of IPv6", setCluster(func(c *inventory.Cluster) { c.Kubeadm.ControlPlaneEndpoint = "[::1]:6443" }), find("cluster/prod", "kubeadm-config says [::1]:6443, which is each machine's own"), false},
			{"an endpoint that is each machine's own: IPv4 in the form of IPv6", setCluster(func(c *inventory.Cluster) { c.Kubeadm.ControlPlaneEndpoint = "[::ffff:127.0.0.1]:6443" }), find("cluster/prod", "kubeadm-config says [::ffff:127.0.0.1]:6443, which is each machine's own"), false},
			{"an endpoint that is each machine's own: no address", setCluster(func(c *inventory.Cluster) { c.Kubeadm.ControlPlaneEndpoint = "0.0.0.0" }), find("cluster/prod", "kubeadm-config says 0.0.0.0, which is each machine's own"), false},
			{"an endpoint that is each machine's own: a name in capitals, to the root", setCluster(func(c *inventory.Cluster) { c.Kubeadm.ControlPlaneEndpoint = "LOCALHOST.:6443" }), find("cluster/prod", "kubeadm-config says LOCALHOST.:6443, which is each machine's own"), false},
			{"an endpoint that is each machine's own: a name below", setCluster(func(c *inventory.Cluster) { c.Kubeadm.ControlPlaneEndpoint = "k8s.localhost:6443" }), find("cluster/prod", "kubeadm-config says k8s.localhost:6443, which is each machine's own"), false},
			{"an endpoint whose name begins like that", setCluster(func(c *inventory.Cluster) { c.Kubeadm.ControlPlaneEndpoint = "localhost.example.com:6443" }), nil, false},
			{"one context for both clusters", sameContext("", ""), find("cluster/prod", "which cluster a command is for"), false},
			{"one context in one file for both clusters", sameContext("a.conf", "a.conf"), find("cluster/prod", "which cluster a command is for"), false},
			{"one context, and two files", sameContext("", "prod.conf"), nil, false},
			{"one context, for the management cluster is the one to adopt", all(sameContext("", ""), func(s *inventory.Snapshot, _ *adopt.Options) { s.Management.ClusterName = "prod" }), nil, false},
			{"all derived", same, nil, false},
			{"all given", setOptions(func(o *adopt.Options) {
				o.Future = adopt.Future{Template: 9000, Addresses: []string{"10.0.0.200/29"}, Prefix: 24, Gateway: "10.0.0.254", DNSServers: []string{"1.1.1.1"}, CredentialsSecret: "pve"}
			}), nil, false},
			{"a second network without a gateway", setVM(1001, func(v *inventory.VM) {
				v.Config.IPConfigs = append(v.Config.IPConfigs, inventory.IPConfig{Slot: "ipconfig1", IPv4: "192.168.0.1/24"})
			}), nil, false},
			{"edge: the endpoint of the kubeconfig will do", setCluster(func(c *inventory.Cluster) { c.Kubeadm.ControlPlaneEndpoint = "" }), nil, false},
		},
		"PXA250": {
			{"the template's disk is larger", diskSize(50 << 30), find("vm/lab/9000", "prod-control-plane: the template's boot disk has 50 GiB, and theirs 40"), false},
			{"memory that is no multiple of 8", setVM(1002, func(v *inventory.VM) { v.Config.MemoryMiB = 65537 }), find("vm/lab/9000", "65537 MiB"), false},
			{"the template's disk is of no known size", template(func(v *inventory.VM) { v.Config.Disks = nil }),
				[]wanted{{"vm/lab/9000", "prod-control-plane: the size"}, {"vm/lab/9000", "prod-workers-4c-16g: the size"}, {"vm/lab/9000", "prod-workers-8c-64g: the size"}}, false},
			{"the template boots from the larger of its disks", twoDisks("virtio0"), find("vm/lab/9000", "prod-control-plane: the template's boot disk has 50 GiB, and theirs 40"), false},
			{"the template boots from the smaller of its disks", twoDisks("scsi0"), nil, false},
			{"smaller", same, nil, false},
			{"as large", diskSize(40 << 30), nil, false},
			{"edge: larger than all", diskSize(500 << 30), []wanted{{"vm/lab/9000", "theirs 40"}, {"vm/lab/9000", "theirs 60"}, {"vm/lab/9000", "theirs 200"}}, false},
		},
	}
}

// pool is one of the in-cluster IPAM provider.
func pool(namespace, name, addresses string) change {
	return func(s *inventory.Snapshot, _ *adopt.Options) {
		s.Objects = append(s.Objects, inventory.Object{APIVersion: "ipam.cluster.x-k8s.io/v1alpha2", Kind: "InClusterIPPool", Namespace: namespace, Name: name,
			Content: map[string]any{"spec": map[string]any{"addresses": []any{addresses}, "prefix": float64(24)}}})
	}
}

// sameContext is kubeadm's own context for both clusters, each from a file.
func sameContext(management, workload string) change {
	const context = "kubernetes-admin@kubernetes"
	return all(func(s *inventory.Snapshot, _ *adopt.Options) {
		s.Management.Context, s.Management.Kubeconfig = context, management
	}, setCluster(func(c *inventory.Cluster) { c.Access, c.Kubeconfig = "kubeconfig "+context, workload }))
}
