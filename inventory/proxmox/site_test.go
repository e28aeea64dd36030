package proxmox

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/proxaudit/proxaudit/inventory"
)

// The site's name, if the configuration gives none: the cluster's, else the only node's, else the host of the URL.
func TestSiteName(t *testing.T) {
	one := data(`[{"node":"pve9","status":"online"}]`)
	standalone := data(`[{"type":"node","name":"pve9","online":1}]`)
	denied := refused("Permission check failed (/, Sys.Audit)")
	for want, c := range map[string]struct {
		site          string
		status, nodes reply
	}{
		"configured": {"configured", data(`[{"type":"cluster","name":"lab"},{"type":"node","name":"pve1","online":1}]`), one},
		"lab":        {"", data(`[{"type":"cluster","name":"lab"},{"type":"node","name":"pve1","online":1}]`), one},
		"pve9":       {"", standalone, denied},
		"127.0.0.1":  {"", denied, data(`[{"node":"a1","status":"online"},{"node":"b1","status":"online"}]`)},
	} {
		f := newFake(t)
		f.set(pathResources, data(`[]`))
		f.set(pathStatus, c.status)
		f.set(pathNodes, c.nodes)
		col := f.collector(func(cfg *Config) { cfg.Site, cfg.Regions = c.site, []string{"region-1"} })
		s := checked(t, f, col.Collect(t.Context()))
		site := s.Sites[0]
		if site.Name != want || col.Name() != want || col.Requests().Source != "site/"+want || !slices.Equal(site.Regions, []string{"region-1"}) {
			t.Errorf("name %q, want %q", site.Name, want)
		}
		if site.Standalone != (want == "pve9") || site.Version != "9.2.11" {
			t.Errorf("%s: %+v", want, site)
		}
	}
}

// What the site and its guests look like when all goes well.
func TestCollect(t *testing.T) {
	f := newFake(t)
	var progress []string
	s := f.collect(func(c *Config) {
		c.Progress = func(done, total int) { progress = append(progress, fmt.Sprintf("%d/%d", done, total)) }
	})
	site := s.Sites[0]
	if site.Name != "lab" || site.ClusterName != "lab" || site.Standalone || site.Version != "9.2.11" || !site.Visibility.Complete {
		t.Errorf("%+v", site)
	}
	nodes := []inventory.ProxmoxNode{{Name: "pve1", Status: "online", IP: "192.0.2.11"}, {Name: "pve2", Status: "online"}, {Name: "pve3", Status: "offline"}}
	if !slices.Equal(site.Nodes, nodes) {
		t.Errorf("nodes %+v", site.Nodes)
	}
	if len(s.VMs) != 5 || s.Requests[0].Count != 7 || s.Requests[0].Retries != 0 {
		t.Errorf("%d guests, requests %+v", len(s.VMs), s.Requests)
	}
	if vm := guest(t, s, 110); vm.Type != inventory.GuestLXC || vm.Config != nil || vm.ConfigError != "" || vm.Name != "ct110" {
		t.Errorf("%+v", vm)
	}
	if vm := guest(t, s, 200); !vm.IsTemplate() || vm.UUID() == "" {
		t.Errorf("%+v", vm)
	}
	if strings.Join(progress, " ") != "1/3 2/3 3/3" {
		t.Errorf("progress %q", progress)
	}
}

// For up to five minutes Proxmox shows what a dead node said last.
func TestStaleStatusOfADeadNode(t *testing.T) {
	f := newFake(t)
	f.set(pathResources, data(`[{"id":"qemu/300","vmid":300,"node":"pve3","type":"qemu","status":"running","uptime":99,"name":"x","template":0},
	 {"id":"lxc/310","vmid":310,"node":"pve3","type":"lxc","status":"running","uptime":99,"name":"y"}]`))
	s := f.collect(nil)
	for _, vmid := range []int{300, 310} {
		if vm := guest(t, s, vmid); vm.Status != inventory.StatusUnknown || vm.UptimeSeconds != 0 || vm.Name == "" {
			t.Errorf("%+v", vm)
		}
	}
}

// The configuration is current where the list is not: a row may lack the name or have an old one.
func TestConfigurationOverrulesTheRow(t *testing.T) {
	f := newFake(t)
	f.set(pathResources, data(`[{"id":"qemu/100","vmid":100,"node":"pve1","type":"qemu","status":"running","name":"old","template":0,"tags":"x"},
	 {"id":"qemu/201","vmid":201,"node":"pve2","type":"qemu","status":"unknown"}]`))
	f.set(config(1, 100), data(`{"name":"new","template":1,"tags":"y","lock":"clone"}`))
	f.set(config(2, 201), data(`{"digest":"d"}`))
	s := f.collect(nil)
	if vm := guest(t, s, 100); vm.Name != "new" || !vm.IsTemplate() || !vm.HasTag("Y") || vm.HasTag("x") || vm.Lock != "clone" {
		t.Errorf("%+v", vm)
	}
	if vm := guest(t, s, 201); vm.Name != "" || vm.Template == nil || vm.Status != inventory.StatusUnknown {
		t.Errorf("%+v", vm)
	}
}

