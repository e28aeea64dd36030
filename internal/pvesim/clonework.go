package pvesim

import (
	"maps"
	"slices"
	"strings"
)

// uncloned are the keys that stay with the source.
var uncloned = []string{
	"parent", "snaptime", "vmstate", "snapstate", "runningcpu", "runningmachine", "running-nets-host-mtu", "template", "lock",
}

// do makes the new guest.
func (cl *cloning) do(log *taskLog) *apiError {
	c := cl.c
	d := &draft{main: maps.Clone(cl.config), pending: section{}, snapshots: map[string]section{}}
	namer := c.st.newNamer(cl.newID)
	for _, key := range sortedKeys(d.main) {
		switch {
		case slices.Contains(uncloned, key), strings.HasPrefix(key, "unused"):
			delete(d.main, key)
		case reNet.MatchString(key):
			net, err := netSchema.parse(d.main.text(key))
			if err != nil {
				return failed("clone failed: %v", err)
			}
			net["macaddr"] = c.st.newMAC()
			d.main[key] = printNet(net)
		case isDrive(key):
			text, err := cl.drive(key, d.main.text(key), namer, log)
			if err != nil {
				return err
			}
			d.main[key] = text
		}
	}
	smbios, err := smbiosSchema.parse(d.main.text("smbios1"))
	if err != nil {
		smbios = map[string]string{}
	}
	smbios["uuid"] = newUUID()
	d.main["smbios1"] = printProps(smbios, "", "")
	if truthy(d.main["vmgenid"]) {
		d.main["vmgenid"] = newUUID()
	}
	d.main["name"] = orDefault(c.params["name"], "Copy-of-VM-"+orDefault(cl.config.text("name"), itoa(cl.source.id)))
	if note := c.params["description"]; note != "" {
		d.main["description"] = note
	}
	node := cl.source.node
	if cl.target != nil {
		node = cl.target
	}
	g := &guest{id: cl.newID, node: node, status: "stopped", vm: &VM{Agent: cl.agent(d.main.text("name"))}}
	c.store(g, d)
	if pool := c.params["pool"]; pool != "" {
		if c.next.Pools[pool] == nil {
			c.next.Pools[pool] = &Pool{}
		}
		c.next.Pools[pool].VMs = append(c.next.Pools[pool].VMs, cl.newID)
	}
	return nil
}

// agent: what is installed in the source is installed in its copy, which has a
// name of its own and no address yet.
func (cl *cloning) agent(name string) *Agent {
	if cl.source.vm.Agent == nil {
		return nil
	}
	a := *cl.source.vm.Agent
	a.Hostname, a.Interfaces = name, nil
	return &a
}

// drive copies a drive's line: a CD-ROM stays what it is, an image gets a new name.
func (cl *cloning) drive(key, text string, namer *volumeNamer, log *taskLog) (string, *apiError) {
	d, err := parseDrive(key, text)
	if err != nil {
		return "", failed("clone failed: %v", err)
	}
	if d.cdrom() && !d.cloudInit() {
		return text, nil
	}
	id, name, ok := splitVolume(d["file"])
	if !ok {
		return "", failed("clone failed: unable to parse volume ID '%s'", d["file"])
	}
	st, fault := cl.c.st.storage(id)
	if fault != nil {
		return "", fault
	}
	if cl.storage != nil {
		st = cl.storage
	}
	format := orDefault(cl.c.params["format"], volumeFormat(name))
	switch {
	case d.cloudInit():
		d["file"], d["size"] = namer.cloudInit(st, "qcow2"), formatSize(cloudInitSize)
	case cl.full || key == "tpmstate0":
		log.printf("create full clone of drive %s (%s:%s)", key, id, name)
		d["file"] = namer.image(st, format)
	default:
		log.printf("create linked clone of drive %s (%s:%s)", key, id, name)
		d["file"] = namer.linkedImage(st, name)
	}
	delete(d, "format")
	return d.String(), nil
}
