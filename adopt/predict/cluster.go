package predict

import (
	"fmt"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/cluster-api/util/annotations"

	"github.com/proxaudit/proxaudit/adopt"
	"github.com/proxaudit/proxaudit/adopt/addresspool"
	"github.com/proxaudit/proxaudit/inventory"
)

func (w *world) clusterObjects() {
	w.say(adopt.ControllerCluster, w.self.ref, w.judgeCluster())
	for _, c := range w.infra {
		if c == w.infraCluster() || c.clusterOf() == w.name {
			w.say(adopt.ControllerProxmoxCluster, c.ref, w.judgeInfra(c))
		}
	}
}

// infraCluster is the ProxmoxCluster that the Cluster refers to, or nil.
func (w *world) infraCluster() *infraObject {
	if text(w.self.raw, "spec", "infrastructureRef", "kind") != kindProxmoxCluster.kind {
		return nil
	}
	return find(w.infra, text(w.self.raw, "spec", "infrastructureRef", "name"))
}

// judgeCluster is the Cluster controller (cluster-api core/reconcilers/cluster/cluster_controller_phases.go).
func (w *world) judgeCluster() verdict {
	if w.self.problem != "" {
		return w.self.unreadable()
	}
	c := &w.self.value
	infra, plane := c.Spec.InfrastructureRef, c.Spec.ControlPlaneRef
	switch {
	case !c.DeletionTimestamp.IsZero():
		return is(adopt.Destroys, "it is being deleted: the controller deletes every Machine of the cluster")
	case annotations.HasPaused(c):
		return isf(adopt.WaitsForever, "its annotation %s keeps it paused when spec.paused is false", clusterv1.PausedAnnotation)
	case c.Spec.Topology.IsDefined():
		return is(adopt.CannotTell, "it has a ClusterClass: what the topology controller makes of adopted objects is not known")
	case !infra.IsDefined():
		return is(adopt.WaitsForever, "spec.infrastructureRef is missing: CAPMOX never finds a ProxmoxCluster for its machines")
	case infra.Kind != kindProxmoxCluster.kind || infra.APIGroup != kindProxmoxCluster.group:
		return isf(adopt.CannotTell, "its infrastructure is a %s, of which nothing is known here", infra.Kind)
	case !plane.IsDefined():
		return is(adopt.CannotTell, "spec.controlPlaneRef is missing: a cluster without a control plane object is not proven")
	case plane.Kind != kindControlPlane.kind || plane.APIGroup != kindControlPlane.group:
		return isf(adopt.CannotTell, "its control plane is a %s, of which nothing is known here", plane.Kind)
	}
	for _, missing := range []struct {
		gone bool
		kind kind
		name string
	}{{find(w.infra, infra.Name) == nil, kindProxmoxCluster, infra.Name}, {find(w.planes, plane.Name) == nil, kindControlPlane, plane.Name}} {
		if !missing.gone {
			continue
		}
		if needs := w.lacksKind(missing.kind); len(needs) > 0 {
			return unseen(needs, fmt.Sprintf("the %s %s was not seen", missing.kind.kind, missing.name))
		}
		return isf(adopt.WaitsForever, "there is no %s %s, which it refers to", missing.kind.kind, missing.name)
	}
	own := endpoint{c.Spec.ControlPlaneEndpoint.Host, c.Spec.ControlPlaneEndpoint.Port}
	if own.Host == "" || own.Port == 0 {
		if i := find(w.infra, infra.Name); i.problem != "" {
			return unseen(nil, "spec.controlPlaneEndpoint is not set, and the ProxmoxCluster's is not known: "+i.problem)
		} else if e := i.value.Spec.ControlPlaneEndpoint; e.Host == "" || e.Port == 0 {
			return is(adopt.WaitsForever, "neither it nor the ProxmoxCluster has a control-plane endpoint")
		}
	}
	return is(adopt.Adopts, "it becomes owner of its ProxmoxCluster and control plane, and takes their status over")
}

// judgeInfra is CAPMOX's cluster controller (cluster-api-provider-proxmox v0.9.0 internal/controller/proxmoxcluster_controller.go).
func (w *world) judgeInfra(o *infraObject) verdict {
	if o.problem != "" {
		return o.unreadable()
	}
	c := &o.value
	if o != w.infraCluster() {
		return is(adopt.WaitsForever, "the Cluster does not refer to it: CAPMOX waits for its owner")
	}
	if !c.DeletionTimestamp.IsZero() {
		return is(adopt.Refuses, "it is being deleted while its Cluster is not: CAPMOX stops there")
	}
	if _, ok := c.Annotations[clusterv1.ManagedByAnnotation]; ok {
		if c.Status.Initialization.Provisioned {
			return is(adopt.NothingToDo, "it is managed from outside, and its status says provisioned; address pools never appear")
		}
		return isf(adopt.WaitsForever, "the annotation %s hands it to somebody else: CAPMOX ignores it, and nobody reports it provisioned", clusterv1.ManagedByAnnotation)
	}
	e := c.Spec.ControlPlaneEndpoint
	if c.Spec.ExternalManagedControlPlane && (e.Host == "" || e.Port == 0) {
		return is(adopt.WaitsForever, "the control plane is managed from outside, and there is no endpoint: CAPMOX waits for one")
	}
	if v := w.judgeCredentials(c); v != nil {
		return *v
	}
	return w.judgePools(c)
}

