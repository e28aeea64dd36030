package pvesim

import "strings"

var cloneParams = []param{
	nodeParam, vmidParam(true),
	{name: "newid", kind: kindInteger, required: true, invalid: vmidParam(true).invalid},
	{name: "name", invalid: func(v string) string {
		if !isDNSName(v) {
			return "invalid format - value does not look like a valid DNS name\n"
		}
		return ""
	}},
	{name: "description"},
	{name: "pool", invalid: func(v string) string {
		if !rePoolID.MatchString(v) {
			return "invalid format - value contains invalid characters\n"
		}
		return ""
	}},
	{name: "snapname", invalid: snapshotParam.invalid}, {name: "storage"}, {name: "format", enum: []string{"raw", "qcow2", "vmdk"}},
	{name: "full", kind: kindBoolean}, {name: "target", invalid: nodeParam.invalid}, {name: "bwlimit", kind: kindInteger},
}

// mayClone wants VM.Clone on the source, and VM.Allocate on the new VMID or on the
// pool that it goes to.
func mayClone(c *call) *apiError {
	if err := c.need("/vms/{vmid}", "VM.Clone"); err != nil {
		return err
	}
	if c.may(strings.TrimSuffix("/vms/"+c.params["newid"], "/"), "VM.Allocate") {
		return nil
	}
	if pool := c.params["pool"]; pool != "" && c.may("/pool/"+pool, "VM.Allocate") {
		return nil
	}
	return &apiError{status: 403, message: "Permission check failed"}
}

// cloning is a clone in work.
type cloning struct {
	c       *call
	source  *guest
	config  section // of the guest or of its snapshot
	newID   int
	full    bool
	storage *storageState // nil: where the source has its images
	target  *nodeState    // nil: the node of the source
}

// clone is POST …/clone (qemu-server API2/Qemu.pm, clone_vm).
func (c *call) clone() (any, *apiError) {
	cl, err := c.checkClone()
	if err != nil {
		return nil, err
	}
	return c.fork(cl.source.node, "qmclone", itoa(cl.source.id), func(log *taskLog) error {
		log.printf("creating a clone of VM %d with ID %d", cl.source.id, cl.newID)
		if other := c.st.byID[cl.newID]; other != nil {
			// Another node has the VMID: the cluster file system refuses the file.
			return failed("close (rename) atomic file '/etc/pve/nodes/%s/qemu-server/%d.conf' failed: File exists",
				cl.source.node.name, cl.newID)
		}
		return asError(cl.do(log))
	}), nil
}

// checkClone makes the checks before the task, in the order of the source.
func (c *call) checkClone() (*cloning, *apiError) {
	cl := &cloning{c: c, newID: int(toInt(c.params["newid"]))}
	target := c.params["target"]
	if target == c.node().name || target == "localhost" {
		target = ""
	}
	if pool, ok := c.params["pool"]; ok {
		if _, exists := c.st.fleet.Pools[pool]; !exists {
			return nil, denied("pool '" + pool + "' does not exist")
		}
	}
	if target != "" {
		if cl.target = c.st.byName[target]; cl.target == nil {
			return nil, failed("no such cluster node '%s'", target)
		}
	}
	var err *apiError
	if id := c.params["storage"]; id != "" {
		if cl.storage, err = c.st.storageOn(id, c.node().name); err != nil {
			return nil, err
		}
		if !cl.storage.holds("images") {
			return nil, badParams(map[string]string{"storage": "storage '" + id + "' does not support vm images"})
		}
		if target != "" {
			if _, err := c.st.storageOn(id, target); err != nil {
				return nil, err
			}
			if !cl.storage.spec.Shared {
				return nil, failed("can't clone to non-shared storage '%s'", id)
			}
		}
	}
	if cl.source, err = c.guest(false); err != nil {
		return nil, err
	}
	if err := cl.source.checkLock(); err != nil {
		return nil, err
	}
	cl.config = cl.source.conf.main
	if name := c.params["snapname"]; name != "" {
		var ok bool
		if cl.config, ok = cl.source.conf.snapshots[name]; !ok {
			return nil, failed("snapshot '%s' does not exist", name)
		}
	}
	cl.full = !truthy(cl.source.conf.main["template"])
	if v, ok := c.params["full"]; ok {
		cl.full = v == "1"
	}
	for _, name := range []string{"storage", "format"} {
		if _, ok := c.params[name]; ok && !cl.full {
			return nil, failed("parameter '%s' not allowed for linked clones", name)
		}
	}
	if err := cl.mayUseStorages(); err != nil {
		return nil, err
	}
	if err := c.mayUseBridges(textOnly(cl.config)); err != nil {
		return nil, err
	}
	if other := c.st.byID[cl.newID]; other != nil && other.node == cl.source.node && !other.lxc {
		return nil, failed("unable to create VM %d: config file already exists", cl.newID)
	}
	return cl, cl.mayCopy()
}

func textOnly(s section) map[string]string {
	res := map[string]string{}
	for key := range s {
		res[key] = s.text(key)
	}
	return res
}

// drives calls f for each drive of the source, by name.
func (cl *cloning) drives(f func(key string, d driveProps) *apiError) *apiError {
	for _, key := range sortedKeys(cl.config) {
		if !isDrive(key) {
			continue
		}
		d, err := parseDrive(key, cl.config.text(key))
		if err != nil {
			return failed("unable to parse drive options for '%s'", key)
		}
		if err := f(key, d); err != nil {
			return err
		}
	}
	return nil
}

// mayUseStorages checks the storages of all volumes; a clone to another node needs
// them to be shared (Qemu.pm, $check_storage_access_clone).
func (cl *cloning) mayUseStorages() *apiError {
	shared := true
	err := cl.drives(func(_ string, d driveProps) *apiError {
		file := d["file"]
		switch file {
		case "none":
			return nil
		case "cdrom":
			return cl.c.need("/", "Sys.Console")
		}
		id, _, ok := splitVolume(file)
		if !ok {
			return failed("unable to parse volume ID '%s'", file)
		}
		st, err := cl.c.st.storage(id)
		if err != nil {
			return err
		}
		shared = shared && st.spec.Shared
		if d.cdrom() {
			return nil
		}
		if cl.storage != nil {
			id = cl.storage.id
		}
		return cl.c.need("/storage/"+id, "Datastore.AllocateSpace")
	})
	if err == nil && cl.target != nil && !shared {
		return failed("can't clone VM to node '%s' (VM uses local storage)", cl.target.name)
	}
	return err
}

// mayCopy says whether the storages can do it: a linked clone builds on the image
// of a template or on a snapshot.
func (cl *cloning) mayCopy() *apiError {
	return cl.drives(func(key string, d driveProps) *apiError {
		if cl.full || d.cdrom() || key == "tpmstate0" || truthy(cl.source.conf.main["template"]) {
			return nil
		}
		of := ""
		if cl.c.params["snapname"] != "" {
			of = " a snapshot of"
		}
		return failed("Linked clone feature is not supported for%s '%s' (%s)", of, d["file"], key)
	})
}
