package identity

import (
	"strings"
	"testing"

	"github.com/proxaudit/proxaudit/inventory"
)

func TestCompileSelectorNamesTheMistake(t *testing.T) {
	for want, s := range map[string]inventory.Selector{
		`names: "("`:          {Names: "("},
		`vmids: "99"`:         {VMIDs: []string{"99"}},
		`vmids: "200-100"`:    {VMIDs: []string{"200-100"}},
		`vmids: "a-b"`:        {VMIDs: []string{"a-b"}},
		`vmids: "100-"`:       {VMIDs: []string{"100-"}},
		`vmids: ""`:           {VMIDs: []string{""}},
		`subnets: "10.0.0.1"`: {Subnets: []string{"10.0.0.1"}},
	} {
		if _, err := CompileSelector(s); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: got the error %v, want one with %s", s, err, want)
		}
	}
}

func TestMatch(t *testing.T) {
	vm := &inventory.VM{Site: "lab", VMID: 150, Type: inventory.GuestQEMU, Name: "prod-w-1", Tags: []string{"k8s", "prod"}, Pool: "team/a",
		Config: &inventory.VMConfig{IPConfigs: []inventory.IPConfig{{IPv4: "10.1.2.3/24", IPv6: "dhcp"}}}}
	for _, c := range []struct {
		name string
		s    inventory.Selector
		want Match
	}{
		{"nothing", inventory.Selector{}, NoMatch},
		{"tag in any case", inventory.Selector{Tags: []string{"x", " PROD "}}, Matches},
		{"another tag", inventory.Selector{Tags: []string{"pro"}}, NoMatch},
		{"whole name", inventory.Selector{Names: "prod-w-[0-9]+"}, Matches},
		{"part of a name", inventory.Selector{Names: "prod"}, NoMatch},
		{"alternatives are anchored too", inventory.Selector{Names: "x|prod"}, NoMatch},
		{"pool", inventory.Selector{Pools: []string{"team/a"}}, Matches},
		{"outer pool", inventory.Selector{Pools: []string{"team"}}, Matches},
		{"pool by prefix of its name", inventory.Selector{Pools: []string{"tea"}}, NoMatch},
		{"range", inventory.Selector{VMIDs: []string{"100-149", "150 - 150"}}, Matches},
		{"single number", inventory.Selector{VMIDs: []string{"150"}}, Matches},
		{"outside", inventory.Selector{VMIDs: []string{"151-200"}}, NoMatch},
		{"subnet, host bits set", inventory.Selector{Subnets: []string{"10.1.2.9/24"}}, Matches},
		{"a name and another subnet", inventory.Selector{Names: "prod-.*", Subnets: []string{"10.1.3.0/24"}}, NoMatch},
		{"other subnet", inventory.Selector{Subnets: []string{"10.1.3.0/24"}}, NoMatch},
		{"all of several", inventory.Selector{Tags: []string{"prod"}, Names: "prod-.*", Pools: []string{"team"}, VMIDs: []string{"150"}, Subnets: []string{"10.0.0.0/8"}}, Matches},
		{"all but one", inventory.Selector{Tags: []string{"prod"}, VMIDs: []string{"151"}}, NoMatch},
	} {
		m, err := CompileSelector(c.s)
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		why, ok := m.Match(vm)
		if ok != c.want || (ok == Matches) == (why == "") {
			t.Errorf("%s: got %v because of %q, want %v", c.name, ok, why, c.want)
		}
	}
	for _, c := range []struct {
		name string
		vm   inventory.VM
		s    inventory.Selector
		want Match
	}{
		{"no name", inventory.VM{}, inventory.Selector{Names: ".*"}, MayMatch},
		{"no name, and another tag", inventory.VM{}, inventory.Selector{Names: ".*", Tags: []string{"k8s"}}, NoMatch},
		{"no name, and the tag", inventory.VM{Tags: []string{"k8s"}}, inventory.Selector{Names: ".*", Tags: []string{"k8s"}}, MayMatch},
		{"no configuration", inventory.VM{}, inventory.Selector{Subnets: []string{"0.0.0.0/0"}}, MayMatch},
		{"DHCP", inventory.VM{Config: &inventory.VMConfig{NICs: []inventory.NIC{{MAC: "bc:24:11:00:00:01"}},
			IPConfigs: []inventory.IPConfig{{IPv4: "dhcp"}}}}, inventory.Selector{Subnets: []string{"10.0.0.0/8"}}, MayMatch},
		{"one of two by DHCP", inventory.VM{Config: &inventory.VMConfig{NICs: []inventory.NIC{{Slot: "net0", MAC: "bc:24:11:00:00:01"}, {Slot: "net1", MAC: "bc:24:11:00:00:02"}},
			IPConfigs: []inventory.IPConfig{{Slot: "ipconfig0", IPv4: "192.168.0.1/24"}}}}, inventory.Selector{Subnets: []string{"10.0.0.0/8"}}, MayMatch},
		{"an address that was left for another interface", inventory.VM{Config: &inventory.VMConfig{NICs: []inventory.NIC{{Slot: "net0", MAC: "bc:24:11:00:00:01"}},
			IPConfigs: []inventory.IPConfig{{Slot: "ipconfig1", IPv4: "192.168.0.1/24"}}}}, inventory.Selector{Subnets: []string{"10.0.0.0/8"}}, MayMatch},
		{"the agent showed lo alone", inventory.VM{Config: &inventory.VMConfig{NICs: []inventory.NIC{{Slot: "net0", MAC: "bc:24:11:00:00:01"}}},
			Agent: &inventory.Agent{Interfaces: []inventory.AgentInterface{{Name: "lo", Addresses: []string{"127.0.0.1/8"}}}}},
			inventory.Selector{Subnets: []string{"10.0.0.0/8"}}, MayMatch},
		{"the agent did not answer", inventory.VM{Config: &inventory.VMConfig{NICs: []inventory.NIC{{MAC: "bc:24:11:00:00:01"}}}, Agent: &inventory.Agent{Error: "timeout"}},
			inventory.Selector{Subnets: []string{"10.0.0.0/8"}}, MayMatch},
		{"the agent showed others", inventory.VM{Config: &inventory.VMConfig{NICs: []inventory.NIC{{MAC: "bc:24:11:00:00:01"}}},
			Agent: &inventory.Agent{Interfaces: []inventory.AgentInterface{{MAC: "bc:24:11:00:00:01", Addresses: []string{"192.168.0.1/24"}}}}},
			inventory.Selector{Subnets: []string{"10.0.0.0/8"}}, NoMatch},
	} {
		m, err := CompileSelector(c.s)
		if err != nil {
			t.Fatal(err)
		}
		c.vm.Site, c.vm.VMID, c.vm.Type = "lab", 150, inventory.GuestQEMU
		if why, got := m.Match(&c.vm); got != c.want || why != "" {
			t.Errorf("%s: got %v because of %q, want %v", c.name, got, why, c.want)
		}
	}
}

