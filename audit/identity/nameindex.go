package identity

import "strings"

// nameIndex finds what has a name, with or without its domain (see sameFolded). What came first stays.
type nameIndex[V any] struct{ full, short map[string]V }

func newNameIndex[V any]() nameIndex[V] {
	return nameIndex[V]{full: map[string]V{}, short: map[string]V{}}
}

func (x *nameIndex[V]) add(name string, v V) {
	name = foldName(name)
	if name == "" {
		return
	}
	if _, known := x.full[name]; !known {
		x.full[name] = v
	}
	if _, known := x.short[shortName(name)]; !known {
		x.short[shortName(name)] = v
	}
}

func (x *nameIndex[V]) get(name string) (V, bool) {
	name = foldName(name)
	if v, ok := x.full[name]; ok || name == "" {
		return v, ok
	}
	if strings.Contains(name, ".") {
		// Only one without a domain can be the same.
		v, ok := x.full[shortName(name)]
		return v, ok
	}
	v, ok := x.short[name]
	return v, ok
}
