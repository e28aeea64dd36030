package predict

import (
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/proxaudit/proxaudit/adopt"
	"github.com/proxaudit/proxaudit/inventory"
	"github.com/proxaudit/proxaudit/inventory/inventorytest"
)

const (
	kcpLine = "kubeadmcontrolplane KubeadmControlPlane/prod-cp "
	msLine  = "machineset MachineSet/prod-md-adopted "
	mdLine  = "machinedeployment MachineDeployment/prod-md "
)

func absent(l *lab, name string) {
	*l.stored(name) = inventory.StoredSecret{Namespace: "prod", Name: name, Absent: true}
}

func healthCheck(l *lab, spec map[string]any) {
	spec["clusterName"] = "prod"
	spec["selector"] = map[string]any{"matchLabels": map[string]any{"cluster.x-k8s.io/set-name": "prod-md-adopted"}}
	l.add("cluster.x-k8s.io/v1beta2", "MachineHealthCheck", "prod-mhc", map[string]any{"spec": spec})
	l.unset("Machine", "w-1", skipRemedy)
}

func version(l *lab, label, v string) {
	for i := range l.s.Providers {
		if l.s.Providers[i].Label == label {
			l.s.Providers[i].Version = v
		}
	}
}

var clusterCases = []experiment{
	{name: "Cluster deleted", change: func(l *lab) { l.set("Cluster", "prod", deleted, deletedAt) }, want: []string{"cluster Cluster/prod destroys"}},
	{name: "ClusterClass", change: func(l *lab) {
		l.set("Cluster", "prod", "spec.topology", map[string]any{"classRef": map[string]any{"name": "x"}, "version": "v1.33.4"})
	}, want: []string{"cluster Cluster/prod unknown"}},
	{name: "no infrastructureRef", change: func(l *lab) { l.unset("Cluster", "prod", "spec.infrastructureRef") },
		want: []string{"cluster Cluster/prod waits-forever", "proxmoxcluster ProxmoxCluster/prod waits-forever"}},
	{name: "foreign infrastructure", change: func(l *lab) { l.set("Cluster", "prod", "spec.infrastructureRef.kind", "DockerCluster") },
		want: []string{"cluster Cluster/prod unknown", "proxmoxcluster ProxmoxCluster/prod waits-forever"}},
	{name: "no controlPlaneRef", change: func(l *lab) { l.unset("Cluster", "prod", "spec.controlPlaneRef") },
		want: []string{"cluster Cluster/prod unknown", kcpLine + "waits-forever"}},
	{name: "foreign control plane", change: func(l *lab) {
		l.set("Cluster", "prod", "spec.controlPlaneRef.kind", "TalosControlPlane")
		l.set("Cluster", "prod", "spec.controlPlaneRef.name", "talos")
	}, want: []string{"cluster Cluster/prod unknown", kcpLine + "waits-forever"}},
	{name: "no ProxmoxCluster", change: func(l *lab) { l.drop("ProxmoxCluster", "prod") }, want: []string{"cluster Cluster/prod waits-forever"}},
	{name: "no endpoint", change: func(l *lab) {
		l.unset("Cluster", "prod", "spec.controlPlaneEndpoint")
		l.unset("ProxmoxCluster", "prod", "spec.controlPlaneEndpoint")
	}, want: []string{"cluster Cluster/prod waits-forever"}},
	{name: "endpoint of the ProxmoxCluster", change: func(l *lab) { l.unset("Cluster", "prod", "spec.controlPlaneEndpoint") }},
	{name: "field that Cluster API does not have", change: func(l *lab) { l.set("Cluster", "prod", "spec.novelty", true) },
		want: []string{"cluster Cluster/prod unknown", kcpLine + "unknown"}, why: "novelty"},
	{name: "ProxmoxCluster deleted", change: func(l *lab) { l.set("ProxmoxCluster", "prod", deleted, deletedAt) }, want: []string{"proxmoxcluster ProxmoxCluster/prod refuses"}},
	{name: "managed from outside", change: func(l *lab) {
		l.set("ProxmoxCluster", "prod", "metadata.annotations", map[string]any{"cluster.x-k8s.io/managed-by": "x"})
	}, want: []string{"proxmoxcluster ProxmoxCluster/prod waits-forever"}},
	{name: "managed from outside, and ready", change: func(l *lab) {
		l.set("ProxmoxCluster", "prod", "metadata.annotations", map[string]any{"cluster.x-k8s.io/managed-by": "x"})
		l.set("ProxmoxCluster", "prod", "status.initialization.provisioned", true)
	}},
	{name: "external control plane without endpoint", change: func(l *lab) {
		l.set("ProxmoxCluster", "prod", "spec.externalManagedControlPlane", true)
		l.unset("ProxmoxCluster", "prod", "spec.controlPlaneEndpoint")
	}, want: []string{"proxmoxcluster ProxmoxCluster/prod waits-forever"}},
	{name: "CA without its key, kubeconfig of Cluster API's type", change: func(l *lab) {
		l.stored("prod-ca").Keys, l.stored("prod-ca").KeyMatches = []string{"tls.crt"}, nil
		l.stored("prod-kubeconfig").Type = "cluster.x-k8s.io/secret"
	}, want: []string{kcpLine + "refuses"}, why: "cannot renew it"},
	{name: "no credentials Secret", change: func(l *lab) { absent(l, "prod-pve") }, want: []string{"proxmoxcluster ProxmoxCluster/prod refuses"}},
	{name: "credentials without a token", change: func(l *lab) { l.stored("prod-pve").Keys = []string{"secret", "url"} }, want: []string{"proxmoxcluster ProxmoxCluster/prod refuses"}, why: "has no token"},
	{name: "no credentialsRef", change: func(l *lab) { l.unset("ProxmoxCluster", "prod", "spec.credentialsRef") }, want: []string{"proxmoxcluster ProxmoxCluster/prod refuses"}, why: "no credentials"},
	{name: "no credentialsRef, and the environment was not seen", change: func(l *lab) {
		l.unset("ProxmoxCluster", "prod", "spec.credentialsRef")
		ownAccess(l)
	}, want: []string{"proxmoxcluster ProxmoxCluster/prod unknown"}},
	{name: "no credentialsRef, and credentials in the environment", change: func(l *lab) {
		l.unset("ProxmoxCluster", "prod", "spec.credentialsRef")
		ownAccess(l)
		l.s.StoredSecrets = append(l.s.StoredSecrets, inventory.StoredSecret{Namespace: "capmox-system", Name: "own", Keys: []string{"secret", "token", "url"}, Server: "https://pve:8006"})
	}},
	{name: "no credentialsRef, and it works", change: func(l *lab) {
		l.unset("ProxmoxCluster", "prod", "spec.credentialsRef")
		l.set("ProxmoxCluster", "prod", "status", map[string]any{"conditions": []any{cond("ProxmoxAvailable", "True")}})
	}},
	{name: "pool holds a Node's address", change: func(l *lab) {
		l.set("ProxmoxCluster", "prod", "spec.ipv4Config.addresses", []any{"10.0.0.200", "10.0.0.8/29"})
	}, want: []string{"proxmoxcluster ProxmoxCluster/prod false-green"}, why: "10.0.0.8/29"},
	{name: "pool holds a Node's address that is written as IPv6", change: func(l *lab) {
		l.s.Nodes[0].InternalIPs = []string{"::ffff:10.9.0.5"}
		l.set("ProxmoxCluster", "prod", "spec.ipv4Config.addresses", []any{"10.9.0.0/24"})
	}, want: []string{"proxmoxcluster ProxmoxCluster/prod false-green"}, why: "10.9.0.0/24"},
	{name: "pool holds the endpoint", change: func(l *lab) {
		l.set("ProxmoxCluster", "prod", "spec.ipv4Config.addresses", []any{"127.0.0.0-127.0.0.9"})
	}, want: []string{"proxmoxcluster ProxmoxCluster/prod refuses"}, why: "webhook"},
	{name: "pool entry that is none", change: func(l *lab) { l.set("ProxmoxCluster", "prod", "spec.ipv4Config.addresses", []any{"ten"}) }, want: []string{"proxmoxcluster ProxmoxCluster/prod unknown"}},
}

