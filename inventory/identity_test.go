package inventory_test

import (
	"strings"
	"testing"

	"github.com/proxaudit/proxaudit/inventory"
)

func TestNormalizeUUID(t *testing.T) {
	const u = "1a2b0001-3c4d-4e5f-8000-0000000000ab"
	for in, want := range map[string]struct {
		canonical string
		usable    bool
	}{
		u:                                      {u, true},
		strings.ToUpper(u):                     {u, true},
		" " + u + "\n":                         {u, true},
		strings.ReplaceAll(u, "-", ""):         {u, true},
		"{" + u + "}":                          {"", false},
		"urn:uuid:" + u:                        {"", false},
		"":                                     {"", false},
		"not-a-uuid":                           {"", false},
		u + "0":                                {"", false},
		strings.Replace(u, "a", "g", 1):        {"", false},
		strings.ReplaceAll(u, "-", "+"):        {"", false},
		"00000000-0000-0000-0000-00000000":     {"", false},
		"00000000-0000-0000-0000-000000000000": {"00000000-0000-0000-0000-000000000000", false},
		"FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF": {"ffffffff-ffff-ffff-ffff-ffffffffffff", false},
		"03000200-0400-0500-0006-000700080009": {"03000200-0400-0500-0006-000700080009", false},
	} {
		if got, ok := inventory.NormalizeUUID(in); got != want.canonical || ok != want.usable {
			t.Errorf("NormalizeUUID(%q) = %q, %v; want %q, %v", in, got, ok, want.canonical, want.usable)
		}
	}
}

func TestSwapUUID(t *testing.T) {
	if got, want := inventory.SwapUUID("00112233-4455-6677-8899-aabbccddeeff"), "33221100-5544-7766-8899-aabbccddeeff"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got := inventory.SwapUUID("nonsense"); got != "" {
		t.Errorf("got %q for what is no UUID, want nothing", got)
	}
}

func TestParseProviderID(t *testing.T) {
	const u = "1a2b0001-3c4d-4e5f-8000-0000000000ab"
	for raw, want := range map[string]inventory.ProviderID{
		"":                                 {},
		"proxmox://" + u:                   {Kind: inventory.ProviderCAPMOX, Scheme: "proxmox", UUID: u},
		"proxmox://" + strings.ToUpper(u):  {Kind: inventory.ProviderCAPMOX, Scheme: "proxmox", UUID: u},
		"proxmox://region-1/105":           {Kind: inventory.ProviderCCM, Scheme: "proxmox", Region: "region-1", VMID: 105},
		"proxmox:///105":                   {Kind: inventory.ProviderCCM, Scheme: "proxmox", VMID: 105},
		"proxmox://":                       {Kind: inventory.ProviderMalformed, Scheme: "proxmox"},
		"proxmox://r/":                     {Kind: inventory.ProviderMalformed, Scheme: "proxmox"},
		"proxmox://r/99":                   {Kind: inventory.ProviderMalformed, Scheme: "proxmox"},
		"proxmox://r/+105":                 {Kind: inventory.ProviderMalformed, Scheme: "proxmox"},
		"proxmox://r/105/106":              {Kind: inventory.ProviderMalformed, Scheme: "proxmox"},
		"proxmox://r/1000000000":           {Kind: inventory.ProviderMalformed, Scheme: "proxmox"},
		"proxmox://r/99999999999999999999": {Kind: inventory.ProviderMalformed, Scheme: "proxmox"},
		"proxmox://00000000-0000-0000-0000-000000000000": {Kind: inventory.ProviderMalformed, Scheme: "proxmox"},
		"rke2://n1":                 {Kind: inventory.ProviderForeign, Scheme: "rke2"},
		"talos://nocloud/10.0.0.5":  {Kind: inventory.ProviderForeign, Scheme: "talos"},
		"k3s":                       {Kind: inventory.ProviderForeign},
		"PROXMOX://" + u:            {Kind: inventory.ProviderForeign, Scheme: "PROXMOX"},
		"://proxmox://region-1/105": {Kind: inventory.ProviderForeign},
	} {
		want.Raw = raw
		if got := inventory.ParseProviderID(raw); got != want {
			t.Errorf("ParseProviderID(%q) = %+v, want %+v", raw, got, want)
		}
	}
}

