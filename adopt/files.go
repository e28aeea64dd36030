package adopt

import (
	"bytes"
	"fmt"
	"path"
	"slices"
	"strings"

	"sigs.k8s.io/yaml"

	"github.com/proxaudit/proxaudit/adopt/pki"
	"github.com/proxaudit/proxaudit/inventory/shell"
)

// File is a file of --output-dir.
type File struct {
	// Name may have one folder before it: there lies what `kubectl apply -f` of the whole folder must not find.
	Name string
	Data []byte
}

// The files of --output-dir beside those of the steps.
const (
	// GivingUpFile has the commands of GivingUp.
	GivingUpFile = "giving-up.sh"
	// SecretsRoleFile lets proxaudit read the bundle's Secrets.
	SecretsRoleFile = "rbac/secrets-role.yaml" //nolint:gosec // the name of a file
)

// nodesFile has Nodes of the workload cluster.
func nodesFile(name string) string { return "workload/nodes-of-" + name + ".yaml" }

// Files are those of --output-dir but the runbook. Each says for which cluster and step it is.
func (p *Plan) Files() ([]File, error) {
	var out []File
	for _, s := range p.Steps {
		switch {
		case s.ID == StepPatchNodes && len(p.NodePatches) > 0:
			out = append(out, File{nodesFile(p.Name), p.NodesFile()})
		case StepFile(s.ID) != "":
			head := fmt.Sprintf("# Step %d of RUNBOOK.md, for the management cluster%s: not before its turn.\n", s.Number, inContext(p.managementContext))
			out = append(out, File{StepFile(s.ID), append([]byte(head), p.bundle.Step(s.ID)...)})
		}
	}
	role, err := p.SecretsRole()
	if err != nil {
		return nil, err
	}
	return append(out, File{SecretsRoleFile, role}, File{GivingUpFile, p.givingUpScript()}), nil
}

// NodesFile is the Nodes with the providerIDs that they lack.
func (p *Plan) NodesFile() []byte {
	head := fmt.Sprintf("# Step 0 of RUNBOOK.md, for the workload cluster%s and no other: the providerIDs that its Nodes lack.\n", inContext(p.workloadContext))
	return append([]byte(head), p.bundle.NodePatches...)
}

func inContext(name string) string {
	if name == "" {
		return ""
	}
	return " (context " + comment(name) + ")"
}

// secretsRole is the name of the Role and its binding. It has the cluster's in it: others may be adopted into the same namespace.
func (p *Plan) secretsRole() string { return "proxaudit-secrets-of-" + p.Name }

// SecretsRole lets the account of proxaudit read exactly the Secrets of the bundle and the one of CAPMOX's own access, each by its name.
func (p *Plan) SecretsRole() ([]byte, error) {
	var names []string
	for _, s := range p.Secrets {
		names = append(names, s.Name)
	}
	for _, m := range p.Machines {
		names = append(names, m.Name)
	}
	type m = map[string]any
	const api = "rbac.authorization.k8s.io"
	name := p.secretsRole()
	docs := func(namespace string, names []string) []m {
		meta := m{"name": name, "namespace": namespace}
		return []m{
			{"apiVersion": api + "/v1", "kind": "Role", "metadata": meta,
				"rules": []m{{"apiGroups": []string{""}, "resources": []string{"secrets"}, "resourceNames": names, "verbs": []string{"get"}}}},
			{"apiVersion": api + "/v1", "kind": "RoleBinding", "metadata": meta,
				"roleRef":  m{"apiGroup": api, "kind": "Role", "name": name},
				"subjects": []m{{"apiGroup": api, "kind": "Group", "name": "proxaudit"}}},
		}
	}
	all := docs(p.Namespace, names)
	// Where CAPMOX has an access of its own, it goes before the bundle's, and verify asks where it leads.
	if namespace, own, ok := strings.Cut(p.ownCredentials, "/"); ok && namespace != p.Namespace {
		all = append(all, docs(namespace, []string{own})...)
	}
	var out bytes.Buffer
	fmt.Fprintf(&out, "# Step 1 of RUNBOOK.md, for the management cluster%s, and only if proxaudit runs as an account of its own: what\n"+
		"# verify --read-secrets reads. These are private keys: put the account that proxaudit runs as in the place of the group.\n", inContext(p.managementContext))
	for _, doc := range all {
		text, err := yaml.Marshal(doc)
		if err != nil {
			return nil, fmt.Errorf("the Role for the Secrets cannot be written as YAML: %w", err)
		}
		out.WriteString("---\n")
		out.Write(text)
	}
	return out.Bytes(), nil
}

