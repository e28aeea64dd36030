package pvesim

import (
	"crypto/sha1" //nolint:gosec // the digest of a configuration, as Proxmox VE makes it, and no protection
	"encoding/hex"
	"fmt"
	"strings"
)

// storageTypes are the values of the parameter "type" (pve-storage
// PVE/Storage/*Plugin.pm).
var storageTypes = strings.Fields("btrfs cephfs cifs dir esxi iscsi iscsidirect lvm lvmthin nfs pbs rbd zfs zfspool")

// storages lists the definitions of the storages that the caller may see or use,
// in random order (pve-storage PVE/API2/Storage/Config.pm, index). Values that
// are not set are left out.
func (c *call) storages() (any, *apiError) {
	digest := c.st.storageDigest()
	rows := []any{}
	for _, s := range c.st.storages {
		if !c.may("/storage/"+s.id, "Datastore.Audit", "Datastore.AllocateSpace") {
			continue
		}
		kind := orDefault(s.spec.Type, "dir")
		if want := c.params["type"]; want != "" && want != kind {
			continue
		}
		row := map[string]any{"storage": s.id, "type": kind, "content": strings.Join(s.contentOrder, ","), "digest": digest}
		if s.spec.Path != "" {
			row["path"] = s.spec.Path
		}
		if s.spec.Shared {
			row["shared"] = 1
		}
		if s.spec.Disabled {
			row["disable"] = 1
		}
		if len(s.spec.Nodes) > 0 {
			row["nodes"] = strings.Join(s.spec.Nodes, ",")
		}
		rows = append(rows, row)
	}
	return c.srv.shuffled(rows), nil
}

// storageDigest stands for that of storage.cfg: it changes with what is defined.
func (s *fleetState) storageDigest() string {
	h := sha1.New() //nolint:gosec // see above
	for _, st := range s.storages {
		// A hash takes everything; it has no error to give.
		_, _ = fmt.Fprintf(h, "%s %s %q %v %v %q %s\n", st.id, st.spec.Type, st.contentOrder, st.spec.Shared, st.spec.Disabled,
			st.spec.Nodes, st.spec.Path)
	}
	return hex.EncodeToString(h.Sum(nil))
}
