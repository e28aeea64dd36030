package adopt

import (
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	bootstrapv1 "sigs.k8s.io/cluster-api/api/bootstrap/kubeadm/v1beta2"

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
	ExtraArgs    json.RawMessage             `json:"extraArgs"`
	ExtraVolumes []bootstrapv1.HostPathMount `json:"extraVolumes"`
	ExtraEnvs    []corev1.EnvVar             `json:"extraEnvs"`
}

type localEtcd struct {
	ImageRepository string          `json:"imageRepository"`
	ImageTag        string          `json:"imageTag"`
	DataDir         string          `json:"dataDir"`
	ExtraArgs       json.RawMessage `json:"extraArgs"`
	ExtraEnvs       []corev1.EnvVar `json:"extraEnvs"`
	ServerCertSANs  []string        `json:"serverCertSANs"`
	PeerCertSANs    []string        `json:"peerCertSANs"`
}

// kubeadm's defaults, which Cluster API's own are as well: writing them out would only make a field that an older version
// does not know (kubeadm apis/kubeadm/v1beta4/defaults.go).
const (
	defaultEncryption = "RSA-2048"
	defaultCertDays   = 365
	defaultCADays     = 3650
)

// What Cluster API takes at most, and which algorithms (cluster-api api/bootstrap/kubeadm/v1beta2: ClusterConfiguration).
const (
	mostCertDays = 1095
	mostCADays   = 36500
)

var algorithms = []bootstrapv1.EncryptionAlgorithmType{bootstrapv1.EncryptionAlgorithmECDSAP256, bootstrapv1.EncryptionAlgorithmECDSAP384,
	bootstrapv1.EncryptionAlgorithmRSA2048, bootstrapv1.EncryptionAlgorithmRSA3072, bootstrapv1.EncryptionAlgorithmRSA4096}

// readKubeadm reads what the cluster says of itself.
func readKubeadm(k *inventory.KubeadmCluster) *kubeadmConfig {
	out := &kubeadmConfig{}
	doc, unknown, err := parseKubeadm(k.ClusterConfiguration)
	if err != nil {
		out.err = fmt.Errorf("kubeadm-config cannot be read: %w", err)
		return out
	}
	group, version, _ := strings.Cut(doc.APIVersion, "/")
	if group != "kubeadm.k8s.io" || version != "v1beta3" && version != "v1beta4" {
		out.err = fmt.Errorf("kubeadm-config is of %q: v1beta3 and v1beta4 of kubeadm.k8s.io are known", doc.APIVersion)
		return out
	}
	out.lost = unknown
	c := &out.config
	if doc.Etcd.Local != nil {
		c.Etcd.Local = bootstrapv1.LocalEtcd{ImageRepository: doc.Etcd.Local.ImageRepository, ImageTag: doc.Etcd.Local.ImageTag,
			DataDir: doc.Etcd.Local.DataDir, ExtraArgs: out.args("etcd.local.extraArgs", doc.Etcd.Local.ExtraArgs), ExtraEnvs: envs(doc.Etcd.Local.ExtraEnvs),
			ServerCertSANs: doc.Etcd.Local.ServerCertSANs, PeerCertSANs: doc.Etcd.Local.PeerCertSANs}
	}
	if doc.Etcd.External != nil {
		c.Etcd.External, out.externalEtcd = *doc.Etcd.External, true
		e := &c.Etcd.External
		e.CAFile, e.CertFile, e.KeyFile = out.path("etcd.external.caFile", e.CAFile), out.path("etcd.external.certFile", e.CertFile), out.path("etcd.external.keyFile", e.KeyFile)
	}
	c.APIServer = bootstrapv1.APIServer{ExtraArgs: out.args("apiServer.extraArgs", doc.APIServer.ExtraArgs), ExtraVolumes: doc.APIServer.ExtraVolumes,
		ExtraEnvs: envs(doc.APIServer.ExtraEnvs), CertSANs: doc.APIServer.CertSANs}
	c.ControllerManager = bootstrapv1.ControllerManager{ExtraArgs: out.args("controllerManager.extraArgs", doc.ControllerManager.ExtraArgs),
		ExtraVolumes: doc.ControllerManager.ExtraVolumes, ExtraEnvs: envs(doc.ControllerManager.ExtraEnvs)}
	c.Scheduler = bootstrapv1.Scheduler{ExtraArgs: out.args("scheduler.extraArgs", doc.Scheduler.ExtraArgs), ExtraVolumes: doc.Scheduler.ExtraVolumes,
		ExtraEnvs: envs(doc.Scheduler.ExtraEnvs)}
	c.DNS = bootstrapv1.DNS{ImageRepository: doc.DNS.ImageRepository, ImageTag: doc.DNS.ImageTag}
	c.ImageRepository = doc.ImageRepository
	c.CertificatesDir = out.path("certificatesDir", doc.CertificatesDir)
	c.FeatureGates = maps.Clone(doc.FeatureGates)
	switch a := bootstrapv1.EncryptionAlgorithmType(doc.EncryptionAlgorithm); {
	case a == "" || a == defaultEncryption:
	case slices.Contains(algorithms, a):
		c.EncryptionAlgorithm = a
	default:
		out.lost = append(out.lost, "encryptionAlgorithm: "+doc.EncryptionAlgorithm)
	}
	c.CertificateValidityPeriodDays = out.days("certificateValidityPeriod", doc.CertificateValidityPeriod, defaultCertDays, mostCertDays)
	c.CACertificateValidityPeriodDays = out.days("caCertificateValidityPeriod", doc.CACertificateValidityPeriod, defaultCADays, mostCADays)
	if doc.DNS.Disabled {
		out.lost = append(out.lost, "dns.disabled")
	}
	if doc.Proxy.Disabled {
		out.lost = append(out.lost, "proxy.disabled")
	}
	out.podSubnets, out.serviceSubnets = split(doc.Networking.PodSubnet), split(doc.Networking.ServiceSubnet)
	out.dnsDomain, out.version = doc.Networking.DNSDomain, doc.KubernetesVersion
	out.dropHidden()
	slices.Sort(out.lost)
	out.lost = slices.Compact(out.lost)
	return out
}

var plainCharacters = regexp.MustCompile(`^(/[A-Za-z0-9_.][A-Za-z0-9_.,+@=-]*)+/?$`)

// path refuses what is no plain path: it goes into commands, and into the configuration of every later machine.
func (k *kubeadmConfig) path(field, value string) string {
	if value == "" || plainPath(value) {
		return value
	}
	k.err = fmt.Errorf("kubeadm-config: %s is %q, which is no absolute path of plain characters without dots that lead elsewhere", field, value)
	return ""
}

// plainPath is true for a clean absolute path that means the same to every shell and to scp.
func plainPath(text string) bool {
	return plainCharacters.MatchString(text) && path.Clean(text) == strings.TrimSuffix(text, "/")
}

// days turns kubeadm's duration into whole days; what is no multiple of a day, or more than Cluster API takes, has no place in it.
func (k *kubeadmConfig) days(field, value string, usual, most int32) int32 {
	if value == "" {
		return 0
	}
	d, err := time.ParseDuration(value)
	if err != nil || d <= 0 || d%(24*time.Hour) != 0 || d/(24*time.Hour) > time.Duration(most) {
		k.lost = append(k.lost, field+": "+value)
		return 0
	}
	if n := int32(d / (24 * time.Hour)); n != usual { //nolint:gosec // most at most
		return n
	}
	return 0
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
