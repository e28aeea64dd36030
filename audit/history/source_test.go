package history_test

import (
	"strings"
	"testing"

	"github.com/proxaudit/proxaudit/audit/history"
)

// TestSame: what tells one source from another of the same name.
func TestSame(t *testing.T) {
	for name, tt := range map[string]struct {
		a, b string
		want bool
	}{
		"nothing is known of either":                 {"", "", true},
		"nothing is known of one":                    {"ca:1 server:x", "", true},
		"the CA, whatever the address":               {"ca:1 server:x", "ca:1 server:y", true},
		"another CA at the address of a tunnel":      {"ca:1 server:localhost", "ca:2 server:localhost", false},
		"one CA of two, while it is rotated":         {"ca:1 ca:2", "ca:2 ca:3", true},
		"one did not verify the CA, same address":    {"ca:1 server:x", "server:x", true},
		"one did not verify the CA, another address": {"ca:1 server:x", "server:y", false},
		"a site at another host's address":           {"host:pve1 host:pve2 server:x", "host:pve1 host:pve2 server:y", true},
		"a site of which one host is left":           {"host:pve1 host:pve2 server:x", "host:pve2 server:y", true},
		"another site":                               {"host:pve1 server:x", "host:other server:y", false},
		"nothing that both have":                     {"host:pve1", "ca:1", true},
	} {
		a, b := history.Source{Marks: strings.Fields(tt.a)}, history.Source{Marks: strings.Fields(tt.b)}
		if a.Same(b) != tt.want || b.Same(a) != tt.want {
			t.Errorf("%s: %v and %v, want %v", name, a.Same(b), b.Same(a), tt.want)
		}
	}
}

// TestLacking: what a run has to have read before it knows better.
func TestLacking(t *testing.T) {
	site := history.Source{Name: "site/a", Scopes: []string{"guest-agent", "guests"}, Marks: []string{"host:pve1"}}
	other := history.Source{Name: "site/a", Scopes: []string{"guest-agent", "guests"}, Marks: []string{"host:x"}}
	less := history.Source{Name: "site/a", Scopes: []string{"guests"}, Marks: []string{"host:pve1"}}
	cluster := history.Source{Name: "cluster/c", Scopes: []string{"nodes"}}
	for name, tt := range map[string]struct {
		before, now []history.Source
		want        string
	}{
		"an old record":  {nil, []history.Source{site}, ""},
		"the same":       {[]history.Source{site, cluster}, []history.Source{cluster, site}, ""},
		"more":           {[]history.Source{less}, []history.Source{site, cluster}, ""},
		"a source less":  {[]history.Source{site, cluster}, []history.Source{site}, "cluster/c was read when it was last seen, and not now"},
		"a list less":    {[]history.Source{site}, []history.Source{less}, "site/a guest-agent was read when it was last seen, and not now"},
		"another source": {[]history.Source{site}, []history.Source{other}, "site/a is another one than the one that was read when it was last seen"},
	} {
		if got := history.Lacking(tt.before, tt.now); got != tt.want {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
	}
}
