package kube

import (
	"bytes"
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"maps"
	"math/big"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/proxaudit/proxaudit/internal/kubesim"
	"github.com/proxaudit/proxaudit/inventory"
)

// canaryBlob is what must never be seen of a Secret.
const canaryBlob = "c4n4ry-c4n4ry-c4n4ry"

// pair is a CA certificate with its key, as a Secret holds them.
type pair struct {
	cert, key []byte
	// print is the certificate's fingerprint.
	print string
}

func newPair(t testing.TB, key crypto.Signer) pair {
	t.Helper()
	now := time.Now()
	ca := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "kubernetes"}, NotBefore: now, NotAfter: now.Add(time.Hour), IsCA: true, BasicConstraintsValid: true}
	der, err := x509.CreateCertificate(rand.Reader, ca, ca, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	return pair{pemOf("CERTIFICATE", der), pemOf("PRIVATE KEY", private), fingerprint(der)}
}

func pemOf(kind string, der []byte) []byte {
	return pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der})
}

func ecKey(t testing.TB) *ecdsa.PrivateKey {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

func secretManifest(namespace, name, kindOfSecret string, data map[string][]byte) string {
	raw, err := json.Marshal(data)
	if err != nil {
		panic(err)
	}
	return fmt.Sprintf("apiVersion: v1\nkind: Secret\nmetadata:\n  name: %s\n  namespace: %s\n  labels: {cluster.x-k8s.io/cluster-name: prod}\n"+
		"  annotations: {kubectl.kubernetes.io/last-applied-configuration: %s}\n"+
		"  ownerReferences: [{apiVersion: controlplane.cluster.x-k8s.io/v1beta2, kind: KubeadmControlPlane, name: cp, uid: u, controller: true}]\ntype: %s\ndata: %s\n",
		name, namespace, canaryBlob, kindOfSecret, raw)
}

const adoptedCluster = `apiVersion: cluster.x-k8s.io/v1beta2
kind: Cluster
metadata: {name: prod, namespace: ns}
spec: {infrastructureRef: {apiGroup: infrastructure.cluster.x-k8s.io, kind: ProxmoxCluster, name: prod}}
---
apiVersion: infrastructure.cluster.x-k8s.io/v1alpha2
kind: ProxmoxCluster
metadata: {name: prod, namespace: ns}
spec: {credentialsRef: {name: proxmox, namespace: capmox}}
---
apiVersion: cluster.x-k8s.io/v1beta2
kind: Machine
metadata: {name: w-1, namespace: ns}
spec: {clusterName: prod, bootstrap: {dataSecretName: w-1-data}}
---
apiVersion: cluster.x-k8s.io/v1beta2
kind: Machine
metadata: {name: w-2, namespace: ns}
spec: {clusterName: prod}
---
apiVersion: cluster.x-k8s.io/v1beta2
kind: Machine
metadata: {name: stray, namespace: ns}
spec: {clusterName: not-declared, bootstrap: {dataSecretName: stray-data}}
`

var withSecrets = ManagementOptions{Adoption: true, ReadSecrets: true}

func secretPaths(srv *kubesim.Server) []string {
	var out []string
	for _, r := range srv.Requests() {
		if strings.Contains(r.Path, "/secrets") {
			out = append(out, strings.TrimPrefix(r.Path, "/api/v1/namespaces/"))
			if r.Query.Get("limit") != "" || strings.HasSuffix(r.Path, "/secrets") {
				out = append(out, "a list: "+r.String())
			}
		}
	}
	slices.Sort(out)
	return out
}

func TestStoredSecrets(t *testing.T) {
	ca, etcd, saKey := newPair(t, ecKey(t)), newPair(t, ecKey(t)), ecKey(t)
	public, err := x509.MarshalPKIXPublicKey(saKey.Public())
	if err != nil {
		t.Fatal(err)
	}
	private, err := x509.MarshalECPrivateKey(saKey)
	if err != nil {
		t.Fatal(err)
	}
	kubeconfig := "apiVersion: v1\nkind: Config\ncurrent-context: b\ncontexts: [{name: a, context: {cluster: other, user: u}}, {name: b, context: {cluster: prod, user: u}}]\n" +
		"clusters: [{name: other, cluster: {server: 'https://other:6443'}}, {name: prod, cluster: {server: 'https://u:" + canaryBlob + "@10.0.0.10:6443/k8s?t=" + canaryBlob + "', certificate-authority-data: " +
		base64.StdEncoding.EncodeToString(append(slices.Clone(ca.cert), etcd.cert...)) + "}}]\nusers: [{name: u, user: {token: " + canaryBlob + "}}]\n"
	srv := sim(t, kubesim.Config{}, kubesim.Options{}, adoptedCluster,
		secretManifest("ns", "prod-ca", "cluster.x-k8s.io/secret", map[string][]byte{"tls.crt": append(slices.Clone(ca.cert), etcd.cert...), "tls.key": ca.key, "note": []byte(canaryBlob), "empty": nil}),
		secretManifest("ns", "prod-etcd", "Opaque", map[string][]byte{"tls.crt": etcd.cert, "tls.key": ca.key}),
		secretManifest("ns", "prod-sa", "Opaque", map[string][]byte{"sa.pub": pemOf("PUBLIC KEY", public), "sa.key": pemOf("EC PRIVATE KEY", private)}),
		secretManifest("ns", "prod-kubeconfig", "Opaque", map[string][]byte{"value": []byte(kubeconfig)}),
		secretManifest("ns", "w-1-data", "cluster.x-k8s.io/secret", map[string][]byte{"format": []byte("cloud-config"), "value": slices.Concat([]byte(canaryBlob), ca.cert)}),
		secretManifest("ns", "stray-data", "Opaque", nil),
		secretManifest("ns", "other-ca", "Opaque", nil),
		secretManifest("capmox", "proxmox", "Opaque", map[string][]byte{"token": []byte(canaryBlob), "secret": []byte(canaryBlob), "url": []byte("https://u:" + canaryBlob + "@pve:8006/api2/json?t=" + canaryBlob + "\n"), "root_ca": ca.cert}),
	)
	var log []string
	s := client(t, srv, func(target *Target) {
		target.Logf = func(format string, args ...any) { log = append(log, fmt.Sprintf(format, args...)) }
	}).CollectManagement(t.Context(), withSecrets)

	if got := secretPaths(srv); !slices.Equal(got, []string{"capmox/secrets/proxmox", "ns/secrets/prod-ca", "ns/secrets/prod-etcd",
		"ns/secrets/prod-kubeconfig", "ns/secrets/prod-proxy", "ns/secrets/prod-sa", "ns/secrets/w-1-data"}) {
		t.Errorf("asked for %q", got)
	}
	if cov := coverage(t, s, inventory.ManagementSource, inventory.ScopeSecrets); cov.State != inventory.Complete || cov.Asked != 7 || cov.Got != 7 || !cov.Optional || cov.Reason != "" {
		t.Errorf("%+v", cov)
	}
	yes, no := true, false
	owners := []inventory.Ref{{Group: inventory.GroupControlPlane, Kind: "KubeadmControlPlane", Namespace: "ns", Name: "cp", UID: "u", Controller: true}}
	labels := map[string]string{"cluster.x-k8s.io/cluster-name": "prod"}
	elsewhere := slices.Clone(owners)
	elsewhere[0].Namespace = "capmox"
	changed := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	want := []inventory.StoredSecret{
		{Namespace: "capmox", Name: "proxmox", Type: "Opaque", Keys: []string{"root_ca", "secret", "token", "url"}, Labels: labels, Owners: elsewhere, Server: "https://pve:8006"},
		{Namespace: "ns", Name: "prod-ca", Type: "cluster.x-k8s.io/secret", Keys: []string{"note", "tls.crt", "tls.key"}, EmptyKeys: []string{"empty"}, Labels: labels, Owners: owners,
			Certificates: map[string][]string{"tls.crt": {ca.print, etcd.print}}, KeyMatches: &yes},
		{Namespace: "ns", Name: "prod-etcd", Type: "Opaque", Keys: []string{"tls.crt", "tls.key"}, Labels: labels, Owners: owners,
			Certificates: map[string][]string{"tls.crt": {etcd.print}}, KeyMatches: &no},
		{Namespace: "ns", Name: "prod-kubeconfig", Type: "Opaque", Keys: []string{"value"}, Labels: labels, Owners: owners,
			Certificates: map[string][]string{"value": {ca.print, etcd.print}}, Server: "https://10.0.0.10:6443/k8s", Renewable: &no},
		{Namespace: "ns", Name: "prod-proxy", Absent: true},
		{Namespace: "ns", Name: "prod-sa", Type: "Opaque", Keys: []string{"sa.key", "sa.pub"}, Labels: labels, Owners: owners, KeyMatches: &yes},
		{Namespace: "ns", Name: "w-1-data", Type: "cluster.x-k8s.io/secret", Keys: []string{"format", "value"}, Labels: labels, Owners: owners},
	}
	for i := range want {
		if !want[i].Absent {
			want[i].Changed = &changed
		}
	}
	got := toJSON(t, s.StoredSecrets)
	if got != toJSON(t, want) {
		t.Errorf("got %s", got)
	}
	// Beside the text canary: no piece of any key, in any form.
	all := toJSON(t, s) + strings.Join(log, "\n")
	for _, hidden := range []string{canaryBlob, "PRIVATE KEY", "BEGIN", base64.StdEncoding.EncodeToString(ca.key)[60:100], string(bytes.Split(ca.key, []byte("\n"))[1])} {
		if strings.Contains(all, hidden) {
			t.Errorf("%q is in the Snapshot or the log", hidden)
		}
	}
}

func TestSecretsAreNotReadWithoutLeave(t *testing.T) {
	srv := sim(t, kubesim.Config{}, kubesim.Options{}, adoptedCluster, secretManifest("ns", "prod-ca", "Opaque", nil))
	s := client(t, srv).CollectManagement(t.Context(), ManagementOptions{Adoption: true})
	cov := coverage(t, s, inventory.ManagementSource, inventory.ScopeSecrets)
	if cov.State != inventory.NotAsked || !cov.Optional || !strings.Contains(cov.Remedy, "--read-secrets") || len(s.StoredSecrets) != 0 || len(secretPaths(srv)) != 0 {
		t.Errorf("%+v, %q", cov, secretPaths(srv))
	}
	// Without a declared Cluster nothing is asked, and nothing is missing.
	srv = sim(t, kubesim.Config{}, kubesim.Options{}, strings.Replace(adoptedCluster, "kind: Cluster\n", "kind: Elsewhere\n", 1), secretManifest("ns", "prod-ca", "Opaque", nil),
		"apiVersion: cluster.x-k8s.io/v1beta2\nkind: Cluster\nmetadata: {name: bare, namespace: other}\n")
	s = client(t, srv).CollectManagement(t.Context(), ManagementOptions{Adoption: true, ReadSecrets: true, Namespaces: []string{"ns"}})
	if cov := coverage(t, s, inventory.ManagementSource, inventory.ScopeSecrets); cov.State != inventory.Complete || cov.Asked != 0 || len(secretPaths(srv)) != 0 {
		t.Errorf("%+v, %q", cov, secretPaths(srv))
	}
}

func TestStoredSecretsFaults(t *testing.T) {
	const caPath = "/api/v1/namespaces/ns/secrets/prod-ca"
	for name, c := range map[string]struct {
		fault          kubesim.Fault
		state          inventory.State
		reason, remedy string
		kept, asked    int
	}{
		"all refused": {fault: kubesim.Fault{Resource: "secrets", Status: http.StatusForbidden}, state: inventory.Refused, reason: "secret capmox/proxmox: 403",
			remedy: `Role in namespace capmox: {apiGroups: [""], resources: ["secrets"], resourceNames: ["proxmox"], verbs: ["get"]}; in namespace ns: {apiGroups: [""], resources: ["secrets"], resourceNames: ["prod-ca", "prod-etcd", "prod-kubeconfig", "prod-proxy", "prod-sa", "w-1-data"], verbs: ["get"]}`, asked: 7},
		"one refused": {fault: kubesim.Fault{Path: caPath, Status: http.StatusForbidden}, state: inventory.Partial, reason: "secret ns/prod-ca: 403",
			remedy: `Role in namespace ns: {apiGroups: [""], resources: ["secrets"], resourceNames: ["prod-ca"], verbs: ["get"]}`, kept: 6, asked: 7},
		"all failed":     {fault: kubesim.Fault{Resource: "secrets", Status: http.StatusInternalServerError}, state: inventory.Failed, reason: "500", asked: 7},
		"not JSON":       {fault: kubesim.Fault{Path: caPath, Body: `{"data":` + canaryBlob}, state: inventory.Partial, reason: "not the Secret of that name", kept: 6, asked: 7},
		"another object": {fault: kubesim.Fault{Path: caPath, Body: `{"kind":"Secret","apiVersion":"v1","metadata":{"name":"other","namespace":"ns"}}`}, state: inventory.Partial, reason: "not the Secret of that name", kept: 6, asked: 7},
		"a page":         {fault: kubesim.Fault{Path: caPath, Body: `{}`}, state: inventory.Partial, reason: "not the Secret of that name", kept: 6, asked: 7},
		"no base64": {fault: kubesim.Fault{Path: caPath, Body: `{"kind":"Secret","apiVersion":"v1","metadata":{"name":"prod-ca","namespace":"ns"},"data":{"tls.key":"` + canaryBlob + `!"}}`},
			state: inventory.Partial, reason: "not the Secret of that name", kept: 6, asked: 7},
		"Machines not listed": {fault: kubesim.Fault{Resource: machinesResource, Status: http.StatusForbidden}, state: inventory.Partial,
			reason: "were not read in full: machines.cluster.x-k8s.io", remedy: "entries of machines.cluster.x-k8s.io", kept: 6, asked: 6},
		"gone": {fault: kubesim.Fault{Resource: machinesResource, Status: http.StatusUnauthorized}, state: inventory.Refused, reason: "401"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			srv := sim(t, kubesim.Config{}, kubesim.Options{}, adoptedCluster)
			srv.SetFaults(c.fault)
			s := client(t, srv).CollectManagement(t.Context(), withSecrets)
			cov := coverage(t, s, inventory.ManagementSource, inventory.ScopeSecrets)
			if name == "gone" {
				// Which kinds were listed before is a race; that nothing is asked afterwards is not.
				if len(secretPaths(srv)) != 0 || cov.State == inventory.Complete {
					t.Errorf("%+v, asked for %q", cov, secretPaths(srv))
				}
				return
			}
			if cov.State != c.state || !strings.Contains(cov.Reason, c.reason) || !strings.Contains(cov.Remedy, c.remedy) || !cov.Optional {
				t.Errorf("%+v", cov)
			}
			if len(s.StoredSecrets) != c.kept || len(secretPaths(srv)) != c.asked || cov.Got != c.kept || cov.Failed != c.asked-c.kept {
				t.Errorf("%d kept, %d asked, %+v", len(s.StoredSecrets), len(secretPaths(srv)), cov)
			}
			if strings.Contains(toJSON(t, s), canaryBlob) {
				t.Error("a value is in the Snapshot")
			}
		})
	}
	// A server that refuses the credentials: one reason for all of them.
	srv := sim(t, kubesim.Config{}, kubesim.Options{}, adoptedCluster)
	srv.SetFaults(kubesim.Fault{Resource: "secrets", Status: http.StatusUnauthorized})
	s := client(t, srv).CollectManagement(t.Context(), withSecrets)
	if cov := coverage(t, s, inventory.ManagementSource, inventory.ScopeSecrets); cov.State != inventory.Refused || !strings.HasPrefix(cov.Reason, "401") || strings.Contains(cov.Reason, "; ") ||
		!strings.Contains(cov.Remedy, "renew the credentials") || cov.Failed != 7 {
		t.Errorf("%+v", cov)
	}
	// And one that does so from the beginning.
	srv.SetFaults(kubesim.Fault{Path: "/apis", Status: http.StatusUnauthorized})
	s = client(t, srv).CollectManagement(t.Context(), withSecrets)
	for _, scope := range []string{inventory.ScopeSecrets, inventory.ScopeCRDs} {
		if cov := coverage(t, s, inventory.ManagementSource, scope); cov.State != inventory.Refused || !strings.Contains(cov.Reason, "401") || !cov.Optional {
			t.Errorf("%+v", cov)
		}
	}
	s = client(t, srv).CollectManagement(t.Context(), ManagementOptions{Adoption: true})
	if cov := coverage(t, s, inventory.ManagementSource, inventory.ScopeSecrets); cov.State != inventory.NotAsked {
		t.Errorf("%+v", cov)
	}
}

