package adopt

import (
	"fmt"

	"k8s.io/apimachinery/pkg/util/validation"
)

var ruleObjectName = Rule{
	ID: "PXA218", Blocks: true,
	Title:  "Cluster's name cannot be an object's",
	Why:    "The Cluster object, its namespace and the labels of all others have this name: lower-case letters, digits and \"-\", 63 characters at most.",
	Remedy: "Give another one: --target-name NAME (and --target-namespace NAMESPACE), or clusters[].adopt.name in proxaudit.yaml.",
	check: func(r *Rule, p *planner) []Finding {
		var out []Finding
		for _, x := range []struct{ what, name string }{{"the name", p.name}, {"the namespace", p.namespace}} {
			if msgs := validation.IsDNS1123Label(x.name); len(msgs) > 0 {
				out = append(out, r.of(clusterRef(p.cluster.Key), fmt.Sprintf("%s %q is no DNS-1123 label", x.what, x.name)))
			}
		}
		return out
	},
}
