package proxmox

import (
	"strings"
	"testing"

	"github.com/proxaudit/proxaudit/inventory"
)

// TestFreeIsBelievedOfAQuorumOnly: without Sys.Audit on / the quorum is not known, and "free" is the word of a host whose
// part of the cluster may be the one that nobody waits for.
func TestFreeIsBelievedOfAQuorumOnly(t *testing.T) {
	const grant = "pveum acl modify / --users 'audit@pve' --roles PVEAuditor"
	noAudit := refused("Permission check failed (/, Sys.Audit)")
	for name, c := range map[string]struct {
		status, nodes reply
		want          inventory.Existence
		reason        string
		remedy        string
	}{
		"a quorum": {status: data(`[{"type":"cluster","name":"lab","quorate":1},{"type":"node","name":"pve1","online":1},{"type":"node","name":"pve2","online":0}]`),
			want: inventory.Free},
		"a standalone host": {status: data(`[{"type":"node","name":"pve1","online":1}]`), want: inventory.Free},
		"no quorum": {status: data(`[{"type":"cluster","name":"lab","quorate":0},{"type":"node","name":"pve1","online":1}]`),
			reason: "not quorate", remedy: "pvecm status"},
		"a cluster that does not say": {status: data(`[{"type":"cluster","name":"lab"},{"type":"node","name":"pve1","online":1},{"type":"node","name":"pve2","online":0}]`),
			reason: "not online are pve2", remedy: "pvecm status"},
		"a cluster that does not say, all online": {status: data(`[{"type":"cluster","name":"lab"},{"type":"node","name":"pve1","online":1}]`),
			want: inventory.Free},
		"no Sys.Audit, all online": {status: noAudit, nodes: data(`[{"node":"pve1","status":"online"},{"node":"pve2","status":"online"}]`),
			want: inventory.Free},
		"no Sys.Audit, one offline": {status: noAudit, nodes: data(`[{"node":"pve1","status":"online"},{"node":"pve2","status":"offline"}]`),
			reason: "not online are pve2 (GET /cluster/status: 403 Permission check failed (/, Sys.Audit))", remedy: grant},
		"no Sys.Audit, one in no known state": {status: noAudit, nodes: data(`[{"node":"pve1","status":"online"},{"node":"pve2","status":"unknown"}]`),
			reason: "not online are pve2", remedy: grant},
		"no Sys.Audit, many offline": {status: noAudit,
			nodes:  data(`[{"node":"a","status":"offline"},{"node":"b","status":"offline"},{"node":"c","status":"offline"},{"node":"d","status":"offline"},{"node":"e","status":"offline"}]`),
			reason: "not online are a, b, c, 2 more", remedy: grant},
		"no Sys.Audit, a row that cannot be read": {status: noAudit, nodes: data(`[{"node":"pve1","status":"online"},7]`),
			reason: "not all hosts could be read", remedy: grant},
		"no Sys.Audit, no list of hosts": {status: noAudit, nodes: reply{500, "got timeout", "", ""},
			reason: "not known whether it has a quorum", remedy: grant},
		"a status that cannot be read": {status: data(`7`), nodes: data(`[{"node":"pve1","status":"offline"}]`),
			reason: "not online are pve1", remedy: "pvecm status"},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFake(t)
			f.set(pathStatus, c.status)
			f.set(pathNodes, c.nodes)
			f.set(pathResources, data(`[]`))
			f.set("/cluster/nextid?vmid=105", data(`"105"`))
			collector := f.collector(nil)
			checked(t, f, collector.Collect(t.Context()))
			s := collector.Probe(t.Context(), []int{105})
			if c.want == "" {
				c.want = inventory.ExistenceUnknown
			}
			p, cov := s.Probes[0], s.Coverage[0]
			if p.Existence != c.want || !strings.Contains(p.Reason, c.reason) || (p.Reason == "") != (c.want == inventory.Free) {
				t.Errorf("%+v", p)
			}
			if cov.Missing() != (c.want != inventory.Free) || !strings.Contains(cov.Reason, p.Reason) || !strings.Contains(cov.Remedy, c.remedy) ||
				(cov.Remedy == "") != (c.remedy == "") {
				t.Errorf("%+v", cov)
			}
		})
	}
	// Nobody asked yet: nothing is believed.
	f := newFake(t)
	f.set("/cluster/nextid?vmid=105", data(`"105"`))
	if p := f.collector(nil).Probe(t.Context(), []int{105}).Probes[0]; p.Existence != inventory.ExistenceUnknown || p.Reason == "" {
		t.Errorf("%+v", p)
	}
}

// TestProbesEndWithTheSite: a site that is gone, or refuses the token, costs one question in flight per slot and no more.
func TestProbesEndWithTheSite(t *testing.T) {
	for name, c := range map[string]struct {
		answer reply
		asked  int
	}{
		"connection lost": {reply{0, "", "", ""}, 2}, // with the one retry
		"401":             {reply{401, "No ticket", "", ""}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFake(t)
			collector := f.collector(func(c *Config) { c.PerNode = 1 })
			checked(t, f, collector.Collect(t.Context()))
			ids := []int{105, 106, 107, 108, 109}
			for _, id := range ids {
				f.set(sprintf("/cluster/nextid?vmid=%d", id), c.answer)
			}
			s := collector.Probe(t.Context(), ids)
			if n := f.askedFor("/cluster/nextid"); n != c.asked {
				t.Errorf("%d questions", n)
			}
			for i, p := range s.Probes {
				if p.VMID != ids[i] || p.Existence != inventory.ExistenceUnknown || strings.HasPrefix(p.Reason, "not asked, after GET /cluster/nextid?vmid=105: ") != (i > 0) {
					t.Errorf("%+v", p)
				}
			}
			if cov := s.Coverage[0]; cov.State != inventory.Failed || cov.Failed != len(ids) || cov.Remedy == "" {
				t.Errorf("%+v", cov)
			}
		})
	}
}
