package realkube

import (
	"context"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/restmapper"
)

var (
	applyOptions = metav1.ApplyOptions{FieldManager: "proxaudit-bench", Force: true}
	getOptions   = metav1.GetOptions{}
)

// Apply makes a folder of manifests the content of the server: server-side apply for every object, then its
// status through the status subresource, as a controller or a kubelet would have written it, and last the fields
// that only a server sets (see stamp). What the folder says is then what a client reads.
func (s *Server) Apply(ctx context.Context, dir string) error {
	objects, err := Load(dir)
	if err != nil {
		return err
	}
	a, err := newApplier(s)
	if err != nil {
		return err
	}
	stamps := map[string]stamp{}
	for _, object := range objects {
		uid, err := a.apply(ctx, object)
		if err != nil {
			return fmt.Errorf("apply %s to %s: %w", describe(object), s.name, err)
		}
		stamps[uid] = stampOf(object)
	}
	return s.backdate(ctx, stamps)
}

// applier sends manifests to one server.
type applier struct {
	client dynamic.Interface
	mapper *restmapper.DeferredDiscoveryRESTMapper
}

func newApplier(s *Server) (*applier, error) {
	client, err := dynamic.NewForConfig(s.AdminConfig())
	if err != nil {
		return nil, err
	}
	finder, err := discovery.NewDiscoveryClientForConfig(s.AdminConfig())
	if err != nil {
		return nil, err
	}
	return &applier{client: client, mapper: restmapper.NewDeferredDiscoveryRESTMapper(memory.NewMemCacheClient(finder))}, nil
}

// apply sends one object and returns the UID that the server gave it.
func (a *applier) apply(ctx context.Context, manifest *unstructured.Unstructured) (string, error) {
	resource, err := a.resource(ctx, manifest)
	if err != nil {
		return "", err
	}
	object := manifest.DeepCopy()
	removeStamp(object)
	status, hasStatus := object.Object["status"]
	delete(object.Object, "status")
	served, err := resource.Apply(ctx, object.GetName(), object, applyOptions)
	if err != nil {
		return "", err
	}
	if !hasStatus {
		return string(served.GetUID()), nil
	}
	part := &unstructured.Unstructured{Object: map[string]any{"status": status}}
	part.SetAPIVersion(object.GetAPIVersion())
	part.SetKind(object.GetKind())
	part.SetName(object.GetName())
	part.SetNamespace(object.GetNamespace())
	if _, err := resource.ApplyStatus(ctx, object.GetName(), part, applyOptions); err != nil {
		return "", fmt.Errorf("status: %w", err)
	}
	return string(served.GetUID()), nil
}

// resource finds where a kind is served. A kind whose CRD has just been established takes another moment until
// discovery lists it.
func (a *applier) resource(ctx context.Context, object *unstructured.Unstructured) (dynamic.ResourceInterface, error) {
	kind := object.GroupVersionKind()
	deadline := time.Now().Add(30 * time.Second)
	mapping, err := a.mapper.RESTMapping(kind.GroupKind(), kind.Version)
	for err != nil && time.Now().Before(deadline) && ctx.Err() == nil {
		time.Sleep(100 * time.Millisecond)
		a.mapper.Reset()
		mapping, err = a.mapper.RESTMapping(kind.GroupKind(), kind.Version)
	}
	if err != nil {
		return nil, err
	}
	if mapping.Scope.Name() == meta.RESTScopeNameRoot {
		return a.client.Resource(mapping.Resource), nil
	}
	if object.GetNamespace() == "" {
		return nil, fmt.Errorf("metadata.namespace is missing")
	}
	return a.client.Resource(mapping.Resource).Namespace(object.GetNamespace()), nil
}

// Get reads one object of a manifest as the server serves it.
func (s *Server) Get(ctx context.Context, manifest *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	a, err := newApplier(s)
	if err != nil {
		return nil, err
	}
	resource, err := a.resource(ctx, manifest)
	if err != nil {
		return nil, err
	}
	object, err := resource.Get(ctx, manifest.GetName(), getOptions)
	if err != nil {
		return nil, fmt.Errorf("read %s of %s: %w", describe(manifest), s.name, err)
	}
	return object, nil
}
