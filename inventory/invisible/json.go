package invisible

import (
	"fmt"
	"io"
	"slices"
	"unicode/utf16"
	"unicode/utf8"
)

// JSON passes a JSON document on with every invisible rune written as \uNNNN. encoding/json escapes what JSON demands,
// which leaves C1 controls and bidi overrides as they are. The values stay the same: outside of strings, a JSON document
// has no invisible characters but blanks and line breaks, and in strings it has those in escaped form already.
type JSON struct {
	w io.Writer
	// rest is the beginning of a rune that the next Write completes.
	rest []byte
	buf  []byte
}

// NewJSON returns a JSON that writes to w. The document is whole when Close has returned.
func NewJSON(w io.Writer) *JSON { return &JSON{w: w} }

// Write implements io.Writer. Runes may be cut anywhere between two calls.
func (j *JSON) Write(p []byte) (int, error) {
	doc := p
	if len(j.rest) > 0 {
		doc = slices.Concat(j.rest, p)
	}
	for len(doc) > 0 && utf8.FullRune(doc) {
		if n := min(plain(doc), chunk); n > 0 {
			j.buf = append(j.buf, doc[:n]...)
			doc = doc[n:]
		} else {
			r, n := utf8.DecodeRune(doc)
			j.buf = appendRune(j.buf, doc[:n], r)
			doc = doc[n:]
		}
		if len(j.buf) >= chunk {
			if err := j.flush(); err != nil {
				return 0, err
			}
		}
	}
	// A copy: p belongs to the caller.
	j.rest = slices.Clone(doc)
	if err := j.flush(); err != nil {
		return 0, err
	}
	return len(p), nil
}

// chunk bounds what is held back: a document may be hundreds of megabytes in one Write.
const chunk = 64 << 10

func (j *JSON) flush() error {
	_, err := j.w.Write(j.buf)
	j.buf = j.buf[:0]
	return err
}

// Close writes what is left of a document that ends in the middle of a rune. It does not close the writer below.
func (j *JSON) Close() error {
	if len(j.rest) == 0 {
		return nil
	}
	rest := j.rest
	j.rest = nil
	_, err := j.w.Write(rest)
	return err
}

// plain is how many bytes at the beginning are ASCII that stays as it is.
func plain(doc []byte) int {
	for i, c := range doc {
		if c >= 0x7f {
			return i
		}
	}
	return len(doc)
}

func appendRune(buf, raw []byte, r rune) []byte {
	switch {
	case r < ' ' || !Is(r):
		return append(buf, raw...)
	case r > 0xffff:
		hi, lo := utf16.EncodeRune(r)
		return fmt.Appendf(buf, `\u%04x\u%04x`, hi, lo)
	default:
		return fmt.Appendf(buf, `\u%04x`, r)
	}
}