var machineCases = []experiment{
	{name: "no dataSecretName, with a KubeadmConfig", change: func(l *lab) { l.unset("Machine", "cp-1", "spec.bootstrap.dataSecretName") },
		want: []string{"kubeadmconfig KubeadmConfig/cp-1 generates-bootstrap-data", "machine Machine/cp-1 waits-forever", "proxmoxmachine ProxmoxMachine/cp-1 waits-forever"}},
	{name: "bootstrap data made already", change: func(l *lab) {
		l.set("KubeadmConfig", "cp-1", "status", map[string]any{"initialization": map[string]any{"dataSecretCreated": true}})
	}},
	{name: "KubeadmConfig deleted", change: func(l *lab) { l.set("KubeadmConfig", "cp-1", deleted, deletedAt) }, want: []string{"kubeadmconfig KubeadmConfig/cp-1 waits-forever"}},
	{name: "KubeadmConfig of nobody", change: func(l *lab) { l.copyAs("KubeadmConfig", "cp-1", "cp-9") }, want: []string{"kubeadmconfig KubeadmConfig/cp-9 waits-forever"}},
	{name: "KubeadmConfig gone", change: func(l *lab) { l.drop("KubeadmConfig", "cp-1") },
		want: []string{kcpLine + "refuses", "machine Machine/cp-1 waits-forever"}},
	{name: "two Nodes, one providerID", change: func(l *lab) { l.node("w-2").ProviderID = l.node("w-1").ProviderID },
		want: []string{"machine Machine/w-1 refuses", "machine Machine/w-2 waits-forever"}},
	{name: "Node without providerID", change: func(l *lab) { l.node("w-1").ProviderID = "" }, want: []string{"machine Machine/w-1 waits-forever"}, why: "has to be written there"},
	{name: "Node of another VM", change: func(l *lab) { l.node("w-1").ProviderID, l.node("w-1").SystemUUID = "", "" }, want: []string{"machine Machine/w-1 waits-forever"}},
	{name: "nodeRef of another Node", change: func(l *lab) { l.set("Machine", "w-1", "status", machineStatus("w-2")) },
		want: []string{"machine Machine/w-1 false-green", "machine Machine/w-2 false-green"}},
	{name: "nodeRef of a Node that is gone", change: func(l *lab) {
		l.set("Machine", "w-1", "status", machineStatus("w-1"))
		l.s.Nodes = l.s.Nodes[:3]
	}, want: []string{"machine Machine/w-1 waits-forever", "machine Machine/w-2 waits-forever"}},
	{name: "two Machines, one providerID", change: func(l *lab) {
		l.copyAs("Machine", "w-1", "w-1b")
		l.set("Machine", "w-1b", "spec.infrastructureRef.name", "gone")
		l.set("MachineSet", "prod-md-adopted", "spec.replicas", int64(3))
		l.set("MachineDeployment", "prod-md", "spec.replicas", int64(3))
	}, want: []string{"machine Machine/w-1 false-green", "machine Machine/w-1b waits-forever"}},
	{name: "foreign infrastructure", change: func(l *lab) { l.set("Machine", "w-1", "spec.infrastructureRef.kind", "DockerMachine") },
		want: []string{"machine Machine/w-1 unknown", "proxmoxmachine ProxmoxMachine/w-1 waits-forever"}},
	{name: "no kubeconfig", change: func(l *lab) { absent(l, "prod-kubeconfig") },
		want: []string{"machine Machine/cp-1 waits-forever", "machine Machine/cp-2 waits-forever", "machine Machine/cp-3 waits-forever", "machine Machine/w-1 waits-forever", "machine Machine/w-2 waits-forever"}},
	{name: "no kubeconfig asked for, but a connection", change: func(l *lab) {
		l.s.StoredSecrets = append(l.s.StoredSecrets[:4:4], l.s.StoredSecrets[5:]...)
		l.set("Cluster", "prod", "status", map[string]any{"conditions": []any{cond("RemoteConnectionProbe", "True")}})
	}},
	{name: "deleted without hooks", change: func(l *lab) {
		l.set("Machine", "w-1", deleted, deletedAt)
		l.unset("Machine", "w-1", preDrain)
		l.unset("Machine", "w-1", preTerminate)
	}, want: []string{"machine Machine/w-1 destroys"}},
	{name: "deleted with the first hook only, not initialised", change: func(l *lab) {
		l.set("Machine", "w-1", deleted, deletedAt)
		l.unset("Machine", "w-1", preTerminate)
	}, want: []string{"machine Machine/w-1 destroys"}},
	{name: "deleted with the first hook only, initialised", change: func(l *lab) {
		l.set("Machine", "w-1", deleted, deletedAt)
		l.set("Machine", "w-1", "status", machineStatus("w-1"))
		l.unset("Machine", "w-1", preTerminate)
		l.set("Cluster", "prod", "status", map[string]any{"initialization": map[string]any{"controlPlaneInitialized": true}})
	}, want: []string{"machine Machine/w-1 waits-forever"}},
	{name: "deleted with the second hook only, never a Node", change: func(l *lab) {
		l.set("Machine", "w-1", deleted, deletedAt)
		l.unset("Machine", "w-1", preDrain)
		l.unset("Machine", "w-1", "spec.providerID")
	}, want: []string{"machine Machine/w-1 waits-forever"}},
}

