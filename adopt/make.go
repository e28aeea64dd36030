package adopt

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/proxaudit/proxaudit/adopt/pki"
	"github.com/proxaudit/proxaudit/audit"
	"github.com/proxaudit/proxaudit/inventory"
)

// UnknownClusterError says that the Snapshot has no such cluster.
type UnknownClusterError struct {
	Cluster string
	// Known are the clusters that it has.
	Known []string
}

func (e *UnknownClusterError) Error() string {
	if len(e.Known) == 0 {
		return fmt.Sprintf("no cluster %q was seen: %s", e.Cluster, inventory.NameClusters)
	}
	return fmt.Sprintf("no cluster %q was seen; there is %q", e.Cluster, e.Known)
}

// LeaveOutError says that a Node cannot be left out.
type LeaveOutError struct{ Node, Why string }

func (e *LeaveOutError) Error() string {
	return fmt.Sprintf("%q cannot be left out: %s", e.Node, e.Why)
}

func (p *planner) checkLeaveOut() error {
	for _, name := range p.opt.LeaveOut {
		i := slices.IndexFunc(p.s.Nodes, func(n inventory.Node) bool { return n.Cluster == p.cluster.Key && n.Name == name })
		switch {
		case i < 0 && !p.s.Known(inventory.ClusterSource(p.cluster.Key), inventory.ScopeNodes):
			// The plan says that the Nodes are missing, and is none.
		case i < 0:
			return &LeaveOutError{name, "the cluster has no such Node"}
		case p.s.Nodes[i].ControlPlane:
			return &LeaveOutError{name, "it is a control plane, and the controller removes the etcd members of those without a Machine"}
		}
	}
	return nil
}

// Make plans the adoption of one cluster. The error is an *UnknownClusterError, a
// *LeaveOutError, or a manifest that cannot be written; what
// stands in the way is in the Plan.
func Make(s *inventory.Snapshot, opt Options) (*Plan, error) {
	p := newPlanner(s, opt)
	if !p.findCluster() {
		e := &UnknownClusterError{Cluster: opt.Cluster}
		for i := range p.s.Clusters {
			e.Known = append(e.Known, p.s.Clusters[i].Key)
		}
		return nil, e
	}
	if err := p.checkLeaveOut(); err != nil {
		return nil, err
	}
	out := p.empty()
	p.gather()
	out.makesCredentials = p.future.secret != "" && p.future.secret != out.sharedSecret
	if out.Missing = p.missing(); len(out.Missing) > 0 {
		out.Summary.Incomplete = true
		out.Coverage = required(out.Coverage, out.Missing)
	}
	for _, r := range Rules() {
		if !p.sees(rests[r.ID]...) {
			continue
		}
		for _, f := range r.check(&r, p) {
			if f.Blocks {
				out.Blockers = append(out.Blockers, f)
			} else {
				out.Warnings = append(out.Warnings, f)
			}
		}
	}
	sortFindings(out.Blockers)
	sortFindings(out.Warnings)
	p.fill(out)
	if !p.renderable(out) {
		return out, nil
	}
	docs, err := p.render()
	if err != nil {
		return nil, err
	}
	for _, d := range docs {
		out.Objects = append(out.Objects, d.ObjectRef)
	}
	out.Summary.Objects, out.Summary.Rendered = len(docs), true
	out.applied = p.appliedBefore(docs)
	patches, err := nodePatchDocument(out.NodePatches)
	if err != nil {
		return nil, err
	}
	out.bundle = &Bundle{Documents: docs, NodePatches: patches}
	return out, nil
}

// gather finds everything that rules and manifests are made from.
func (p *planner) gather() {
	p.findMembers()
	p.kubeadm = &kubeadmConfig{}
	if k := p.cluster.Kubeadm; k != nil {
		p.kubeadm = readKubeadm(k)
	}
	p.endpoint = findEndpoint(p.cluster)
	p.findVersions()
	p.findFuture()
	p.findExisting()
	p.findGroups()
}

func (p *planner) empty() *Plan {
	out := &Plan{
		Envelope: audit.Envelope{FormatVersion: audit.FormatVersion, Kind: KindPlan, GeneratedAt: p.s.CollectedAt.UTC(), Parts: p.s.Parts,
			Coverage: append([]inventory.Coverage{}, p.s.Coverage...), Requests: append([]inventory.Requests{}, p.s.Requests...)},
		Cluster: p.cluster.Key, Name: p.name, Namespace: p.namespace,
		Blockers: []Finding{}, Warnings: []Finding{}, Machines: []PlannedMachine{}, Groups: []PlannedGroup{},
		Objects: []ObjectRef{}, Secrets: []SecretNeed{}, NodePatches: []NodePatch{}, Steps: []Step{},
	}
	out.environment, out.recorded = p.opt.Environment, p.opt.Recorded
	out.access, out.workloadAccess = p.managementAccess(), p.workloadAccess()
	if m := p.s.Management; m != nil && m.Context != inventory.InCluster {
		out.managementContext = m.Context
	}
	out.workloadContext, out.sharedSecret = p.workloadContext(), p.opt.Future.CredentialsSecret
	for i := range p.s.Providers {
		if p.s.Providers[i].Label == providerCAPMOX {
			for _, v := range p.s.Providers[i].Access {
				out.ownCredentials = cmp.Or(out.ownCredentials, v.Secret)
			}
		}
	}
	return out
}

