package addresspool

import "testing"

func TestWithin(t *testing.T) {
	for _, c := range []struct {
		entry, address string
		in             bool
	}{
		{"10.0.0.5", "10.0.0.5", true}, {"10.0.0.5", "10.0.0.6", false}, {" 10.0.0.5 ", "10.0.0.5", true},
		{"10.0.0.5-10.0.0.9", "10.0.0.9", true}, {"10.0.0.5 - 10.0.0.9", "10.0.0.7", true}, {"10.0.0.5-10.0.0.9", "10.0.0.10", false},
		{"10.0.0.0/24", "10.0.0.255", true}, {"10.0.0.77/24", "10.0.0.1", true}, {"10.0.0.0/24", "10.0.1.0", false},
		{"10.0.0.0/24", "::ffff:10.0.0.5", true}, {"::ffff:10.0.0.5", "10.0.0.5", true}, {"::ffff:10.0.0.0/120", "10.0.0.9", true},
		{"::ffff:10.0.0.1-::ffff:10.0.0.9", "10.0.0.9", true}, {"10.0.0.0/24", "10.0.0.5/16", true},
		{"fd00::/64", "fd00::5", true}, {"fd00::/64", "fd00:0:0:1::5", false}, {"fe80::/64", "fe80::1%eth0", true},
		{"::/0", "10.0.0.5", false}, {"0.0.0.0/0", "fd00::5", false}, {"10.0.0.0/24", "dhcp", false}, {"10.0.0.0/24", "", false},
	} {
		if got := Within([]string{c.entry}, c.address) != ""; got != c.in {
			t.Errorf("%s in %s: %v", c.address, c.entry, got)
		}
	}
	if got := Within([]string{"x", "10.0.0.1", "10.0.0.0/24"}, "10.0.0.2"); got != "10.0.0.0/24" {
		t.Errorf("found %q", got)
	}
}

func TestParseRefuses(t *testing.T) {
	for _, text := range []string{"", "x", "10.0.0.9-10.0.0.5", "10.0.0.1-fd00::1", "10.0.0.0/33", "10.0.0.1-", "fe80::1%eth0", "10.0.0.1,10.0.0.2", "10.0.0.300"} {
		if set, err := Parse([]string{"10.0.0.1", text}); err == nil {
			t.Errorf("%q is %v", text, set)
		}
	}
}

func TestFamily(t *testing.T) {
	for _, c := range []struct {
		list []string
		want int
	}{{nil, 0}, {[]string{"10.0.0.1", "10.1.0.0/24"}, 4}, {[]string{"fd00::1"}, 6}, {[]string{"::ffff:10.0.0.1"}, 4}, {[]string{"10.0.0.1", "fd00::1"}, 0}} {
		set, err := Parse(c.list)
		if err != nil {
			t.Fatal(err)
		}
		if got := Family(set); got != c.want {
			t.Errorf("%q is of family %d, want %d", c.list, got, c.want)
		}
	}
}
