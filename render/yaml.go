package render

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"go.yaml.in/yaml/v3"
)

// renderYAML goes through JSON, so that both have the same keys in the same order and the same omissions.
//
// The nodes are built here and written by the library, piece by piece. Its own way from JSON is a YAML parser, which
// refuses control characters that JSON allows; and it keeps every event of a document in memory, which is gigabytes for
// the inventory of a large fleet.
func renderYAML(b *bytes.Buffer, d Document, _ Options) error {
	doc, err := encodeJSON(d.Value)
	if err != nil {
		return err
	}
	dec := json.NewDecoder(bytes.NewReader(doc))
	dec.UseNumber()
	if bytes.HasPrefix(doc, []byte("{")) && !bytes.HasPrefix(doc, []byte("{}")) {
		err = writeYAMLObject(b, dec)
	} else {
		err = writeYAMLValue(b, dec)
	}
	if err != nil {
		return fmt.Errorf("encoding the result as YAML: %w", err)
	}
	return nil
}

// writeYAMLObject writes the outermost object key by key, and the items of its lists in batches.
func writeYAMLObject(b *bytes.Buffer, dec *json.Decoder) error {
	if _, err := dec.Token(); err != nil {
		return err
	}
	for dec.More() {
		key, err := yamlNode(dec)
		if err != nil {
			return err
		}
		value, list, err := yamlNodeOrList(dec)
		if err != nil {
			return err
		}
		if err := writeYAMLNode(b, &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map", Content: []*yaml.Node{key, value}}); err != nil {
			return err
		}
		if !list {
			continue
		}
		// So far it is "key: []": the items follow, indented as the library indents them.
		b.Truncate(b.Len() - len(" []\n"))
		b.WriteByte('\n')
		if err := writeYAMLItems(b, dec); err != nil {
			return err
		}
	}
	_, err := dec.Token()
	return err
}

// yamlBatch is how many items go through one encoder: its buffers are large, and so are the events that it keeps.
const yamlBatch = 10

// writeYAMLItems writes the rest of a list.
func writeYAMLItems(b *bytes.Buffer, dec *json.Decoder) error {
	for dec.More() {
		batch := &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq"}
		for len(batch.Content) < yamlBatch && dec.More() {
			item, err := yamlNode(dec)
			if err != nil {
				return err
			}
			batch.Content = append(batch.Content, item)
		}
		if err := writeYAMLNode(b, batch); err != nil {
			return err
		}
	}
	_, err := dec.Token()
	return err
}

// yamlNodeOrList reads the next value. Of a list that has items it reads the bracket only, and says so.
func yamlNodeOrList(dec *json.Decoder) (value *yaml.Node, list bool, err error) {
	tok, err := dec.Token()
	if err != nil {
		return nil, false, err
	}
	if tok == json.Delim('[') && dec.More() {
		return &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq", Style: yaml.FlowStyle}, true, nil
	}
	value, err = yamlFrom(dec, tok)
	return value, false, err
}

func writeYAMLValue(b *bytes.Buffer, dec *json.Decoder) error {
	n, err := yamlNode(dec)
	if err != nil {
		return err
	}
	return writeYAMLNode(b, n)
}

func writeYAMLNode(b *bytes.Buffer, n *yaml.Node) error {
	var out bytes.Buffer
	enc := yaml.NewEncoder(&out)
	enc.SetIndent(2)
	enc.CompactSeqIndent()
	if err := errors.Join(enc.Encode(n), enc.Close()); err != nil {
		return err
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
	return yamlFrom(dec, tok)
}

// yamlFrom makes a node of a value whose first token was read.
func yamlFrom(dec *json.Decoder, tok json.Token) (*yaml.Node, error) {
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
	_, err := dec.Token()
	return n, err
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
	if older.MatchString(s) || strings.ContainsFunc(s, isInvisible) {
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
