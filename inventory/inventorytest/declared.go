package inventorytest

import (
	"fmt"
	"strings"

	"github.com/proxaudit/proxaudit/inventory"
)

func (b *builder) clusters() error {
	for _, in := range b.in.Clusters {
		c := inventory.Cluster{Key: in.Name, Site: in.Site, Selector: in.Selector}
		if !in.Unread {
			c.Access = "kubeconfig " + in.Name
		}
		if in.Declared || in.Paused || len(in.AllowedNodes) > 0 {
			c.Declared = &inventory.DeclaredCluster{Meta: inventory.Meta{Namespace: "default", Name: in.Name, Paused: in.Paused},
				Infrastructure: &inventory.ProxmoxCluster{Meta: inventory.Meta{Namespace: "default", Name: in.Name}, AllowedNodes: in.AllowedNodes}}
			if b.in.Management == nil {
				b.in.Management = &management{}
			}
		}
		b.s.Clusters = append(b.s.Clusters, c)
	}
	return nil
}

// home is the cluster of an object that names none: the only one there is.
func (b *builder) home(what, cluster string) (string, error) {
	if cluster != "" {
		return cluster, nil
	}
	if len(b.in.Clusters) != 1 {
		return "", fmt.Errorf("%s: say in which cluster", what)
	}
	return b.in.Clusters[0].Name, nil
}

func split(name string) (scope, rest string) {
	i := strings.LastIndexByte(name, '/')
	if i < 0 {
		return "default", name
	}
	return name[:i], name[i+1:]
}

func (b *builder) meta(in *object, kind string) (inventory.Meta, error) {
	ns, name := split(in.Name)
	m := inventory.Meta{Namespace: ns, Name: name, UID: kind + "-" + ns + "-" + name, Paused: in.Paused}
	var err error
	if m.CreatedAt, err = in.Age.at(b.now, 90*day); err != nil {
		return m, fmt.Errorf("%s: %w", in.Name, err)
	}
	if m.DeletedAt, err = in.Deleted.maybe(b.now); err != nil {
		return m, fmt.Errorf("%s: %w", in.Name, err)
	}
	return m, nil
}

func (in *object) providerID() string {
	if in.UUID != "" {
		return "proxmox://" + in.UUID
	}
	return in.ProviderID
}

func (b *builder) machines() error {
	infra := map[string]bool{}
	for i := range b.in.ProxmoxMachines {
		infra[b.in.ProxmoxMachines[i].Name] = true
	}
	for i := range b.in.Machines {
		in := &b.in.Machines[i]
		home, err := b.home(in.Name, in.Cluster)
		if err != nil {
			return err
		}
		meta, err := b.meta(&in.object, inventory.SubjectMachine)
		if err != nil {
			return err
		}
		m := inventory.Machine{Meta: meta, Cluster: home, ProviderID: in.providerID(), Phase: in.Phase, NodeRef: in.NodeRef,
			SystemUUID: in.SystemUUID, Addresses: in.Addresses, FailureMessage: in.Failure}
		name := in.Infra
		if name == "" && infra[in.Name] {
			_, name = split(in.Name)
		}
		if name != "" && name != "none" {
			kind := "ProxmoxMachine"
			if k, rest, ok := strings.Cut(name, "/"); ok {
				kind, name = k, rest
			}
			m.InfrastructureRef = &inventory.Ref{Group: inventory.GroupInfrastructure, Kind: kind, Name: name}
		}
		b.s.Machines = append(b.s.Machines, m)
	}
	return nil
}

func (b *builder) proxmoxMachines() error {
	owners := map[string]bool{}
	for i := range b.in.Machines {
		owners[b.in.Machines[i].Name] = true
	}
	for i := range b.in.ProxmoxMachines {
		in := &b.in.ProxmoxMachines[i]
		home, err := b.home(in.Name, in.Cluster)
		if err != nil {
			return err
		}
		meta, err := b.meta(&in.object, inventory.SubjectProxmoxMachine)
		if err != nil {
			return err
		}
		pm := inventory.ProxmoxMachine{Meta: meta, Cluster: home, ProviderID: in.providerID(), VMID: in.VMID,
			SourceNode: host(in.SourceNode), Addresses: in.Addresses, MACs: in.MACs, FailureMessage: in.Failure}
		if in.VMID != nil {
			pm.ProxmoxNode = host(in.Node)
		}
		owner := in.Owner
		if owner == "" && owners[in.Name] {
			_, owner = split(in.Name)
		}
		if owner != "" && owner != "none" {
			pm.Owners = []inventory.Ref{{Group: inventory.GroupCluster, Kind: "Machine", Name: owner, Controller: true}}
		}
		b.s.ProxmoxMachines = append(b.s.ProxmoxMachines, pm)
	}
	return nil
}

func host(s string) string {
	switch s {
	case "":
		return "pve1"
	case "none":
		return ""
	default:
		return s
	}
}
