package identity

// arena hands out lists of one index: nearly every machine has one object of a kind, and an allocation for each
// would be much of the work.
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
