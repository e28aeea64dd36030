package proxmox

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/proxaudit/proxaudit/inventory"
)

func TestParseURL(t *testing.T) {
	for in, want := range map[string]string{
		"https://pve.example:8006":            "https://pve.example:8006/api2/json",
		"https://pve.example:8006/":           "https://pve.example:8006/api2/json",
		"https://pve.example:8006/api2/json/": "https://pve.example:8006/api2/json",
		"https://pve.example:8006/api2":       "https://pve.example:8006/api2/json",
		"https://pve.example/pve":             "https://pve.example/pve/api2/json",
		"https://[2001:db8::1]:8006":          "https://[2001:db8::1]:8006/api2/json",
		"http://127.0.0.1:8080":               "http://127.0.0.1:8080/api2/json",
		"http://localhost:8080/":              "http://localhost:8080/api2/json",
		"http://[::1]:8080/":                  "http://[::1]:8080/api2/json",
	} {
		if got, err := parseURL(in, false); err != nil || got.String() != want {
			t.Errorf("parseURL(%q) = %v, %v; want %s", in, got, err, want)
		}
	}
	if got, err := parseURL("http://192.0.2.1", true); err != nil || got.String() != "http://192.0.2.1/api2/json" {
		t.Errorf("insecure and meant: %v, %v", got, err)
	}
	for in, want := range map[string]string{
		"":                                "is empty",
		"pve.example:8006":                "does not begin with https://",
		"ftp://pve.example":               "does not begin with https://",
		"https://":                        "names no host",
		"https://:8006":                   "names no host",
		"https://pve.example:8006/#v1":    "query or fragment",
		"https://pve.example:8006/?x=1":   "query or fragment",
		"http://pve.example:8006":         "plain HTTP",
		"https://pve.example:port":        "cannot be read",
		canary:                            "is a token or its secret",
		tokenRO:                           "is a token or its secret",
		"https://pve:8006/api2/extjs":     "a part of the API",
		"https://pve:8006/api2/json/x":    "a part of the API",
		"https://root:" + canary + "@pve": "a user or password",
		"https://root:a/" + canary + "@p": "a user or password",
	} {
		_, err := parseURL(in, false)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("parseURL(%q): %v, want %q", in, err, want)
		}
		if err != nil && strings.Contains(err.Error(), canary) {
			t.Errorf("the password is in %v", err)
		}
	}
}

func TestVerifyToken(t *testing.T) {
	for _, id := range []string{"root@pam!full", "audit@pve!ro", "first.last@ldap.example!proxaudit-1", "user@corp@pve!x1"} {
		if err := verifyToken(id, canary); err != nil {
			t.Errorf("%s: %v", id, err)
		}
	}
	for _, c := range []struct{ id, secret, want string }{
		{"", canary, "the token ID is empty"},
		{canary, tokenRO, "the token ID is a UUID"},
		{strings.ToUpper(canary), canary, "the token ID is a UUID"},
		{"PVEAPIToken=" + tokenRO + "=" + canary, "", "whole Authorization header"},
		{tokenRO + "=" + canary, "", "has the secret behind it"},
		{"audit@pve", canary, "has no !"},
		{"audit", canary, "a shape that Proxmox does not give"},
		{"audit@pve!", canary, "a shape that Proxmox does not give"},
		{"audit@pve!x", canary, "the token ID has a token's name of one character"},
		{"audit!ro", canary, "the token ID lacks the realm"},
		{"@pve!ro", canary, "a shape that Proxmox does not give"},
		{"audit@pve!r o", canary, "a shape that Proxmox does not give"},
		{tokenRO, "", "the token's secret is empty"},
		{tokenRO, tokenRO, "the token's secret has the shape of a token's ID"},
		{tokenRO, tokenRO + "=" + canary, "the token's secret has the token's ID in front"},
		{tokenRO, "PVEAPIToken=" + tokenRO + "=" + canary, "the token's secret is a whole Authorization header"},
		{tokenRO, "a\nb", "blanks or characters"},
		{tokenRO, "a b", "blanks or characters"},
		{tokenRO, "ä", "blanks or characters"},
	} {
		err := verifyToken(c.id, c.secret)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v, want %q", c.id, err, c.want)
		}
		if err != nil && strings.Contains(strings.ToLower(err.Error()), canary) {
			t.Errorf("the secret is in %v", err)
		}
	}
}

func TestNew(t *testing.T) {
	good := Config{Site: "lab", URL: "https://pve.example:8006", TokenID: " " + tokenRO + "\n", Secret: inventory.NewSecret(canary + "\n")}
	c, err := New(good)
	if err != nil {
		t.Fatal(err)
	}
	if c.cfg.PerNode != 3 || c.cfg.Total != 24 || c.cfg.Timeout.Seconds() != 35 || c.Name() != "lab" || c.cfg.Secret.Reveal() != canary {
		t.Errorf("defaults: %+v", c.cfg)
	}
	if r := c.Requests(); r.Source != "site/lab" || r.Count != 0 {
		t.Errorf("%+v", r)
	}
	ca := filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(ca, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	for want, change := range map[string]func(*Config){
		"Proxmox site lab: the Proxmox URL is empty":  func(c *Config) { c.URL = "" },
		"Proxmox site lab: the token ID is empty":     func(c *Config) { c.TokenID = " " },
		"Proxmox site lab: the CA file":               func(c *Config) { c.CAFile = ca },
		"Proxmox site lab: the fingerprint":           func(c *Config) { c.Fingerprint = "x" },
		"Proxmox site: the token's secret is empty":   func(c *Config) { c.Site, c.Secret = "", inventory.Secret{} },
		"Proxmox site lab: cannot read the CA file: ": func(c *Config) { c.CAFile = filepath.Join(t.TempDir(), "missing") },
	} {
		cfg := good
		change(&cfg)
		if _, err := New(cfg); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}
