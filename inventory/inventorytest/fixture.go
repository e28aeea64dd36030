package inventorytest

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"sigs.k8s.io/yaml"

	"github.com/proxaudit/proxaudit/inventory"
)

// Now is the clock of a fixture that sets none.
var Now = time.Date(2026, 12, 1, 12, 0, 0, 0, time.UTC)

// Fixture is a Snapshot with the verdicts that it has to give.
type Fixture struct {
	// Name is the file that it came from.
	Name     string
	Snapshot *inventory.Snapshot
	// Grace is zero where the fixture sets none.
	Grace time.Duration
	// Want are the expected verdicts by subject, as `-o name` prints it.
	Want map[string]Verdict
	// Incomplete is what the run must say of itself; nil where the fixture does not care.
	Incomplete *bool
}

// Verdict is what a fixture expects of one subject. Empty fields are not compared.
type Verdict struct {
	Class      string `json:"class"`
	Reason     string `json:"reason,omitempty"`
	Confidence string `json:"confidence,omitempty"`
	Cluster    string `json:"cluster,omitempty"`
	// Missing are coverage entries (SOURCE SCOPE) that the verdict must name.
	Missing []string `json:"missing,omitempty"`
	// Notes are pieces of text that must stand in one of the notes each.
	Notes []string `json:"notes,omitempty"`
	// Rivals are subjects that the verdict must name as the other side.
	Rivals []string `json:"rivals,omitempty"`
	// With are subjects that must be the same machine.
	With []string `json:"with,omitempty"`
}

// file is a fixture as it is written.
type file struct {
	Now             string             `json:"now,omitempty"`
	Grace           string             `json:"grace,omitempty"`
	Sites           []site             `json:"sites,omitempty"`
	VMs             []vm               `json:"vms,omitempty"`
	Management      *management        `json:"management,omitempty"`
	Clusters        []cluster          `json:"clusters,omitempty"`
	Machines        []machine          `json:"machines,omitempty"`
	ProxmoxMachines []proxmoxMachine   `json:"proxmoxMachines,omitempty"`
	Nodes           []node             `json:"nodes,omitempty"`
	Providers       []provider         `json:"providers,omitempty"`
	Probes          []probe            `json:"probes,omitempty"`
	Coverage        []coverage         `json:"coverage,omitempty"`
	Want            map[string]Verdict `json:"want"`
	Incomplete      *bool              `json:"incomplete,omitempty"`
}

// Read loads a fixture file.
func Read(path string) (*Fixture, error) {
	data, err := os.ReadFile(path) //nolint:gosec // a test names its own file
	if err != nil {
		return nil, fmt.Errorf("read fixture: %w", err)
	}
	f, err := Parse(data)
	if err != nil {
		return nil, fmt.Errorf("fixture %s: %w", path, err)
	}
	f.Name = path
	return f, nil
}

// Parse reads a fixture. Unknown keys, expectations of subjects that do not exist, and a fixture that expects nothing
// are errors: each would make a test that cannot fail.
func Parse(data []byte) (*Fixture, error) {
	text, err := expand(string(data))
	if err != nil {
		return nil, err
	}
	var in file
	if err := yaml.UnmarshalStrict([]byte(text), &in); err != nil {
		return nil, err
	}
	b := &builder{in: &in, now: Now, s: &inventory.Snapshot{FormatVersion: inventory.FormatVersion, Coverage: []inventory.Coverage{}}}
	if in.Now != "" {
		if b.now, err = time.Parse(time.RFC3339, in.Now); err != nil {
			return nil, fmt.Errorf("now: %w", err)
		}
	}
	f := &Fixture{Snapshot: b.s, Want: in.Want, Incomplete: in.Incomplete}
	if in.Grace != "" {
		if f.Grace, err = time.ParseDuration(in.Grace); err != nil {
			return nil, fmt.Errorf("grace: %w", err)
		}
	}
	if err := b.build(); err != nil {
		return nil, err
	}
	if len(f.Want) == 0 {
		return nil, fmt.Errorf("want: nothing is expected, so nothing would be tested")
	}
	known := subjects(b.s)
	for id, v := range f.Want {
		if v.Class == "" {
			return nil, fmt.Errorf("want: %s has no class", id)
		}
		for _, s := range slices.Concat([]string{id}, v.Rivals, v.With) {
			if !known[s] {
				return nil, fmt.Errorf("want: there is no %s in this fixture", s)
			}
		}
	}
	return f, nil
}

// UnmarshalJSON takes a class alone, or the whole verdict.
func (v *Verdict) UnmarshalJSON(data []byte) error {
	if len(data) > 0 && data[0] == '"' {
		v.Class = strings.Trim(string(data), `"`)
		return nil
	}
	type plain Verdict
	return strictJSON(data, (*plain)(v))
}

// subjects lists everything that a Snapshot holds, by the names that -o name prints.
func subjects(s *inventory.Snapshot) map[string]bool {
	out := map[string]bool{}
	for i := range s.VMs {
		out[inventory.VMSubject(s.VMs[i].Key()).String()] = true
	}
	add := func(kind, scope, name string) {
		out[inventory.Subject{Kind: kind, Scope: scope, Name: name}.String()] = true
	}
	for i := range s.Machines {
		add(inventory.SubjectMachine, s.Machines[i].Namespace, s.Machines[i].Name)
	}
	for i := range s.ProxmoxMachines {
		add(inventory.SubjectProxmoxMachine, s.ProxmoxMachines[i].Namespace, s.ProxmoxMachines[i].Name)
	}
	for i := range s.Nodes {
		add(inventory.SubjectNode, s.Nodes[i].Cluster, s.Nodes[i].Name)
	}
	return out
}
