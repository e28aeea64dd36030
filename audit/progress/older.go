package progress

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/proxaudit/proxaudit/inventory"
)

// older are the conditions of the family before, which objects of Cluster API v1beta2 keep in status.deprecated.v1beta1: where the newer
// family says "Please check controller logs for errors", the older one has the error's text.
func (w *World) older(r inventory.Ref) *inventory.Meta {
	o := w.objects[keyOf(r)]
	if o == nil {
		return &inventory.Meta{}
	}
	status, found, err := unstructured.NestedFieldNoCopy(o.Content, "status", "deprecated", "v1beta1")
	if err != nil || !found {
		return &inventory.Meta{}
	}
	return metaOf(&inventory.Object{Content: map[string]any{"status": status}})
}
