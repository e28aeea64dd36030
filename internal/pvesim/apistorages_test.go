package pvesim

import (
	"reflect"
	"testing"
)

// The definitions as pve-storage PVE/API2/Storage/Config.pm shows them: disabled ones too, filtered by either of two
// privileges, and nothing for what is not set.
func TestStorages(t *testing.T) {
	s := startServer(t, parse(t, `
tokens: {a@pve!tok: {role: PVEAuditor}, b@pve!tok: {}, c@pve!tok: {}}
acl:
  - {path: /storage/ceph, to: b@pve, role: PVEDatastoreUser}
  - {path: /storage/ceph, to: b@pve!tok, role: PVEDatastoreUser}
storages:
  local: {path: /var/lib/vz, content: [iso, images]}
  ceph: {type: rbd, shared: true, content: [images], nodes: [pve1, pve2]}
  old: {type: lvmthin, disabled: true}
nodes: {pve1: , pve2: }
`), quick())
	for token, want := range map[string]string{
		"a@pve!tok": `["ceph","local","old"]`, "b@pve!tok": `["ceph"]`, "c@pve!tok": `[]`,
	} {
		if st, data := getAs(t, s, token, "/storage"); st != "OK: OK" || text(names(data)) != want {
			t.Errorf("as %s: %s %s, want %s", token, st, text(names(data)), want)
		}
	}
	_, data := getAs(t, s, "a@pve!tok", "/storage")
	all := rows(t, data, "storage")
	digest := all["ceph"]["digest"]
	for name, want := range map[string]map[string]any{
		"local": {"storage": "local", "type": "dir", "path": "/var/lib/vz", "content": "iso,images", "digest": digest},
		"ceph":  {"storage": "ceph", "type": "rbd", "shared": 1.0, "nodes": "pve1,pve2", "content": "images", "digest": digest},
		"old":   {"storage": "old", "type": "lvmthin", "disable": 1.0, "content": "images,rootdir", "digest": digest},
	} {
		if !reflect.DeepEqual(all[name], want) {
			t.Errorf("%s: got %v, want %v", name, all[name], want)
		}
	}
	if _, data := getAs(t, s, "a@pve!tok", "/storage?type=rbd"); text(names(data)) != `["ceph"]` {
		t.Errorf("by type: %s", text(names(data)))
	}
	if st, _ := getAs(t, s, "a@pve!tok", "/storage?type=tape"); st != "Bad Request: Parameter verification failed." {
		t.Errorf("a type that there is not: %s", st)
	}
	if _, data := getAs(t, s, "a@pve!tok", "/nodes/pve1/storage"); text(names(data)) != `["ceph","local"]` {
		t.Errorf("a disabled storage is on no node: %s", text(names(data)))
	}
	if err := s.Update(func(f *Fleet) { f.Storages["old"].Disabled = false }); err != nil {
		t.Fatal(err)
	}
	_, data = getAs(t, s, "a@pve!tok", "/storage")
	if rows(t, data, "storage")["ceph"]["digest"] == digest {
		t.Error("the digest does not change with the configuration")
	}
}

// What is easily got wrong about task lists (pve-manager PVE/API2/Tasks.pm): a running task comes first, with its token
// still on the user, and is its token's alone; the total counts before start and limit.
func TestNodeTaskRows(t *testing.T) {
	s := startServer(t, parse(t, `
tokens: {a@pve!tok: {role: PVEAuditor}, b@pve!tok: {}}
tasks:
  - {node: pve1, type: qmclone, id: "100", user: "b@pve!tok", started: 200, ended: 210, status: "clone failed", pid: 2}
  - {node: pve1, type: vzdump, started: 150, ended: 290, pid: 1}
  - {node: pve1, type: qmstart, id: "101", user: "b@pve!tok", started: 100, pid: 3}
`), quick())
	_, data := getAs(t, s, "a@pve!tok", "/nodes/pve1/tasks?source=all")
	list, _ := data.([]any)
	want := []map[string]any{
		{"upid": "UPID:pve1:00000003:00000000:00000064:qmstart:101:b@pve!tok:", "node": "pve1", "pid": 3.0, "pstart": 0.0,
			"starttime": 100.0, "type": "qmstart", "id": "101", "user": "b@pve!tok", "status": "RUNNING", "saved": "0"},
		{"upid": "UPID:pve1:00000001:00000000:00000096:vzdump::root@pam:", "node": "pve1", "pid": 1.0, "pstart": 0.0,
			"starttime": 150.0, "endtime": 290.0, "type": "vzdump", "id": "", "user": "root@pam", "status": "OK"},
		{"upid": "UPID:pve1:00000002:00000000:000000C8:qmclone:100:b@pve!tok:", "node": "pve1", "pid": 2.0, "pstart": 0.0,
			"starttime": 200.0, "endtime": 210.0, "type": "qmclone", "id": "100", "user": "b@pve", "tokenid": "tok", "status": "clone failed"},
	}
	if len(list) != len(want) {
		t.Fatalf("got %v", list)
	}
	for i := range want {
		if !reflect.DeepEqual(list[i], any(want[i])) {
			t.Errorf("row %d: got %v, want %v", i, list[i], want[i])
		}
	}
	for _, tc := range []struct {
		token, query string
		want         int
	}{
		{"b@pve!tok", "source=all", 2},
		{"a@pve!tok", "source=all&userfilter=tok", 1}, // of an archived task the filter sees the user alone
		{"a@pve!tok", "source=all&errors=1", 2},       // a running one has no status yet
		{"a@pve!tok", "source=all&limit=0", 0},
		{"a@pve!tok", "source=all&start=2", 1},
		{"a@pve!tok", "source=all&since=150", 2},
	} {
		if st, data := getAs(t, s, tc.token, "/nodes/pve1/tasks?"+tc.query); st != "OK: OK" || len(data.([]any)) != tc.want {
			t.Errorf("%s as %s: %s %v, want %d rows", tc.query, tc.token, st, data, tc.want)
		}
	}
}
