// Package importer turns a folder of raw Proxmox VE configuration, laid out as
// /etc/pve, into a fleet for pvesim.
//
// It reads user.cfg, storage.cfg, datacenter.cfg, ha/resources.cfg and the guest
// files below nodes. It never reads priv/: the secrets of tokens are made up, so
// that an import holds nothing that opens a real cluster. Passwords and keys in
// guest files are taken over as they are; look at the result before sharing it.
//
// The state of the guests is not in these files: everything is stopped and every
// node is on. Lay a second fleet file over the result to change that.
package importer

import (
	"crypto/sha1" //nolint:gosec // digests of configuration files are SHA-1 in Proxmox VE
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/proxaudit/proxaudit/internal/pvesim"
)

// Import reads a folder.
func Import(dir string) (*pvesim.Fleet, error) {
	f := &pvesim.Fleet{
		Nodes: map[string]*pvesim.Node{}, VMs: map[int]*pvesim.VM{}, Containers: map[int]*pvesim.Container{},
	}
	root := os.DirFS(dir)
	if err := readNodes(root, f); err != nil {
		return nil, fmt.Errorf("import %s: %w", dir, err)
	}
	for _, part := range []struct {
		file string
		read func(string, *pvesim.Fleet) error
	}{
		{"user.cfg", readUsers},
		{"storage.cfg", always(readStorages)},
		{"datacenter.cfg", always(readDatacenter)},
		{"ha/resources.cfg", always(readHA)},
	} {
		data, err := fs.ReadFile(root, part.file)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("import: %w", err)
		}
		if err := part.read(string(data), f); err != nil {
			return nil, fmt.Errorf("import %s: %w", filepath.Join(dir, part.file), err)
		}
	}
	return f, nil
}

// always is for readers that take any text.
func always(read func(string, *pvesim.Fleet)) func(string, *pvesim.Fleet) error {
	return func(text string, f *pvesim.Fleet) error {
		read(text, f)
		return nil
	}
}

var reGuestFile = regexp.MustCompile(`^nodes/([^/]+)/(qemu-server|lxc)/(\d+)\.conf$`)

// readNodes reads the guest files. A node is a folder below nodes, with guests
// or without.
func readNodes(root fs.FS, f *pvesim.Fleet) error {
	entries, err := fs.ReadDir(root, "nodes")
	if err != nil {
		return err
	}
	for _, e := range entries {
		if e.IsDir() {
			f.Nodes[e.Name()] = &pvesim.Node{}
		}
	}
	return fs.WalkDir(root, "nodes", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		m := reGuestFile.FindStringSubmatch(path)
		if m == nil || d.IsDir() {
			return nil
		}
		id, err := strconv.Atoi(m[3])
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		data, err := fs.ReadFile(root, path)
		if err != nil {
			return err
		}
		if m[2] == "lxc" {
			f.Containers[id] = &pvesim.Container{Node: m[1], Config: string(data)}
		} else {
			f.VMs[id] = &pvesim.VM{Node: m[1], Config: string(data)}
		}
		return nil
	})
}

func readDatacenter(text string, f *pvesim.Fleet) {
	f.Options = map[string]string{}
	for _, line := range strings.Split(text, "\n") {
		if k, v, ok := strings.Cut(line, ":"); ok && !strings.HasPrefix(line, "#") {
			f.Options[strings.TrimSpace(k)] = strings.TrimSpace(v)
		}
	}
}

// readHA reads the resources of the high-availability stack, and keeps the
// digest of the file, which the API shows.
func readHA(text string, f *pvesim.Fleet) {
	sum := sha1.Sum([]byte(text)) //nolint:gosec // see the import
	f.HA, f.HADigest = map[string]*pvesim.HAResource{}, hex.EncodeToString(sum[:])
	for _, s := range sections(text) {
		f.HA[s.kind+":"+s.name] = &pvesim.HAResource{
			State: s.values["state"], Group: s.values["group"], Comment: decode(s.values["comment"]),
		}
	}
}
