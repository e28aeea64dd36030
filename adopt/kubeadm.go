package adopt

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	bootstrapv1 "sigs.k8s.io/cluster-api/api/bootstrap/kubeadm/v1beta2"
	"sigs.k8s.io/yaml"

	"github.com/proxaudit/proxaudit/inventory"
)

// kubeadmConfig is kubeadm's ClusterConfiguration in Cluster API's form, with what does not go into it.
type kubeadmConfig struct {
	config bootstrapv1.ClusterConfiguration
	// podSubnets, serviceSubnets and dnsDomain go into the Cluster.
	podSubnets, serviceSubnets []string
	dnsDomain                  string
	version                    string
	externalEtcd               bool
	// lost are the settings that Cluster API has no place for, as paths.
	lost []string
	// err is set if the document could not be read.
	err error
}

// clusterConfiguration is kubeadm's own API, v1beta3 and v1beta4 (k8s.io/kubernetes cmd/kubeadm/app/apis/kubeadm). The two
// differ in extraArgs (a map, then a list) and in what v1beta4 added.
type clusterConfiguration struct {
	APIVersion        string `json:"apiVersion"`
	Kind              string `json:"kind"`
	KubernetesVersion string `json:"kubernetesVersion"`
	ClusterName       string `json:"clusterName"`
	Networking        struct {
		PodSubnet     string `json:"podSubnet"`
		ServiceSubnet string `json:"serviceSubnet"`
		DNSDomain     string `json:"dnsDomain"`
	} `json:"networking"`
	ControlPlaneEndpoint string `json:"controlPlaneEndpoint"`
	Etcd                 struct {
		Local    *localEtcd                `json:"local"`
		External *bootstrapv1.ExternalEtcd `json:"external"`
	} `json:"etcd"`
	APIServer struct {
		component
		CertSANs []string `json:"certSANs"`
		// TimeoutForControlPlane matters to kubeadm init alone.
		TimeoutForControlPlane json.RawMessage `json:"timeoutForControlPlane"`
	} `json:"apiServer"`
	ControllerManager component `json:"controllerManager"`
	Scheduler         component `json:"scheduler"`
	DNS               struct {
		ImageRepository string `json:"imageRepository"`
		ImageTag        string `json:"imageTag"`
		Disabled        bool   `json:"disabled"`
	} `json:"dns"`
	Proxy struct {
		Disabled bool `json:"disabled"`
	} `json:"proxy"`
	CertificatesDir             string          `json:"certificatesDir"`
	ImageRepository             string          `json:"imageRepository"`
	FeatureGates                map[string]bool `json:"featureGates"`
	EncryptionAlgorithm         string          `json:"encryptionAlgorithm"`
	CertificateValidityPeriod   string          `json:"certificateValidityPeriod"`
	CACertificateValidityPeriod string          `json:"caCertificateValidityPeriod"`
}

type component struct {
	ExtraArgs    extraArgs                   `json:"extraArgs"`
	ExtraVolumes []bootstrapv1.HostPathMount `json:"extraVolumes"`
	ExtraEnvs    []corev1.EnvVar             `json:"extraEnvs"`
}

type localEtcd struct {
	ImageRepository string          `json:"imageRepository"`
	ImageTag        string          `json:"imageTag"`
	DataDir         string          `json:"dataDir"`
	ExtraArgs       extraArgs       `json:"extraArgs"`
	ExtraEnvs       []corev1.EnvVar `json:"extraEnvs"`
	ServerCertSANs  []string        `json:"serverCertSANs"`
	PeerCertSANs    []string        `json:"peerCertSANs"`
}

// extraArgs is a map in v1beta3, and a list in v1beta4, where one name may stand several times.
type extraArgs []bootstrapv1.Arg

