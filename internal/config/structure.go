package config

import (
	"encoding"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/proxaudit/proxaudit/internal/nearest"
)

// The structure check walks the document beside the Go type and reports unknown keys, keys that occur twice and values
// of the wrong kind. The YAML library can do that itself (KnownFields), but its messages name Go types instead of keys
// and quote the value, which may be a secret in the wrong place. The depth of the type bounds the walk, also where an
// anchor contains itself.

var (
	durationType = reflect.TypeFor[Duration]()
	textType     = reflect.TypeFor[encoding.TextUnmarshaler]()
)

func (p *problems) check(n *yaml.Node, t reflect.Type, key string) {
	if p.full() {
		return
	}
	if p.aliases > 0 {
		p.unfolded++
	}
	if n.Kind == yaml.AliasNode {
		p.aliases++
		p.check(n.Alias, t, key)
		p.aliases--
		return
	}
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if n.Tag == "!!null" {
		return
	}
	switch {
	case t == durationType, reflect.PointerTo(t).Implements(textType):
		p.checkScalar(n, t, key)
	case t.Kind() == reflect.Struct:
		p.checkMapping(n, t, key)
	case t.Kind() == reflect.Slice:
		if n.Kind != yaml.SequenceNode {
			p.at(key, "want a list, got %s", kindName(n))
			return
		}
		for i, item := range n.Content {
			if p.full() {
				return
			}
			k := fmt.Sprintf("%s[%d]", key, i)
			p.lines[k] = item.Line
			p.check(item, t.Elem(), k)
		}
	default:
		p.checkScalar(n, t, key)
	}
}

func (p *problems) checkMapping(n *yaml.Node, t reflect.Type, key string) {
	if n.Kind != yaml.MappingNode {
		p.at(key, "want keys and values, got %s", kindName(n))
		return
	}
	fields := yamlFields(t)
	seen := map[string]int{}
	for i := 0; i+1 < len(n.Content) && !p.full(); i += 2 {
		k, v := n.Content[i], n.Content[i+1]
		if k.Tag == "!!merge" {
			p.list = append(p.list, &Problem{File: p.file, Line: k.Line, Key: key,
				Msg: "merge keys (<<) are not supported: write the keys out, or use an alias for the whole value"})
			continue
		}
		path := joinKey(key, k.Value)
		if first, twice := seen[k.Value]; twice {
			p.list = append(p.list, &Problem{File: p.file, Line: k.Line, Key: path,
				Msg: fmt.Sprintf("occurs twice: the first is on line %d", first)})
			continue
		}
		seen[k.Value] = k.Line
		ft, ok := fields[k.Value]
		if !ok {
			p.list = append(p.list, &Problem{File: p.file, Line: k.Line, Key: key, Msg: unknownKey(k.Value, fields)})
			continue
		}
		if _, again := p.lines[path]; !again {
			p.lines[path] = k.Line
		}
		p.check(v, ft, path)
	}
}

func (p *problems) checkScalar(n *yaml.Node, t reflect.Type, key string) {
	if n.Kind != yaml.ScalarNode {
		p.at(key, "want a single value, got %s", kindName(n))
		return
	}
	switch {
	case t == durationType:
		if _, err := ParseDuration(n.Value); err != nil {
			p.at(key, "%v", err)
		}
	case t.Kind() == reflect.Bool && n.Tag != "!!bool":
		p.at(key, "want true or false")
	case t.Kind() == reflect.Int && n.Tag != "!!int":
		p.at(key, "want a whole number")
	case t.Kind() == reflect.String && holdsSecret(key, n.Value):
		p.at(key, "has a token's secret or a URL's password in it: secrets go into secret, secretFile or secretEnv")
	case n.Tag == "!!binary":
		p.at(key, "want plain text, got !!binary")
	case t.Kind() == reflect.Int:
		var v int32
		if n.Decode(&v) != nil {
			p.at(key, "the number is too large")
		}
	}
}

// unknownKey names the key only if it looks like one: what stands there may be a value that lost its key.
func unknownKey(name string, fields map[string]reflect.Type) string {
	if !looksLikeKey(name) {
		return "unknown key (its text is not shown, for it does not look like a key)"
	}
	known := slices.Sorted(maps.Keys(fields))
	if best := nearest.Of(name, known); best != "" {
		return fmt.Sprintf("unknown key %q: did you mean %q?", name, best)
	}
	return fmt.Sprintf("unknown key %q: the keys here are %s", name, strings.Join(known, ", "))
}

func looksLikeKey(name string) bool {
	return len(name) <= 40 && !looksSecret.MatchString(name) &&
		!strings.ContainsFunc(name, func(r rune) bool { return !isKeyRune(r) })
}

func isKeyRune(r rune) bool {
	return r == '_' || r == '-' || (r >= '0' && r <= '9') || (r >= 'a' && r <= 'z') || (r >= 'A' && r <= 'Z')
}

func yamlFields(t reflect.Type) map[string]reflect.Type {
	out := map[string]reflect.Type{}
	for i := range t.NumField() {
		f := t.Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("yaml"), ",")
		if name != "" && name != "-" {
			out[name] = f.Type
		}
	}
	return out
}

func joinKey(parent, name string) string {
	if !looksLikeKey(name) {
		name = "(a key that is not shown)"
	}
	if parent == "" {
		return name
	}
	return parent + "." + name
}

func kindName(n *yaml.Node) string {
	switch n.Kind {
	case yaml.MappingNode:
		return "keys and values"
	case yaml.SequenceNode:
		return "a list"
	default:
		return "a single value"
	}
}
