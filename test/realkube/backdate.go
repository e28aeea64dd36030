package realkube

import (
	"context"
	"encoding/json"
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// stamped are the metadata fields that an API server sets by itself, whatever a client sends. A manifest that has
// them means them: an age decides what is a finding and what is merely young, and ownerReferences name UIDs.
var stamped = []string{
	"uid", "creationTimestamp", "generation", "deletionTimestamp", "deletionGracePeriodSeconds",
}

// stamp is what a manifest says about those fields.
type stamp map[string]any

func stampOf(object *unstructured.Unstructured) stamp {
	metadata, ok := object.Object["metadata"].(map[string]any)
	if !ok {
		return nil
	}
	s := stamp{}
	for _, field := range stamped {
		if value, ok := metadata[field]; ok {
			s[field] = value
		}
	}
	return s
}

// removeStamp takes away what no client may send. Server-side apply reads metadata.uid as a precondition.
func removeStamp(object *unstructured.Unstructured) {
	for _, field := range append([]string{"resourceVersion", "managedFields"}, stamped...) {
		unstructured.RemoveNestedField(object.Object, "metadata", field)
	}
}

// backdate writes stamps, by the UID that the server gave an object, where the server keeps its objects. It is
// what a restore of etcd's data looks like to the server: it notices through its watch on etcd and serves the
// result. The rest of the object stays what the server made of it.
func (s *Server) backdate(ctx context.Context, stamps map[string]stamp) error {
	stored, err := s.bench.etcd.list(ctx, s.prefix()+"/")
	if err != nil {
		return err
	}
	found := 0
	for _, kv := range stored {
		var object map[string]any
		if err := json.Unmarshal(kv.Value, &object); err != nil {
			// Not an object: the API server keeps a few counters and leases of its own in other encodings.
			continue
		}
		metadata, ok := object["metadata"].(map[string]any)
		if !ok {
			continue
		}
		uid, _ := metadata["uid"].(string)
		change, ok := stamps[uid]
		if !ok {
			continue
		}
		found++
		if len(change) == 0 {
			continue
		}
		for field, value := range change {
			metadata[field] = value
		}
		if kv.Value, err = json.Marshal(object); err != nil {
			return err
		}
		if err := s.bench.etcd.put(ctx, kv); err != nil {
			return err
		}
	}
	if found != len(stamps) {
		return fmt.Errorf("backdate %s: %d of %d applied objects are in etcd below %s", s.name, found, len(stamps), s.prefix())
	}
	return nil
}