// UnmarshalJSON implements json.Unmarshaler.
func (a *extraArgs) UnmarshalJSON(b []byte) error {
	var list []bootstrapv1.Arg
	if err := json.Unmarshal(b, &list); err == nil {
		*a = list
		return nil
	}
	var m map[string]string
	if err := json.Unmarshal(b, &m); err != nil {
		return fmt.Errorf("extraArgs is neither a list nor a map: %w", err)
	}
	for _, name := range slices.Sorted(maps.Keys(m)) {
		v := m[name]
		*a = append(*a, bootstrapv1.Arg{Name: name, Value: &v})
	}
	return nil
}

// kubeadm's defaults, which Cluster API's own are as well: writing them out would only make a field that an older version
// does not know (kubeadm apis/kubeadm/v1beta4/defaults.go).
const (
	defaultEncryption = "RSA-2048"
	defaultCertDays   = 365
	defaultCADays     = 3650
)

// readKubeadm reads what the cluster says of itself.
func readKubeadm(k *inventory.KubeadmCluster) *kubeadmConfig {
	out := &kubeadmConfig{}
	var doc clusterConfiguration
	if err := yaml.Unmarshal([]byte(k.ClusterConfiguration), &doc); err != nil {
		out.err = fmt.Errorf("kubeadm-config cannot be read: %w", err)
		return out
	}
	group, version, _ := strings.Cut(doc.APIVersion, "/")
	if group != "kubeadm.k8s.io" || version != "v1beta3" && version != "v1beta4" {
		out.err = fmt.Errorf("kubeadm-config is of %q: v1beta3 and v1beta4 of kubeadm.k8s.io are known", doc.APIVersion)
		return out
	}
	out.lost = unknownFields(k.ClusterConfiguration)
	c := &out.config
	if doc.Etcd.Local != nil {
		c.Etcd.Local = bootstrapv1.LocalEtcd{ImageRepository: doc.Etcd.Local.ImageRepository, ImageTag: doc.Etcd.Local.ImageTag,
			DataDir: doc.Etcd.Local.DataDir, ExtraArgs: doc.Etcd.Local.ExtraArgs, ExtraEnvs: envs(doc.Etcd.Local.ExtraEnvs),
			ServerCertSANs: doc.Etcd.Local.ServerCertSANs, PeerCertSANs: doc.Etcd.Local.PeerCertSANs}
	}
	if doc.Etcd.External != nil {
		c.Etcd.External, out.externalEtcd = *doc.Etcd.External, true
	}
	c.APIServer = bootstrapv1.APIServer{ExtraArgs: doc.APIServer.ExtraArgs, ExtraVolumes: doc.APIServer.ExtraVolumes,
		ExtraEnvs: envs(doc.APIServer.ExtraEnvs), CertSANs: doc.APIServer.CertSANs}
	c.ControllerManager = bootstrapv1.ControllerManager{ExtraArgs: doc.ControllerManager.ExtraArgs,
		ExtraVolumes: doc.ControllerManager.ExtraVolumes, ExtraEnvs: envs(doc.ControllerManager.ExtraEnvs)}
	c.Scheduler = bootstrapv1.Scheduler{ExtraArgs: doc.Scheduler.ExtraArgs, ExtraVolumes: doc.Scheduler.ExtraVolumes,
		ExtraEnvs: envs(doc.Scheduler.ExtraEnvs)}
	c.DNS = bootstrapv1.DNS{ImageRepository: doc.DNS.ImageRepository, ImageTag: doc.DNS.ImageTag}
	c.CertificatesDir, c.ImageRepository = doc.CertificatesDir, doc.ImageRepository
	c.FeatureGates = maps.Clone(doc.FeatureGates)
	if doc.EncryptionAlgorithm != defaultEncryption {
		c.EncryptionAlgorithm = bootstrapv1.EncryptionAlgorithmType(doc.EncryptionAlgorithm)
	}
	c.CertificateValidityPeriodDays = out.days("certificateValidityPeriod", doc.CertificateValidityPeriod, defaultCertDays)
	c.CACertificateValidityPeriodDays = out.days("caCertificateValidityPeriod", doc.CACertificateValidityPeriod, defaultCADays)
	if doc.DNS.Disabled {
		out.lost = append(out.lost, "dns.disabled")
	}
	if doc.Proxy.Disabled {
		out.lost = append(out.lost, "proxy.disabled")
	}
	out.podSubnets, out.serviceSubnets = split(doc.Networking.PodSubnet), split(doc.Networking.ServiceSubnet)
	out.dnsDomain, out.version = doc.Networking.DNSDomain, doc.KubernetesVersion
	slices.Sort(out.lost)
	out.lost = slices.Compact(out.lost)
	return out
}

