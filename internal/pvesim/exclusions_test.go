package pvesim

import (
	"regexp"
	"testing"
)

// exclusions are the recordings that the simulator does not answer alike, each
// with the reason. A recording that stands here and matches is an error too.
var exclusions = map[string]string{
	"cluster_config_nodes": "the recorder had no corosync.conf, so it recorded an empty list that no real cluster shows",

	// The simulator carries out no writes. What the recorded ones led to is
	// compared: the GET requests after them are not excluded (see prepare).
	"w_clone_402":         noWrites,
	"w_clone_403_named":   noWrites,
	"w_create_400":        noWrites,
	"w_create_401_smbios": noWrites,
	"w_create_taken":      noWrites,
	"w_delete_ha":         noWrites,
	"w_delete_protected":  noWrites,
	"w_delete_running":    noWrites,
	"w_set_105":           noWrites,
	"w_set_bad_name":      noWrites,
	"w_set_bad_tag":       noWrites,
	"w_set_running_100":   noWrites,
	"w_set_smbios_nouuid": noWrites,
}

const noWrites = "a write, which the simulator refuses"

// collectorEndpoints are those that the collector calls. None of their
// recordings may be excluded.
var collectorEndpoints = regexp.MustCompile(`^/api2/json/(?:` +
	`version|access/permissions|cluster/status|cluster/resources|cluster/nextid|cluster/tasks|nodes|pools/?|` +
	`nodes/[^/]+/qemu/[^/]+/config|nodes/[^/]+/qemu/[^/]+/agent/network-get-interfaces)(?:\?.*)?$`)

// maxExcluded is the share of the recorded GET requests that may be excluded.
const maxExcluded = 0.05

func checkExclusions(t *testing.T, recs []recording) {
	t.Helper()
	known, gets, excluded, collector := map[string]bool{}, 0, 0, 0
	for _, r := range recs {
		known[r.Name] = true
		if r.Request.Method != "GET" {
			continue
		}
		gets++
		isCollector := collectorEndpoints.MatchString(r.Request.Path)
		if isCollector {
			collector++
		}
		if _, ok := exclusions[r.Name]; !ok {
			continue
		}
		excluded++
		if isCollector {
			t.Errorf("%s is excluded, but the collector calls %s", r.Name, r.Request.Path)
		}
	}
	for name := range exclusions {
		if !known[name] {
			t.Errorf("%s is excluded, but there is no such recording", name)
		}
	}
	if share := float64(excluded) / float64(gets); share > maxExcluded {
		t.Errorf("%d of %d recorded GET requests are excluded, more than %.0f %%", excluded, gets, 100*maxExcluded)
	}
	t.Logf("%d recorded GET requests, %d of them to endpoints of the collector, %d excluded", gets, collector, excluded)
}
