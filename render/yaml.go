package render

import (
	"bytes"
	"fmt"
	"strings"

	yamlv3 "go.yaml.in/yaml/v3"
	"sigs.k8s.io/yaml"
)

// renderYAML goes through JSON, so that both have the same keys and the same omissions.
func renderYAML(b *bytes.Buffer, d Document, _ Options) error {
	doc, err := encodeJSON(d.Value)
	if err != nil {
		return err
	}
	// The library reads the JSON as YAML, which forbids control characters that JSON allows raw, and knows no
	// surrogate pairs.
	var safe bytes.Buffer
	escapeRunes(&safe, doc, func(r rune) bool { return isInvisible(r) && r <= 0xffff })
	out, err := yaml.JSONToYAML(safe.Bytes())
	if err != nil {
		return fmt.Errorf("encoding the result as YAML: %w", err)
	}
	if bytes.ContainsFunc(out, isInvisible) {
		if out, err = quoteInvisible(out); err != nil {
			return fmt.Errorf("encoding the result as YAML: %w", err)
		}
	}
	b.Write(out)
	return nil
}

// quoteInvisible rewrites a YAML document so that texts with bidi overrides, zero-width characters and the like stand
// in double quotes, where they can be escaped without a change of the value. The emitter takes them for printable.
func quoteInvisible(doc []byte) ([]byte, error) {
	var n yamlv3.Node
	if err := yamlv3.Unmarshal(doc, &n); err != nil {
		return nil, err
	}
	quoteNode(&n)
	var b bytes.Buffer
	enc := yamlv3.NewEncoder(&b)
	enc.SetIndent(2)
	enc.CompactSeqIndent()
	if err := enc.Encode(&n); err != nil {
		return nil, err
	}
	if err := enc.Close(); err != nil {
		return nil, err
	}
	var out bytes.Buffer
	for _, r := range b.String() {
		switch {
		case !isInvisible(r):
			out.WriteRune(r)
		case r > 0xffff:
			fmt.Fprintf(&out, `\U%08x`, r)
		default:
			fmt.Fprintf(&out, `\u%04x`, r)
		}
	}
	return out.Bytes(), nil
}

func quoteNode(n *yamlv3.Node) {
	if n.Kind == yamlv3.ScalarNode && strings.ContainsFunc(n.Value, func(r rune) bool { return !isVisible(r) }) {
		n.Style = yamlv3.DoubleQuotedStyle
	}
	for _, c := range n.Content {
		quoteNode(c)
	}
}
