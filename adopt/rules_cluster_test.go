package adopt_test

import (
	"github.com/proxaudit/proxaudit/adopt"
	"github.com/proxaudit/proxaudit/inventory"
)

func kubelet(prefix, version string) change {
	return setNodes(prefix, func(n *inventory.Node) { n.KubeletVersion = version })
}

func vmSite(vmid int, site string) change {
	return func(s *inventory.Snapshot, o *adopt.Options) {
		stranger(site, 999, nil)(s, o)
		setVM(vmid, func(v *inventory.VM) { v.Site = site })(s, o)
	}
}

// clusterCases are those about the cluster that is adopted.
func clusterCases() map[string][]ruleCase {
	return map[string][]ruleCase{
		"PXA205": {
			{"two", fixture(2, 1), find("cluster/prod", "2 control planes"), true},
			{"four", fixture(4, 0), find("cluster/prod", "4 control planes"), true},
			{"none", setNodes("cp-", func(n *inventory.Node) { n.ControlPlane = false }), find("cluster/prod", "no Node of the cluster is a control plane"), false},
			{"one", fixture(1, 2), nil, false},
			{"five", fixture(5, 0), nil, false},
			{"edge: two with an etcd of their own elsewhere", all(fixture(2, 1), externalEtcd()), nil, false},
		},
		"PXA206": {
			{"a member that is no Node", addPod(inventory.StaticPod{Name: "etcd-cp-9", Component: "etcd", Node: "cp-9"}),
				find("pod/prod/kube-system/etcd-cp-9", `no control-plane Node is called "cp-9"`), false},
			{"a control plane without a VM", func(s *inventory.Snapshot, _ *adopt.Options) { dropVM(s, 102) }, find("node/prod/cp-2", "not proven"), false},
			{"a control plane without its etcd Pod", setCluster(func(c *inventory.Cluster) { c.StaticPods = without(c.StaticPods, "etcd-cp-3") }),
				find("node/prod/cp-3", "no Pod etcd-cp-3"), false},
			{"a member on a worker", addPod(inventory.StaticPod{Name: "etcd-w-1", Component: "etcd", Node: "w-1"}), find("pod/prod/kube-system/etcd-w-1", "w-1"), false},
			{"all there", same, nil, false},
			{"etcd elsewhere", externalEtcd(), nil, false},
			{"a worker without a VM", func(s *inventory.Snapshot, _ *adopt.Options) { dropVM(s, 1001) }, nil, false},
			{"edge: the Pod of one control plane on another", setPod("etcd-cp-1", func(p *inventory.StaticPod) { p.Node = "cp-2" }), find("node/prod/cp-1", "no Pod etcd-cp-1"), false},
		},
		"PXA207": {
			{"a control plane behind", kubelet("cp-2", "v1.33.3"), find("node/prod/cp-2", "v1.33.3"), false},
			{"one API server ahead", setPod("kube-apiserver-cp-2", func(p *inventory.StaticPod) { p.Image = "registry.k8s.io:443/kube-apiserver:v1.34.0@sha256:ab" }),
				find("pod/prod/kube-system/kube-apiserver-cp-2", "the API server is v1.34.0"), false},
			{"another API server, and no Pod that says so", all(noPods("kube-apiserver"), setCluster(func(c *inventory.Cluster) { c.Version = "v1.34.0" })),
				find("cluster/prod", "the API server is v1.34.0"), false},
			{"the Pods say more than the one that was asked", setCluster(func(c *inventory.Cluster) { c.Version = "v1.34.0" }), nil, false},
			{"another kubeadm-config", kubeadm("kubernetesVersion: v1.33.4", "kubernetesVersion: v1.32.0"), find("cluster/prod", "kubeadm-config says v1.32.0"), false},
			{"a worker ahead by a minor version", kubelet("w-1", "v1.34.0"), find("node/prod/w-1", "newer"), false},
			{"a worker four behind", kubelet("w-1", "v1.29.9"), find("node/prod/w-1", "three minor versions"), false},
			{"a control plane that says nothing", kubelet("cp-1", ""), find("node/prod/cp-1", "no version"), false},
			{"a worker that says nonsense", kubelet("w-1", "unknown"), find("node/prod/w-1", "no version"), false},
			{"a first control plane that says nonsense", kubelet("cp-1", "1.33.4"), find("node/prod/cp-1", "no version"), false},
			{"a worker three behind", kubelet("w-1", "v1.30.0"), nil, false},
			{"a worker of a later patch", kubelet("w-1", "v1.33.9"), nil, false},
			{"edge: what was not read is not different", all(setCluster(func(c *inventory.Cluster) { c.Version = "" }), kubeadm("kubernetesVersion: v1.33.4\n", "")), nil, false},
		},
		"PXA211": {
			{"a worker elsewhere", vmSite(1001, "dr"), []wanted{{"cluster/prod", "site dr: w-1"}}, false},
			{"a control plane elsewhere", vmSite(102, "dr"), []wanted{{"cluster/prod", "site lab: cp-1, cp-3"}}, false},
			{"one site", same, nil, false},
			{"strangers elsewhere", stranger("dr", 500, nil), nil, false},
			{"edge: three sites in one finding", all(vmSite(102, "dr"), vmSite(1001, "far")), []wanted{{"cluster/prod", "site far: w-1"}}, false},
		},
		"PXA215": {
			{"no ConfigMap", setCluster(func(c *inventory.Cluster) { c.Kubeadm = nil }), find("cluster/prod", "no ConfigMap"), false},
			{"an API that is not known", kubeadm("kubeadm.k8s.io/v1beta4", "kubeadm.k8s.io/v1beta9"), find("cluster/prod", "v1beta9"), false},
			{"no YAML", setCluster(func(c *inventory.Cluster) { c.Kubeadm.ClusterConfiguration = "{" }), find("cluster/prod", "cannot be read"), false},
			{"arguments that are neither", kubeadm("  extraArgs:\n  - name: oidc-issuer-url\n    value: https://id.example", "  extraArgs: 5"), find("cluster/prod", "apiServer.extraArgs"), false},
			{"v1beta4", same, nil, false},
			{"v1beta3", kubeadm("kubeadm.k8s.io/v1beta4", "kubeadm.k8s.io/v1beta3"), nil, false},
			{"edge: what was not read is missing, not absent", func(s *inventory.Snapshot, _ *adopt.Options) {
				s.Clusters[0].Kubeadm = nil
				s.CoverageOf(inventory.ClusterSource("prod"), inventory.ScopeKubeadm).State = inventory.Refused
			}, nil, false},
		},
		"PXA218": {
			{"underscore", setOptions(func(o *adopt.Options) { o.Name, o.Namespace = "prod_1", "prod" }), find("cluster/prod", `the name "prod_1"`), false},
			{"a namespace with a dot", setOptions(func(o *adopt.Options) { o.Namespace = "team.prod" }), find("cluster/prod", `the namespace "team.prod"`), false},
			{"another name", setOptions(func(o *adopt.Options) { o.Name = "production" }), nil, false},
			{"another namespace", setOptions(func(o *adopt.Options) { o.Namespace = "team-a" }), nil, false},
			{"edge: the namespace is called as the cluster is", setOptions(func(o *adopt.Options) { o.Name = "Prod" }),
				[]wanted{{"cluster/prod", `the name "Prod"`}, {"cluster/prod", `the namespace "Prod"`}}, false},
		},
	}
}

func without(pods []inventory.StaticPod, name string) []inventory.StaticPod {
	var out []inventory.StaticPod
	for _, p := range pods {
		if p.Name != name {
			out = append(out, p)
		}
	}
	return out
}
