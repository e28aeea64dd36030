package kube

import "github.com/proxaudit/proxaudit/inventory"

// groupObject has the fields of MachineSet, MachineDeployment, KubeadmControlPlane and TalosControlPlane.
type groupObject struct {
	objectMeta
	Spec struct {
		ClusterName string `json:"clusterName"`
		Paused      *bool  `json:"paused"`
		Replicas    *int32 `json:"replicas"`
		Version     string `json:"version"`
		// MachineSet and MachineDeployment
		Template *struct {
			Spec struct {
				Version           string     `json:"version"`
				InfrastructureRef *reference `json:"infrastructureRef"`
			} `json:"spec"`
		} `json:"template"`
		// KubeadmControlPlane: v1beta1 has the reference beside metadata, v1beta2 below spec.
		MachineTemplate *struct {
			InfrastructureRef *reference `json:"infrastructureRef"`
			Spec              struct {
				InfrastructureRef *reference `json:"infrastructureRef"`
			} `json:"spec"`
		} `json:"machineTemplate"`
		// TalosControlPlane
		InfrastructureTemplate *reference `json:"infrastructureTemplate"`
	} `json:"spec"`
	Status struct {
		ReadyReplicas      int32      `json:"readyReplicas"`
		ObservedGeneration int64      `json:"observedGeneration"`
		Conditions         conditions `json:"conditions"`
		// v1beta1, Talos
		Initialized bool `json:"initialized"`
		// v1beta2
		Initialization struct {
			ControlPlaneInitialized *bool `json:"controlPlaneInitialized"`
		} `json:"initialization"`
	} `json:"status"`
}

func group(o object, keys clusterKeys) (inventory.Group, error) {
	g, err := decode[groupObject](o)
	if err != nil {
		return inventory.Group{}, err
	}
	sp, st := g.Spec, g.Status
	infra := sp.InfrastructureTemplate
	version := sp.Version
	if t := sp.Template; t != nil {
		infra, version = t.Spec.InfrastructureRef, t.Spec.Version
	}
	if t := sp.MachineTemplate; t != nil {
		infra = t.Spec.InfrastructureRef
		if infra == nil {
			infra = t.InfrastructureRef
		}
	}
	return inventory.Group{
		Meta:              g.meta(sp.Paused, st.ObservedGeneration, st.Conditions),
		Kind:              o.kind.kind,
		Cluster:           keys.of(o.namespace, clusterOf(sp.ClusterName, &g.objectMeta)),
		Replicas:          sp.Replicas,
		ReadyReplicas:     st.ReadyReplicas,
		Version:           version,
		Initialized:       st.Initialized || deref(st.Initialization.ControlPlaneInitialized),
		InfrastructureRef: infra.ref(o.namespace),
	}, nil
}
