package why

// object is a manifest.
type object = map[string]any

const (
	groupCluster   = "cluster.x-k8s.io"
	groupInfra     = "infrastructure.cluster.x-k8s.io"
	groupPlane     = "controlplane.cluster.x-k8s.io"
	groupBootstrap = "bootstrap.cluster.x-k8s.io"
	groupIPAM      = "ipam.cluster.x-k8s.io"

	clusterLabel     = "cluster.x-k8s.io/cluster-name"
	planeLabel       = "cluster.x-k8s.io/control-plane"
	pausedAnnotation = "cluster.x-k8s.io/paused"
)

// scene is one cluster as somebody applies it: a control plane of one machine. What is nil is left out.
type scene struct {
	name                                 string
	access, cluster, infra, plane, hosts object
	more                                 []object
}

func newScene(b *bench, name string) *scene {
	s := &scene{name: name}
	s.access = s.object("v1", "Secret", name+"-pve", nil)
	s.access["stringData"] = object{"url": b.pve.URL, "token": capmoxToken, "secret": b.pve.Secret(capmoxToken)}
	s.cluster = s.object(groupCluster+"/v1beta2", "Cluster", name, object{
		"clusterNetwork":    object{"pods": object{"cidrBlocks": []string{"10.244.0.0/16"}}, "services": object{"cidrBlocks": []string{"10.96.0.0/16"}}},
		"controlPlaneRef":   ref(groupPlane, "KubeadmControlPlane", name+"-cp"),
		"infrastructureRef": ref(groupInfra, "ProxmoxCluster", name),
	})
	s.infra = s.object(groupInfra+"/v1alpha2", "ProxmoxCluster", name, object{
		"controlPlaneEndpoint": object{"host": "10.20.0.5", "port": 6443}, "dnsServers": []string{"10.20.0.1"},
		"ipv4Config":     object{"addresses": []string{"10.20.0.200-10.20.0.220"}, "prefix": 24, "gateway": "10.20.0.1"},
		"credentialsRef": object{"name": name + "-pve"},
	})
	s.hosts = s.object(groupInfra+"/v1alpha2", "ProxmoxMachineTemplate", name+"-cp", object{"template": object{"spec": host()}})
	s.plane = s.object(groupPlane+"/v1beta2", "KubeadmControlPlane", name+"-cp", object{
		"replicas": 1, "version": kubernetesVersion, "kubeadmConfigSpec": object{"clusterConfiguration": object{"certificatesDir": "/etc/kubernetes/pki"}},
		"machineTemplate": object{"spec": object{"infrastructureRef": ref(groupInfra, "ProxmoxMachineTemplate", name+"-cp")}},
	})
	return s
}

// host is the spec of a ProxmoxMachine that is cloned.
func host() object {
	return object{
		"sourceNode": "pve1", "templateID": template, "numSockets": 1, "numCores": 2, "memoryMiB": 2048,
		"disks":   object{"bootVolume": object{"disk": "scsi0", "sizeGb": 40}},
		"network": object{"networkDevices": []object{{"name": "net0", "bridge": "vmbr0", "model": "virtio", "defaultIPv4": true, "defaultIPv6": true}}},
		"checks":  object{"skipQemuGuestAgent": true, "skipCloudInitStatus": true},
	}
}

// object is one of the cluster's, with the cluster's label.
func (s *scene) object(apiVersion, kind, name string, spec object) object {
	o := object{"apiVersion": apiVersion, "kind": kind, "metadata": object{
		"name": name, "namespace": s.name, "labels": object{clusterLabel: s.name}, "annotations": object{},
	}}
	if spec != nil {
		o["spec"] = spec
	}
	return o
}

func ref(group, kind, name string) object {
	return object{"apiGroup": group, "kind": kind, "name": name}
}

func spec(o object) object        { return o["spec"].(object) }
func metadata(o object) object    { return o["metadata"].(object) }
func annotations(o object) object { return metadata(o)["annotations"].(object) }

// hostSpec is the spec of the machines of the control plane.
func (s *scene) hostSpec() object { return spec(s.hosts)["template"].(object)["spec"].(object) }

// machine adds a Machine of the control plane that no controller made, with its ProxmoxMachine and, if it is given as bootstrap data, its
// Secret; and takes the control plane's own object away.
func (s *scene) machine(name, dataSecret string, spec object) (machine object) {
	s.withoutPlane()
	infra := s.object(groupInfra+"/v1alpha2", "ProxmoxMachine", name, spec)
	machine = s.object(groupCluster+"/v1beta2", "Machine", name, object{
		"clusterName": s.name, "version": kubernetesVersion, "bootstrap": object{"dataSecretName": dataSecret},
		"infrastructureRef": ref(groupInfra, "ProxmoxMachine", name),
	})
	for _, o := range []object{infra, machine} {
		metadata(o)["labels"].(object)[planeLabel] = ""
	}
	s.more = append(s.more, infra, machine)
	return machine
}

// worker adds a Machine that joins with data which the bootstrap controller makes.
func (s *scene) worker(name string) {
	config := s.object(groupBootstrap+"/v1beta2", "KubeadmConfig", name, object{"joinConfiguration": nodeRegistration()})
	infra := s.object(groupInfra+"/v1alpha2", "ProxmoxMachine", name, host())
	machine := s.object(groupCluster+"/v1beta2", "Machine", name, object{
		"clusterName": s.name, "version": kubernetesVersion, "bootstrap": object{"configRef": ref(groupBootstrap, "KubeadmConfig", name)},
		"infrastructureRef": ref(groupInfra, "ProxmoxMachine", name),
	})
	s.more = append(s.more, config, infra, machine)
}

func nodeRegistration() object {
	return object{"nodeRegistration": object{"criSocket": "unix:///run/containerd/containerd.sock"}}
}

func (s *scene) withoutPlane() {
	s.plane, s.hosts = nil, nil
	delete(spec(s.cluster), "controlPlaneRef")
}

// secret is bootstrap data.
func (s *scene) secret(name string) object {
	o := s.object("v1", "Secret", name, nil)
	o["type"], o["stringData"] = "cluster.x-k8s.io/secret", object{"value": "#cloud-config\n", "format": "cloud-config"}
	return o
}

// objects are all of it in the order in which a person applies them.
func (s *scene) objects() []object {
	out := []object{{"apiVersion": "v1", "kind": "Namespace", "metadata": object{"name": s.name}}}
	for _, o := range []object{s.access, s.infra, s.hosts, s.plane, s.cluster} {
		if o != nil {
			out = append(out, o)
		}
	}
	return append(out, s.more...)
}
