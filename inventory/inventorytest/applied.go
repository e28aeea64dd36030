package inventorytest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net"
	"strconv"
	"strings"
	"time"

	"sigs.k8s.io/yaml"

	"github.com/proxaudit/proxaudit/inventory"
)

// applied is what is read of a manifest of an adoption; other kinds than the ones below stay objects only.
type applied struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Metadata   struct {
		Name        string            `json:"name"`
		Namespace   string            `json:"namespace"`
		Labels      map[string]string `json:"labels"`
		Annotations map[string]string `json:"annotations"`
	} `json:"metadata"`
	Spec struct {
		Paused     bool   `json:"paused"`
		Replicas   *int32 `json:"replicas"`
		Version    string `json:"version"`
		ProviderID string `json:"providerID"`
		VMID       *int   `json:"virtualMachineID"`
		SourceNode string `json:"sourceNode"`
		Bootstrap  struct {
			DataSecretName string `json:"dataSecretName"`
		} `json:"bootstrap"`
		InfrastructureRef struct {
			APIGroup, Kind, Name string
		} `json:"infrastructureRef"`
		CredentialsRef struct {
			Name string `json:"name"`
		} `json:"credentialsRef"`
		Endpoint struct {
			Host string `json:"host"`
			Port int    `json:"port"`
		} `json:"controlPlaneEndpoint"`
	} `json:"spec"`
}

// Apply puts the manifests of an adoption into the Snapshot of a ScriptBuilt cluster, as `kubectl apply` and the next run
// would, an hour before the Snapshot was taken: objects, with the normalised structs, the Secrets that the runbook makes, and
// the Nodes' providerIDs.
func Apply(s *inventory.Snapshot, cluster string, manifests []byte) error {
	made := s.CollectedAt.Add(-time.Hour)
	c := &s.Clusters[0]
	for _, doc := range bytes.Split(manifests, []byte("---\n")) {
		if len(bytes.TrimSpace(doc)) == 0 {
			continue
		}
		var a applied
		var content map[string]any
		raw, err := yaml.YAMLToJSON(doc)
		if err != nil {
			return err
		}
		if err := json.Unmarshal(raw, &a); err != nil {
			return fmt.Errorf("%s: %w", doc, err)
		}
		if err := json.Unmarshal(raw, &content); err != nil {
			return err
		}
		_, paused := a.Metadata.Annotations["cluster.x-k8s.io/paused"]
		meta := inventory.Meta{Namespace: a.Metadata.Namespace, Name: a.Metadata.Name, UID: a.Kind + "-" + a.Metadata.Name, APIVersion: a.APIVersion,
			CreatedAt: &made, Labels: a.Metadata.Labels, Annotations: a.Metadata.Annotations, Paused: paused || a.Spec.Paused}
		if a.Kind == "Secret" {
			s.StoredSecrets = append(s.StoredSecrets, inventory.StoredSecret{Namespace: meta.Namespace, Name: meta.Name, Type: "cluster.x-k8s.io/secret", Labels: meta.Labels})
			continue
		}
		s.Objects = append(s.Objects, inventory.Object{APIVersion: a.APIVersion, Kind: a.Kind, Namespace: meta.Namespace, Name: meta.Name, Content: content})
		infra := &inventory.Ref{Group: a.Spec.InfrastructureRef.APIGroup, Kind: a.Spec.InfrastructureRef.Kind, Namespace: meta.Namespace, Name: a.Spec.InfrastructureRef.Name}
		switch a.Kind {
		case "Cluster":
			c.Declared = &inventory.DeclaredCluster{Meta: meta, InfrastructureRef: infra}
		case "ProxmoxCluster":
			c.Declared.Infrastructure = &inventory.ProxmoxCluster{Meta: meta, CredentialsSecret: meta.Namespace + "/" + a.Spec.CredentialsRef.Name,
				ControlPlaneEndpoint: net.JoinHostPort(a.Spec.Endpoint.Host, strconv.Itoa(a.Spec.Endpoint.Port))}
		case "Machine":
			_, plane := meta.Labels["cluster.x-k8s.io/control-plane"]
			s.Machines = append(s.Machines, inventory.Machine{Meta: meta, Cluster: cluster, ProviderID: a.Spec.ProviderID, Version: a.Spec.Version,
				ControlPlane: plane, InfrastructureRef: infra, DataSecretName: a.Spec.Bootstrap.DataSecretName})
		case "ProxmoxMachine":
			s.ProxmoxMachines = append(s.ProxmoxMachines, inventory.ProxmoxMachine{Meta: meta, Cluster: cluster, ProviderID: a.Spec.ProviderID,
				VMID: a.Spec.VMID, SourceNode: a.Spec.SourceNode})
		case "KubeadmControlPlane", "MachineSet", "MachineDeployment":
			s.Groups = append(s.Groups, inventory.Group{Meta: meta, Kind: a.Kind, Cluster: cluster, Replicas: a.Spec.Replicas, Version: a.Spec.Version})
		}
	}
	applySecrets(s, cluster, c.ServingCAs)
	for i := range s.Nodes {
		if n := &s.Nodes[i]; n.Cluster == cluster && n.ProviderID == "" {
			n.ProviderID = "proxmox://" + strings.ToLower(n.SystemUUID)
		}
	}
	s.Coverage = append(s.Coverage, inventory.Coverage{Source: inventory.ManagementSource, Scope: inventory.ScopeSecrets, State: inventory.Complete, Asked: 1, Got: 1, Optional: true})
	s.Sort()
	return nil
}

// applySecrets makes those of the cluster's own, with the authority that serves.
func applySecrets(s *inventory.Snapshot, cluster string, cas []string) {
	yes := true
	labels := map[string]string{"cluster.x-k8s.io/cluster-name": cluster}
	for _, purpose := range []string{"ca", "etcd", "proxy", "sa"} {
		secret := inventory.StoredSecret{Namespace: cluster, Name: cluster + "-" + purpose, Type: "cluster.x-k8s.io/secret", Labels: labels,
			Keys: []string{"tls.crt", "tls.key"}, KeyMatches: &yes}
		switch purpose {
		case "ca":
			secret.Certificates = map[string][]string{"tls.crt": cas}
		case "etcd", "proxy":
			secret.Certificates = map[string][]string{"tls.crt": {strings.Repeat("ef", 32)}}
		}
		s.StoredSecrets = append(s.StoredSecrets, secret)
	}
	s.StoredSecrets = append(s.StoredSecrets,
		inventory.StoredSecret{Namespace: cluster, Name: cluster + "-kubeconfig", Type: "Opaque", Labels: labels, Keys: []string{"value"},
			Certificates: map[string][]string{"value": cas}},
		inventory.StoredSecret{Namespace: cluster, Name: cluster + "-pve", Type: "Opaque", Keys: []string{"secret", "token", "url"}, Server: s.Sites[0].URL})
}

// OwnAccess are the variables of a CAPMOX that takes its own access to Proxmox from a Secret (NAMESPACE/NAME), as its manifests do.
func OwnAccess(secret string) []inventory.AccessVariable {
	return []inventory.AccessVariable{{Name: "PROXMOX_URL", Secret: secret, Key: "url"}, {Name: "PROXMOX_TOKEN", Secret: secret, Key: "token"},
		{Name: "PROXMOX_SECRET", Secret: secret, Key: "secret"}}
}