var planeCases = []experiment{
	{name: "deleted", change: func(l *lab) { l.set("KubeadmControlPlane", "prod-cp", deleted, deletedAt) }, want: []string{kcpLine + "destroys"}},
	{name: "two skips missing", change: func(l *lab) {
		l.unset("KubeadmControlPlane", "prod-cp", skipProxy)
		l.unset("KubeadmControlPlane", "prod-cp", skipCoreDNS)
	}, want: []string{kcpLine + "changes-workload"}, why: "CoreDNS"},
	{name: "version skew", change: func(l *lab) { l.set("Machine", "cp-2", "spec.version", "v1.31.0") }, want: []string{kcpLine + "refuses"}, why: "AdoptionFailed"},
	{name: "Machine version that is none", change: func(l *lab) { l.set("Machine", "cp-2", "spec.version", "latest") }, want: []string{kcpLine + "refuses"}},
	{name: "version that is none", change: func(l *lab) { l.set("KubeadmControlPlane", "prod-cp", "spec.version", "latest") }, want: []string{kcpLine + "refuses"}},
	{name: "Machine without configRef", change: func(l *lab) { l.unset("Machine", "cp-2", "spec.bootstrap.configRef") },
		want: []string{"kubeadmconfig KubeadmConfig/cp-2 waits-forever", kcpLine + "refuses"}},
	{name: "mixed management", change: func(l *lab) {
		l.set("Machine", "cp-2", "metadata.ownerReferences", []any{map[string]any{"apiVersion": "x/v1", "kind": "Other", "name": "x", "uid": "u", "controller": true}})
	}, want: []string{kcpLine + "refuses"}, why: "only some of the control plane"},
	{name: "owned already", change: func(l *lab) {
		l.set("KubeadmControlPlane", "prod-cp", "metadata.uid", "kcp-1")
		for _, n := range []string{"cp-1", "cp-2", "cp-3"} {
			l.set("Machine", n, "metadata.ownerReferences", []any{map[string]any{"apiVersion": "controlplane.cluster.x-k8s.io/v1beta2", "kind": "KubeadmControlPlane", "name": "prod-cp", "uid": "kcp-1", "controller": true}})
		}
	}},
	{name: "even replicas", change: func(l *lab) { l.set("KubeadmControlPlane", "prod-cp", "spec.replicas", int64(2)) }, want: []string{kcpLine + "refuses"}, why: "even"},
	{name: "no replicas", change: func(l *lab) { l.unset("KubeadmControlPlane", "prod-cp", "spec.replicas") }, want: []string{kcpLine + "refuses"}},
	{name: "more replicas", change: func(l *lab) { l.set("KubeadmControlPlane", "prod-cp", "spec.replicas", int64(5)) }, want: []string{kcpLine + "scales-up"}},
	{name: "fewer replicas", change: func(l *lab) { l.set("KubeadmControlPlane", "prod-cp", "spec.replicas", int64(1)) }, want: []string{kcpLine + "scales-down"}},
	{name: "no template", change: func(l *lab) { l.drop("ProxmoxMachineTemplate", "prod-cp") }, want: []string{kcpLine + "refuses"}},
	{name: "template of a kind that is not read", change: func(l *lab) {
		l.set("KubeadmControlPlane", "prod-cp", "spec.machineTemplate.spec.infrastructureRef.kind", "DockerMachineTemplate")
	}, want: []string{kcpLine + "unknown"}},
	{name: "cloned from another template", change: func(l *lab) {
		l.set("ProxmoxMachine", "cp-1", "metadata.annotations", map[string]any{"cluster.x-k8s.io/cloned-from-name": "old",
			"cluster.x-k8s.io/cloned-from-groupkind": "ProxmoxMachineTemplate.infrastructure.cluster.x-k8s.io"})
	}, want: []string{kcpLine + "rolls-out", "kubeadmcontrolplane Machine/cp-1 rolls-out"}, why: ""},
	{name: "cloned, definitions not read", change: func(l *lab) {
		l.set("ProxmoxMachine", "cp-1", "metadata.annotations", map[string]any{"cluster.x-k8s.io/cloned-from-name": "prod-cp",
			"cluster.x-k8s.io/cloned-from-groupkind": "ProxmoxMachineTemplate.infrastructure.cluster.x-k8s.io"})
		l.s.Management.CRDs = nil
		l.coverage(inventory.ManagementSource, inventory.ScopeCRDs).State = inventory.Refused
	}, want: []string{kcpLine + "unknown", "kubeadmcontrolplane Machine/cp-1 unknown"}},
	{name: "cloned, definition not installed", change: func(l *lab) {
		l.set("ProxmoxMachine", "cp-1", "metadata.annotations", map[string]any{"cluster.x-k8s.io/cloned-from-name": "prod-cp",
			"cluster.x-k8s.io/cloned-from-groupkind": "ProxmoxMachineTemplate.infrastructure.cluster.x-k8s.io"})
		l.s.Management.CRDs = nil
	}, want: []string{kcpLine + "refuses", "kubeadmcontrolplane Machine/cp-1 refuses"}},
	{name: "Secret without tls.crt", change: func(l *lab) { l.stored("prod-sa").Keys = []string{"sa.pub", "sa.key"} }, want: []string{kcpLine + "refuses"}},
	{name: "key of another certificate", change: func(l *lab) { no := false; l.stored("prod-proxy").KeyMatches = &no }, want: []string{kcpLine + "false-green"}},
	{name: "etcd without its key", change: func(l *lab) { l.stored("prod-etcd").Keys = []string{"tls.crt"} }, want: []string{kcpLine + "waits-forever"}},
	{name: "certificate authority of another cluster", change: func(l *lab) { l.s.Clusters[0].ServingCAs = []string{"bb"} }, want: []string{kcpLine + "false-green"}, why: "did not sign"},
	{name: "serving certificate not verified", change: func(l *lab) { l.s.Clusters[0].ServingCAs = nil }, want: []string{kcpLine + "unknown"}},
	{name: "certificates missing after initialisation", change: func(l *lab) {
		absent(l, "prod-etcd")
		l.set("KubeadmControlPlane", "prod-cp", "status", map[string]any{"conditions": []any{cond("Initialized", "True")}})
	}, want: []string{kcpLine + "refuses"}, why: "cannot grow"},
	{name: "external etcd without its certificates", change: func(l *lab) {
		absent(l, "prod-etcd")
		l.s.StoredSecrets = append(l.s.StoredSecrets, inventory.StoredSecret{Namespace: "prod", Name: "prod-apiserver-etcd-client", Absent: true})
		ext := map[string]any{"endpoints": []any{"https://10.0.0.5:2379"}, "caFile": "/ca", "certFile": "/crt", "keyFile": "/key"}
		l.set("KubeadmControlPlane", "prod-cp", "spec.kubeadmConfigSpec.clusterConfiguration.etcd.external", ext)
		for _, n := range []string{"cp-1", "cp-2", "cp-3"} {
			l.set("KubeadmConfig", n, "spec.clusterConfiguration.etcd.external", ext)
		}
	}, want: []string{kcpLine + "refuses"}},
	{name: "no kubeadm-config", change: func(l *lab) { l.s.Clusters[0].Kubeadm = nil }, want: []string{kcpLine + "waits-forever"}, why: "initialised"},
	{name: "control plane without Machine", change: func(l *lab) {
		l.drop("Machine", "cp-3")
		l.set("KubeadmControlPlane", "prod-cp", "spec.replicas", int64(3))
	},
		want: []string{"kubeadmconfig KubeadmConfig/cp-3 waits-forever", kcpLine + "removes-etcd-member", kcpLine + "scales-up", "proxmoxmachine ProxmoxMachine/cp-3 waits-forever"}},
	{name: "etcd member of another name than its Node", change: func(l *lab) {
		for i := range l.s.Clusters[0].StaticPods {
			if p := &l.s.Clusters[0].StaticPods[i]; p.Name == "etcd-cp-1" {
				p.Args = []string{"etcd", "--name=etcd-a"}
			}
		}
	}, want: []string{kcpLine + "removes-etcd-member"}, why: "etcd-a"},
	{name: "etcd Pod on a Node that is none", change: func(l *lab) {
		l.s.Clusters[0].StaticPods = append(l.s.Clusters[0].StaticPods, inventory.StaticPod{Name: "etcd-old", Component: "etcd", Node: "old"})
	}, want: []string{kcpLine + "removes-etcd-member"}, why: "old"},
	{name: "Machine without its Node", change: func(l *lab) { l.node("cp-3").ProviderID = "" },
		want: []string{kcpLine + "waits-forever", "machine Machine/cp-3 waits-forever"}, why: "as soon as the Machine cp-3 has a Node"},
	{name: "Machine without a Node, and no Node either", change: func(l *lab) {
		l.s.Nodes = append(l.s.Nodes[:2:2], l.s.Nodes[3:]...)
		l.s.Clusters[0].StaticPods = l.s.Clusters[0].StaticPods[:2]
	}, want: []string{kcpLine + "waits-forever", "machine Machine/cp-3 waits-forever"}},
	{name: "no Machines at all", change: func(l *lab) {
		for _, n := range []string{"cp-1", "cp-2", "cp-3"} {
			l.drop("Machine", n)
			l.drop("ProxmoxMachine", n)
			l.drop("KubeadmConfig", n)
		}
	}, want: []string{kcpLine + "scales-up"}, why: "new control plane"},
	{name: "marked unhealthy", change: func(l *lab) {
		l.set("Machine", "cp-1", "status", machineStatus("cp-1", cond("HealthCheckSucceeded", "False"), cond("OwnerRemediated", "False")))
	}, want: []string{kcpLine + "remediates", "kubeadmcontrolplane Machine/cp-1 remediates"}},
	{name: "control-plane Machine deleted", change: func(l *lab) { l.set("Machine", "cp-1", deleted, deletedAt) },
		want: []string{kcpLine + "waits-forever", "kubeadmcontrolplane Machine/cp-1 unknown", "machine Machine/cp-1 waits-forever"}},
}

