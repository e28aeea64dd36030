package kube

import (
	"crypto"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"errors"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	kjson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/util/keyutil"

	"github.com/proxaudit/proxaudit/inventory"
)

var errNoSecret = errors.New("it is not the Secret of that name")

// decodeSecret keeps of a Secret what may be kept. The values are looked at here and nowhere else, and no message is made
// of them: parsers quote what they cannot read. ok is false for an answer that is another object or none: taken for a
// Secret it would be one without keys.
func decodeSecret(body []byte, w wantedSecret) (out inventory.StoredSecret, ok bool) {
	var s struct {
		objectMeta
		Kind string            `json:"kind"`
		Type string            `json:"type"`
		Data map[string]string `json:"data"`
	}
	if err := kjson.Unmarshal(body, &s); err != nil || s.Kind != "Secret" || s.APIVersion != "v1" ||
		s.Metadata.Name != w.name || s.Metadata.Namespace != w.namespace {
		return out, false
	}
	out = inventory.StoredSecret{Namespace: w.namespace, Name: w.name, Type: s.Type, Labels: s.Metadata.Labels}
	if meta := s.meta(nil, 0, nil); len(meta.Owners) > 0 {
		out.Owners = meta.Owners
	}
	out.Changed = changedAt(body)
	data := make(map[string][]byte, len(s.Data))
	for _, key := range slices.Sorted(maps.Keys(s.Data)) {
		value, err := base64.StdEncoding.DecodeString(s.Data[key])
		if err != nil {
			return inventory.StoredSecret{}, false
		}
		if len(value) == 0 {
			out.EmptyKeys = append(out.EmptyKeys, key)
			continue
		}
		out.Keys = append(out.Keys, key)
		data[key] = value
	}
	switch w.use {
	case usePair:
		for _, key := range out.Keys {
			note(&out, key, certificates(data[key]))
		}
		out.KeyMatches = keyMatches(data)
	case useKubeconfig:
		var authority []byte
		out.Server, authority = currentCluster(data["value"])
		out.Renewable = renewable(data["value"], strings.TrimSuffix(out.Name, "-kubeconfig"))
		note(&out, "value", certificates(authority))
	case useCredentials:
		out.Server = apiServer(string(data["url"]))
		out.TokenID = tokenID(string(data["token"]))
	case useNames:
	}
	return out, true
}

// changedAt is when an object was written last: the API server notes it for each who writes (metadata.managedFields).
func changedAt(body []byte) *time.Time {
	var o struct {
		Metadata struct {
			CreationTimestamp *metav1.Time `json:"creationTimestamp"`
			ManagedFields     []struct {
				Time *metav1.Time `json:"time"`
			} `json:"managedFields"`
		} `json:"metadata"`
	}
	if err := kjson.Unmarshal(body, &o); err != nil {
		return nil
	}
	last := utc(o.Metadata.CreationTimestamp)
	for _, f := range o.Metadata.ManagedFields {
		if at := utc(f.Time); at != nil && (last == nil || at.After(*last)) {
			last = at
		}
	}
	return last
}

// certificates are the PEM certificates in a value, in their order. Bundles have several.
func certificates(value []byte) []*x509.Certificate {
	var out []*x509.Certificate
	for len(value) > 0 {
		var block *pem.Block
		if block, value = pem.Decode(value); block == nil {
			break
		}
		if block.Type != "CERTIFICATE" {
			continue
		}
		if cert, err := x509.ParseCertificate(block.Bytes); err == nil {
			out = append(out, cert)
		}
	}
	return out
}

// note adds the fingerprints of what a key holds.
func note(s *inventory.StoredSecret, key string, certs []*x509.Certificate) {
	for _, c := range certs {
		if s.Certificates == nil {
			s.Certificates = map[string][]string{}
		}
		s.Certificates[key] = append(s.Certificates[key], fingerprint(c.Raw))
	}
}

