package pvesim

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// volatile are the figures that no two runs share; they are compared by type.
var volatile = map[string]bool{
	"cpu": true, "mem": true, "memhost": true, "uptime": true, "disk": true, "pid": true, "netin": true, "netout": true,
	"diskread": true, "diskwrite": true,
}

// volatileIn adds keys for single endpoints.
var volatileIn = map[*regexp.Regexp][]string{
	// The node's own hardware and load.
	regexp.MustCompile(`^/nodes/[^/]+/status$`): {
		"loadavg", "used", "free", "avail", "available", "total", "cpus", "cores", "sockets", "mhz", "model", "flags", "family",
		"vendor", "hvm", "kversion", "release", "version", "wait", "idle", "shared",
	},
	regexp.MustCompile(`^/nodes/[^/]+/storage$`): {"used", "avail", "used_fraction"},
	regexp.MustCompile(`^/nodes$`):               {"ssl_fingerprint"},
	regexp.MustCompile(`^/cluster/resources`):    {},
}

// ordered are the endpoints whose lists have a fixed order, beside
// /cluster/resources, whose blocks and guests have.
var ordered = regexp.MustCompile(`^/(?:pools|nodes/[^/]+$|cluster/options)`)

// compareBodies lists the differences between two bodies: those of JSON with the
// types of all values, any other text to the letter.
func compareBodies(path, want, got string) []string {
	if !strings.HasPrefix(want, "{") {
		if want != got {
			return []string{fmt.Sprintf("body: got %q, want %q", got, want)}
		}
		return nil
	}
	w, err := decodeJSON(want)
	if err != nil {
		return []string{"recorded body: " + err.Error()}
	}
	g, err := decodeJSON(got)
	if err != nil {
		return []string{fmt.Sprintf("body: %v: %.200q", err, got)}
	}
	rel, _, _ := strings.Cut(strings.TrimPrefix(path, apiRoot), "?")
	c := &comparison{path: rel, volatile: volatile}
	for re, keys := range volatileIn {
		if re.MatchString(rel) {
			c.extra = append(c.extra, keys...)
		}
	}
	c.compare("", w, g)
	return c.diffs
}

// decodeJSON keeps numbers as they are written, so that 1 and 1.0 and "1" differ.
func decodeJSON(s string) (any, error) {
	dec := json.NewDecoder(strings.NewReader(s))
	dec.UseNumber()
	var v any
	err := dec.Decode(&v)
	return v, err
}

type comparison struct {
	path     string
	volatile map[string]bool
	extra    []string
	diffs    []string
}

func (c *comparison) note(format string, args ...any) {
	c.diffs = append(c.diffs, fmt.Sprintf(format, args...))
}

func (c *comparison) compare(at string, want, got any) {
	switch w := want.(type) {
	case map[string]any:
		g, ok := got.(map[string]any)
		if !ok {
			c.note("%s: got %s, want an object", at, text(got))
			return
		}
		for _, k := range sortedKeys(w) {
			v, ok := g[k]
			if !ok {
				c.note("%s.%s: missing, want %s", at, k, text(w[k]))
				continue
			}
			if c.volatile[k] || slices.Contains(c.extra, k) {
				c.sameType(at+"."+k, w[k], v)
				continue
			}
			if k == "content" {
				c.sameSet(at+"."+k, w[k], v)
				continue
			}
			c.compare(at+"."+k, w[k], v)
		}
		for _, k := range sortedKeys(g) {
			if _, ok := w[k]; !ok {
				c.note("%s.%s: got %s, want no such key", at, k, text(g[k]))
			}
		}
	case []any:
		g, ok := got.([]any)
		if !ok || len(g) != len(w) {
			c.note("%s: got %s, want a list of %d", at, text(got), len(w))
			return
		}
		w, g = c.inOrder(w), c.inOrder(g)
		for i := range w {
			c.compare(fmt.Sprintf("%s[%s]", at, label(w[i], i)), w[i], g[i])
		}
	default:
		if text(want) != text(got) {
			c.note("%s: got %s, want %s", at, text(got), text(want))
		}
	}
}

// inOrder sorts what has no order of its own, so that only the rest is compared
// place by place.
func (c *comparison) inOrder(list []any) []any {
	if ordered.MatchString(c.path) {
		return list
	}
	if c.path != "/cluster/resources" {
		list = slices.Clone(list)
		slices.SortStableFunc(list, func(a, b any) int { return strings.Compare(c.sortKey(a), c.sortKey(b)) })
		return list
	}
	// Pools and guests stand in order. Within the other blocks the order is random.
	res := slices.Clone(list)
	for i := 0; i < len(res); {
		j := i
		for j < len(res) && rowType(res[j]) == rowType(res[i]) {
			j++
		}
		if t := rowType(res[i]); t != "pool" && t != "guest" {
			slices.SortStableFunc(res[i:j], func(a, b any) int { return strings.Compare(c.sortKey(a), c.sortKey(b)) })
		}
		i = j
	}
	return res
}

func rowType(v any) string {
	m, ok := v.(map[string]any)
	if !ok {
		return ""
	}
	t := fmt.Sprint(m["type"])
	if t == "qemu" || t == "lxc" {
		return "guest"
	}
	return t
}

// sortKey is the text of a row without its volatile figures.
func (c *comparison) sortKey(v any) string {
	m, ok := v.(map[string]any)
	if !ok {
		return text(v)
	}
	stable := map[string]any{}
	for _, k := range []string{"id", "vmid", "key", "path", "type", "ugid", "roleid", "userid", "tokenid", "name", "node", "storage"} {
		if x, ok := m[k]; ok {
			stable[k] = x
		}
	}
	return text(stable)
}

func (c *comparison) sameType(at string, want, got any) {
	if fmt.Sprintf("%T", want) != fmt.Sprintf("%T", got) {
		c.note("%s: got %s, want something of the type of %s", at, text(got), text(want))
	}
}

// sameSet compares lists in a text, whose order is that of a Perl hash.
func (c *comparison) sameSet(at string, want, got any) {
	w, g := strings.Split(fmt.Sprint(want), ","), strings.Split(fmt.Sprint(got), ",")
	slices.Sort(w)
	slices.Sort(g)
	if !slices.Equal(w, g) {
		c.note("%s: got %s, want %s", at, text(got), text(want))
	}
}

func text(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(b)
}

func label(v any, i int) string {
	if m, ok := v.(map[string]any); ok {
		for _, k := range []string{"id", "vmid", "key", "poolid", "userid", "name"} {
			if x, ok := m[k]; ok {
				return fmt.Sprint(x)
			}
		}
	}
	return fmt.Sprint(i)
}
