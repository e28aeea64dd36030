package config

import (
	"fmt"
	"strings"
	"testing"
)

func TestEnvSite(t *testing.T) {
	const url, id = "https://pve1.example.com:8006", "proxaudit@pve!audit"
	for name, e := range map[string]Getenv{
		"CAPMOX's":                env("PROXMOX_URL", url, "PROXMOX_TOKEN", id, "PROXMOX_SECRET", secret),
		"Telmate's":               env("PM_API_URL", url+"/api2/json", "PM_API_TOKEN_ID", id, "PM_API_TOKEN_SECRET", secret),
		"both, the first counts":  env("PROXMOX_URL", url, "PROXMOX_TOKEN", id, "PROXMOX_SECRET", secret, "PM_API_URL", "x"),
		"with blanks around":      env("PROXMOX_URL", url+"\n", "PROXMOX_TOKEN", " "+id, "PROXMOX_SECRET", secret+"\n"),
		"with a fingerprint":      env("PROXMOX_URL", url, "PROXMOX_TOKEN", id, "PROXMOX_SECRET", secret, EnvFingerprint, strings.Repeat("ab", 32)),
		"insecure, and says so":   env("PROXMOX_URL", url, "PROXMOX_TOKEN", id, "PROXMOX_SECRET", secret, EnvInsecure, "true"),
		"by HTTP, and meant":      env("PROXMOX_URL", "http://pve1.example.com", "PROXMOX_TOKEN", id, "PROXMOX_SECRET", secret, EnvInsecure, "1"),
		"on loopback without TLS": env("PROXMOX_URL", "http://127.0.0.1:8006", "PROXMOX_TOKEN", id, "PROXMOX_SECRET", secret),
	} {
		s, err := EnvSite(e)
		if err != nil || s == nil {
			t.Errorf("%s: %+v, %v", name, s, err)
			continue
		}
		if s.TokenID != id || s.Secret.Reveal() != secret || s.Name != "" {
			t.Errorf("%s: %+v", name, s)
		}
		if printed := fmt.Sprintf("%v %+v %#v", s, *s, s); strings.Contains(printed, secret) {
			t.Errorf("%s: printing the site shows the secret", name)
		}
	}
	s, err := EnvSite(env("PROXMOX_URL", url, "PROXMOX_TOKEN", id, "PROXMOX_SECRET", secret, EnvSiteName, "lab"))
	if err != nil || s.Name != "lab" {
		t.Errorf("a named site: %+v, %v", s, err)
	}
	if s, err := EnvSite(env()); s != nil || err != nil {
		t.Errorf("an empty environment: %v, %v", s, err)
	}
}

// TestEnvShapes: a value in the wrong place is named, and never repeated.
func TestEnvShapes(t *testing.T) {
	const url, id = "https://pve1.example.com:8006", "proxaudit@pve!audit"
	site := func(url, id, sec string, more ...string) Getenv {
		return env(append([]string{"PROXMOX_URL", url, "PROXMOX_TOKEN", id, "PROXMOX_SECRET", sec}, more...)...)
	}
	for name, tc := range map[string]struct {
		env  Getenv
		want string
	}{
		"url alone":              {env("PROXMOX_URL", url), "has PROXMOX_URL, but not PROXMOX_TOKEN and PROXMOX_SECRET"},
		"no url":                 {env("PM_API_TOKEN_ID", id, "PM_API_TOKEN_SECRET", secret), "but not PM_API_URL"},
		"no secret":              {env("PROXMOX_URL", url, "PROXMOX_TOKEN", id), "but not PROXMOX_SECRET"},
		"swapped":                {site(url, secret, id), "PROXMOX_TOKEN: is a UUID: that is the shape of a token's secret"},
		"swapped, the secret":    {site(url, secret, id), "PROXMOX_SECRET: has the shape of a token's ID"},
		"a header as the ID":     {site(url, "PVEAPIToken="+id+"="+secret, secret), "PROXMOX_TOKEN: is a whole Authorization header"},
		"a header as the secret": {site(url, id, "PVEAPIToken="+id+"="+secret), "PROXMOX_SECRET: is a whole Authorization header"},
		"ID with secret":         {site(url, id+"="+secret, secret), "PROXMOX_TOKEN: has the secret behind it"},
		"secret with ID":         {site(url, id, id+"="+secret), "PROXMOX_SECRET: has the token's ID in front"},
		"a user":                 {site(url, "proxaudit@pve", secret), "it is the name of a user"},
		"no realm":               {site(url, "proxaudit!audit", secret), "lacks the realm"},
		"no token at all":        {site(url, "whatever", secret), "has a shape that Proxmox does not give one"},
		"a one-letter name":      {site(url, "proxaudit@pve!a", secret), "has a token's name of one character, and Proxmox wants two at least"},
		"a secret with a blank":  {site(url, id, "abc def"), "holds blanks"},
		"url without scheme":     {site("pve1:8006", id, secret), "PROXMOX_URL: does not begin with https://"},
		"a bare host":            {site("pve1.example.com", id, secret), "does not begin with https://"},
		"the secret as url":      {site(secret, id, secret), "PROXMOX_URL: is a token or its secret"},
		"password in the url":    {site("https://root:"+secret+"@pve1:8006", id, secret), "has a user or password in it"},
		"http":                   {site("http://pve1:8006", id, secret), "is plain HTTP"},
		"another API":            {site(url+"/api2/extjs", id, secret), "goes to a part of the API"},
		"a query":                {site(url+"/?a=b", id, secret), "has a query"},
		"no host":                {site("https://:8006", id, secret), "names no host"},
		"not a url":              {site("https://[::1", id, secret), "cannot be read as a URL"},
		"a site's name":          {site(url, id, secret, EnvSiteName, "a/b"), EnvSiteName + ": a site's name has letters"},
		"a secret as a name":     {site(url, id, secret, EnvSiteName, secret+"!"), EnvSiteName + ": a site's name has letters"},
		"fingerprint":            {site(url, id, secret, EnvFingerprint, "zz"), EnvFingerprint + ": want the SHA-256"},
		"ca file":                {site(url, id, secret, EnvCAFile, "/nowhere/ca.pem"), EnvCAFile + ": /nowhere/ca.pem"},
		"insecure":               {site(url, id, secret, EnvInsecure, "perhaps"), EnvInsecure + ": want true or false"},
		"insecure and pinned":    {site(url, id, secret, EnvInsecure, "1", EnvFingerprint, strings.Repeat("ab", 32)), EnvInsecure + ": contradicts"},
	} {
		_, err := EnvSite(tc.env)
		switch {
		case err == nil:
			t.Errorf("%s: no error", name)
		case !strings.Contains(err.Error(), tc.want):
			t.Errorf("%s: %q lacks %q", name, err, tc.want)
		case strings.Contains(err.Error(), secret):
			t.Errorf("%s: the message has the secret: %v", name, err)
		}
	}
}
