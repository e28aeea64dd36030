package identity

import (
	"strings"

	"github.com/proxaudit/proxaudit/inventory"
)

// looksLikeKubernetes recognises tags and pools that name Kubernetes itself.
func looksLikeKubernetes(s string) bool {
	s = strings.ToLower(s)
	for _, w := range []string{"k8s", "k3s", "rke2", "kube", "talos", "capi", "karpenter"} {
		if strings.Contains(s, w) {
			return true
		}
	}
	return false
}

// integrationMark finds what the known integrations leave on a VM: CAPMOX's tag while a VM bootstraps
// (luthermonson/go-proxmox), omni's and docker-machine's tags, the karpenter provider's.
func integrationMark(vm *inventory.VM) string {
	for _, t := range vm.Tags {
		if t == "go-proxmox+cloud-init" || t == "docker-machine" || strings.HasPrefix(t, "machine-request.") ||
			strings.HasPrefix(t, "karpenter") {
			return "tag " + t
		}
	}
	return ""
}
