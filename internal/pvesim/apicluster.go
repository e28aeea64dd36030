package pvesim

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

func itoa(n int) string { return strconv.Itoa(n) }

func (c *call) version() (any, *apiError) {
	r := c.st.release
	res := map[string]any{"version": r.full, "release": r.short, "repoid": r.repoID}
	if v := c.st.fleet.Options["console"]; v != "" {
		res["console"] = v
	}
	return res, nil
}

// clusterStatus lists the cluster, unless the host stands alone, and its nodes in
// random order (pve-manager Cluster.pm, get_status).
func (c *call) clusterStatus() (any, *apiError) {
	var res []any
	online := 0
	var nodes []any
	for _, n := range c.st.nodes {
		row := map[string]any{
			"type": "node", "id": "node/" + n.name, "name": n.name, "nodeid": n.id, "ip": n.ip,
			"local": flag(n == c.asked), "online": flag(n.online()), "level": "",
		}
		if c.st.cluster == "" {
			row["nodeid"], row["online"] = 0, 1
		}
		if n.online() {
			online++
		}
		nodes = append(nodes, row)
	}
	if c.st.cluster != "" {
		version := c.st.fleet.ConfigVersion
		if version == 0 {
			version = len(c.st.nodes)
		}
		res = append(res, map[string]any{
			"type": "cluster", "id": "cluster", "name": c.st.cluster, "nodes": len(c.st.nodes),
			"version": version, "quorate": flag(2*online > len(c.st.nodes)),
		})
	}
	return append(res, c.srv.shuffled(nodes)...), nil
}

func flag(b bool) int {
	if b {
		return 1
	}
	return 0
}

// nextID answers for every user from the unfiltered list of guests, which makes
// it the one way to learn whether a VMID exists that one may not see.
func (c *call) nextID() (any, *apiError) {
	if v, ok := c.params["vmid"]; ok {
		id, err := strconv.Atoi(v)
		if err == nil && c.st.byID[id] != nil {
			return nil, badParams(map[string]string{"vmid": fmt.Sprintf("VM %d already exists", id)})
		}
		return v, nil
	}
	for id := 100; id < 1000000; id++ {
		if c.st.byID[id] == nil {
			return itoa(id), nil
		}
	}
	return nil, failed("unable to get any free VMID")
}

// clusterOptions shows datacenter.cfg; without Sys.Audit only what the web
// interface needs.
func (c *call) clusterOptions() (any, *apiError) {
	res := map[string]any{}
	audit := c.may("/", "Sys.Audit")
	if c.st.release.major < 8 && !audit {
		return nil, denied("/, Sys.Audit")
	}
	for k, v := range c.st.fleet.Options {
		if audit || k == "console" || k == "tag-style" {
			res[k] = v
		}
	}
	if c.st.release.major < 8 {
		return res, nil
	}
	if audit {
		for k, v := range map[string]string{"mac_prefix": "BC:24:11", "description": ""} {
			if _, ok := res[k]; !ok {
				res[k] = v
			}
		}
	}
	tags := []string{}
	for _, g := range c.st.guests {
		if c.may("/vms/"+itoa(g.id), "VM.Audit") {
			tags = append(tags, splitList(g.conf.raw["tags"])...)
		}
	}
	slices.Sort(tags)
	res["allowed-tags"] = slices.Compact(tags)
	return res, nil
}

// haResources lists the guests under high availability.
func (c *call) haResources() (any, *apiError) {
	res := []any{}
	for _, sid := range sortedKeys(c.st.fleet.HA) {
		h := orZero(c.st.fleet.HA[sid])
		kind, _, _ := strings.Cut(sid, ":")
		if t, ok := c.params["type"]; ok && t != kind {
			continue
		}
		row := map[string]any{"sid": sid, "type": kind, "state": orDefault(h.State, "started"), "digest": c.st.haDigest()}
		if h.Group != "" && c.st.release.major < 9 {
			row["group"] = h.Group
		}
		if h.Comment != "" {
			row["comment"] = h.Comment
		}
		res = append(res, row)
	}
	return res, nil
}

// haStatus is what a cluster shows whose resource manager has not been at work:
// the quorum, the services and, in version 9, the state of fencing.
func (c *call) haStatus() (any, *apiError) {
	res := []any{map[string]any{"id": "quorum", "type": "quorum", "node": c.asked.name, "status": "OK", "quorate": 1}}
	if c.st.release.major >= 9 && len(c.st.fleet.HA) > 0 {
		res = append(res, map[string]any{
			"id": "fencing", "type": "fencing", "node": c.asked.name, "armed-state": "standby",
			"status": "standby (CRM watchdog standby)",
		})
	}
	for _, sid := range sortedKeys(c.st.fleet.HA) {
		h := orZero(c.st.fleet.HA[sid])
		_, id, _ := strings.Cut(sid, ":")
		vmid, err := strconv.Atoi(id)
		if err != nil {
			continue
		}
		node, state := c.st.byID[vmid].node.name, orDefault(h.Service, "queued")
		row := map[string]any{
			"id": "service:" + sid, "type": "service", "sid": sid, "node": node, "state": state,
			"status": fmt.Sprintf("%s (%s, %s)", sid, node, state), "request_state": orDefault(h.State, "started"),
			"max_relocate": 1, "max_restart": 1,
		}
		if h.Group != "" && c.st.release.major < 9 {
			row["group"] = h.Group
		}
		if c.st.release.major >= 9 {
			row["failback"] = 1
		}
		res = append(res, row)
	}
	return res, nil
}
