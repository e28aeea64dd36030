package pvesim

import "time"

// keepBroadcast is how long pmxcfs keeps the last status broadcast of a node
// (pve-cluster status.c).
const keepBroadcast = 300 * time.Second

// online says whether the node is a member of the cluster.
func (n *nodeState) online() bool { return n.offline.IsZero() }

// known says whether a status broadcast of the node is at hand: while it is on
// and pvestatd works, and for five minutes after it went off.
func (n *nodeState) known(now time.Time) bool {
	return !n.silent && (n.online() || now.Sub(n.offline) < keepBroadcast)
}

// resourceRow is the row of a guest in /cluster/resources, without pool, tags,
// lock and HA state: those do not come from the broadcast. Rows of pools have no
// more than this (pve-manager API2Tools.pm, extract_vm_stats).
func (g *guest) resourceRow(s *fleetState, now time.Time) map[string]any {
	kind := "qemu"
	if g.lxc {
		kind = "lxc"
	}
	row := map[string]any{
		"id": kind + "/" + itoa(g.id), "vmid": g.id, "node": g.node.name, "type": kind, "status": "unknown",
	}
	if !g.node.known(now) || g.vm != nil && g.vm.Fresh {
		return row
	}
	if g = g.lastBroadcast(s, now); g == nil {
		return row
	}
	row["status"], row["name"], row["template"] = g.status, g.name(), 0
	if truthy(g.conf.main["template"]) {
		row["template"] = 1
	}
	row["uptime"], row["maxcpu"], row["cpu"] = g.uptime(now), g.cpus(), g.load()
	row["maxmem"], row["mem"] = g.memory, g.used()
	row["maxdisk"], row["disk"] = g.disk, 0
	row["netin"], row["netout"], row["diskread"], row["diskwrite"] = 0, 0, 0, 0
	if s.release.major >= 9 {
		row["memhost"] = g.used()
	}
	return row
}

// row is the entry of a node in /nodes and /cluster/resources. Without Sys.Audit
// on the node the figures are left out, the level is not.
func (n *nodeState) row(clustered bool, now time.Time, audit bool) map[string]any {
	row := map[string]any{"id": "node/" + n.name, "node": n.name, "type": "node", "status": "unknown"}
	if n.known(now) {
		if !clustered || n.online() {
			row["status"] = "online"
			if audit {
				row["uptime"] = int64(now.Sub(n.booted) / time.Second)
				row["cpu"], row["mem"], row["disk"] = 0.0342, n.memory/4, n.disk/5
			}
		}
		row["level"] = ""
		if audit {
			row["maxcpu"], row["maxmem"], row["maxdisk"] = n.cpus, n.memory, n.disk
		}
	}
	if clustered && !n.online() {
		row["status"] = "offline"
	}
	return row
}