// A remedy for a thousand Machines is still one that a person can read.
func TestSecretsRuleIsShort(t *testing.T) {
	var refused []wantedSecret
	for ns := range 5 {
		for i := range 30 {
			refused = append(refused, wantedSecret{fmt.Sprintf("ns-%d", ns), fmt.Sprintf("s-%d", i), useNames})
		}
	}
	got := secretsRule(refused)
	if strings.Count(got, "resourceNames") != 3 || !strings.HasSuffix(got, "; and so on for 90 more") || strings.Contains(got, `"s-20"`) || !strings.Contains(got, `"s-19"`) {
		t.Error(got)
	}
}

func TestKeyMatches(t *testing.T) {
	one, two := newPair(t, ecKey(t)), newPair(t, ecKey(t))
	_, edKey, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	ed := newPair(t, edKey)
	junk := []byte(canaryBlob)
	// Cluster API keeps the public key for service accounts where others have a certificate.
	saKey := ecKey(t)
	der, err := x509.MarshalPKIXPublicKey(saKey.Public())
	if err != nil {
		t.Fatal(err)
	}
	private, err := x509.MarshalECPrivateKey(saKey)
	if err != nil {
		t.Fatal(err)
	}
	public := pemOf("PUBLIC KEY", der)
	yes, no := true, false
	for name, c := range map[string]struct {
		data map[string][]byte
		want *bool
	}{
		"public key":             {map[string][]byte{"tls.crt": public, "tls.key": pemOf("EC PRIVATE KEY", private)}, &yes},
		"public key of another":  {map[string][]byte{"tls.crt": public, "tls.key": one.key}, &no},
		"key with a passphrase":  {map[string][]byte{"tls.crt": one.cert, "tls.key": pemOf("ENCRYPTED PRIVATE KEY", private)}, nil},
		"swapped":                {map[string][]byte{"tls.crt": one.key, "tls.key": one.cert}, nil},
		"match":                  {map[string][]byte{"tls.crt": one.cert, "tls.key": one.key}, &yes},
		"no match":               {map[string][]byte{"tls.crt": one.cert, "tls.key": two.key}, &no},
		"first of a bundle":      {map[string][]byte{"tls.crt": append(slices.Clone(one.cert), two.cert...), "tls.key": two.key}, &no},
		"another algorithm":      {map[string][]byte{"tls.crt": one.cert, "tls.key": ed.key}, &no},
		"ed25519":                {map[string][]byte{"tls.crt": ed.cert, "tls.key": ed.key}, &yes},
		"no key":                 {map[string][]byte{"tls.crt": one.cert}, nil},
		"no certificate":         {map[string][]byte{"tls.key": one.key}, nil},
		"nothing":                {nil, nil},
		"junk key":               {map[string][]byte{"tls.crt": one.cert, "tls.key": junk}, nil},
		"junk certificate":       {map[string][]byte{"tls.crt": junk, "tls.key": one.key}, nil},
		"broken certificate":     {map[string][]byte{"tls.crt": pemOf("CERTIFICATE", junk), "tls.key": one.key}, nil},
		"junk public key":        {map[string][]byte{"sa.pub": junk, "sa.key": one.key}, nil},
		"no private key":         {map[string][]byte{"sa.pub": one.cert}, nil},
		"certificate for sa.pub": {map[string][]byte{"sa.pub": one.cert, "sa.key": one.key}, &yes},
		"sa of another":          {map[string][]byte{"sa.pub": one.cert, "sa.key": two.key}, &no},
	} {
		got := keyMatches(c.data)
		if (got == nil) != (c.want == nil) || (got != nil && *got != *c.want) {
			t.Errorf("%s: %v", name, got)
		}
	}
	if got := certificates(slices.Concat(junk, []byte("\n"), pemOf("CERTIFICATE", junk), one.key, one.cert)); len(got) != 1 || fingerprint(got[0].Raw) != one.print {
		t.Errorf("%d certificates", len(got))
	}
}

