package pvesim

var poolMemberTypes = []string{"qemu", "lxc", "storage"}

// pools is GET /pools. With poolid it shows one pool and all its members: the
// check for Pool.Audit is made and its result thrown away, and VM.Audit is not
// asked for (pve-manager Pool.pm, index).
func (c *call) pools() (any, *apiError) {
	id := c.params["poolid"]
	if id == "" {
		rows := []any{}
		for _, id := range c.st.poolIDs {
			if !c.may("/pool/"+id, "Pool.Audit") {
				continue
			}
			row := map[string]any{"poolid": id}
			if p := c.st.fleet.Pools[id]; p != nil && p.Comment != "" {
				row["comment"] = p.Comment
			}
			rows = append(rows, row)
		}
		return rows, nil
	}
	row, err := c.poolRow(id)
	if err != nil {
		return nil, err
	}
	return []any{row}, nil
}

// pool is the older GET /pools/{poolid}, which cannot name a nested pool.
func (c *call) pool() (any, *apiError) { return c.poolRow(c.vars["poolid"]) }

func (c *call) poolRow(id string) (map[string]any, *apiError) {
	p, ok := c.st.fleet.Pools[id]
	if !ok {
		return nil, failed("pool '%s' does not exist", id)
	}
	p = orZero(p)
	kind := c.params["type"]
	members := []any{}
	for _, g := range c.st.guests {
		if c.st.poolOf[g.id] != id || kind == "storage" || kind == "qemu" && g.lxc || kind == "lxc" && !g.lxc {
			continue
		}
		members = append(members, g.resourceRow(c.st, c.now))
	}
	if kind == "" || kind == "storage" {
		for _, s := range c.st.storages {
			for _, name := range p.Storages {
				if name == s.id {
					members = append(members, s.resourceRow(c.asked, c))
				}
			}
		}
	}
	row := map[string]any{"members": members, "poolid": id}
	if p.Comment != "" {
		row["comment"] = p.Comment
	}
	return row, nil
}
