package pvesim

import (
	"path"
	"slices"
	"strings"
)

var (
	storageParam  = param{name: "storage", required: true}
	volumeParam   = param{name: "volume", required: true}
	contentParams = []param{nodeParam, storageParam, {name: "content"}, vmidParam(false)}
)

// storageStatus is GET …/storage/{storage}/status.
func (c *call) storageStatus() (any, *apiError) {
	st, err := c.st.storageOn(c.vars["storage"], c.node().name)
	if err != nil {
		return nil, err
	}
	return map[string]any{
		"type": orDefault(st.spec.Type, "dir"), "content": strings.Join(st.contentOrder, ","), "shared": flag(st.spec.Shared),
		"active": 1, "enabled": 1, "total": st.size, "used": st.used, "avail": st.size - st.used,
	}, nil
}

// storedVolume is a volume as the storage's content lists it.
type storedVolume struct {
	id, content, format string
	owner               int
	size, created       int64
}

// volumesOf lists what a storage holds on a node: its files, and the images that
// guests' configurations name. CD-ROM images that only a configuration names are
// left out; nothing says that they are there.
func (s *fleetState) volumesOf(st *storageState, node string) []storedVolume {
	var res []storedVolume
	for _, v := range st.spec.Volumes {
		if !st.spec.Shared && v.Node != node {
			continue
		}
		kind, _, isFile := strings.Cut(v.Name, "/")
		format := kind
		switch {
		case !isFile || volumeOwner(v.Name) != 0:
			kind, format = "images", volumeFormat(v.Name)
		case kind == "vztmpl":
			format = "t" + strings.TrimPrefix(path.Ext(v.Name), ".")
		case kind == "snippets":
			format = "snippet"
		}
		res = append(res, storedVolume{
			id: st.id + ":" + v.Name, content: kind, format: format, owner: volumeOwner(v.Name), size: v.Size, created: v.Created,
		})
	}
	for _, v := range s.guestVolumes(st, node) {
		if v.owner != 0 {
			res = append(res, storedVolume{
				id: st.id + ":" + v.name, content: "images", format: volumeFormat(v.name), owner: v.owner, size: v.size,
			})
		}
	}
	slices.SortFunc(res, func(a, b storedVolume) int { return strings.Compare(a.id, b.id) })
	return slices.CompactFunc(res, func(a, b storedVolume) bool { return a.id == b.id })
}

// storageContent is GET …/storage/{storage}/content.
func (c *call) storageContent() (any, *apiError) {
	st, err := c.st.storageOn(c.vars["storage"], c.node().name)
	if err != nil {
		return nil, err
	}
	rows := []any{}
	for _, v := range c.st.volumesOf(st, c.node().name) {
		if want := c.params["content"]; want != "" && want != v.content {
			continue
		}
		if want, ok := c.params["vmid"]; ok && want != itoa(v.owner) {
			continue
		}
		if c.mayUseVolume(v.id) != nil {
			continue
		}
		row := map[string]any{"volid": v.id, "content": v.content, "format": v.format, "size": v.size}
		if v.created != 0 {
			row["ctime"] = v.created
		}
		if v.owner != 0 {
			row["vmid"] = v.owner
		}
		rows = append(rows, row)
	}
	return rows, nil
}

// volume finds the volume that the path names, with or without its storage.
func (c *call) volume() (*storageState, string, *apiError) {
	name := c.vars["volume"]
	if id, rest, ok := splitVolume(name); ok {
		if id != c.vars["storage"] {
			return nil, "", failed("storage ID mismatch ('%s' != '%s')", id, c.vars["storage"])
		}
		name = rest
	}
	st, err := c.st.storage(c.vars["storage"])
	return st, name, err
}

// volumeInfo is GET …/content/{volume}.
func (c *call) volumeInfo() (any, *apiError) {
	st, name, err := c.volume()
	if err != nil {
		return nil, err
	}
	if err := c.mayUseVolume(st.id + ":" + name); err != nil {
		return nil, err
	}
	for _, v := range c.st.volumesOf(st, c.node().name) {
		if v.id != st.id+":"+name {
			continue
		}
		format := v.format
		if v.content != "images" {
			format = "raw"
		}
		return map[string]any{"path": st.filePath(name), "size": v.size, "used": v.size, "format": format}, nil
	}
	return nil, failed("volume_size_info on '%s:%s' failed - no format", st.id, name)
}

// filePath is where a volume lies in the file system of its node.
func (s *storageState) filePath(name string) string {
	kind, rest, ok := strings.Cut(name, "/")
	switch {
	case !s.fileBased():
		return "/dev/" + s.id + "/" + name
	case ok && kind == "iso":
		return s.path() + "/template/iso/" + rest
	case ok && kind == "vztmpl":
		return s.path() + "/template/cache/" + rest
	case ok && (kind == "snippets" || kind == "import"):
		return s.path() + "/" + name
	}
	return s.path() + "/images/" + name
}
