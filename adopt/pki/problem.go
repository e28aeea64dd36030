package pki

import "strings"

// Problem is one thing that is wrong, or worth knowing, about a file.
type Problem struct {
	// File is the path as the user knows it; empty if it is about no file.
	File string `json:"file,omitempty"`
	// Found is what was found, Do what to do about it.
	Found string `json:"found"`
	Do    string `json:"do"`
}

// Error implements error.
func (p Problem) Error() string {
	s := p.Found + ": " + p.Do
	if p.File != "" {
		s = p.File + ": " + s
	}
	return s
}

// Problems is the error of everything that is wrong: a user who has to fetch files anew wants the whole list.
type Problems []Problem

// Error implements error, one line for each.
func (p Problems) Error() string {
	lines := make([]string, len(p))
	for i := range p {
		lines[i] = p[i].Error()
	}
	return strings.Join(lines, "\n")
}

// Unwrap lets errors.As find a Problem.
func (p Problems) Unwrap() []error {
	errs := make([]error, len(p))
	for i := range p {
		errs[i] = p[i]
	}
	return errs
}

func (p *Problems) add(file, found, do string) {
	*p = append(*p, Problem{File: file, Found: found, Do: do})
}

// err is nil for none: a Problems in an error variable never is.
func (p Problems) err() error {
	if len(p) == 0 {
		return nil
	}
	return p
}
