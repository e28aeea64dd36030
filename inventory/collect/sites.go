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
	for _, p := range twins(s) {
		x, y := &s.Sites[names[p.sites[0]]], &s.Sites[names[p.sites[1]]]
		if hosts := compareHosts(x, y); hosts == hostsSame || hosts == hostsUnknown && p.vms >= severalVMs {
			return fmt.Errorf("sites %s and %s are the same Proxmox cluster (%d of their VMs, like %d on host %s, have the same "+
				"UUID and configuration in both): give it once", describe(x), describe(y), p.vms, p.vmid, p.host)
		}
	}
	return nil
}

// severalVMs is how many VMs have to be the same where the hosts' addresses do not tell (only a token with Sys.Audit sees
// them). One may be a copy of a configuration file on a host that is called the same. A restored VM is no such copy: it
// gets a new vmgenid (qemu-server PVE/QemuServer.pm, restore_update_config_line), and so another digest.
const severalVMs = 2

// pair is two sites that have the same VMs.
type pair struct {
	sites [2]string
	vms   int
	// vmid and host are those of one of the VMs.
	vmid int
	host string
}

// twins finds the sites that have VMs with the same VMID, host, configuration and UUID, in the order in which they are met.
func twins(s *inventory.Snapshot) []*pair {
	type address struct {
		host   string
		vmid   int
		digest string
		uuid   string
	}
	met := map[address][]string{}
	index := map[[2]string]*pair{}
	var out []*pair
	for i := range s.VMs {
		vm := &s.VMs[i]
		if vm.Config == nil || vm.Config.Digest == "" || vm.UUID() == "" {
			continue
		}
		a := address{vm.Node, vm.VMID, vm.Config.Digest, vm.UUID()}
		for _, site := range met[a] {
			if site == vm.Site {
				continue
			}
			key := [2]string{site, vm.Site}
			if index[key] == nil {
				index[key] = &pair{sites: key, vmid: vm.VMID, host: vm.Node}
				out = append(out, index[key])
			}
			index[key].vms++
		}
		met[a] = append(met[a], vm.Site)
	}
	return out
}

// hosts is what the hosts of two sites say about whether these are one.
type hosts int

const (
	hostsUnknown hosts = iota
	hostsSame
	hostsDiffer
)

// compareHosts compares by name and address. An address that is not there is not known: it is neither the same nor
// another.
func compareHosts(a, b *inventory.Site) hosts {
	ips := make(map[string]string, len(a.Nodes))
	for _, n := range a.Nodes {
		ips[n.Name] = n.IP
	}
	named, sameIP := 0, 0
	for _, n := range b.Nodes {
		ip, ok := ips[n.Name]
		if !ok {
			continue
		}
		named++
		switch {
		case ip == "" || n.IP == "":
		case ip != n.IP:
			return hostsDiffer
		default:
			sameIP++
		}
	}
	if sameIP > 0 && named == len(a.Nodes) && named == len(b.Nodes) {
		return hostsSame
	}
	return hostsUnknown
}

// describe names a site for an error.
func describe(s *inventory.Site) string { return fmt.Sprintf("%q (%s)", s.Name, s.URL) }
