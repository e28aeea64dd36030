package realkube

import (
	"context"
	"fmt"
	"path/filepath"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
)

var crdResource = schema.GroupVersionResource{
	Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions",
}

// InstallCRDs makes the server a management cluster: it serves the kinds of all Providers. Their managers do not
// run, and so nothing converts between versions: an object read in another version than it was written in is
// relabelled, not converted.
func (s *Server) InstallCRDs(ctx context.Context) error {
	client, err := dynamic.NewForConfig(s.AdminConfig())
	if err != nil {
		return err
	}
	var names []string
	for _, provider := range Providers() {
		objects, err := loadFile(filepath.Join(s.bench.binaries.dir, provider.FileName()))
		if err != nil {
			return err
		}
		for _, object := range objects {
			if object.GetKind() != "CustomResourceDefinition" {
				continue
			}
			unstructured.RemoveNestedField(object.Object, "spec", "conversion")
			if _, err := client.Resource(crdResource).Apply(ctx, object.GetName(), object, applyOptions); err != nil {
				return fmt.Errorf("install %s of %s: %w", object.GetName(), provider.Name, err)
			}
			names = append(names, object.GetName())
		}
	}
	for _, name := range names {
		if err := waitEstablished(ctx, client, name); err != nil {
			return err
		}
	}
	return nil
}

// waitEstablished returns when the server says that it serves the kind.
func waitEstablished(ctx context.Context, client dynamic.Interface, name string) error {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	for {
		crd, err := client.Resource(crdResource).Get(ctx, name, getOptions)
		if err != nil {
			return fmt.Errorf("wait for %s: %w", name, err)
		}
		if hasCondition(crd, "Established") {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%s was not established within a minute", name)
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// hasCondition is true if status.conditions has the type with status True.
func hasCondition(object *unstructured.Unstructured, kind string) bool {
	conditions, _, err := unstructured.NestedSlice(object.Object, "status", "conditions")
	if err != nil {
		return false
	}
	for _, c := range conditions {
		condition, ok := c.(map[string]any)
		if ok && condition["type"] == kind && condition["status"] == "True" {
			return true
		}
	}
	return false
}
