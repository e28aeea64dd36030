package pki

import (
	"cmp"
	"encoding/hex"
	"fmt"
	"maps"
	"net"
	"path"
	"slices"
	"strings"

	"github.com/proxaudit/proxaudit/inventory/shell"
)

// Command is a line for a POSIX shell.
type Command struct {
	// Makes is the Secret that it makes, as NAMESPACE/NAME; empty for a command that prepares or cleans up.
	Makes string `json:"makes,omitempty"`
	// Why says in one sentence what it is for.
	Why  string `json:"why"`
	Line string `json:"line"`
	When When   `json:"when,omitempty"`
}

// Shown is the command below a comment that says what it is for.
func (c *Command) Shown() []string {
	why := c.Why
	if c.Makes != "" {
		why = c.Makes + ": " + why
	}
	return []string{"# " + why, c.Line}
}

// When says in which part of the work a command belongs.
type When string

const (
	// Before is what has to be seen to be right before any Secret is made.
	Before When = "before"
	// Making is the work itself.
	Making When = ""
	// After comes when the Secrets were looked at.
	After When = "after"
)

// CommandOptions say for which Secrets to print commands.
type CommandOptions struct {
	Options
	// Access are kubectl's arguments for the management cluster, --kubeconfig and --context; none means the current context.
	Access []string
	// Host is a control-plane node's address or name; empty prints a placeholder for it.
	Host string
	// PKIDir is kubeadm's certificatesDir; empty means DefaultDir.
	PKIDir string
	// ExternalEtcd is true if kubeadm's configuration has etcd.external.
	ExternalEtcd bool
	// EtcdCA, EtcdClientCert and EtcdClientKey are where that says that a control-plane node has them; empty means as
	// kubeadm lays them out below PKIDir.
	EtcdCA, EtcdClientCert, EtcdClientKey string
	// NoCAKey is true for an external CA, whose key is on no node.
	NoCAKey bool
}

// Commands are what makes the same Secrets by hand: copy the files, compare the authority with the API server's, make
// each Secret, remove the copy. No key passes through a command line. The error is Problems: names that no API server takes.
func Commands(o CommandOptions) ([]Command, error) {
	if err := checkNames(o.Cluster, o.Namespace, o.Bootstrap).err(); err != nil {
		return nil, err
	}
	if o.PKIDir == "" {
		o.PKIDir = DefaultDir
	}
	local := CopyFolder(o.Cluster)
	// Its name is ours whatever the remote folder's is: kubectl reads commas and equal signs in --from-file.
	dir := path.Join(local, "pki")
	kind := ownedType(o.Owned && !o.NoCAKey)
	etcdCert, clientCert, clientKey := path.Join(dir, FileEtcdCert), path.Join(dir, FileEtcdClientCert), path.Join(dir, FileEtcdClientKey)
	// scp would put a second copy into a folder that is there.
	fetch := fmt.Sprintf("mkdir -p %s && rm -rf -- %s && scp -r %s %s && scp %s %s", shell.Quote(local), shell.Quote(dir), shell.Quote(o.remote(path.Clean(o.PKIDir))),
		shell.Quote(dir), shell.Quote(o.remote("/etc/kubernetes/"+FileKubeconfig)), shell.Quote(KubeconfigCopy(o.Cluster)))
	if o.ExternalEtcd {
		for _, f := range []struct {
			configured, usual, name string
			to                      *string
		}{{o.EtcdCA, FileEtcdCert, "etcd-ca.crt", &etcdCert}, {o.EtcdClientCert, FileEtcdClientCert, FileEtcdClientCert, &clientCert},
			{o.EtcdClientKey, FileEtcdClientKey, FileEtcdClientKey, &clientKey}} {
			if f.configured == "" || path.Clean(f.configured) == path.Join(o.PKIDir, f.usual) {
				continue
			}
			// Its name is ours here too.
			*f.to = path.Join(local, f.name)
			fetch += fmt.Sprintf(" && scp %s %s", shell.Quote(o.remote(path.Clean(f.configured))), shell.Quote(*f.to))
		}
	}
	all := []Command{
		{When: Before,
			Why:  "copies the keys and the administrator's kubeconfig from a control-plane node into a folder that only you can read (again, if it is there)",
			Line: "(umask 077 && " + fetch + ")"},
		{When: Before, Why: "shows the address by which the controllers will reach the cluster", Line: "grep server: " + shell.Quote(KubeconfigCopy(o.Cluster))},
		o.compare(path.Join(dir, FileCACert)),
	}
	pair := func(purpose, kind, cert, key string, withKey bool) {
		all = append(all, o.pair(purpose, kind, path.Join(dir, cert), path.Join(dir, key), cert, key, withKey))
	}
	all = append(all, o.authority(kind, dir),
		o.pair("etcd", kind, etcdCert, path.Join(dir, FileEtcdKey), o.shown(o.EtcdCA, FileEtcdCert), FileEtcdKey, !o.ExternalEtcd))
	pair("proxy", kind, FileProxyCert, FileProxyKey, true)
	pair("sa", kind, FileSAPublic, FileSAKey, true)
	if o.ExternalEtcd {
		all = append(all, o.pair("apiserver-etcd-client", TypeOpaque, clientCert, clientKey,
			o.shown(o.EtcdClientCert, FileEtcdClientCert), o.shown(o.EtcdClientKey, FileEtcdClientKey), true))
	}
	all = append(all, o.kubeconfig())
	for _, name := range o.Bootstrap {
		all = append(all, o.create(name, TypeOwned, "an empty bootstrap Secret: with it no controller can bootstrap the machine anew"))
	}
	return append(all, Command{When: After, Why: "removes the copy of the keys", Line: "rm -rf -- " + shell.Quote(local)}), nil
}

