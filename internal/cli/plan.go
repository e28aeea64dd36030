package cli

import (
	"cmp"
	"strings"

	"github.com/proxaudit/proxaudit/internal/config"
	"github.com/proxaudit/proxaudit/inventory/collect"
	"github.com/proxaudit/proxaudit/inventory/kube"
	"github.com/proxaudit/proxaudit/inventory/proxmox"
)

// plan says whom to ask, from the configuration, the environment and the flags.
func (r *run) plan(s *settings) (*collect.Plan, error) {
	p := &collect.Plan{ReadSecrets: s.readSecrets, GuestAgent: s.guestAgent, Adoption: s.adoption, Controllers: s.controllers, TaskWindow: s.taskWindow, Now: s.now, ToolVersion: r.env.version(),
		Remembered: r.remembered,
		Logf:       r.verbosef}
	sites, err := s.sites(r.env.Getenv)
	if err != nil {
		return nil, err
	}
	for i := range sites {
		p.Sites = append(p.Sites, siteConfig(&sites[i], s))
		if p.Sites[i].Insecure {
			r.warnf("%s: certificates are not verified, so that anybody on the way can read the token "+
				"(a fingerprint or a CA file closes that)", sites[i].URL)
		}
	}
	if err := s.management(p); err != nil {
		return nil, err
	}
	for i := range s.cfg.Clusters {
		p.Workloads = append(p.Workloads, workload(&s.cfg.Clusters[i], s))
	}
	if err := s.portion.take(p, s); err != nil {
		return nil, err
	}
	p.Others = r.others
	for _, w := range s.cfg.Warnings {
		r.warnf("%s", w)
	}
	r.hintSelectors(s)
	return p, nil
}

// sites are the configuration's, else the environment's.
func (s *settings) sites(getenv config.Getenv) ([]config.Site, error) {
	if len(s.cfg.Sites) > 0 {
		return s.cfg.Sites, nil
	}
	site, err := config.EnvSite(getenv)
	if err != nil {
		return nil, err
	}
	if site == nil {
		return nil, usagef("no Proxmox site to read").hint(
			"Set PROXMOX_URL, PROXMOX_TOKEN (the token's ID) and PROXMOX_SECRET, or write them into %s.", config.FileName)
	}
	return []config.Site{*site}, nil
}

func siteConfig(c *config.Site, s *settings) proxmox.Config {
	return proxmox.Config{
		Site: c.Name, URL: c.URL, TokenID: c.TokenID, Secret: c.Secret,
		CAFile: c.CAFile, Fingerprint: c.Fingerprint,
		Insecure: c.Insecure || (s.insecure && c.CAFile == "" && c.Fingerprint == ""),
		Regions:  c.Regions, PerNode: c.Concurrency.PerNode, Total: c.Concurrency.Total,
		Timeout: s.timeout, GuestAgent: s.guestAgent,
	}
}

// management decides which cluster the declared objects come from. The flags win over the file, and without either it
// is kubectl's current context. That there is no such cluster has to be said: what looks like it is a KUBECONFIG that was
// not exported, and then every managed VM without a Node would pass for an orphan.
func (s *settings) management(p *collect.Plan) error {
	m := s.cfg.Management
	flags := s.kubeconfig != "" || s.context != ""
	if m == nil {
		m = &config.Management{}
		p.ManagementIfServed = true
	}
	if m.None {
		if flags || len(s.namespaces) > 0 {
			return usagef("management.none in %s says that there is no management cluster, and the flags name one", s.cfg.Path)
		}
		return nil
	}
	t := kube.Target{Key: m.Name, Kubeconfig: m.Kubeconfig, Context: m.Context, Timeout: s.timeout}
	if s.kubeconfig != "" {
		// A context of the file in the configuration means nothing in another file.
		t.Kubeconfig, t.Context = s.kubeconfig, ""
	}
	if s.context != "" {
		t.Context = s.context
	}
	p.Namespaces = m.Namespaces
	if len(s.namespaces) > 0 {
		p.Namespaces = s.namespaces
	}
	if s.allNamespaces {
		p.Namespaces = nil
	}
	p.Management = &t
	return nil
}

func workload(c *config.Cluster, s *settings) collect.Workload {
	w := collect.Workload{Key: c.Name, Selector: c.Selector, Site: c.Site, ReadSecret: c.ReadSecret}
	w.DeclaredNamespace, w.DeclaredName = c.Adopt.Namespace, c.Adopt.Name
	if s.target.cluster == c.Name && (s.target.name != "" || s.target.namespace != "") {
		w.DeclaredNamespace, w.DeclaredName = cmp.Or(s.target.namespace, w.DeclaredNamespace), cmp.Or(s.target.name, w.DeclaredName)
	}
	if w.DeclaredName == "" && w.DeclaredNamespace != "" {
		w.DeclaredName = c.Name
	}
	if c.Kubeconfig != "" || c.Context != "" {
		w.Target = &kube.Target{Key: c.Name, Kubeconfig: c.Kubeconfig, Context: c.Context, Timeout: s.timeout}
	}
	return w
}

// hintSelectors tells what a configuration gives away that names clusters and not their VMs.
func (r *run) hintSelectors(s *settings) {
	if len(s.cfg.Clusters) == 0 {
		return
	}
	var bare []string
	for i := range s.cfg.Clusters {
		if s.cfg.Clusters[i].Selector.IsZero() {
			bare = append(bare, s.cfg.Clusters[i].Name)
		}
	}
	if len(bare) == len(s.cfg.Clusters) {
		r.warnf("%s: no cluster has a selector, so that VMs which never joined are recognised by their likeness to members only",
			s.cfg.Path)
	} else if len(bare) > 0 {
		r.verbosef("clusters without a selector: %s", strings.Join(bare, ", "))
	}
}
