package config

import (
	"reflect"
	"strings"
	"testing"

	"github.com/proxaudit/proxaudit/inventory"
)

// TestApply: what the configuration says wins, and what it leaves out stays.
func TestApply(t *testing.T) {
	snap := &inventory.Snapshot{
		Clusters: []inventory.Cluster{{Key: "said", Site: "old", Selector: inventory.Selector{Pools: []string{"old"}}},
			{Key: "silent", Site: "old", Selector: inventory.Selector{Pools: []string{"old"}}}, {Key: "unnamed", Site: "old"}},
		Sites: []inventory.Site{{Name: "said", Regions: []string{"old"}}, {Name: "silent", Regions: []string{"old"}}},
	}
	c := &Config{
		Clusters: []Cluster{{Name: "said", Site: "new", Selector: inventory.Selector{Tags: []string{"new"}}}, {Name: "silent"}, {Name: "gone", Site: "new"}},
		Sites:    []Site{{Name: "said", Regions: []string{"new"}}, {Name: "silent"}, {Name: "lost"}},
	}
	if got := strings.Join(c.Apply(snap), ", "); got != `cluster "gone", site "lost"` {
		t.Errorf("unknown: %s", got)
	}
	want := &inventory.Snapshot{
		Clusters: []inventory.Cluster{{Key: "said", Site: "new", Selector: inventory.Selector{Tags: []string{"new"}}},
			{Key: "silent", Site: "old", Selector: inventory.Selector{Pools: []string{"old"}}}, {Key: "unnamed", Site: "old"}},
		Sites: []inventory.Site{{Name: "said", Regions: []string{"new"}}, {Name: "silent", Regions: []string{"old"}}},
	}
	if !reflect.DeepEqual(snap, want) {
		t.Errorf("%+v", snap)
	}
	if got := (&Config{}).Apply(snap); got != nil || !reflect.DeepEqual(snap, want) {
		t.Errorf("an empty configuration changes %+v, %v", snap, got)
	}
}
