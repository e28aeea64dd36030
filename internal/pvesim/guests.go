package pvesim

import (
	"crypto/sha1" //nolint:gosec // digests of configuration files are SHA-1 in Proxmox VE
	"encoding/hex"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// qmpStates are the states in which the process of a guest can be seen
// (QEMU's RunState, as qmpstatus shows it).
var qmpStates = strings.Fields(`running paused prelaunch suspended io-error internal-error guest-panicked
	shutdown inmigrate postmigrate finish-migrate save-vm restore-vm watchdog debug colo`)

func (s *fleetState) compileGuests(old *fleetState) error {
	qemu := guestParser{options: qemuOptions(s.release)}
	lxc := guestParser{options: lxcOptions(), lxc: true}
	parse := func(id int, p guestParser, raw string) *guestConfig {
		if old != nil && old.release == s.release {
			if g := old.byID[id]; g != nil && g.lxc == p.lxc && g.raw == raw {
				return g.conf
			}
		}
		return p.parse(raw)
	}
	for id, vm := range s.fleet.VMs {
		at := []string{"vms", strconv.Itoa(id)}
		if vm == nil {
			vm = &VM{}
		}
		status := vm.Status
		if status == "" {
			status = "stopped"
		}
		if status != "stopped" && !slices.Contains(qmpStates, status) {
			return fault("unknown status "+status, append(at, "status")...)
		}
		raw, err := vm.text(id, s.started)
		if err != nil {
			return fault(err.Error(), at...)
		}
		g := &guest{id: id, raw: raw, conf: parse(id, qemu, raw), status: status, vm: vm}
		if err := s.place(g, vm.Node, vm.Uptime, at); err != nil {
			return err
		}
		if g.running() && !vm.Booted.IsZero() {
			g.since = vm.Booted
		}
		if err := checkAgent(vm.Agent, at); err != nil {
			return err
		}
	}
	for id, ct := range s.fleet.Containers {
		at := []string{"containers", strconv.Itoa(id)}
		if ct == nil {
			ct = &Container{}
		}
		status := ct.Status
		if status == "" {
			status = "stopped"
		}
		if status != "stopped" && status != "running" {
			return fault("a container is running or stopped", append(at, "status")...)
		}
		raw, err := ct.text(id)
		if err != nil {
			return fault(err.Error(), at...)
		}
		g := &guest{id: id, lxc: true, raw: raw, conf: parse(id, lxc, raw), status: status}
		if err := s.place(g, ct.Node, ct.Uptime, at); err != nil {
			return err
		}
	}
	// Perl sorts the VMIDs as text: 100, 1000, 101.
	slices.SortFunc(s.guests, func(a, b *guest) int { return strings.Compare(strconv.Itoa(a.id), strconv.Itoa(b.id)) })
	return nil
}

// rememberBroadcasts notes what the last status broadcast said of each guest, for
// the time until the next one.
func (s *fleetState) rememberBroadcasts(old *fleetState, now time.Time, every time.Duration) {
	if every <= 0 {
		return
	}
	s.changed, s.every = now, every
	for _, g := range s.guests {
		o := old.byID[g.id]
		if o == nil || o.lxc != g.lxc {
			continue
		}
		if seen := o.lastBroadcast(old, now); seen != nil {
			c := *seen
			c.announced = nil // or every state would keep all before it alive
			g.announced = &c
		}
	}
}

// lastBroadcast returns the guest as the last status broadcast described it, nil
// when none did.
func (g *guest) lastBroadcast(s *fleetState, now time.Time) *guest {
	if s.changed.IsZero() || now.Sub(s.changed) >= s.every {
		return g
	}
	return g.announced
}

// place puts a guest on its node.
func (s *fleetState) place(g *guest, node string, uptime time.Duration, at []string) error {
	if g.id < 100 || g.id > 999999999 {
		return fault("a VMID lies between 100 and 999999999", at...)
	}
	if s.byID[g.id] != nil {
		return fault("a VM and a container with one VMID", at...)
	}
	if node == "" {
		node = s.nodes[0].name
	}
	g.node = s.byName[node]
	if g.node == nil {
		return fault("no node "+node, append(at, "node")...)
	}
	if uptime < 0 {
		return fault("a duration below zero", append(at, "uptime")...)
	}
	if g.status != "stopped" {
		if uptime == 0 {
			uptime = time.Hour
		}
		g.since = s.started.Add(-uptime)
	}
	g.memory, g.disk = g.configuredMemory(), g.bootDiskSize()
	s.byID[g.id] = g
	s.guests = append(s.guests, g)
	return nil
}

var reAgentCommand = regexp.MustCompile(`^[a-z][a-z-]*$`)

func checkAgent(a *Agent, at []string) error {
	if a == nil {
		return nil
	}
	for name := range a.Results {
		if !reAgentCommand.MatchString(name) {
			return fault("not an agent command: "+name, append(at, "agent", "results")...)
		}
	}
	for name := range a.Errors {
		if !reAgentCommand.MatchString(name) {
			return fault("not an agent command: "+name, append(at, "agent", "errors")...)
		}
	}
	if _, err := json.Marshal(a.Results); err != nil {
		return fault("not JSON: "+err.Error(), append(at, "agent", "results")...)
	}
	for _, i := range a.Interfaces {
		for _, ip := range i.IPs {
			if _, err := parseAgentIP(ip); err != nil {
				return fault(err.Error(), append(at, "agent", "interfaces")...)
			}
		}
	}
	return nil
}

func (s *fleetState) checkHA() error {
	for sid := range s.fleet.HA {
		kind, id, ok := strings.Cut(sid, ":")
		vmid, err := strconv.Atoi(id)
		if !ok || err != nil || kind != "vm" && kind != "ct" {
			return fault("want vm:VMID or ct:VMID", "ha", sid)
		}
		if g := s.byID[vmid]; g == nil || g.lxc != (kind == "ct") {
			return fault(fmt.Sprintf("no such guest %d", vmid), "ha", sid)
		}
	}
	return nil
}

func (s *fleetState) checkTasks() error {
	for i, t := range s.fleet.Tasks {
		if s.byName[t.Node] == nil {
			return fault("no node "+t.Node, "tasks", strconv.Itoa(i), "node")
		}
		if t.Type == "" {
			return fault("a task needs a type", "tasks", strconv.Itoa(i))
		}
	}
	return nil
}

// haDigest is the digest of the HA configuration.
func (s *fleetState) haDigest() string {
	if s.fleet.HADigest != "" {
		return s.fleet.HADigest
	}
	var b strings.Builder
	for _, sid := range sortedKeys(s.fleet.HA) {
		fmt.Fprintf(&b, "%s\n\tstate %s\n\n", strings.Replace(sid, ":", ": ", 1), orDefault(orZero(s.fleet.HA[sid]).State, "started"))
	}
	sum := sha1.Sum([]byte(b.String())) //nolint:gosec // a digest by Proxmox VE's definition
	return hex.EncodeToString(sum[:])
}
