package config

import (
	"io/fs"
	"time"

	"github.com/proxaudit/proxaudit/inventory"
)

// Config is a configuration file as read, with every path made absolute or relative to the working directory and every
// secret resolved.
type Config struct {
	// Path is the file it came from; empty for a run without one.
	Path string `yaml:"-"`
	// Warnings are remarks for stderr, one a line: things that work and that somebody should change.
	Warnings []string `yaml:"-"`

	// Sites are the Proxmox VE clusters and standalone hosts to read. Without any, PROXMOX_URL and its companions
	// in the environment name one.
	Sites []Site `yaml:"sites"`
	// Management says how the Cluster API management cluster is reached. Absent: the current kubeconfig context.
	Management *Management `yaml:"management"`
	// Clusters are workload clusters: access, site and the VMs that belong to them.
	Clusters []Cluster `yaml:"clusters"`
	// GracePeriod is how long a machine may be on its way before it is a finding. 0 means the built-in 30 minutes.
	GracePeriod Duration `yaml:"gracePeriod"`
	// Thresholds decide when a run fails.
	Thresholds Thresholds `yaml:"thresholds"`
	// RequestTimeout bounds one request. 0 means the built-in value of each source.
	RequestTimeout Duration `yaml:"requestTimeout"`
	// ReadSecrets allows reading the <cluster>-kubeconfig Secret of every declared cluster.
	ReadSecrets bool `yaml:"readSecrets"`
	// Ignore is a file of ignore rules for orphans and report.
	Ignore string `yaml:"ignore"`
	// GuestAgent allows asking the QEMU guest agent of running VMs that nothing else identified.
	GuestAgent bool `yaml:"guestAgent"`
}

// Site is one Proxmox VE cluster or standalone host.
type Site struct {
	// Name is proxaudit's name for it: the SITE of vm/SITE/VMID.
	Name string `yaml:"name"`
	// URL is the API's address, like https://pve1.example.com:8006.
	URL string `yaml:"url"`
	// TokenID is USER@REALM!TOKENNAME.
	TokenID string `yaml:"tokenID"`
	// Secret is the token's secret, written into the file. SecretFile and SecretEnv are better places.
	Secret inventory.Secret `yaml:"secret"`
	// SecretFile holds the secret and nothing else.
	SecretFile string `yaml:"secretFile"`
	// secretMode is that of SecretFile as far as it was read and is a regular file; else 0.
	secretMode fs.FileMode
	// SecretEnv is the name of the environment variable that holds the secret.
	SecretEnv string `yaml:"secretEnv"`
	// CAFile is a PEM bundle to trust instead of the system's, like a copy of /etc/pve/pve-root-ca.pem.
	CAFile string `yaml:"caFile"`
	// Fingerprint is the SHA-256 fingerprint of the API's certificate, as `pvenode cert info` prints it.
	Fingerprint string `yaml:"fingerprint"`
	// Insecure turns certificate checks off.
	Insecure bool `yaml:"insecure"`
	// Regions are the names under which the Proxmox cloud controller manager knows this site.
	Regions []string `yaml:"regions"`
	// Concurrency bounds the requests in flight.
	Concurrency Concurrency `yaml:"concurrency"`
}

// Concurrency bounds the requests in flight at one site. Zero means the built-in value.
type Concurrency struct {
	// PerNode bounds the requests that one Proxmox host works on.
	PerNode int `yaml:"perNode"`
	// Total bounds the requests to the whole site.
	Total int `yaml:"total"`
}

// Management is the Cluster API management cluster.
type Management struct {
	// None says that there is no management cluster: VMs and Nodes are classed without Machines.
	None bool `yaml:"none"`
	// Name is the CLUSTER of node/CLUSTER/NAME for the management cluster's own Nodes.
	Name string `yaml:"name"`
	// Kubeconfig is a file; empty means what kubectl would take.
	Kubeconfig string `yaml:"kubeconfig"`
	// Context is a context of it; empty means the current one.
	Context string `yaml:"context"`
	// Namespaces to read Cluster API objects from; empty means all.
	Namespaces []string `yaml:"namespaces"`
}

// Cluster is one workload cluster.
type Cluster struct {
	// Name is the key under which the Snapshot has it: the name of the Cluster object where one exists (NAMESPACE/NAME
	// where two namespaces declare a cluster of the same name), else a name of one's own.
	Name string `yaml:"name"`
	// Kubeconfig and Context say how its API server is reached.
	Kubeconfig string `yaml:"kubeconfig"`
	Context    string `yaml:"context"`
	// ReadSecret allows reading this cluster's <name>-kubeconfig Secret from the management cluster instead.
	ReadSecret bool `yaml:"readSecret"`
	// Site is the name of the site that its VMs run on.
	Site string `yaml:"site"`
	// Selector says which VMs belong to it, whether or not they became Nodes.
	Selector inventory.Selector `yaml:"selector"`
	// Adopt says what adopt cannot read from the cluster.
	Adopt Adopt `yaml:"adopt"`
}

// Adopt is what a cluster's manifests have to say about machines that do not exist yet, and what verify has to know. Flags of
// adopt and verify win over it.
type Adopt struct {
	// Name and Namespace are those of the Cluster object; empty means the cluster's name for both.
	Name      string `yaml:"name"`
	Namespace string `yaml:"namespace"`
	// Template is the VMID of the template for future machines.
	Template int `yaml:"template"`
	// Addresses are single addresses, ranges (FIRST-LAST) or CIDRs for future machines.
	Addresses []string `yaml:"addresses"`
	// Prefix is the length of their network's prefix; 0 means that of the adopted machines.
	Prefix int `yaml:"prefix"`
	// Gateway and DNSServers of that network; empty means those of the adopted machines.
	Gateway    string   `yaml:"gateway"`
	DNSServers []string `yaml:"dnsServers"`
	// CredentialsSecret is the Secret with CAPMOX's access to Proxmox; empty means NAME-pve.
	CredentialsSecret string `yaml:"credentialsSecret"`
	// ControllerCredentials makes CAPMOX use what it was started with.
	ControllerCredentials bool `yaml:"controllerCredentials"`
	// CAPMOXTokenID is the ID of the API token that CAPMOX uses, by which verify knows its tasks.
	CAPMOXTokenID string `yaml:"capmoxTokenID"`
}

// Thresholds decide when a run fails.
type Thresholds struct {
	// FailOn is the least severity that makes the exit code 1: critical, warning or info. Empty means warning.
	FailOn string `yaml:"failOn"`
}

// Grace is GracePeriod as the standard library knows it.
func (c *Config) Grace() time.Duration { return time.Duration(c.GracePeriod) }

// Timeout is RequestTimeout as the standard library knows it.
func (c *Config) Timeout() time.Duration { return time.Duration(c.RequestTimeout) }

// HasAccess is true if the configuration says how the cluster's own API server is reached.
func (c *Cluster) HasAccess() bool { return c.Kubeconfig != "" || c.Context != "" || c.ReadSecret }
