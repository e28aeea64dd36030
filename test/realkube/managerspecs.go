package realkube

import (
	"fmt"
	"path/filepath"
)

// ProxmoxAccess is how the CAPMOX manager reaches Proxmox where a ProxmoxCluster has no credentialsRef.
type ProxmoxAccess struct {
	// URL of the host, without a path.
	URL string
	// TokenID is user@realm!name, Secret the UUID that goes with it.
	TokenID, Secret string
}

// managerSpec is one provider's manager, as far as starting it goes.
type managerSpec struct {
	// provider is the name in Providers, whose manifest has the webhooks of this manager.
	provider string
	// binary is the file name in the bench directory.
	binary string
	// namespace is where the provider is installed, by its manifest.
	namespace string
	// health names the flag for the address of the health endpoint: it was renamed between the generations.
	health string
	// webhookPort is 0 where a flag takes it.
	webhookPort int
	// env is what the program reads from its environment beside what all managers read.
	env []string
}

// managerSpecs lists the managers of all Providers.
func managerSpecs(pve ProxmoxAccess) []managerSpec {
	return []managerSpec{
		{
			provider: "cluster-api", binary: "capi-core-" + ClusterAPIVersion,
			namespace: "capi-system", health: "--health-addr",
		},
		{
			provider: "bootstrap-kubeadm", binary: "capi-kubeadm-bootstrap-" + ClusterAPIVersion,
			namespace: "capi-kubeadm-bootstrap-system", health: "--health-addr",
		},
		{
			provider: "control-plane-kubeadm", binary: "capi-kubeadm-control-plane-" + ClusterAPIVersion,
			namespace: "capi-kubeadm-control-plane-system", health: "--health-addr",
		},
		{
			// No flag for the port of its webhooks nor for their certificates: controller-runtime's defaults hold
			// (cluster-api-provider-proxmox cmd/main.go, ctrlwebhook.NewServer).
			provider: "infrastructure-proxmox", binary: "capmox-" + CAPMOXVersion,
			namespace: "capmox-system", health: "--health-probe-bind-address", webhookPort: 9443,
			env: []string{"PROXMOX_URL=" + pve.URL, "PROXMOX_TOKEN=" + pve.TokenID, "PROXMOX_SECRET=" + pve.Secret},
		},
		{
			provider: "ipam-in-cluster", binary: "ipam-" + IPAMVersion,
			namespace: "capi-ipam-in-cluster-system", health: "--health-probe-bind-address",
		},
	}
}

// certificates is the folder, below the temporary folder of a manager, where controller-runtime looks for the webhook
// certificate if it is not told otherwise (pkg/webhook/server.go).
func certificates(temp string) string {
	return filepath.Join(temp, "k8s-webhook-server", "serving-certs")
}

// flags are the arguments for ports and files.
func (s managerSpec) flags(kubeconfig, temp string, webhookPort, healthPort int) []string {
	flags := []string{
		"--kubeconfig=" + kubeconfig,
		s.health + "=" + loopback(healthPort),
		// Metrics on a port that nobody has to know.
		"--diagnostics-address=127.0.0.1:0", "--insecure-diagnostics=true",
	}
	if s.webhookPort == 0 {
		flags = append(flags, fmt.Sprintf("--webhook-port=%d", webhookPort), "--webhook-cert-dir="+certificates(temp))
	}
	return flags
}
