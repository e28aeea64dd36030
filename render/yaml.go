package render

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"

	"go.yaml.in/yaml/v3"
)

// renderYAML goes through JSON, so that both have the same keys in the same order and the same omissions. The tree is
// built here and written by the library: its own way from JSON is a YAML parser, which takes minutes for a large fleet,
// and refuses control characters that JSON allows.
func renderYAML(b *bytes.Buffer, d Document, _ Options) error {
	doc, err := encodeJSON(d.Value)
	if err != nil {
		return err
	}
	dec := json.NewDecoder(bytes.NewReader(doc))
	dec.UseNumber()
	root, err := yamlNode(dec)
	if err != nil {
		return fmt.Errorf("encoding the result as YAML: %w", err)
	}
	var out bytes.Buffer
	enc := yaml.NewEncoder(&out)
	enc.SetIndent(2)
	enc.CompactSeqIndent()
	if err := errors.Join(enc.Encode(root), enc.Close()); err != nil {
		return fmt.Errorf("encoding the result as YAML: %w", err)
	}
	escapeQuoted(b, out.Bytes())
	return nil
}

// yamlNode reads the next JSON value.
func yamlNode(dec *json.Decoder) (*yaml.Node, error) {
	tok, err := dec.Token()
	if err != nil {
		return nil, err
	}
	switch v := tok.(type) {
	case json.Delim:
		return yamlCollection(dec, v)
	case string:
		return yamlString(v), nil
	case json.Number:
		if strings.ContainsAny(v.String(), ".eE") {
			return yamlScalar("!!float", v.String()), nil
		}
		return yamlScalar("!!int", v.String()), nil
	case bool:
		return yamlScalar("!!bool", fmt.Sprint(v)), nil
	default:
		return yamlScalar("!!null", "null"), nil
	}
}

func yamlCollection(dec *json.Decoder, open json.Delim) (*yaml.Node, error) {
	n := &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map"}
	if open == '[' {
		n.Kind, n.Tag = yaml.SequenceNode, "!!seq"
	}
	for dec.More() {
		item, err := yamlNode(dec)
		if err != nil {
			return nil, err
		}
		n.Content = append(n.Content, item)
	}
	if len(n.Content) == 0 {
		n.Style = yaml.FlowStyle
	}
	if _, err := dec.Token(); err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	return n, nil
}

func yamlScalar(tag, value string) *yaml.Node {
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: tag, Value: value}
}

// older are texts that YAML 1.1 takes for a boolean or a number in base 60, and YAML 1.2 does not: half of all readers
// are of either kind. The library quotes what 1.2 would misread.
var older = regexp.MustCompile(`^(?i:y|yes|n|no|on|off)$|^[-+]?[0-9][0-9_]*(:[0-5]?[0-9])+(\.[0-9_]*)?$|^[-+]?[0-9_]+$|^=$|^<<$`)

// yamlString is quoted where it has to be; in quotes, what is invisible can be escaped.
func yamlString(s string) *yaml.Node {
	n := yamlScalar("!!str", s)
	if older.MatchString(s) || strings.ContainsFunc(s, func(r rune) bool { return !isVisible(r) && r != '\n' }) {
		n.Style = yaml.DoubleQuotedStyle
	}
	return n
}

// escapeQuoted escapes the invisible runes that the library takes for printable. They stand in double quotes, where
// that changes no value.
func escapeQuoted(b *bytes.Buffer, doc []byte) {
	for _, r := range string(doc) {
		switch {
		case !isInvisible(r):
			b.WriteRune(r)
		case r > 0xffff:
			fmt.Fprintf(b, `\U%08x`, r)
		default:
			fmt.Fprintf(b, `\u%04x`, r)
		}
	}
}
