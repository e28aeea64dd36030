package config

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"regexp"
	"strconv"
	"strings"
)

// The checks of this file tell a person which value stands in the wrong place. They never repeat the value: that it is
// in the wrong place is exactly why it may be a secret.

var (
	// tokenID is USER@REALM!TOKENNAME (pve-access-control PVE/AccessControl.pm: a token name begins with a letter
	// and has at least two characters).
	tokenID = regexp.MustCompile(`^[^\s:/!@]+(@[^\s:/!@]+)*@[A-Za-z][A-Za-z0-9.\-_]+![A-Za-z][A-Za-z0-9.\-_]+$`)
	// tokenSecret is the form that Proxmox generates.
	tokenSecret = regexp.MustCompile(`^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$`)
)

// looksSecret finds what may be a secret inside a text: a token's (with or without its dashes), a header, a token ID
// with its secret behind '=', and a URL with a user or password. A path of the file system may have lost one of the
// slashes behind the colon (filepath.Clean).
var looksSecret = regexp.MustCompile(`(?i)[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9a-f]{32}|PVEAPIToken|![^=\s]+=\S|:/.*@`)

// shown quotes a value for a message, unless it looks like a secret in the wrong place.
func shown(s string) string {
	if looksSecret.MatchString(s) {
		return "(a value that looks like a secret)"
	}
	return strconv.Quote(s)
}

func checkTokenID(s string) error {
	const want = "want USER@REALM!TOKENNAME, like proxaudit@pve!audit"
	switch {
	case tokenID.MatchString(s):
		return nil
	case strings.HasPrefix(s, "PVEAPIToken"):
		return errors.New("is a whole Authorization header: " + want + ", and the part behind the last '=' as the secret")
	case tokenSecret.MatchString(s):
		return errors.New("is a token's secret (a UUID), not its ID: are the two swapped? " + want)
	case strings.Contains(s, "!") && strings.Contains(s, "="):
		return errors.New("has the secret attached behind '=': " + want + ", and the part behind '=' as the secret")
	case strings.Contains(s, "@") && !strings.Contains(s, "!"):
		return errors.New("is a user without a token's name: " + want)
	case strings.Contains(s, "!") && !strings.Contains(s, "@"):
		return errors.New("lacks the realm: " + want)
	default:
		return errors.New("is no token ID: " + want)
	}
}

func checkSecret(s string) error {
	const want = "want the UUID that Proxmox showed when the token was made"
	switch {
	case strings.TrimSpace(s) == "":
		return errors.New("the secret is empty: " + want)
	case strings.HasPrefix(s, "PVEAPIToken"):
		return errors.New("is a whole Authorization header: " + want + ", which is the part behind the last '='")
	case tokenID.MatchString(s):
		return errors.New("is a token ID, not its secret: are the two swapped? " + want)
	case strings.Contains(s, "!") && strings.Contains(s, "="):
		return errors.New("has the token ID in front: " + want + ", which is the part behind '='")
	case strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r > '~' }):
		return errors.New("the secret has blanks, line breaks or other characters that no token has: " + want)
	default:
		return nil
	}
}

func checkURL(s string) error {
	const want = "want the API's address, like https://pve1.example.com:8006"
	u, err := url.Parse(s)
	switch {
	case err != nil:
		return errors.New("is no URL: " + want)
	case u.User != nil:
		return errors.New("has a user or password in it: put the token into tokenID and its secret; " + want)
	case u.Scheme != "https" && u.Scheme != "http":
		if strings.HasPrefix(s, "PVEAPIToken") || tokenSecret.MatchString(s) || tokenID.MatchString(s) {
			return errors.New("is a token or its secret: " + want)
		}
		return errors.New("does not begin with https://: " + want)
	case u.Hostname() == "":
		return errors.New("names no host: " + want)
	case u.RawQuery != "" || u.Fragment != "":
		return errors.New("has a query or a fragment: " + want)
	case u.Scheme == "http" && !isLoopback(u.Hostname()):
		return errors.New("would send the token unencrypted: use https:// (Proxmox VE serves nothing else)")
	}
	if path := strings.TrimSuffix(u.Path, "/"); path != "" && path != "/api2/json" {
		return fmt.Errorf("has a path: %s (with /api2/json or without)", want)
	}
	return nil
}

// isLoopback lets a tunnel's or a test server's plain HTTP through.
func isLoopback(host string) bool {
	if host == "localhost" {
		return true
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}
