package pvesim

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"
)

// LoadFleet reads a fleet from YAML files. Later files are laid over earlier
// ones: maps are joined key by key, anything else is replaced. An unknown key is
// an error that names its line.
func LoadFleet(paths ...string) (*Fleet, error) {
	var docs []fleetDoc
	for _, p := range paths {
		data, err := os.ReadFile(p) //nolint:gosec // the caller names the file
		if err != nil {
			return nil, fmt.Errorf("read the fleet: %w", err)
		}
		docs = append(docs, fleetDoc{name: p, data: data})
	}
	return parseFleet(docs)
}

// ParseFleet reads a fleet from YAML. name stands for the source in errors.
func ParseFleet(name string, data []byte) (*Fleet, error) {
	return parseFleet([]fleetDoc{{name: name, data: data}})
}

type fleetDoc struct {
	name string
	data []byte
}

func parseFleet(docs []fleetDoc) (*Fleet, error) {
	if len(docs) == 0 {
		return nil, errors.New("no fleet file given")
	}
	var merged *yaml.Node
	for _, d := range docs {
		root, err := d.strict()
		if err != nil {
			return nil, err
		}
		if root == nil {
			continue // an empty file
		}
		if merged == nil {
			merged = root
		} else {
			overlay(merged, root)
		}
	}
	f := &Fleet{}
	if merged != nil {
		if err := merged.Decode(f); err != nil {
			return nil, fmt.Errorf("%s: %w", docs[len(docs)-1].name, plainError(err))
		}
	}
	if _, err := compile(f.clone(), time.Now(), nil); err != nil {
		return nil, located(err, docs)
	}
	return f, nil
}

// strict checks one document by itself and returns its root.
func (d fleetDoc) strict() (*yaml.Node, error) {
	dec := yaml.NewDecoder(bytes.NewReader(d.data))
	dec.KnownFields(true)
	if err := dec.Decode(&Fleet{}); err != nil && len(bytes.TrimSpace(d.data)) > 0 {
		if err.Error() == "EOF" { // nothing but comments
			return nil, nil
		}
		return nil, fmt.Errorf("%s: %w", d.name, plainError(err))
	}
	var doc yaml.Node
	if err := yaml.Unmarshal(d.data, &doc); err != nil {
		return nil, fmt.Errorf("%s: %w", d.name, plainError(err))
	}
	if len(doc.Content) == 0 || doc.Content[0].Kind != yaml.MappingNode {
		return nil, nil
	}
	return doc.Content[0], nil
}

var (
	reUnknownField = regexp.MustCompile(`field (\S+) not found in type pvesim\.(\w+)`)
	reYAMLPrefix   = regexp.MustCompile(`^yaml: (?:unmarshal errors:\s*)?`)
	reGoType       = regexp.MustCompile(`into (?:map\[\w+\])?\*?(?:pvesim\.)?(\w+)`)
)

// plainError words an error of the YAML library for people who do not know our
// types.
func plainError(err error) error {
	msg := reYAMLPrefix.ReplaceAllString(err.Error(), "")
	msg = reUnknownField.ReplaceAllString(msg, `unknown key "$1" (in a $2)`)
	msg = reGoType.ReplaceAllString(msg, "into $1")
	return errors.New(strings.Join(strings.Fields(msg), " "))
}

// overlay lays the mapping b over a.
func overlay(a, b *yaml.Node) {
	for i := 0; i+1 < len(b.Content); i += 2 {
		key, value := b.Content[i], b.Content[i+1]
		old := lookup(a, key.Value)
		switch {
		case old == nil:
			a.Content = append(a.Content, key, value)
		case old.Kind == yaml.MappingNode && value.Kind == yaml.MappingNode:
			overlay(old, value)
		default:
			*old = *value
		}
	}
}

func lookup(m *yaml.Node, key string) *yaml.Node {
	if m == nil || m.Kind != yaml.MappingNode {
		return nil
	}
	for i := 0; i+1 < len(m.Content); i += 2 {
		if m.Content[i].Value == key {
			return m.Content[i+1]
		}
	}
	return nil
}

// located adds the file and line to a mistake in a fleet: those of the deepest
// key on its path that a file has, the last file first.
func located(err error, docs []fleetDoc) error {
	var fe *fieldError
	if !errors.As(err, &fe) {
		return err
	}
	for i := len(docs) - 1; i >= 0; i-- {
		var doc yaml.Node
		if yaml.Unmarshal(docs[i].data, &doc) != nil || len(doc.Content) == 0 {
			continue
		}
		if line, ok := lineOf(doc.Content[0], fe.path); ok {
			return fmt.Errorf("%s: line %d: %w", docs[i].name, line, err)
		}
	}
	return fmt.Errorf("%s: %w", docs[len(docs)-1].name, err)
}

// lineOf follows a path of keys and indexes; ok is false when not even its
// second step is there, or the first of a path of one.
func lineOf(n *yaml.Node, path []string) (line int, ok bool) {
	for depth, key := range path {
		if n == nil {
			break
		}
		if n.Kind == yaml.AliasNode {
			n = n.Alias
		}
		var next *yaml.Node
		switch n.Kind {
		case yaml.MappingNode:
			for i := 0; i+1 < len(n.Content); i += 2 {
				if n.Content[i].Value == key {
					line, next = n.Content[i].Line, n.Content[i+1]
				}
			}
		case yaml.SequenceNode:
			if i, err := strconv.Atoi(key); err == nil && i >= 0 && i < len(n.Content) {
				next = n.Content[i]
				line = next.Line
			}
		case yaml.DocumentNode, yaml.ScalarNode, yaml.AliasNode:
		}
		if next != nil && depth >= min(1, len(path)-1) {
			ok = true
		}
		n = next
	}
	return line, ok
}

// Write encodes a fleet as YAML.
func (f *Fleet) Write() ([]byte, error) {
	var b bytes.Buffer
	enc := yaml.NewEncoder(&b)
	enc.SetIndent(2)
	if err := enc.Encode(f); err != nil {
		return nil, fmt.Errorf("write the fleet: %w", err)
	}
	if err := enc.Close(); err != nil {
		return nil, fmt.Errorf("write the fleet: %w", err)
	}
	return b.Bytes(), nil
}