var workerCases = []experiment{
	{name: "MachineSet deleted", change: func(l *lab) { l.set("MachineSet", "prod-md-adopted", deleted, deletedAt) }, want: []string{msLine + "destroys"}},
	{name: "no MachineDeployment", change: func(l *lab) { l.drop("MachineDeployment", "prod-md") }, want: []string{msLine + "refuses"}, why: "prod-md"},
	{name: "no templates", change: func(l *lab) { l.drop("ProxmoxMachineTemplate", "prod-md"); l.drop("KubeadmConfigTemplate", "prod-md") }, want: []string{msLine + "refuses"}},
	{name: "MachineSet wants fewer", change: func(l *lab) { l.set("MachineSet", "prod-md-adopted", "spec.replicas", int64(1)) }, want: []string{mdLine + "scales-up", msLine + "scales-down"}},
	{name: "both want fewer", change: func(l *lab) {
		l.set("MachineSet", "prod-md-adopted", "spec.replicas", int64(1))
		l.set("MachineDeployment", "prod-md", "spec.replicas", int64(1))
	}, want: []string{mdLine + "scales-down", msLine + "scales-down"}},
	{name: "MachineDeployment wants fewer", change: func(l *lab) { l.set("MachineDeployment", "prod-md", "spec.replicas", int64(1)) }, want: []string{mdLine + "scales-down"}},
	{name: "no replicas", change: func(l *lab) {
		l.unset("MachineSet", "prod-md-adopted", "spec.replicas")
	}, want: []string{mdLine + "refuses", msLine + "refuses"}},
	{name: "MachineDeployment without replicas", change: func(l *lab) { l.unset("MachineDeployment", "prod-md", "spec.replicas") }, want: []string{mdLine + "refuses"}},
	{name: "version differs", change: func(l *lab) { l.set("MachineDeployment", "prod-md", "spec.template.spec.version", "v1.33.5") }, want: []string{mdLine + "rolls-out"}, why: "v1.33.5 required"},
	{name: "version differs, RollingUpdate", change: func(l *lab) {
		l.set("MachineDeployment", "prod-md", "spec.template.spec.version", "v1.33.5")
		l.set("MachineDeployment", "prod-md", "spec.rollout.strategy.type", "RollingUpdate")
	}, want: []string{mdLine + "rolls-out"}},
	{name: "version differs, paused", change: func(l *lab) {
		l.set("MachineDeployment", "prod-md", "spec.template.spec.version", "v1.33.5")
		l.set("MachineDeployment", "prod-md", "spec.paused", true)
	}, want: []string{mdLine + "unknown"}},
	{name: "version differs and no template", change: func(l *lab) {
		l.set("MachineDeployment", "prod-md", "spec.template.spec.infrastructureRef.name", "gone")
	}, want: []string{mdLine + "refuses"}},
	{name: "no MachineSet", change: func(l *lab) { l.drop("MachineSet", "prod-md-adopted") }, want: []string{mdLine + "scales-up"}},
	{name: "no MachineSet, none wanted", change: func(l *lab) {
		l.drop("MachineSet", "prod-md-adopted")
		l.set("MachineDeployment", "prod-md", "spec.replicas", int64(0))
	}},
	{name: "MachineSet without the hash label", change: func(l *lab) { l.unset("MachineSet", "prod-md-adopted", templateHash) }, want: []string{mdLine + "refuses"}},
	{name: "Machine without the hash label", change: func(l *lab) {
		l.unset("Machine", "w-1", templateHash)
		l.set("MachineSet", "prod-md-adopted", "spec.selector.matchLabels", map[string]any{"cluster.x-k8s.io/deployment-name": "prod-md"})
	}, want: []string{mdLine + "scales-up"}, why: "gets the selector"},
	{name: "second MachineSet with the old template", change: func(l *lab) {
		l.copyAs("MachineSet", "prod-md-adopted", "prod-md-old")
		l.set("MachineSet", "prod-md-old", "spec.template.spec.version", "v1.32.0")
		l.set("MachineSet", "prod-md-old", "spec.selector.matchLabels", map[string]any{"machine-template-hash": "old"})
	}, want: []string{mdLine + "rolls-out", "machineset MachineSet/prod-md-old scales-up"}},
	{name: "two MachineSets, the same Machines", change: func(l *lab) {
		l.copyAs("MachineSet", "prod-md-adopted", "prod-md-b")
		l.set("MachineSet", "prod-md-b", "metadata.labels", map[string]any{"cluster.x-k8s.io/cluster-name": "prod"})
	}, want: []string{msLine + "unknown", "machineset MachineSet/prod-md-b unknown"}, why: "whichever is first"},
	{name: "selector takes the control plane", change: func(l *lab) {
		l.set("MachineSet", "prod-md-adopted", "spec.selector.matchLabels", map[string]any{"cluster.x-k8s.io/cluster-name": "prod"})
		l.set("MachineSet", "prod-md-adopted", "spec.replicas", int64(5))
		l.set("MachineDeployment", "prod-md", "spec.replicas", int64(5))
	}, want: []string{mdLine + "scales-up", msLine + "false-green"}, why: "control-plane Machine cp-1"},
	{name: "selector takes another cluster's Machine", change: func(l *lab) {
		l.set("Machine", "w-2", "spec.clusterName", "other")
	}, want: []string{msLine + "false-green", "proxmoxmachine ProxmoxMachine/w-2 waits-forever"}, why: "of the cluster other"},
	{name: "standalone MachineSet that makes none", change: func(l *lab) {
		l.drop("MachineDeployment", "prod-md")
		l.set("MachineSet", "prod-md-adopted", "metadata.labels", map[string]any{"cluster.x-k8s.io/cluster-name": "prod"})
		l.set("MachineSet", "prod-md-adopted", "metadata.annotations", map[string]any{"cluster.x-k8s.io/disable-machine-create": "true"})
		l.set("MachineSet", "prod-md-adopted", "spec.replicas", int64(3))
	}, want: []string{msLine + "waits-forever"}},
	{name: "selector that the controller cannot use", change: func(l *lab) {
		l.set("MachineSet", "prod-md-adopted", "spec.selector", map[string]any{"matchExpressions": []any{map[string]any{"key": "a", "operator": "Exists"}}})
	}, want: []string{msLine + "refuses"}},
	{name: "ProxmoxMachine with the MachineSet as its owner", change: func(l *lab) {
		l.copyAs("ProxmoxMachine", "w-1", "w-9")
		l.set("ProxmoxMachine", "w-9", "metadata.labels", map[string]any{"cluster.x-k8s.io/cluster-name": "prod", "cluster.x-k8s.io/deployment-name": "prod-md", "machine-template-hash": "adopted"})
		l.set("ProxmoxMachine", "w-9", "metadata.ownerReferences", []any{map[string]any{"apiVersion": "cluster.x-k8s.io/v1beta2", "kind": "MachineSet", "name": "prod-md-adopted", "uid": "u"}})
	}, want: []string{msLine + "destroys", "proxmoxmachine ProxmoxMachine/w-9 waits-forever"}},
	{name: "worker marked unhealthy", change: func(l *lab) {
		l.set("Machine", "w-1", "status", machineStatus("w-1", cond("HealthCheckSucceeded", "False"), cond("OwnerRemediated", "False")))
	}, want: []string{"machineset Machine/w-1 remediates"}},
	{name: "MachineDeployment deleted", change: func(l *lab) { l.set("MachineDeployment", "prod-md", deleted, deletedAt) }, want: []string{mdLine + "destroys"}},
	{name: "MachineDeployment with an empty selector", change: func(l *lab) { l.set("MachineDeployment", "prod-md", "spec.selector", map[string]any{}) }, want: []string{mdLine + "refuses"}},
	{name: "old MachineSet version", change: func(l *lab) {
		for i := range l.s.Objects {
			if l.s.Objects[i].Kind == "MachineSet" {
				l.s.Objects[i].APIVersion = "cluster.x-k8s.io/v1beta1"
			}
		}
	}, want: []string{mdLine + "unknown", msLine + "unknown"}},
}

