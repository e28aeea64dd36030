package config

import (
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/proxaudit/proxaudit/inventory"
	"github.com/proxaudit/proxaudit/inventory/proxmox"
)

// validate checks one site and resolves its secret.
func (s *Site) validate(p *problems, key string, use Use, getenv Getenv) {
	if s.URL == "" {
		p.at(key, "url is missing, like https://pve1.example.com:8006")
	} else if err := proxmox.CheckURL(s.URL, s.Insecure); err != nil {
		p.at(key+".url", "%v", err)
	}
	if s.TokenID == "" {
		p.at(key, "tokenID is missing, like proxaudit@pve!audit")
	} else if err := proxmox.CheckTokenID(s.TokenID); err != nil {
		p.at(key+".tokenID", "%v", err)
	}
	if use == ForCollection {
		s.open(p, key, getenv)
	}
	if s.Fingerprint != "" {
		if err := checkFingerprint(s.Fingerprint); err != nil {
			p.at(key+".fingerprint", "%v", err)
		}
	}
	if s.Insecure && (s.CAFile != "" || s.Fingerprint != "") {
		p.at(key+".insecure", "turns off what caFile and fingerprint ask for: give one of them")
	}
	for name, n := range map[string]int{"perNode": s.Concurrency.PerNode, "total": s.Concurrency.Total} {
		if n < 0 || n > maxConcurrency {
			p.at(key+".concurrency."+name, "want a number from 1 to %d, or 0 for the built-in value", maxConcurrency)
		}
	}
}

// open looks into the files and variables that a site names.
func (s *Site) open(p *problems, key string, getenv Getenv) {
	s.resolveSecret(p, key, getenv)
	if s.CAFile != "" {
		if _, err := os.Stat(s.CAFile); err != nil {
			p.at(key+".caFile", "%v", reason(err))
		}
	}
}

func (s *Site) resolveSecret(p *problems, key string, getenv Getenv) {
	given := 0
	for _, set := range []bool{s.Secret.IsSet(), s.SecretFile != "", s.SecretEnv != ""} {
		if set {
			given++
		}
	}
	switch {
	case given == 0:
		p.at(key, "the token's secret is missing: give secretFile, secretEnv or secret")
		return
	case given > 1:
		p.at(key, "give one of secret, secretFile and secretEnv")
		return
	}
	from := key + ".secret"
	switch {
	case s.SecretFile != "":
		from = key + ".secretFile"
		data, mode, err := readFile(s.SecretFile)
		if err != nil {
			p.at(from, "cannot read the secret: %v", reason(err))
			return
		}
		if mode.IsRegular() {
			s.secretMode = mode.Perm()
		}
		s.Secret = inventory.NewSecret(strings.TrimSpace(string(data)))
	case s.SecretEnv != "":
		from = key + ".secretEnv"
		if err := checkEnvName(s.SecretEnv); err != nil {
			p.at(from, "%v", err)
			return
		}
		v, ok := getenv(s.SecretEnv)
		if !ok || strings.TrimSpace(v) == "" {
			p.at(from, "the environment variable %s is not set", s.SecretEnv)
			return
		}
		s.Secret = inventory.NewSecret(strings.TrimSpace(v))
	}
	if err := proxmox.CheckSecret(s.Secret.Reveal()); err != nil {
		p.at(from, "%v", err)
	}
}

// checkEnvName keeps a secret that was pasted where a variable's name belongs out of the message that names the
// variable.
func checkEnvName(s string) error {
	if looksSecret.MatchString(s) {
		return errors.New("want the name of an environment variable, not the secret itself")
	}
	for i, r := range s {
		letter := r == '_' || (r >= 'A' && r <= 'Z') || (r >= 'a' && r <= 'z')
		if !letter && (i == 0 || r < '0' || r > '9') {
			return errors.New("want the name of an environment variable, not the secret itself")
		}
	}
	return nil
}

// checkFingerprint accepts 64 hexadecimal digits with or without colons.
func checkFingerprint(s string) error {
	raw, err := hex.DecodeString(strings.ReplaceAll(s, ":", ""))
	switch {
	case err != nil:
		return errors.New("want the SHA-256 fingerprint that `pvenode cert info` prints: 32 pairs of hexadecimal digits")
	case len(raw) == 20:
		return errors.New("this is a SHA-1 fingerprint (20 bytes): want SHA-256 (32 bytes)")
	case len(raw) != 32:
		return fmt.Errorf("has %d bytes: want the 32 of SHA-256", len(raw))
	}
	return nil
}

// reason is a file error without the operation in front, and with the path, unless somebody pasted the secret where a
// path belongs.
func reason(err error) string {
	var pe *fs.PathError
	switch {
	case errors.As(err, &pe) && looksSecret.MatchString(pe.Path):
		return "the path looks like a secret itself: want the name of a file"
	case errors.As(err, &pe):
		return fmt.Sprintf("%s: %v", pe.Path, pe.Err)
	case looksSecret.MatchString(err.Error()):
		return "cannot be read"
	default:
		return err.Error()
	}
}