// A node that hosts guests stands in the site, also where the answers about nodes lack it.
func TestNodeThatOnlyTheGuestsKnow(t *testing.T) {
	f := newFake(t)
	f.set(pathStatus, data(`[{"type":"cluster","name":"lab","quorate":1},{"type":"node","name":"pve1","online":1},{"type":"node","name":"../x"}]`))
	s := f.collect(nil)
	if st := s.Sites[0].NodeStatus("pve2"); st != inventory.NodeUnknown {
		t.Errorf("pve2 is %s", st)
	}
	if guest(t, s, 201).Config == nil {
		t.Error("a node of unknown state was not asked")
	}
	want(t, s, inventory.ScopeClusterStatus, inventory.Partial, "no name of a node")
}

func TestProbe(t *testing.T) {
	f := newFake(t)
	bad := reply{400, "Parameter verification failed.", `{"errors":{"vmid":"invalid format - value does not look like a valid VM ID\n"}}`, ""}
	taken := func(vmid string) reply {
		return reply{400, "Parameter verification failed.", `{"errors":{"vmid":"VM ` + vmid + ` already exists"}}`, ""}
	}
	f.set("/cluster/nextid?vmid=105", taken("105"))
	f.set("/access/permissions?path=/vms/105", data(`{"/vms/105":{"VM.Audit":1}}`))
	f.set("/cluster/nextid?vmid=106", taken("106"))
	f.set("/access/permissions?path=/vms/106", reply{500, "x", "", ""})
	f.set("/cluster/nextid?vmid=107", bad)
	f.set("/cluster/nextid?vmid=108", data(`"108"`))
	c := f.collector(func(c *Config) { c.Site = "lab" })
	before := checked(t, f, c.Collect(t.Context())).Requests[0].Count
	s := c.Probe(t.Context(), []int{108, 107, 106, 105, 105, 50, -1})
	yes := true
	got := make([]string, 0, len(s.Probes))
	for _, p := range s.Probes {
		if p.Site != "lab" || (p.Existence == inventory.ExistenceUnknown) != (p.Reason != "") {
			t.Errorf("%+v", p)
		}
		got = append(got, fmt.Sprintf("%d %s %v", p.VMID, p.Existence, p.MayAudit != nil && *p.MayAudit == yes))
	}
	if strings.Join(got, ", ") != "-1 unknown false, 50 unknown false, 105 exists true, 106 exists false, 107 unknown false, 108 free false" {
		t.Errorf("%q", got)
	}
	cov := s.Coverage[0]
	if len(s.Coverage) != 1 || cov.Scope != inventory.ScopeProbes || cov.State != inventory.Partial || cov.Asked != 6 || cov.Got != 3 || cov.Failed != 3 {
		t.Errorf("%+v", s.Coverage)
	}
	if s.Requests[0].Count != 6 || len(f.asked()) != before+6 {
		t.Errorf("requests %+v", s.Requests)
	}
	if s = c.Probe(t.Context(), nil); len(s.Probes) != 0 || len(s.Coverage) != 0 || s.Requests[0].Count != 0 {
		t.Errorf("nothing asked: %+v", s)
	}
	if r := c.Requests(); r.Count != before+6 {
		t.Errorf("in all: %+v", r)
	}
}

func TestAgentsAskOnlyWhoMayAnswer(t *testing.T) {
	f := newFake(t)
	for _, path := range []string{"/nodes/pve1/qemu/100", "/nodes/pve2/qemu/105"} {
		f.set(path+"/agent/network-get-interfaces", data(`{"result":[]}`))
	}
	template := true
	on, off := &inventory.VMConfig{AgentEnabled: true}, &inventory.VMConfig{}
	agents, s := f.collector(nil).Agents(t.Context(), []inventory.VM{
		{VMID: 100, Type: "qemu", Node: "pve1", Status: "running", Config: on},
		{VMID: 101, Type: "qemu", Node: "pve1", Status: "stopped", Config: on},
		{VMID: 102, Type: "qemu", Node: "pve1", Status: "running", Config: on, Template: &template},
		{VMID: 103, Type: "lxc", Node: "pve1", Status: "running"},
		{VMID: 104, Type: "qemu", Node: "pve1", Status: "running", Config: off},
		{VMID: 105, Type: "qemu", Node: "pve2", Status: "running"},
	})
	if len(agents) != 3 || agents[100].Error != "" || agents[105].Error != "" || !strings.Contains(agents[104].Error, "not enabled") {
		t.Errorf("%+v", agents)
	}
	if len(f.asked()) != 2 || s.Coverage[0].State != inventory.Complete || s.Coverage[0].Asked != 2 {
		t.Errorf("asked %q, %+v", f.asked(), s.Coverage)
	}
}