// days turns kubeadm's duration into whole days; what is no multiple of a day has no place in Cluster API.
func (k *kubeadmConfig) days(field, value string, usual int32) int32 {
	if value == "" {
		return 0
	}
	d, err := time.ParseDuration(value)
	if err != nil || d <= 0 || d%(24*time.Hour) != 0 {
		k.lost = append(k.lost, field+": "+value)
		return 0
	}
	if n := int32(d / (24 * time.Hour)); n != usual { //nolint:gosec // a Duration has at most 106752 days
		return n
	}
	return 0
}

// unknownFields are the top-level fields of the document that this program does not know.
func unknownFields(text string) []string {
	var all map[string]json.RawMessage
	if err := yaml.Unmarshal([]byte(text), &all); err != nil {
		return nil
	}
	known := []string{"apiVersion", "kind", "kubernetesVersion", "clusterName", "networking", "controlPlaneEndpoint", "etcd",
		"apiServer", "controllerManager", "scheduler", "dns", "proxy", "certificatesDir", "imageRepository", "featureGates",
		"encryptionAlgorithm", "certificateValidityPeriod", "caCertificateValidityPeriod"}
	var out []string
	for name := range all {
		if !slices.Contains(known, name) {
			out = append(out, name)
		}
	}
	return out
}

func envs(list []corev1.EnvVar) *[]bootstrapv1.EnvVar {
	if len(list) == 0 {
		return nil
	}
	out := make([]bootstrapv1.EnvVar, 0, len(list))
	for _, e := range list {
		out = append(out, bootstrapv1.EnvVar{EnvVar: e})
	}
	return &out
}

func split(list string) []string {
	var out []string
	for _, v := range strings.Split(list, ",") {
		if v = strings.TrimSpace(v); v != "" {
			out = append(out, v)
		}
	}
	return out
}

// endpoint is the control plane's address for everybody outside.
type endpoint struct {
	host string
	port int32
	// from says where it was found.
	from string
}

// findEndpoint takes kubeadm's own, else the address under which the API server was reached.
func findEndpoint(c *inventory.Cluster) endpoint {
	if c.Kubeadm != nil && c.Kubeadm.ControlPlaneEndpoint != "" {
		if e, ok := parseEndpoint(c.Kubeadm.ControlPlaneEndpoint); ok {
			e.from = "kubeadm-config"
			return e
		}
	}
	if e, ok := parseEndpoint(strings.TrimPrefix(c.Server, "https://")); ok {
		e.from = "the kubeconfig"
		return e
	}
	return endpoint{}
}

func parseEndpoint(s string) (endpoint, bool) {
	s, _, _ = strings.Cut(s, "/")
	host, port := s, ""
	if i := strings.LastIndexByte(s, ':'); i >= 0 && (strings.HasSuffix(s[:i], "]") || strings.Count(s, ":") == 1) {
		host, port = s[:i], s[i+1:]
	}
	host = strings.Trim(host, "[]")
	// Without a port kubeadm takes 6443 (kubeadm constants.go: KubeAPIServerPort).
	n, err := strconv.ParseInt(cmp.Or(port, "6443"), 10, 32)
	if host == "" || err != nil || n < 1 || n > 65535 {
		return endpoint{}, false
	}
	return endpoint{host: host, port: int32(n)}, true
}
