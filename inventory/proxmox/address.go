package proxmox

import (
	"errors"
	"net"
	"net/url"
	"strings"
)

// apiPath is where every Proxmox VE API answers in JSON.
const apiPath = "/api2/json"

const wantURL = "want https://HOST:8006"

// CheckURL refuses an address that New would not take. Only who says insecure may use plain HTTP beyond this machine.
func CheckURL(raw string, insecure bool) error {
	_, err := parseURL(raw, insecure)
	return err
}

// parseURL completes and checks the API's address. Its errors go behind the name of the place where it stands.
func parseURL(raw string, insecure bool) (*url.URL, error) {
	raw = strings.TrimSpace(raw)
	if raw == "" {
		return nil, errors.New("is empty: " + wantURL)
	}
	if uuidShape.MatchString(raw) || strings.HasPrefix(raw, "PVEAPIToken") || tokenID.MatchString(raw) {
		return nil, errors.New("is a token or its secret: " + wantURL)
	}
	if strings.Contains(raw, "@") {
		return nil, errors.New("has a user or password in it (an @): leave it out, and give the token's ID and secret apart")
	}
	if !strings.Contains(raw, "://") {
		return nil, errors.New("does not begin with https://: " + wantURL)
	}
	u, err := url.Parse(raw)
	if err != nil {
		return nil, errors.New("cannot be read as a URL: " + wantURL)
	}
	switch {
	case u.Scheme != "https" && u.Scheme != "http":
		return nil, errors.New("does not begin with https://: " + wantURL)
	case u.Hostname() == "":
		return nil, errors.New("names no host: " + wantURL)
	case u.RawQuery != "" || u.Fragment != "":
		return nil, errors.New("has a query or fragment (the web interface's address?): " + wantURL)
	case u.Scheme == "http" && !insecure && !loopback(u.Hostname()):
		return nil, errors.New("is plain HTTP, which would show the token to everyone on the way: use https")
	}
	path := strings.TrimRight(u.Path, "/")
	path = strings.TrimSuffix(path, apiPath)
	if strings.HasSuffix(path, "/api2") {
		path = strings.TrimSuffix(path, "/api2")
	} else if strings.Contains(path, "/api2/") {
		return nil, errors.New("goes to a part of the API: " + wantURL)
	}
	return &url.URL{Scheme: u.Scheme, Host: u.Host, Path: path + apiPath}, nil
}

func loopback(host string) bool {
	if host == "localhost" {
		return true
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}
