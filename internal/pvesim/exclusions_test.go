package pvesim

import (
	"fmt"
	"net/http"
	"regexp"
	"testing"
)

// exclusions are the recordings that the simulator does not answer alike, each
// with the reason. A recording that stands here and matches is an error too.
var exclusions = map[string]string{
	"cluster_config_nodes": "the recorder had no corosync.conf, so it recorded an empty list that no real cluster shows",

	// By default the simulator carries out no writes. What the recorded ones led
	// to is compared: the GET requests after them are not excluded (see prepare).
	// TestRecordedWrites sends most of them to a simulator that does.
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

const noWrites = "a write, which the simulator refuses by default"

// collectorEndpoints are those that the collector calls. None of their
// recordings may be excluded.
var collectorEndpoints = regexp.MustCompile(`^/api2/json/(?:` +
	`version|access/permissions|cluster/status|cluster/resources|cluster/nextid|cluster/tasks|nodes|pools/?|` +
	`nodes/[^/]+/qemu/[^/]+/config|nodes/[^/]+/qemu/[^/]+/agent/network-get-interfaces)(?:\?.*)?$`)

// maxExcluded is the share of the recorded GET requests that may be excluded.
const maxExcluded = 0.05

func checkExclusions(t *testing.T, recs []recording) {
	t.Helper()
	for _, p := range exclusionProblems(recs, exclusions) {
		t.Error(p)
	}
	gets, excluded := 0, 0
	for _, r := range recs {
		if r.Request.Method == http.MethodGet {
			gets++
			if _, ok := exclusions[r.Name]; ok {
				excluded++
			}
		}
	}
	t.Logf("%d recordings, %d of them GET requests, %d of these excluded", len(recs), gets, excluded)
}

// exclusionProblems lists where a table of exclusions breaks the rules.
func exclusionProblems(recs []recording, excl map[string]string) []string {
	var problems []string
	known, gets, excluded := map[string]bool{}, 0, 0
	for _, r := range recs {
		known[r.Name] = true
		if r.Request.Method != http.MethodGet {
			continue
		}
		gets++
		if _, ok := excl[r.Name]; !ok {
			continue
		}
		excluded++
		if collectorEndpoints.MatchString(r.Request.Path) {
			problems = append(problems, fmt.Sprintf("%s is excluded, but the collector calls %s", r.Name, r.Request.Path))
		}
	}
	for name := range excl {
		if !known[name] {
			problems = append(problems, fmt.Sprintf("%s is excluded, but there is no such recording", name))
		}
	}
	if float64(excluded) > maxExcluded*float64(gets) {
		problems = append(problems, fmt.Sprintf("%d of %d recorded GET requests are excluded, more than %.0f %%", excluded, gets, 100*maxExcluded))
	}
	return problems
}
