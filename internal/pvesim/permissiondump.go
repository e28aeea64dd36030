package pvesim

import "strconv"

// dump returns the privileges on every path that the access control list, a pool
// or the fixed top level names. A path without any privilege is left out, so a
// NoAccess is a gap, not an entry.
func (p *permissions) dump(id string) map[string]grants {
	paths := map[string]bool{}
	for _, path := range p.base {
		paths[path] = true
	}
	p.root.visit("", func(path string, _ *aclNode) { paths[path] = true })
	for _, pool := range p.pools {
		for _, vmid := range pool.VMs {
			paths["/vms/"+strconv.Itoa(vmid)] = true
		}
		for _, s := range pool.Storages {
			paths["/storage/"+s] = true
		}
	}
	res := map[string]grants{}
	for path := range paths {
		if g := p.on(id, path); len(g) > 0 {
			res[path] = g
		}
	}
	return res
}
