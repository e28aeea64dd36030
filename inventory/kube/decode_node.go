package kube

import (
	"strings"

	"github.com/proxaudit/proxaudit/inventory"
)

var kindNode = kind{resource: "nodes", kind: "Node", versions: []string{"v1"}, clusterScoped: true, needed: true}

type nodeObject struct {
	objectMeta
	Spec struct {
		ProviderID    string            `json:"providerID"`
		Unschedulable bool              `json:"unschedulable"`
		Taints        []inventory.Taint `json:"taints"`
	} `json:"spec"`
	Status struct {
		Addresses  addresses           `json:"addresses"`
		Conditions conditions          `json:"conditions"`
		Capacity   map[string]quantity `json:"capacity"`
		NodeInfo   struct {
			SystemUUID              string `json:"systemUUID"`
			MachineID               string `json:"machineID"`
			KubeletVersion          string `json:"kubeletVersion"`
			OSImage                 string `json:"osImage"`
			ContainerRuntimeVersion string `json:"containerRuntimeVersion"`
		} `json:"nodeInfo"`
	} `json:"status"`
}

func node(o object, cluster string) (inventory.Node, error) {
	n, err := decode[nodeObject](o)
	if err != nil {
		return inventory.Node{}, err
	}
	info := n.Status.NodeInfo
	out := inventory.Node{
		Cluster:          cluster,
		Name:             o.name,
		UID:              n.Metadata.UID,
		CreatedAt:        utc(n.Metadata.CreationTimestamp),
		ProviderID:       n.Spec.ProviderID,
		MachineID:        info.MachineID,
		InternalIPs:      n.Status.Addresses.of("InternalIP"),
		ControlPlane:     isControlPlane(n.Metadata.Labels),
		Unschedulable:    n.Spec.Unschedulable,
		KubeletVersion:   info.KubeletVersion,
		OSImage:          info.OSImage,
		ContainerRuntime: info.ContainerRuntimeVersion,
		Labels:           n.Metadata.Labels,
		Annotations:      usefulAnnotations(n.Metadata.Annotations),
		Taints:           n.Spec.Taints,
	}
	switch u, usable := inventory.NormalizeUUID(info.SystemUUID); {
	case machineIDInstead(info.SystemUUID, info.MachineID):
	case usable:
		out.SystemUUID = u
	default:
		out.RawSystemUUID = info.SystemUUID
	}
	for _, a := range n.Status.Addresses {
		if a.Type == "Hostname" {
			out.Hostname = a.Address
			break
		}
	}
	for _, c := range n.Status.Conditions {
		if c.Type == "Ready" {
			out.Ready, out.ReadySince = c.Status, utc(c.LastTransitionTime)
			if c.Status != "True" {
				out.ReadyReason, out.ReadyMessage = c.Reason, c.Message
			}
		}
	}
	if q, ok := n.Status.Capacity["cpu"]; ok {
		out.CPU = q.Value()
	}
	if q, ok := n.Status.Capacity["memory"]; ok {
		out.MemoryMiB = q.Value() >> 20
	}
	return out, nil
}

// isControlPlane knows today's role label and the one that went with Kubernetes 1.25.
func isControlPlane(labels map[string]string) bool {
	for _, role := range []string{"control-plane", "master"} {
		if _, ok := labels["node-role.kubernetes.io/"+role]; ok {
			return true
		}
	}
	return false
}

// usefulDomains are the annotation domains, subdomains included, that say who made a Node and where it runs. Others
// are left out: k3s, for one, writes a node's command line into an annotation.
var usefulDomains = []string{
	"cluster.x-k8s.io", "sinextra.dev", "alpha.kubernetes.io",
}

func usefulAnnotations(all map[string]string) map[string]string {
	var out map[string]string
	for name, value := range all {
		domain, _, ok := strings.Cut(name, "/")
		if !ok {
			continue
		}
		for _, d := range usefulDomains {
			if domain == d || strings.HasSuffix(domain, "."+d) {
				if out == nil {
					out = map[string]string{}
				}
				out[name] = value
			}
		}
	}
	return out
}

// machineIDInstead is true if a kubelet could not read its firmware's UUID and states /etc/machine-id in its place, as one
// in a container or without root does (github.com/google/cadvisor utils/sysfs, GetSystemUUID): that is no VM's UUID, and says
// nothing about which it is. The firmware's has hyphens, also where systemd made the machine-id from it.
func machineIDInstead(systemUUID, machineID string) bool {
	return machineID != "" && strings.EqualFold(systemUUID, machineID)
}
