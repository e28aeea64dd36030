package cli

import (
	"cmp"
	"fmt"
	"path/filepath"

	"github.com/urfave/cli/v2"

	"github.com/proxaudit/proxaudit/adopt"
	"github.com/proxaudit/proxaudit/internal/config"
	"github.com/proxaudit/proxaudit/inventory"
)

// catFuture groups what is about machines to come.
const catFuture = "What future machines are made from (else clusters[].adopt of the configuration)"

func adoptFlags() []cli.Flag {
	return append(targetFlags(), []cli.Flag{
		&cli.StringFlag{Name: "capi-version", Category: catCommand, Usage: "`VERSION` of Cluster API, where its Deployment does not say"},
		&cli.StringFlag{Name: "capmox-version", Category: catCommand, Usage: "`VERSION` of CAPMOX, where its Deployment does not say"},
		&cli.BoolFlag{Name: "user-pki", Category: catCommand, Usage: "the PKI Secrets stay yours: the control-plane controller neither owns nor rotates them"},
		&cli.StringSliceFlag{Name: "leave-out", Category: catCommand, Usage: "do not adopt this worker `NODE`; repeatable. One that is no VM of a scanned site is left out by itself"},
		&cli.BoolFlag{Name: "force", Category: catCommand, Usage: "render in spite of blockers that can destroy nothing"},
		&cli.BoolFlag{Name: "server-dry-run", Category: catCommand, Usage: "let the management cluster judge the manifests (dryRun=All): its webhooks and definitions; nothing is stored"},
		&cli.StringFlag{Name: "output-dir", Category: catCommand, Usage: "write the steps as files, and RUNBOOK.md, into a new `FOLDER`, and nothing to standard output"},
		&cli.StringFlag{Name: "nodes-out", Category: catCommand, Usage: "write the Nodes with the providerIDs that they lack into `FILE`"},
		&cli.StringFlag{Name: "pki-dir", Category: catCommand, Usage: "read the cluster's keys from `FOLDER`, a copy of /etc/kubernetes/pki, for --secrets-dir"},
		&cli.StringFlag{Name: "secrets-dir", Category: catCommand, Usage: "write the Secrets into a new `FOLDER` that only you can read, after comparing the CA with the API server's"},
		&cli.StringFlag{Name: "kubeconfig-file", Category: catCommand, Usage: "`FILE` for the kubeconfig Secret; else admin.conf in or beside --pki-dir"},
		&cli.IntFlag{Name: "template", Category: catFuture, Usage: "`VMID` of the template"},
		&cli.StringSliceFlag{Name: "addresses", Category: catFuture, Usage: "`ADDRESSES` that nobody uses: one, FIRST-LAST, or a CIDR; repeatable"},
		&cli.IntFlag{Name: "prefix", Category: catFuture, Usage: "`LENGTH` of their network's prefix in bits (default: the adopted machines')"},
		&cli.StringFlag{Name: "gateway", Category: catFuture, Usage: "`ADDRESS` of its gateway (default: the adopted machines')"},
		&cli.StringSliceFlag{Name: "dns", Category: catFuture, Usage: "`ADDRESS` of a DNS server; repeatable (default: the adopted machines')"},
		&cli.StringFlag{Name: "credentials-secret", Category: catFuture, Usage: "`NAME` of the Secret with CAPMOX's access to Proxmox (default: NAME-pve)"},
		&cli.BoolFlag{Name: "controller-credentials", Category: catFuture, Usage: "CAPMOX uses the access that it was started with"},
	}...)
}

// targetFlags name the cluster and what it becomes; adopt and verify share them.
func targetFlags() []cli.Flag {
	return []cli.Flag{
		// A slice, for the library forgets all but the last value of another flag.
		&cli.StringSliceFlag{Name: "cluster", Category: catCommand, Usage: "the `CLUSTER`, as proxaudit inventory names it"},
		&cli.StringFlag{Name: "target-name", Category: catCommand, Usage: "`NAME` of the Cluster object (default: the cluster's)"},
		&cli.StringFlag{Name: "target-namespace", Category: catCommand, Usage: "`NAMESPACE` of the objects (default: NAME)"},
	}
}