// RenewKubeconfig are the commands that put a new kubeconfig into its Secret. The error is Problems, as of Commands.
func RenewKubeconfig(o CommandOptions) ([]Command, error) {
	if err := checkNames(o.Cluster, o.Namespace, o.Bootstrap).err(); err != nil {
		return nil, err
	}
	kubectl := append([]string{"kubectl"}, o.Access...)
	local, file := CopyFolder(o.Cluster), KubeconfigCopy(o.Cluster)
	return []Command{
		{When: Before, Why: "shows when the certificate in the kubeconfig of the Secret ends",
			Line: line(append(kubectl, "-n", o.Namespace, "get", "secret", o.Cluster+"-kubeconfig", "-o", "jsonpath={.data."+KeyKubeconfig+"}")) +
				` | base64 -d | sed -n 's/.*client-certificate-data"\{0,1\}: *"\{0,1\}\([A-Za-z0-9+/=]*\).*/\1/p' | base64 -d | openssl x509 -noout -enddate`},
		{When: Before, Why: "gives admin.conf of a control-plane node a new certificate; nothing restarts", Line: "ssh " + shell.Quote(Login(o.Host)) + " kubeadm certs renew " + FileKubeconfig},
		{When: Before, Why: "copies it into a folder that only you can read", Line: "(umask 077 && mkdir -p " + shell.Quote(local) + " && scp " + shell.Quote(o.remote("/etc/kubernetes/"+FileKubeconfig)) + " " + shell.Quote(file) + ")"},
		{When: Before, Why: "shows the address in it", Line: "grep server: " + shell.Quote(file)},
		o.kubeconfig(),
		{When: After, Why: "removes the copy", Line: "rm -rf -- " + shell.Quote(local)},
	}, nil
}

// kubeconfig makes the Secret of the kubeconfig. kubeadm calls the cluster in it "kubernetes": the controller cannot renew such a one
// (see rotatable).
func (o CommandOptions) kubeconfig() Command {
	return o.create(o.Cluster+"-kubeconfig", TypeOpaque, "the kubeconfig through which the controllers reach the cluster; no controller renews it: that is yours, before its certificate ends",
		"--from-file="+KeyKubeconfig+"="+KubeconfigCopy(o.Cluster))
}

// CopyFolder is where the commands put the copy of the keys.
func CopyFolder(cluster string) string { return cluster + "-pki" }

// KubeconfigCopy is where they put that of the kubeconfig.
func KubeconfigCopy(cluster string) string { return path.Join(CopyFolder(cluster), FileKubeconfig) }

// Login is root on a node for ssh; a host that is not known is left to be filled in.
func Login(host string) string { return "root@" + cmp.Or(host, "CONTROL-PLANE-NODE") }

// Remote is a file of a node for scp, which reads the colons of an address for its own.
func Remote(host, file string) string {
	if strings.Contains(host, ":") && net.ParseIP(host) != nil {
		host = "[" + host + "]"
	}
	return Login(host) + ":" + file
}

