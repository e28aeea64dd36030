// Package collect runs the collectors of all sources and makes one Snapshot of what they saw.
//
// Pass 1 lists everything, all sources in parallel. Then inventory.UnresolvedOf says what the lists left open, and
// pass 2 asks about just that. Nothing here fails because a source does: that is coverage. The errors are mistakes in
// the plan itself.
package collect

import (
	"fmt"
	"sync"
	"time"

	"github.com/proxaudit/proxaudit/inventory"
	"github.com/proxaudit/proxaudit/inventory/kube"
	"github.com/proxaudit/proxaudit/inventory/proxmox"
)

// Plan says what to collect.
type Plan struct {
	Sites []proxmox.Config
	// Management is nil for a run without a management cluster.
	Management *kube.Target
	// ManagementIfServed makes Management a workload cluster only, if its API server turns out not to serve Cluster
	// API: how a run without configuration takes the current context.
	ManagementIfServed bool
	// Namespaces to read of the management cluster; empty means all.
	Namespaces []string
	Workloads  []Workload
	// ReadSecrets allows the <cluster>-kubeconfig Secrets of declared clusters that no Workload gives access to.
	ReadSecrets bool
	// GuestAgent asks the agents of running guests that nothing else identified.
	GuestAgent bool
	// Adoption asks for what adopt and verify need beyond who is who: kubelet-config, static Pods and the serving CA of the
	// workload clusters, CRDs of the management cluster, storages and the tasks of the last 24 hours of the sites, and with
	// ReadSecrets what is kept of Secrets.
	Adoption bool
	// Controllers asks for what progress needs beyond who is who: the Pods and leases of the providers, the Events about declared
	// objects, and the tasks of the sites.
	Controllers bool
	// TaskWindow is how far back the sites' tasks are read; 0 means proxmox.TaskWindow.
	TaskWindow time.Duration
	// Remembered are VMs that an earlier run has seen: those that no list shows are probed, for a list that does not have a VM
	// proves nothing.
	Remembered []inventory.Key
	// LeftOut is what the scan knows of and leaves to another (scan --site). It is in the Snapshot as not read, so that nothing
	// of this scan alone is taken for all that there is.
	LeftOut LeftOut
	// Others is what other scans have seen: the VMIDs that they name are probed in this one's sites, where no list shows them.
	Others *inventory.Snapshot
	// Configurations says whose configuration is read, by site and VMID; nil reads all.
	Configurations func(inventory.Key) bool
	// Now is the run's clock; zero means the time of day.
	Now time.Time
	// ToolVersion is recorded in the Snapshot.
	ToolVersion string
	// Logf takes what a person may want to know meanwhile; nil drops it. It is never called twice at a time.
	Logf func(format string, args ...any)
	// Progress is told of each source's steps; it may be called from several goroutines.
	Progress func(source string, done, total int)
}

// LeftOut is what a scan leaves to another, beside the Workloads that say so themselves.
type LeftOut struct {
	Sites []LeftOutSite
	// Management is true for a management cluster.
	Management bool
}

// LeftOutSite is what is known of such a site.
type LeftOutSite struct {
	Name, URL string
	Regions   []string
}

// Workload is a cluster that the configuration names.
type Workload struct {
	// Key is its name in the Snapshot: a declared Cluster's name, or one of its own.
	Key string
	// Target is nil if the configuration gives no access and only says how its VMs are recognised.
	Target *kube.Target
	// ReadSecret takes the access from the declared Cluster's kubeconfig Secret.
	ReadSecret bool
	// DeclaredNamespace and DeclaredName are those of its Cluster object, where the configuration gives it another name than
	// Key (a cluster that was adopted). Without a name, Key counts.
	DeclaredNamespace, DeclaredName string
	Selector                        inventory.Selector
	// LeftOut is true for one that another scan reads. It has no Target then.
	LeftOut bool
	// Site is the only site on which its VMs may lie; empty for any.
	Site string
}

// check finds what would ask one thing twice, as far as the plan itself shows it.
func (p *Plan) check() error {
	names, urls := map[string]bool{}, map[string]bool{}
	for i := range p.Sites {
		s := &p.Sites[i]
		switch {
		case s.Site != "" && names[s.Site]:
			return fmt.Errorf("two sites are called %q: name them differently in proxaudit.yaml (sites[].name)", s.Site)
		case urls[s.URL]:
			return fmt.Errorf("site %q and another one have the same URL: give each Proxmox cluster once", s.Site)
		}
		names[s.Site], urls[s.URL] = true, true
	}
	keys := map[string]bool{}
	for i := range p.Workloads {
		key := p.Workloads[i].Key
		if keys[key] {
			return fmt.Errorf("two clusters are called %q: name them differently in proxaudit.yaml (clusters[].name)", key)
		}
		keys[key] = true
	}
	return nil
}

// Timings is how long each source took.
type Timings map[string]time.Duration

func (p *Plan) logf(format string, args ...any) {
	if p.Logf != nil {
		p.Logf(format, args...)
	}
}

// oneAtATime makes a logger safe for sources that are read in parallel.
func oneAtATime(logf func(string, ...any)) func(string, ...any) {
	if logf == nil {
		return nil
	}
	var mu sync.Mutex
	return func(format string, args ...any) {
		mu.Lock()
		defer mu.Unlock()
		logf(format, args...)
	}
}

func (p *Plan) progress(source string, done, total int) {
	if p.Progress != nil {
		p.Progress(source, done, total)
	}
}
