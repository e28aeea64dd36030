package collect

import (
	"fmt"

	"github.com/proxaudit/proxaudit/inventory"
)

// sitesDiffer refuses two sites that are one: all their VMs would be there twice, and each would look like a conflict.
func sitesDiffer(s *inventory.Snapshot) error {
	names := map[string]int{}
	for i := range s.Sites {
		if first, ok := names[s.Sites[i].Name]; ok {
			return fmt.Errorf("two sites are called %q (%s and %s): name them in proxaudit.yaml (sites[].name)",
				s.Sites[i].Name, s.Sites[first].URL, s.Sites[i].URL)
		}
		names[s.Sites[i].Name] = i
	}
	type address struct {
		node   string
		vmid   int
		digest string
	}
	first := map[address]int{}
	for i := range s.VMs {
		vm := &s.VMs[i]
		if vm.Config == nil || vm.Config.Digest == "" || vm.UUID() == "" {
			continue
		}
		a := address{vm.Node, vm.VMID, vm.Config.Digest}
		if j, ok := first[a]; ok && s.VMs[j].Site != vm.Site {
			x, y := &s.Sites[names[s.VMs[j].Site]], &s.Sites[names[vm.Site]]
			if sameNodes(x, y) {
				return fmt.Errorf("sites %s and %s are the same Proxmox cluster (same hosts, and VM %d has the same "+
					"configuration on host %s in both): give it once", describe(x), describe(y), vm.VMID, vm.Node)
			}
		}
		first[a] = i
	}
	return nil
}

func sameNodes(a, b *inventory.Site) bool {
	if len(a.Nodes) != len(b.Nodes) {
		return false
	}
	ips := map[string]string{}
	for _, n := range a.Nodes {
		ips[n.Name] = n.IP
	}
	for _, n := range b.Nodes {
		if ip, ok := ips[n.Name]; !ok || ip != n.IP {
			return false
		}
	}
	return true
}

// describe names a site for an error.
func describe(s *inventory.Site) string { return fmt.Sprintf("%q (%s)", s.Name, s.URL) }
