package kubesim

import (
	"bytes"
	"crypto/sha1" //nolint:gosec // UUIDs of version 5 are made with it
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/google/uuid"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
)

// Cluster is what a Server serves: objects and the kinds that are installed.
type Cluster struct {
	Config Config

	objects   []*unstructured.Unstructured
	from      map[string]string
	resources map[schema.GroupKind]*resource
}

// NewCluster is an empty cluster.
func NewCluster(c Config) (*Cluster, error) {
	if err := c.check("config"); err != nil {
		return nil, err
	}
	cl := &Cluster{Config: c, from: map[string]string{}, resources: map[schema.GroupKind]*resource{}}
	cl.install(builtin...)
	cl.install(c.Kinds...)
	return cl, nil
}

// Load reads a folder of manifests, subfolders included, and its kubesim.yaml if there is one.
func Load(dir string) (*Cluster, error) {
	config, err := readConfig(filepath.Join(dir, ConfigFile))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	cl, err := NewCluster(config)
	if err != nil {
		return nil, err
	}
	return cl, cl.AddDir(dir)
}

// AddDir adds the manifests below a folder. A folder without any is an error: it is the wrong folder.
func (cl *Cluster) AddDir(dir string) error {
	files := 0
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || d.Name() == ConfigFile {
			return err
		}
		switch filepath.Ext(path) {
		case ".yaml", ".yml", ".json":
		default:
			return nil
		}
		data, err := os.ReadFile(path) //nolint:gosec // the caller's own folder
		if err != nil {
			return err
		}
		files++
		return cl.Add(path, data)
	})
	if err != nil {
		return err
	}
	if files == 0 {
		return fmt.Errorf("%s holds no manifests (*.yaml, *.yml, *.json)", dir)
	}
	return nil
}

// Add adds the objects of YAML or JSON documents. The name says where they are from, in errors.
func (cl *Cluster) Add(name string, documents []byte) error {
	dec := utilyaml.NewYAMLOrJSONDecoder(bytes.NewReader(documents), 4096)
	for {
		var content map[string]any
		err := dec.Decode(&content)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if len(content) == 0 {
			continue
		}
		o := &unstructured.Unstructured{Object: content}
		if !o.IsList() {
			if err := cl.addObject(name, o); err != nil {
				return err
			}
			continue
		}
		list, err := o.ToList()
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		for i := range list.Items {
			if err := cl.addObject(name, &list.Items[i]); err != nil {
				return err
			}
		}
	}
}

func (cl *Cluster) addObject(from string, o *unstructured.Unstructured) error {
	gvk := o.GroupVersionKind()
	if gvk.Kind == "" || gvk.Version == "" || o.GetName() == "" {
		return fmt.Errorf("%s: an object needs apiVersion, kind and metadata.name (have %q, %q, %q)", from, o.GetAPIVersion(), o.GetKind(), o.GetName())
	}
	if gvk.Kind == "CustomResourceDefinition" {
		if err := cl.installCRD(o); err != nil {
			return fmt.Errorf("%s: %w", from, err)
		}
	}
	r := cl.install(Kind{Group: gvk.Group, Kind: gvk.Kind, Versions: []string{gvk.Version}})
	switch {
	case r.clusterScoped:
		o.SetNamespace("")
	case o.GetNamespace() == "":
		o.SetNamespace("default")
	}
	key := gvk.GroupKind().String() + " " + o.GetNamespace() + "/" + o.GetName()
	if earlier, ok := cl.from[key]; ok {
		return fmt.Errorf("%s: %s is in %s already", from, key, earlier)
	}
	cl.from[key] = from
	cl.objects = append(cl.objects, o)
	return nil
}

// seal gives every object what an API server would have given it, sorts all, and makes the namespaces that objects
// are in. Everything is derived from names, so that the same manifests are always served as the same bytes.
func (cl *Cluster) seal() error {
	for _, ns := range cl.namespaces() {
		if _, ok := cl.from["Namespace /"+ns]; ok {
			continue
		}
		o := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": "Namespace"}}
		o.SetName(ns)
		o.SetLabels(map[string]string{"kubernetes.io/metadata.name": ns})
		if err := cl.addObject("kubesim", o); err != nil {
			return err
		}
	}
	slices.SortFunc(cl.objects, func(a, b *unstructured.Unstructured) int { return strings.Compare(etcdKey(a), etcdKey(b)) })
	for _, r := range cl.resources {
		r.objects = nil
	}
	for i, o := range cl.objects {
		if o.GetUID() == "" {
			o.SetUID(uid(o))
		}
		if o.GetResourceVersion() == "" {
			o.SetResourceVersion(strconv.Itoa(1000 + i))
		}
		if meta, ok := o.Object["metadata"].(map[string]any); ok && meta["creationTimestamp"] == nil {
			meta["creationTimestamp"] = defaultCreation
		}
		gvk := o.GroupVersionKind()
		r := cl.resources[gvk.GroupKind()]
		r.objects = append(r.objects, o)
	}
	return nil
}

// defaultCreation is when objects were made that do not say.
const defaultCreation = "2026-01-01T00:00:00Z"

func (cl *Cluster) namespaces() []string {
	names := []string{"default", "kube-system"}
	for _, o := range cl.objects {
		if ns := o.GetNamespace(); ns != "" {
			names = append(names, ns)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// etcdKey is the order in which an API server lists.
func etcdKey(o *unstructured.Unstructured) string {
	return o.GroupVersionKind().GroupKind().String() + "\x00" + objectKey(o)
}

func objectKey(o *unstructured.Unstructured) string {
	if ns := o.GetNamespace(); ns != "" {
		return ns + "/" + o.GetName()
	}
	return o.GetName()
}

func uid(o *unstructured.Unstructured) types.UID {
	return types.UID(uuid.NewHash(sha1.New(), uuid.NameSpaceURL, []byte("kubesim:"+etcdKey(o)), 5).String()) //nolint:gosec // see the import
}
