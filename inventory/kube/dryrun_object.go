package kube

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/yaml"

	"github.com/proxaudit/proxaudit/inventory"
)

// manifest is an object to send.
type manifest struct {
	ref inventory.Ref
	gv  schema.GroupVersion
	// resource and path are known after locate; path is empty for a kind that is not served.
	resource, path string
	json           []byte
}

func (m manifest) isSecret() bool { return m.gv.Group == "" && strings.EqualFold(m.ref.Kind, "Secret") }

// readManifest reads one object. Its names go into a path, so that only what an API server takes for a name passes.
func readManifest(data []byte) (manifest, error) {
	var o struct {
		APIVersion string `json:"apiVersion"`
		Kind       string `json:"kind"`
		Metadata   struct {
			Name      string `json:"name"`
			Namespace string `json:"namespace"`
		} `json:"metadata"`
	}
	if several(data) {
		return manifest{}, errors.New("it holds several documents, of which one would be sent")
	}
	j, err := yaml.YAMLToJSONStrict(data)
	if err != nil {
		return manifest{}, errors.New("it is no YAML or JSON, or has a key twice")
	}
	if err := json.Unmarshal(j, &o); err != nil {
		return manifest{}, errors.New("it is no manifest of a Kubernetes object")
	}
	gv, err := schema.ParseGroupVersion(o.APIVersion)
	switch {
	case err != nil || gv.Version == "" || o.Kind == "":
		return manifest{}, fmt.Errorf("apiVersion %q and kind %q do not name a kind", o.APIVersion, o.Kind)
	case gv.Group != "" && len(validation.IsDNS1123Subdomain(gv.Group)) > 0, len(validation.IsDNS1123Label(gv.Version)) > 0:
		return manifest{}, fmt.Errorf("apiVersion %q is none", o.APIVersion)
	case len(validation.IsDNS1123Subdomain(o.Metadata.Name)) > 0:
		return manifest{}, fmt.Errorf("%s has the name %q, which is none", o.Kind, o.Metadata.Name)
	case o.Metadata.Namespace != "" && len(validation.IsDNS1123Label(o.Metadata.Namespace)) > 0:
		return manifest{}, fmt.Errorf("%s %s has the namespace %q, which is none", o.Kind, o.Metadata.Name, o.Metadata.Namespace)
	}
	return manifest{gv: gv, json: j,
		ref: inventory.Ref{Group: gv.Group, Kind: o.Kind, Namespace: o.Metadata.Namespace, Name: o.Metadata.Name}}, nil
}

// several is true for a stream of documents. The parser takes the first one and says nothing of the others.
func several(data []byte) bool {
	r := utilyaml.NewYAMLReader(bufio.NewReader(bytes.NewReader(data)))
	for n := 0; ; {
		doc, err := r.Read()
		if err != nil {
			return false
		}
		if len(bytes.TrimSpace(doc)) == 0 {
			continue
		}
		if n++; n > 1 {
			return true
		}
	}
}

// locate asks every group version that occurs for its resources, once, and gives each object its path. An error means
// that the server does not answer.
func (d *dryRunSender) locate(ctx context.Context, manifests []manifest) error {
	asked := map[schema.GroupVersion]*metav1.APIResourceList{}
	for i := range manifests {
		m := &manifests[i]
		list, ok := asked[m.gv]
		if !ok {
			var err error
			if list, err = d.resources(ctx, m.gv); err != nil {
				return d.c.notAsked(err)
			}
			asked[m.gv] = list
		}
		if list == nil {
			continue
		}
		n := slices.IndexFunc(list.APIResources, func(r metav1.APIResource) bool {
			return r.Kind == m.ref.Kind && !strings.Contains(r.Name, "/")
		})
		if n < 0 {
			continue
		}
		r := list.APIResources[n]
		switch {
		case r.Namespaced && m.ref.Namespace == "":
			return fmt.Errorf("%s %s names no namespace, and its kind lives in one: no dry run", m.ref.Kind, m.ref.Name)
		case !r.Namespaced && m.ref.Namespace != "":
			return fmt.Errorf("%s %s names the namespace %s, and its kind lives in none: no dry run", m.ref.Kind, m.ref.Name, m.ref.Namespace)
		}
		m.resource = r.Name
		m.path = groupPath(m.gv)
		if r.Namespaced {
			m.path = path.Join(m.path, "namespaces", m.ref.Namespace)
		}
		m.path = path.Join(m.path, r.Name, m.ref.Name)
	}
	return nil
}

func groupPath(gv schema.GroupVersion) string {
	if gv.Group == "" {
		return "/api/" + gv.Version
	}
	return "/apis/" + gv.Group + "/" + gv.Version
}

// resources is nil for a group version that the server does not have.
func (d *dryRunSender) resources(ctx context.Context, gv schema.GroupVersion) (*metav1.APIResourceList, error) {
	p := groupPath(gv)
	body, err := d.do(ctx, d.rest.Get().AbsPath(p))
	if apierrors.IsNotFound(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var list metav1.APIResourceList
	if err := json.Unmarshal(body, &list); err != nil {
		return nil, &notKubernetes{path: p, err: err}
	}
	if list.Kind != "APIResourceList" || list.GroupVersion != gv.String() {
		return nil, &notKubernetes{path: p, err: fmt.Errorf("it is %q of %q and not the resources of %s", list.Kind, list.GroupVersion, gv)}
	}
	return &list, nil
}
