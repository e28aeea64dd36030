package kube

import (
	"strings"

	"github.com/proxaudit/proxaudit/inventory"
)

var kindDeployment = kind{group: "apps", resource: "deployments", kind: "Deployment", versions: []string{"v1"}}

const (
	providerCAPMOX = "infrastructure-proxmox"
	proxmoxURL     = "PROXMOX_URL"
	proxmoxToken   = "PROXMOX_TOKEN" //nolint:gosec // the name of a variable
)

type deploymentObject struct {
	objectMeta
	Spec struct {
		Replicas *int32 `json:"replicas"`
		Template struct {
			Spec struct {
				Containers []struct {
					Name  string `json:"name"`
					Image string `json:"image"`
					Env   []struct {
						Name      string `json:"name"`
						Value     string `json:"value"`
						ValueFrom struct {
							SecretKeyRef struct {
								Name string `json:"name"`
								Key  string `json:"key"`
							} `json:"secretKeyRef"`
							Other map[string]any `json:"configMapKeyRef"`
						} `json:"valueFrom"`
					} `json:"env"`
					EnvFrom []map[string]any `json:"envFrom"`
				} `json:"containers"`
			} `json:"spec"`
		} `json:"template"`
	} `json:"spec"`
	Status struct {
		AvailableReplicas  int32 `json:"availableReplicas"`
		ObservedGeneration int64 `json:"observedGeneration"`
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

		Generation: d.Metadata.Generation,
		Observed:   d.Status.ObservedGeneration,
	}
	if d.Spec.Replicas != nil {
		out.Desired = *d.Spec.Replicas
	}
	for _, c := range d.Spec.Template.Spec.Containers {
		// Every provider calls its controller so (cluster-api's provider contract); a proxy may stand before it.
		if out.Image == "" || c.Name == "manager" {
			out.Image = c.Image
		}
		if out.Label != providerCAPMOX || len(d.Spec.Template.Spec.Containers) > 1 && c.Name != "manager" {
			continue
		}
		// CAPMOX 0.9.0 cmd/main.go: setupProxmoxClient. What env names stands over envFrom, which may name it.
		if len(c.EnvFrom) > 0 {
			out.Server = inventory.UnknownServer
		}
		for _, e := range c.Env {
			if ref := e.ValueFrom.SecretKeyRef; e.Name == proxmoxToken && ref.Name != "" && ref.Key == "token" {
				out.Token = o.namespace + "/" + ref.Name
			}
			if e.Name != proxmoxURL {
				continue
			}
			out.Credentials, out.Server = "", apiServer(e.Value)
			switch ref := e.ValueFrom.SecretKeyRef; {
			case ref.Name != "" && ref.Key == "url":
				out.Credentials = o.namespace + "/" + ref.Name
			case out.Server == "" && (e.Value != "" || len(e.ValueFrom.Other) > 0 || ref.Name != ""):
				out.Server = inventory.UnknownServer
			}
		}
	}
	out.Version = imageTag(out.Image)
	return out, nil
}

// imageTag is the tag of an image reference, without a digest; empty if there is none.
func imageTag(image string) string {
	image, _, _ = strings.Cut(image, "@")
	last := image[strings.LastIndexByte(image, '/')+1:]
	_, tag, _ := strings.Cut(last, ":")
	return tag
}
