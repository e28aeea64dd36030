package inventory

import "time"

// FormatVersion is the version of the Snapshot's JSON form. The number behind "v" is the major version: readers
// refuse a newer one and accept fields that they do not know within the same one.
const FormatVersion = "proxaudit/snapshot/v1"

// Snapshot is everything one run saw. It is the only thing that passes from collection to analysis.
type Snapshot struct {
	FormatVersion string `json:"formatVersion"`
	// CollectedAt is the run's clock, in UTC: every age that analysis prints is measured from here, so that the
	// same file gives the same bytes next year.
	CollectedAt time.Time `json:"collectedAt"`
	// ToolVersion is the proxaudit version that collected it.
	ToolVersion string `json:"toolVersion,omitempty"`
	// Parts are the scans of which this one is made; empty for one scan. CollectedAt is then the earliest of those that count.
	Parts []Part `json:"parts,omitempty"`

	Sites []Site `json:"sites,omitempty"`
	VMs   []VM   `json:"vms,omitempty"`

	// Management is nil when the run had no management cluster at all: VMs and Nodes are then classed without
	// Machines, and nothing is unknown for that reason.
	Management *Management `json:"management,omitempty"`
	// Clusters are the workload clusters: declared by a Cluster object, named in the configuration, or both. The
	// management cluster itself is one too, for its Nodes are VMs like any others.
	Clusters        []Cluster        `json:"clusters,omitempty"`
	Machines        []Machine        `json:"machines,omitempty"`
	ProxmoxMachines []ProxmoxMachine `json:"proxmoxMachines,omitempty"`
	Nodes           []Node           `json:"nodes,omitempty"`
	// Groups are what creates Machines: MachineSets, MachineDeployments and control planes.
	Groups    []Group    `json:"groups,omitempty"`
	Providers []Provider `json:"providers,omitempty"`

	// Tasks are those of the last 24 hours that worked on a guest. Only runs that ask for them have any (ScopeTasks).
	Tasks []Task `json:"tasks,omitempty"`
	// Events are those about declared objects. Only runs that ask for them have any (ScopeEvents).
	Events []Event `json:"events,omitempty"`
	// StoredSecrets are the Secrets by name that adopted clusters need; only with the user's leave to read Secrets.
	StoredSecrets []StoredSecret `json:"storedSecrets,omitempty"`

	// Probes are the answers to single questions that lists left open (pass 2 of the collection).
	Probes   []Probe    `json:"probes,omitempty"`
	Coverage []Coverage `json:"coverage"`
	Requests []Requests `json:"requests,omitempty"`
	// Objects are the API objects as served, with managed fields taken out and a keyed hash in the place of each credential.
	// Every scan has a key of its own: in a Snapshot of several Parts two hashes say something about each other only where
	// one scan read both, as it did all that the management cluster declares, or all of one cluster.
	Objects []Object `json:"objects,omitempty"`
}

// Requests counts what one source was asked. Retries are counted apart, because the promise made about load
// ("at most N + 6 per site") is about the plan and not about a network's bad day.
type Requests struct {
	Source  string `json:"source"`
	Count   int    `json:"count"`
	Retries int    `json:"retries,omitempty"`
	// Throttled counts 429 answers that were waited out.
	Throttled int `json:"throttled,omitempty"`
}

// InCluster stands for a context where a Pod's own account is used.
const InCluster = "in-cluster"

// Management says which management cluster was read and what it serves.
type Management struct {
	// Context is the kubeconfig context or "in-cluster".
	Context string `json:"context"`
	// Kubeconfig is the file that somebody named for it, as they did; empty if kubectl's own rules found it.
	Kubeconfig string `json:"kubeconfig,omitempty"`
	// Namespaces that were asked; empty means all.
	Namespaces []string `json:"namespaces,omitempty"`
	// Version is the API server's version, like "v1.34.2"; empty if it was not readable.
	Version string `json:"version,omitempty"`
	// Served maps each API group of interest to the versions that discovery listed, the preferred one first.
	Served map[string][]string `json:"served,omitempty"`
	// CRDs are the definitions of the groups of interest; empty unless the run asked for them (ScopeCRDs).
	CRDs []CRD `json:"crds,omitempty"`
	// ClusterName is the name in Snapshot.Clusters under which this cluster's own Nodes stand.
	ClusterName string `json:"clusterName,omitempty"`
}

// Provider is a Cluster API provider's controller Deployment.
type Provider struct {
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
	// Label is the value of cluster.x-k8s.io/provider, like "infrastructure-proxmox".
	Label     string `json:"label"`
	Image     string `json:"image,omitempty"`
	Version   string `json:"version,omitempty"`
	Desired   int32  `json:"desired"`
	Available int32  `json:"available"`
	// Generation and Observed are the Deployment's: Kubernetes itself has not looked at it if they differ.
	Generation int64 `json:"generation,omitempty"`
	Observed   int64 `json:"observedGeneration,omitempty"`
	// Pods and Leases are those of its controllers; empty unless the run asked for them (ScopeProviderPods, ScopeLeases).
	Pods   []ProviderPod `json:"pods,omitempty"`
	Leases []Lease       `json:"leases,omitempty"`
	// Access are the variables of CAPMOX's environment that give it access to Proxmox of its own, by name; empty of other providers.
	Access []AccessVariable `json:"access,omitempty"`
	// RolledOut is when the Deployment's last rollout got its Pods: what changed later in a Secret is not in their environment.
	RolledOut *time.Time `json:"rolledOut,omitempty"`
}

// AccessVariable is where a variable of CAPMOX's environment comes from. One that is not there is not listed.
type AccessVariable struct {
	// Name is PROXMOX_URL, PROXMOX_TOKEN or PROXMOX_SECRET.
	Name string `json:"name"`
	// Secret (NAMESPACE/NAME) and Key are where its value is taken from.
	Secret string `json:"secret,omitempty"`
	Key    string `json:"key,omitempty"`
	// Set is true for a value that stands in the Deployment itself. Nothing is kept of it but, of a URL, Server.
	Set bool `json:"set,omitempty"`
	// Unread is true for a value that comes from where nobody looked, a ConfigMap or all of an object's keys.
	Unread bool   `json:"unread,omitempty"`
	Server string `json:"server,omitempty"`
}

// Object is one API object as served, for analyses that need more than the normalised structs hold.
type Object struct {
	// Cluster is a Cluster name of the Snapshot for objects of a workload cluster, empty for the management cluster.
	Cluster    string         `json:"cluster,omitempty"`
	APIVersion string         `json:"apiVersion"`
	Kind       string         `json:"kind"`
	Namespace  string         `json:"namespace,omitempty"`
	Name       string         `json:"name"`
	Content    map[string]any `json:"content,omitempty"`
}
