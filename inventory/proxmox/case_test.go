package proxmox

import (
	"strings"
	"testing"

	"github.com/proxaudit/proxaudit/inventory"
)

// What people who do this job ran into with other tools, by the number of the case. The reports are public issues of
// the projects named.

// ansible/ansible#46633: with one host off its guests have rows without a name, and every guest was "not there".
func TestCase_T01_RowWithoutName(t *testing.T) {
	f := newFake(t)
	f.set(pathResources, data(`[{"id":"qemu/1002","vmid":1002,"node":"pve3","type":"qemu","status":"unknown"},
	 {"id":"qemu/100","vmid":100,"node":"pve1","type":"qemu","status":"running","name":"web01"}]`))
	s := f.collect(nil)
	vm := guest(t, s, 1002)
	if vm.Name != "" || vm.Status != inventory.StatusUnknown || vm.Config != nil || vm.ConfigError != "node pve3 is offline" {
		t.Errorf("%+v", vm)
	}
	want(t, s, inventory.ScopeGuests, inventory.Complete)
	want(t, s, inventory.ConfigScope("pve3"), inventory.Failed, "offline")
	if !cover(t, s, inventory.ConfigScope("pve3")).Missing() {
		t.Error("nothing seems to be missing")
	}
}

// prometheus-pve-exporter PR#14: optional fields were taken for granted. What is not known is not 0 and not false.
func TestCase_T02_UnknownIsNotZero(t *testing.T) {
	s := newFake(t).collect(nil)
	vm := guest(t, s, 300)
	if vm.Template != nil || vm.Config != nil || vm.Status != inventory.StatusUnknown || !vm.HasTag("k8s") {
		t.Errorf("%+v", vm)
	}
}

// prometheus-pve-exporter#127: one node that does not answer, and no output at all.
func TestCase_T03_OneNodeDoesNotAnswer(t *testing.T) {
	f := newFake(t)
	for _, vmid := range []int{200, 201} {
		f.set(config(2, vmid), reply{595, "No route to host", "", ""})
	}
	s := f.collect(nil)
	want(t, s, inventory.NodeScope("pve2"), inventory.Failed, "595 No route to host")
	want(t, s, inventory.ConfigScope("pve2"), inventory.Failed, "200, 201: 595 No route to host")
	want(t, s, inventory.ConfigScope("pve1"), inventory.Complete)
	want(t, s, inventory.ScopeGuests, inventory.Complete)
	if st := s.Sites[0].NodeStatus("pve2"); st != inventory.NodeUnknown {
		t.Errorf("pve2 is %s", st)
	}
	if guest(t, s, 100).UUID() == "" || guest(t, s, 201).ConfigError != "595 No route to host" {
		t.Error("the wrong guests have a configuration")
	}
	if len(s.Incomplete()) == 0 {
		t.Error("the run counts as complete")
	}
}

// community.general#2931: nodes are asked without a look at their status.
func TestCase_T04_OfflineNodesAreNotAsked(t *testing.T) {
	for name, status := range map[string]reply{
		"by cluster/status": data(`[{"type":"cluster","name":"lab","quorate":1},{"type":"node","name":"pve1","online":1},
			{"type":"node","name":"pve2","online":1},{"type":"node","name":"pve3","online":0}]`),
		"by nodes": refused("Permission check failed (/, Sys.Audit)"),
	} {
		t.Run(name, func(t *testing.T) {
			f := newFake(t)
			f.set(pathStatus, status)
			s := f.collect(nil)
			if n := f.askedFor("/nodes/pve3/"); n != 0 {
				t.Errorf("the offline node was asked %d times", n)
			}
			if vm := guest(t, s, 300); vm.Node != "pve3" {
				t.Errorf("%+v", vm)
			}
			want(t, s, inventory.NodeScope("pve3"), inventory.Failed, "offline")
		})
	}
}

// community.proxmox#463: a node in maintenance or just down answers 595, and the module gave up.
func TestCase_T06_NodeInMaintenance(t *testing.T) {
	f := newFake(t)
	f.set(pathResources, data(`[{"id":"qemu/100","vmid":100,"node":"pve1","type":"qemu","status":"running","hastate":"started"},
	 {"id":"qemu/201","vmid":201,"node":"pve2","type":"qemu","status":"running","hastate":"freeze"}]`))
	f.set(config(2, 201), reply{595, "Connection refused", "", ""})
	s := f.collect(nil)
	if guest(t, s, 201).HAState != "freeze" || guest(t, s, 100).Config == nil {
		t.Error("what the list says is lost")
	}
	want(t, s, inventory.NodeScope("pve2"), inventory.Failed, "595")
}

