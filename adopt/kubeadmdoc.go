package adopt

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	bootstrapv1 "sigs.k8s.io/cluster-api/api/bootstrap/kubeadm/v1beta2"
	kjson "sigs.k8s.io/json"
	"sigs.k8s.io/yaml"

	"github.com/proxaudit/proxaudit/inventory/strictyaml"
)

// parseKubeadm reads a document as kubeadm does, names of fields by their case. A text in which a key stands twice, or another document
// follows, is refused: what kubeadm takes of it need not be what is taken here. It returns the paths of the fields that this
// program does not know.
func parseKubeadm(text string) (clusterConfiguration, []string, error) {
	var doc clusterConfiguration
	if err := strictyaml.Check(text); err != nil {
		return doc, nil, err
	}
	raw, err := yaml.YAMLToJSON([]byte(text))
	if err != nil {
		return doc, nil, err
	}
	strict, err := kjson.UnmarshalStrict(raw, &doc)
	if err != nil {
		return doc, nil, err
	}
	return doc, fieldPaths("", strict), nil
}

// fieldPaths are those of the fields that a strict reading did not know.
func fieldPaths(prefix string, strict []error) []string {
	var out []string
	for _, err := range strict {
		var field kjson.FieldError
		if errors.As(err, &field) {
			out = append(out, prefix+field.FieldPath())
		}
	}
	return out
}

// args reads extraArgs: a map in v1beta3, and in v1beta4 a list, in which one name may stand several times. Cluster API takes
// each name once (api/bootstrap/kubeadm/v1beta2: "extraArgs name must be unique"), so that the last one stays: it is what
// counts for an argument that is no list.
func (k *kubeadmConfig) args(path string, raw json.RawMessage) []bootstrapv1.Arg {
	list, unknown, err := readArgs(raw)
	if err != nil {
		k.err = fmt.Errorf("kubeadm-config cannot be read: %s: %w", path, err)
		return nil
	}
	for _, u := range unknown {
		k.lost = append(k.lost, path+u)
	}
	var out []bootstrapv1.Arg
	for i, a := range list {
		if a.Value == nil {
			empty := ""
			a.Value = &empty
		}
		later := slices.ContainsFunc(list[i+1:], func(b bootstrapv1.Arg) bool { return b.Name == a.Name })
		if later {
			k.lost = append(k.lost, fmt.Sprintf("%s: %s=%s (the name occurs several times, and Cluster API takes it once: the last one is kept)", path, a.Name, *a.Value))
			continue
		}
		out = append(out, a)
	}
	return out
}

func readArgs(raw json.RawMessage) (list []bootstrapv1.Arg, unknown []string, err error) {
	text := strings.TrimSpace(string(raw))
	if text == "" || text == "null" {
		return nil, nil, nil
	}
	if strings.HasPrefix(text, "[") {
		strict, err := kjson.UnmarshalStrict(raw, &list)
		return list, fieldPaths("", strict), err
	}
	var m map[string]string
	if err := json.Unmarshal(raw, &m); err != nil {
		return nil, nil, fmt.Errorf("it is neither a list nor a map of strings: %w", err)
	}
	for _, name := range slices.Sorted(maps.Keys(m)) {
		v := m[name]
		list = append(list, bootstrapv1.Arg{Name: name, Value: &v})
	}
	return list, nil, nil
}
