package pvesim

import (
	"strconv"
	"strings"
	"time"
)

const mib = 1 << 20

// running says whether the guest has a process.
func (g *guest) running() bool { return g.status != "stopped" }

// name is the guest's name, or what stands in for a missing one.
func (g *guest) name() string {
	if g.lxc {
		if n := g.conf.main.text("hostname"); n != "" {
			return n
		}
		return "CT" + strconv.Itoa(g.id)
	}
	if n := g.conf.main.text("name"); n != "" {
		return n
	}
	return "VM " + strconv.Itoa(g.id)
}

// cpus is how many CPUs the guest can use: never more than its host has, unless
// "vcpus" says so.
func (g *guest) cpus() int64 {
	m := g.conf.main
	if g.lxc {
		if n := m.number("cores", 0); n > 0 {
			return n
		}
		return g.node.cpus
	}
	if n := m.number("vcpus", 0); n > 0 {
		return n
	}
	return min(m.number("sockets", 1)*m.number("cores", 1), g.node.cpus)
}

// configuredMemory is the configured memory in bytes.
func (g *guest) configuredMemory() int64 {
	m := g.conf.main
	if text := m.text("memory"); text != "" {
		if parts, err := memorySchema.parse(text); err == nil {
			if v, err := strconv.ParseInt(parts["current"], 10, 64); err == nil {
				return v * mib
			}
		}
	}
	return m.number("memory", 512) * mib
}

// uptime in seconds. It stands still from the moment the node went off.
func (g *guest) uptime(now time.Time) int64 {
	if !g.running() {
		return 0
	}
	if !g.node.offline.IsZero() {
		now = g.node.offline
	}
	return max(int64(now.Sub(g.since)/time.Second), 0)
}

// load is a made-up CPU load between 0 and 0.1, the same on every run.
func (g *guest) load() float64 {
	if !g.running() {
		return 0
	}
	return float64(g.id*7919%1000)/10000 + 0.0001
}

// used is a made-up memory use: about a third.
func (g *guest) used() int64 {
	if !g.running() {
		return 0
	}
	return g.memory/3 + int64(g.id)
}

func (g *guest) pid() int {
	if g.vm.PID != 0 {
		return g.vm.PID
	}
	return 1000 + g.id
}

// qemuRow is the row of a VM in /nodes/{node}/qemu; full adds what the process
// itself says (qemu-server QemuServer.pm, vmstatus).
func (g *guest) qemuRow(r release, now time.Time, full bool) map[string]any {
	m := g.conf.main
	row := map[string]any{
		"vmid": g.id, "status": "stopped", "name": g.name(), "cpus": g.cpus(), "maxmem": g.memory,
		"maxdisk": g.disk, "disk": 0, "uptime": g.uptime(now), "cpu": g.load(), "mem": g.used(), "netin": 0, "netout": 0,
	}
	if r.major >= 9 {
		row["memhost"] = g.used()
	}
	if b := m.number("balloon", 0); b > 0 {
		row["balloon_min"] = b * mib
		row["shares"] = int64(1000)
		if v, ok := m["shares"]; ok {
			row["shares"] = v
		}
	}
	if truthy(m["template"]) {
		row["template"] = 1
	}
	if g.hasSerial() {
		row["serial"] = 1
	}
	if l := m.text("lock"); l != "" {
		row["lock"] = l
	}
	if t, ok := m["tags"]; ok {
		row["tags"] = t
	}
	if g.running() {
		row["status"] = "running"
		row["pid"] = g.pid()
		if r.major >= 9 {
			for _, what := range []string{"cpu", "io", "memory"} {
				row["pressure"+what+"some"] = 0
				row["pressure"+what+"full"] = 0
			}
		}
	}
	if full {
		row["qmpstatus"] = g.status
		if g.running() && g.vm.QEMU != "" {
			row["running-qemu"] = g.vm.QEMU
			row["running-machine"] = "pc-i440fx-" + majorMinor(g.vm.QEMU) + "+pve0"
			row["proxmox-support"] = map[string]any{"pbs-dirty-bitmap": true, "query-bitmap-info": true}
			row["balloon"] = g.memory
			row["diskread"], row["diskwrite"] = 0, 0
		}
	}
	return row
}

func majorMinor(v string) string {
	parts := strings.Split(v, ".")
	return strings.Join(parts[:min(2, len(parts))], ".")
}

func (g *guest) hasSerial() bool {
	for i := range 4 {
		if _, ok := g.conf.main["serial"+strconv.Itoa(i)]; ok {
			return true
		}
	}
	return false
}

// lxcRow is the row of a container in /nodes/{node}/lxc.
func (g *guest) lxcRow(now time.Time) map[string]any {
	m := g.conf.main
	row := map[string]any{
		"vmid": g.id, "type": "lxc", "status": g.status, "name": g.name(), "cpus": g.cpus(),
		"disk": 0, "maxdisk": g.disk, "mem": g.used(), "maxmem": g.memory, "swap": 0,
		"maxswap": m.number("swap", 0) * mib, "uptime": g.uptime(now), "cpu": g.load(),
		"netin": 0, "netout": 0, "diskread": 0, "diskwrite": 0,
	}
	if truthy(m["template"]) {
		row["template"] = 1
	}
	if l := m.text("lock"); l != "" {
		row["lock"] = l
	}
	if t, ok := m["tags"]; ok {
		row["tags"] = t
	}
	return row
}

// agentEnabled says whether the configuration turns the guest agent on.
func (g *guest) agentEnabled() bool {
	parts, err := agentSchema.parse(g.conf.main.text("agent"))
	return err == nil && reTrue.MatchString(parts["enabled"])
}

// ha is the "ha" object of a guest's status. Version 9 has no groups.
func (s *fleetState) ha(g *guest) map[string]any {
	res, ok := s.fleet.HA[g.serviceID()]
	if !ok {
		return map[string]any{"managed": 0}
	}
	if res == nil {
		res = &HAResource{}
	}
	obj := map[string]any{"managed": 1, "state": orNull(res.Service)}
	if s.release.major < 9 {
		obj["group"] = orNull(res.Group)
	}
	return obj
}

func (g *guest) serviceID() string {
	if g.lxc {
		return "ct:" + strconv.Itoa(g.id)
	}
	return "vm:" + strconv.Itoa(g.id)
}

func orNull(s string) any {
	if s == "" {
		return nil
	}
	return s
}
