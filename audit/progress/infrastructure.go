package progress

import (
	"fmt"
	"github.com/proxaudit/proxaudit/inventory"
	"strings"
)

// infrastructure is the first phase.
func (x *walk) infrastructure() {
	const phase = PhaseInfrastructure
	d := x.d
	switch {
	case d.InfrastructureReady:
		evidence := "InfrastructureReady"
		if e := d.ControlPlaneEndpoint; e != "" {
			evidence += ", endpoint " + e
		}
		x.phase(phase, Done, evidence)
		x.infrastructureLost()
		return
	case d.InfrastructureRef == nil:
		if c := unmet(&d.Meta, "TopologyReconciled"); c != nil {
			b, _ := x.byCondition(phase, x.ref, c)
			x.add(b, &d.Meta)
			return
		}
		b := x.hold(phase, x.ref, CauseObjectMissing, "spec.infrastructureRef is not set")
		b.Holder, b.Remedy = Person, "Name the ProxmoxCluster in it. A Cluster with a ClusterClass gets it from the topology controller."
		x.add(b, &d.Meta)
		return
	case d.InfrastructureRef.Kind != "ProxmoxCluster":
		b := x.hold(phase, *d.InfrastructureRef, CauseCondition, "its infrastructure is a %s, which is another provider's", d.InfrastructureRef.Kind)
		b.Holder = Other
		x.word(b, &d.Meta, "InfrastructureReady")
		x.add(b, &d.Meta)
		return
	}
	pc := d.Infrastructure
	if pc == nil {
		x.missing(phase, *d.InfrastructureRef, "the Cluster names it as its infrastructure")
		return
	}
	m, ref := &pc.Meta, *d.InfrastructureRef
	if b := x.pausedBy(phase, ref, m); b != nil {
		x.add(b, m)
		return
	}
	if m.Owner(inventory.GroupCluster, "Cluster") == nil {
		b := x.hold(phase, ref, CauseOwnerMissing, "the Cluster's controller has not made the Cluster its owner, and CAPMOX waits for that")
		b.Holder, b.Next, b.Since = Core, "the core controller looks at the Cluster", m.CreatedAt
		b.Remedy = "See the core controller's log. A Cluster that names another ProxmoxCluster never owns this one."
		x.add(b, m)
		return
	}
	c := unmet(m, "ProxmoxAvailable", "ClusterReady", "Ready")
	switch {
	case c != nil:
		b, _ := x.byCondition(phase, ref, c)
		x.add(b, m)
	case pc.Ready:
		b := x.hold(phase, x.ref, CauseNotLooked, "the ProxmoxCluster is ready, and the Cluster does not say so yet")
		b.Next, b.Since = "the core controller looks at it", latest(m)
		x.add(b, &d.Meta)
	default:
		b := x.notLooked(phase, ref, m)
		x.credentials(b, pc)
		x.add(b, m)
	}
}

// credentials says of a ProxmoxCluster on which CAPMOX has said nothing whether it has the Secret for logging in to Proxmox: a Secret that is
// missing is in its log alone (pkg/scope/cluster.go: setupProxmoxClient).
func (x *walk) credentials(b *Baton, pc *inventory.ProxmoxCluster) {
	namespace, name, ok := strings.Cut(pc.CredentialsSecret, "/")
	if !ok {
		return
	}
	for i := range x.s.StoredSecrets {
		s := &x.s.StoredSecrets[i]
		if s.Namespace != namespace || s.Name != name {
			continue
		}
		if s.Absent {
			b.Cause, b.Holder, b.Next, b.Object = CauseCredentials, Person, "", inventory.Ref{Kind: "Secret", Namespace: namespace, Name: name}
			b.Detail = fmt.Sprintf("there is no Secret %s, which the ProxmoxCluster %s names for CAPMOX's access to Proxmox", name, pc.Name)
			b.Remedy = "Make the Secret, with the keys url, token and secret."
			b.Commands = []string{x.management("-n", namespace, "get", "secrets")}
		}
		return
	}
	b.Evidence = append(b.Evidence, fmt.Sprintf("it names the Secret %s for CAPMOX's access to Proxmox, and nobody looked whether that is there (--read-secrets)", pc.CredentialsSecret))
}