// kasmtech/workspaces-issues#858: a quorate cluster with a node off was taken for a cluster that is down.
func TestCase_T07_QuorateWithANodeOff(t *testing.T) {
	s := newFake(t).collect(nil)
	site := s.Sites[0]
	if site.Quorate == nil || !*site.Quorate || !site.Visibility.Complete || site.NodeStatus("pve3") != inventory.NodeOffline {
		t.Errorf("%+v", site)
	}
	want(t, s, inventory.ScopeGuests, inventory.Complete)
	want(t, s, inventory.NodeScope("pve3"), inventory.Failed)
	if len(s.Incomplete()) != 2 {
		t.Errorf("incomplete: %+v", s.Incomplete())
	}
}

// Starttoaster/proxmox-exporter#35: no figures of any node while one is down.
func TestCase_T08_TheOtherNodesAreRead(t *testing.T) {
	s := newFake(t).collect(nil)
	for _, vmid := range []int{100, 200, 201} {
		if guest(t, s, vmid).UUID() == "" {
			t.Errorf("guest %d was not read", vmid)
		}
	}
}

// cluster-api-provider-proxmox#224: "unexpected end of JSON input", because an empty body was decoded before the
// status was looked at.
func TestCase_T10_StatusBeforeBody(t *testing.T) {
	f := newFake(t)
	f.set(config(1, 100), reply{596, "Connection timed out", "", "Content-Length: 0\r\n"})
	s := f.collect(nil)
	if e := guest(t, s, 100).ConfigError; e != "596 Connection timed out" {
		t.Errorf("%q", e)
	}
}

// netbox-proxbox#620: memory as a number, a string, and a property string.
func TestCase_T34_Memory(t *testing.T) {
	f := newFake(t)
	f.set(config(1, 100), data(`{"memory":65536}`))
	f.set(config(2, 200), data(`{"memory":"65536"}`))
	f.set(config(2, 201), data(`{"memory":"current=65536"}`))
	s := f.collect(nil)
	for _, vmid := range []int{100, 200, 201} {
		if got := guest(t, s, vmid).Config.MemoryMiB; got != 65536 {
			t.Errorf("guest %d has %d MiB", vmid, got)
		}
	}
}

// go-proxmox#66: cpulimit is a string.
func TestCase_T35_CPULimit(t *testing.T) {
	f := newFake(t)
	f.set(config(1, 100), data(`{"cpulimit":"0.4"}`))
	f.set(config(2, 201), data(`{"cpulimit":2}`))
	s := f.collect(nil)
	if a, b := guest(t, s, 100).Config.CPULimit, guest(t, s, 201).Config.CPULimit; a != 0.4 || b != 2 {
		t.Errorf("%v and %v", a, b)
	}
}

// terraform-provider-proxmox#655 (bpg), telegraf#9938: numbers were strings before Proxmox VE 7.
func TestCase_T36_T37_NumbersAsStrings(t *testing.T) {
	f := newFake(t)
	f.set(pathResources, data(`[{"id":"qemu/100","vmid":"100","pid":"1234","node":"pve1","type":"qemu","status":"running","uptime":"43","template":"0"},
	 {"id":"qemu/201","vmid":201,"node":"pve2","type":"qemu","status":"running","uptime":43,"template":0}]`))
	f.set(config(1, 100), data(`{"cores":"4","sockets":"2","onboot":"1","balloon":"0"}`))
	f.set(config(2, 201), data(`{"cores":4,"sockets":2,"onboot":1,"balloon":0}`))
	s := f.collect(nil)
	a, b := guest(t, s, 100), guest(t, s, 201)
	for _, vm := range []*inventory.VM{a, b} {
		if vm.UptimeSeconds != 43 || vm.Template == nil || *vm.Template || vm.Config.VCPUs != 8 || !vm.Config.OnBoot || *vm.Config.BalloonMiB != 0 {
			t.Errorf("%+v %+v", vm, vm.Config)
		}
	}
}

// go-proxmox#211: the eleventh network device was lost.
func TestCase_T39_NumberedKeys(t *testing.T) {
	f := newFake(t)
	f.set(config(1, 100), data(`{"net31":"virtio=BC:24:11:AA:BB:1F","scsi30":"l:vm-100-disk-0,size=1G","unused255":"l:vm-100-disk-9","scsihw":"pvscsi","numa":1}`))
	c := guest(t, f.collect(nil), 100).Config
	if len(c.NICs) != 1 || c.NICs[0].MAC != "bc:24:11:aa:bb:1f" || len(c.Disks) != 2 || c.Disks[1].Slot != "unused255" || c.SCSIHW != "pvscsi" {
		t.Errorf("%+v", c)
	}
}

