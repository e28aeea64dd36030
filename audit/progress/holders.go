package progress

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/proxaudit/proxaudit/inventory"
)

// holderOf is whose controller writes the conditions of a kind.
func holderOf(kind string) Holder {
	switch kind {
	case "Cluster", "Machine", "MachineSet", "MachineDeployment", "MachineHealthCheck", "MachinePool":
		return Core
	case "KubeadmConfig", "TalosConfig":
		return Bootstrap
	case "KubeadmControlPlane", "TalosControlPlane":
		return ControlPlane
	case "ProxmoxCluster", "ProxmoxMachine":
		return Infrastructure
	case "IPAddressClaim", "InClusterIPPool", "GlobalInClusterIPPool", "IPAddress":
		return IPAM
	case "Node":
		return Kubelet
	default:
		return Other
	}
}

// labels are the values of the label cluster.x-k8s.io/provider by which a holder's Deployment is known, for a kind: there may be several
// bootstrap and control-plane providers side by side (clusterctl's provider contract; the names are those of clusterctl's own list).
func labels(h Holder, kind string) []string {
	talos := strings.HasPrefix(kind, "Talos")
	switch {
	case h == Core:
		return []string{"cluster-api"}
	case h == Bootstrap && talos:
		return []string{"bootstrap-talos"}
	case h == Bootstrap:
		return []string{"bootstrap-kubeadm"}
	case h == ControlPlane && talos:
		return []string{"control-plane-talos"}
	case h == ControlPlane:
		return []string{"control-plane-kubeadm"}
	case h == Infrastructure:
		return []string{"infrastructure-proxmox"}
	case h == IPAM:
		return []string{"ipam-in-cluster"}
	default:
		return nil
	}
}

// provider is the Deployment of a holder; nil if none was found. Of several the first that acts: an older one may have been left behind,
// and which of them looks at which namespaces nobody says.
func (w *World) provider(h Holder, kind string) *inventory.Provider {
	want := labels(h, kind)
	var found *inventory.Provider
	for i := range w.s.Providers {
		p := &w.s.Providers[i]
		if !slices.Contains(want, p.Label) {
			continue
		}
		if w.dead(p) == "" {
			return p
		}
		if found == nil {
			found = p
		}
	}
	return found
}

// clock is the time in the management cluster, as far as leases tell it: with several controllers the last that renewed its lease lives,
// and if that seems long ago, it is our clock that is wrong.
func (w *World) clock() time.Time {
	var last time.Time
	controllers := 0
	for i := range w.s.Providers {
		for j := range w.s.Providers[i].Leases {
			if at := w.s.Providers[i].Leases[j].Renewed; at != nil && at.After(last) {
				last = *at
			}
		}
		if len(w.s.Providers[i].Leases) > 0 {
			controllers++
		}
	}
	if controllers > 1 && last.Before(w.s.CollectedAt) {
		return last
	}
	return w.s.CollectedAt
}

// leaseSlack is what a lease may be late beyond its own length, for clocks that differ.
const leaseSlack = time.Minute

// dead says why a controller does not act; empty if nothing speaks against it.
func (w *World) dead(p *inventory.Provider) string {
	switch {
	case p.Desired == 0:
		return "it is scaled to no replicas"
	case p.Available == 0:
		text := "none of its replicas is available"
		for i := range p.Pods {
			if pod := &p.Pods[i]; !pod.Ready {
				if pod.Waiting != "" {
					text += fmt.Sprintf(": Pod %s is %s", pod.Name, pod.Waiting)
					if pod.Message != "" {
						text += " (" + pod.Message + ")"
					}
				} else if pod.Phase != "" {
					text += fmt.Sprintf(": Pod %s is %s and not ready", pod.Name, pod.Phase)
				}
				if pod.Restarts > 0 {
					text += fmt.Sprintf(", after %d restarts", pod.Restarts)
				}
				break
			}
		}
		return text
	}
	// Of several leases, one that is renewed is enough: an older version's stays behind.
	var stale *inventory.Lease
	for i := range p.Leases {
		l := &p.Leases[i]
		if l.Renewed == nil {
			continue
		}
		if w.clock().Sub(*l.Renewed) <= time.Duration(l.Seconds)*time.Second+leaseSlack {
			return ""
		}
		if stale == nil || l.Renewed.After(*stale.Renewed) {
			stale = l
		}
	}
	if stale != nil {
		return fmt.Sprintf("nobody has renewed its leader's lease %s since %s, so that none of its Pods acts", stale.Name, stale.Renewed.UTC().Format(time.RFC3339))
	}
	return ""
}

