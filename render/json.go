package render

import (
	"bytes"
	"encoding/json"
	"fmt"
	"unicode/utf16"
	"unicode/utf8"
)

// renderJSON marshals the result as it is.
func renderJSON(b *bytes.Buffer, d Document, _ Options) error {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetIndent("", "  ")
	if err := enc.Encode(d.Value); err != nil {
		return fmt.Errorf("encoding the result as JSON: %w", err)
	}
	escapeInvisible(b, out.Bytes())
	return nil
}

// escapeInvisible writes a JSON document with every rune that a terminal would obey or hide as \uNNNN. The encoder
// escapes what JSON demands, which leaves C1 controls and bidi overrides raw; beyond ASCII a rune can only stand in a
// string, where both spellings mean the same value.
func escapeInvisible(b *bytes.Buffer, doc []byte) {
	for len(doc) > 0 {
		r, n := utf8.DecodeRune(doc)
		switch {
		case r == '\n' || (r < utf8.RuneSelf && r != 0x7f) || isVisible(r):
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