// keyMatches compares the public key with the one that belongs to the private key. Of a bundle the first certificate
// counts, as for cluster-api (util/certs: DecodeCertPEM).
func keyMatches(data map[string][]byte) *bool {
	var public any
	private := data["tls.key"]
	if certs := certificates(data["tls.crt"]); len(certs) > 0 {
		public = certs[0].PublicKey
	} else {
		text := data["tls.crt"]
		if len(text) == 0 {
			text, private = data["sa.pub"], data["sa.key"]
		}
		keys, err := keyutil.ParsePublicKeysPEM(text)
		if err != nil || len(keys) == 0 {
			return nil
		}
		public = keys[0]
	}
	key, err := keyutil.ParsePrivateKeyPEM(private)
	signer, isSigner := key.(crypto.Signer)
	comparer, isPublic := public.(interface{ Equal(crypto.PublicKey) bool })
	if err != nil || !isSigner || !isPublic {
		return nil
	}
	equal := comparer.Equal(signer.Public())
	return &equal
}

// renewable: the controller writes a new client certificate into each user of a kubeconfig, and looks for the cluster by the
// Cluster's name (cluster-api util/kubeconfig: RegenerateSecret).
func renewable(kubeconfig []byte, cluster string) *bool {
	raw, err := clientcmd.Load(kubeconfig)
	if err != nil {
		return nil
	}
	out := raw.Clusters[cluster] != nil && len(raw.AuthInfos) > 0
	for _, user := range raw.AuthInfos {
		out = out && len(user.ClientCertificateData) > 0
	}
	return &out
}

// plainHost is a DNS name or an IP address, with a port or without.
var plainHost = regexp.MustCompile(`^([0-9A-Za-z]([0-9A-Za-z.-]*[0-9A-Za-z])?|\[[0-9A-Fa-f:.]+\])(:[0-9]{1,5})?$`)

// apiServer is the scheme, host and port of a Proxmox API's URL: whatever else somebody put into it may be a credential. Behind another
// path than the API's own there may be any Proxmox: of that nothing is said.
func apiServer(text string) string {
	u, err := url.Parse(strings.TrimSpace(text))
	// A credential with a / or # in it is no user information to url.Parse: a part of it would be the host.
	if err != nil || u.Scheme != "https" || !plainHost.MatchString(u.Host) || strings.Contains(u.Path+u.RawQuery+u.Fragment, "@") {
		return ""
	}
	if path := strings.Trim(u.Path, "/"); path != "" && path != "api2" && path != "api2/json" {
		return ""
	}
	return (&url.URL{Scheme: u.Scheme, Host: u.Host}).String()
}

// The shape of an API token's ID (pve-access-control PVE/AccessControl.pm: user, realm and token name), and that of its secret, which
// somebody may have put into the wrong place.
var (
	plainTokenID = regexp.MustCompile(`^[A-Za-z0-9._-]{1,64}@[A-Za-z][A-Za-z0-9._-]{1,31}![A-Za-z][A-Za-z0-9._-]{1,64}$`)
	uuidInside   = regexp.MustCompile(`(?i)[0-9a-f]{8}(-?[0-9a-f]{4}){3}-?[0-9a-f]{12}`)
)

// tokenID is the ID of an API token; empty for anything else.
func tokenID(text string) string {
	if text = strings.TrimSpace(text); !plainTokenID.MatchString(text) || uuidInside.MatchString(text) {
		return ""
	}
	return text
}

// currentCluster is the server of a kubeconfig, without what may be a credential in its URL, and the CA that it names for it.
func currentCluster(kubeconfig []byte) (server string, authority []byte) {
	raw, err := clientcmd.Load(kubeconfig)
	if err != nil {
		return "", nil
	}
	context := raw.Contexts[raw.CurrentContext]
	if context == nil {
		return "", nil
	}
	c := raw.Clusters[context.Cluster]
	if c == nil {
		return "", nil
	}
	if u, err := url.Parse(c.Server); err == nil && u.Host != "" {
		server = (&url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path}).String()
	}
	return server, c.CertificateAuthorityData
}
