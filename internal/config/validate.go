package config

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/proxaudit/proxaudit/audit"
)

// siteName is what can stand between the slashes of vm/SITE/VMID.
var siteName = regexp.MustCompile(`^[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?$`)

func checkSiteName(name string) error {
	if !siteName.MatchString(name) {
		return errors.New("a site's name has letters, digits, '.', '_' and '-' only, for it stands in vm/SITE/VMID")
	}
	return nil
}

// clusterName is wider: people name clusters after kubeconfig contexts (admin@prod, arn:aws:…), and NAMESPACE/NAME tells
// two of the same name apart.
var clusterName = regexp.MustCompile(`^([a-z0-9][a-z0-9-]*/)?[A-Za-z0-9]([A-Za-z0-9._@:-]*[A-Za-z0-9])?$`)

// maxConcurrency is where a number is a typing error: pveproxy has three workers per host (pve-manager,
// MAX_WORKERS), and more in flight only makes its queue longer.
const maxConcurrency = 64

// validate checks what the values mean and resolves secrets.
func (c *Config) validate(p *problems, use Use, getenv Getenv) {
	c.validateSites(p, use, getenv)
	c.validateManagement(p)
	c.validateClusters(p)
	checkPath(p, "ignore", c.Ignore)
	if _, err := ParseSeverity(c.Thresholds.FailOn); err != nil && c.Thresholds.FailOn != "" {
		p.at("thresholds.failOn", "%v", err)
	}
	if _, given := p.lines["requestTimeout"]; given && c.RequestTimeout == 0 {
		p.at("requestTimeout", "0 would let a dead host hold the run for ever: give a time, like 35s, or leave it out")
	}
}

func (c *Config) validateSites(p *problems, use Use, getenv Getenv) {
	names, regions := map[string]int{}, map[string]string{}
	for i := range c.Sites {
		s, key := &c.Sites[i], fmt.Sprintf("sites[%d]", i)
		switch first, twice := names[s.Name]; {
		case s.Name == "":
			p.at(key, "name is missing: it is the SITE of vm/SITE/VMID")
		case checkSiteName(s.Name) != nil:
			p.at(key+".name", "%v", checkSiteName(s.Name))
		case twice:
			p.at(key+".name", "%s is the name of sites[%d] too", shown(s.Name), first)
		default:
			names[s.Name] = i
		}
		s.validate(p, key, use, getenv)
		for j, r := range s.Regions {
			rkey := fmt.Sprintf("%s.regions[%d]", key, j)
			if r == "" || strings.Contains(r, "/") {
				p.at(rkey, "want the region's name from the cloud controller manager's configuration")
			} else if other, taken := regions[r]; taken {
				p.at(rkey, "region %s is claimed by site %s too: a region belongs to one site", shown(r), shown(other))
			} else {
				regions[r] = s.Name
			}
		}
	}
}

func (c *Config) validateManagement(p *problems) {
	m := c.Management
	if m == nil {
		return
	}
	if m.None && (m.Kubeconfig != "" || m.Context != "" || len(m.Namespaces) > 0 || m.Name != "") {
		p.at("management.none", "says that there is no management cluster, and other keys of management describe one")
	}
	if m.Name != "" && !clusterName.MatchString(m.Name) {
		p.at("management.name", "a cluster's name has letters, digits and . _ @ : - only, and may have its namespace in front (NAMESPACE/NAME)")
	}
	checkPath(p, "management.kubeconfig", m.Kubeconfig)
	for i, ns := range m.Namespaces {
		if err := CheckNamespace(ns); err != nil {
			p.at(fmt.Sprintf("management.namespaces[%d]", i), "%v", err)
		}
	}
}

// namespaceName is an RFC 1123 label, as Kubernetes has it.
var namespaceName = regexp.MustCompile(`^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$`)

// CheckNamespace refuses what cannot be the name of a namespace.
func CheckNamespace(s string) error {
	if !namespaceName.MatchString(s) {
		return fmt.Errorf("%s is no namespace's name: lower-case letters, digits and '-', at most 63", shown(s))
	}
	return nil
}

func (c *Config) validateClusters(p *problems) {
	sites := map[string]bool{}
	for _, s := range c.Sites {
		sites[s.Name] = true
	}
	keys, access := map[string]int{}, map[string]int{}
	for i := range c.Clusters {
		cl, key := &c.Clusters[i], fmt.Sprintf("clusters[%d]", i)
		switch first, twice := keys[cl.Name]; {
		case cl.Name == "":
			p.at(key, "name is missing")
		case !clusterName.MatchString(cl.Name):
			p.at(key+".name", "a cluster's name has letters, digits and . _ @ : - only, and may have its namespace in front (NAMESPACE/NAME)")
		case twice:
			p.at(key+".name", "%s is the name of clusters[%d] too", shown(cl.Name), first)
		default:
			keys[cl.Name] = i
		}
		switch {
		case cl.ReadSecret && (cl.Kubeconfig != "" || cl.Context != ""):
			p.at(key+".readSecret", "contradicts kubeconfig and context: give one way to reach the cluster")
		case cl.ReadSecret && c.Management != nil && c.Management.None:
			p.at(key+".readSecret", "the Secret lives in the management cluster, and management.none says there is none")
		case cl.Kubeconfig != "" || cl.Context != "":
			way := cl.Kubeconfig + "\x00" + cl.Context
			if first, taken := access[way]; taken {
				p.at(key, "has the kubeconfig and context of clusters[%d]: one API server cannot be two clusters", first)
			}
			access[way] = i
		}
		if cl.Site != "" && len(c.Sites) > 0 && !sites[cl.Site] {
			p.at(key+".site", "there is no site %s under sites", shown(cl.Site))
		}
		checkPath(p, key+".kubeconfig", cl.Kubeconfig)
		validateSelector(p, key+".selector", &cl.Selector)
		validateAdopt(p, key+".adopt", &cl.Adopt)
	}
}

// checkPath keeps what may be a secret out of the coverage, where the path of a file that cannot be read is told.
func checkPath(p *problems, key, path string) {
	if looksSecret.MatchString(path) {
		p.at(key, "looks like a secret or a URL with a password: want the name of a file")
	}
}

// ParseSeverity reads a value of --fail-on and thresholds.failOn.
func ParseSeverity(s string) (audit.Severity, error) {
	switch v := audit.Severity(s); v {
	case audit.Critical, audit.Warning, audit.Info:
		return v, nil
	default:
		return "", fmt.Errorf("%s is no severity: want critical, warning or info", shown(s))
	}
}
