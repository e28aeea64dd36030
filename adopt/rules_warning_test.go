package adopt_test

import (
	"slices"

	"github.com/proxaudit/proxaudit/adopt"
	"github.com/proxaudit/proxaudit/inventory"
	"github.com/proxaudit/proxaudit/inventory/inventorytest"
)

func apiServer(text string) change { return kubeadm("apiServer:\n", "apiServer:\n"+text) }

func apiArg(name, value string) change {
	return kubeadm("  - name: oidc-issuer-url\n", "  - name: "+name+"\n    value: "+value+"\n  - name: oidc-issuer-url\n")
}

func label(name, key, value string) change {
	return setNodes(name, func(n *inventory.Node) { n.Labels[key] = value })
}

// apiServerRuns adds arguments to the API server of a Node, as somebody does who edits the manifest on disk.
func apiServerRuns(node string, args ...string) change {
	return setPod("kube-apiserver-"+node, func(p *inventory.StaticPod) { p.Args = append(slices.Clone(p.Args), args...) })
}

// kubeadmPods gives the Pods of cp-1 the paths that kubeadm itself writes into their manifests (kubeadm app/phases/controlplane,
// app/phases/etcd), beside what they run with.
func kubeadmPods() change {
	add := func(component string, args ...string) change {
		return setPod(component+"-cp-1", func(p *inventory.StaticPod) { p.Args = append(slices.Clone(p.Args), args...) })
	}
	return all(add("kube-apiserver", "--client-ca-file=/etc/kubernetes/pki/ca.crt", "--etcd-cafile=/etc/kubernetes/pki/etcd/ca.crt",
		"--etcd-certfile=/etc/kubernetes/pki/apiserver-etcd-client.crt", "--etcd-keyfile=/etc/kubernetes/pki/apiserver-etcd-client.key",
		"--kubelet-client-certificate=/etc/kubernetes/pki/apiserver-kubelet-client.crt", "--kubelet-client-key=/etc/kubernetes/pki/apiserver-kubelet-client.key",
		"--proxy-client-cert-file=/etc/kubernetes/pki/front-proxy-client.crt", "--proxy-client-key-file=/etc/kubernetes/pki/front-proxy-client.key",
		"--requestheader-client-ca-file=/etc/kubernetes/pki/front-proxy-ca.crt", "--service-account-key-file=/etc/kubernetes/pki/sa.pub",
		"--service-account-signing-key-file=/etc/kubernetes/pki/sa.key", "--tls-cert-file=/etc/kubernetes/pki/apiserver.crt", "--tls-private-key-file=/etc/kubernetes/pki/apiserver.key"),
		add("kube-controller-manager", "--authentication-kubeconfig=/etc/kubernetes/controller-manager.conf", "--authorization-kubeconfig=/etc/kubernetes/controller-manager.conf",
			"--kubeconfig=/etc/kubernetes/controller-manager.conf", "--client-ca-file=/etc/kubernetes/pki/ca.crt", "--cluster-signing-cert-file=/etc/kubernetes/pki/ca.crt",
			"--cluster-signing-key-file=/etc/kubernetes/pki/ca.key", "--requestheader-client-ca-file=/etc/kubernetes/pki/front-proxy-ca.crt",
			"--root-ca-file=/etc/kubernetes/pki/ca.crt", "--service-account-private-key-file=/etc/kubernetes/pki/sa.key"),
		add("kube-scheduler", "--kubeconfig=/etc/kubernetes/scheduler.conf", "--authentication-kubeconfig=/etc/kubernetes/scheduler.conf"),
		add("etcd", "--cert-file=/etc/kubernetes/pki/etcd/server.crt", "--data-dir=/data/etcd", "--key-file=/etc/kubernetes/pki/etcd/server.key",
			"--peer-cert-file=/etc/kubernetes/pki/etcd/peer.crt", "--peer-key-file=/etc/kubernetes/pki/etcd/peer.key",
			"--peer-trusted-ca-file=/etc/kubernetes/pki/etcd/ca.crt", "--trusted-ca-file=/etc/kubernetes/pki/etcd/ca.crt"))
}

func kubeVIP(node string) change {
	return addPod(inventory.StaticPod{Name: "kube-vip-" + node, Component: "kube-vip", Node: node})
}