// judgeCredentials is what the controller needs to reach Proxmox (pkg/scope/cluster.go: NewClusterScope). nil if it has it.
func (w *world) judgeCredentials(c *proxmoxCluster) *verdict {
	if cond := condition(c.Status.Conditions, "ProxmoxAvailable"); cond != nil && cond.Status == metav1.ConditionTrue {
		return nil
	}
	ref := c.Spec.CredentialsRef
	if ref == nil {
		own, seen := adopt.FindOwnAccess(w.s)
		switch {
		case !seen:
			v := unseen([]inventory.Need{needSecrets}, "it has no credentialsRef: whether the controller's own environment has credentials was not seen")
			return &v
		case own == nil:
			v := is(adopt.Refuses, "it has no credentialsRef, and the controller's own environment has no credentials")
			return &v
		}
		return nil
	}
	namespace := ref.Namespace
	if namespace == "" {
		namespace = w.namespace
	}
	s := w.secret(namespace, ref.Name)
	if s == nil {
		v := unseen([]inventory.Need{needSecrets}, fmt.Sprintf("whether there is a Secret %s/%s with the credentials was not seen", namespace, ref.Name))
		return &v
	}
	if s.Absent {
		v := isf(adopt.Refuses, "there is no Secret %s/%s: CAPMOX has no credentials", namespace, ref.Name)
		return &v
	}
	for _, key := range []string{"url", "token", "secret"} {
		if !slices.Contains(s.Keys, key) {
			v := isf(adopt.Refuses, "the Secret %s/%s has no %s: CAPMOX cannot reach Proxmox", namespace, ref.Name, key)
			return &v
		}
	}
	return nil
}

// judgePools looks for addresses that the pools would hand out although they are taken (webhook: validateControlPlaneEndpoint
// refuses the endpoint's; nobody checks the Nodes').
func (w *world) judgePools(c *proxmoxCluster) verdict {
	var entries []string
	configs := []*addressConfig{c.Spec.IPv4Config, c.Spec.IPv6Config}
	for _, z := range c.Spec.ZoneConfigs {
		configs = append(configs, z.IPv4Config, z.IPv6Config)
	}
	for _, a := range configs {
		if a != nil {
			entries = append(entries, a.Addresses...)
		}
	}
	for _, e := range entries {
		if _, err := addresspool.Parse([]string{e}); err != nil {
			return isf(adopt.CannotTell, "the pool entry %q is no address, range or network", e)
		}
	}
	if taken := addresspool.Within(entries, c.Spec.ControlPlaneEndpoint.Host); taken != "" && !c.Spec.ExternalManagedControlPlane {
		return isf(adopt.Refuses, "the endpoint %s lies in the pool entry %s: CAPMOX's webhook refuses every write", c.Spec.ControlPlaneEndpoint.Host, taken)
	}
	if needs := w.lacksOwn(inventory.ScopeNodes); len(needs) > 0 {
		return unseen(needs, "whether the pools hold addresses of the cluster's Nodes is not known")
	}
	for _, n := range w.nodes {
		for _, ip := range n.InternalIPs {
			if w.claimed(c, ip) {
				continue
			}
			if taken := addresspool.Within(entries, ip); taken != "" {
				return isf(adopt.FalseGreen, "the address %s of the Node %s lies in the pool entry %s: the pool counts it as free, and a new machine gets it", ip, n.Name, taken)
			}
		}
	}
	return is(adopt.Adopts, "its pools are made, its credentials taken into ownership, and nothing is written to Proxmox")
}

// claimed is true for an address that the cluster's own pool has given out: it is not free there. CAPMOX names the pools after the
// ProxmoxCluster (pkg/kubernetes/ipam/ipam.go: poolFromObjectRef).
func (w *world) claimed(c *proxmoxCluster, ip string) bool {
	for i := range w.s.Objects {
		o := &w.s.Objects[i]
		if o.Cluster != "" || o.Kind != "IPAddress" || o.Namespace != w.namespace || text(o.Content, "spec", "address") != ip {
			continue
		}
		if pool := text(o.Content, "spec", "poolRef", "name"); pool == c.Name+"-v4-icip" || pool == c.Name+"-v6-icip" {
			return true
		}
	}
	return false
}
