package adopt

import (
	"bytes"
	"fmt"

	"github.com/proxaudit/proxaudit/inventory/safeyaml"
)

// nodePatchDocument is the Nodes of the workload cluster with the providerID that each lacks. The API server takes a
// providerID where there is none, and refuses any change of one (k8s.io/kubernetes pkg/apis/core/validation:
// ValidateNodeUpdate).
func nodePatchDocument(patches []NodePatch) ([]byte, error) {
	var out bytes.Buffer
	for _, n := range patches {
		text, err := safeyaml.Marshal(map[string]any{
			"apiVersion": "v1", "kind": "Node",
			"metadata": map[string]any{"name": n.Node},
			"spec":     map[string]any{"providerID": n.ProviderID},
		})
		if err != nil {
			return nil, fmt.Errorf("the providerID of Node %s cannot be written as YAML: %w", n.Node, err)
		}
		out.WriteString("---\n")
		out.Write(text)
	}
	return out.Bytes(), nil
}
