package snapfile

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/proxaudit/proxaudit/inventory"
)

// wanted is what a file has to be.
const wanted = "a file that proxaudit scan -o json=FILE wrote"

// document reads a Snapshot element by element: no list is held as text, and the first element that is none ends it.
type document struct {
	in  *meter
	dec *json.Decoder
}

func newDocument(in *meter) *document { return &document{in: in, dec: json.NewDecoder(in)} }

// snapshot reads the file to its end.
func (d *document) snapshot() (*inventory.Snapshot, error) {
	at := d.dec.InputOffset()
	open, err := d.dec.Token()
	var syntax *json.SyntaxError
	switch {
	case errors.Is(err, io.EOF):
		return nil, errors.New("it is empty: want " + wanted)
	case errors.As(err, &syntax):
		// Nothing of it is shown: it may be any file, one with a secret in it too.
		return nil, errors.New("no Snapshot: it is no JSON and no zstd (want " + wanted + ")")
	case err != nil:
		return nil, d.fail("", at, err)
	case open != json.Delim('{'):
		return nil, fmt.Errorf("no Snapshot: it is %s and no JSON object (want %s)", jsonType(open), wanted)
	}
	var s inventory.Snapshot
	seen := map[string]bool{}
	for d.dec.More() {
		at := d.offset()
		key, err := d.dec.Token()
		if err != nil {
			return nil, d.fail("", at, err)
		}
		name, _ := key.(string) // of an object's keys, the decoder accepts no other
		read, known := fields[name]
		switch {
		case !known:
			err = d.skip()
		case seen[name]:
			err = fmt.Errorf("no Snapshot: %s stands in it a second time, at byte %d", name, at)
		default:
			err = read(d, name, &s)
		}
		if err != nil {
			return nil, err
		}
		seen[name] = known
	}
	if _, err := d.dec.Token(); err != nil {
		return nil, d.fail("", d.offset(), err)
	}
	return &s, d.end()
}

// end reads on to the end of the file: what follows is a second document, or the end of a compressed file with its
// checksum, and a file that is cut off there may have lost more.
func (d *document) end() error {
	at := d.offset()
	_, err := d.dec.Token()
	var syntax *json.SyntaxError
	switch {
	case errors.Is(err, io.EOF):
		return nil
	case err == nil, errors.As(err, &syntax):
		return fmt.Errorf("there is more behind the Snapshot at byte %d: want one JSON document", at)
	default:
		return d.fail("", at, err)
	}
}

// offset is where the next thing stands, or the comma before it.
func (d *document) offset() int64 { return d.dec.InputOffset() }

// deepest is how deep encoding/json lets values be nested.
const deepest = 10000

// skip passes over the value of a field that this version does not know.
func (d *document) skip() error {
	const name = "a field that is not known here"
	at := d.offset()
	for depth := 0; ; {
		tok, err := d.dec.Token()
		if err != nil {
			return d.fail(name, at, err)
		}
		switch tok {
		case json.Delim('{'), json.Delim('['):
			depth++
		case json.Delim('}'), json.Delim(']'):
			depth--
		}
		if depth > deepest {
			return fmt.Errorf("no Snapshot (%s, from byte %d on): nested to a depth of more than %d", name, at, deepest)
		}
		if depth == 0 {
			return nil
		}
	}
}

// fail words an error in the part of the document that begins behind a number of bytes.
func (d *document) fail(part string, at int64, err error) error {
	switch {
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return fmt.Errorf("it ends in the middle, after %s (was the scan or a copy interrupted?)", d.in.soFar())
	case d.in.err != nil && errors.Is(err, d.in.err):
		return fmt.Errorf("it cannot be read (after %s): %w", d.in.soFar(), err)
	case part == "":
		return fmt.Errorf("no Snapshot (at byte %d): %w", at, err)
	default:
		return fmt.Errorf("no Snapshot (%s, from byte %d on): %w", part, at, err)
	}
}

func jsonType(t json.Token) string {
	switch t.(type) {
	case json.Delim:
		return "an array"
	case string:
		return "a string"
	case bool:
		return "a boolean"
	case nil:
		return "null"
	default:
		return "a number"
	}
}
