package realkube

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/yaml"
)

// Load reads every YAML file of a folder, by name, and every document of a file in its order.
func Load(dir string) ([]*unstructured.Unstructured, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.yaml"))
	if err != nil {
		return nil, err
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("%s has no *.yaml files", dir)
	}
	slices.Sort(files)
	var all []*unstructured.Unstructured
	for _, file := range files {
		objects, err := loadFile(file)
		if err != nil {
			return nil, err
		}
		all = append(all, objects...)
	}
	return all, nil
}

func loadFile(path string) ([]*unstructured.Unstructured, error) {
	data, err := os.ReadFile(path) //nolint:gosec // the test's own folder
	if err != nil {
		return nil, err
	}
	var objects []*unstructured.Unstructured
	decoder := yaml.NewYAMLOrJSONDecoder(bytes.NewReader(data), 4096)
	for {
		object := &unstructured.Unstructured{}
		err := decoder.Decode(&object.Object)
		if errors.Is(err, io.EOF) {
			return objects, nil
		}
		if err != nil {
			return nil, fmt.Errorf("%s, document %d: %w", path, len(objects)+1, err)
		}
		if len(object.Object) == 0 {
			continue
		}
		if object.GetAPIVersion() == "" || object.GetKind() == "" || object.GetName() == "" {
			return nil, fmt.Errorf("%s, document %d: apiVersion, kind or metadata.name is missing", path, len(objects)+1)
		}
		objects = append(objects, object)
	}
}

// describe names an object in errors.
func describe(object *unstructured.Unstructured) string {
	name := object.GetName()
	if ns := object.GetNamespace(); ns != "" {
		name = ns + "/" + name
	}
	return fmt.Sprintf("%s %s (%s)", object.GetKind(), name, object.GetAPIVersion())
}
