package pvesim

import (
	"strings"
)

// nodes is GET /nodes, in random order.
func (c *call) nodes() (any, *apiError) {
	var rows []any
	for _, n := range c.st.nodes {
		row := n.row(c.st.cluster != "", c.now, c.may("/nodes/"+n.name, "Sys.Audit"))
		row["ssl_fingerprint"] = c.srv.Fingerprint()
		rows = append(rows, row)
	}
	return c.srv.shuffled(rows), nil
}

// nodeIndexNames are the parts of a node's API in version 9.
const nodeIndexNames = `aplinfo apt capabilities ceph certificates config disks dns firewall hardware hosts journal lxc
	migrateall netstat network qemu query-oci-repo-tags query-url-metadata replication report rrd rrddata scan sdn services
	spiceshell startall status stopall storage subscription suspendall syslog tasks termproxy time version vncshell
	vzdump wakeonlan`

// nodeIndex lists the parts of a node's API. It is the same for a node that does
// not exist, and is never passed on.
func (c *call) nodeIndex() (any, *apiError) {
	major := c.st.release.major
	var rows []any
	for _, name := range strings.Fields(nodeIndexNames) {
		switch {
		case name == "query-oci-repo-tags" && major < 9, name == "suspendall" && major < 8, name == "sdn" && major < 9:
		default:
			rows = append(rows, map[string]any{"name": name})
		}
	}
	if major < 9 { // it was put behind the sorted rest
		rows = append(rows, map[string]any{"name": "sdn"})
	}
	return rows, nil
}

func (c *call) nodeStatus() (any, *apiError) {
	n := c.node()
	r := c.st.release
	memory := map[string]any{"total": n.memory, "used": n.memory / 4, "free": n.memory - n.memory/4}
	cpu := map[string]any{
		"cpus": n.cpus, "cores": n.cpus, "sockets": 1, "user_hz": 100, "mhz": "2400.000", "model": "simulated", "hvm": "1",
		"flags": "fpu sse sse2",
	}
	if r.major >= 9 {
		memory["available"] = n.memory - n.memory/4
		cpu["family"], cpu["vendor"] = "0", "pvesim"
	}
	return map[string]any{
		"uptime": int64(c.now.Sub(n.booted).Seconds()), "cpu": 0.0342, "idle": 0, "wait": 0,
		"loadavg": []string{"0.12", "0.10", "0.08"}, "memory": memory, "cpuinfo": cpu,
		"swap": map[string]any{"total": 0, "used": 0, "free": 0}, "ksm": map[string]any{"shared": 0},
		"rootfs":         map[string]any{"total": n.disk, "used": n.disk / 5, "avail": n.disk - n.disk/5, "free": n.disk - n.disk/5},
		"kversion":       "Linux 6.8.12-pve #1 SMP PREEMPT_DYNAMIC",
		"current-kernel": map[string]any{"sysname": "Linux", "machine": "x86_64", "release": "6.8.12-pve", "version": "#1 SMP PREEMPT_DYNAMIC"},
		"boot-info":      map[string]any{"mode": "legacy-bios"},
		"pveversion":     "pve-manager/" + r.full + "/" + r.repoID,
	}, nil
}

// nodeStorage lists the storages of a node that the caller may see or use.
func (c *call) nodeStorage() (any, *apiError) {
	rows := []any{}
	for _, s := range c.st.storages {
		if !s.on(c.node().name) || !c.may("/storage/"+s.id, "Datastore.Audit", "Datastore.AllocateSpace") {
			continue
		}
		if want := c.params["storage"]; want != "" && want != s.id {
			continue
		}
		rows = append(rows, map[string]any{
			"storage": s.id, "type": orDefault(s.spec.Type, "dir"), "content": strings.Join(s.contentOrder, ","),
			"shared": flag(s.spec.Shared), "active": 1, "enabled": 1, "total": s.size, "used": s.used,
			"avail": s.size - s.used, "used_fraction": float64(s.used) / float64(max(s.size, 1)),
		})
	}
	return c.srv.shuffled(rows), nil
}
