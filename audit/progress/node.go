package progress

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/proxaudit/proxaudit/inventory"
)

// tokenLife is how long a bootstrap token of the kubeadm provider lives. It is renewed until the Machine's infrastructure is ready, and not
// after (cluster-api bootstrap/kubeadm/controllers: DefaultTokenTTL, refreshBootstrapTokenIfNeeded).
const tokenLife = 15 * time.Minute

// node is done if the Machine has its Node.
func (x *walk) node(m *inventory.Machine, at stages) (done, waits bool) {
	if m.NodeRef != "" {
		return x.nodeThere(m, at), false
	}
	ref := machineRef(m)
	nodes := x.nodes[x.cluster.Key]
	source := inventory.ClusterSource(x.cluster.Key)
	if !x.s.Known(source, inventory.ScopeNodes) {
		x.add(x.nodesUnseen(m, at), &m.Meta)
		return false, false
	}
	for _, n := range nodes {
		if n.ProviderID == m.ProviderID {
			if c := unmet(&x.d.Meta, "RemoteConnectionProbe"); c != nil && x.initialized() {
				x.add(x.unreachable(at.node, c), &x.d.Meta)
				return false, false
			}
			b := x.hold(at.node, ref, CauseNotLooked, "the Node %s has its providerID, and the Machine does not say so yet", n.Name)
			b.Next, b.Since = "the core controller finds it", n.CreatedAt
			x.add(b, &m.Meta)
			return false, false
		}
	}
	if n, why := x.nearMiss(m, nodes); n != nil {
		x.add(x.mismatch(m, at, n, why), &m.Meta)
		return false, false
	}
	x.add(x.noNode(m, at), &m.Meta)
	return false, false
}

// nearMiss is the Node that is most likely the Machine's, though its providerID says otherwise, and how that is known.
func (x *walk) nearMiss(m *inventory.Machine, nodes []*inventory.Node) (*inventory.Node, string) {
	for _, n := range nodes {
		if strings.EqualFold(n.ProviderID, m.ProviderID) {
			return n, "they differ in upper and lower case only"
		}
	}
	if e := x.graph.Of(inventory.Subject{Kind: inventory.SubjectMachine, Scope: m.Namespace, Name: m.Name}); e != nil && len(e.Nodes) == 1 {
		if n := &x.s.Nodes[e.Nodes[0]]; n.Cluster == x.cluster.Key {
			return n, "the Node runs in the Machine's VM"
		}
	}
	uuid := strings.TrimPrefix(m.ProviderID, "proxmox://")
	for _, n := range nodes {
		switch {
		case uuid != "" && n.SystemUUID != "" && strings.EqualFold(n.SystemUUID, uuid):
			return n, "the Node has the VM's UUID"
		case n.Name == m.Name:
			return n, "the Node has the Machine's name"
		}
	}
	return nil, ""
}

// mismatch is for a Node that does not have the providerID by which the Machine looks for it.
func (x *walk) mismatch(m *inventory.Machine, at stages, n *inventory.Node, why string) *Baton {
	b := &Baton{Phase: at.node, Holder: Person, Object: inventory.Ref{Kind: "Node", Name: n.Name}, Cluster: x.cluster.Key, Since: n.CreatedAt,
		Commands: []string{x.workload(x.cluster, "get", "node", n.Name, "-o", "jsonpath={.spec.providerID}"), x.workload(x.cluster, "describe", "node", n.Name)}}
	if n.ProviderID == "" {
		b.Cause = CauseNodeProviderID
		b.Detail = fmt.Sprintf("the Node %s has no providerID, and the Machine %s looks for %s (%s)", n.Name, m.Name, m.ProviderID, why)
		patch, err := json.Marshal(map[string]any{"spec": map[string]string{"providerID": m.ProviderID}})
		if err != nil {
			panic("unreachable: strings are JSON")
		}
		b.Remedy = "The kubelet gets it by --provider-id (kubeletExtraArgs of the KubeadmConfig), or a cloud provider sets it. Once, by a command that CHANGES the Node: " +
			x.workload(x.cluster, "patch", "node", n.Name, "-p", string(patch)) + ". It cannot be changed afterwards."
		return b
	}
	b.Cause = CauseProviderIDMismatch
	b.Detail = fmt.Sprintf("the Node %s has the providerID %s, and the Machine %s looks for %s (%s)", n.Name, n.ProviderID, m.Name, m.ProviderID, why)
	b.Remedy = "A Node's providerID cannot be changed. First see who wrote it (a cloud controller, or --provider-id of the kubelet) and have that write CAPMOX's form, or each new machine comes up the same (the Proxmox cloud controller manager does with provider=capmox). Then delete the Node and restart its kubelet, or replace the Machine."
	return b
}

