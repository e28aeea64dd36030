// Package schema has the JSON Schemas (draft 2020-12) of all that proxaudit writes as JSON, one for each kind. They are made from
// the Go types by `make generate`; a test fails if one is stale.
//
// A schema allows fields that it does not know: a later version of the same formatVersion may add some, and new values to an
// enumeration. It removes none, and changes the meaning of none.
package schema

import (
	"embed"
	"fmt"
	"io/fs"
	"strings"
)

//go:embed *.schema.json
var files embed.FS

// Suffix of a schema's file behind its kind.
const Suffix = ".schema.json"

// Kinds are those that have a schema, sorted.
func Kinds() []string {
	entries, err := fs.ReadDir(files, ".")
	if err != nil {
		panic(err) // it is in the binary
	}
	out := make([]string, 0, len(entries))
	for _, e := range entries {
		out = append(out, strings.TrimSuffix(e.Name(), Suffix))
	}
	return out
}

// Of returns the schema of a kind.
func Of(kind string) ([]byte, error) {
	b, err := files.ReadFile(kind + Suffix)
	if err != nil {
		return nil, fmt.Errorf("no result is of kind %q: want one of %s", kind, strings.Join(Kinds(), ", "))
	}
	return b, nil
}
