package config

import (
	"bytes"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"
)

// syntaxLine is how the YAML library says where it stopped.
var syntaxLine = regexp.MustCompile(`line (\d+)`)

// unknownAnchor is the library's message about an alias of nothing.
var unknownAnchor = regexp.MustCompile(`unknown anchor '(.+)' referenced`)

// stage is the part of the YAML library that stopped. Each counts lines in its own way (go.yaml.in/yaml/v3 decode.go,
// parser.fail): none stands for the first line, and the parser's count begins at 0.
type stage int

const (
	scanner stage = iota
	parser
	reader
	composer
)

const wantText = "the file has to be text in UTF-8"

// syntaxAdvice is what the library's messages mean to somebody who wrote a configuration. The first that fits counts.
var syntaxAdvice = []struct {
	says   string
	stage  stage
	advice string
}{
	{"found a tab character", scanner, "a tab in the indentation: YAML wants blanks"},
	{"character that cannot start any token", scanner,
		"a value cannot begin with a tab, @ or `: indent with blanks, and put quotes around such a value"},
	{"expected alphabetic or numeric character", scanner,
		"* and & have a meaning in YAML: put quotes around a value that begins with one"},
	{"unknown anchor", composer,
		"* refers to an anchor (&), and there is none of this name: put quotes around a value that begins with *"},
	{"unknown escape character", scanner, `\ has a meaning inside double quotes: put a regular expression in single quotes`},
	{"found unexpected end of stream", scanner, "a quote is opened here and never closed"},
	{"mapping values are not allowed", scanner,
		"a key cannot stand here: check the indentation, and put quotes around a value with a colon and a blank in it"},
	{"expected ',' or", parser, "a bracket is opened here, and a comma or its end is missing"},
	{"expected '-' indicator", parser, "the list that begins here has an entry without - in front"},
	{"could not find expected ':'", scanner, "a key without its colon, or without the blank behind the colon"},
	{"did not find expected key", parser,
		"the indentation is wrong, here or further down in what begins here: a line stands neither beside its neighbours nor inside them"},
	{"did not find expected node content", parser, "a value is missing, or begins with a bracket or comma and needs quotes"},
	{"exceeded max depth", composer, "nested far deeper than a configuration is"},
	{"control characters are not allowed", reader, "there are control characters in it: " + wantText},
	{"UTF-8", reader, wantText},
	{"UTF-16", reader, wantText},
	{"surrogate", reader, wantText},
}

// syntaxError says what a person can do about a file that is no YAML. It drops the library's text, which speaks of tokens
// and block mappings, and may quote the file.
func syntaxError(file string, data []byte, err error) error {
	text := err.Error()
	p := &Problem{File: file, Msg: "not valid YAML: check indentation, quotes and colons"}
	if m := syntaxLine.FindStringSubmatch(text); m != nil {
		if n, convErr := strconv.Atoi(m[1]); convErr == nil {
			p.Line = n
		}
	}
	for _, a := range syntaxAdvice {
		if !strings.Contains(text, a.says) {
			continue
		}
		p.Msg = "not valid YAML: " + a.advice
		switch a.stage {
		case scanner:
			p.Line = max(p.Line, 1)
		case parser:
			p.Line++
		case reader:
			p.Line = firstOddLine(data)
		case composer:
			if m := unknownAnchor.FindStringSubmatch(text); m != nil {
				p.Line = lineAt(data, bytes.Index(data, []byte("*"+m[1])))
			}
		}
		break
	}
	return p
}

// firstOddLine is the line of the first byte that is no text in UTF-8; 0 where that cannot be said, as in UTF-16.
func firstOddLine(data []byte) int {
	if bytes.HasPrefix(data, []byte{0xff, 0xfe}) || bytes.HasPrefix(data, []byte{0xfe, 0xff}) {
		return 0
	}
	for i := 0; i < len(data); {
		r, size := utf8.DecodeRune(data[i:])
		if r == utf8.RuneError && size == 1 || r < ' ' && r != '\n' && r != '\r' && r != '\t' || r == 0x7f {
			return lineAt(data, i)
		}
		i += size
	}
	return 0
}

// lineAt is the line of an offset; 0 for one that was not found.
func lineAt(data []byte, offset int) int {
	if offset < 0 {
		return 0
	}
	return bytes.Count(data[:offset], []byte("\n")) + 1
}
