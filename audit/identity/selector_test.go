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
		want bool
	}{
		{"nothing", inventory.Selector{}, false},
		{"tag in any case", inventory.Selector{Tags: []string{"x", " PROD "}}, true},
		{"another tag", inventory.Selector{Tags: []string{"pro"}}, false},
		{"whole name", inventory.Selector{Names: "prod-w-[0-9]+"}, true},
		{"part of a name", inventory.Selector{Names: "prod"}, false},
		{"alternatives are anchored too", inventory.Selector{Names: "x|prod"}, false},
		{"pool", inventory.Selector{Pools: []string{"team/a"}}, true},
		{"outer pool", inventory.Selector{Pools: []string{"team"}}, true},
		{"pool by prefix of its name", inventory.Selector{Pools: []string{"tea"}}, false},
		{"range", inventory.Selector{VMIDs: []string{"100-149", "150 - 150"}}, true},
		{"single number", inventory.Selector{VMIDs: []string{"150"}}, true},
		{"outside", inventory.Selector{VMIDs: []string{"151-200"}}, false},
		{"subnet, host bits set", inventory.Selector{Subnets: []string{"10.1.2.9/24"}}, true},
		{"other subnet", inventory.Selector{Subnets: []string{"10.1.3.0/24"}}, false},
		{"all of several", inventory.Selector{Tags: []string{"prod"}, Names: "prod-.*", Pools: []string{"team"}, VMIDs: []string{"150"}, Subnets: []string{"10.0.0.0/8"}}, true},
		{"all but one", inventory.Selector{Tags: []string{"prod"}, VMIDs: []string{"151"}}, false},
	} {
		m, err := CompileSelector(c.s)
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		why, ok := m.Match(vm)
		if ok != c.want || ok == (why == "") {
			t.Errorf("%s: got %v because of %q, want %v", c.name, ok, why, c.want)
		}
	}
	unseen := &inventory.VM{Site: "lab", VMID: 150, Type: inventory.GuestQEMU}
	for _, s := range []inventory.Selector{{Names: ".*"}, {Subnets: []string{"0.0.0.0/0"}}} {
		m, err := CompileSelector(s)
		if err != nil {
			t.Fatal(err)
		}
		if why, ok := m.Match(unseen); ok {
			t.Errorf("%+v matches what was not seen: %s", s, why)
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
		why, ok := m.Match(vm)
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
