package pvesim

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"strings"
	"sync"
	"testing"
)

// TestConcurrentClones: of many that ask for the same VMIDs at once exactly one
// gets each, and none is lost.
func TestConcurrentClones(t *testing.T) {
	s := startWritable(t)
	const ids, askers = 8, 4
	var mu sync.Mutex
	won := map[int]int{}
	var wg sync.WaitGroup
	for i := range ids * askers {
		wg.Go(func() {
			id := 500 + i%ids
			req, err := http.NewRequestWithContext(context.Background(), http.MethodPost, s.URL+apiRoot+"/nodes/pve1/qemu/900/clone",
				strings.NewReader(fmt.Sprintf(`{"newid":%d,"full":1,"pool":"team","name":"n%d"}`, id, id)))
			if err != nil {
				t.Error(err)
				return
			}
			req.Header.Set("Content-Type", "application/json")
			req.Header.Set("Authorization", s.AuthHeader("all@pve!tok"))
			res, err := http.DefaultClient.Do(req)
			if err != nil {
				t.Error(err)
				return
			}
			defer closeBody(t, res)
			if res.StatusCode == http.StatusOK {
				mu.Lock()
				won[id]++
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	f := s.fleetNow()
	for i := range ids {
		if won[500+i] != 1 || f.VMs[500+i] == nil {
			t.Errorf("VMID %d: %d clones, %v", 500+i, won[500+i], f.VMs[500+i])
		}
	}
	upids := map[string]bool{}
	for _, task := range f.Tasks {
		upids[task.upid()] = true
	}
	if len(f.Tasks) != ids || len(upids) != ids || len(f.Pools["team"].VMs) != ids {
		t.Errorf("%d tasks, %d UPIDs, pool %v", len(f.Tasks), len(upids), f.Pools["team"].VMs)
	}
	uuids := map[string]bool{}
	for id := range maps.Keys(won) {
		uuids[s.current().byID[id].conf.main.text("smbios1")] = true
	}
	if len(uuids) != ids {
		t.Errorf("%d UUIDs for %d clones", len(uuids), ids)
	}
}

func closeBody(t *testing.T, res *http.Response) {
	t.Helper()
	if err := res.Body.Close(); err != nil {
		t.Error(err)
	}
}
