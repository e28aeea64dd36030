package identity

import (
	"github.com/google/uuid"

	"github.com/proxaudit/proxaudit/inventory"
)

// posting lists, by key, the numbers of the objects that carry it. Nearly every key has one object: that one stands in
// a map without pointers, which in a large fleet is smaller than one of lists, and nothing for the collector to walk.
type posting[K comparable] struct {
	first map[K]int32
	// more are whole lists, where there are several.
	more map[K][]int
	self []int
}

// newPosting takes the numbers from 0 on, of which lists with one entry are parts.
func newPosting[K comparable](self []int, size int) posting[K] {
	return posting[K]{first: make(map[K]int32, size), more: map[K][]int{}, self: self}
}

func (p *posting[K]) add(key K, i int) {
	first, ok := p.first[key]
	if !ok {
		p.first[key] = int32(i) //nolint:gosec // the number of objects that one process holds
		return
	}
	if p.more[key] == nil {
		p.more[key] = []int{int(first)}
	}
	p.more[key] = append(p.more[key], i)
}

// get must not be appended to.
func (p *posting[K]) get(key K) []int {
	i, ok := p.first[key]
	if !ok {
		return nil
	}
	if len(p.more) > 0 {
		if l := p.more[key]; l != nil {
			return l
		}
	}
	return p.self[i : i+1 : i+1]
}

// upTo are the numbers from 0 to n-1.
func upTo(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}

// uuidPosting is by canonical UUID; what is none has no list.
type uuidPosting struct{ posting[uuid.UUID] }

func (p *uuidPosting) add(canonical string, i int) {
	if u, err := uuid.Parse(canonical); err == nil {
		p.posting.add(u, i)
	}
}

func (p *uuidPosting) get(canonical string) []int {
	if canonical == "" {
		return nil
	}
	u, err := uuid.Parse(canonical)
	if err != nil {
		return nil
	}
	return p.posting.get(u)
}

// guestKey is inventory.Key with the site as a number.
type guestKey struct{ site, vmid int32 }

// at are all guests with an address, containers and templates included: they occupy a VMID.
func (x *index) at(k inventory.Key) []int {
	site, ok := x.siteNo[k.Site]
	if !ok || !inventory.ValidVMID(k.VMID) {
		return nil
	}
	return x.vmByKey.get(guestKey{site, int32(k.VMID)}) //nolint:gosec // a VMID has nine digits
}
