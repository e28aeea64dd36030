package inventorytest

import (
	"fmt"
	"slices"
	"strings"

	"github.com/proxaudit/proxaudit/inventory"
)

func (b *builder) nodes() error {
	for i := range b.in.Nodes {
		in := &b.in.Nodes[i]
		name, home := in.Name, ""
		if j := strings.LastIndexByte(name, '/'); j > 0 {
			home, name = name[:j], name[j+1:]
		}
		home, err := b.home(in.Name, home)
		if err != nil {
			return err
		}
		n := inventory.Node{Cluster: home, Name: name, UID: in.UID, ProviderID: in.ProviderID, RawSystemUUID: in.RawUUID,
			InternalIPs: in.IPs, Hostname: in.Hostname, MachineID: in.MachineID, Ready: in.Ready, Labels: in.Labels, Annotations: in.Annotations}
		if n.UID == "" {
			n.UID = "node-" + home + "-" + name
		}
		if in.UUID != "" {
			// The collector folds what the kubelet reads; so does the fixture.
			u, usable := inventory.NormalizeUUID(in.UUID)
			if !usable {
				return fmt.Errorf("node %s: %q is no usable UUID: give it as rawUUID", in.Name, in.UUID)
			}
			n.SystemUUID = u
		}
		if n.ProviderID == "uuid" {
			n.ProviderID = "proxmox://" + n.SystemUUID
		}
		if n.Ready == "" {
			n.Ready = "True"
		}
		if n.CreatedAt, err = in.Age.at(b.now, 90*day); err != nil {
			return fmt.Errorf("node %s: %w", in.Name, err)
		}
		b.s.Nodes = append(b.s.Nodes, n)
	}
	return nil
}

func (b *builder) rest() error {
	if m := b.in.Management; m != nil {
		b.s.Management = &inventory.Management{Context: "mgmt", Namespaces: m.Namespaces, ClusterName: m.ClusterName, Version: "v1.34.2"}
	}
	for _, p := range b.in.Providers {
		b.s.Providers = append(b.s.Providers, inventory.Provider{Namespace: p.Label, Name: p.Label, Label: p.Label,
			Desired: p.Desired, Available: p.Available})
	}
	for _, p := range b.in.Probes {
		k, err := b.key(p.ID)
		if err != nil {
			return fmt.Errorf("probe: %w", err)
		}
		switch p.Answer {
		case inventory.Free, inventory.Exists, inventory.ExistenceUnknown:
		default:
			return fmt.Errorf("probe %s: %q is no answer: want free, exists or unknown", k, p.Answer)
		}
		b.s.Probes = append(b.s.Probes, inventory.Probe{Site: k.Site, VMID: k.VMID, Existence: p.Answer})
	}
	return nil
}

// coverage says that everything was answered, save what the fixture itself leaves out; its own entries come last.
func (b *builder) coverage() {
	for i := range b.s.Sites {
		b.siteCoverage(&b.s.Sites[i])
	}
	for _, in := range b.in.Clusters {
		state, reason := inventory.Complete, ""
		if in.Unread {
			state, reason = inventory.Failed, "connection refused"
		}
		b.cover(inventory.Coverage{Source: inventory.ClusterSource(in.Name), Scope: inventory.ScopeNodes, State: state, Reason: reason})
	}
	if b.s.Management != nil {
		for _, scope := range []string{inventory.ScopeDiscovery, inventory.ScopeClusters, inventory.ScopeMachines, inventory.ScopeProxmoxMachines} {
			b.cover(inventory.Coverage{Source: inventory.ManagementSource, Scope: scope, State: inventory.Complete})
		}
	}
	for _, c := range b.in.Coverage {
		b.s.Coverage = slices.DeleteFunc(b.s.Coverage, func(o inventory.Coverage) bool { return o.Source == c.Source && o.Scope == c.Scope })
		if !c.Remove {
			b.cover(inventory.Coverage{Source: c.Source, Scope: c.Scope, State: c.State, Reason: c.Reason, Optional: c.Optional})
		}
	}
}

func (b *builder) siteCoverage(s *inventory.Site) {
	src := inventory.SiteSource(s.Name)
	for _, scope := range []string{inventory.ScopeVersion, inventory.ScopePermissions, inventory.ScopeClusterStatus, inventory.ScopeProbes} {
		b.cover(inventory.Coverage{Source: src, Scope: scope, State: inventory.Complete})
	}
	guests := inventory.Coverage{Source: src, Scope: inventory.ScopeGuests, State: inventory.Complete}
	if !s.Visibility.Complete {
		guests.State, guests.Reason = inventory.Partial, strings.Join(s.Visibility.Reasons, "; ")
	}
	b.cover(guests)
	for _, n := range s.Nodes {
		up := inventory.Coverage{Source: src, Scope: inventory.NodeScope(n.Name), State: inventory.Complete}
		if n.Status != inventory.NodeOnline {
			up.State, up.Reason = inventory.Failed, "the host is "+n.Status
		}
		b.cover(up)
		read := inventory.Coverage{Source: src, Scope: inventory.ConfigScope(n.Name), State: inventory.Complete}
		for i := range b.s.VMs {
			if v := &b.s.VMs[i]; v.Site == s.Name && v.Node == n.Name && v.Type == inventory.GuestQEMU && v.Config == nil {
				read.State, read.Reason = inventory.Partial, "not read"
			}
		}
		b.cover(read)
	}
}

func (b *builder) cover(c inventory.Coverage) {
	if c.State == inventory.Complete {
		c.Asked, c.Got = 1, 1
	} else {
		c.Asked, c.Failed = 1, 1
	}
	b.s.Coverage = append(b.s.Coverage, c)
}