// terraform-provider-proxmox#951 (Telmate), prometheus-pve-sd PR#532: tags in any order, three separators.
func TestCase_T40_Tags(t *testing.T) {
	f := newFake(t)
	f.set(config(1, 100), data(`{"tags":"b,a"}`))
	f.set(config(2, 200), data(`{"tags":"a;b"}`))
	f.set(config(2, 201), data(`{"tags":"B a"}`))
	s := f.collect(nil)
	for _, vmid := range []int{100, 200, 201} {
		if got := strings.Join(guest(t, s, vmid).Tags, "|"); got != "a|b" {
			t.Errorf("guest %d has %q", vmid, got)
		}
	}
}

// community.general#2957: where no guest is a template, the key is nowhere.
func TestCase_T43_NoTemplateKey(t *testing.T) {
	f := newFake(t)
	f.set(pathResources, data(`[{"id":"qemu/100","vmid":100,"node":"pve1","type":"qemu","status":"running"},{"vmid":300,"node":"pve3","type":"qemu"}]`))
	s := f.collect(nil)
	if vm := guest(t, s, 100); vm.Template == nil || *vm.Template {
		t.Errorf("absent from the configuration is false: %+v", vm)
	}
	if vm := guest(t, s, 300); vm.Template != nil {
		t.Errorf("absent from a row alone is not known: %+v", vm)
	}
}

// icingaweb2-module-pve#2, community.general PR#2263: an error of the agent comes with status 200.
func TestCase_T44_AgentErrorWithStatus200(t *testing.T) {
	f := newFake(t)
	f.set("/nodes/pve1/qemu/100/agent/network-get-interfaces", data(`{"result":{"error":{"class":"CommandDisabled","desc":"has been disabled"}}}`))
	f.set("/nodes/pve2/qemu/201/agent/network-get-interfaces", data(`{"result":[{"name":"tunl0"},{"name":"eth0","ip-addresses":[{"ip-address":"192.0.2.1","prefix":24}]}]}`))
	c := f.collector(nil)
	s := checked(t, f, c.Collect(t.Context()))
	agents, _ := c.Agents(t.Context(), s.VMs)
	if !strings.Contains(agents[100].Error, "CommandDisabled") {
		t.Errorf("%+v", agents[100])
	}
	if a := agents[201]; a.Error != "" || len(a.Interfaces) != 2 || a.Interfaces[1].MAC != "" || a.Interfaces[1].Addresses[0] != "192.0.2.1/24" {
		t.Errorf("%+v", agents[201])
	}
}

// netbox-proxbox#88, terraform-provider-proxmox#1413 (Telmate): one dead agent ended the run.
func TestCase_T46_DeadAgent(t *testing.T) {
	f := newFake(t)
	f.set("/nodes/pve1/qemu/100/agent/network-get-interfaces", reply{500, "QEMU guest agent is not running", `{"data":null,"message":"QEMU guest agent is not running\n"}`, ""})
	f.set("/nodes/pve2/qemu/201/agent/network-get-interfaces", data(`{"result":[]}`))
	c := f.collector(nil)
	s := checked(t, f, c.Collect(t.Context()))
	agents, fragment := c.Agents(t.Context(), s.VMs)
	if agents[100].Error != "500 QEMU guest agent is not running" || agents[201].Error != "" || len(agents) != 2 {
		t.Errorf("%+v", agents)
	}
	cov := fragment.Coverage[0]
	if cov.State != inventory.Partial || cov.Missing() || cov.Asked != 2 || cov.Got != 1 || cov.Failed != 1 {
		t.Errorf("%+v", cov)
	}
}

// Heimdall-Apps#814: a token that may see nothing gets an empty list and no error.
func TestCase_T47_EmptyListWithoutPermission(t *testing.T) {
	f := newFake(t)
	f.set(pathPermissions, data(`{"/storage":{"Datastore.Audit":1}}`))
	f.set(pathStatus, refused("Permission check failed (/, Sys.Audit)"))
	f.set(pathResources, data(`[]`))
	s := f.collect(nil)
	want(t, s, inventory.ScopeGuests, inventory.Refused, "cannot see VMs", "/vms: VM.Audit is not held")
	if c := cover(t, s, inventory.ScopeGuests); !c.Missing() || c.Remedy == "" {
		t.Errorf("%+v", c)
	}
	if s.Sites[0].Visibility.Complete {
		t.Error("the token counts as seeing everything")
	}
}

// proxmux#9, proxcenter-ui#9: a privilege-separated token without an ACL of its own.
func TestCase_T48_PrivilegeSeparatedTokenWithoutACL(t *testing.T) {
	for _, perms := range []string{`{}`, `[]`} {
		f := newFake(t)
		f.set(pathPermissions, data(perms))
		f.set(pathResources, data(`[]`))
		s := f.collect(nil)
		want(t, s, inventory.ScopeGuests, inventory.Refused, "cannot see VMs", "no privilege at all")
		const fix = "pveum acl modify / --users 'audit@pve' --roles PVEAuditor && pveum acl modify / --tokens 'audit@pve!ro' --roles PVEAuditor"
		if c := cover(t, s, inventory.ScopeGuests); c.Remedy != fix {
			t.Errorf("%q", c.Remedy)
		}
	}
}

