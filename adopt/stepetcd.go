package adopt

import (
	"cmp"
	"fmt"
	"net/netip"
	"path"
	"slices"
	"strings"

	"github.com/proxaudit/proxaudit/adopt/pki"
	"github.com/proxaudit/proxaudit/inventory/shell"
)

// members keeps a snapshot of etcd, and shows its members, before a controller may remove some of them.
func (k commander) members(s *Step, planes []*member) {
	config := k.p.kubeadm.config
	dir := cmp.Or(config.CertificatesDir, pki.DefaultDir)
	etcdctl := func(words ...string) string {
		return k.workload(slices.Concat([]string{"-n", "kube-system", "exec", "etcd-" + planes[0].node.Name, "--", "etcdctl", "--cacert=" + path.Join(dir, "etcd/ca.crt"),
			"--cert=" + path.Join(dir, "etcd/peer.crt"), "--key=" + path.Join(dir, "etcd/peer.key")}, words)...)
	}
	// The Pod shares this folder with its node.
	name := k.p.name + "-before-adoption.db"
	remote := path.Join(cmp.Or(config.Etcd.Local.DataDir, "/var/lib/etcd"), name)
	host := planes[0].host()
	s.Before = []string{
		"# keeps a snapshot of etcd here: every Secret of the cluster is in it",
		etcdctl("snapshot", "save", remote) + " && (umask 077 && scp " + shell.Quote(pki.Remote(host, remote)) + " " + shell.Quote(name) + ") && ssh " +
			shell.Quote(pki.Login(host)) + " " + shell.Quote("rm -f -- "+shell.Quote(remote)),
		"# shows the members of etcd",
		etcdctl("member", "list")}
	var names []string
	for _, m := range planes {
		names = append(names, m.node.Name)
	}
	slices.Sort(names)
	s.StopIf = fmt.Sprintf("the snapshot is not here, or the names of the members are not exactly %s: any other member would be removed", strings.Join(names, ", "))
}

// host is an address of the machine; empty if it has none. It is the Node's own word, and goes into commands: only what is an address.
func (m *member) host() string {
	for _, text := range m.node.InternalIPs {
		if a, err := netip.ParseAddr(text); err == nil && a.Zone() == "" {
			return a.String()
		}
	}
	return ""
}