// adoptOptions puts the flags over clusters[].adopt.
func adoptOptions(c *cli.Context, s *settings) (adopt.Options, error) {
	opt := adopt.Options{Options: s.options(), Cluster: s.target.cluster, CAPIVersion: c.String("capi-version"),
		CAPMOXVersion: c.String("capmox-version"), UserPKI: c.Bool("user-pki"), LeaveOut: c.StringSlice("leave-out"), Force: c.Bool("force")}
	a := clusterConfig(s.cfg, opt.Cluster).Adopt
	opt.Name, opt.Namespace = cmp.Or(c.String("target-name"), a.Name), cmp.Or(c.String("target-namespace"), a.Namespace)
	f := &opt.Future
	*f = adopt.Future{Template: a.Template, Addresses: a.Addresses, Prefix: a.Prefix, Gateway: a.Gateway, DNSServers: a.DNSServers,
		CredentialsSecret: a.CredentialsSecret, ControllerCredentials: a.ControllerCredentials}
	if c.IsSet("template") {
		if f.Template = c.Int("template"); !inventory.ValidVMID(f.Template) {
			return opt, usagef("--template: %d is no VMID (a number from 100 to 999999999)", f.Template)
		}
	}
	if c.IsSet("prefix") {
		if f.Prefix = c.Int("prefix"); f.Prefix < 1 || f.Prefix > 128 {
			return opt, usagef("--prefix: %d is no length of a network's prefix", f.Prefix)
		}
	}
	if v := c.StringSlice("addresses"); len(v) > 0 {
		f.Addresses = v
	}
	if v := c.StringSlice("dns"); len(v) > 0 {
		f.DNSServers = v
	}
	f.Gateway = cmp.Or(c.String("gateway"), f.Gateway)
	if c.IsSet("credentials-secret") {
		f.CredentialsSecret, f.ControllerCredentials = c.String("credentials-secret"), false
	}
	if c.Bool("controller-credentials") {
		if c.IsSet("credentials-secret") {
			return opt, usagef("--controller-credentials and --credentials-secret contradict each other")
		}
		f.CredentialsSecret, f.ControllerCredentials = "", true
	}
	if wrong := opt.Check(); len(wrong) > 0 && adoptFields[wrong[0].Option] == "" {
		return opt, usagef("--%s: %s", wrong[0].Option, wrong[0].Text)
	} else if len(wrong) > 0 {
		return opt, usagef("--%s, or %s in proxaudit.yaml: %s", wrong[0].Option, adoptFields[wrong[0].Option], wrong[0].Text)
	}
	return opt, nil
}

// adoptFields are the fields of the configuration that the flags stand over.
var adoptFields = map[string]string{"target-name": "clusters[].adopt.name", "target-namespace": "clusters[].adopt.namespace", "addresses": "clusters[].adopt.addresses",
	"prefix": "clusters[].adopt.prefix", "gateway": "clusters[].adopt.gateway", "dns": "clusters[].adopt.dnsServers", "credentials-secret": "clusters[].adopt.credentialsSecret"}

// sameServers are the flags with which verify, in whatever folder and whatever kubectl's current context is by then, reads what this
// run did.
func sameServers(c *cli.Context, s *settings, snap *inventory.Snapshot) ([]string, error) {
	var out []string
	for _, f := range []struct{ flag, file string }{{"config", s.cfg.Path}, {"kubeconfig", s.kubeconfig}} {
		if f.file == "" {
			continue
		}
		path, err := filepath.Abs(f.file)
		if err != nil {
			return nil, fmt.Errorf("--%s %s: %w", f.flag, f.file, err)
		}
		out = append(out, "--"+f.flag+"="+path)
	}
	for _, flag := range []string{"context", "target-name", "target-namespace"} {
		v := c.String(flag)
		if flag == "context" {
			v = cmp.Or(v, currentContext(s, snap))
		}
		if v != "" {
			out = append(out, "--"+flag+"="+v)
		}
	}
	if s.insecure {
		out = append(out, "--insecure")
	}
	return out, nil
}

// currentContext is the management cluster's if nobody named it and kubectl's current one was taken; empty if somebody did.
func currentContext(s *settings, snap *inventory.Snapshot) string {
	m := snap.Management
	if m == nil || m.Context == inventory.InCluster {
		return ""
	}
	if named := s.cfg.Management; s.kubeconfig == "" && named != nil && (named.None || named.Context != "") {
		return ""
	}
	return m.Context
}

// clusterConfig is the configuration's entry for a cluster; an empty one if there is none.
func clusterConfig(cfg *config.Config, name string) config.Cluster {
	for i := range cfg.Clusters {
		if cfg.Clusters[i].Name == name {
			return cfg.Clusters[i]
		}
	}
	return config.Cluster{}
}
