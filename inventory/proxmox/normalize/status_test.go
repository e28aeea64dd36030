package normalize

import (
	"reflect"
	"strings"
	"testing"

	"github.com/proxaudit/proxaudit/inventory"
	"github.com/proxaudit/proxaudit/inventory/proxmox/transport"
)

func TestVersion(t *testing.T) {
	for data, want := range map[string]int{`{"version":"7.4-20"}`: 7, `{"version":"8.4.21","console":"html5"}`: 8, `{"version":"9.2.11"}`: 9,
		`{"version":"10.0"}`: 10, `{"version":"next"}`: 0, `{"version":9}`: 9} {
		if _, major, err := Version(decode(t, data)); err != nil || major != want {
			t.Errorf("Version(%s): %d, %v; want %d", data, major, err, want)
		}
	}
	for _, data := range []string{`null`, `[]`, `{}`, `{"version":""}`, `{"version":[]}`} {
		if v, _, err := Version(decode(t, data)); err == nil {
			t.Errorf("%s passes for version %q", data, v)
		}
	}
}

func TestClusterStatus(t *testing.T) {
	s, err := ClusterStatus(decode(t, `[{"type":"node","name":"pve2","online":"0"},{"type":"cluster","name":"lab","quorate":1},
	 {"type":"node","name":"pve1","online":1,"ip":"192.0.2.11"},{"type":"node","name":"pve3"},{"type":"qdevice","name":"q"}]`))
	if err != nil {
		t.Fatal(err)
	}
	want := &Status{ClusterName: "lab", Clustered: boolp(true), Quorate: boolp(true), Nodes: []inventory.ProxmoxNode{
		{Name: "pve2", Status: "offline"}, {Name: "pve1", Status: "online", IP: "192.0.2.11"}, {Name: "pve3", Status: "unknown"}}}
	if !reflect.DeepEqual(s, want) {
		t.Errorf("got %+v, want %+v", s, want)
	}
	s, err = ClusterStatus(decode(t, `[{"type":"node","name":"pve1","online":1}]`))
	if err != nil || *s.Clustered || s.Quorate != nil || s.ClusterName != "" {
		t.Errorf("a standalone host: %+v, %v", s, err)
	}
	s, err = ClusterStatus(decode(t, `[1,{"type":"node","name":"../x","online":1},{"type":"node","name":"pve1","online":1},
	 {"type":"node","name":"pve1","online":0}]`))
	if err != nil || len(s.Bad) != 3 || len(s.Nodes) != 1 {
		t.Errorf("bad rows: %+v, %v", s, err)
	}
	for _, data := range []string{`null`, `{}`, `[]`, `[{"type":"cluster","name":"x"}]`} {
		if _, err := ClusterStatus(decode(t, data)); err == nil {
			t.Errorf("%s passes for a cluster's status", data)
		}
	}
}

func TestNodes(t *testing.T) {
	s, err := Nodes(decode(t, `[{"node":"pve2","status":"online"},{"node":"pve1","status":"offline"},{"node":"pve3","status":"unknown"},{"node":"pve4"},7]`))
	if err != nil {
		t.Fatal(err)
	}
	want := []inventory.ProxmoxNode{{Name: "pve2", Status: "online"}, {Name: "pve1", Status: "offline"}, {Name: "pve3", Status: "unknown"},
		{Name: "pve4", Status: "unknown"}}
	if !reflect.DeepEqual(s.Nodes, want) || len(s.Bad) != 1 || s.Clustered != nil || s.Quorate != nil {
		t.Errorf("got %+v", s)
	}
	for _, data := range []string{`null`, `{}`, `[]`} {
		if _, err := Nodes(decode(t, data)); err == nil {
			t.Errorf("%s passes for a list of nodes", data)
		}
	}
}

func TestNextID(t *testing.T) {
	param := func(status int, text string) *transport.Error {
		return &transport.Error{Status: status, Reason: "Parameter verification failed.", Params: map[string]string{"vmid": text}}
	}
	for name, c := range map[string]struct {
		data    any
		failure *transport.Error
		want    inventory.Existence
	}{
		"free":                    {"105", nil, inventory.Free},
		"free, as a number":       {float64(105), nil, inventory.Free},
		"another id":              {"106", nil, inventory.ExistenceUnknown},
		"no data":                 {nil, nil, inventory.ExistenceUnknown},
		"taken":                   {nil, param(400, "VM 105 already exists"), inventory.Exists},
		"taken, with a line end":  {nil, param(400, "VM 105 already exists\n"), inventory.Exists},
		"another one is taken":    {nil, param(400, "VM 106 already exists"), inventory.ExistenceUnknown},
		"out of range":            {nil, param(400, "invalid format - value does not look like a valid VM ID"), inventory.ExistenceUnknown},
		"the text, but not a 400": {nil, param(500, "VM 105 already exists"), inventory.ExistenceUnknown},
		"unreachable":             {nil, &transport.Error{Reason: "EOF"}, inventory.ExistenceUnknown},
		"refused":                 {nil, &transport.Error{Status: 401, Reason: "No ticket"}, inventory.ExistenceUnknown},
	} {
		got, reason := NextID(c.data, c.failure, 105)
		if got != c.want || (got == inventory.ExistenceUnknown) != (reason != "") {
			t.Errorf("%s: %s (%q), want %s", name, got, reason, c.want)
		}
	}
	if _, reason := NextID(nil, param(400, "invalid format"), 105); !strings.Contains(reason, "invalid format") {
		t.Errorf("the parameter's error is not in %q", reason)
	}
}

func TestAgent(t *testing.T) {
	a := Agent(decode(t, `{"result":[
	 {"name":"lo","hardware-address":"00:00:00:00:00:00","ip-addresses":[{"ip-address":"127.0.0.1","prefix":8}]},
	 {"name":"Ethernet","hardware-address":"BC:24:11:00:00:66","ip-addresses":[{"ip-address":"fe80::1%3","prefix":-1},{"prefix":3},7]},
	 {"name":"tunl0"}, "no object", {"name":"x","hardware-address":"00:00","ip-addresses":{}}]}`))
	want := &inventory.Agent{Interfaces: []inventory.AgentInterface{
		{Name: "lo", MAC: "00:00:00:00:00:00", Addresses: []string{"127.0.0.1/8"}},
		{Name: "Ethernet", MAC: "bc:24:11:00:00:66", Addresses: []string{"fe80::1"}},
		{Name: "tunl0"}, {Name: "x"}}}
	if !reflect.DeepEqual(a, want) {
		t.Errorf("got %+v, want %+v", a, want)
	}
	a = Agent(decode(t, `{"result":{"error":{"class":"CommandDisabled","desc":"disabled for this instance"}}}`))
	if a.Error != "the agent refused: CommandDisabled disabled for this instance" || a.Interfaces != nil {
		t.Errorf("an error with status 200: %+v", a)
	}
	for _, data := range []string{`null`, `[]`, `{}`, `{"result":null}`, `{"result":{}}`, `{"result":{"error":1}}`} {
		if a := Agent(decode(t, data)); a.Error == "" {
			t.Errorf("%s passes for an agent's answer", data)
		}
	}
}
