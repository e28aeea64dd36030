package adopt

import (
	"cmp"
	"fmt"
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
	// problem says why there is none; empty if none was named.
	problem string
}

// findEndpoint takes kubeadm's own, else the address under which the API server was reached.
func findEndpoint(c *inventory.Cluster) endpoint {
	if c.Kubeadm != nil && c.Kubeadm.ControlPlaneEndpoint != "" {
		// Without a port kubeadm takes 6443 (kubeadm constants.go: KubeAPIServerPort).
		if e, ok := parseEndpoint(c.Kubeadm.ControlPlaneEndpoint, "6443"); ok && loopback(e.host) {
			// Each machine's own: a balancer on every Node, which no API shows. Another address may be right for controllers, but
			// not for the machines that join by what kubeadm-config says.
			return endpoint{problem: fmt.Sprintf("kubeadm-config says %s, which is each machine's own and leads no controller anywhere", c.Kubeadm.ControlPlaneEndpoint)}
		} else if ok {
			e.from = "kubeadm-config"
			return e
		}
	}
	// A URL without a port is one of HTTPS. A loopback address is a tunnel of whoever ran this, and nobody else's.
	if e, ok := parseEndpoint(strings.TrimPrefix(c.Server, "https://"), "443"); ok && !loopback(e.host) {
		e.from = "the kubeconfig"
		return e
	}
	return endpoint{problem: "neither kubeadm-config nor the kubeconfig names one"}
}

// loopback is true for what means another machine on each (RFC 6761 for names).
func loopback(host string) bool {
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	switch {
	case host == "localhost", host == "localhost.localdomain", host == "ip6-localhost", host == "ip6-loopback", strings.HasSuffix(host, ".localhost"):
		return true
	}
	a, err := netip.ParseAddr(host)
	a = a.Unmap().WithZone("")
	return err == nil && (a.IsLoopback() || a.IsUnspecified())
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
