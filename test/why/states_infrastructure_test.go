package why

const (
	provisioned = "VirtualMachineProvisioned"
	available   = "ProxmoxAvailable"
)

// infrastructureStates come to a halt before there is anything to run a control plane on.
var infrastructureStates = []state{
	{name: "cluster-paused",
		change:  func(_ *bench, s *scene) { spec(s.cluster)["paused"] = true },
		settled: holds("cluster-paused", "cluster/cluster-paused", "Paused", "True/Paused"),
		want: answer{state: stuck, phase: "infrastructure", holder: person, cause: "paused", object: "Cluster/cluster-paused",
			says: "it is paused (spec.paused)", command: aboutCluster + "cluster-paused"}},
	{name: "infra-paused",
		change:  func(_ *bench, s *scene) { annotations(s.infra)[pausedAnnotation] = "" },
		settled: holds("infra-paused", "cluster/infra-paused", "InfrastructureReady", "False/NotReady"),
		want: answer{state: stuck, phase: "infrastructure", holder: person, cause: "paused", object: "ProxmoxCluster/infra-paused",
			says: "its annotation cluster.x-k8s.io/paused", command: aboutProxmoxCluster + "infra-paused"}},
	{name: "no-infra",
		change:  func(_ *bench, s *scene) { s.infra = nil },
		settled: holds("no-infra", "cluster/no-infra", "InfrastructureReady", "False/ObjectDoesNotExist"),
		want: answer{state: stuck, phase: "infrastructure", holder: person, cause: "object-missing", object: "ProxmoxCluster/no-infra",
			says: "there is no ProxmoxCluster no-infra", command: "-n no-infra get proxmoxclusters.infrastructure.cluster.x-k8s.io"}},
	// Nowhere but in CAPMOX's log is said what is wrong.
	{name: "no-credentials", readable: "no-credentials-pve",
		change:  func(_ *bench, s *scene) { s.access = nil },
		settled: complained("no-credentials", "failed to get credentials secret"),
		want: answer{state: converging, phase: "infrastructure", holder: infrastructure, cause: "not-reconciled", object: "ProxmoxCluster/no-credentials",
			controller: capmoxDeployment, says: "its controller has said nothing about it yet", shows: "the Secret of spec.credentialsRef", command: aboutProxmoxCluster + "no-credentials"},
		wantReading: answer{state: stuck, phase: "infrastructure", holder: person, cause: "credentials", object: "Secret/no-credentials-pve",
			says: "there is no Secret no-credentials-pve", shows: "url, token and secret", command: "-n no-credentials get secrets"}},
	{name: "wrong-secret",
		change:  func(_ *bench, s *scene) { s.access["stringData"].(object)["secret"] = wrongSecret },
		settled: complained("wrong-secret", "Unable to initialize ProxmoxClient"),
		want: answer{state: converging, phase: "infrastructure", holder: infrastructure, cause: "not-reconciled", object: "ProxmoxCluster/wrong-secret",
			controller: capmoxDeployment, says: "its controller has said nothing about it yet", shows: "where it cannot log in to Proxmox, it says so there alone", command: aboutProxmoxCluster + "wrong-secret"}},
	{name: "proxmox-elsewhere",
		change:  func(_ *bench, s *scene) { s.access["stringData"].(object)["url"] = "https://127.0.0.1:1" },
		settled: complained("proxmox-elsewhere", "Unable to initialize ProxmoxClient"),
		want: answer{state: converging, phase: "infrastructure", holder: infrastructure, cause: "not-reconciled", object: "ProxmoxCluster/proxmox-elsewhere",
			controller: capmoxDeployment, says: "its controller has said nothing about it yet", shows: "the address", command: aboutProxmoxCluster + "proxmox-elsewhere"}},
	{name: "no-reference",
		change:  func(_ *bench, s *scene) { delete(spec(s.infra), "credentialsRef") },
		settled: holds("no-reference", "proxmoxcluster/no-reference", available, "False/CredentialsNotFound"),
		want: answer{state: stuck, phase: "infrastructure", holder: person, cause: "credentials", object: "ProxmoxCluster/no-reference",
			says: "CAPMOX has no credentials for Proxmox", shows: "missing credentialsRef", command: aboutProxmoxCluster + "no-reference"}},
	{name: "no-endpoint",
		change: func(_ *bench, s *scene) {
			delete(spec(s.infra), "controlPlaneEndpoint")
			spec(s.infra)["externalManagedControlPlane"] = true
		},
		settled: holds("no-endpoint", "proxmoxcluster/no-endpoint", available, "False/MissingControlPlaneEndpoint"),
		want: answer{state: stuck, phase: "infrastructure", holder: person, cause: "endpoint-missing", object: "ProxmoxCluster/no-endpoint",
			says: "nobody has set its endpoint", shows: "spec.controlPlaneEndpoint", command: aboutProxmoxCluster + "no-endpoint"}},
}
