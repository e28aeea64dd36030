package adopt

import (
	"cmp"
	"net/netip"
	"strconv"
	"strings"

	"github.com/proxaudit/proxaudit/inventory"
)

// endpoint is the control plane's address for everybody outside.
type endpoint struct {
	host string
	port int32
	// from says where it was found.
	from string
}

// findEndpoint takes kubeadm's own, else the address under which the API server was reached.
func findEndpoint(c *inventory.Cluster) endpoint {
	if c.Kubeadm != nil && c.Kubeadm.ControlPlaneEndpoint != "" {
		// Without a port kubeadm takes 6443 (kubeadm constants.go: KubeAPIServerPort).
		if e, ok := parseEndpoint(c.Kubeadm.ControlPlaneEndpoint, "6443"); ok {
			e.from = "kubeadm-config"
			return e
		}
	}
	// A URL without a port is one of HTTPS. A loopback address is a tunnel of whoever ran this, and nobody else's.
	if e, ok := parseEndpoint(strings.TrimPrefix(c.Server, "https://"), "443"); ok && !loopback(e.host) {
		e.from = "the kubeconfig"
		return e
	}
	return endpoint{}
}

func loopback(host string) bool {
	a, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && (a.IsLoopback() || a.IsUnspecified())
}

func parseEndpoint(s, usualPort string) (endpoint, bool) {
	s, _, _ = strings.Cut(s, "/")
	host, port := s, ""
	if i := strings.LastIndexByte(s, ':'); i >= 0 && (strings.HasSuffix(s[:i], "]") || strings.Count(s, ":") == 1) {
		host, port = s[:i], s[i+1:]
	}
	host = strings.Trim(host, "[]")
	n, err := strconv.ParseInt(cmp.Or(port, usualPort), 10, 32)
	if host == "" || err != nil || n < 1 || n > 65535 {
		return endpoint{}, false
	}
	return endpoint{host: host, port: int32(n)}, true
}