func TestCurrentCluster(t *testing.T) {
	for name, text := range map[string]string{
		"nothing":    "",
		"no YAML":    canaryBlob + ": [",
		"no context": "apiVersion: v1\nkind: Config\nclusters: [{name: a, cluster: {server: https://a}}]\n",
		"no cluster": "apiVersion: v1\nkind: Config\ncurrent-context: a\ncontexts: [{name: a, context: {cluster: b}}]\n",
		"no host":    "apiVersion: v1\nkind: Config\ncurrent-context: a\ncontexts: [{name: a, context: {cluster: b}}]\nclusters: [{name: b, cluster: {server: " + canaryBlob + "}}]\n",
	} {
		if server, authority := currentCluster([]byte(text)); server != "" || authority != nil {
			t.Errorf("%s: %q %q", name, server, authority)
		}
	}
}

// FuzzStoredSecret: whatever a Secret holds, what is kept has none of its values.
func FuzzStoredSecret(f *testing.F) {
	p := newPair(f, ecKey(f))
	f.Add(p.cert, p.key)
	f.Add([]byte("apiVersion: v1\nkind: Config\n"), []byte(canaryBlob))
	f.Fuzz(func(t *testing.T, crt, key []byte) {
		for use, names := range map[secretUse][2]string{usePair: {"tls.crt", "tls.key"}, useNames: {"value", "format"}} {
			data := map[string][]byte{names[0]: crt, names[1]: key, "sa.pub": crt, "sa.key": key}
			raw, err := json.Marshal(map[string]any{"apiVersion": "v1", "kind": "Secret", "metadata": map[string]string{"name": "n", "namespace": "ns"}, "data": data})
			if err != nil {
				t.Fatal(err)
			}
			s, ok := decodeSecret(raw, wantedSecret{"ns", "n", use})
			if !ok || len(s.Keys)+len(s.EmptyKeys) != len(slices.Collect(maps.Keys(data))) {
				t.Fatalf("%v %+v", ok, s)
			}
			kept := toJSON(t, s)
			for _, v := range data {
				if len(v) > 16 && strings.Contains(kept, string(v)) {
					t.Fatalf("%q is in %s", v, kept)
				}
			}
		}
	})
}
