package kube

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	kjson "k8s.io/apimachinery/pkg/util/json"

	"github.com/proxaudit/proxaudit/inventory"
)

var kindPod = kind{resource: "pods", kind: "Pod", versions: []string{"v1"}}

// How a kubelet marks the mirror of a Pod that it runs from a file (kubernetes pkg/kubelet/types/pod_update.go:
// ConfigMirrorAnnotationKey, ConfigSourceAnnotationKey).
const (
	annotationMirror = "kubernetes.io/config.mirror"
	annotationSource = "kubernetes.io/config.source"
	sourceFile       = "file"
)

// podsRule is the rule of a Role for the Pods of kube-system. No selector finds mirror Pods alone.
var podsRule = fmt.Sprintf(`add to the reader's Role in kube-system: {apiGroups: [%q], resources: [%q], verbs: [%q]}`, "", "pods", "list")

// podObject is what is read of a Pod. It has no environment: that is where passwords are.
type podObject struct {
	objectMeta
	Spec struct {
		NodeName   string `json:"nodeName"`
		Containers []struct {
			Image   string   `json:"image"`
			Command []string `json:"command"`
			Args    []string `json:"args"`
		} `json:"containers"`
		Volumes []struct {
			HostPath *struct {
				Path string `json:"path"`
			} `json:"hostPath"`
		} `json:"volumes"`
	} `json:"spec"`
	Status struct {
		Conditions conditions `json:"conditions"`
	} `json:"status"`
}

// staticPods lists the mirror Pods of kube-system. The Pods of a large cluster's DaemonSets are there too, and are let go
// page by page.
func (w *workloadReader) staticPods(ctx context.Context) (f failure) {
	l := w.c.listQuery(ctx, listQuery{kind: kindPod, version: "v1", namespace: "kube-system", keep: mayBeMirror})
	// How many of those that did not come are mirrors is not known.
	l.remaining = 0
	var broken []string
	var pods []inventory.StaticPod
	kept := l.items[:0]
	for _, raw := range l.items {
		pod, mirror, err := w.c.clean.staticPod(raw)
		switch {
		case err != nil:
			broken = append(broken, err.Error())
		case !mirror:
			continue
		default:
			pods = append(pods, pod)
		}
		kept = append(kept, raw)
	}
	l.items = kept
	cov := inventory.Coverage{Source: w.source, Scope: inventory.ScopeStaticPods, Optional: true}
	cov = w.c.listCoverage(cov, kindPod, []string{"kube-system"}, []listing{l})
	if apierrors.IsForbidden(l.err) {
		cov.Remedy = podsRule
	}
	addBroken(&cov, broken)
	w.add(cov)
	slices.SortFunc(pods, func(a, b inventory.StaticPod) int { return strings.Compare(a.Name, b.Name) })
	w.cluster.StaticPods = pods
	if l.err != nil {
		f = w.c.explain(l.err)
	}
	return f
}

// mayBeMirror spares all other Pods the decoding.
func mayBeMirror(raw json.RawMessage) bool {
	return bytes.Contains(raw, []byte(annotationMirror)) || bytes.Contains(raw, []byte(annotationSource))
}

// staticPod reads a Pod; mirror is false for one that is no mirror.
func (s *sanitizer) staticPod(raw json.RawMessage) (pod inventory.StaticPod, mirror bool, err error) {
	var p podObject
	if err := kjson.Unmarshal(raw, &p); err != nil {
		name := "a Pod"
		if p.Metadata.Name != "" {
			name = p.Metadata.Name
		}
		return pod, false, fmt.Errorf("%s: %s", name, decodeReason(err))
	}
	if _, ok := p.Metadata.Annotations[annotationMirror]; !ok && p.Metadata.Annotations[annotationSource] != sourceFile {
		return pod, false, nil
	}
	if p.Metadata.Name == "" {
		return pod, true, fmt.Errorf("an item has no metadata.name")
	}
	pod = inventory.StaticPod{Name: p.Metadata.Name, Component: p.Metadata.Labels["component"], Node: p.Spec.NodeName}
	if len(p.Spec.Containers) > 0 {
		c := p.Spec.Containers[0]
		pod.Image = c.Image
		pod.Args = s.args(append(slices.Clone(c.Command), c.Args...))
	}
	for _, v := range p.Spec.Volumes {
		if v.HostPath != nil && v.HostPath.Path != "" {
			pod.HostPaths = append(pod.HostPaths, v.HostPath.Path)
		}
	}
	slices.Sort(pod.HostPaths)
	pod.HostPaths = slices.Compact(pod.HostPaths)
	for _, c := range p.Status.Conditions {
		if c.Type == "Ready" {
			ready := c.Status == "True"
			pod.Ready = &ready
		}
	}
	return pod, true, nil
}
