package inventory

// State is how a source answered one question.
type State string

const (
	// Complete means that everything that was asked was answered.
	Complete State = "complete"
	// Partial means that some of it was not.
	Partial State = "partial"
	// Refused means that the source answered, and said no (401, 403).
	Refused State = "refused"
	// Failed means that there was no usable answer (unreachable, timed out, malformed).
	Failed State = "failed"
	// Absent means that the source says it has no such kind. The set is known to be empty; nothing is missing.
	Absent State = "absent"
	// NotAsked means that it would have been a source, but the run had no way to it (a declared cluster without access).
	NotAsked State = "not-asked"
)

// Coverage is what one source was asked and how much of it came back. Absence of evidence from a source that did not
// answer is never evidence of absence: analysis asks here before it calls anything gone.
type Coverage struct {
	// Source is SiteSource, ClusterSource or ManagementSource.
	Source string `json:"source"`
	// Scope is one of the Scope constants, ConfigScope(node), NodeScope(node), or a resource as in
	// "machines.cluster.x-k8s.io".
	Scope  string `json:"scope"`
	State  State  `json:"state"`
	Asked  int    `json:"asked"`
	Got    int    `json:"got"`
	Failed int    `json:"failed,omitempty"`
	// Reason says what came back, in one line; empty when Complete.
	Reason string `json:"reason,omitempty"`
	// Remedy says what to do about it.
	Remedy string `json:"remedy,omitempty"`
	// Optional entries are reported, but no verdict needs them: they do not make a run incomplete.
	Optional bool `json:"optional,omitempty"`
}

// ManagementSource is the Source of everything read from the management cluster's declared objects.
const ManagementSource = "management"

// KubernetesSource is the Source of what a run without any cluster lacks.
const KubernetesSource = "kubernetes"

// NameClusters says what to do about that.
const NameClusters = "name your clusters in proxaudit.yaml (clusters[]), each with a kubeconfig or context"

// SiteSource is the Source of a site.
func SiteSource(site string) string { return "site/" + site }

// ClusterSource is the Source of a workload cluster's API server.
func ClusterSource(key string) string { return "cluster/" + key }

// Scopes of a site.
const (
	ScopeVersion       = "version"
	ScopePermissions   = "permissions"
	ScopeClusterStatus = "cluster-status"
	// ScopeGuests is the guest list. Partial if the token may not see all of it.
	ScopeGuests = "guests"
	ScopeAgent  = "guest-agent"
	ScopeProbes = "probes"
	// ScopeTasks is the task lists of the last 24 hours. Without Sys.Audit Proxmox shows a token its own tasks only, and
	// no error: the entry is then partial.
	ScopeTasks    = "tasks"
	ScopeStorages = "storages"
)

// NodeScope is the reachability of one Proxmox host.
func NodeScope(node string) string { return "node/" + node }

// ConfigScope is the configurations of the guests on one Proxmox host.
func ConfigScope(node string) string { return "config/" + node }

// Scopes of a workload cluster, beside resources.
const (
	// ScopeDiscovery is the list of API groups. Also used for the management cluster.
	ScopeDiscovery = "discovery"
	ScopeNodes     = "nodes"
	ScopeKubeadm   = "kubeadm-config"
	ScopeKubelet   = "kubelet-config"
	// ScopeStaticPods is the mirror Pods of kube-system.
	ScopeStaticPods = "static-pods"
	// ScopeServingCA is which CA signed the API server's certificate.
	ScopeServingCA = "serving-ca"
	ScopeAccess    = "access"
	// ScopeSite is in which site a cluster's VMs lie. Nobody reads it: the configuration says so, or VMs of the cluster
	// that are known.
	ScopeSite = "site"
	// ScopeSharedNodes is there for a cluster only if some of its Nodes have the UIDs of another cluster's.
	ScopeSharedNodes = "shared-nodes"
)

// Scopes of the management cluster on which verdicts rest.
const (
	ScopeClusters        = "clusters.cluster.x-k8s.io"
	ScopeMachines        = "machines.cluster.x-k8s.io"
	ScopeProxmoxMachines = "proxmoxmachines.infrastructure.cluster.x-k8s.io"
	ScopeProviders       = "deployments.apps"
	ScopeCRDs            = "customresourcedefinitions.apiextensions.k8s.io"
	// ScopeProviderPods, ScopeLeases and ScopeEvents are what progress rests on beside the objects: whether the controllers live, and
	// what they said.
	ScopeProviderPods = "pods of providers"
	ScopeLeases       = "leases.coordination.k8s.io"
	ScopeEvents       = "events"
	// ScopeSecrets is the Secrets of adopted clusters. Not asked without the user's leave.
	ScopeSecrets = "secrets"
	// ScopeOtherNamespaces is there only for a run that was told which namespaces to read: what the others declare was
	// not seen.
	ScopeOtherNamespaces = "other namespaces"
)

// Missing is true if something that a verdict needs did not come back.
func (c Coverage) Missing() bool {
	if c.Optional {
		return false
	}
	switch c.State {
	case Complete, Absent:
		return false
	default:
		return true
	}
}

// Incomplete returns the coverage entries because of which verdicts are missing.
func (s *Snapshot) Incomplete() []Coverage {
	var out []Coverage
	for _, c := range s.Coverage {
		if c.Missing() {
			out = append(out, c)
		}
	}
	return out
}

// CoverageOf returns the entry for a source and scope, or nil: an entry that is not there was never asked.
func (s *Snapshot) CoverageOf(source, scope string) *Coverage {
	for i := range s.Coverage {
		if s.Coverage[i].Source == source && s.Coverage[i].Scope == scope {
			return &s.Coverage[i]
		}
	}
	return nil
}

// Known is true if the set that a source and scope stand for is known in full: it was read completely, or the source
// says that there is no such kind.
func (s *Snapshot) Known(source, scope string) bool {
	c := s.CoverageOf(source, scope)
	return c != nil && (c.State == Complete || c.State == Absent)
}
