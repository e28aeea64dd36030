package kube

import (
	"context"
	"errors"
	"fmt"
	"net/url"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	kjson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apimachinery/pkg/util/version"

	"github.com/proxaudit/proxaudit/inventory"
)

// kubeletConfigMap is where kubeadm keeps the KubeletConfiguration that joining machines take (kubeadm constants.go:
// KubeletBaseConfigurationConfigMap). Before Kubernetes 1.24 its name ended in the minor version, like
// kubelet-config-1.23.
const kubeletConfigMap = "kubelet-config"

// unversionedKubelet is the first version in which kubeadm used the name without a version for certain.
var unversionedKubelet = version.MajorMinor(1, 24)

// kubelet reads kube-system/kubelet-config. A cluster that kubeadm did not make has none.
func (w *workloadReader) kubelet(ctx context.Context) (f failure) {
	cov := inventory.Coverage{Source: w.source, Scope: inventory.ScopeKubelet, State: inventory.Complete, Asked: 1, Got: 1, Optional: true}
	name := kubeletConfigMap
	body, err := w.configMap(ctx, name)
	if old := w.versionedKubelet(); apierrors.IsNotFound(err) && old != "" {
		name = old
		body, err = w.configMap(ctx, name)
	}
	switch {
	case apierrors.IsNotFound(err):
		cov.State, cov.Asked, cov.Got = inventory.Absent, 0, 0
	case err != nil:
		f = w.c.explain(err)
		cov = withFailure(cov, f)
		if cov.State == inventory.Refused && cov.Remedy == "" {
			cov.Remedy = configMapRule(name)
		}
	default:
		if w.cluster.KubeletConfiguration, err = w.c.clean.kubeletConfig(name, body); err != nil {
			cov.State, cov.Got, cov.Failed, cov.Reason = inventory.Failed, 0, 1, w.c.oneLine(err.Error())
			cov.Remedy = "kubectl -n kube-system get configmap " + name + " -o yaml shows what stands there"
		}
	}
	w.add(cov)
	return f
}

func (w *workloadReader) configMap(ctx context.Context, name string) ([]byte, error) {
	body, _, err := w.c.get(ctx, "/api/v1/namespaces/kube-system/configmaps/"+url.PathEscape(name), nil, "")
	return body, err
}

// versionedKubelet is the name of old, or empty for a cluster that is too new for it or whose version is not known. What
// kubeadm-config says comes first: an API server may be a minor version ahead of what kubeadm has finished.
func (w *workloadReader) versionedKubelet() string {
	text := w.cluster.Version
	if w.cluster.Kubeadm != nil && w.cluster.Kubeadm.KubernetesVersion != "" {
		text = w.cluster.Kubeadm.KubernetesVersion
	}
	v, err := version.ParseGeneric(text)
	if err != nil || !v.LessThan(unversionedKubelet) {
		return ""
	}
	return fmt.Sprintf("%s-%d.%d", kubeletConfigMap, v.Major(), v.Minor())
}

// kubeletConfig takes the document out of the ConfigMap and the secrets out of the document.
func (s *sanitizer) kubeletConfig(name string, configMap []byte) (string, error) {
	var cm struct {
		Data map[string]string `json:"data"`
	}
	if err := kjson.Unmarshal(configMap, &cm); err != nil {
		return "", fmt.Errorf("kube-system/%s: %s", name, decodeReason(err))
	}
	// kubeadm constants.go: KubeletBaseConfigurationConfigMapKey.
	text := cm.Data["kubelet"]
	if text == "" {
		return "", fmt.Errorf("kube-system/%s has no key \"kubelet\"", name)
	}
	clean, err := s.yamlDocument(text)
	if err != nil {
		// The parser quotes what it does not understand.
		return "", errors.New("kube-system/" + name + ": the key \"kubelet\" is no YAML document")
	}
	return clean, nil
}

// configMapRule is the rule of a Role for a ConfigMap of kube-system.
func configMapRule(name string) string {
	return fmt.Sprintf(`add to the reader's Role in kube-system: {apiGroups: [%q], resources: [%q], resourceNames: [%q], verbs: [%q]}`,
		"", "configmaps", name, "get")
}
