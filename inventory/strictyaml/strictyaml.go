// Package strictyaml knows the texts of which two readers see two different things: one with a key that stands there twice, and one
// with several documents, of which most readers take the first.
package strictyaml

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"go.yaml.in/yaml/v3"
	sigs "sigs.k8s.io/yaml"
)

// Check is nil for a text that is one document without a key twice.
func Check(text string) error {
	dec := yaml.NewDecoder(strings.NewReader(text))
	for n := 0; ; n++ {
		var doc yaml.Node
		err := dec.Decode(&doc)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		if n > 0 && !empty(&doc) {
			return fmt.Errorf("line %d begins a second document, which nobody reads", doc.Line)
		}
	}
	_, err := sigs.YAMLToJSONStrict([]byte(text))
	if err != nil {
		return errors.New(strings.Join(strings.Fields(err.Error()), " "))
	}
	return nil
}

// empty is true for what stands behind a separator at the end.
func empty(doc *yaml.Node) bool {
	return len(doc.Content) == 0 || len(doc.Content) == 1 && doc.Content[0].Tag == "!!null"
}
