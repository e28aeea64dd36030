package pvesim

import "strings"

var resourceTypes = []string{"vm", "storage", "node", "sdn"}

// resources is GET /cluster/resources: fixed blocks (pools, guests, nodes,
// storages, networks), the guests in the string order of their VMIDs, everything
// silently filtered (pve-manager Cluster.pm, resources).
func (c *call) resources() (any, *apiError) {
	kind, only := c.params["type"]
	want := func(t string) bool { return !only || kind == t }
	res := []any{}
	pools := map[string]map[string]any{}
	if want("pool") {
		for _, id := range c.st.poolIDs {
			if !c.may("/pool/"+id, "Pool.Audit") {
				continue
			}
			row := map[string]any{"id": "/pool/" + id, "pool": id, "type": "pool"}
			pools[id] = row
			res = append(res, row)
		}
	}
	if want("vm") {
		res = append(res, c.guestResources(pools)...)
	}
	if want("node") {
		var rows []any
		for _, n := range c.st.nodes {
			row := n.row(c.st.cluster != "", c.now, c.may("/nodes/"+n.name, "Sys.Audit"))
			if n.cgroup != 0 {
				row["cgroup-mode"] = n.cgroup
			}
			rows = append(rows, row)
		}
		res = append(res, c.srv.shuffled(rows)...)
	}
	if want("storage") {
		res = append(res, c.storageResources()...)
	}
	if want("sdn") {
		res = append(res, c.networkResources(only)...)
	}
	return res, nil
}

// guestResources lists the guests that the caller may audit. The figures of a
// pool count all its guests, the hidden ones included.
func (c *call) guestResources(pools map[string]map[string]any) []any {
	res := make([]any, 0, len(c.st.guests))
	for _, g := range c.st.guests {
		row := g.resourceRow(c.st, c.now)
		pool, inPool := c.st.poolOf[g.id]
		if p := pools[pool]; inPool && p != nil {
			addToPool(p, row)
		}
		if !c.may("/vms/"+itoa(g.id), "VM.Audit") || g.vm != nil && g.vm.Hidden {
			continue
		}
		for k, v := range g.conf.raw {
			row[k] = v
		}
		if inPool && c.may("/pool/"+pool, "Pool.Audit") {
			row["pool"] = pool
		}
		if h, ok := c.st.fleet.HA[g.serviceID()]; ok {
			h = orZero(h)
			row["hastate"] = orDefault(h.Service, orDefault(h.State, "started"))
		}
		res = append(res, row)
	}
	return res
}

// addToPool adds a running guest to the sums of its pool.
func addToPool(pool, row map[string]any) {
	uptime, _ := row["uptime"].(int64)
	if uptime == 0 {
		return
	}
	old, _ := pool["uptime"].(int64)
	pool["uptime"] = max(old, uptime)
	mem, _ := pool["mem"].(int64)
	pool["mem"] = mem + row["mem"].(int64)
	maxmem, _ := pool["maxmem"].(int64)
	pool["maxmem"] = maxmem + row["maxmem"].(int64)
	cpu, _ := pool["cpu"].(float64)
	maxcpu, _ := pool["maxcpu"].(int64)
	n := row["maxcpu"].(int64)
	pool["cpu"] = (cpu*float64(maxcpu) + row["cpu"].(float64)*float64(n)) / float64(maxcpu+n)
	pool["maxcpu"] = maxcpu + n
}

// storageResources has one row for each node that has a storage.
func (c *call) storageResources() []any {
	var res []any
	for _, s := range c.st.storages {
		if !c.may("/storage/"+s.id, "Datastore.Audit") {
			continue
		}
		for _, n := range c.st.nodes {
			if s.on(n.name) {
				res = append(res, s.resourceRow(n, c))
			}
		}
	}
	return res
}

func (s *storageState) on(node string) bool {
	if s.spec.Disabled {
		return false
	}
	if len(s.spec.Nodes) == 0 {
		return true
	}
	for _, n := range s.spec.Nodes {
		if n == node {
			return true
		}
	}
	return false
}

func (s *storageState) resourceRow(n *nodeState, c *call) map[string]any {
	row := map[string]any{
		"id": "storage/" + n.name + "/" + s.id, "storage": s.id, "node": n.name, "type": "storage",
		"plugintype": orDefault(s.spec.Type, "dir"), "status": "unknown", "shared": flag(s.spec.Shared),
		"content": strings.Join(s.contentOrder, ","),
	}
	if n.known(c.now) {
		row["maxdisk"], row["disk"], row["status"] = s.size, s.used, "available"
	}
	return row
}

// networkResources has the zone "localnetwork" of each node: as type "sdn" up to
// version 8, as type "network" from 9 on, where no filter reaches it.
func (c *call) networkResources(filtered bool) []any {
	var res []any
	if !c.may("/sdn/zones/localnetwork", "SDN.Audit") {
		return nil
	}
	for _, n := range c.st.nodes {
		switch {
		case c.st.release.major >= 9 && !filtered:
			res = append(res, map[string]any{
				"id": "network/" + n.name + "/zone/localnetwork", "type": "network", "network-type": "zone",
				"network": "localnetwork", "node": n.name, "status": "ok",
			})
		case c.st.release.major == 8:
			res = append(res, map[string]any{
				"id": "sdn/" + n.name + "/localnetwork", "type": "sdn", "sdn": "localnetwork", "node": n.name, "status": "ok",
			})
		}
	}
	return res
}