// noNode is for a Machine whose VM is up and has not joined.
func (x *walk) noNode(m *inventory.Machine, at stages) *Baton {
	ref := machineRef(m)
	up := x.upSince(m)
	first := m.ControlPlane && !x.initialized()
	b := x.hold(at.node, ref, CauseNoNode, "its VM is up and has not joined the cluster: no Node has the providerID %s", m.ProviderID)
	b.Holder, b.Since, b.Next = Kubelet, up, "the kubelet in the VM registers its Node"
	b.Remedy = "Look into the VM (its console): /var/log/cloud-init-output.log, and journalctl -u kubelet."
	talos := m.BootstrapRef != nil && m.BootstrapRef.Kind == "TalosConfig"
	if talos {
		b.Remedy = "Ask Talos itself: talosctl -n ADDRESS dmesg, and talosctl -n ADDRESS services."
	}
	if first {
		b.Cause, b.Next = CauseNotInitialized, "kubeadm init in the VM ends"
		b.Detail = "its VM is up, and kubeadm has not initialised the control plane there yet"
		if talos {
			b.Next, b.Detail = "Talos boots, and the control-plane provider bootstraps etcd there", "its VM is up, and Talos has not initialised the control plane there yet"
			if g := x.plane(); g != nil {
				if c := unmet(&g.Meta, "Available"); c != nil {
					if said, passes := x.byCondition(at.node, groupRef(g), c); !passes && said.Cause != CauseCondition {
						return said
					}
				}
			}
		}
	} else if up != nil && x.s.CollectedAt.Sub(*up) > tokenLife && m.BootstrapRef != nil && m.BootstrapRef.Kind == "KubeadmConfig" {
		b.Cause, b.Holder, b.Next = CauseJoinExpired, Person, ""
		b.Detail += fmt.Sprintf("; its join token is not renewed since the VM is up, and lives %s", tokenLife)
		b.Remedy = "Look into the VM first (its console, /var/log/cloud-init-output.log). It cannot join any more with that token: delete the Machine, so that its owner makes another one."
	}
	if pm := x.infra[keyOf(*orRef(m.InfrastructureRef))]; pm != nil {
		x.guest(b, pm)
	}
	return b
}

// upSince is when the Machine's infrastructure became ready.
func (x *walk) upSince(m *inventory.Machine) *time.Time {
	if c := condition(&m.Meta, "InfrastructureReady"); c != nil && c.Since != nil {
		return c.Since
	}
	return latest(&m.Meta)
}

// nodesUnseen is for a Machine that looks for its Node in a cluster whose Nodes proxaudit has not seen.
func (x *walk) nodesUnseen(m *inventory.Machine, at stages) *Baton {
	if c := unmet(&x.d.Meta, "RemoteConnectionProbe"); c != nil && x.initialized() {
		return x.unreachable(at.node, c)
	}
	b := x.noNode(m, at)
	if c := unmet(&m.Meta, "NodeHealthy", "NodeReady"); c != nil && c.Message != "" {
		b.Evidence = append(b.Evidence, "the Machine says: "+c.Message)
	}
	if x.initialized() {
		b.Evidence = append(b.Evidence, "the cluster's Nodes were not seen: one of them may be its own, with another providerID")
	}
	return b
}

// unreachable is for a cluster that its controllers do not reach.
func (x *walk) unreachable(phase PhaseID, c *inventory.Condition) *Baton {
	b := x.hold(phase, x.ref, CauseEndpointUnreachable, "the controllers do not reach the cluster's API server at %s", x.d.ControlPlaneEndpoint)
	b.Condition, b.Since, b.Next = c, c.Since, "the controllers reach it again"
	// A controller that starts has not reached it yet either.
	if c.Since == nil || x.s.CollectedAt.Sub(*c.Since) >= x.grace {
		b.Holder, b.Next = Person, ""
	}
	b.Remedy = "See that the endpoint (kube-vip, a balancer) is up and that the management cluster reaches it."
	return b
}

// nodeThere is false if a Machine's Node is gone.
func (x *walk) nodeThere(m *inventory.Machine, at stages) bool {
	if !x.s.Known(inventory.ClusterSource(x.cluster.Key), inventory.ScopeNodes) {
		return true
	}
	for _, n := range x.nodes[x.cluster.Key] {
		if n.Name == m.NodeRef {
			return true
		}
	}
	b := x.hold(at.node, machineRef(m), CauseNodeGone, "its Node %s is not in the cluster any more", m.NodeRef)
	b.Holder, b.Remedy = Person, "If the VM still runs, its kubelet registers the Node again. Else delete the Machine: its owner makes another one."
	if c := unmet(&m.Meta, "NodeHealthy", "NodeReady"); c != nil {
		b.Condition, b.Since = c, c.Since
	}
	x.add(b, &m.Meta)
	return false
}