// warningCases are those of rules that forbid nothing.
func warningCases() map[string][]ruleCase {
	selected := setCluster(func(c *inventory.Cluster) { c.Selector = inventory.Selector{VMIDs: []string{"500-599"}} })
	return map[string][]ruleCase{
		"PXA241": {
			{"an older Cluster API", capiVersions("v1.13.0"), find("provider/cluster-api", "v1.13.0 with CAPMOX v0.9.0"), false},
			{"an older CAPMOX", version("infrastructure-proxmox", "v0.8.0"), find("provider/cluster-api", "CAPMOX v0.8.0"), false},
			{"the proven pair", same, nil, false},
			{"the proven pair, without the v", all(capiVersions("1.14.2"), version("infrastructure-proxmox", "0.9.0")), nil, false},
			{"the proven pair by option", setOptions(func(o *adopt.Options) { o.CAPIVersion, o.CAPMOXVersion = "v1.14.2", "v0.9.0" }), nil, false},
			{"edge: what blocks is not warned of as well", version("infrastructure-proxmox", "v0.7.7"), nil, false},
		},
		"PXA242": {
			{"an audit policy", apiArg("audit-policy-file", "/etc/kubernetes/audit.yaml"), find("cluster/prod", "/etc/kubernetes/audit.yaml (kube-apiserver --audit-policy-file)"), false},
			{"a mounted folder", apiServer("  extraVolumes:\n  - {name: enc, hostPath: /etc/kubernetes/enc, mountPath: /enc}\n"), find("cluster/prod", "/etc/kubernetes/enc (mounted by kube-apiserver)"), false},
			{"certificates of etcd", kubeadm("  local:\n    dataDir: /var/lib/etcd\n", "  external:\n    caFile: /etc/etcd/ca.crt\n    certFile: /etc/kubernetes/pki/apiserver-etcd-client.crt\n    endpoints: [https://10.0.0.31:2379]\n    keyFile: /etc/kubernetes/pki/apiserver-etcd-client.key\n"),
				find("cluster/prod", "/etc/etcd/ca.crt (external etcd)"), false},
			{"an encryption configuration that only the manifests on disk name", all(apiServerRuns("cp-1", "--encryption-provider-config=/etc/kubernetes/enc.yaml"), apiServerRuns("cp-2", "--encryption-provider-config=/etc/kubernetes/enc.yaml")),
				find("cluster/prod", "/etc/kubernetes/enc.yaml (kube-apiserver --encryption-provider-config, which runs on cp-1, cp-2 and is not in kubeadm-config): a control plane that is made later would lack both: it could not read what the others encrypted"), false},
			{"an audit policy and admission that only the manifests on disk name", apiServerRuns("cp-1", "--audit-policy-file", "/srv/audit.yaml", "--admission-control-config-file=/srv/admission.yaml"),
				[]wanted{{"cluster/prod", "/srv/audit.yaml (kube-apiserver --audit-policy-file, which runs on cp-1"}, {"cluster/prod", "it would admit what the others refuse"}}, false},
			{"an audit policy that both name", all(apiArg("audit-policy-file", "/etc/kubernetes/audit.yaml"), apiServerRuns("cp-1", "--audit-policy-file=/etc/kubernetes/audit.yaml")),
				find("cluster/prod", "/etc/kubernetes/audit.yaml (kube-apiserver --audit-policy-file): "), false},
			{"certificates of etcd that only the manifest names", apiServerRuns("cp-3", "--etcd-cafile=/etc/etcd/ca.crt", "--etcd-certfile=/etc/kubernetes/pki/apiserver-etcd-client.crt"), find("cluster/prod", "/etc/etcd/ca.crt"), false},
			{"what every Pod of kubeadm runs with", kubeadmPods(), nil, false},
			{"none", same, nil, false},
			{"made on demand", apiServer("  extraVolumes:\n  - {name: log, hostPath: /srv/audit, mountPath: /srv/audit, pathType: DirectoryOrCreate}\n"), nil, false},
			{"what kubeadm makes", all(apiArg("client-ca-file", "/etc/kubernetes/pki/ca.crt"), externalEtcd()), nil, false},
			{"edge: a folder of certificates elsewhere", all(kubeadm("certificatesDir: /etc/kubernetes/pki", "certificatesDir: /srv/pki"), apiArg("client-ca-file", "/srv/pki/../pki/ca.crt")), nil, false},
		},
		"PXA243": {
			{"an argument is gone", setPod("kube-apiserver-cp-1", func(p *inventory.StaticPod) { p.Args = []string{"kube-apiserver"} }), find("pod/prod/kube-system/kube-apiserver-cp-1", "has no --oidc-issuer-url"), false},
			{"another value", setPod("kube-controller-manager-cp-2", func(p *inventory.StaticPod) { p.Args = []string{"--bind-address=127.0.0.1"} }), find("pod/prod/kube-system/kube-controller-manager-cp-2", "has --bind-address=127.0.0.1"), false},
			{"as kubeadm-config says", same, nil, false},
			{"more than it says", setPod("kube-scheduler-cp-1", func(p *inventory.StaticPod) { p.Args = append(p.Args, "--v=4") }), nil, false},
			{"edge: arguments that were not seen", setPod("kube-apiserver-cp-1", func(p *inventory.StaticPod) { p.Args = nil }), nil, false},
		},
		"PXA244": {
			{"kube-vip everywhere", all(kubeVIP("cp-1"), kubeVIP("cp-2"), kubeVIP("cp-3")), find("cluster/prod", "kube-vip on cp-1, cp-2, cp-3"), false},
			{"two of them", all(kubeVIP("cp-1"), addPod(inventory.StaticPod{Name: "haproxy-cp-1", Component: "haproxy", Node: "cp-1"})),
				[]wanted{{"cluster/prod", "kube-vip on cp-1"}, {"cluster/prod", "haproxy on cp-1"}}, false},
			{"kubeadm's own", same, nil, false},
			{"fewer than kubeadm's own", noPods("kube-scheduler"), nil, false},
			{"edge: one without a component", addPod(inventory.StaticPod{Name: "keepalived-cp-1", Node: "cp-1"}), find("cluster/prod", "keepalived on cp-1"), false},
		},
		"PXA245": {
			{"a field that nobody knows", kubeadm("dns: {}", "dns: {}\nfuture: {a: 1}"), find("cluster/prod", "future"), false},
			{"one below another", apiServer("  newThing: 1\n"), find("cluster/prod", "apiServer.newThing"), false},
			{"one inside a list", apiServer("  extraVolumes:\n  - {name: log, hostPath: /var/log, mountPath: /l, idMap: x}\n"), find("cluster/prod", "apiServer.extraVolumes[0].idMap"), false},
			{"CoreDNS and kube-proxy of others", kubeadm("dns: {}", "dns: {disabled: true}", "proxy: {}", "proxy: {disabled: true}"), []wanted{{"cluster/prod", "dns.disabled"}, {"cluster/prod", "proxy.disabled"}}, false},
			{"an argument twice", apiArg("oidc-issuer-url", "https://old.example"), find("cluster/prod", "oidc-issuer-url=https://old.example"), false},
			{"certificates for ten years", kubeadm("certificateValidityPeriod: 8760h0m0s", "certificateValidityPeriod: 87600h0m0s"), find("cluster/prod", "certificateValidityPeriod: 87600h0m0s"), false},
			{"an algorithm that Cluster API does not know", kubeadm("RSA-2048", "ED25519"), find("cluster/prod", "encryptionAlgorithm: ED25519"), false},
			{"a credential in an argument", apiArg("token", "sha256:a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1"), find("cluster/prod", "apiServer.extraArgs: token (its value is a credential"), false},
			{"a credential in the environment", apiServer("  extraEnvs:\n  - {name: P, value: \"sha256:a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1\"}\n  - {name: Q, value: q}\n"), find("cluster/prod", "apiServer.extraEnvs: P (its value"), false},
			{"a digest is none", kubeadm("dns: {}", "dns: {imageTag: \"v1@sha256:a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1\"}"), nil, false},
			{"all known", same, nil, false},
			{"kubeadm's own timeout, which matters to init alone", apiServer("  timeoutForControlPlane: 4m0s\n"), nil, false},
			{"edge: names of fields are case-sensitive, as kubeadm reads them", kubeadm("dns: {}", "dns: {}\nFeatureGates: {a: true}"), find("cluster/prod", "FeatureGates"), false},
		},
		"PXA246": {
			{"not ready", setNode("w-1", func(n *inventory.Node) { n.Ready = "Unknown" }), find("vm/lab/1001", `Ready is "Unknown"`), false},
			{"cordoned", setNode("cp-1", func(n *inventory.Node) { n.Unschedulable = true }), find("vm/lab/101", "cordoned"), false},
			{"locked", setVM(1001, func(v *inventory.VM) { v.Lock = "backup" }), find("vm/lab/1001", "locked: backup"), false},
			{"all well", same, nil, false},
			{"a stranger is locked", stranger("lab", 500, func(v *inventory.VM) { v.Lock = "backup" }), nil, false},
			{"edge: all of it is one finding", all(setVM(1001, func(v *inventory.VM) { v.Lock = "migrate" }), setNode("w-1", func(n *inventory.Node) { n.Ready, n.Unschedulable = "False", true })),
				find("vm/lab/1001", "migrate"), false},
		},
		"PXA247": {
			{"a label that no kubelet may set", label("w-", "example.kubernetes.io/pool", "a"),
				[]wanted{{"cluster/prod", "MachineDeployment prod-workers-4c-16g: example.kubernetes.io/pool=a"}, {"cluster/prod", "MachineDeployment prod-workers-8c-64g"}}, false},
			{"one control plane's own", label("cp-2", "rack", "r2"), find("node/prod/cp-2", "rack=r2"), false},
			{"one value for each worker", all(label("w-1", "rack", "r1"), label("w-2", "rack", "r2"), label("w-3", "rack", "r3")), find("cluster/prod", "another value of rack"), false},
			{"a label with three values that not every worker has", all(fixture(3, 6), label("w-1", "gpu", "a100"), label("w-2", "gpu", "h100"), label("w-3", "gpu", "l40")), nil, false},
			{"a role", label("w-", "node-role.kubernetes.io/worker", ""), nil, false},
			{"a label that a kubelet may set", label("w-", "pool", "a"), nil, false},
			{"what a Node has from its zone", label("w-", "topology.kubernetes.io/zone", "a"), nil, false},
			{"edge: all control planes have it, and no kubelet may set it", label("cp-", "k8s.io/x", "y"),
				[]wanted{{"node/prod/cp-1", "k8s.io/x=y"}, {"node/prod/cp-2", "k8s.io/x=y"}, {"node/prod/cp-3", "k8s.io/x=y"}}, false},
		},
		"PXA248": {
			{"a VM that the configuration names", all(selected, stranger("lab", 500, nil)), find("vm/lab/500", "orphan-vm"), false},
			{"two of them", all(selected, stranger("lab", 500, nil), stranger("lab", 501, nil)), []wanted{{"vm/lab/500", "orphan-vm"}, {"vm/lab/501", "orphan-vm"}}, false},
			{"none", same, nil, false},
			{"a stranger", stranger("lab", 400, nil), nil, false},
			{"edge: a container is no machine", all(selected, stranger("lab", 500, func(v *inventory.VM) { v.Type, v.Config = inventory.GuestLXC, nil })), nil, false},
		},
		"PXA251": {
			{"bare metal", func(s *inventory.Snapshot, _ *adopt.Options) { dropVM(s, 1001) }, find("node/prod/w-1", "class foreign-node"), false},
			{"named", func(_ *inventory.Snapshot, o *adopt.Options) { o.LeaveOut = []string{"w-2"} }, find("node/prod/w-2", "named by --leave-out"), false},
			{"none", same, nil, false},
			{"a control plane is never left out", func(s *inventory.Snapshot, _ *adopt.Options) { dropVM(s, 101) }, nil, false},
			{"edge: one that may be any of two is not left out", stranger("lab", 500, strangerUUID(inventorytest.ScriptBuiltUUID(1001))), nil, false},
		},
		"PXA249": {
			{"not verified", setCluster(func(c *inventory.Cluster) { c.ServingCAs = nil }), find("cluster/prod", "https://10.0.0.10:6443 was not verified"), false},
			{"an empty list", setCluster(func(c *inventory.Cluster) { c.ServingCAs = []string{} }), find("cluster/prod", "not verified"), false},
			{"verified", same, nil, false},
			{"two authorities", setCluster(func(c *inventory.Cluster) { c.ServingCAs = []string{"aa", "bb"} }), nil, false},
			{"edge: another cluster's says nothing of this one", all(otherCluster(inventory.Node{Name: "x"})), nil, false},
		},
	}
}
