package snapfile

import (
	"encoding/json"
	"fmt"

	"github.com/proxaudit/proxaudit/inventory"
)

// fields are all that a Snapshot has, by their names in the file, with the way to read each. A test holds them against
// the struct.
var fields = map[string]func(d *document, name string, s *inventory.Snapshot) error{
	"formatVersion":   version,
	"collectedAt":     value(func(s *inventory.Snapshot) any { return &s.CollectedAt }),
	"toolVersion":     value(func(s *inventory.Snapshot) any { return &s.ToolVersion }),
	"parts":           list(func(s *inventory.Snapshot) *[]inventory.Part { return &s.Parts }, part),
	"management":      value(func(s *inventory.Snapshot) any { return &s.Management }),
	"sites":           list(func(s *inventory.Snapshot) *[]inventory.Site { return &s.Sites }, site),
	"vms":             list(func(s *inventory.Snapshot) *[]inventory.VM { return &s.VMs }, vm),
	"clusters":        list(func(s *inventory.Snapshot) *[]inventory.Cluster { return &s.Clusters }, cluster),
	"machines":        list(func(s *inventory.Snapshot) *[]inventory.Machine { return &s.Machines }, machine),
	"proxmoxMachines": list(func(s *inventory.Snapshot) *[]inventory.ProxmoxMachine { return &s.ProxmoxMachines }, proxmoxMachine),
	"nodes":           list(func(s *inventory.Snapshot) *[]inventory.Node { return &s.Nodes }, node),
	"groups":          list(func(s *inventory.Snapshot) *[]inventory.Group { return &s.Groups }, group),
	"providers":       list(func(s *inventory.Snapshot) *[]inventory.Provider { return &s.Providers }, provider),
	"tasks":           list(func(s *inventory.Snapshot) *[]inventory.Task { return &s.Tasks }, task),
	"events":          list(func(s *inventory.Snapshot) *[]inventory.Event { return &s.Events }, event),
	"storedSecrets":   list(func(s *inventory.Snapshot) *[]inventory.StoredSecret { return &s.StoredSecrets }, storedSecret),
	"probes":          list(func(s *inventory.Snapshot) *[]inventory.Probe { return &s.Probes }, probe),
	"coverage":        list(func(s *inventory.Snapshot) *[]inventory.Coverage { return &s.Coverage }, coverage),
	"requests":        list(func(s *inventory.Snapshot) *[]inventory.Requests { return &s.Requests }, requests),
	"objects":         list(func(s *inventory.Snapshot) *[]inventory.Object { return &s.Objects }, object),
}

// version is checked as soon as it is there: of another version, everything else may have another shape.
func version(d *document, name string, s *inventory.Snapshot) error {
	if err := value(func(s *inventory.Snapshot) any { return &s.FormatVersion })(d, name, s); err != nil {
		return err
	}
	return checkVersion(s.FormatVersion)
}

// value reads a field that is no list.
func value(of func(*inventory.Snapshot) any) func(*document, string, *inventory.Snapshot) error {
	return func(d *document, name string, s *inventory.Snapshot) error {
		at := d.offset()
		if err := d.dec.Decode(of(s)); err != nil {
			return d.fail(name, at, err)
		}
		return nil
	}
}

// list reads a list, and checks each element before it reads the next: millions of elements that say nothing take a few
// kilobytes in a file, and gigabytes in memory.
func list[T any](of func(*inventory.Snapshot) *[]T, lacks func(*T) string) func(*document, string, *inventory.Snapshot) error {
	return func(d *document, name string, s *inventory.Snapshot) error {
		at := d.offset()
		open, err := d.dec.Token()
		switch {
		case err != nil:
			return d.fail(name, at, err)
		case open == nil:
			return nil
		case open != json.Delim('['):
			return fmt.Errorf("no Snapshot (%s, from byte %d on): it is no list", name, at)
		}
		all := []T{}
		for d.dec.More() {
			at := d.offset()
			var v T
			if err := d.dec.Decode(&v); err != nil {
				return d.fail(fmt.Sprintf("%s[%d]", name, len(all)), at, err)
			}
			if what := lacks(&v); what != "" {
				return fmt.Errorf("no Snapshot (%s[%d], from byte %d on): %s; proxaudit scan writes no such thing: use a file "+
					"that nothing has changed since, or scan again", name, len(all), at, what)
			}
			all = append(all, v)
		}
		if _, err := d.dec.Token(); err != nil {
			return d.fail(name, d.offset(), err)
		}
		*of(s) = all
		return nil
	}
}
