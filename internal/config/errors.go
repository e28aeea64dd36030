package config

import (
	"errors"
	"fmt"
	"slices"
)

// maxProblems bounds how many problems one run lists: behind a wrong indentation, the rest is noise.
const maxProblems = 20

// Where the structure check stops: a few kilobytes of aliases can unfold to any size, long before the YAML library's own
// guard against that sees the document.
const (
	// maxFound is how many problems are kept.
	maxFound = 100
	// maxUnfolded is how many nodes are looked at behind aliases. A configuration that repeats its selectors has hundreds.
	maxUnfolded = 100_000
)

// Problem is one thing that is wrong with a file.
type Problem struct {
	File string
	// Line counts from 1; 0 where the problem is not about a line.
	Line int
	// Key is the path of the key, like sites[0].url; empty where the problem is not about a key.
	Key string
	Msg string
}

// Error is FILE:LINE: KEY: MESSAGE, the form that editors and CI systems know how to open.
func (p *Problem) Error() string {
	s := p.File
	if p.Line > 0 {
		s += fmt.Sprintf(":%d", p.Line)
	}
	if p.Key != "" {
		s += ": " + p.Key
	}
	return s + ": " + p.Msg
}

// problems collects what is wrong, in the order of the file.
type problems struct {
	file  string
	lines map[string]int
	list  []*Problem
	// aliases is how many aliases the walk is inside of, and unfolded how many nodes it met there.
	aliases, unfolded int
}

// full is true if it makes no sense to look further.
func (p *problems) full() bool { return len(p.list) >= maxFound || p.unfolded > maxUnfolded }

// at adds a problem of a key that is in the file.
func (p *problems) at(key, format string, args ...any) {
	p.list = append(p.list, &Problem{File: p.file, Line: p.lines[key], Key: key, Msg: fmt.Sprintf(format, args...)})
}

func (p *problems) err() error {
	slices.SortStableFunc(p.list, func(a, b *Problem) int { return a.Line - b.Line })
	errs := make([]error, 0, len(p.list))
	for i, e := range p.list {
		if i == maxProblems {
			errs = append(errs, fmt.Errorf("%s: and %s%d more", p.file, atLeast(len(p.list) >= maxFound), len(p.list)-i))
			break
		}
		errs = append(errs, e)
	}
	return errors.Join(errs...)
}

func atLeast(cut bool) string {
	if cut {
		return "at least "
	}
	return ""
}
