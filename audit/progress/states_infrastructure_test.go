package progress_test

import (
	"github.com/proxaudit/proxaudit/audit/progress"
	"github.com/proxaudit/proxaudit/inventory"
)

// infrastructureStates are those of the first phase. CAPMOX 0.9.0: internal/controller/proxmoxcluster_controller.go (reconcileNormal) and
// pkg/scope/cluster.go (NewClusterScope: what goes wrong there is in the log alone), api/v1alpha1/conditions_consts.go for the older form.
var infrastructureStates = []state{
	{name: "no ProxmoxCluster", stages: "fresh", patch: `{kind: ProxmoxCluster, metadata: {name: prod}, delete: true}`,
		state: progress.Stuck, phase: progress.PhaseInfrastructure, holder: progress.Person, cause: progress.CauseObjectMissing,
		object: "ProxmoxCluster/prod", says: "there is no ProxmoxCluster prod", command: "mgmt -n team get proxmoxclusters.infrastructure.cluster.x-k8s.io", alone: true},
	{name: "ProxmoxCluster without owner", stages: "fresh", patch: `{kind: ProxmoxCluster, metadata: {name: prod, ownerReferences: null}}`,
		state: progress.Stuck, phase: progress.PhaseInfrastructure, holder: progress.Core, cause: progress.CauseOwnerMissing,
		object: "ProxmoxCluster/prod", says: "has not made the Cluster its owner", command: aboutPC, alone: true},
	{name: "CAPMOX cannot log in and says nothing", stages: "fresh",
		state: progress.Stuck, phase: progress.PhaseInfrastructure, holder: progress.Infrastructure, cause: progress.CauseNotLooked,
		object: "ProxmoxCluster/prod", says: "has said nothing", shows: "credentials", command: aboutPC, alone: true},
	{name: "the Secret with the credentials is not there", stages: "fresh", tune: func(s *inventory.Snapshot) {
		s.StoredSecrets = append(s.StoredSecrets, inventory.StoredSecret{Namespace: "team", Name: "prod-pve", Absent: true})
	},
		state: progress.Stuck, phase: progress.PhaseInfrastructure, holder: progress.Person, cause: progress.CauseCredentials,
		object: "Secret/prod-pve", says: "there is no Secret prod-pve", shows: "url, token and secret", command: "mgmt -n team get secrets", alone: true},
	{name: "just applied", stages: "fresh", patch: `{kind: ProxmoxCluster, metadata: {name: prod, creationTimestamp: "@2m"}}`,
		state: progress.Converging, phase: progress.PhaseInfrastructure, holder: progress.Infrastructure, cause: progress.CauseNotLooked,
		object: "ProxmoxCluster/prod", says: "has said nothing", command: aboutPC, alone: true},
	{name: "no credentials", stages: "fresh", patch: `
kind: ProxmoxCluster
metadata: {name: prod}
spec: {credentialsRef: null}
status: {conditions: [{type: ProxmoxAvailable, status: "False", reason: CredentialsNotFound, message: "No credentials found, ProxmoxCluster missing credentialsRef", lastTransitionTime: "@50m"}]}`,
		state: progress.Stuck, phase: progress.PhaseInfrastructure, holder: progress.Person, cause: progress.CauseCredentials,
		object: "ProxmoxCluster/prod", says: "no credentials", shows: "Name a Secret in spec.credentialsRef", command: aboutPC, alone: true},
	{name: "the credentials cannot be read", stages: "fresh", patch: `
kind: ProxmoxCluster
metadata: {name: prod}
status: {conditions: [{type: ProxmoxAvailable, status: "False", reason: ProxmoxUnreachable, message: 'secrets "prod-pve" is forbidden: User "system:serviceaccount:capmox-system:capmox-manager" cannot get resource "secrets"', lastTransitionTime: "@50m"}]}`,
		state: progress.Stuck, phase: progress.PhaseInfrastructure, holder: progress.Infrastructure, cause: progress.CauseUnreachable,
		object: "ProxmoxCluster/prod", says: "does not reach Proxmox", shows: "is forbidden", command: aboutPC, alone: true},
	{name: "wrong token, older CAPMOX", world: "v1beta1", stages: "fresh", patch: `
kind: ProxmoxCluster
metadata: {name: prod}
status: {conditions: [{type: ClusterReady, status: "False", severity: Error, reason: ProxmoxUnreachable, message: not authorized to access endpoint, lastTransitionTime: "@50m"}]}`,
		state: progress.Stuck, phase: progress.PhaseInfrastructure, holder: progress.Person, cause: progress.CauseCredentials,
		object: "ProxmoxCluster/prod", says: "does not let CAPMOX in", command: aboutPC, alone: true},
	{name: "Proxmox is down, older CAPMOX", world: "v1beta1", stages: "fresh", patch: `
kind: ProxmoxCluster
metadata: {name: prod}
status: {conditions: [{type: ClusterReady, status: "False", severity: Error, reason: ProxmoxUnreachable, message: 'Get "https://10.0.0.2:8006/api2/json/version": dial tcp 10.0.0.2:8006: connect: connection refused', lastTransitionTime: "@50m"}]}`,
		state: progress.Stuck, phase: progress.PhaseInfrastructure, holder: progress.Infrastructure, cause: progress.CauseUnreachable,
		object: "ProxmoxCluster/prod", says: "nothing listens", command: aboutPC, alone: true},
	{name: "no endpoint", stages: "fresh", patch: `
kind: ProxmoxCluster
metadata: {name: prod}
spec: {externalManagedControlPlane: true, controlPlaneEndpoint: null}
status: {conditions: [{type: ProxmoxAvailable, status: "False", reason: MissingControlPlaneEndpoint, message: The ProxmoxCluster is missing or waiting for a ControlPlaneEndpoint, lastTransitionTime: "@50m"}]}`,
		state: progress.Stuck, phase: progress.PhaseInfrastructure, holder: progress.Person, cause: progress.CauseEndpointMissing,
		object: "ProxmoxCluster/prod", says: "endpoint", command: aboutPC, alone: true},
	{name: "the Cluster names no infrastructure", stages: "fresh", patch: `{kind: Cluster, metadata: {name: prod}, spec: {infrastructureRef: null}}`,
		state: progress.Stuck, phase: progress.PhaseInfrastructure, holder: progress.Person, cause: progress.CauseObjectMissing,
		object: "Cluster/prod", says: "infrastructureRef is not set", command: aboutCluster, alone: true},
	// core/reconcilers/topology/cluster: conditions.go.
	{name: "the topology cannot be made", stages: "fresh", patch: `
kind: Cluster
metadata: {name: prod}
spec: {infrastructureRef: null, controlPlaneRef: null, topology: {classRef: {name: fleet}, version: v1.33.4}}
status: {conditions: [{type: TopologyReconciled, status: "False", reason: ReconcileFailed, message: 'error reading the ClusterClass: ClusterClass "fleet" not found', lastTransitionTime: "@50m"}]}`,
		state: progress.Stuck, phase: progress.PhaseInfrastructure, holder: progress.Core, cause: progress.CauseCondition,
		object: "Cluster/prod", says: "TopologyReconciled is False (ReconcileFailed)", shows: "not found", command: aboutCluster, alone: true},
	{name: "another provider", stages: "fresh", patch: `{kind: Cluster, metadata: {name: prod}, spec: {infrastructureRef: {kind: DockerCluster}}}`,
		state: progress.Stuck, phase: progress.PhaseInfrastructure, holder: progress.Other, cause: progress.CauseCondition,
		object: "DockerCluster/prod", says: "another provider's", command: "mgmt -n team describe dockerclusters.infrastructure.cluster.x-k8s.io prod", alone: true},
	{name: "the Cluster has not taken it over", stages: "fresh", patch: `
kind: ProxmoxCluster
metadata: {name: prod}
status: {initialization: {provisioned: true}, conditions: [{type: ProxmoxAvailable, status: "True", reason: Provisioned, lastTransitionTime: "@45m"}]}`,
		state: progress.Stuck, phase: progress.PhaseInfrastructure, holder: progress.Core, cause: progress.CauseNotLooked,
		object: "Cluster/prod", says: "does not say so yet", command: aboutCluster, alone: true},
	{name: "the Cluster is paused", stages: "fresh", patch: `
kind: Cluster
metadata: {name: prod}
spec: {paused: true}
status: {conditions: [{type: Paused, status: "True", reason: Paused, message: Cluster spec.paused is set to true, lastTransitionTime: "@20m"}]}`,
		state: progress.Stuck, phase: progress.PhaseInfrastructure, holder: progress.Person, cause: progress.CausePaused,
		object: "Cluster/prod", says: "spec.paused", command: aboutCluster},
	{name: "the ProxmoxCluster is paused", stages: "fresh", patch: `{kind: ProxmoxCluster, metadata: {name: prod, annotations: {cluster.x-k8s.io/paused: ""}}}`,
		state: progress.Stuck, phase: progress.PhaseInfrastructure, holder: progress.Person, cause: progress.CausePaused,
		object: "ProxmoxCluster/prod", says: "annotation cluster.x-k8s.io/paused", command: aboutPC, alone: true},
}