var healthCases = []experiment{
	{name: "all skip it", change: func(l *lab) { healthCheck(l, map[string]any{}); l.set("Machine", "w-1", skipRemedy, "") }},
	{name: "healthy", change: func(l *lab) {
		healthCheck(l, map[string]any{"checks": map[string]any{"unhealthyNodeConditions": []any{map[string]any{"type": "Ready", "status": "False", "timeoutSeconds": int64(300)}}}})
	}},
	{name: "Node not ready", change: func(l *lab) {
		healthCheck(l, map[string]any{"checks": map[string]any{"unhealthyNodeConditions": []any{map[string]any{"type": "Ready", "status": "Unknown", "timeoutSeconds": int64(300)}}}})
		l.node("w-1").Ready = "Unknown"
	}, want: []string{"machinehealthcheck Machine/w-1 remediates"}, why: "5m0s"},
	{name: "condition of the Node that is not read", change: func(l *lab) {
		healthCheck(l, map[string]any{"checks": map[string]any{"unhealthyNodeConditions": []any{map[string]any{"type": "DiskPressure", "status": "True", "timeoutSeconds": int64(300)}}}})
	}, want: []string{"machinehealthcheck Machine/w-1 unknown", "machinehealthcheck Machine/w-2 unknown"}},
	{name: "condition of the Machine", change: func(l *lab) {
		healthCheck(l, map[string]any{"checks": map[string]any{"unhealthyMachineConditions": []any{map[string]any{"type": "NodeReady", "status": "False"}}}})
		l.set("Machine", "w-1", "status", machineStatus("w-1", cond("NodeReady", "False")))
	}, want: []string{"machinehealthcheck Machine/w-1 remediates"}},
	{name: "asked for", change: func(l *lab) {
		healthCheck(l, map[string]any{})
		l.set("Machine", "w-1", "metadata.annotations.[cluster.x-k8s.io/remediate-machine]", "")
	}, want: []string{"machinehealthcheck Machine/w-1 remediates"}},
	{name: "Node gone", change: func(l *lab) {
		healthCheck(l, map[string]any{})
		l.set("Machine", "w-1", "status", machineStatus("w-0"))
	}, want: []string{"machinehealthcheck Machine/w-1 remediates"}, why: "is gone"},
	{name: "never a Node", change: func(l *lab) { healthCheck(l, map[string]any{}); l.node("w-1").ProviderID = "" },
		want: []string{"machine Machine/w-1 waits-forever", "machinehealthcheck Machine/w-1 remediates"}, why: "10m0s"},
	{name: "never a Node, and it does not wait", change: func(l *lab) {
		healthCheck(l, map[string]any{"checks": map[string]any{"nodeStartupTimeoutSeconds": int64(0)}})
		l.node("w-1").ProviderID = ""
	}, want: []string{"machine Machine/w-1 waits-forever"}},
	{name: "Node not known", change: func(l *lab) { healthCheck(l, map[string]any{}); l.vm(111).Config = nil },
		want: []string{"machine Machine/w-1 unknown", "machinehealthcheck Machine/w-1 unknown", "proxmoxmachine ProxmoxMachine/w-1 unknown"}},
	{name: "selector that is none", change: func(l *lab) {
		healthCheck(l, map[string]any{})
		l.set("MachineHealthCheck", "prod-mhc", "spec.selector", map[string]any{"matchExpressions": []any{map[string]any{"key": "a", "operator": "Near"}}})
	}, want: []string{"machinehealthcheck MachineHealthCheck/prod-mhc refuses"}},
	{name: "form that is none", change: func(l *lab) {
		healthCheck(l, map[string]any{})
		l.set("MachineHealthCheck", "prod-mhc", "spec.checks", "none")
	}, want: []string{"machinehealthcheck MachineHealthCheck/prod-mhc unknown"}},
}

