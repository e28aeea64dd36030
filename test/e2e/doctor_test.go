package e2e

import (
	"encoding/json"
	"strings"
	"testing"
)

// doctorReport is what these tests read of `doctor -o json`.
type doctorReport struct {
	Items []struct{ Source, Name, Status, Detail, Remedy string }
}

// TestDoctor: everything is in order, and finding that out takes reads of one object at most.
func TestDoctor(t *testing.T) {
	w := newWorld(t)
	o := run(t, w, "doctor", "-o", "json")
	o.want(t, 0)
	r := parseDoctor(t, o)
	checked := map[string]bool{}
	for _, c := range r.Items {
		checked[c.Source] = true
		if c.Status != "ok" {
			t.Errorf("%s, %s: %s: %s", c.Source, c.Name, c.Status, c.Detail)
		}
	}
	for _, source := range []string{"site/dc1", "site/edge", "management", "cluster/" + prod, "cluster/" + lab} {
		if !checked[source] {
			t.Errorf("%s was not checked", source)
		}
	}
	for _, name := range []string{management, prod, lab} {
		requests, err := w.bench.Server(name).Requests(w.user)
		if err != nil {
			t.Fatal(err)
		}
		if len(requests) == 0 {
			t.Errorf("%s was not asked", name)
		}
		for _, q := range requests {
			// The Clusters it needs by name, to say to which there is no access; of the providers' Deployments, the namespaces.
			one := strings.Contains(q.RequestURI, "limit=1&") || strings.HasSuffix(q.RequestURI, "limit=1")
			if q.Verb == "list" && !one && !strings.Contains(q.RequestURI, "/clusters?") && !strings.Contains(q.RequestURI, "/deployments?") {
				t.Errorf("%s was asked for a whole list: %s", name, q.RequestURI)
			}
			if q.Verb != "get" && q.Verb != "list" {
				t.Errorf("%s was asked to %s %s", name, q.Verb, q.RequestURI)
			}
		}
	}
}

// TestDoctorForbidden: a permission that is missing is named, with what to do.
func TestDoctorForbidden(t *testing.T) {
	w := newWorld(t)
	w.writeKubeconfig(t, management, "nobody")
	o := run(t, w, "doctor", "-o", "json")
	o.want(t, 1)
	for _, c := range parseDoctor(t, o).Items {
		if c.Source == "management" && c.Status == "failed" && strings.Contains(c.Name, "machines.cluster.x-k8s.io") {
			if !strings.Contains(c.Detail, w.user) || c.Remedy == "" {
				t.Errorf("the check does not say who lacks what: %+v", c)
			}
			return
		}
	}
	t.Error("no check failed for want of permission to list Machines")
}

func parseDoctor(t *testing.T, o outcome) doctorReport {
	t.Helper()
	var r doctorReport
	if err := json.Unmarshal(o.stdout, &r); err != nil {
		t.Fatalf("proxaudit %s: %v\n%.500s", o.args, err, o.stdout)
	}
	if len(r.Items) == 0 {
		t.Fatalf("proxaudit %s: no checks", o.args)
	}
	return r
}
