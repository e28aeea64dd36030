package kube

import (
	"encoding/json"
	"fmt"
	"strings"

	kjson "k8s.io/apimachinery/pkg/util/json"

	"github.com/proxaudit/proxaudit/inventory"
)

// object is one item of a list, already sanitized.
type object struct {
	kind      kind
	namespace string
	name      string
	content   map[string]any
}

// parse reads one item of a list. A list may leave apiVersion and kind out of its items: they are put in.
func (c *Client) parse(k kind, version string, raw json.RawMessage) (object, error) {
	var content map[string]any
	if err := kjson.Unmarshal(raw, &content); err != nil {
		return object{}, fmt.Errorf("an item is no object: %s", decodeReason(err))
	}
	if content == nil {
		return object{}, fmt.Errorf("an item is null")
	}
	content["apiVersion"], content["kind"] = apiVersion(k.group, version), k.kind
	c.clean.object(content)
	meta, _ := content["metadata"].(map[string]any)
	o := object{kind: k, content: content}
	o.name, _ = meta["name"].(string)
	o.namespace, _ = meta["namespace"].(string)
	if o.name == "" {
		return object{}, fmt.Errorf("an item has no metadata.name")
	}
	return o, nil
}

func (o object) String() string {
	if o.namespace == "" {
		return o.name
	}
	return o.namespace + "/" + o.name
}

// asServed is the object for Snapshot.Objects.
func (o object) asServed() inventory.Object {
	v, _ := o.content["apiVersion"].(string)
	return inventory.Object{APIVersion: v, Kind: o.kind.kind, Namespace: o.namespace, Name: o.name, Content: o.content}
}

// decode fills one of the structs that hold the fields of all versions together. A field of the wrong type is an
// error that names it: half an object could be taken for a whole one with empty fields.
func decode[T any](o object) (T, error) {
	var out T
	raw, err := json.Marshal(o.content)
	if err == nil {
		err = kjson.Unmarshal(raw, &out)
	}
	if err != nil {
		return out, fmt.Errorf("%s: %s", o, decodeReason(err))
	}
	return out, nil
}

// decodeReason turns "json: cannot unmarshal number into Go struct field machineObject.spec.providerID of type string"
// into "spec.providerID is a number and not a string".
func decodeReason(err error) string {
	s := err.Error()
	rest, ok := strings.CutPrefix(s, "json: cannot unmarshal ")
	if !ok {
		return oneLine(s)
	}
	what, rest, ok := strings.Cut(rest, " into Go struct field ")
	if !ok {
		return oneLine(s)
	}
	path, typ, ok := strings.Cut(rest, " of type ")
	if !ok {
		return oneLine(s)
	}
	if _, field, ok := strings.Cut(path, "."); ok {
		path = field
	}
	return oneLine(fmt.Sprintf("%s is a %s where a %s belongs", path, what, typ))
}

func apiVersion(group, version string) string {
	if group == "" {
		return version
	}
	return group + "/" + version
}

// groupOf is the group of an apiVersion.
func groupOf(apiVersion string) string {
	g, _, ok := strings.Cut(apiVersion, "/")
	if !ok {
		return ""
	}
	return g
}