// An empty list that may be believed is an empty site.
func TestCase_T47_EmptySite(t *testing.T) {
	f := newFake(t)
	f.set(pathResources, data(`[]`))
	s := f.collect(nil)
	want(t, s, inventory.ScopeGuests, inventory.Complete)
	if c := cover(t, s, inventory.NodeScope("pve3")); !c.Optional {
		t.Errorf("an offline node without guests hides nothing: %+v", c)
	}
	if inc := s.Incomplete(); len(inc) != 0 {
		t.Errorf("incomplete: %+v", inc)
	}
}

// proxmox-cloud-controller-manager#169: a Node was deleted because a filtered list lacked its guest.
func TestCase_T50_HiddenIsNotGone(t *testing.T) {
	f := newFake(t)
	taken := reply{400, "Parameter verification failed.", `{"data":null,"errors":{"vmid":"VM 105 already exists"}}`, ""}
	f.set("/cluster/nextid?vmid=105", taken)
	f.set("/access/permissions?path=/vms/105", data(`{"/vms/105":{}}`))
	f.set("/cluster/nextid?vmid=106", data(`"106"`))
	c := f.collector(nil)
	checked(t, f, c.Collect(t.Context()))
	before := len(f.asked())
	s := c.Probe(t.Context(), []int{106, 105})
	if len(s.Probes) != 2 || s.Probes[0].Existence != inventory.Exists || s.Probes[0].MayAudit == nil || *s.Probes[0].MayAudit {
		t.Fatalf("%+v", s.Probes)
	}
	if p := s.Probes[1]; p.VMID != 106 || p.Existence != inventory.Free || p.MayAudit != nil {
		t.Errorf("%+v", p)
	}
	if n := len(f.asked()) - before; n != 3 || s.Requests[0].Count != 3 {
		t.Errorf("%d requests, counted %+v", n, s.Requests)
	}
}

// proxmox-csi-plugin#460, terraform-provider-proxmox#1365 (Telmate): VM.Monitor is gone in 9, and naming it in a role
// fails.
func TestCase_T51_AdviceFitsTheVersion(t *testing.T) {
	for version, c := range map[string]struct{ with, without string }{
		"9.2.11": {"pveum acl modify /vms --tokens 'audit@pve!ro' --roles PVEAuditor", "VM.Monitor"},
		"8.4.21": {"pveum role add ProxauditAgent --privs 'VM.Audit VM.Monitor'", "VM.GuestAgent"},
	} {
		f := newFake(t)
		f.set(pathVersion, data(`{"version":"`+version+`"}`))
		f.set("/nodes/pve1/qemu/100/agent/network-get-interfaces", refused("Permission check failed (/vms/100, VM.GuestAgent.Audit|VM.GuestAgent.Unrestricted)"))
		f.set("/nodes/pve2/qemu/201/agent/network-get-interfaces", refused("Permission check failed (/vms/201, VM.Monitor)"))
		col := f.collector(func(c *Config) { c.GuestAgent = true })
		s := checked(t, f, col.Collect(t.Context()))
		_, fragment := col.Agents(t.Context(), s.VMs)
		texts := fragment.Coverage[0].Remedy
		for _, check := range col.Doctor(t.Context()) {
			if strings.Contains(check.Name, "on /vms") && check.Status == inventory.CheckWarning {
				texts += "\n" + check.Remedy
			}
		}
		if strings.Count(texts, c.with) != 2 || strings.Contains(texts, c.without) {
			t.Errorf("%s: %q", version, texts)
		}
	}
}

// terraform-provider-proxmox#308 (Telmate): 596 after the node's proxy has waited 30 s.
func TestCase_T68_TimeoutBetweenNodes(t *testing.T) {
	f := newFake(t)
	f.setFunc(config(2, 201), func(n int) reply {
		if n == 1 {
			return reply{596, "Connection timed out", "", ""}
		}
		return data(`{"name":"web02","digest":"c"}`)
	})
	s := f.collect(nil)
	if guest(t, s, 201).Config == nil || s.Requests[0].Retries != 1 {
		t.Errorf("the retry did not help: %+v", s.Requests)
	}
	f = newFake(t)
	f.set(config(2, 201), reply{596, "Connection timed out", "", ""})
	s = f.collect(nil)
	want(t, s, inventory.ConfigScope("pve2"), inventory.Partial, "201: 596 Connection timed out")
	want(t, s, inventory.NodeScope("pve2"), inventory.Complete)
	if n := f.askedFor("/qemu/201/"); n != 2 {
		t.Errorf("asked %d times", n)
	}
}
