package config

import (
	"errors"
	"fmt"
	"slices"
)

// maxProblems bounds how many problems one run lists: behind a wrong indentation, the rest is noise.
const maxProblems = 20

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
}

// at adds a problem of a key. The line is that of the key or, where the key is not in the file, of the nearest one
// above it.
func (p *problems) at(key, format string, args ...any) {
	p.list = append(p.list, &Problem{File: p.file, Line: p.line(key), Key: key, Msg: fmt.Sprintf(format, args...)})
}

func (p *problems) line(key string) int {
	for key != "" {
		if n, ok := p.lines[key]; ok {
			return n
		}
		key = parentKey(key)
	}
	return 0
}

func (p *problems) err() error {
	slices.SortStableFunc(p.list, func(a, b *Problem) int { return a.Line - b.Line })
	errs := make([]error, 0, len(p.list))
	for i, e := range p.list {
		if i == maxProblems {
			errs = append(errs, fmt.Errorf("%s: and %d more", p.file, len(p.list)-i))
			break
		}
		errs = append(errs, e)
	}
	return errors.Join(errs...)
}

// parentKey takes the last element off a key path: sites[0].url, sites[0], sites, "".
func parentKey(key string) string {
	for i := len(key) - 1; i >= 0; i-- {
		if key[i] == '.' || key[i] == '[' {
			return key[:i]
		}
	}
	return ""
}
