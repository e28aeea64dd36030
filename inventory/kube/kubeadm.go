package kube

import (
	"errors"
	"fmt"
	"reflect"
	"regexp"

	kjson "k8s.io/apimachinery/pkg/util/json"
	"sigs.k8s.io/yaml"

	"github.com/proxaudit/proxaudit/inventory"
	"github.com/proxaudit/proxaudit/inventory/strictyaml"
)

// kubeadmConfig reads the ConfigMap kube-system/kubeadm-config (kubeadm's own API, v1beta3 or v1beta4).
func (s *sanitizer) kubeadmConfig(configMap []byte) (*inventory.KubeadmCluster, error) {
	var cm struct {
		Data map[string]string `json:"data"`
	}
	if err := kjson.Unmarshal(configMap, &cm); err != nil {
		return nil, fmt.Errorf("kube-system/kubeadm-config: %s", decodeReason(err))
	}
	text := cm.Data["ClusterConfiguration"]
	if text == "" {
		return nil, errors.New("kube-system/kubeadm-config has no ClusterConfiguration")
	}
	// What is written anew below has every key once, and the first document alone: nobody behind would know.
	if err := strictyaml.Check(text); err != nil {
		return nil, fmt.Errorf("kube-system/kubeadm-config: ClusterConfiguration: %w", err)
	}
	clean, err := s.yamlDocument(text)
	if err != nil {
		return nil, fmt.Errorf("kube-system/kubeadm-config: ClusterConfiguration is no YAML: %w", err)
	}
	var cc struct {
		KubernetesVersion    string `json:"kubernetesVersion"`
		ControlPlaneEndpoint string `json:"controlPlaneEndpoint"`
		ClusterName          string `json:"clusterName"`
		Networking           struct {
			PodSubnet     string `json:"podSubnet"`
			ServiceSubnet string `json:"serviceSubnet"`
		} `json:"networking"`
	}
	if err := yaml.Unmarshal([]byte(clean), &cc); err != nil {
		return nil, fmt.Errorf("kube-system/kubeadm-config: ClusterConfiguration: %s", decodeReason(err))
	}
	return &inventory.KubeadmCluster{
		KubernetesVersion:    cc.KubernetesVersion,
		ControlPlaneEndpoint: cc.ControlPlaneEndpoint,
		ClusterName:          cc.ClusterName,
		PodSubnet:            cc.Networking.PodSubnet,
		ServiceSubnet:        cc.Networking.ServiceSubnet,
		ClusterConfiguration: clean,
	}, nil
}

// unseen is what a decoder passes over: comments, and what follows the end of the first document.
var unseen = regexp.MustCompile(`#|\n(?:---|\.\.\.)`)

// yamlDocument returns the document as it is if it holds no secret, else with the secret replaced. kubeadm puts none
// there, but extraEnvs and the etcd endpoints are free text. Where there may be a comment or a second document, which
// nobody has looked into, what is returned is the first document written anew.
func (s *sanitizer) yamlDocument(text string) (string, error) {
	var doc, original map[string]any
	if err := yaml.Unmarshal([]byte(text), &doc); err != nil {
		return "", err
	}
	if err := yaml.Unmarshal([]byte(text), &original); err != nil {
		return "", err
	}
	s.object(doc)
	if reflect.DeepEqual(doc, original) && s.text(text) == text && !unseen.MatchString(text) {
		return text, nil
	}
	out, err := yaml.Marshal(doc)
	if err != nil {
		return "", err
	}
	return string(out), nil
}
