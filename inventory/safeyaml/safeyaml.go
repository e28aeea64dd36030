// Package safeyaml writes values as YAML in which nobody's text hides anything: a rune that shows nothing of itself is escaped in a
// double-quoted scalar, so that the value stays what it is.
package safeyaml

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"go.yaml.in/yaml/v3"
	sigs "sigs.k8s.io/yaml"

	"github.com/proxaudit/proxaudit/inventory/invisible"
)

// Marshal writes an object as sigs.k8s.io/yaml does, which goes through its JSON form and sorts its keys. That library takes
// JSON for YAML and fails on the controls that only the former allows, and it writes marks that turn the reading direction as they
// are: an object that has such runes is written by Encode.
func Marshal(object any) ([]byte, error) {
	raw, err := json.Marshal(object)
	if err != nil {
		return nil, err
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	var value any
	if err := dec.Decode(&value); err != nil {
		return nil, err
	}
	if !hides(value) {
		return sigs.JSONToYAML(raw)
	}
	// A map is written in the order of its keys.
	if raw, err = json.Marshal(value); err != nil {
		return nil, err
	}
	dec = json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	n, err := Node(dec)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	err = Encode(&out, n)
	return out.Bytes(), err
}

// hides is true for a value with a text, or a key, that has an invisible rune.
func hides(value any) bool {
	switch v := value.(type) {
	case string:
		return strings.ContainsFunc(v, hidden)
	case []any:
		for _, item := range v {
			if hides(item) {
				return true
			}
		}
	case map[string]any:
		for key, item := range v {
			if hides(key) || hides(item) {
				return true
			}
		}
	}
	return false
}

// hidden leaves out the line break, which whole documents are made of.
func hidden(r rune) bool { return r != '\n' && invisible.Is(r) }

// Encode writes a node that Node made.
func Encode(b *bytes.Buffer, n *yaml.Node) error {
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

// Node reads the next JSON value.
func Node(dec *json.Decoder) (*yaml.Node, error) {
	tok, err := dec.Token()
	if err != nil {
		return nil, err
	}
	return NodeFrom(dec, tok)
}

// NodeFrom makes a node of a value whose first token was read.
func NodeFrom(dec *json.Decoder, tok json.Token) (*yaml.Node, error) {
	switch v := tok.(type) {
	case json.Delim:
		return collection(dec, v)
	case string:
		return text(v), nil
	case json.Number:
		if strings.ContainsAny(v.String(), ".eE") {
			return scalar("!!float", v.String()), nil
		}
		return scalar("!!int", v.String()), nil
	case bool:
		return scalar("!!bool", fmt.Sprint(v)), nil
	default:
		return scalar("!!null", "null"), nil
	}
}

func collection(dec *json.Decoder, open json.Delim) (*yaml.Node, error) {
	n := &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map"}
	if open == '[' {
		n.Kind, n.Tag = yaml.SequenceNode, "!!seq"
	}
	for dec.More() {
		item, err := Node(dec)
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

func scalar(tag, value string) *yaml.Node {
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: tag, Value: value}
}

// older are texts that YAML 1.1 takes for a boolean or a number in base 60, and YAML 1.2 does not: half of all readers
// are of either kind. The library quotes what 1.2 would misread.
var older = regexp.MustCompile(`^(?i:y|yes|n|no|on|off)$|^[-+]?[0-9][0-9_]*(:[0-5]?[0-9])+(\.[0-9_]*)?$|^[-+]?[0-9_]+$|^=$|^<<$`)

// text is quoted where it has to be; in quotes, what is invisible can be escaped.
func text(s string) *yaml.Node {
	n := scalar("!!str", s)
	if older.MatchString(s) || strings.ContainsFunc(s, hidden) {
		n.Style = yaml.DoubleQuotedStyle
	}
	return n
}

// escapeQuoted escapes the invisible runes that the library takes for printable. They stand in double quotes, where
// that changes no value.
func escapeQuoted(b *bytes.Buffer, doc []byte) {
	for _, r := range string(doc) {
		switch {
		case !hidden(r):
			b.WriteRune(r)
		case r > 0xffff:
			fmt.Fprintf(b, `\U%08x`, r)
		default:
			fmt.Fprintf(b, `\u%04x`, r)
		}
	}
}
