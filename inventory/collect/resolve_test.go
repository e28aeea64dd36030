package collect

import (
	"strings"
	"testing"
	"time"

	"github.com/proxaudit/proxaudit/internal/pvesim"
	"github.com/proxaudit/proxaudit/inventory"
)

// TestNoProbesWithoutAList: a site whose guest list did not come back is not asked for every VMID that anything names.
func TestNoProbesWithoutAList(t *testing.T) {
	for name, c := range map[string]struct {
		spoil func(*testing.T, *lab)
		// asked is how many requests home may get in all.
		asked int
	}{
		"a wrong secret":            {func(_ *testing.T, l *lab) { l.plan.Sites[0].Secret = inventory.NewSecret(edgeSecret) }, 1},
		"a token that is not there": {func(_ *testing.T, l *lab) { l.plan.Sites[0].TokenID = "nobody@pve!audit" }, 1},
		"a site that is gone": {func(t *testing.T, l *lab) {
			if err := l.home.Close(); err != nil {
				t.Fatal(err)
			}
		}, 0},
		"a site that cuts every connection": {func(_ *testing.T, l *lab) {
			l.home.Fail(pvesim.Match{}, pvesim.Fault{Reset: true})
		}, 2}, // with the one retry
		"a guest list that cannot be read": {func(_ *testing.T, l *lab) {
			l.home.Fail(pvesim.Match{Path: "/cluster/resources"}, pvesim.Fault{MalformedJSON: true})
		}, 4},
		"a guest list that is refused": {func(_ *testing.T, l *lab) {
			l.home.Fail(pvesim.Match{Path: "/cluster/resources"}, pvesim.Fault{Status: 403, Reason: "Permission check failed"})
		}, 4},
		"a token that runs out in the middle": {func(_ *testing.T, l *lab) {
			l.home.Fail(pvesim.Match{Path: "/cluster/resources"}, pvesim.Fault{Status: 401, Reason: "Authentication failed!"})
		}, 4},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := newLab(t)
			l.plan.GuestAgent = true
			c.spoil(t, l)
			s := l.run(t)
			for _, path := range []string{"/cluster/nextid", "/nodes/"} {
				if n := l.home.CountPath(path); n != 0 {
					t.Errorf("%s was asked %d times", path, n)
				}
			}
			sent := l.home.Requests()
			for _, r := range sent {
				if strings.Contains(r.Path, "permissions") && strings.Contains(r.Query, "path=") {
					t.Errorf("asked for the permission: %s", r.Query)
				}
			}
			if len(sent) != c.asked {
				t.Errorf("%d requests, want %d: %+v", len(sent), c.asked, sent)
			}
			if len(s.Probes) != 0 {
				t.Errorf("%+v", s.Probes)
			}
			if cov := coverage(t, s, "site/home", inventory.ScopeGuests); !cov.Missing() || cov.Remedy == "" && cov.State == inventory.Refused && strings.Contains(cov.Reason, "401") {
				t.Errorf("%+v", cov)
			}
			if got := serious(s); len(got) != 0 {
				t.Errorf("findings %q", got)
			}
			// The other site has its own questions.
			if n := l.edge.CountPath("/cluster/resources"); n != 1 {
				t.Errorf("edge's list was asked for %d times", n)
			}
		})
	}
}

// TestProbesOfATokenThatSeesNothing: an empty list is a list. Whether a VMID is taken is open to every token, and tells
// what is hidden from what is gone.
func TestProbesOfATokenThatSeesNothing(t *testing.T) {
	l := newLab(t)
	l.plan.Sites[0].TokenID = blind
	s := l.run(t)
	if n := l.home.CountPath("/cluster/nextid"); n != 4 || len(s.Probes) != 4 {
		t.Errorf("%d probes were sent: %+v", n, s.Probes)
	}
}

// TestFreeWithoutAQuorum: in a part of a cluster, a token without Sys.Audit on / proves nothing gone.
func TestFreeWithoutAQuorum(t *testing.T) {
	l := newLab(t)
	if err := l.home.Update(func(f *pvesim.Fleet) {
		f.Tokens["guests@pve!audit"] = &pvesim.Token{Secret: homeSecret, Role: "PVEVMUser"}
	}); err != nil {
		t.Fatal(err)
	}
	l.plan.Sites[0].TokenID = "guests@pve!audit"
	if got := serious(l.run(t)); len(got) == 0 || got[0] != ghost {
		t.Fatalf("with all hosts online, findings %q", got)
	}
	if err := l.home.SetOffline("pve2", time.Hour); err != nil {
		t.Fatal(err)
	}
	s := l.run(t)
	for _, finding := range serious(s) {
		if strings.HasPrefix(finding, "ghost") {
			t.Errorf("%s, with pve2 offline and the quorum not known", finding)
		}
	}
	cov := coverage(t, s, "site/home", inventory.ScopeProbes)
	if !cov.Missing() || !strings.Contains(cov.Reason, "150: ") || !strings.Contains(cov.Reason, "pve2") || !strings.Contains(cov.Reason, "Sys.Audit") ||
		!strings.Contains(cov.Remedy, "pveum acl modify / ") {
		t.Errorf("%+v", cov)
	}
}

// TestRemembered: a VM that an earlier run has seen is probed if no list shows it, whatever names it now.
func TestRemembered(t *testing.T) {
	l := newLab(t)
	before := len(l.run(t).Probes)
	l.plan.Remembered = []inventory.Key{{Site: "home", VMID: 777}, {Site: "home", VMID: 777}, {Site: "home", VMID: 101}, {Site: "elsewhere", VMID: 778}}
	s := l.run(t)
	if len(s.Probes) != before+1 {
		t.Errorf("%d probes, want one more than %d: %+v", len(s.Probes), before, s.Probes)
	}
	if p := s.ProbeOf(inventory.Key{Site: "home", VMID: 777}); p == nil || p.Existence != inventory.Free {
		t.Errorf("the probe of the VM that is gone is %+v", p)
	}
}
