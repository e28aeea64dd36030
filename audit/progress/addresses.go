package progress

import (
	"cmp"
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/proxaudit/proxaudit/inventory"
)

// addresses says why a ProxmoxMachine has no addresses yet: which of its claims is not met, and whether its pool has any left. The in-cluster
// provider writes no condition into a claim: one that is met names its IPAddress (cluster-api-ipam-provider-in-cluster v1.1.0).
func (x *walk) addresses(b *Baton, pm *inventory.ProxmoxMachine) {
	met := 0
	for _, o := range x.claims[pm.Namespace] {
		if !ownedBy(o, "ProxmoxMachine", pm.Name) {
			continue
		}
		if field(o, "status", "addressRef", "name") != "" {
			met++
			continue
		}
		claim := inventory.Ref{Group: groupIPAM, Kind: "IPAddressClaim", Namespace: o.Namespace, Name: o.Name}
		if p := x.pausedBy(b.Phase, claim, x.meta(&claim)); p != nil {
			*b = *p
			return
		}
		b.Object, b.Holder = claim, IPAM
		// The condition is the ProxmoxMachine's: neither the claim nor the pool has it.
		if c := b.Condition; c != nil {
			b.Evidence = append(b.Evidence, fmt.Sprintf("ProxmoxMachine %s: %s is %s (%s)", pm.Name, c.Type, c.Status, c.Reason))
			b.Condition = nil
		}
		b.Detail = "the claim " + o.Name + " of the ProxmoxMachine " + pm.Name + " has no address yet"
		x.pool(b, o)
		if c := unmet(x.meta(&claim), "Ready"); c != nil && b.Cause == CauseAddressWait {
			how, _ := x.byCondition(b.Phase, claim, c)
			b.Holder, b.Cause, b.Condition, b.Next, b.Remedy = how.Holder, how.Cause, c, how.Next, how.Remedy
			b.Detail += ": " + how.Detail
		}
		return
	}
	if !x.known("IPAddressClaim", groupIPAM) {
		return
	}
	b.Holder, b.Detail = Infrastructure, "it waits for its addresses, and CAPMOX has made no claim for one"
	b.Next, b.Remedy = "CAPMOX makes the claims", "See CAPMOX's log: it finds no pool to claim from, or the network devices lack what they need."
	if met > 0 {
		b.Detail = fmt.Sprintf("it waits for its addresses, though each of its %d claims has one", met)
		b.Next, b.Remedy = "CAPMOX takes them over", "See CAPMOX's log."
	}
}

const groupIPAM = "ipam.cluster.x-k8s.io"

// pool looks at the pool that a claim names.
func (x *walk) pool(b *Baton, claim *inventory.Object) {
	ref := inventory.Ref{Group: cmp.Or(field(claim, "spec", "poolRef", "apiGroup"), groupIPAM), Kind: field(claim, "spec", "poolRef", "kind"), Namespace: claim.Namespace, Name: field(claim, "spec", "poolRef", "name")}
	if ref.Kind == "GlobalInClusterIPPool" {
		ref.Namespace = ""
	}
	if ref.Name == "" {
		return
	}
	o := x.objects[keyOf(ref)]
	if o == nil {
		if x.known(ref.Kind, ref.Group) {
			b.Cause, b.Holder, b.Next = CausePoolMissing, Person, ""
			b.Detail += ": there is no " + ref.Kind + " " + ref.Name
			b.Remedy = "Make the pool. CAPMOX makes NAME-v4-icip from the addresses in the ProxmoxCluster."
		}
		return
	}
	free, found, err := unstructured.NestedFieldNoCopy(o.Content, "status", "ipAddresses", "free")
	if n, ok := number(free); err == nil && found && ok && n == 0 {
		b.Cause, b.Holder, b.Next, b.Object = CausePoolExhausted, Person, "", ref
		b.Detail += ": the pool " + ref.Name + " has none left"
		b.Remedy = "Put more addresses into the pool (of a ProxmoxCluster's own: spec.ipv4Config.addresses there), or delete machines that hold some."
	}
}

func number(v any) (int64, bool) {
	switch n := v.(type) {
	case int64:
		return n, true
	case float64:
		return int64(n), true
	default:
		return 0, false
	}
}

func field(o *inventory.Object, path ...string) string {
	v, _, err := unstructured.NestedString(o.Content, path...)
	if err != nil {
		return ""
	}
	return v
}

func ownedBy(o *inventory.Object, kind, name string) bool {
	refs, _, err := unstructured.NestedSlice(o.Content, "metadata", "ownerReferences")
	if err != nil {
		return false
	}
	for _, r := range refs {
		if ref, ok := r.(map[string]any); ok && ref["kind"] == kind && ref["name"] == name {
			return true
		}
	}
	return strings.HasPrefix(o.Name, name+"-") && len(refs) == 0
}
