package kube

import (
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/proxaudit/proxaudit/inventory"
)

const labelControlPlane = "cluster.x-k8s.io/control-plane"

// addresses is a list of typed addresses, as Machines, ProxmoxMachines and Nodes have them.
type addresses []struct {
	Type    string `json:"type"`
	Address string `json:"address"`
}

func (a addresses) of(types ...string) []string {
	var out []string
	for _, x := range a {
		for _, t := range types {
			if x.Type == t && x.Address != "" {
				out = append(out, bareAddress(x.Address))
			}
		}
	}
	return sortedSet(out)
}

type machineObject struct {
	objectMeta
	Spec struct {
		ClusterName       string     `json:"clusterName"`
		ProviderID        string     `json:"providerID"`
		Version           string     `json:"version"`
		InfrastructureRef *reference `json:"infrastructureRef"`
		Bootstrap         struct {
			ConfigRef      *reference `json:"configRef"`
			DataSecretName string     `json:"dataSecretName"`
		} `json:"bootstrap"`
	} `json:"spec"`
	Status struct {
		Phase              string     `json:"phase"`
		ObservedGeneration int64      `json:"observedGeneration"`
		Conditions         conditions `json:"conditions"`
		NodeRef            *reference `json:"nodeRef"`
		NodeInfo           *struct {
			SystemUUID string `json:"systemUUID"`
			MachineID  string `json:"machineID"`
		} `json:"nodeInfo"`
		Addresses   addresses    `json:"addresses"`
		LastUpdated *metav1.Time `json:"lastUpdated"`
		// v1beta1
		InfrastructureReady bool   `json:"infrastructureReady"`
		BootstrapReady      bool   `json:"bootstrapReady"`
		FailureReason       string `json:"failureReason"`
		FailureMessage      string `json:"failureMessage"`
		// v1beta2
		Initialization struct {
			InfrastructureProvisioned  *bool `json:"infrastructureProvisioned"`
			BootstrapDataSecretCreated *bool `json:"bootstrapDataSecretCreated"`
		} `json:"initialization"`
		Deprecated deprecated `json:"deprecated"`
	} `json:"status"`
}

func machine(o object, keys clusterKeys) (inventory.Machine, error) {
	m, err := decode[machineObject](o)
	if err != nil {
		return inventory.Machine{}, err
	}
	st := m.Status
	_, controlPlane := m.Metadata.Labels[labelControlPlane]
	cluster := keys.of(o.namespace, clusterOf(m.Spec.ClusterName, &m.objectMeta))
	if cluster == "" {
		// The API server wants one (cluster-api api/core/v1beta2 MachineSpec.ClusterName: MinLength 1).
		return inventory.Machine{}, fmt.Errorf("%s: spec.clusterName is missing", o)
	}
	out := inventory.Machine{
		Meta:                m.meta(nil, st.ObservedGeneration, st.Conditions),
		Cluster:             cluster,
		ProviderID:          m.Spec.ProviderID,
		Version:             m.Spec.Version,
		Phase:               st.Phase,
		ControlPlane:        controlPlane,
		NodeRef:             deref(st.NodeRef).Name,
		InfrastructureRef:   m.Spec.InfrastructureRef.ref(o.namespace),
		BootstrapRef:        m.Spec.Bootstrap.ConfigRef.ref(o.namespace),
		DataSecretName:      m.Spec.Bootstrap.DataSecretName,
		Addresses:           st.Addresses.of("InternalIP", "ExternalIP"),
		InfrastructureReady: st.InfrastructureReady || deref(st.Initialization.InfrastructureProvisioned),
		BootstrapReady:      st.BootstrapReady || deref(st.Initialization.BootstrapDataSecretCreated),
		LastUpdated:         utc(st.LastUpdated),
		FailureReason:       first(st.FailureReason, st.Deprecated.V1Beta1.FailureReason),
		FailureMessage:      first(st.FailureMessage, st.Deprecated.V1Beta1.FailureMessage),
	}
	if st.NodeInfo != nil {
		u, usable := inventory.NormalizeUUID(st.NodeInfo.SystemUUID)
		if usable && !machineIDInstead(st.NodeInfo.SystemUUID, st.NodeInfo.MachineID) {
			out.SystemUUID = u
		}
		out.MachineID = st.NodeInfo.MachineID
	}
	return out, nil
}
