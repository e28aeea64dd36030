package adopt_test

import (
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/proxaudit/proxaudit/inventory"
	"github.com/proxaudit/proxaudit/inventory/invisible"
)

// TestNothingIsHidden: marks that turn the reading direction, and controls, stand escaped in the manifests, and the values are those
// that the cluster has.
func TestNothingIsHidden(t *testing.T) {
	for name, nasty := range map[string]string{"direction": "a\u202eb", "no width": "a\u200bb", "control": "a\x1b[2Jb", "delete": "a\x7fb", "C1": "a\u009bb"} {
		t.Run(name, func(t *testing.T) {
			s, o := spoiled(all(setNode("w-1", func(n *inventory.Node) { n.Labels = map[string]string{"node-role.kubernetes.io/gpu": nasty} }),
				setVM(101, func(v *inventory.VM) { v.Config.NICs[0].Bridge = nasty }), setNode("cp-2", func(n *inventory.Node) {
					n.Taints = append(n.Taints, inventory.Taint{Key: "k", Value: nasty, Effect: "NoSchedule"})
				}), setNode("cp-1", func(n *inventory.Node) { n.Annotations = nil }), setNodes("cp-", func(n *inventory.Node) {
					n.Annotations = map[string]string{"kubeadm.alpha.kubernetes.io/cri-socket": nasty}
				})))
			o.Force = true
			p := plan(t, s, o)
			if !p.Ready() {
				// Other rules may refuse it, and then say why.
				if len(p.Blockers) == 0 {
					t.Error("neither a bundle nor a blocker")
				}
				return
			}
			text := string(p.Bundle().Manifests())
			if strings.ContainsFunc(text, func(r rune) bool { return r != '\n' && invisible.Is(r) }) {
				t.Error("something invisible is in the manifests")
			}
			found := 0
			for _, d := range p.Bundle().Documents {
				var object map[string]any
				if err := yaml.UnmarshalStrict(d.YAML, &object); err != nil {
					t.Fatalf("%s: %v", d.Name, err)
				}
				found += count(object, nasty)
			}
			if found < 2 {
				t.Errorf("the value stands in the manifests %d times", found)
			}
		})
	}
}

func count(v any, text string) int {
	n := 0
	switch v := v.(type) {
	case string:
		if v == text {
			n++
		}
	case []any:
		for _, item := range v {
			n += count(item, text)
		}
	case map[string]any:
		for _, item := range v {
			n += count(item, text)
		}
	}
	return n
}
