package normalize

import (
	"fmt"
	"slices"
	"strings"

	"github.com/proxaudit/proxaudit/inventory"
)

// Storages reads the rows of /storage: the definitions of the whole site, without how full they are. They come in random
// order and are sorted by name. A row that cannot be read is described in bad, with its index.
func Storages(data any) (list []inventory.Storage, bad []string, err error) {
	rows, ok := data.([]any)
	if !ok {
		return nil, nil, fmt.Errorf("the list of storages is %s, not a list", kind(data))
	}
	seen := map[string]bool{}
	for i, row := range rows {
		s, err := storage(row)
		switch {
		case err != nil:
			bad = append(bad, fmt.Sprintf("row %d: %v", i, err))
		case seen[s.Name]:
			bad = append(bad, fmt.Sprintf("row %d: storage %q is listed twice", i, s.Name))
		default:
			seen[s.Name] = true
			list = append(list, s)
		}
	}
	slices.SortFunc(list, func(a, b inventory.Storage) int { return strings.Compare(a.Name, b.Name) })
	return list, bad, nil
}

func storage(row any) (inventory.Storage, error) {
	m, ok := row.(map[string]any)
	if !ok {
		return inventory.Storage{}, fmt.Errorf("it is %s, not an object", kind(row))
	}
	s := inventory.Storage{}
	if s.Name, _ = Text(m["storage"]); s.Name == "" {
		return s, fmt.Errorf("it has no name")
	}
	s.Type, _ = Text(m["type"])
	for key, to := range map[string]*[]string{"content": &s.Content, "nodes": &s.Nodes} {
		text, isText := Text(m[key])
		if !isText && m[key] != nil {
			return s, fmt.Errorf("the %s of storage %q is %s, not a text", key, s.Name, kind(m[key]))
		}
		*to = words(text)
	}
	// The word for a storage on which nothing may lie (pve-storage PVE/Storage/Plugin.pm, encode_value).
	s.Content = slices.DeleteFunc(s.Content, func(word string) bool { return word == "none" })
	for key, to := range map[string]*bool{"shared": &s.Shared, "disable": &s.Disabled} {
		if *to, ok = Bool(m[key]); !ok {
			return s, fmt.Errorf("%q of storage %q is %s, not 0 or 1", key, s.Name, kind(m[key]))
		}
	}
	return s, nil
}

// words takes a list apart that Proxmox puts together in the order of a hash: sorted, and each once.
func words(text string) []string {
	list := strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == ';' || r == ' ' })
	if len(list) == 0 {
		return nil
	}
	slices.Sort(list)
	return slices.Compact(list)
}
