package pvesim

import (
	"math"
	"slices"
	"strconv"
	"strings"
)

// setDrive makes a drive pending: an existing volume, an empty CD-ROM, or a new
// image (qemu-server API2/Qemu.pm, create_disks).
func (e *configEdit) setDrive(name, value string) *apiError {
	drive, err := parseDrive(name, value)
	if err != nil {
		return badParams(map[string]string{name: "invalid format - " + err.Error() + "\n"})
	}
	if old, ok := e.d.main[name].(string); ok {
		if was, err := parseDrive(name, old); err == nil {
			if err := e.c.mayDrive(was); err != nil {
				return err
			}
		}
	}
	if err := e.c.mayDrive(drive); err != nil {
		return err
	}
	if soon, ok := e.d.pending[name].(string); ok {
		if was, err := parseDrive(name, soon); err == nil {
			e.d.detach(e.g.id, was)
		}
	}
	if err := e.createVolume(name, drive); err != nil {
		return err
	}
	e.d.pending[name] = drive.String()
	// A new CD-ROM is put last in the boot order, so that it can be booted from.
	if len(e.order) > 0 && drive.cdrom() && !drive.cloudInit() && !slices.Contains(e.order, name) {
		e.order = append(e.order, name)
		e.setBootOrder()
	}
	return nil
}

func (e *configEdit) createVolume(name string, drive driveProps) *apiError {
	file := drive["file"]
	storage, volume, managed := splitVolume(file)
	m := reNewDisk.FindStringSubmatch(file)
	switch {
	case file == "none", file == "cdrom":
		delete(drive, "size")
		return nil
	case managed && volume == "cloudinit":
		for _, s := range []section{e.d.main, e.d.pending} {
			for key := range s {
				if d, err := parseDrive(key, s.text(key)); isDrive(key) && key != name && err == nil && d.cloudInit() {
					return failed("%s - cloud-init drive is already attached at '%s'", name, key)
				}
			}
		}
		st, err := e.c.st.storageOn(storage, e.g.node.name)
		if err != nil {
			return err
		}
		drive["file"], drive["media"] = e.namer.cloudInit(st, orDefault(drive["format"], "qcow2")), "cdrom"
		delete(drive, "format")
	case m != nil && !drive.cdrom():
		st, err := e.c.st.storageOn(storage, e.g.node.name)
		if err != nil {
			return err
		}
		size, ferr := strconv.ParseFloat(m[2], 64)
		if ferr != nil || size <= 0 || size > math.MaxInt32 {
			return failed("unable to create image: size '%s' is out of range", m[2])
		}
		drive["file"] = e.namer.image(st, orDefault(drive["format"], "raw"))
		drive["size"] = formatSize(int64(size*1024*1024) * 1024)
		delete(drive, "format")
	default:
		return e.attach(name, file, drive)
	}
	e.log.printf("%s: successfully created disk '%s'", name, drive.String())
	return nil
}

// attach puts an existing volume into a drive, with its size.
func (e *configEdit) attach(name, file string, drive driveProps) *apiError {
	if was, err := parseDrive(name, e.d.main.text(name)); err == nil && was["file"] == file {
		return nil
	}
	storage, volume, managed := splitVolume(file)
	if !managed {
		return failed("Only root can pass arbitrary filesystem paths.")
	}
	st, err := e.c.st.storageOn(storage, e.g.node.name)
	if err != nil {
		return err
	}
	size, ok := e.c.st.volumeSize(st, volume, e.g.node.name)
	if !ok {
		return failed("volume '%s' does not exist", file)
	}
	if size > 0 {
		drive["size"] = formatSize(size)
	}
	return nil
}

// volumeSize finds a volume on a node: a file of the storage, or what a guest's
// configuration names. The size is 0 when nothing tells it.
func (s *fleetState) volumeSize(st *storageState, name, node string) (size int64, ok bool) {
	for _, v := range st.spec.Volumes {
		if v.Name == name && (st.spec.Shared || v.Node == node) {
			return v.Size, true
		}
	}
	for _, v := range s.guestVolumes(st, node) {
		if v.name == name {
			return v.size, true
		}
	}
	return 0, false
}

// guestVolume is a volume that a guest's configuration names.
type guestVolume struct {
	name  string
	owner int
	size  int64
	cdrom bool
}

// guestVolumes lists them, each once.
func (s *fleetState) guestVolumes(st *storageState, node string) []guestVolume {
	seen := map[string]bool{}
	var res []guestVolume
	for _, g := range s.guests {
		if g.lxc || !st.spec.Shared && g.node.name != node {
			continue
		}
		for _, key := range sortedKeys(g.conf.main) {
			if !isDrive(key) && !strings.HasPrefix(key, "unused") {
				continue
			}
			d, err := parseDrive(key, g.conf.main.text(key))
			if err != nil {
				continue
			}
			storage, name, ok := splitVolume(d["file"])
			if !ok || storage != st.id || seen[name] {
				continue
			}
			seen[name] = true
			size, err := parseSize(d["size"])
			if err != nil {
				size = 0
			}
			res = append(res, guestVolume{name: name, owner: volumeOwner(name), size: size, cdrom: d["media"] == "cdrom"})
		}
	}
	return res
}
