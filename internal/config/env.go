package config

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/proxaudit/proxaudit/inventory"
	"github.com/proxaudit/proxaudit/inventory/proxmox"
)

// family is one set of environment variables that name a site.
type family struct{ url, tokenID, secret string }

// families in the order in which they count. The first is CAPMOX's (its PROXMOX_TOKEN is the token's ID), the second
// that of Telmate's Terraform provider.
var families = []family{
	{"PROXMOX_URL", "PROXMOX_TOKEN", "PROXMOX_SECRET"},
	{"PM_API_URL", "PM_API_TOKEN_ID", "PM_API_TOKEN_SECRET"},
}

// Variables of ours beside those families: what the site is called, and how to trust the certificate.
const (
	EnvSiteName    = "PROXMOX_SITE"
	EnvCAFile      = "PROXMOX_CA_FILE"
	EnvFingerprint = "PROXMOX_FINGERPRINT"
	EnvInsecure    = "PROXMOX_INSECURE"
)

// EnvSite returns the site that the environment names, or nil if it names none. Without $PROXMOX_SITE its Name is empty:
// the collector takes the Proxmox cluster's or host's own, and the URL's host where it cannot learn that.
func EnvSite(getenv Getenv) (*Site, error) {
	get := func(name string) string {
		v, _ := getenv(name)
		return strings.TrimSpace(v)
	}
	for _, f := range families {
		var set, missing []string
		for _, name := range []string{f.url, f.tokenID, f.secret} {
			if get(name) == "" {
				missing = append(missing, name)
			} else {
				set = append(set, name)
			}
		}
		if len(set) == 0 {
			continue
		}
		if len(missing) > 0 {
			return nil, fmt.Errorf("the environment has %s, but not %s: a Proxmox site needs all of %s, %s and %s",
				strings.Join(set, " and "), strings.Join(missing, " and "), f.url, f.tokenID, f.secret)
		}
		s := &Site{Name: get(EnvSiteName), URL: get(f.url), TokenID: get(f.tokenID), Secret: inventory.NewSecret(get(f.secret)),
			CAFile: get(EnvCAFile), Fingerprint: get(EnvFingerprint)}
		return s, s.checkEnv(f, get(EnvInsecure))
	}
	return nil, nil //nolint:nilnil // no site and no error: the environment does not name one
}

func (s *Site) checkEnv(f family, insecure string) error {
	var errs []error
	add := func(name string, err error) {
		if err != nil {
			errs = append(errs, fmt.Errorf("environment variable %s: %w", name, err))
		}
	}
	if s.Name != "" {
		add(EnvSiteName, checkSiteName(s.Name))
	}
	add(f.tokenID, proxmox.CheckTokenID(s.TokenID))
	add(f.secret, proxmox.CheckSecret(s.Secret.Reveal()))
	if s.Fingerprint != "" {
		add(EnvFingerprint, checkFingerprint(s.Fingerprint))
	}
	if s.CAFile != "" {
		if _, err := os.Stat(s.CAFile); err != nil {
			add(EnvCAFile, errors.New(reason(err)))
		}
	}
	if insecure != "" {
		v, err := strconv.ParseBool(insecure)
		if err != nil {
			err = errors.New("want true or false")
		}
		add(EnvInsecure, err)
		s.Insecure = v
	}
	add(f.url, proxmox.CheckURL(s.URL, s.Insecure))
	if s.Insecure && (s.CAFile != "" || s.Fingerprint != "") {
		add(EnvInsecure, fmt.Errorf("contradicts %s and %s: give one of them", EnvCAFile, EnvFingerprint))
	}
	return errors.Join(errs...)
}
