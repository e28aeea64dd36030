package adopt_test

import (
	"fmt"
	"slices"

	"github.com/proxaudit/proxaudit/adopt"
	"github.com/proxaudit/proxaudit/inventory"
	"github.com/proxaudit/proxaudit/inventory/inventorytest"
)

func version(label, v string) change {
	return setProvider(label, func(p *inventory.Provider) { p.Version = v })
}

func noProvider(label string) change {
	return func(s *inventory.Snapshot, _ *adopt.Options) {
		s.Providers = slices.DeleteFunc(s.Providers, func(p inventory.Provider) bool { return p.Label == label })
	}
}

func capiVersions(v string) change {
	return all(version("cluster-api", v), version("bootstrap-kubeadm", v), version("control-plane-kubeadm", v))
}

// managed is a machine of a cluster dev that CAPMOX manages with its own credentials, on a site.
func managed(site string) change {
	return func(s *inventory.Snapshot, o *adopt.Options) {
		stranger(site, 700, nil)(s, o)
		id := 700
		s.Clusters = append(s.Clusters, inventory.Cluster{Key: "dev", Declared: &inventory.DeclaredCluster{Meta: inventory.Meta{Namespace: "dev", Name: "dev"},
			Infrastructure: &inventory.ProxmoxCluster{Meta: inventory.Meta{Namespace: "dev", Name: "dev"}}}})
		s.Coverage = append(s.Coverage, inventory.Coverage{Source: inventory.ClusterSource("dev"), Scope: inventory.ScopeNodes, State: inventory.Complete})
		s.ProxmoxMachines = append(s.ProxmoxMachines, inventory.ProxmoxMachine{Meta: inventory.Meta{Namespace: "dev", Name: "office-700"}, Cluster: "dev",
			ProviderID: "proxmox://" + inventorytest.UUID(700), VMID: &id, Ready: true})
		o.Future.ControllerCredentials = true
	}
}

// ownAccess lets CAPMOX's Deployment take its access from a Secret, of which was seen what is given.
func ownAccess(seen *inventory.StoredSecret) change {
	return func(s *inventory.Snapshot, _ *adopt.Options) { takeAccess(s, seen) }
}

// managedWith is managed with the credentials of a Secret, which the adopted cluster may have too.
func managedWith(site, secret string) change {
	return all(managed(site), func(s *inventory.Snapshot, o *adopt.Options) {
		s.Clusters[len(s.Clusters)-1].Declared.Infrastructure.CredentialsSecret = secret
		o.Future.ControllerCredentials = false
	})
}

// ours are the annotations of what an earlier bundle made.
func ours() map[string]string { return map[string]string{adopt.AnnotationRendered: "proxaudit"} }

// oursFor are those of what it made for a machine.
func oursFor(vmid int, node string) map[string]string {
	out := ours()
	out[adopt.AnnotationVM], out[adopt.AnnotationUUID], out[adopt.AnnotationNode] = fmt.Sprintf("lab/%d", vmid), inventorytest.ScriptBuiltUUID(vmid), node
	return out
}

// renderedFor is the content of an object that an earlier bundle for a cluster made.
func renderedFor(cluster string, annotations map[string]string, spec map[string]any) map[string]any {
	return map[string]any{"spec": spec, "metadata": map[string]any{"annotations": anyMap(annotations), "labels": map[string]any{"cluster.x-k8s.io/cluster-name": cluster}}}
}

// ownedContent is the content of an object that has an owner and no label.
func ownedContent(kind, name string) map[string]any {
	return map[string]any{"metadata": map[string]any{"ownerReferences": []any{map[string]any{"apiVersion": capi, "kind": kind, "name": name, "uid": "u"}}}}
}

// machineThere is a Machine and ProxmoxMachine of a cluster, both of that name, that declare no VM of the fixture.
func machineThere(cluster, name string, annotations map[string]string) change {
	return all(object(capi, "Machine", name, renderedFor(cluster, annotations, map[string]any{"clusterName": cluster})),
		object("infrastructure.cluster.x-k8s.io/v1alpha2", "ProxmoxMachine", name, renderedFor(cluster, annotations, nil)))
}

