package config

import (
	"bytes"
	"errors"
	"io"
	"reflect"

	"go.yaml.in/yaml/v3"
)

// parse reads a document into a Config and returns the lines of its keys. It does not look at what the values mean.
func parse(file string, data []byte) (*Config, *problems, error) {
	cfg, p, err := parseAs[Config](file, data)
	return cfg, p, err
}

// parseAs is parse for any file that people write.
func parseAs[T any](file string, data []byte) (*T, *problems, error) {
	p := &problems{file: file, lines: map[string]int{}}
	dec := yaml.NewDecoder(bytes.NewReader(data))
	var doc yaml.Node
	err := dec.Decode(&doc)
	cfg := new(T)
	switch {
	case errors.Is(err, io.EOF):
		return cfg, p, nil
	case err != nil:
		return nil, nil, syntaxError(file, data, err)
	}
	var more yaml.Node
	if err := dec.Decode(&more); !errors.Is(err, io.EOF) {
		if err != nil {
			return nil, nil, syntaxError(file, data, err)
		}
		return nil, nil, &Problem{File: file, Line: more.Line,
			Msg: "a second YAML document begins here: the file has to be one"}
	}
	if len(doc.Content) == 0 {
		return cfg, p, nil
	}
	p.check(doc.Content[0], reflect.TypeFor[T](), "")
	if p.unfolded > maxUnfolded {
		return nil, nil, &Problem{File: file, Msg: "its aliases unfold to more than a person writes: write the values out"}
	}
	if err := p.err(); err != nil {
		return nil, nil, err
	}
	if err := doc.Decode(cfg); err != nil {
		// The structure check lets nothing through that cannot be decoded, except for the library's own limit on what
		// aliases expand to. Its text may quote a value.
		return nil, nil, &Problem{File: file, Msg: "its aliases unfold to more than a person writes: write the values out"}
	}
	return cfg, p, nil
}
