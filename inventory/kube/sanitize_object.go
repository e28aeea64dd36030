package kube

import (
	"encoding/json"
	"strings"

	kjson "k8s.io/apimachinery/pkg/util/json"
)

// object cleans a whole API object in place: the bookkeeping that nobody reads goes, secrets become hashes.
//
// The fields are found by their names and not by their paths, so that a KubeadmConfig, its template, a control plane
// and a ClusterClass's copy of one are all covered, in every version. Sources of the names: cluster-api
// bootstrap/kubeadm/v1beta1 and v1beta2; cluster-api-bootstrap-provider-talos api/v1alpha3.
func (s *sanitizer) object(o map[string]any) {
	if meta, ok := o["metadata"].(map[string]any); ok {
		delete(meta, "managedFields")
		delete(meta, "selfLink")
	}
	kindName, _ := o["kind"].(string)
	w := walker{s: s, talos: strings.HasPrefix(kindName, "Talos")}
	w.object(o)
}

type walker struct {
	s *sanitizer
	// talos switches on the field names that mean something secret in Talos objects and nothing elsewhere.
	talos bool
}

func (w walker) value(v any) any {
	switch v := v.(type) {
	case string:
		return w.s.text(v)
	case map[string]any:
		w.object(v)
	case []any:
		for i := range v {
			v[i] = w.value(v[i])
		}
	}
	return v
}

func (w walker) object(m map[string]any) {
	for name, v := range m {
		if replaced, done := w.secret(name, v); done {
			m[name] = replaced
			continue
		}
		m[name] = w.value(v)
	}
}

// secret handles the fields that hold one; done is false for all others.
func (w walker) secret(name string, v any) (replaced any, done bool) {
	switch name {
	case "annotations":
		return w.annotations(v)
	case "files":
		return w.each(v, "content", w.s.hash), true
	case "users":
		v = w.each(v, "passwdFrom", w.references)
		return w.each(v, "passwd", w.s.hash), true
	case "bootstrapTokens":
		return w.each(v, "token", w.s.token), true
	case "extraEnvs":
		return w.each(v, "value", w.s.hash), true
	case "variables":
		// ClusterClass variables may hold anything, a registry password too.
		return w.each(v, "value", w.strings), true
	case "bootstrapToken":
		return w.field(v, "token", w.s.hash), true
	case "containerLinuxConfig":
		return w.field(v, "additionalConfig", w.s.hash), true
	case "kubeConfig":
		return w.field(v, "user", w.strings), true
	case "staticPodURLHeader":
		// A KubeletConfiguration's: headers by which the kubelet proves itself to where its static Pods come from.
		return w.strings(v), true
	case "tlsBootstrapToken", "certificateKey", "passwd":
		return w.s.hash(v), true
	case "preKubeadmCommands", "postKubeadmCommands", "bootCommands":
		// Commands often carry a token or a password. Their equality is all that a comparison needs.
		return w.list(v), true
	}
	if w.talos {
		switch name {
		case "data", "talosConfig":
			return w.s.hash(v), true
		case "strategicPatches":
			return w.list(v), true
		case "configPatches":
			return w.each(v, "value", w.s.hash), true
		}
	}
	return nil, false
}

// each applies a function to one field of every element of a list of objects; whatever has another form is hashed as
// it is, for it may hold what the field should.
func (w walker) each(v any, name string, f func(any) any) any {
	if v == nil {
		return nil
	}
	elems, ok := v.([]any)
	if !ok {
		return w.s.hash(v)
	}
	for i, e := range elems {
		elems[i] = w.field(e, name, f)
	}
	return elems
}

func (w walker) field(v any, name string, f func(any) any) any {
	if v == nil {
		return nil
	}
	m, ok := v.(map[string]any)
	if !ok {
		return w.s.hash(v)
	}
	secret, has := m[name]
	if has {
		delete(m, name)
	}
	w.object(m)
	if has {
		m[name] = f(secret)
	}
	return m
}

// list hashes each element.
func (w walker) list(v any) any {
	elems, ok := v.([]any)
	if !ok {
		return w.s.hash(v)
	}
	for i := range elems {
		elems[i] = w.s.hash(elems[i])
	}
	return elems
}

// strings hashes every string below a value and keeps its shape.
func (w walker) strings(v any) any {
	switch v := v.(type) {
	case string:
		return w.s.hash(v)
	case map[string]any:
		for k := range v {
			v[k] = w.strings(v[k])
		}
	case []any:
		for i := range v {
			v[i] = w.strings(v[i])
		}
	}
	return v
}

// references keeps what names a Secret (secret.name and secret.key) and hashes all other strings.
func (w walker) references(v any) any {
	m, ok := v.(map[string]any)
	if !ok {
		return w.s.hash(v)
	}
	for k := range m {
		ref, isRef := m[k].(map[string]any)
		if k != "secret" || !isRef {
			m[k] = w.strings(m[k])
			continue
		}
		for field := range ref {
			if field != "name" && field != "key" {
				ref[field] = w.strings(ref[field])
			}
		}
	}
	return m
}

const (
	annotationLastApplied = "kubectl.kubernetes.io/last-applied-configuration"
	// annotationClusterConfiguration is a ClusterConfiguration as JSON, which old control-plane controllers compare
	// (cluster-api controlplane/kubeadm v1.10).
	annotationClusterConfiguration = "controlplane.cluster.x-k8s.io/kubeadm-cluster-configuration"
	// maxAnnotation is where an annotation stops being a setting and starts being a document.
	maxAnnotation = 256
)

// annotations hashes those that hold documents: Cluster API's own conversion data, kapp's, Rancher's and others' copies
// of the whole object repeat every secret of it.
func (w walker) annotations(v any) (any, bool) {
	m, ok := v.(map[string]any)
	if !ok {
		return nil, false
	}
	delete(m, annotationLastApplied)
	for name, value := range m {
		text, ok := value.(string)
		switch {
		case !ok:
			m[name] = w.value(value)
		case name == annotationClusterConfiguration:
			m[name] = w.document(text)
		case len(text) > maxAnnotation || strings.HasPrefix(strings.TrimSpace(text), "{") || strings.HasPrefix(strings.TrimSpace(text), "["):
			m[name] = w.s.hash(text)
		default:
			m[name] = w.s.text(text)
		}
	}
	return m, true
}

// document cleans a JSON object that stands in a string.
func (w walker) document(text string) any {
	var doc map[string]any
	if err := kjson.Unmarshal([]byte(text), &doc); err != nil {
		return w.s.hash(text)
	}
	w.object(doc)
	out, err := json.Marshal(doc)
	if err != nil {
		return w.s.hash(text)
	}
	return string(out)
}
