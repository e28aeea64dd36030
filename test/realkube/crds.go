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

// InstallCRDs makes the server a management cluster: it serves the kinds of all Providers. Until their managers run
// (StartManagers), nothing converts between versions: an object read in another version than it was written in is
// relabelled, not converted.
func (s *Server) InstallCRDs(ctx context.Context) error {
	client, err := dynamic.NewForConfig(s.AdminConfig())
	if err != nil {
		return err
	}
	crds, err := s.bench.CRDs()
	if err != nil {
		return err
	}
	for _, crd := range crds {
		if _, err := client.Resource(crdResource).Apply(ctx, crd.GetName(), crd, applyOptions); err != nil {
			return fmt.Errorf("install %s: %w", crd.GetName(), err)
		}
	}
	for _, crd := range crds {
		if err := waitEstablished(ctx, client, crd.GetName()); err != nil {
			return err
		}
	}
	return nil
}

// CRDs returns the CustomResourceDefinitions of all Providers, without their conversion webhooks.
func (b *Bench) CRDs() ([]*unstructured.Unstructured, error) {
	var crds []*unstructured.Unstructured
	for _, provider := range Providers() {
		objects, err := loadFile(filepath.Join(b.binaries.dir, provider.FileName()))
		if err != nil {
			return nil, err
		}
		found := len(crds)
		for _, object := range objects {
			if object.GetKind() == "CustomResourceDefinition" {
				unstructured.RemoveNestedField(object.Object, "spec", "conversion")
				crds = append(crds, object)
			}
		}
		if len(crds) == found {
			return nil, fmt.Errorf("%s has no CustomResourceDefinition", provider.FileName())
		}
	}
	return crds, nil
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
