package render

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/proxaudit/proxaudit/inventory/invisible"
)

// renderJSON marshals the result as it is, with every rune escaped that a terminal would obey or hide.
func renderJSON(b *bytes.Buffer, d Document, _ Options) error {
	doc, err := encodeJSON(d.Value)
	if err != nil {
		return err
	}
	j := invisible.NewJSON(b)
	if _, err := j.Write(doc); err != nil {
		return err
	}
	return j.Close()
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
