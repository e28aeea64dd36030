package render

import (
	"bytes"
	"encoding/json"
	"fmt"

	"go.yaml.in/yaml/v3"

	"github.com/proxaudit/proxaudit/inventory/safeyaml"
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
		key, err := safeyaml.Node(dec)
		if err != nil {
			return err
		}
		value, list, err := yamlNodeOrList(dec)
		if err != nil {
			return err
		}
		if err := safeyaml.Encode(b, &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map", Content: []*yaml.Node{key, value}}); err != nil {
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
			item, err := safeyaml.Node(dec)
			if err != nil {
				return err
			}
			batch.Content = append(batch.Content, item)
		}
		if err := safeyaml.Encode(b, batch); err != nil {
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
	value, err = safeyaml.NodeFrom(dec, tok)
	return value, false, err
}

func writeYAMLValue(b *bytes.Buffer, dec *json.Decoder) error {
	n, err := safeyaml.Node(dec)
	if err != nil {
		return err
	}
	return safeyaml.Encode(b, n)
}