// The last step takes skip-remediation off: what a MachineHealthCheck would do then is said before, at that step and no earlier one.
func TestHealthChecksAtTheEnd(t *testing.T) {
	notReady := map[string]any{"checks": map[string]any{"unhealthyNodeConditions": []any{map[string]any{"type": "Ready", "status": "False", "timeoutSeconds": int64(300)}}}}
	for name, c := range map[string]struct {
		ready string
		want  adopt.Outcome
	}{
		"healthy":   {"True", adopt.NothingToDo},
		"unhealthy": {"False", adopt.Remediates},
	} {
		t.Run(name, func(t *testing.T) {
			l := newLab(t)
			healthCheck(l, notReady)
			l.set("Machine", "w-1", skipRemedy, "")
			l.node("w-1").Ready = c.ready
			got := map[adopt.StepID]adopt.Outcome{}
			for _, p := range Predict(l.s, "prod") {
				if p.Controller == adopt.ControllerHealthCheck && p.Object.Name == "w-1" {
					got[p.Step] = p.Outcome
				}
			}
			if want := map[adopt.StepID]adopt.Outcome{adopt.StepUnpauseCluster: adopt.NothingToDo, adopt.StepFinish: c.want}; !maps.Equal(got, want) {
				t.Errorf("got %v, want %v", got, want)
			}
		})
	}
}

