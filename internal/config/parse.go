package config

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"reflect"
	"regexp"
	"strconv"

	"go.yaml.in/yaml/v3"
)

// syntaxLine is how the YAML library says where it stopped.
var syntaxLine = regexp.MustCompile(`line (\d+)`)

// parse reads a document into a Config and returns the lines of its keys. It does not look at what the values mean.
func parse(file string, data []byte) (*Config, *problems, error) {
	p := &problems{file: file, lines: map[string]int{}}
	dec := yaml.NewDecoder(bytes.NewReader(data))
	var doc yaml.Node
	err := dec.Decode(&doc)
	cfg := &Config{}
	switch {
	case errors.Is(err, io.EOF):
		return cfg, p, nil
	case err != nil:
		return nil, nil, syntaxError(file, err)
	}
	var more yaml.Node
	if err := dec.Decode(&more); !errors.Is(err, io.EOF) {
		if err != nil {
			return nil, nil, syntaxError(file, err)
		}
		return nil, nil, &Problem{File: file, Line: more.Line,
			Msg: "a second YAML document begins here: the file has to be one"}
	}
	if len(doc.Content) == 0 {
		return cfg, p, nil
	}
	p.check(doc.Content[0], reflect.TypeFor[Config](), "")
	if p.unfolded > maxUnfolded {
		return nil, nil, &Problem{File: file, Msg: "its aliases unfold to more than a configuration has: write the values out"}
	}
	if err := p.err(); err != nil {
		return nil, nil, err
	}
	if err := doc.Decode(cfg); err != nil {
		// The structure check lets nothing through that cannot be decoded, except for limits of the library itself
		// (aliases that expand to too much). Its text may quote a value.
		return nil, nil, &Problem{File: file, Msg: "the YAML library cannot decode it: excessive use of aliases?"}
	}
	return cfg, p, nil
}

// syntaxError keeps the library's line and drops its text where that may quote the file.
func syntaxError(file string, err error) error {
	p := &Problem{File: file, Msg: "not valid YAML: check indentation, quotes and colons around this line"}
	if m := syntaxLine.FindStringSubmatch(err.Error()); m != nil {
		if n, convErr := strconv.Atoi(m[1]); convErr == nil {
			p.Line = n
		}
	}
	for _, known := range knownSyntax {
		if known.MatchString(err.Error()) {
			p.Msg = fmt.Sprintf("not valid YAML: %s", known.FindString(err.Error()))
			break
		}
	}
	return p
}

// knownSyntax are messages of the library that quote nothing of the file.
var knownSyntax = []*regexp.Regexp{
	regexp.MustCompile(`mapping values are not allowed in this context`),
	regexp.MustCompile(`did not find expected [^:']+$`),
	regexp.MustCompile(`could not find expected ':'`),
	regexp.MustCompile(`found character that cannot start any token`),
	regexp.MustCompile(`found a tab character that violates indentation`),
	regexp.MustCompile(`found unexpected end of stream`),
	regexp.MustCompile(`control characters are not allowed`),
	regexp.MustCompile(`invalid (leading|trailing) UTF-8 octet`),
}
