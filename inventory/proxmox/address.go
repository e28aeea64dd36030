package proxmox

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"strings"
)

// apiPath is where every Proxmox VE API answers in JSON.
const apiPath = "/api2/json"

// parseURL completes and checks the API's address. Its errors never show the address if there may be a password in
// it.
func parseURL(raw string, insecure bool) (*url.URL, error) {
	raw = strings.TrimSpace(raw)
	if raw == "" {
		return nil, errors.New("the Proxmox URL is empty: want https://HOST:8006")
	}
	if strings.Contains(raw, "@") {
		return nil, errors.New("the Proxmox URL holds user information (an @): leave it out, and give the token's ID and secret apart")
	}
	if !strings.Contains(raw, "://") {
		return nil, fmt.Errorf("the Proxmox URL %q has no scheme: want https://%s", raw, raw)
	}
	u, err := url.Parse(raw)
	if err != nil {
		return nil, fmt.Errorf("the Proxmox URL cannot be read: %w", err)
	}
	switch {
	case u.Scheme != "https" && u.Scheme != "http":
		return nil, fmt.Errorf("the Proxmox URL %q has the scheme %q: want https://HOST:8006", raw, u.Scheme)
	case u.Hostname() == "":
		return nil, fmt.Errorf("the Proxmox URL %q names no host: want https://HOST:8006", raw)
	case u.RawQuery != "" || u.Fragment != "":
		return nil, fmt.Errorf("the Proxmox URL %q has a query or fragment (the web interface's address?): want https://HOST:8006", raw)
	case u.Scheme == "http" && !insecure && !loopback(u.Hostname()):
		return nil, fmt.Errorf("the Proxmox URL %q is plain HTTP, which would show the token to everyone on the way: use https (or say that this is insecure and meant)", raw)
	}
	path := strings.TrimRight(u.Path, "/")
	path = strings.TrimSuffix(path, apiPath)
	if strings.HasSuffix(path, "/api2") {
		path = strings.TrimSuffix(path, "/api2")
	} else if strings.Contains(path, "/api2/") {
		return nil, fmt.Errorf("the Proxmox URL %q goes to a part of the API: want https://HOST:8006", raw)
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