func TestClusters(t *testing.T)     { runExperiments(t, clusterCases) }
func TestMachines(t *testing.T)     { runExperiments(t, machineCases) }
func TestControlPlane(t *testing.T) { runExperiments(t, planeCases) }
func TestWorkers(t *testing.T)      { runExperiments(t, workerCases) }
func TestHealthChecks(t *testing.T) { runExperiments(t, healthCases) }

// TestOtherVersions: nothing is foreseen for controllers whose behaviour is not known, and what the known ones would do
// stays as a reason.
func TestOtherVersions(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(*lab)
		why    string
	}{
		{"newer Cluster API", func(l *lab) { version(l, "cluster-api", "v1.14.3") }, "cluster-api is v1.14.3"},
		{"older control-plane provider", func(l *lab) { version(l, "control-plane-kubeadm", "v1.13.0") }, "control-plane-kubeadm is v1.13.0"},
		{"newer CAPMOX", func(l *lab) { version(l, providerCAPMOX, "v0.10.0") }, "infrastructure-proxmox is v0.10.0"},
		{"no version", func(l *lab) { version(l, providerCAPMOX, "") }, "infrastructure-proxmox runs as v"},
		{"two versions", func(l *lab) {
			l.s.Providers = append(l.s.Providers, inventory.Provider{Namespace: "x", Label: providerCAPMOX, Version: "v0.8.0"})
		}, "v0.8.0 and v0.9.0"},
		{"not installed", func(l *lab) { l.s.Providers = l.s.Providers[:3] }, "no Deployment of the provider infrastructure-proxmox"},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := newLab(t)
			l.unset("ProxmoxMachine", "w-1", "spec.virtualMachineID")
			c.change(l)
			for _, p := range Predict(l.s, "prod") {
				if p.Outcome != "unknown" {
					t.Errorf("%s", line(p))
				}
				said := strings.Join(p.Why, "\n")
				if !strings.Contains(said, c.why) || !strings.Contains(said, "v1.14.2 with CAPMOX v0.9.0") {
					t.Errorf("%s: %s", line(p), said)
				}
				if p.Controller == "proxmoxmachine" && p.Object.Name == "w-1" && !strings.Contains(said, "would do this (clones)") {
					t.Errorf("what the proven versions would do is not said: %s", said)
				}
			}
		})
	}
}

// TestOldCAPMOX: of CAPMOX 0.7 it is known that it writes to an adopted VM.
func TestOldCAPMOX(t *testing.T) {
	l := newLab(t)
	version(l, providerCAPMOX, "v0.7.7")
	id := 111
	for _, n := range []string{"cp-1", "cp-2", "w-1", "w-2"} {
		m := inventory.ProxmoxMachine{Meta: inventory.Meta{Namespace: "prod", Name: n}, VMID: &id}
		if n == "cp-1" {
			m.VMID = nil
		}
		m.Ready = n == "cp-2"
		l.s.ProxmoxMachines = append(l.s.ProxmoxMachines, m)
	}
	want := map[string]string{"cp-1": "clones", "cp-2": "unknown", "cp-3": "unknown", "w-1": "rewrites", "w-2": "rewrites"}
	seen := 0
	for _, p := range Predict(l.s, "prod") {
		if p.Controller != "proxmoxmachine" {
			if p.Outcome != "unknown" {
				t.Errorf("%s", line(p))
			}
			continue
		}
		seen++
		if string(p.Outcome) != want[p.Object.Name] {
			t.Errorf("%s, want %s", line(p), want[p.Object.Name])
		}
	}
	if seen != len(want) {
		t.Errorf("%d of %d ProxmoxMachines were predicted", seen, len(want))
	}
}

// TestNotDeclared: nothing to predict is not nothing to fear.
func TestNotDeclared(t *testing.T) {
	for name, change := range map[string]func(s *inventory.Snapshot){
		"no such cluster":       func(s *inventory.Snapshot) { s.Clusters = nil },
		"not declared":          func(s *inventory.Snapshot) { s.Clusters[0].Declared = nil },
		"clusters not read":     func(s *inventory.Snapshot) { s.Clusters[0].Declared, s.Coverage = nil, nil },
		"object not kept":       func(s *inventory.Snapshot) { s.Objects = nil },
		"content not kept":      func(s *inventory.Snapshot) { clear(s.Objects[0].Content) },
		"namespace not asked":   func(s *inventory.Snapshot) { s.Management.Namespaces = []string{"other"} },
		"namespace was asked":   nil,
		"everything not served": func(s *inventory.Snapshot) { s.Coverage = nil },
	} {
		l := newLab(t)
		if change == nil {
			l.s.Management.Namespaces = []string{"prod"}
			if got := unsafeOf(Predict(l.s, "prod")); len(got) > 0 {
				t.Errorf("%s: %v", name, got)
			}
			continue
		}
		change(l.s)
		if got := unsafeOf(Predict(l.s, "prod")); len(got) == 0 {
			t.Errorf("%s: everything is safe", name)
		}
	}
}

// owned gives an object an ownerReference and takes its labels.
func owned(l *lab, kind, name, apiVersion, ownerKind, owner string) {
	l.set(kind, name, "metadata.ownerReferences", []any{map[string]any{"apiVersion": apiVersion, "kind": ownerKind, "name": owner, "uid": "u"}})
	l.set(kind, name, "metadata.labels", map[string]any{"a": "b"})
}

const capiVersion = "cluster.x-k8s.io/v1beta2"

