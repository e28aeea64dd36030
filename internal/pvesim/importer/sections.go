package importer

import (
	"net/url"
	"strings"

	"github.com/proxaudit/proxaudit/internal/pvesim"
)

// configSection is a block of a section configuration file: "kind: name" and
// indented "key value" lines (PVE::SectionConfig).
type configSection struct {
	kind, name string
	values     map[string]string
}

func sections(text string) []configSection {
	var res []configSection
	for _, line := range strings.Split(text, "\n") {
		if strings.TrimSpace(line) == "" || strings.HasPrefix(line, "#") {
			continue
		}
		if line[0] != ' ' && line[0] != '\t' {
			kind, name, ok := strings.Cut(line, ":")
			if ok {
				res = append(res, configSection{kind: kind, name: strings.TrimSpace(name), values: map[string]string{}})
			}
			continue
		}
		if len(res) == 0 {
			continue
		}
		key, value, _ := strings.Cut(strings.TrimSpace(line), " ")
		res[len(res)-1].values[key] = strings.TrimSpace(value)
	}
	return res
}

func readStorages(text string, f *pvesim.Fleet) {
	f.Storages = map[string]*pvesim.Storage{}
	for _, s := range sections(text) {
		st := &pvesim.Storage{Type: s.kind, Path: s.values["path"], Shared: s.values["shared"] == "1", Content: list(s.values["content"])}
		st.Nodes, st.Disabled = list(s.values["nodes"]), s.values["disable"] == "1"
		// Storages of these types are shared by their nature.
		switch s.kind {
		case "nfs", "cifs", "rbd", "cephfs", "iscsi", "pbs", "glusterfs":
			st.Shared = true
		}
		f.Storages[s.name] = st
	}
}

// list splits a list; it returns nil for an empty one, as a reader of YAML would.
func list(s string) []string {
	if s == "" {
		return nil
	}
	return strings.FieldsFunc(s, func(r rune) bool { return r == ',' || r == ';' || r == ' ' })
}

// decode undoes the percent-encoding of comments; broken escapes stay.
func decode(s string) string {
	if d, err := url.PathUnescape(s); err == nil {
		return d
	}
	return s
}
