package kube

import (
	"maps"
	"net"
	"slices"
	"strconv"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/proxaudit/proxaudit/inventory"
)

const annotationPaused = "cluster.x-k8s.io/paused"

// objectMeta is what is read of metadata, apiVersion and the parts of spec and status that all kinds share.
type objectMeta struct {
	APIVersion string `json:"apiVersion"`
	Metadata   struct {
		Name              string            `json:"name"`
		Namespace         string            `json:"namespace"`
		UID               string            `json:"uid"`
		CreationTimestamp *metav1.Time      `json:"creationTimestamp"`
		DeletionTimestamp *metav1.Time      `json:"deletionTimestamp"`
		Generation        int64             `json:"generation"`
		Labels            map[string]string `json:"labels"`
		Annotations       map[string]string `json:"annotations"`
		Finalizers        []string          `json:"finalizers"`
		OwnerReferences   []struct {
			APIVersion string `json:"apiVersion"`
			Kind       string `json:"kind"`
			Name       string `json:"name"`
			UID        string `json:"uid"`
			Controller *bool  `json:"controller"`
		} `json:"ownerReferences"`
	} `json:"metadata"`
}

// conditions of both families: v1beta2's lack severity, v1beta1's lack observedGeneration.
type conditions []struct {
	Type               string       `json:"type"`
	Status             string       `json:"status"`
	Severity           string       `json:"severity"`
	Reason             string       `json:"reason"`
	Message            string       `json:"message"`
	LastTransitionTime *metav1.Time `json:"lastTransitionTime"`
}

func (o *objectMeta) meta(paused *bool, observed int64, conds conditions) inventory.Meta {
	m := o.Metadata
	out := inventory.Meta{
		Namespace:   m.Namespace,
		Name:        m.Name,
		UID:         m.UID,
		APIVersion:  o.APIVersion,
		CreatedAt:   utc(m.CreationTimestamp),
		DeletedAt:   utc(m.DeletionTimestamp),
		Generation:  m.Generation,
		Observed:    observed,
		Labels:      maps.Clone(m.Labels),
		Annotations: maps.Clone(m.Annotations),
		Finalizers:  slices.Clone(m.Finalizers),
		Paused:      deref(paused),
	}
	if _, ok := m.Annotations[annotationPaused]; ok {
		// Presence is what counts, whatever the value says (cluster-api util/annotations: HasPaused).
		out.Paused = true
	}
	for _, r := range m.OwnerReferences {
		out.Owners = append(out.Owners, inventory.Ref{
			Group: groupOf(r.APIVersion), Kind: r.Kind, Namespace: m.Namespace, Name: r.Name, UID: r.UID,
			Controller: deref(r.Controller),
		})
	}
	for _, c := range conds {
		out.Conditions = append(out.Conditions, inventory.Condition{
			Type: c.Type, Status: c.Status, Severity: c.Severity, Reason: c.Reason, Message: c.Message,
			Since: utc(c.LastTransitionTime),
		})
	}
	return out
}

// holds is true if the condition is there with status True.
func (c conditions) holds(conditionType string) bool {
	for _, x := range c {
		if x.Type == conditionType {
			return x.Status == "True"
		}
	}
	return false
}

// reference has the fields of v1beta1's ObjectReference (apiVersion, namespace) and of v1beta2's
// ContractVersionedObjectReference (apiGroup, no namespace).
type reference struct {
	APIVersion string `json:"apiVersion"`
	APIGroup   string `json:"apiGroup"`
	Kind       string `json:"kind"`
	Namespace  string `json:"namespace"`
	Name       string `json:"name"`
}

// ref is nil for an empty reference. A reference without a namespace is to the object's own.
func (r *reference) ref(namespace string) *inventory.Ref {
	if r == nil || (r.Name == "" && r.Kind == "") {
		return nil
	}
	out := &inventory.Ref{Group: r.APIGroup, Kind: r.Kind, Namespace: r.Namespace, Name: r.Name}
	if out.Group == "" {
		out.Group = groupOf(r.APIVersion)
	}
	if out.Namespace == "" {
		out.Namespace = namespace
	}
	return out
}

// endpoint is a controlPlaneEndpoint.
type endpoint struct {
	Host string `json:"host"`
	Port int32  `json:"port"`
}

// String is host:port, or empty if there is no host yet.
func (e *endpoint) String() string {
	if e == nil || e.Host == "" {
		return ""
	}
	return net.JoinHostPort(e.Host, strconv.Itoa(int(e.Port)))
}

// deprecated is where v1beta2 keeps the failure fields of v1beta1.
type deprecated struct {
	V1Beta1 struct {
		FailureReason  string `json:"failureReason"`
		FailureMessage string `json:"failureMessage"`
	} `json:"v1beta1"`
}

func utc(t *metav1.Time) *time.Time {
	if t == nil || t.IsZero() {
		return nil
	}
	u := t.UTC()
	return &u
}

func deref[T any](p *T) T {
	if p == nil {
		var zero T
		return zero
	}
	return *p
}

// first returns the first non-empty string.
func first(values ...string) string {
	for _, v := range values {
		if v != "" {
			return v
		}
	}
	return ""
}
