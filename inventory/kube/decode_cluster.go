package kube

import "github.com/proxaudit/proxaudit/inventory"

type clusterObject struct {
	objectMeta
	Spec struct {
		Paused               *bool      `json:"paused"`
		ControlPlaneEndpoint *endpoint  `json:"controlPlaneEndpoint"`
		ControlPlaneRef      *reference `json:"controlPlaneRef"`
		InfrastructureRef    *reference `json:"infrastructureRef"`
	} `json:"spec"`
	Status struct {
		Phase              string     `json:"phase"`
		ObservedGeneration int64      `json:"observedGeneration"`
		Conditions         conditions `json:"conditions"`
		// v1beta1
		InfrastructureReady bool `json:"infrastructureReady"`
		// v1beta2
		Initialization struct {
			InfrastructureProvisioned *bool `json:"infrastructureProvisioned"`
			ControlPlaneInitialized   *bool `json:"controlPlaneInitialized"`
		} `json:"initialization"`
	} `json:"status"`
}

func declaredCluster(o object) (*inventory.DeclaredCluster, error) {
	c, err := decode[clusterObject](o)
	if err != nil {
		return nil, err
	}
	st := c.Status
	return &inventory.DeclaredCluster{
		Meta:                 c.meta(c.Spec.Paused, st.ObservedGeneration, st.Conditions),
		Phase:                st.Phase,
		ControlPlaneEndpoint: c.Spec.ControlPlaneEndpoint.String(),
		InfrastructureRef:    c.Spec.InfrastructureRef.ref(o.namespace),
		ControlPlaneRef:      c.Spec.ControlPlaneRef.ref(o.namespace),
		InfrastructureReady:  st.InfrastructureReady || deref(st.Initialization.InfrastructureProvisioned),
		// v1beta1 has only the condition for it.
		ControlPlaneInitialized: deref(st.Initialization.ControlPlaneInitialized) || st.Conditions.holds("ControlPlaneInitialized"),
	}, nil
}

type ipConfig struct {
	Addresses []string `json:"addresses"`
}

type proxmoxClusterObject struct {
	objectMeta
	Spec struct {
		ControlPlaneEndpoint *endpoint `json:"controlPlaneEndpoint"`
		AllowedNodes         []string  `json:"allowedNodes"`
		IPv4Config           *ipConfig `json:"ipv4Config"`
		IPv6Config           *ipConfig `json:"ipv6Config"`
		CredentialsRef       *struct {
			Name      string `json:"name"`
			Namespace string `json:"namespace"`
		} `json:"credentialsRef"`
	} `json:"spec"`
	Status struct {
		Conditions conditions `json:"conditions"`
		// v1alpha1
		Ready bool `json:"ready"`
		// v1alpha2
		Initialization struct {
			Provisioned *bool `json:"provisioned"`
		} `json:"initialization"`
	} `json:"status"`
}

func proxmoxCluster(o object) (*inventory.ProxmoxCluster, error) {
	c, err := decode[proxmoxClusterObject](o)
	if err != nil {
		return nil, err
	}
	out := &inventory.ProxmoxCluster{
		Meta:                 c.meta(nil, 0, c.Status.Conditions),
		ControlPlaneEndpoint: c.Spec.ControlPlaneEndpoint.String(),
		AllowedNodes:         c.Spec.AllowedNodes,
		IPv4Addresses:        deref(c.Spec.IPv4Config).Addresses,
		IPv6Addresses:        deref(c.Spec.IPv6Config).Addresses,
		Ready:                c.Status.Ready || deref(c.Status.Initialization.Provisioned),
	}
	if r := c.Spec.CredentialsRef; r != nil && r.Name != "" {
		// CAPMOX takes the cluster's namespace where the reference has none (cluster-api-provider-proxmox
		// pkg/scope/cluster.go).
		out.CredentialsSecret = first(r.Namespace, o.namespace) + "/" + r.Name
	}
	return out, nil
}