// managementCases are those about the management cluster.
func managementCases() map[string][]ruleCase {
	everything := map[string]any{}
	return map[string][]ruleCase{
		"PXA208": {
			{"CAPMOX 0.7", version("infrastructure-proxmox", "v0.7.7"), find("provider/infrastructure-proxmox", "bootstrap ISO"), false},
			{"CAPMOX from the future", version("infrastructure-proxmox", "v0.10.0"), find("provider/infrastructure-proxmox", "not known here"), false},
			{"Cluster API 1.10", capiVersions("v1.10.9"), find("provider/cluster-api", "v1beta2"), false},
			{"Cluster API from the future", capiVersions("v1.15.0"), find("provider/cluster-api", "not known here"), false},
			{"no address provider", noProvider("ipam-in-cluster"), find("provider/ipam-in-cluster", "no Deployment"), false},
			{"no Pod", setProvider("control-plane-kubeadm", func(p *inventory.Provider) { p.Available = 0 }), find("provider/control-plane-kubeadm", "no Pod that is available"), false},
			{"parts of two releases", version("bootstrap-kubeadm", "v1.14.1"), find("provider/bootstrap-kubeadm", "it is v1.14.1, and cluster-api is v1.14.2"), false},
			{"two CAPMOX of two versions", func(s *inventory.Snapshot, _ *adopt.Options) {
				s.Providers = append(s.Providers, inventory.Provider{Namespace: "z", Name: "capmox", Label: "infrastructure-proxmox", Version: "v0.7.7", Desired: 1, Available: 1})
			}, find("provider/infrastructure-proxmox", "z/capmox is v0.7.7"), false},
			{"no version", version("infrastructure-proxmox", ""), find("provider/infrastructure-proxmox", "not known"), false},
			{"no version that is one", all(version("infrastructure-proxmox", "latest")), find("provider/infrastructure-proxmox", `"latest" is no version`), false},
			{"nonsense by option", setOptions(func(o *adopt.Options) { o.CAPIVersion = "main" }), find("provider/cluster-api", `"main" is no version`), false},
			{"an option that contradicts a Deployment", all(version("infrastructure-proxmox", "v0.7.7"), setOptions(func(o *adopt.Options) { o.CAPMOXVersion = "v0.9.0" })),
				find("provider/infrastructure-proxmox", "--capmox-version says v0.9.0, and the Deployment capmox-system/capmox-controller-manager is v0.7.7"), false},
			{"one that contradicts all parts of Cluster API", all(capiVersions("v1.10.9"), setOptions(func(o *adopt.Options) { o.CAPIVersion = "1.14.2" })),
				[]wanted{{"provider/cluster-api", "--capi-version says v1.14.2"}, {"provider/bootstrap-kubeadm", "is v1.10.9"}, {"provider/control-plane-kubeadm", "is v1.10.9"}}, false},
			{"one that contradicts a second Deployment", all(func(s *inventory.Snapshot, _ *adopt.Options) {
				s.Providers = append(s.Providers, inventory.Provider{Namespace: "z", Name: "capmox", Label: "infrastructure-proxmox", Version: "v0.8.0", Desired: 1, Available: 1})
			}, setOptions(func(o *adopt.Options) { o.CAPMOXVersion = "v0.9.0" })),
				[]wanted{{"provider/infrastructure-proxmox", "--capmox-version says v0.9.0"}, {"provider/infrastructure-proxmox", "z/capmox is v0.8.0"}}, false},
			{"options that say what the Deployments do, without the v", setOptions(func(o *adopt.Options) { o.CAPIVersion, o.CAPMOXVersion = "1.14.2", "0.9.0" }), nil, false},
			{"Deployments that say it without the v", all(capiVersions("1.14.2"), version("infrastructure-proxmox", "0.9.0"), version("bootstrap-kubeadm", "v1.14.2")), nil, false},
			{"an option for a Deployment that says nothing of use", all(version("infrastructure-proxmox", "latest"), setOptions(func(o *adopt.Options) { o.CAPMOXVersion = "v0.9.0" })), nil, false},
			{"the oldest that are known", all(capiVersions("v1.11.0"), version("infrastructure-proxmox", "v0.8.0")), nil, false},
			{"a Deployment that lost its label, and the option", all(noProvider("infrastructure-proxmox"), setOptions(func(o *adopt.Options) { o.CAPMOXVersion = "v0.9.0" })), nil, false},
			{"edge: the option without the API", all(noProvider("infrastructure-proxmox"), setOptions(func(o *adopt.Options) { o.CAPMOXVersion = "v0.9.0" }),
				func(s *inventory.Snapshot, _ *adopt.Options) {
					delete(s.Management.Served, inventory.GroupInfrastructure)
				}),
				find("provider/infrastructure-proxmox", "no Deployment"), false},
		},
		"PXA209": {
			{"all of the cluster", owner("MachineHealthCheck", "prod", everything, nil), find("machinehealthcheck/prod/other", "the Machine cp-1"), false},
			{"workers by their deployment", owner("MachineHealthCheck", "prod", matchLabels("cluster.x-k8s.io/deployment-name", "prod-workers-4c-16g"), nil), find("machinehealthcheck/prod/other", "the Machine w-1"), false},
			{"control planes by the label that they get later", owner("MachineHealthCheck", "prod", matchLabels("cluster.x-k8s.io/control-plane-name", "prod-control-plane"), nil),
				find("machinehealthcheck/prod/other", "the Machine cp-1"), false},
			{"a selector that is none", owner("MachineHealthCheck", "prod", map[string]any{"matchExpressions": []any{map[string]any{"key": "a", "operator": "Near"}}}, nil), find("machinehealthcheck/prod/other", "cannot be read"), false},
			{"another cluster", owner("MachineHealthCheck", "dev", everything, nil), nil, false},
			{"another namespace", owner("MachineHealthCheck", "prod", everything, map[string]any{"namespace": "dev"}), nil, false},
			{"one that selects nothing here", owner("MachineHealthCheck", "prod", matchLabels("pool", "gpu"), nil), nil, false},
			{"edge: one that is paused", owner("MachineHealthCheck", "prod", everything, map[string]any{"annotations": map[string]any{"cluster.x-k8s.io/paused": ""}}), nil, false},
		},
		"PXA212": {
			{"nobody shows where they lead", setOptions(func(o *adopt.Options) { o.Future.ControllerCredentials = true }), find("cluster/prod", "CAPMOX has no credentials of its own"), false},
			{"their own Secret leads to no site that was read", all(setOptions(func(o *adopt.Options) { o.Future.ControllerCredentials = true }), ownAccess(&inventory.StoredSecret{Keys: []string{"secret", "token", "url"}, Server: "https://elsewhere.example:8006"})),
				find("cluster/prod", "lead to https://elsewhere.example:8006"), false},
			{"edge: nobody shows where they lead, and they were not read", all(setOptions(func(o *adopt.Options) { o.Future.ControllerCredentials = true }), ownAccess(nil)), nil, false},
			{"their own Secret shows that they lead here", all(setOptions(func(o *adopt.Options) { o.Future.ControllerCredentials = true }), ownAccess(&inventory.StoredSecret{Keys: []string{"secret", "token", "url"}, Server: "https://pve1.example:8006"})), nil, false},
			{"their own Secret leads elsewhere, whatever the cluster gets", all(managed("dr"), ownAccess(&inventory.StoredSecret{Keys: []string{"secret", "token", "url"}, Server: "https://dr:8006"}), setOptions(func(o *adopt.Options) { o.Future.ControllerCredentials = false })),
				find("cluster/prod", "which lead to dr and go before"), false},
			{"they lead elsewhere", all(managed("dr"), ownAccess(nil)), find("cluster/prod", "lead to dr"), false},
			{"a Secret that leads elsewhere", managedWith("dr", "prod/prod-pve"), find("cluster/prod", "the Secret prod/prod-pve lead to dr"), false},
			{"a Secret that is named and leads elsewhere", all(managedWith("dr", "prod/shared"), setOptions(func(o *adopt.Options) { o.Future.CredentialsSecret = "shared" })), find("cluster/prod", "lead to dr"), false},
			{"a Secret that leads here", managedWith("lab", "prod/prod-pve"), nil, false},
			{"a Secret of the name in another namespace", managedWith("dr", "dev/prod-pve"), nil, false},
			{"a Secret that is there, and its address leads elsewhere", all(managed("dr"), func(s *inventory.Snapshot, _ *adopt.Options) {
				s.Clusters[len(s.Clusters)-1].Declared.Infrastructure.CredentialsSecret = "dev/dev-pve"
				s.StoredSecrets = append(s.StoredSecrets, inventory.StoredSecret{Namespace: "prod", Name: "prod-pve", Keys: []string{"secret", "token", "url"}, Server: "https://dr:8006"})
			}, setOptions(func(o *adopt.Options) { o.Future.ControllerCredentials = false })), find("cluster/prod", "the Secret prod/prod-pve lead to https://dr:8006"), false},
			{"a Secret, and CAPMOX has credentials that lead elsewhere", all(managed("dr"), ownAccess(nil), setOptions(func(o *adopt.Options) { o.Future.ControllerCredentials = false })),
				find("cluster/prod", "which lead to dr and go before those in a Secret"), false},
			{"credentials of its own", same, nil, false},
			{"they lead here", all(managed("lab"), ownAccess(nil)), nil, false},
			{"they are there no more, whatever they led to", managed("lab"), find("cluster/prod", "no credentials of its own"), false},
			{"edge: a managed machine that is not ready shows nothing", all(managed("lab"), func(s *inventory.Snapshot, _ *adopt.Options) { s.ProxmoxMachines[0].Ready = false }),
				find("cluster/prod", "CAPMOX has no credentials of its own"), false},
		},
		"PXA214": {
			{"a Machine declares it", declaredMachine("elsewhere", "w-1", 1001, nil), []wanted{{"vm/lab/1001", "the Machine elsewhere/w-1"}, {"vm/lab/1001", "the ProxmoxMachine elsewhere/w-1"}}, false},
			{"a Cluster of the name", object(capi, "Cluster", "prod", nil), find("cluster/prod/prod", "proxaudit did not render it"), false},
			{"a template of the name", object("infrastructure.cluster.x-k8s.io/v1alpha2", "ProxmoxMachineTemplate", "prod-workers-4c-16g", nil), find("proxmoxmachinetemplate/prod/prod-workers-4c-16g", "did not render"), false},
			{"a MachineSet that would take all of the cluster", owner("MachineSet", "prod", matchLabels("cluster.x-k8s.io/cluster-name", "prod"), nil), find("machineset/prod/other", "the Machine cp-1"), false},
			{"a MachineDeployment that would take a MachineSet", owner("MachineDeployment", "prod", matchLabels("machine-template-hash", "adopted"), nil), find("machinedeployment/prod/other", "the MachineSet prod-workers-4c-16g-adopted"), false},
			{"a MachineSet whose selector is none", owner("MachineSet", "prod", map[string]any{"matchExpressions": []any{map[string]any{"key": "a", "operator": "Near"}}}, nil), find("machineset/prod/other", "cannot be read"), false},
			{"a Machine that was rendered for another cluster", machineThere("dev", "w-1", oursFor(2001, "w-1")),
				[]wanted{{"machine/prod/w-1", `rendered it for the cluster "dev"`}, {"proxmoxmachine/prod/w-1", `rendered it for the cluster "dev"`}}, false},
			{"a Machine of this cluster that was rendered for another VM", machineThere("prod", "w-1", oursFor(2001, "w-1")),
				[]wanted{{"machine/prod/w-1", `vm is "lab/2001", and this machine's "lab/1001"`}, {"proxmoxmachine/prod/w-1", `"lab/2001"`}}, false},
			{"a Machine without a word of its machine", machineThere("prod", "cp-1", ours()),
				[]wanted{{"machine/prod/cp-1", `node is "", and this machine's "cp-1"`}, {"proxmoxmachine/prod/cp-1", `"cp-1"`}}, false},
			{"a KubeadmConfig that was rendered for another cluster", object("bootstrap.cluster.x-k8s.io/v1beta2", "KubeadmConfig", "cp-1", renderedFor("dev", ours(), nil)),
				find("kubeadmconfig/prod/cp-1", `"dev"`), false},
			{"a Cluster of the name that was rendered for another control plane", object(capi, "Cluster", "prod",
				renderedFor("prod", ours(), map[string]any{"controlPlaneEndpoint": map[string]any{"host": "10.9.0.10", "port": float64(6443)}})), find("cluster/prod/prod", "at 10.9.0.10"), false},
			{"a Machine of an earlier bundle that is no machine any more", object(capi, "Machine", "w-9", renderedFor("prod", oursFor(1009, "w-9"), map[string]any{"clusterName": "prod"})),
				find("machine/prod/w-9", "no such machine"), false},
			{"a worker that is left out, and an earlier bundle's Machine for it", all(declaredMachine("prod", "w-1", 1001, oursFor(1001, "w-1")), setOptions(func(o *adopt.Options) { o.LeaveOut = []string{"w-1"} })),
				[]wanted{{"machine/prod/w-1", "no such machine"}, {"proxmoxmachine/prod/w-1", "CAPMOX clones a VM for it"}}, false},
			{"a control plane of an earlier bundle under another name", object("controlplane.cluster.x-k8s.io/v1beta2", "KubeadmControlPlane", "prod-cp", renderedFor("prod", ours(), nil)),
				find("kubeadmcontrolplane/prod/prod-cp", "would clone"), false},
			{"a ProxmoxMachine that an adopted Machine will own", object("infrastructure.cluster.x-k8s.io/v1alpha2", "ProxmoxMachine", "w-old", ownedContent("Machine", "w-1")),
				find("proxmoxmachine/prod/w-old", "CAPMOX clones a VM for it, or destroys"), false},
			{"a ProxmoxMachine with the cluster's label", object("infrastructure.cluster.x-k8s.io/v1alpha2", "ProxmoxMachine", "w-old", renderedFor("prod", nil, nil)),
				find("proxmoxmachine/prod/w-old", "CAPMOX clones"), false},
			{"a ProxmoxMachine of another Machine", object("infrastructure.cluster.x-k8s.io/v1alpha2", "ProxmoxMachine", "w-old", ownedContent("Machine", "web-1")), nil, false},
			{"a control plane that the Cluster will own", object("controlplane.cluster.x-k8s.io/v1beta2", "KubeadmControlPlane", "other", ownedContent("Cluster", "prod")),
				find("kubeadmcontrolplane/prod/other", "takes the adopted ones"), false},
			{"a MachineSet of the cluster that somebody made", object(capi, "MachineSet", "legacy", map[string]any{"spec": map[string]any{"clusterName": "prod", "selector": matchLabels("a", "b")}}),
				find("machineset/prod/legacy", "takes the adopted ones"), false},
			{"a template of an earlier bundle that this one does not have", object("infrastructure.cluster.x-k8s.io/v1alpha2", "ProxmoxMachineTemplate", "prod-gpu", renderedFor("prod", ours(), nil)),
				find("proxmoxmachinetemplate/prod/prod-gpu", "an earlier bundle made it"), false},
			{"a template of the cluster that somebody made", object("infrastructure.cluster.x-k8s.io/v1alpha2", "ProxmoxMachineTemplate", "prod-gpu", renderedFor("prod", nil, nil)), nil, false},
			{"a control plane of an earlier bundle of another cluster", object("controlplane.cluster.x-k8s.io/v1beta2", "KubeadmControlPlane", "dev-cp", renderedFor("dev", ours(), nil)), nil, false},
			{"a MachineSet of an earlier bundle that this one does not have", object(capi, "MachineSet", "prod-gpu-adopted", renderedFor("prod", ours(), map[string]any{"clusterName": "prod"})),
				find("machineset/prod/prod-gpu-adopted", "would clone"), false},
			{"an earlier bundle's objects", all(object(capi, "Cluster", "prod", renderedFor("prod", ours(), map[string]any{"controlPlaneEndpoint": map[string]any{"host": "10.0.0.10", "port": float64(6443)}})),
				object(capi, "MachineSet", "prod-workers-4c-16g-adopted", renderedFor("prod", ours(), map[string]any{"clusterName": "prod"})),
				declaredMachine("prod", "w-1", 1001, oursFor(1001, "w-1"))), nil, false},
			{"a Machine of another cluster in the namespace", machineThere("dev", "web-1", oursFor(2001, "web-1")), nil, false},
			{"a MachineSet of another cluster", owner("MachineSet", "dev", matchLabels("machine-template-hash", "adopted"), nil), nil, false},
			{"a MachineSet of other machines", owner("MachineSet", "prod", matchLabels("cluster.x-k8s.io/deployment-name", "gpu"), nil), find("machineset/prod/other", "it makes Machines"), false},
			{"an object of the name in another namespace", object(capi, "Cluster", "prod", map[string]any{"metadata": map[string]any{"namespace": "dev"}}), nil, false},
			{"edge: an earlier bundle's objects in another namespace declare it too", declaredMachine("old", "w-1", 1001, ours()),
				[]wanted{{"vm/lab/1001", "the Machine old/w-1"}, {"vm/lab/1001", "the ProxmoxMachine old/w-1"}}, false},
		},
	}
}
