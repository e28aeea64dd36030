package adopt

import (
	"cmp"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"unicode"

	"go4.org/netipx"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/proxaudit/proxaudit/adopt/addresspool"
)

// OptionProblem is something about the options themselves that no Snapshot makes right.
type OptionProblem struct {
	// Option is the name of the flag, without dashes.
	Option string
	Text   string
}

// Check is what is wrong with the options, whatever the Snapshot says.
func (o *Options) Check() []OptionProblem {
	var out []OptionProblem
	for _, x := range []struct{ option, name string }{{"target-name", o.Name}, {"target-namespace", o.Namespace}} {
		if x.name != "" && len(validation.IsDNS1123Label(x.name)) > 0 {
			out = append(out, OptionProblem{x.option, fmt.Sprintf("%q is no DNS-1123 label: lower-case letters, digits and \"-\", 63 characters at most", x.name)})
		}
	}
	for _, x := range []struct{ option, version, like string }{{"capi-version", o.CAPIVersion, ProvenCAPI}, {"capmox-version", o.CAPMOXVersion, ProvenCAPMOX}} {
		if x.version != "" && parseVersion(x.version) == nil {
			out = append(out, OptionProblem{x.option, fmt.Sprintf("%q is no version: want one like %s", x.version, x.like)})
		}
	}
	return append(out, o.Future.check(cmp.Or(o.Name, o.Cluster))...)
}

// check is for options, and for what was made of them and the Snapshot: whatever is not given is not judged.
func (f *Future) check(cluster string) []OptionProblem {
	var out []OptionProblem
	add := func(option, format string, args ...any) {
		out = append(out, OptionProblem{option, fmt.Sprintf(format, args...)})
	}
	for _, d := range f.DNSServers {
		if a, err := netip.ParseAddr(d); err != nil || a.Zone() != "" {
			add("dns", "%q is no address", d)
		}
	}
	if s := f.CredentialsSecret; s != "" {
		switch {
		case len(validation.IsDNS1123Subdomain(s)) > 0:
			add("credentials-secret", "%q is no name of a Secret: lower-case letters, digits, \"-\" and \".\"", s)
		case slices.Contains(ownSecrets(cluster), s):
			add("credentials-secret", "%q is one of the cluster's own Secrets, which holds something else", s)
		}
	}
	set := f.checkAddresses(add)
	f.checkNetwork(set, add)
	return out
}

// ownSecrets are those that Cluster API looks for by their names (cluster-api util/secret).
func ownSecrets(cluster string) []string {
	var out []string
	for _, purpose := range []string{"ca", "etcd", "proxy", "sa", "kubeconfig", "apiserver-etcd-client"} {
		out = append(out, cluster+"-"+purpose)
	}
	return out
}

// checkAddresses judges the addresses one by one, and returns all of them; nil if they are none that go together.
func (f *Future) checkAddresses(add func(option, format string, args ...any)) *netipx.IPSet {
	const option = "addresses"
	var b netipx.IPSetBuilder
	bad := false
	for i, text := range f.Addresses {
		set, err := addresspool.Parse([]string{text})
		switch {
		case strings.ContainsFunc(text, unicode.IsSpace):
			add(option, "%q has a blank in it: each address, range (FIRST-LAST) or CIDR is an option of its own", text)
		case err != nil:
			add(option, "%v", err)
		case mapped(text):
			add(option, "%q has IPv4 addresses in IPv6 form: write them as IPv4", text)
		case overlaps(&b, set):
			add(option, "%q has addresses that stand before it already: %q", text, f.Addresses[:i])
		default:
			b.AddSet(set)
			continue
		}
		bad = true
	}
	all, err := b.IPSet()
	if err != nil || bad || len(f.Addresses) == 0 {
		return nil
	}
	if addresspool.Family(all) == 0 {
		add(option, "%q are of two families: give those of one", f.Addresses)
		return nil
	}
	return all
}

func overlaps(b *netipx.IPSetBuilder, set *netipx.IPSet) bool {
	so, err := b.IPSet()
	return err == nil && so.Overlaps(set)
}

// checkNetwork judges the prefix and the gateway, as far as they are known, by the addresses. set is nil if those are not.
func (f *Future) checkNetwork(set *netipx.IPSet, add func(option, format string, args ...any)) {
	gateway, err := netip.ParseAddr(f.Gateway)
	if f.Gateway != "" && (err != nil || gateway.Zone() != "") {
		add("gateway", "%q is no address", f.Gateway)
	}
	known := f.Gateway != "" && err == nil
	most := 128
	if set != nil && addresspool.Family(set) == 4 {
		most = 32
	}
	if f.Prefix < 0 || f.Prefix > most {
		add("prefix", "%d is no length of such a network's prefix: 1 to %d", f.Prefix, most)
		return
	}
	if set == nil {
		return
	}
	if known && gateway.Is4() != (addresspool.Family(set) == 4) {
		add("gateway", "%s is no IPv%d address, as the addresses are", gateway, addresspool.Family(set))
		return
	}
	if f.Prefix == 0 {
		return
	}
	ranges := set.Ranges()
	network, err := ranges[0].From().Prefix(f.Prefix)
	if err != nil {
		add("prefix", "%d: %v", f.Prefix, err)
		return
	}
	if last := ranges[len(ranges)-1].To(); !network.Contains(last) {
		add("prefix", "with %d bits %s and %s are not in one network", f.Prefix, ranges[0].From(), last)
		return
	}
	// A router may well be known by its link-local address alone.
	if known && !network.Contains(gateway) && !gateway.IsLinkLocalUnicast() {
		add("gateway", "%s is not in the network of the addresses, %s", gateway, network)
	}
}
