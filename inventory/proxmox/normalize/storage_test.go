package normalize

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/proxaudit/proxaudit/inventory"
)

func TestStorages(t *testing.T) {
	got, bad, err := Storages(decode(t, `[
	 {"storage":"nas","type":"nfs","content":"snippets,iso,images","shared":1,"nodes":"pve2,pve1","server":"192.0.2.9","digest":"d"},
	 {"storage":"local","type":"dir","content":"none","path":"/var/lib/vz","disable":"1"},
	 {"storage":"bare"},
	 {"storage":"nas","type":"dir"}, 7, {}, {"storage":"a","content":[]}, {"storage":"b","nodes":7.5,"shared":[]}, {"storage":"c","disable":"maybe"}]`))
	want := []inventory.Storage{{Name: "bare"}, {Name: "local", Type: "dir", Disabled: true},
		{Name: "nas", Type: "nfs", Content: []string{"images", "iso", "snippets"}, Shared: true, Nodes: []string{"pve1", "pve2"}}}
	if err != nil || dump(t, got) != dump(t, want) {
		t.Errorf("%+v, %v", got, err)
	}
	for i, problem := range []string{`row 3: storage "nas" is listed twice`, "row 4: it is a number, not an object", "row 5: it has no name",
		`row 6: the content of storage "a" is a list, not a text`, `row 7: "shared" of storage "b" is a list, not 0 or 1`,
		`row 8: "disable" of storage "c" is a string, not 0 or 1`} {
		if len(bad) != 6 || bad[i] != problem {
			t.Fatalf("bad %q", bad)
		}
	}
	for _, data := range []string{`{}`, `null`, `"x"`} {
		if _, _, err := Storages(decode(t, data)); err == nil {
			t.Errorf("%s is taken for a list", data)
		}
	}
}

func FuzzStorages(f *testing.F) {
	f.Add([]byte(`[{"storage":"nas","content":"a,,b;a","shared":1,"nodes":"x","disable":0}]`))
	f.Add([]byte(`[{"storage":7,"content":"none"},{"storage":"7"}]`))
	f.Fuzz(func(t *testing.T, body []byte) {
		data, ok := fuzzed(body)
		if !ok {
			return
		}
		list, _, err := Storages(data)
		if err != nil {
			return
		}
		if !slices.IsSortedFunc(list, func(a, b inventory.Storage) int { return strings.Compare(a.Name, b.Name) }) {
			t.Errorf("not in order: %+v", list)
		}
		for i, s := range list {
			if s.Name == "" || i > 0 && list[i-1].Name == s.Name || !slices.IsSorted(s.Content) || !slices.IsSorted(s.Nodes) || slices.Contains(s.Content, "none") {
				t.Errorf("%+v", s)
			}
		}
	})
}

func fuzzed(body []byte) (data any, ok bool) { return data, json.Unmarshal(body, &data) == nil }
