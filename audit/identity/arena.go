package identity

// arena hands out lists of one index: nearly every list of the maps has exactly one entry, and an allocation for each
// would be most of the work of building them.
type arena struct{ free []int }

func (a *arena) list(i int) []int {
	if len(a.free) == 0 {
		a.free = make([]int, 4096)
	}
	l := a.free[:1:1]
	a.free = a.free[1:]
	l[0] = i
	return l
}

func (a *arena) add(l []int, i int) []int {
	if l == nil {
		return a.list(i)
	}
	return append(l, i)
}

// post adds an index under a key.
func post[K comparable](a *arena, m map[K][]int, key K, i int) {
	m[key] = a.add(m[key], i)
}