// What belongs to the cluster by an ownerReference alone is found by the controllers, and so by the prediction.
func TestOwnedByReference(t *testing.T) {
	runExperiments(t, []experiment{
		{name: "a ProxmoxMachine without a VM", change: func(l *lab) {
			l.copyAs("ProxmoxMachine", "w-1", "w-old")
			l.unset("ProxmoxMachine", "w-old", "spec.virtualMachineID")
			owned(l, "ProxmoxMachine", "w-old", capiVersion, "Machine", "w-1")
		}, want: []string{"proxmoxmachine ProxmoxMachine/w-old clones"}},
		{name: "a ProxmoxMachine of another version of the reference", change: func(l *lab) {
			l.copyAs("ProxmoxMachine", "w-1", "w-old")
			l.unset("ProxmoxMachine", "w-old", "spec.virtualMachineID")
			owned(l, "ProxmoxMachine", "w-old", "cluster.x-k8s.io/v1beta1", "Machine", "w-1")
		}, want: []string{"proxmoxmachine ProxmoxMachine/w-old clones"}},
		{name: "a ProxmoxMachine that is being deleted", change: func(l *lab) {
			l.copyAs("ProxmoxMachine", "w-1", "w-old")
			owned(l, "ProxmoxMachine", "w-old", capiVersion, "Machine", "cp-1")
			l.set("ProxmoxMachine", "w-old", "metadata.deletionTimestamp", "2026-01-01T00:00:00Z")
			l.set("ProxmoxMachine", "w-old", "metadata.finalizers", []any{"proxmoxmachine.infrastructure.cluster.x-k8s.io"})
		}, want: []string{"proxmoxmachine ProxmoxMachine/w-old destroys"}},
		{name: "a ProxmoxMachine of nobody's", change: func(l *lab) {
			l.copyAs("ProxmoxMachine", "w-1", "w-old")
			owned(l, "ProxmoxMachine", "w-old", "v1", "ConfigMap", "w-1")
		}},
		{name: "a second control plane", change: func(l *lab) {
			l.copyAs("KubeadmControlPlane", "prod-cp", "other")
			owned(l, "KubeadmControlPlane", "other", capiVersion, "Cluster", "prod")
		}, want: []string{"kubeadmcontrolplane KubeadmControlPlane/other false-green"}, why: "whichever of the two is first"},
		{name: "a control plane of another cluster", change: func(l *lab) {
			l.copyAs("KubeadmControlPlane", "prod-cp", "other")
			owned(l, "KubeadmControlPlane", "other", capiVersion, "Cluster", "dev")
		}},
		{name: "certificates' time is not read yet", change: func(l *lab) {
			l.set("KubeadmControlPlane", "prod-cp", "spec.rollout", map[string]any{"before": map[string]any{"certificatesExpiryDays": int64(30)}})
		}, want: []string{kcpLine + "unknown", "kubeadmcontrolplane Machine/cp-1 unknown", "kubeadmcontrolplane Machine/cp-2 unknown", "kubeadmcontrolplane Machine/cp-3 unknown"}, why: "30 days"},
		{name: "a rollout to come", change: func(l *lab) {
			l.set("KubeadmControlPlane", "prod-cp", "spec.rollout", map[string]any{"after": l.s.CollectedAt.Add(time.Hour).UTC().Format(time.RFC3339)})
		}, want: []string{kcpLine + "rolls-out", "kubeadmcontrolplane Machine/cp-1 rolls-out", "kubeadmcontrolplane Machine/cp-2 rolls-out", "kubeadmcontrolplane Machine/cp-3 rolls-out"}, why: "from"},
		{name: "a Cluster with the annotation too", change: func(l *lab) {
			l.set("Cluster", "prod", "metadata.annotations.[cluster.x-k8s.io/paused]", "")
		}, want: []string{"cluster Cluster/prod waits-forever"}},
		{name: "workers that would count as control planes", change: func(l *lab) {
			l.set("MachineSet", "prod-md-adopted", "spec.template.metadata.labels.[cluster.x-k8s.io/control-plane]", "")
		}, want: []string{msLine + "false-green"}},
		{name: "two sites, and the Machines say which", change: func(l *lab) {
			l.s.Sites = append(l.s.Sites, inventory.Site{Name: "dr", URL: "https://dr:8006"})
			l.s.Clusters[0].Site = ""
			for _, m := range []string{"cp-1", "cp-2", "cp-3", "w-1", "w-2"} {
				l.set("Machine", m, "metadata.annotations.[proxaudit.io/vm]", l.s.Sites[0].Name+"/1")
			}
		}},
		{name: "credentials of another site, which has a VM of the same VMID and name", change: func(l *lab) {
			l.s.Sites = append(l.s.Sites, inventory.Site{Name: "dr", URL: "https://dr:8006"})
			twin := *l.vm(111)
			twin.Site = "dr"
			config := *twin.Config
			config.UUID = "0c3fa683-bef9-4425-b413-000000004711"
			twin.Config = &config
			l.s.VMs = append(l.s.VMs, twin)
			l.stored("prod-pve").Server = "https://dr:8006"
			l.s.Clusters[0].Declared.Infrastructure = &inventory.ProxmoxCluster{CredentialsSecret: "prod/prod-pve"}
		}, want: []string{"machine Machine/cp-1 unknown", "machine Machine/cp-2 unknown", "machine Machine/cp-3 unknown", "machine Machine/w-1 false-green", "machine Machine/w-2 unknown",
			"proxmoxmachine ProxmoxMachine/cp-1 unknown", "proxmoxmachine ProxmoxMachine/cp-2 unknown", "proxmoxmachine ProxmoxMachine/cp-3 unknown",
			"proxmoxmachine ProxmoxMachine/w-1 false-green", "proxmoxmachine ProxmoxMachine/w-2 unknown"}},
		{name: "an address of the pool that the pool gave out", change: func(l *lab) {
			l.set("ProxmoxCluster", "prod", "spec.ipv4Config.addresses", []any{l.node("w-1").InternalIPs[0]})
			l.add("ipam.cluster.x-k8s.io/v1beta2", "IPAddress", "w-1", map[string]any{"spec": map[string]any{"address": l.node("w-1").InternalIPs[0],
				"poolRef": map[string]any{"name": "prod-v4-icip"}}})
		}},
		{name: "an address of the pool that nobody gave out", change: func(l *lab) {
			l.set("ProxmoxCluster", "prod", "spec.ipv4Config.addresses", []any{l.node("w-1").InternalIPs[0]})
		}, want: []string{"proxmoxcluster ProxmoxCluster/prod false-green"}},
	})
}

// ownAccess lets CAPMOX's Deployment take its access from a Secret.
func ownAccess(l *lab) {
	for i := range l.s.Providers {
		if p := &l.s.Providers[i]; p.Label == "infrastructure-proxmox" {
			p.Access = inventorytest.OwnAccess("capmox-system/own")
		}
	}
}