// required makes gaps of the entries that a plan cannot do without: other results can, so that they are optional there. What
// was never asked has no entry yet.
func required(coverage []inventory.Coverage, missing []inventory.Need) []inventory.Coverage {
	out := slices.Clone(coverage)
	for _, n := range missing {
		i := slices.IndexFunc(out, func(c inventory.Coverage) bool { return c.Need() == n })
		if i >= 0 {
			out[i].Optional = false
			continue
		}
		c := inventory.Coverage{Source: n.Source, Scope: n.Scope, State: inventory.NotAsked,
			Reason: "the run did not ask for it", Remedy: "read the servers anew (a snapshot of an older version, or of another command's run, lacks it)"}
		// Whoever did not answer at first is asked nothing more.
		if k := slices.IndexFunc(coverage, func(o inventory.Coverage) bool { return o.Source == n.Source && o.State == inventory.Failed }); k >= 0 {
			c.Reason, c.Remedy = coverage[k].Reason, coverage[k].Remedy
			if !strings.HasPrefix(c.Reason, "not asked") {
				c.Reason = "not asked, after " + coverage[k].Scope + ": " + c.Reason
			}
		}
		out = append(out, c)
	}
	slices.SortFunc(out, func(a, b inventory.Coverage) int { return inventory.CompareNeeds(a.Need(), b.Need()) })
	return out
}

// renderable is true if nothing forbids a bundle: every source answered, no blocker destroys anything, and the others are
// overridden.
func (p *planner) renderable(out *Plan) bool {
	if len(out.Missing) > 0 || out.Summary.Destructive > 0 || len(out.Blockers) > 0 && !p.opt.Force {
		return false
	}
	return len(out.Lacks) == 0
}

// lacks says what the manifests cannot be written without, and is not there: no --force helps against that.
func (p *planner) lacks() []string {
	var out []string
	for _, x := range []struct {
		there bool
		what  string
	}{
		{len(validation.IsDNS1123Label(p.name)) == 0, "a name that an object can have (--target-name)"},
		{len(validation.IsDNS1123Label(p.namespace)) == 0, "a namespace that can be one (--target-namespace)"},
		{p.kubeadm != nil && p.kubeadm.err == nil, "kubeadm's configuration"},
		{len(p.controlPlanes()) > 0, "a control plane"},
		{p.endpoint.host != "", "the address of the control plane"},
		{p.future.template != nil, "a template for machines to come (--template)"},
		{!p.sameAccess(), "a name by which kubectl reaches this cluster and no other"},
		{len(p.future.lacks) == 0, "what machines to come are made from (--addresses and others)"},
	} {
		if !x.there {
			out = append(out, x.what)
		}
	}
	p.oddVMs(func(vm *inventory.VM, what string) {
		out = append(out, "numbers that VM "+vmRef(vm).Name+" can have ("+what+")")
	})
	for _, m := range p.members {
		if m.whole() && len(outOfRange(m.vm.Config)) > 0 {
			out = append(out, "numbers of the VM of Node "+m.node.Name+" that a manifest can hold")
		}
		if !m.whole() {
			out = append(out, "the VM of Node "+m.node.Name+", its configuration and its SMBIOS UUID")
		}
	}
	return out
}

// fill tells the plan what was found.
func (p *planner) fill(out *Plan) {
	// With several there is no bundle, and none of them is the cluster's.
	out.Site, out.Versions = strings.Join(p.sites, ", "), p.versions
	for _, m := range p.members {
		if m.node.ControlPlane {
			out.Summary.ControlPlanes++
		} else {
			out.Summary.Workers++
		}
		pm := PlannedMachine{Name: m.name(), Node: m.node.Name, NodeUID: m.node.UID, ControlPlane: m.node.ControlPlane, Version: m.version}
		if m.vm != nil {
			pm.Site, pm.VMID, pm.Host, pm.UUID = m.vm.Site, m.vm.VMID, m.vm.Node, m.vm.UUID()
			// Written once, a providerID cannot be changed: not a word of one that is not proven.
			if m.whole() {
				pm.ProviderID = m.providerID()
			}
		}
		if m.group != nil {
			pm.Group = m.group.name
		}
		out.Machines = append(out.Machines, pm)
		if m.node.ProviderID == "" && pm.ProviderID != "" {
			out.NodePatches = append(out.NodePatches, NodePatch{Node: m.node.Name, ProviderID: pm.ProviderID})
		}
	}
	for _, g := range p.groups {
		pg := PlannedGroup{Name: g.name, Version: g.version, Sockets: g.shape.sockets, Cores: g.shape.cores,
			MemoryMiB: g.shape.memoryMiB, DiskGiB: g.shape.diskGiB, Labels: g.labels, Taints: g.taints}
		for _, m := range g.members {
			pg.Machines = append(pg.Machines, m.name())
		}
		out.Groups = append(out.Groups, pg)
	}
	for _, f := range out.Blockers {
		if f.Destroys {
			out.Summary.Destructive++
		}
	}
	out.controlPlaneFiles = p.controlPlaneFiles()
	// What was not seen may well be there.
	if !out.Summary.Incomplete {
		out.Lacks = p.lacks()
	}
	out.Summary.Blockers, out.Summary.Warnings = len(out.Blockers), len(out.Warnings)
	out.Secrets, out.pki = p.secrets(), p.secretOptions().Options
	out.Steps = p.steps(out)
	for _, m := range p.controlPlanes() {
		out.controlPlaneHosts = append(out.controlPlaneHosts, m.host())
	}
	out.cleanUp = commander{p: p, plan: out}.cleanUp()
	// Names that no API server takes are a blocker of their own.
	if renewal, err := pki.RenewKubeconfig(p.secretOptions()); err == nil {
		for i := range renewal {
			if c := &renewal[i]; c.When == pki.Before {
				out.renewalBefore = append(out.renewalBefore, c.Shown()...)
			} else {
				out.renewal = append(out.renewal, c.Shown()...)
			}
		}
	}
	slices.SortFunc(out.NodePatches, func(a, b NodePatch) int { return cmp.Compare(a.Node, b.Node) })
}
