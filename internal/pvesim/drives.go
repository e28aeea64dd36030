package pvesim

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

var (
	reDriveName = regexp.MustCompile(`^(ide|sata|scsi|virtio|efidisk|tpmstate)\d+$`)
	reNewDisk   = regexp.MustCompile(`^([^/:\s]+):(\d+(?:\.\d+)?)$`)
	reCloudInit = regexp.MustCompile(`[:/](?:vm-\d+-)?cloudinit(?:\.(?:raw|qcow2|vmdk))?$`)
	reOwner     = regexp.MustCompile(`(?:^|/)(?:vm|base)-(\d+)-[^/]+$`)
	reImageExt  = regexp.MustCompile(`\.(raw|qcow2|vmdk)$`)
)

// cloudInitSize is the size of a cloud-init drive (qemu-server Cloudinit.pm).
const cloudInitSize = 4 << 20

// driveProps are the parts of a drive's line, "file" among them.
type driveProps map[string]string

// isDrive says whether a key of a configuration is that of a drive. Drives that
// are out of use are none.
func isDrive(key string) bool { return reDriveName.MatchString(key) }

func driveSchema(key string) propSchema { return driveSchemas[strings.TrimRight(key, "0123456789")] }

func parseDrive(key, text string) (driveProps, error) {
	parts, err := driveSchema(key).parse(text)
	return parts, err
}

func (d driveProps) cloudInit() bool { return reCloudInit.MatchString(d["file"]) }

// cdrom says whether the drive is a CD-ROM; a cloud-init drive is one.
func (d driveProps) cdrom() bool { return d["media"] == "cdrom" || d.cloudInit() }

func (d driveProps) String() string { return printProps(d, "file", "") }

// printProps writes a property string as PVE::JSONSchema print_property_string
// does: the default key first and without its name, then the rest by name. With
// alias the value of that key becomes a key of its own, that of the MAC address.
func printProps(parts map[string]string, defaultKey, alias string) string {
	var res []string
	if v, ok := parts[defaultKey]; ok {
		res = append(res, v)
	}
	for _, key := range sortedKeys(parts) {
		switch key {
		case defaultKey, alias:
		default:
			res = append(res, key+"="+parts[key])
		}
	}
	return strings.Join(res, ",")
}

// printNet writes a network device, with the model as the key of the address.
func printNet(parts map[string]string) string {
	rest := map[string]string{"model": parts["model"] + "=" + parts["macaddr"]}
	for k, v := range parts {
		if k != "model" && k != "macaddr" {
			rest[k] = v
		}
	}
	return printProps(rest, "model", "")
}

// formatSize is PVE::JSONSchema format_size: the largest unit without a rest.
func formatSize(n int64) string {
	if n == 0 {
		return "0"
	}
	unit := 0
	for unit < 4 && n%1024 == 0 {
		n /= 1024
		unit++
	}
	return strconv.FormatInt(n, 10) + []string{"", "K", "M", "G", "T"}[unit]
}

// splitVolume cuts "storage:name"; ok is false for a path or "none".
func splitVolume(id string) (storage, name string, ok bool) {
	if !isVolumeID(id) {
		return "", "", false
	}
	storage, name, ok = strings.Cut(id, ":")
	return storage, name, ok
}

// volumeOwner is the VMID in the name of an image, 0 when there is none.
func volumeOwner(name string) int {
	m := reOwner.FindStringSubmatch(name)
	if m == nil {
		return 0
	}
	id, err := strconv.Atoi(m[1])
	if err != nil {
		return 0
	}
	return id
}

func volumeFormat(name string) string {
	if m := reImageExt.FindStringSubmatch(name); m != nil {
		return m[1]
	}
	return "raw"
}

// fileBased says whether a storage keeps images as files.
func (s *storageState) fileBased() bool {
	return slices.Contains([]string{"", "dir", "nfs", "cifs", "cephfs", "glusterfs", "btrfs"}, s.spec.Type)
}

// path is where a storage of files has them.
func (s *storageState) path() string {
	switch {
	case s.spec.Path != "":
		return s.spec.Path
	case s.id == "local":
		return "/var/lib/vz"
	}
	return "/mnt/pve/" + s.id
}

func (s *storageState) holds(content string) bool { return slices.Contains(s.contentOrder, content) }

// storage returns a storage (PVE::Storage storage_config).
func (s *fleetState) storage(id string) (*storageState, *apiError) {
	for _, st := range s.storages {
		if st.id == id {
			return st, nil
		}
	}
	return nil, failed("storage '%s' does not exist", id)
}

// storageOn is storage for one node (PVE::Storage storage_check_enabled).
func (s *fleetState) storageOn(id, node string) (*storageState, *apiError) {
	st, err := s.storage(id)
	switch {
	case err != nil:
		return nil, err
	case st.spec.Disabled:
		return nil, failed("storage '%s' is disabled", id)
	case !st.on(node):
		return nil, failed("storage '%s' is not available on node '%s'", id, node)
	}
	return st, nil
}

// volumeNamer makes up names for the new images of one guest.
type volumeNamer struct {
	vmid int
	used map[string]bool
}

// newNamer knows the names that guests' configurations have.
func (s *fleetState) newNamer(vmid int) *volumeNamer {
	n := &volumeNamer{vmid: vmid, used: map[string]bool{}}
	re := regexp.MustCompile(`([^\s:,]+):(?:[^\s,]*/)?(vm-` + strconv.Itoa(vmid) + `-disk-\d+)`)
	for _, g := range s.guests {
		for _, m := range re.FindAllStringSubmatch(g.raw, -1) {
			n.used[m[1]+":"+m[2]] = true
		}
	}
	return n
}

// image returns the ID of a new image: "local:100/vm-100-disk-0.qcow2" on a
// storage of files, "local-lvm:vm-100-disk-0" on others.
func (n *volumeNamer) image(st *storageState, format string) string {
	for i := 0; ; i++ {
		name := fmt.Sprintf("vm-%d-disk-%d", n.vmid, i)
		if n.used[st.id+":"+name] {
			continue
		}
		n.used[st.id+":"+name] = true
		return st.id + ":" + st.imagePath(n.vmid, name, format)
	}
}

func (n *volumeNamer) cloudInit(st *storageState, format string) string {
	return st.id + ":" + st.imagePath(n.vmid, fmt.Sprintf("vm-%d-cloudinit", n.vmid), format)
}

func (s *storageState) imagePath(vmid int, name, format string) string {
	if !s.fileBased() {
		return name
	}
	return fmt.Sprintf("%d/%s.%s", vmid, name, format)
}

// linkedImage is the ID of an image that builds on another one.
func (n *volumeNamer) linkedImage(st *storageState, base string) string {
	id := n.image(st, "qcow2")
	if st.spec.Type == "lvmthin" {
		return id // which does not show what it builds on
	}
	_, name, _ := strings.Cut(id, ":")
	return st.id + ":" + base + "/" + name
}
