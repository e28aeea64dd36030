package browser

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/proxaudit/proxaudit/inventory"
	"github.com/proxaudit/proxaudit/inventory/inventorytest"
	"github.com/proxaudit/proxaudit/inventory/snapfile"
)

// hostile is what somebody who may name a VM could try: markup, script, a way out of attributes and of the script element.
const hostile = `"'></script><script>window.owned=1</script><img src=x onerror=window.owned=2><svg onload=window.owned=3><a href=javascript:window.owned=4>`

// page is one HTML report, with the same run's JSON where there is one.
type page struct{ name, html, json string }

// result is what the tests read of the JSON of a run.
type result struct {
	Findings []struct {
		Severity, Class, Rule, Fingerprint string
		Subject                            struct{ Name, ID, Site, Cluster string }
		History                            *struct{ Change string }
	}
	Coverage []struct{ State string }
}

// pages makes every page that the tests open, once: reports of the examples after some nights, a hostile fleet, one without findings,
// 5,000 findings, and a page of each other command.
var pages = sync.OnceValue(func() map[string]page { return map[string]page{} })

func open(t *testing.T, name string) page {
	t.Helper()
	known := pages()
	if p, ok := known[name]; ok {
		return p
	}
	dir, err := scratch()
	if err != nil {
		t.Fatal(err)
	}
	p := page{name: name, html: filepath.Join(dir, name+".html"), json: filepath.Join(dir, name+".json")}
	out := []string{"-q", "-o", "html=" + p.html, "-o", "json=" + p.json}
	switch name {
	case "homelab", "messy", "stuck", "prod":
		nights(t, "../../examples/"+name+"/snapshot.json", filepath.Join(dir, name+".db"), out)
	case "hostile":
		file := filepath.Join(dir, "hostile-snapshot.json")
		write(t, file, hostileFleet(t))
		nights(t, file, filepath.Join(dir, "hostile.db"), out)
	case "clean":
		s := read(t, "../../examples/homelab/snapshot.json")
		s.VMs, s.Machines, s.ProxmoxMachines, s.Nodes, s.Clusters, s.Objects = nil, nil, nil, nil, nil, nil
		s.Coverage = slices.DeleteFunc(s.Coverage, func(c inventory.Coverage) bool { return strings.HasPrefix(c.Source, "cluster/") })
		for i := range s.Coverage {
			s.Coverage[i].Got = 0
		}
		file := filepath.Join(dir, "clean-snapshot.json")
		write(t, file, s)
		proxaudit(t, slices.Concat([]string{"report", "--from", file}, out)...)
	case "many":
		file := filepath.Join(dir, "many-snapshot.json")
		write(t, file, inventorytest.FleetWithout(10_000, 3_900))
		proxaudit(t, slices.Concat([]string{"report", "--from", file}, out)...)
	case "orphans", "inventory", "why":
		proxaudit(t, slices.Concat([]string{name, "--from", "../../examples/messy/snapshot.json"}, out)...)
	default:
		t.Fatalf("there is no page %s", name)
	}
	if _, err := os.Stat(p.html); err != nil {
		t.Fatal(err)
	}
	known[name] = p
	return p
}

// nights are reports of one fleet, night after night, where some VMs were not there on the first ones.
func nights(t *testing.T, file, db string, out []string) {
	t.Helper()
	s := read(t, file)
	at, vms := s.CollectedAt, s.VMs
	for night := range 4 {
		s.CollectedAt = at.Add(time.Duration(night-3) * 24 * time.Hour)
		s.VMs = vms[:max(0, len(vms)-3+night)]
		name := filepath.Join(t.TempDir(), "night.json")
		write(t, name, s)
		proxaudit(t, slices.Concat([]string{"report", "--from", name, "--history", db}, out)...)
	}
}

// hostileFleet is a fleet in which everybody who may name or say something does his worst.
func hostileFleet(t *testing.T) *inventory.Snapshot {
	t.Helper()
	s := read(t, "../../examples/messy/snapshot.json")
	for i := range s.VMs {
		v := &s.VMs[i]
		v.Name += hostile
		v.Tags = append(v.Tags, hostile)
		v.Pool, v.Status, v.Node = hostile, hostile, hostile
		if v.Config != nil {
			v.Config.Description = hostile
		}
	}
	renamed := map[string]string{}
	for i := range s.Clusters {
		c := &s.Clusters[i]
		renamed[c.Key] = c.Key + hostile
		c.Key = renamed[c.Key]
	}
	for i := range s.Nodes {
		n := &s.Nodes[i]
		n.Cluster = renamed[n.Cluster]
		n.Name += hostile
	}
	for i := range s.Sites {
		s.Sites[i].Version += hostile
	}
	for i := range s.Coverage {
		if key, ok := strings.CutPrefix(s.Coverage[i].Source, "cluster/"); ok && renamed[key] != "" {
			s.Coverage[i].Source = "cluster/" + renamed[key]
		}
		s.Coverage[i].Reason += hostile
		s.Coverage[i].Remedy += hostile
	}
	return s
}

func read(t *testing.T, file string) *inventory.Snapshot {
	t.Helper()
	files, err := snapfile.ReadFiles([]string{file})
	if err != nil || len(files) != 1 {
		t.Fatalf("%s: %d, %v", file, len(files), err)
	}
	return files[0].Snapshot
}

func write(t *testing.T, file string, s *inventory.Snapshot) {
	t.Helper()
	if err := snapfile.WriteFile(file, s); err != nil {
		t.Fatal(err)
	}
}
