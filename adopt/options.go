package adopt

import "github.com/proxaudit/proxaudit/audit"

// Options are what a Plan needs to know beyond the Snapshot. Zero values are derived from the Snapshot where it says enough,
// and are a blocker where it does not.
type Options struct {
	audit.Options
	// Cluster is the key of the cluster in the Snapshot.
	Cluster string
	// Name is the name of the Cluster object; empty means Cluster.
	Name string
	// Namespace is where the objects will be; empty means that of a Cluster object which is there already, else Name.
	Namespace string
	// CAPIVersion and CAPMOXVersion are for providers whose Deployments do not say theirs, like "v1.14.2".
	CAPIVersion, CAPMOXVersion string
	// UserPKI leaves the PKI Secrets the user's own: the control-plane controller then neither owns them nor rotates the
	// kubeconfig.
	UserPKI bool
	// LeaveOut names workers that are not adopted: they stay Nodes that Cluster API does not know.
	LeaveOut []string
	// Force renders in spite of blockers that can destroy nothing.
	Force  bool
	Future Future
	// Flags are for the commands of proxaudit in the steps: they find the same servers from another folder.
	Flags []string
	// Environment is what the run went by beside its flags and its configuration; nil if nobody knows.
	Environment *Environment
	// Recorded is true for a Snapshot that came from a file.
	Recorded bool
	// SecretsDir is where --secrets-dir puts the cluster's own Secrets; empty if they are made by hand.
	SecretsDir string
}

// Environment is what a run went by that the commands of its steps need as well, whenever and wherever somebody types them.
type Environment struct {
	// Folder is where the run was: a kubeconfig that was named by a relative path lies below it.
	Folder string
	// Kubeconfig is the variable KUBECONFIG, a list of absolute paths; empty if it was not set.
	Kubeconfig string
	// Proxmox are the names of the variables that say how a site is reached. Their values are secrets, or lead to them.
	Proxmox []string
}

// Future says how machines that do not exist yet will be made. Nothing of it touches an adopted machine, and all of it has to
// stand in the manifests.
type Future struct {
	// Template is the VMID of the template, on the cluster's site; 0 means the site's only one.
	Template int
	// Addresses are single addresses, ranges (a-b) or CIDRs that future machines may take.
	Addresses []string
	// Prefix is the length of their network's prefix in bits; 0 means that of the adopted machines.
	Prefix int
	// Gateway of that network; empty means that of the adopted machines.
	Gateway string
	// DNSServers for future machines; empty means those of the adopted machines.
	DNSServers []string
	// CredentialsSecret is the Secret with CAPMOX's access to Proxmox (url, token, secret), in the cluster's namespace;
	// empty means NAME-pve.
	CredentialsSecret string
	// ControllerCredentials leaves the Secret out: CAPMOX uses what it was started with.
	ControllerCredentials bool
}