// Contexts are those of kubectl in the steps. An empty one is kubectl's current context.
func (p *Plan) Contexts() (management, workload string) {
	return p.managementContext, p.workloadContext
}

// MakesCredentials is true if the steps make CAPMOX's Secret, with an API token for this cluster alone; else it has access already, which
// other clusters may live on.
func (p *Plan) MakesCredentials() bool { return p.makesCredentials }

// MayWrite are commands that name what kubectl, as the steps and GivingUp call it, may not do, for either cluster. That the
// namespace is not there yet changes no answer.
func (p *Plan) MayWrite() []string {
	// It asks without a word; what cannot be asked counts as refused.
	may := func(access []string, verb, resource string, more ...string) string {
		return shell.Line(slices.Concat([]string{"kubectl"}, access, []string{"auth", "can-i", "-q"}, more)...) + " " + verb + " " + resource + " 2>/dev/null || echo \"NO: " + verb + " " + resource + "\""
	}
	var out []string
	if p.Namespace != "default" {
		out = append(out, may(p.access, "create", "namespaces"))
	}
	return append(out,
		"for kind in "+strings.Join(append(slices.Clone(bundleResources), "secrets"), " ")+"; do for verb in get list watch create patch delete; do "+
			may(p.access, "$verb", "$kind", "-n", p.Namespace)+"; done; done",
		may(p.access, "delete", "inclusterippools.ipam.cluster.x-k8s.io", "-n", p.Namespace),
		may(p.workloadAccess, "get", "nodes"), may(p.workloadAccess, "patch", "nodes"), may(p.workloadAccess, "delete", "nodes"), may(p.workloadAccess, "create", "pods/eviction", "-A"),
		may(p.workloadAccess, "create", "pods/exec", "-n", "kube-system"),
		"echo 'that was all'")
}

// DeleteNamespace removes the namespace; empty for one that no kubectl deletes.
func (p *Plan) DeleteNamespace() string {
	if p.Namespace == "default" {
		return ""
	}
	return kubectl(p.access, "delete", "namespace", p.Namespace)
}

// SecretsRoleCommands give proxaudit leave to read the Secrets, or take it away: verb is kubectl's.
func (p *Plan) SecretsRoleCommands(verb string, more ...string) string {
	return kubectl(p.access, append([]string{verb, "-f", SecretsRoleFile}, more...)...)
}

// CompareFiles are commands that show whether files are the same on each control plane.
func (p *Plan) CompareFiles() []string {
	var out []string
	for _, host := range p.controlPlaneHosts {
		sums := append([]string{"sha256sum", "--"}, p.controlPlaneFiles...)
		// A shell on the node reads it once more.
		out = append(out, "ssh "+shell.Quote(pki.Login(host))+" "+shell.Quote(shell.Line(sums...)))
	}
	return out
}

// controlPlaneFiles are the files that rules tell of: what kubeadm's configuration names, and the manifests of other static
// Pods, which lie where kubeadm puts its own.
func (p *planner) controlPlaneFiles() []string {
	var out []string
	for _, f := range p.filesOnDisk() {
		out = append(out, f.path)
	}
	for _, pod := range p.cluster.StaticPods {
		switch pod.Component {
		case "etcd", "kube-apiserver", "kube-controller-manager", "kube-scheduler":
		default:
			out = append(out, path.Join("/etc/kubernetes/manifests", strings.TrimSuffix(pod.Name, "-"+pod.Node)+".yaml"))
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}
