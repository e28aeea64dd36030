package pvesim

import (
	"regexp"
	"slices"
	"strings"
)

// Checksums of uploads are not verified here, so their parameters are not taken.
var uploadEndpointParams = []param{
	nodeParam, storageParam, {name: "content", required: true, enum: []string{"iso", "vztmpl", "import"}},
	{name: uploadName, required: true, invalid: func(v string) string {
		if len(v) > 255 {
			return "value may only be 255 characters long"
		}
		return ""
	}},
	{name: uploadSize, kind: kindInteger},
}

var (
	reNotInFileName = regexp.MustCompile(`[^a-zA-Z0-9_.-]`)
	reUploadNames   = map[string]*regexp.Regexp{
		"iso":    regexp.MustCompile(`(?i)^.+\.(?:iso|img)$`),
		"vztmpl": regexp.MustCompile(`(?i)^.+\.tar\.(?:gz|xz|zst|bz2)$`),
		"import": regexp.MustCompile(`^.+\.(?:ova|ovf|qcow2|raw|vmdk)$`),
	}
)

// upload is POST …/storage/{storage}/upload. The node that was asked takes the
// file, and its task copies it to the node of the path (pve-storage
// API2/Storage/Status.pm, upload). The content is not kept.
func (c *call) upload() (any, *apiError) {
	node := c.node()
	if node == nil {
		return nil, failed("hostname lookup '%[1]s' failed - failed to get address info for: %[1]s: Name or service not known", c.vars["node"])
	}
	st, err := c.st.storageOn(c.vars["storage"], node.name)
	if err != nil {
		return nil, err
	}
	if !st.fileBased() {
		return nil, failed("can't upload to storage type '%s'", st.spec.Type)
	}
	size, ok := c.params[uploadSize]
	if !ok {
		return nil, failed("missing temporary file name")
	}
	content := c.params["content"]
	name := c.params[uploadName]
	name = reNotInFileName.ReplaceAllString(name[strings.LastIndexAny(name, `/\`)+1:], "_")
	if !reUploadNames[content].MatchString(name) {
		return nil, badParams(map[string]string{uploadName: "wrong file extension"})
	}
	if !st.holds(content) {
		return nil, failed("storage '%s' does not support '%s' content", st.id, content)
	}
	if !node.online() {
		return nil, failed("can't activate storage '%s' on node '%s': no answer", st.id, node.name)
	}
	volume := Volume{Name: content + "/" + name, Size: toInt(size), Created: c.now.Unix()}
	if !st.spec.Shared {
		volume.Node = node.name
	}
	return c.fork(c.asked, "imgcopy", "", func(log *taskLog) error {
		log.printf("target node: %s\ntarget file: %s\nfile size is: %s\nfinished file import successfully", node.name, st.filePath(volume.Name), size)
		spec := c.nextStorage(st.id)
		spec.Volumes = slices.DeleteFunc(spec.Volumes, volume.same)
		spec.Volumes = append(spec.Volumes, volume)
		return nil
	}), nil
}

func (v Volume) same(o Volume) bool { return v.Name == o.Name && v.Node == o.Node }

// nextStorage is a storage in the fleet to be; the default one is written down.
func (c *call) nextStorage(id string) *Storage {
	if len(c.next.Storages) == 0 {
		c.next.Storages = defaultStorages()
	}
	if c.next.Storages[id] == nil {
		c.next.Storages[id] = &Storage{}
	}
	return c.next.Storages[id]
}

var deleteVolumeParams = []param{nodeParam, storageParam, volumeParam, {name: "delay", kind: kindInteger}}

// deleteVolume is DELETE …/content/{volume} (pve-storage API2/Storage/Content.pm).
// That a file is not there is no error. Images that a guest's configuration names
// are not removed: here they are nothing but that name.
func (c *call) deleteVolume() (any, *apiError) {
	st, name, err := c.volume()
	if err != nil {
		return nil, err
	}
	if err := c.need("/storage/"+st.id, "Datastore.Allocate"); err != nil {
		return nil, err
	}
	node, id := c.node(), st.id
	if owner := volumeOwner(name); owner != 0 {
		id = itoa(owner) + "@" + st.id
	}
	for _, v := range c.st.guestVolumes(st, node.name) {
		if v.name == name && !v.cdrom {
			return nil, failed("pvesim does not remove %s:%s, which the configuration of a guest names", st.id, name)
		}
	}
	upid := c.fork(node, "imgdel", id, func(log *taskLog) error {
		spec := c.nextStorage(st.id)
		before := len(spec.Volumes)
		spec.Volumes = slices.DeleteFunc(spec.Volumes, func(v Volume) bool {
			return v.Name == name && (st.spec.Shared || v.Node == node.name)
		})
		if len(spec.Volumes) == before {
			log.printf("disk image '%s' does not exist", st.filePath(name))
		}
		log.printf("Removed volume '%s:%s'", st.id, name)
		return nil
	})
	if c.params["delay"] != "" {
		return nil, nil
	}
	return upid, nil
}
