package progress

import (
	"cmp"
	"slices"
	"strings"

	"github.com/proxaudit/proxaudit/inventory"
	"github.com/proxaudit/proxaudit/inventory/shell"
)

// management is a kubectl line for the management cluster.
func (w *World) management(words ...string) string {
	var access []string
	if m := w.s.Management; m != nil && m.Context != inventory.InCluster {
		access = shell.Access(m.Kubeconfig, m.Context)
	}
	return shell.Line(slices.Concat([]string{"kubectl"}, access, words)...)
}

// workload is one for a cluster itself.
func (w *World) workload(c *inventory.Cluster, words ...string) string {
	return shell.Line(slices.Concat([]string{"kubectl"}, shell.Access(c.Kubeconfig, c.Context()), words)...)
}

// resource is what kubectl calls a kind.
func resource(r inventory.Ref) string {
	name := strings.ToLower(r.Kind) + "s"
	if r.Group != "" {
		name += "." + r.Group
	}
	return name
}

// look are the commands about an object of the management cluster, and its controller's log.
func (w *World) look(b *Baton) []string {
	r := b.Object
	var out []string
	if r.Name != "" && b.Cluster == "" {
		out = append(out, w.management(inNamespace(r, "describe", resource(r), r.Name)...))
		// Events about what has no namespace are in this one (kubernetes client-go tools/events, tools/record).
		out = append(out, w.management("-n", cmp.Or(r.Namespace, "default"), "get", "events", "--field-selector", "involvedObject.kind="+r.Kind+",involvedObject.name="+r.Name))
	}
	if p := w.provider(b.Holder, r.Kind); p != nil {
		out = append(out, w.management("-n", p.Namespace, "logs", "deployment/"+p.Name, "--since=1h"))
	}
	return out
}

func inNamespace(r inventory.Ref, words ...string) []string {
	if r.Namespace == "" {
		return words
	}
	return append([]string{"-n", r.Namespace}, words...)
}