// says is true if a condition is an object's own.
func (w *World) says(r inventory.Ref, c *inventory.Condition) bool {
	m := w.meta(&r)
	if m == nil {
		return false
	}
	own := condition(m, c.Type)
	return own != nil && own.Reason == c.Reason && own.Since != nil && own.Since.Equal(*c.Since)
}

// starting is true if what is there is so young that it may still come up.
func (w *World) starting(p *inventory.Provider) bool {
	if p.Desired == 0 || len(p.Pods) == 0 {
		return false
	}
	for i := range p.Pods {
		pod := &p.Pods[i]
		if pod.CreatedAt == nil || w.s.CollectedAt.Sub(*pod.CreatedAt) > w.grace || pod.Restarts > 1 || strings.Contains(pod.Waiting, "BackOff") || strings.HasPrefix(pod.Waiting, "Err") {
			return false
		}
	}
	return true
}

// alive replaces a baton whose controller does not act: nothing that it waits for matters then.
func (w *World) alive(b *Baton) *Baton {
	want := labels(b.Holder, b.Object.Kind)
	if want == nil || b.Cause == CauseControllerDown || b.Cause == CauseControllerMissing {
		return b
	}
	p := w.provider(b.Holder, b.Object.Kind)
	if p == nil {
		if !w.s.Known(inventory.ManagementSource, inventory.ScopeProviders) {
			return b
		}
		if c := b.Condition; c != nil && c.Since != nil && w.s.CollectedAt.Sub(*c.Since) < w.grace && holderOf(b.Object.Kind) == b.Holder && w.says(b.Object, c) {
			// Somebody has written that just now: a controller lives, whatever labels it has.
			b.Evidence = append(b.Evidence, fmt.Sprintf("no Deployment has the label cluster.x-k8s.io/provider=%s, by which its controller would be known", want[0]))
			return b
		}
		out := *b
		out.Cause, out.State, out.Next = CauseControllerMissing, Stuck, ""
		out.Detail = fmt.Sprintf("no Deployment in the management cluster has the label cluster.x-k8s.io/provider=%s: nobody acts on the %s %s", want[0], b.Object.Kind, b.Object.Name)
		out.Evidence = append([]string{fmt.Sprintf("what is not done: %s %s: %s", b.Object.Kind, b.Object.Name, b.Detail)}, b.Evidence...)
		out.Remedy = "Install the provider (clusterctl init), or start it if it was taken away."
		out.Commands = []string{w.management("get", "deployments", "-A", "-l", "cluster.x-k8s.io/provider")}
		return &out
	}
	b.Controller = p.Namespace + "/" + p.Name
	why := w.dead(p)
	if why == "" {
		return b
	}
	out := *b
	out.Cause, out.Next = CauseControllerDown, ""
	out.Object = inventory.Ref{Group: "apps", Kind: "Deployment", Namespace: p.Namespace, Name: p.Name}
	out.Condition = nil
	out.Detail = fmt.Sprintf("the controller does not act: %s", why)
	out.Evidence = append([]string{fmt.Sprintf("what is not done: %s %s: %s", b.Object.Kind, b.Object.Name, b.Detail)}, b.Evidence...)
	out.State = Stuck
	if w.starting(p) {
		out.State, out.Next = Converging, "its Pod starts"
	}
	out.Remedy = "Get the controller to run: see its Pods and what they log."
	out.Commands = []string{w.management("-n", p.Namespace, "get", "deployments,pods"), w.management("-n", p.Namespace, "describe", "deployment", p.Name),
		w.management("-n", p.Namespace, "logs", "deployment/"+p.Name, "--since=1h")}
	return &out
}