func (o CommandOptions) remote(file string) string { return Remote(o.Host, file) }

// RightAuthority is what the comparison of the authorities says if they are the same.
const RightAuthority = "the right authority"

// Compares is true if the API server's authority was seen, so that a command can compare the copied one with it.
func (o CommandOptions) Compares() bool { return len(o.known()) > 0 }

// known are the checksums of the API server's authorities.
func (o CommandOptions) known() []string {
	var out []string
	for _, s := range o.ServingCAs {
		if b, err := hex.DecodeString(s); err == nil && len(b) == 32 {
			out = append(out, strings.ToLower(s))
		}
	}
	return out
}

// compare stops whoever follows the commands at a copy of the wrong cluster.
func (o CommandOptions) compare(cert string) Command {
	line := "openssl x509 -in " + shell.Quote(cert) + " -outform der | sha256sum"
	known := o.known()
	if len(known) == 0 {
		return Command{Line: line, When: Before,
			Why: "shows which authority was copied; compare it with the CA that the API server's certificate is verified to, which this run did not see, and go on only if it is the same"}
	}
	// As one command: behind a || what failed before would pass for a wrong authority.
	return Command{Line: "if " + line + " | grep -qE " + shell.Quote("^("+strings.Join(known, "|")+") ") + "; then echo '" + RightAuthority + "'; else echo 'WRONG AUTHORITY: stop' >&2; false; fi", When: Before,
		Why: "compares the copied authority with the one that signed the certificate of the API server that runs"}
}

// shown is how a file of external etcd is called in the text.
func (o CommandOptions) shown(configured, usual string) string {
	if !o.ExternalEtcd || configured == "" || path.Clean(configured) == path.Join(o.PKIDir, usual) {
		return usual
	}
	return path.Clean(configured)
}

// pair takes two files, and says what they are called on the node.
func (o CommandOptions) pair(purpose, kind, cert, key, certName, keyName string, withKey bool) Command {
	from := []string{"--from-file=" + KeyCert + "=" + cert}
	why := certName
	if withKey {
		from = append(from, "--from-file="+KeyPrivate+"="+key)
		why += " and " + keyName
	}
	return o.create(o.Cluster+"-"+purpose, kind, why+" of a control-plane node", from...)
}

// authority is the Secret of the cluster's CA. Who keeps the Secrets for himself may have a CA whose key is on no node:
// then the file is named where it is.
func (o CommandOptions) authority(kind, dir string) Command {
	c := o.pair("ca", kind, path.Join(dir, FileCACert), path.Join(dir, FileCAKey), FileCACert, FileCAKey, !o.NoCAKey)
	if o.Owned || o.NoCAKey {
		return c
	}
	key := "--from-file=" + shell.Quote(KeyPrivate+"="+path.Join(dir, FileCAKey))
	c.Line = strings.Replace(c.Line, key, "$(test -e "+shell.Quote(path.Join(dir, FileCAKey))+" && echo "+key+")", 1)
	c.Why += ", where it has one"
	return c
}

// create uses a server-side apply: a client-side one would copy the keys into an annotation.
func (o CommandOptions) create(name, kind, why string, from ...string) Command {
	kubectl := append([]string{"kubectl"}, o.Access...)
	words := append(slices.Clone(kubectl), "-n", o.Namespace, "create", "secret", "generic", name, "--type="+kind)
	words = append(words, from...)
	parts := []string{line(append(words, "--dry-run=client", "-o", "yaml"))}
	parts = append(parts, line([]string{"kubectl", "label", "--local", "-f", "-", ClusterLabel + "=" + o.Cluster, "-o", "yaml"}))
	if len(o.Annotations) > 0 {
		words = []string{"kubectl", "annotate", "--local", "-f", "-"}
		for _, k := range slices.Sorted(maps.Keys(o.Annotations)) {
			words = append(words, k+"="+o.Annotations[k])
		}
		parts = append(parts, line(append(words, "-o", "yaml")))
	}
	parts = append(parts, line(append(slices.Clone(kubectl), "apply", "--server-side", "-f", "-")))
	return Command{Makes: o.Namespace + "/" + name, Why: why, Line: strings.Join(parts, " | ")}
}

func line(words []string) string {
	quoted := make([]string, len(words))
	for i, w := range words {
		quoted[i] = shell.Quote(w)
	}
	return strings.Join(quoted, " ")
}
