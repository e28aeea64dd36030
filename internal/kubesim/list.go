package kubesim

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
)

// builtinGroups serve lists whose items leave apiVersion and kind out, as the typed API does; custom resources have
// them.
func builtinGroup(group string) bool { return group == "" || !strings.Contains(group, ".") }

// continueToken has the form of the real one: where the next page begins, and the state of the store that it shows.
type continueToken struct {
	Version         string `json:"v"`
	ResourceVersion int64  `json:"rv"`
	StartKey        string `json:"start"`
}

func (t continueToken) encode() (string, error) {
	raw, err := json.Marshal(t)
	if err != nil {
		return "", err
	}
	return base64.RawURLEncoding.EncodeToString(raw), nil
}

func decodeContinue(s string) (continueToken, error) {
	var t continueToken
	raw, err := base64.RawURLEncoding.DecodeString(s)
	if err == nil {
		err = json.Unmarshal(raw, &t)
	}
	if err == nil && t.Version != "meta.k8s.io/v1" {
		err = fmt.Errorf("unknown version %q", t.Version)
	}
	return t, err
}

type objectList struct {
	APIVersion string           `json:"apiVersion"`
	Kind       string           `json:"kind"`
	Metadata   listMeta         `json:"metadata"`
	Items      []map[string]any `json:"items"`
}

type listMeta struct {
	ResourceVersion    string `json:"resourceVersion"`
	Continue           string `json:"continue,omitempty"`
	RemainingItemCount *int64 `json:"remainingItemCount,omitempty"`
}

// What a client asks for that wants metadata alone, and what it then gets (k8s.io/apiserver
// pkg/endpoints/handlers/response.go: asPartialObjectMetadataList).
const (
	metadataVersion = "meta.k8s.io/v1"
	acceptsMetadata = "as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"
)

func (s *Server) list(w http.ResponseWriter, r *http.Request, t target, res *resource) {
	q := r.URL.Query()
	match, err := selector(q.Get("labelSelector"), q.Get("fieldSelector"))
	if err != nil {
		s.status(w, http.StatusBadRequest, metav1.StatusReasonBadRequest, err.Error(), 0)
		return
	}
	limit := 0
	if l := q.Get("limit"); l != "" {
		if limit, err = strconv.Atoi(l); err != nil || limit < 0 {
			s.status(w, http.StatusBadRequest, metav1.StatusReasonBadRequest, "limit: "+l+" is no count", 0)
			return
		}
	}
	start := ""
	if c := q.Get("continue"); c != "" {
		token, err := decodeContinue(c)
		if err != nil {
			s.status(w, http.StatusBadRequest, metav1.StatusReasonBadRequest, "continue key is not valid: "+err.Error(), 0)
			return
		}
		start = token.StartKey
	}
	var selected []*unstructured.Unstructured
	for _, o := range res.objects {
		if (t.namespace == "" || o.GetNamespace() == t.namespace) && objectKey(o) >= start && match(o) {
			selected = append(selected, o)
		}
	}
	list := objectList{Kind: res.kind + "List", APIVersion: groupVersion(t), Items: []map[string]any{},
		Metadata: listMeta{ResourceVersion: strconv.Itoa(s.resourceVersion)}}
	if limit > 0 && len(selected) > limit {
		token := continueToken{Version: "meta.k8s.io/v1", ResourceVersion: int64(s.resourceVersion), StartKey: objectKey(selected[limit])}
		if list.Metadata.Continue, err = token.encode(); err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		if q.Get("labelSelector") == "" && q.Get("fieldSelector") == "" {
			// With a selector a real server cannot know.
			rest := int64(len(selected) - limit)
			list.Metadata.RemainingItemCount = &rest
		}
		selected = selected[:limit]
	}
	metadataOnly := strings.Contains(r.Header.Get("Accept"), acceptsMetadata)
	if metadataOnly {
		list.Kind, list.APIVersion = "PartialObjectMetadataList", metadataVersion
	}
	for _, o := range selected {
		if !s.convertible(w, t, o) {
			return
		}
		item := o.Object
		if metadataOnly {
			list.Items = append(list.Items, map[string]any{"apiVersion": metadataVersion, "kind": "PartialObjectMetadata", "metadata": item["metadata"]})
			continue
		}
		if builtinGroup(res.group) {
			item = shallow(item, "apiVersion", "kind")
		}
		list.Items = append(list.Items, item)
	}
	s.write(w, http.StatusOK, list)
}

func (s *Server) get(w http.ResponseWriter, t target, res *resource) {
	for _, o := range res.objects {
		if o.GetName() != t.name || o.GetNamespace() != t.namespace {
			continue
		}
		if s.convertible(w, t, o) {
			s.write(w, http.StatusOK, o.Object)
		}
		return
	}
	s.status(w, http.StatusNotFound, metav1.StatusReasonNotFound, fmt.Sprintf("%s %q not found", t.qualified(), t.name), 0)
}

// convertible is false, and the answer sent, for an object whose manifest has another version than the one asked for.
func (s *Server) convertible(w http.ResponseWriter, t target, o *unstructured.Unstructured) bool {
	if o.GetAPIVersion() == groupVersion(t) {
		return true
	}
	s.status(w, http.StatusInternalServerError, metav1.StatusReasonInternalError,
		fmt.Sprintf("kubesim does not convert: %s %s is %s in its manifest, not %s", o.GetKind(), objectKey(o), o.GetAPIVersion(), groupVersion(t)), 0)
	return false
}

func groupVersion(t target) string {
	if t.group == "" {
		return t.version
	}
	return t.group + "/" + t.version
}

// selector understands all label selectors, and the field selectors that work for every kind.
func selector(labelSelector, fieldSelector string) (func(*unstructured.Unstructured) bool, error) {
	byLabel, err := labels.Parse(labelSelector)
	if err != nil {
		return nil, fmt.Errorf("labelSelector: %w", err)
	}
	byField, err := fields.ParseSelector(fieldSelector)
	if err != nil {
		return nil, fmt.Errorf("fieldSelector: %w", err)
	}
	for _, r := range byField.Requirements() {
		if !slices.Contains([]string{"metadata.name", "metadata.namespace"}, r.Field) {
			return nil, fmt.Errorf("field label not supported: %s", r.Field)
		}
	}
	return func(o *unstructured.Unstructured) bool {
		return byLabel.Matches(labels.Set(o.GetLabels())) &&
			byField.Matches(fields.Set{"metadata.name": o.GetName(), "metadata.namespace": o.GetNamespace()})
	}, nil
}

func shallow(m map[string]any, without ...string) map[string]any {
	out := make(map[string]any, len(m))
	for k, v := range m {
		if !slices.Contains(without, k) {
			out[k] = v
		}
	}
	return out
}
