package render

// VersionInfo says what this program is.
type VersionInfo struct {
	FormatVersion string `json:"formatVersion"`
	Kind          string `json:"kind"`
	Version       string `json:"version"`
	Commit        string `json:"commit,omitempty"`
	// Modified is true for a build from a working tree with changes.
	Modified  bool   `json:"modified,omitempty"`
	GoVersion string `json:"goVersion"`
	Platform  string `json:"platform"`
	// Modules are the versions of the libraries that decide what is understood of Proxmox and Cluster API.
	Modules map[string]string `json:"modules,omitempty"`
	// Formats are the output formats that exist.
	Formats []string `json:"formats"`
}

// KindVersion is the kind of VersionInfo.
const KindVersion = "Version"

// Version is the view of `version`.
func Version(v *VersionInfo) Document {
	kv := KeyValues{Items: []KeyValue{{Key: "proxaudit", Value: v.Version}}}
	// A build outside a repository does not know its commit.
	if commit := v.Commit; commit != "" {
		if v.Modified {
			commit += " (with local changes)"
		}
		kv.Items = append(kv.Items, KeyValue{Key: "commit", Value: commit})
	}
	kv.Items = append(kv.Items, KeyValue{Key: "go", Value: v.GoVersion}, KeyValue{Key: "platform", Value: v.Platform})
	var wide KeyValues
	for _, m := range sortedKeys(v.Modules) {
		wide.Items = append(wide.Items, KeyValue{Key: m, Value: v.Modules[m]})
	}
	return Document{Value: v, Sections: []Section{{Blocks: []Block{kv}}, {Blocks: []Block{wide}, Wide: true}}}
}
