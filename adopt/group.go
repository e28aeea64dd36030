package adopt

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/proxaudit/proxaudit/inventory"
)

// group is workers that are the same in everything that a template says: one MachineDeployment.
type group struct {
	name    string
	members []*member
	shape   shape
	version string
	labels  map[string]string
	taints  []inventory.Taint
}

// shape is what a VM is made of, as far as a ProxmoxMachineTemplate can say it.
type shape struct {
	sockets, cores int
	memoryMiB      int64
	diskSlot       string
	diskGiB        int64
	networks       string
}

func shapeOf(vm *inventory.VM) shape {
	c := vm.Config
	out := shape{sockets: c.Sockets, cores: c.Cores, memoryMiB: c.MemoryMiB}
	if d := c.BootDrive(); d != nil {
		out.diskSlot = d.Slot
		if d.SizeBytes != nil {
			// Rounded down: a template's disk can only grow, and sizeGb is in whole GiB.
			out.diskGiB = *d.SizeBytes >> 30
		}
	}
	var nets []string
	for _, n := range c.NICs {
		nets = append(nets, fmt.Sprintf("%s/%s/%s/%d/%d/%d", n.Slot, n.Model, n.Bridge, n.VLAN, n.MTU, n.Queues))
	}
	slices.Sort(nets)
	out.networks = strings.Join(nets, ",")
	return out
}

// findGroups puts workers together that are the same, and gives each group a name that says what it is.
func (p *planner) findGroups() {
	unique := p.uniqueLabels()
	byKey := map[string]*group{}
	for _, m := range p.workers() {
		if !m.whole() {
			continue
		}
		labels := chosenLabels(m.node)
		maps.DeleteFunc(labels, func(k, _ string) bool { return unique[k] })
		taints := chosenTaints(m.node)
		g := &group{shape: shapeOf(m.vm), version: m.version, labels: labels, taints: taints}
		key := g.key()
		if byKey[key] == nil {
			byKey[key] = g
			p.groups = append(p.groups, g)
		}
		m.group = byKey[key]
		m.group.members = append(m.group.members, m)
	}
	slices.SortFunc(p.groups, func(a, b *group) int {
		return cmp.Or(cmp.Compare(a.shape.cores*a.shape.sockets, b.shape.cores*b.shape.sockets),
			cmp.Compare(a.shape.memoryMiB, b.shape.memoryMiB), cmp.Compare(a.key(), b.key()))
	})
	nameGroups(p.name, p.groups, p.controlPlaneName())
}

func (g *group) key() string {
	var taints []string
	for _, t := range g.taints {
		taints = append(taints, taintText(t))
	}
	return fmt.Sprintf("%+v|%s|%s|%s", g.shape, g.version, labelText(g.labels), strings.Join(taints, ","))
}

func labelText(labels map[string]string) string {
	var out []string
	for _, k := range slices.Sorted(maps.Keys(labels)) {
		out = append(out, k+"="+labels[k])
	}
	return strings.Join(out, ",")
}

// uniqueLabels are keys that tell single machines apart (three workers or more, all of which have it, and no two with the same
// value): they say who a machine is and not what it is for. One that some workers lack tells kinds of machines apart, such
// as those with a GPU.
func (p *planner) uniqueLabels() map[string]bool {
	values, count := map[string]map[string]bool{}, map[string]int{}
	workers := p.workers()
	for _, m := range workers {
		for k, v := range chosenLabels(m.node) {
			if values[k] == nil {
				values[k] = map[string]bool{}
			}
			values[k][v] = true
			count[k]++
		}
	}
	out := map[string]bool{}
	for k, n := range count {
		if n >= 3 && n == len(workers) && len(values[k]) == n {
			out[k] = true
		}
	}
	return out
}

// nameGroups takes as many words as it needs to tell the groups apart: what they are for, their size, their disk, their
// version, and in the end a number. The names in taken are those of other templates.
func nameGroups(cluster string, groups []*group, taken ...string) {
	words := []func(*group) string{
		func(g *group) string { return g.role() },
		func(g *group) string { return g.size() },
		func(g *group) string { return fmt.Sprintf("%dg-disk", g.shape.diskGiB) },
		func(g *group) string { return word(g.version) },
	}
	if len(groups) == 1 {
		words = words[:1]
	}
	parts := make([][]string, len(groups))
	for _, say := range words {
		different := map[string]bool{}
		for _, g := range groups {
			different[say(g)] = true
		}
		for i, g := range groups {
			// A word that all have in common tells nothing, but the first says that they are workers.
			if w := say(g); w != "" && (len(different) > 1 || len(parts[i]) == 0) {
				parts[i] = append(parts[i], w)
			}
		}
		if distinct(parts) {
			break
		}
	}
	seen := map[string]bool{}
	for _, t := range taken {
		seen[t] = true
	}
	for i, g := range groups {
		base := cluster + "-" + strings.Join(parts[i], "-")
		name := fit(base)
		for n := 1; seen[name] || n == 1 && repeated(parts, i); n++ {
			name = fit(fmt.Sprintf("%s-%d", base, n))
		}
		seen[name], g.name = true, name
	}
}

// word makes a text fit to stand inside of a name.
func word(text string) string {
	return strings.Trim(strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			return r
		}
		return '-'
	}, strings.ToLower(text)), "-")
}

func distinct(parts [][]string) bool {
	seen := map[string]bool{}
	for _, p := range parts {
		seen[strings.Join(p, "-")] = true
	}
	return len(seen) == len(parts)
}

func repeated(parts [][]string, i int) bool {
	n := 0
	for _, p := range parts {
		if strings.Join(p, "-") == strings.Join(parts[i], "-") {
			n++
		}
	}
	return n > 1
}

// role is what the Nodes' role labels say, else that they are workers.
func (g *group) role() string {
	var roles []string
	for k := range g.labels {
		if r, ok := strings.CutPrefix(k, "node-role.kubernetes.io/"); ok && r != "worker" && dns1123(r) {
			roles = append(roles, r)
		}
	}
	slices.Sort(roles)
	if len(roles) == 0 {
		return "workers"
	}
	return strings.Join(roles, "-")
}

func (g *group) size() string {
	memory := fmt.Sprintf("%dm", g.shape.memoryMiB)
	if g.shape.memoryMiB%1024 == 0 {
		memory = fmt.Sprintf("%dg", g.shape.memoryMiB/1024)
	}
	return fmt.Sprintf("%dc-%s", g.shape.sockets*g.shape.cores, memory)
}
