package identity

import (
	"net"
	"net/netip"
	"net/url"
	"strings"

	"sigs.k8s.io/yaml"

	"github.com/proxaudit/proxaudit/inventory"
)

// services are the addresses on which clusters rest and that need not be a Node's: the API endpoint, which may be a load
// balancer's, and an external etcd. Whoever has one is not superfluous.
type services struct {
	byIP   map[netip.Addr]*service
	byName nameIndex[*service]
}

type service struct {
	cluster, what string
	// held is true if a Node of the cluster has the address or name.
	held bool
}

func servicesOf(clusters []inventory.Cluster) services {
	out := services{byIP: map[netip.Addr]*service{}, byName: newNameIndex[*service]()}
	for i := range clusters {
		c := &clusters[i]
		out.add(c.Server, c.Key, "the address of its API server")
		if d := c.Declared; d != nil {
			out.add(d.ControlPlaneEndpoint, c.Key, "its controlPlaneEndpoint")
			if d.Infrastructure != nil {
				out.add(d.Infrastructure.ControlPlaneEndpoint, c.Key, "its controlPlaneEndpoint")
			}
		}
		if k := c.Kubeadm; k != nil {
			out.add(k.ControlPlaneEndpoint, c.Key, "its controlPlaneEndpoint")
			for _, e := range externalEtcd(k.ClusterConfiguration) {
				out.add(e, c.Key, "an endpoint of its external etcd")
			}
		}
	}
	return out
}

// heldByNodes notes which of them a Node of the cluster has: its machine serves there, and another with its address or name is
// a copy of it. A Node of another cluster proves nothing: private addresses and short names repeat.
func (j *judge) heldByNodes(g *Graph) {
	note := func(s *service, ok bool, cluster string) {
		if ok && j.nodesKey(s.cluster) == cluster {
			s.held = true
		}
	}
	byName := func(name, cluster string) {
		s, ok := j.services.byName.get(name)
		note(s, ok, cluster)
	}
	for i := range j.s.Nodes {
		n := &j.s.Nodes[i]
		for _, ip := range n.InternalIPs {
			a, _ := parseAddress(ip)
			s, ok := j.services.byIP[a]
			note(s, ok, n.Cluster)
		}
		byName(n.Name, n.Cluster)
		for _, vm := range g.Entities[g.byNode[i]].VMs {
			byName(j.s.VMs[vm].Name, n.Cluster)
		}
	}
	// The Node's machine may have further addresses.
	for a, s := range j.services.byIP {
		for _, vm := range j.vmByIP.get(a.As16()) {
			for _, n := range g.Entities[g.byVM[vm]].Nodes {
				note(s, true, j.s.Nodes[n].Cluster)
			}
		}
	}
}

// externalEtcd reads etcd.external.endpoints of a kubeadm ClusterConfiguration (kubernetes.io: kubeadm-config v1beta3 and
// v1beta4).
func externalEtcd(document string) []string {
	if !strings.Contains(document, "external") {
		return nil
	}
	var c struct {
		Etcd struct {
			External struct {
				Endpoints []string `json:"endpoints"`
			} `json:"external"`
		} `json:"etcd"`
	}
	if yaml.Unmarshal([]byte(document), &c) != nil {
		// It was stored by somebody else, and says nothing then.
		return nil
	}
	return c.Etcd.External.Endpoints
}

// add takes a URL or HOST:PORT. Loopback is nobody's address.
func (s *services) add(endpoint, cluster, what string) {
	host := endpoint
	if u, err := url.Parse(endpoint); err == nil && u.Host != "" {
		host = u.Host
	}
	if h, _, err := net.SplitHostPort(host); err == nil {
		host = h
	}
	if a, _ := parseAddress(strings.Trim(host, "[]")); a.IsValid() {
		if _, known := s.byIP[a]; !known && !a.IsLoopback() && !a.IsUnspecified() {
			s.byIP[a] = &service{cluster: cluster, what: what}
		}
		return
	}
	if host != "localhost" {
		s.byName.add(host, &service{cluster: cluster, what: what})
	}
}

// allAddresses are a VM's, with virtual ones and those of interfaces that the configuration does not show: a load balancer
// holds its address so.
func allAddresses(vm *inventory.VM) []netip.Addr {
	out := vmIPs(vm)
	if vm.Agent != nil {
		for _, ifc := range vm.Agent.Interfaces {
			out = append(out, addressesOf(ifc.Addresses)...)
		}
	}
	return out
}

// addressesOf reads those of some texts that are addresses.
func addressesOf(texts []string) []netip.Addr {
	var out []netip.Addr
	for _, s := range texts {
		if a, _ := parseAddress(s); a.IsValid() {
			out = append(out, a)
		}
	}
	return out
}

// serviceOf is the evidence that a cluster rests on a VM, or nil: KindIP if an address is the VM's, KindEndpoint if the
// name is.
func (j *judge) serviceOf(vm *inventory.VM) *Evidence {
	from := inventory.VMSubject(vm.Key())
	if len(j.services.byIP) > 0 {
		for _, ip := range allAddresses(vm) {
			if s, ok := j.services.byIP[ip]; ok && !s.held && j.atHome(s.cluster, vm.Site) {
				return &Evidence{Kind: KindIP, Strength: Supporting, From: from, To: clusterSubject(s.cluster),
					Left: ip.String(), Right: ip.String(), Note: s.what}
			}
		}
	}
	if s, ok := j.services.byName.get(vm.Name); ok && !s.held && j.atHome(s.cluster, vm.Site) {
		return &Evidence{Kind: KindEndpoint, Strength: Hint, From: from, To: clusterSubject(s.cluster),
			Left: vm.Name, Right: vm.Name, Note: s.what}
	}
	return nil
}
