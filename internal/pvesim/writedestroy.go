package pvesim

import (
	"fmt"
	"slices"
	"strings"
)

var destroyParams = []param{
	nodeParam, vmidParam(true), {name: "skiplock", kind: kindBoolean}, {name: "purge", kind: kindBoolean},
	{name: "destroy-unreferenced-disks", kind: kindBoolean},
}

// destroy is DELETE /nodes/{node}/qemu/{vmid} (qemu-server API2/Qemu.pm,
// destroy_vm). The guest's images go with its configuration, as they stand nowhere
// else here; so destroy-unreferenced-disks finds nothing more.
func (c *call) destroy() (any, *apiError) {
	if err := c.onlyRoot("skiplock"); err != nil {
		return nil, err
	}
	g, err := c.guest(false)
	if err != nil {
		return nil, err
	}
	if err := g.checkProtection(fmt.Sprintf("can't remove VM %d", g.id)); err != nil {
		return nil, err
	}
	purge := c.params["purge"] == "1"
	_, ha := c.st.fleet.HA[g.serviceID()]
	if ha && !purge {
		return nil, failed("unable to remove VM %d - used in HA resources and purge parameter not set.", g.id)
	}
	if g.running() {
		return nil, failed("VM %d is running - destroy failed", g.id)
	}
	return c.fork(g.node, "qmdestroy", itoa(g.id), func(log *taskLog) error {
		if err := g.checkLock("suspended"); err != nil {
			return err
		}
		if volume := c.st.baseInUse(g); volume != "" {
			return failed("base volume '%s' is still in use by linked cloned", volume)
		}
		delete(c.next.VMs, g.id)
		c.forget(g.id)
		if purge {
			log.printf("purging VM %d from related configurations..", g.id)
			if ha {
				delete(c.next.HA, g.serviceID())
				log.printf("NOTE: removed VM %d from HA resource configuration.", g.id)
			}
		}
		return nil
	}), nil
}

// forget takes a VMID out of the pools and the access control list
// (pve-access-control AccessControl.pm, remove_vm_access).
func (c *call) forget(vmid int) {
	for _, p := range c.next.Pools {
		if p != nil {
			p.VMs = slices.DeleteFunc(p.VMs, func(id int) bool { return id == vmid })
		}
	}
	path := "/vms/" + itoa(vmid)
	c.next.ACL = slices.DeleteFunc(c.next.ACL, func(e ACL) bool { return e.Path == path })
}

// baseInUse returns an image of a template that a linked clone builds on, if the
// names of the clones' images tell (those on lvmthin do not).
func (s *fleetState) baseInUse(g *guest) string {
	if !truthy(g.conf.main["template"]) {
		return ""
	}
	for key := range g.conf.main {
		d, err := parseDrive(key, g.conf.main.text(key))
		if !isDrive(key) || err != nil || d.cdrom() || d["file"] == "none" {
			continue
		}
		for _, other := range s.guests {
			if other != g && strings.Contains(other.raw, d["file"]+"/") {
				return d["file"]
			}
		}
	}
	return ""
}