func TestParseSubject(t *testing.T) {
	for in, want := range map[string]inventory.Subject{
		"vm/lab/105":            {Kind: "vm", Scope: "lab", Name: "105"},
		"VM/lab/0105":           {Kind: "vm", Scope: "lab", Name: "105"},
		"vm/a/b/105":            {Kind: "vm", Scope: "a/b", Name: "105"},
		"machine/ns/m-1":        {Kind: "machine", Scope: "ns", Name: "m-1"},
		"proxmoxmachine/ns/m-1": {Kind: "proxmoxmachine", Scope: "ns", Name: "m-1"},
		"node/prod/n-1":         {Kind: "node", Scope: "prod", Name: "n-1"},
		"node/ns/prod/n-1":      {Kind: "node", Scope: "ns/prod", Name: "n-1"},
		"cluster/prod":          {Kind: "cluster", Name: "prod"},
		"cluster/ns/prod":       {Kind: "cluster", Name: "ns/prod"},
	} {
		got, err := inventory.ParseSubject(in)
		if err != nil || got != want {
			t.Errorf("ParseSubject(%q) = %+v, %v; want %+v", in, got, err, want)
			continue
		}
		again, err := inventory.ParseSubject(got.String())
		if err != nil || again != got {
			t.Errorf("ParseSubject(%q) = %+v, %v; want %+v again", got.String(), again, err, got)
		}
	}
	for _, in := range []string{"", "vm", "vm/", "vm/105", "vm//105", "vm/lab/", "vm/lab/99", "vm/lab/x", "vm/lab/1000000000", "pod/ns/name", "node/x", "/a/b", "cluster/"} {
		if got, err := inventory.ParseSubject(in); err == nil {
			t.Errorf("ParseSubject(%q) = %+v, want an error", in, got)
		} else if !strings.Contains(err.Error(), "want") && !strings.Contains(err.Error(), "no VMID") {
			t.Errorf("ParseSubject(%q): the error does not say what is wanted: %v", in, err)
		}
	}
}

func FuzzNormalizeUUID(f *testing.F) {
	for _, s := range []string{"", "1a2b0001-3c4d-4e5f-8000-0000000000ab", "FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF", "{x}", "03000200040005000006000700080009"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		c, ok := inventory.NormalizeUUID(s)
		if ok && c == "" {
			t.Fatalf("%q is usable and empty", s)
		}
		if c == "" {
			return
		}
		again, ok2 := inventory.NormalizeUUID(c)
		if again != c || ok2 != ok {
			t.Fatalf("%q gives %q, %v, and that gives %q, %v", s, c, ok, again, ok2)
		}
		if inventory.SwapUUID(inventory.SwapUUID(c)) != c {
			t.Fatalf("%q swapped twice is another", c)
		}
	})
}

func FuzzParseProviderID(f *testing.F) {
	for _, s := range []string{"", "proxmox://", "proxmox://r/105", "proxmox:///105", "proxmox://1a2b0001-3c4d-4e5f-8000-0000000000ab", "rke2://n"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		p := inventory.ParseProviderID(s)
		switch p.Kind {
		case inventory.ProviderCAPMOX:
			if p.UUID == "" || p.VMID != 0 {
				t.Fatalf("%q: %+v", s, p)
			}
		case inventory.ProviderCCM:
			if !inventory.ValidVMID(p.VMID) || p.UUID != "" {
				t.Fatalf("%q: %+v", s, p)
			}
		default:
			if p.UUID != "" || p.VMID != 0 || p.Region != "" {
				t.Fatalf("%q: %+v says more than its kind", s, p)
			}
		}
		if p.Raw != s || (p.Kind == inventory.ProviderNone) != (s == "") {
			t.Fatalf("%q: %+v", s, p)
		}
	})
}

func FuzzParseSubject(f *testing.F) {
	for _, s := range []string{"", "vm/lab/105", "node/a/b/c", "cluster/x/y", "machine//", "vm/lab/00105"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		sub, err := inventory.ParseSubject(s)
		if err != nil {
			return
		}
		again, err := inventory.ParseSubject(sub.String())
		if err != nil || again != sub {
			t.Fatalf("%q gives %+v, which reads back as %+v, %v", s, sub, again, err)
		}
	})
}
