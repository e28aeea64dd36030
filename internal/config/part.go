package config

import (
	"fmt"
	"slices"
)

// ResolveSites reads the secrets of the sites with these names, after ForPart: who scans one site of a fleet has the token
// of that one, and no other's.
func (c *Config) ResolveSites(names []string, getenv Getenv) error {
	p := &problems{file: c.Path}
	for i := range c.Sites {
		if s := &c.Sites[i]; slices.Contains(names, s.Name) {
			s.open(p, fmt.Sprintf("sites[%d]", i), getenv)
		}
	}
	// The file's own mode was looked at when it was loaded.
	c.warnReadable(0)
	return p.err()
}
