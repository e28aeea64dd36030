package kube

import (
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/proxaudit/proxaudit/inventory"
)

var kindDeployment = kind{group: "apps", resource: "deployments", kind: "Deployment", versions: []string{"v1"}}

const providerCAPMOX = "infrastructure-proxmox"

// accessVariables are those from which CAPMOX makes its own access, if it has all three (CAPMOX 0.9.0 cmd/main.go: setupProxmoxClient).
var accessVariables = []string{"PROXMOX_URL", "PROXMOX_TOKEN", "PROXMOX_SECRET"}

type envVar struct {
	Name      string `json:"name"`
	Value     string `json:"value"`
	ValueFrom struct {
		SecretKeyRef struct {
			Name string `json:"name"`
			Key  string `json:"key"`
		} `json:"secretKeyRef"`
		ConfigMapKeyRef map[string]any `json:"configMapKeyRef"`
		FieldRef        map[string]any `json:"fieldRef"`
	} `json:"valueFrom"`
}

type deploymentObject struct {
	objectMeta
	Spec struct {
		Replicas *int32 `json:"replicas"`
		Template struct {
			Spec struct {
				Containers []struct {
					Name    string           `json:"name"`
					Image   string           `json:"image"`
					Env     []envVar         `json:"env"`
					EnvFrom []map[string]any `json:"envFrom"`
				} `json:"containers"`
			} `json:"spec"`
		} `json:"template"`
	} `json:"spec"`
	Status struct {
		AvailableReplicas int32 `json:"availableReplicas"`
		Conditions        []struct {
			Type           string       `json:"type"`
			LastUpdateTime *metav1.Time `json:"lastUpdateTime"`
		} `json:"conditions"`
	} `json:"status"`
}

func provider(o object) (inventory.Provider, error) {
	d, err := decode[deploymentObject](o)
	if err != nil {
		return inventory.Provider{}, err
	}
	out := inventory.Provider{
		Namespace: o.namespace,
		Name:      o.name,
		Label:     d.Metadata.Labels[providerLabel],
		Desired:   1, // the API server's own default for a Deployment without replicas
		Available: d.Status.AvailableReplicas,
	}
	if d.Spec.Replicas != nil {
		out.Desired = *d.Spec.Replicas
	}
	for _, c := range d.Spec.Template.Spec.Containers {
		// Every provider calls its controller so (cluster-api's provider contract); a proxy may stand before it.
		if out.Image == "" || c.Name == "manager" {
			out.Image = c.Image
		}
		if out.Label == providerCAPMOX && (len(d.Spec.Template.Spec.Containers) == 1 || c.Name == "manager") {
			out.Access = access(c.Env, len(c.EnvFrom) > 0, o.namespace)
		}
	}
	// The controller of Deployments writes it when a rollout moves on (kubernetes pkg/controller/deployment: syncRolloutStatus).
	for _, c := range d.Status.Conditions {
		if c.Type == "Progressing" {
			out.RolledOut = utc(c.LastUpdateTime)
		}
	}
	out.Version = imageTag(out.Image)
	return out, nil
}

// access is where the variables come from. What env names stands over envFrom, which may name any that env does not.
func access(env []envVar, more bool, namespace string) []inventory.AccessVariable {
	var out []inventory.AccessVariable
	for _, name := range accessVariables {
		v := inventory.AccessVariable{Name: name, Unread: more}
		named := false
		for _, e := range env {
			if e.Name != name {
				continue
			}
			named, v = true, inventory.AccessVariable{Name: name}
			switch ref := e.ValueFrom.SecretKeyRef; {
			case ref.Name != "":
				v.Secret, v.Key = namespace+"/"+ref.Name, ref.Key
			case len(e.ValueFrom.ConfigMapKeyRef) > 0 || len(e.ValueFrom.FieldRef) > 0 || strings.Contains(e.Value, "$("):
				v.Unread = true
			default:
				v.Set = e.Value != ""
				if name == "PROXMOX_URL" {
					v.Server = apiServer(e.Value)
				}
			}
		}
		if named || more {
			out = append(out, v)
		}
	}
	return out
}

// imageTag is the tag of an image reference, without a digest; empty if there is none.
func imageTag(image string) string {
	image, _, _ = strings.Cut(image, "@")
	last := image[strings.LastIndexByte(image, '/')+1:]
	_, tag, _ := strings.Cut(last, ":")
	return tag
}