func FuzzCompileSelector(f *testing.F) {
	f.Add("k8s", "prod-.*", "pool", "100-199", "10.0.0.0/8", "prod-1", 105)
	f.Add("", "(", "", "-", "::/0", "", -1)
	f.Fuzz(func(t *testing.T, tag, names, pool, vmids, subnet, name string, vmid int) {
		s := inventory.Selector{Names: names}
		for field, v := range map[*[]string]string{&s.Tags: tag, &s.Pools: pool, &s.VMIDs: vmids, &s.Subnets: subnet} {
			if v != "" {
				*field = []string{v}
			}
		}
		m, err := CompileSelector(s)
		if err != nil {
			return
		}
		vm := &inventory.VM{VMID: vmid, Name: name, Pool: pool, Tags: []string{strings.ToLower(tag)}}
		why, match := m.Match(vm)
		ok := match == Matches
		switch {
		case ok && (why == "" || s.IsZero()):
			t.Fatalf("%+v matches %+v for the reason %q", s, vm, why)
		case ok && len(s.VMIDs) > 0 && !inventory.ValidVMID(vmid):
			t.Fatalf("%+v matches VMID %d", s, vmid)
		case ok && names != "" && name == "":
			t.Fatalf("%+v matches a guest without a name", s)
		}
	})
}
