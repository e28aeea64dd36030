package pvesim

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"testing"
)

// bigFleet has vms guests on 32 nodes.
func bigFleet(vms int) *Fleet {
	f := &Fleet{Cluster: "big", Nodes: map[string]*Node{}, VMs: map[int]*VM{}, Pools: map[string]*Pool{}}
	for n := range 32 {
		f.Nodes[fmt.Sprintf("pve%d", n+1)] = &Node{}
	}
	for i := range vms {
		id := 100 + i
		pool := fmt.Sprintf("pool-%d", i%100)
		if f.Pools[pool] == nil {
			f.Pools[pool] = &Pool{}
		}
		f.Pools[pool].VMs = append(f.Pools[pool].VMs, id)
		f.VMs[id] = &VM{
			Node: fmt.Sprintf("pve%d", i%32+1), Name: fmt.Sprintf("vm-%d", id), Cores: 4, Memory: 8192, Disk: 32, Tags: []string{"k8s", "worker"},
			UUID: fmt.Sprintf("11111111-aaaa-4bbb-8ccc-%012d", id), MAC: fmt.Sprintf("BC:24:11:%02X:%02X:%02X", i>>16, i>>8&255, i&255), Status: "running",
		}
	}
	return f
}

func TestBigFleet(t *testing.T) {
	const n = 5000
	s := startServer(t, bigFleet(n), quick())
	_, data := get(t, s, "/cluster/resources?type=vm")
	all := data.([]any)
	if len(all) != n {
		t.Fatalf("%d rows, want %d", len(all), n)
	}
	// The order is that of the VMIDs as text.
	for i, want := range []float64{100, 1000, 1001, 1002} {
		if got := all[i].(map[string]any)["vmid"]; got != want {
			t.Errorf("row %d is VM %v, want %v", i, got, want)
		}
	}
	if len(s.current().nodes) != 32 || s.current().nodes[1].name != "pve2" {
		t.Error("nodes are not in their natural order")
	}
}

func BenchmarkStart5000(b *testing.B) {
	f := bigFleet(5000)
	for b.Loop() {
		s, err := Start(f, quick())
		if err != nil {
			b.Fatal(err)
		}
		if err := s.Close(); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkResources5000(b *testing.B) { benchmarkGet(b, "/cluster/resources") }
func BenchmarkConfig(b *testing.B)        { benchmarkGet(b, "/nodes/pve1/qemu/100/config?current=1") }

func benchmarkGet(b *testing.B, path string) {
	s, err := Start(bigFleet(5000), quick())
	if err != nil {
		b.Fatal(err)
	}
	defer func() {
		if err := s.Close(); err != nil {
			b.Error(err)
		}
	}()
	tr := &http.Transport{}
	defer tr.CloseIdleConnections()
	for b.Loop() {
		req, err := http.NewRequest(http.MethodGet, s.URL+apiRoot+path, nil)
		if err != nil {
			b.Fatal(err)
		}
		req.Header.Set("Authorization", s.AuthHeader(DefaultTokenID))
		resp, err := tr.RoundTrip(req)
		if err != nil {
			b.Fatal(err)
		}
		body, err := io.ReadAll(resp.Body)
		if err != nil || !json.Valid(body) {
			b.Fatalf("%v", err)
		}
		if err := resp.Body.Close(); err != nil {
			b.Fatal(err)
		}
	}
}
