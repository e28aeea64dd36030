package render

import (
	"bytes"
	"encoding/json"
	"fmt"
	"unicode/utf16"
	"unicode/utf8"
)

// renderJSON marshals the result as it is. Every rune that a terminal would obey or hide is written as \uNNNN: the
// encoder escapes what JSON demands, which leaves C1 controls and bidi overrides raw.
func renderJSON(b *bytes.Buffer, d Document, _ Options) error {
	doc, err := encodeJSON(d.Value)
	if err != nil {
		return err
	}
	escapeRunes(b, doc, isInvisible)
	return nil
}

func encodeJSON(v any) ([]byte, error) {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetIndent("", "  ")
	if err := enc.Encode(v); err != nil {
		return nil, fmt.Errorf("encoding the result as JSON: %w", err)
	}
	return out.Bytes(), nil
}

func isInvisible(r rune) bool { return r != '\n' && !isVisible(r) }

// escapeRunes writes a JSON document with the chosen runes as \uNNNN. None of them may be one that JSON itself is made
// of: then they can only stand in strings, where both spellings mean the same value.
func escapeRunes(b *bytes.Buffer, doc []byte, chosen func(rune) bool) {
	for len(doc) > 0 {
		r, n := utf8.DecodeRune(doc)
		switch {
		case !chosen(r):
			b.Write(doc[:n])
		case r > 0xffff:
			hi, lo := utf16.EncodeRune(r)
			fmt.Fprintf(b, `\u%04x\u%04x`, hi, lo)
		default:
			fmt.Fprintf(b, `\u%04x`, r)
		}
		doc = doc[n:]
	}
}
