package kube

import (
	"bytes"
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"testing"

	kjson "k8s.io/apimachinery/pkg/util/json"

	"github.com/proxaudit/proxaudit/internal/kubesim"
	"github.com/proxaudit/proxaudit/inventory"
)

// secrets has a canary in every place that may hold one, in the objects of all kinds that have such places.
const secrets = `
apiVersion: bootstrap.cluster.x-k8s.io/v1beta2
kind: KubeadmConfig
metadata:
  name: kc
  namespace: ns
  annotations:
    example.com/short: kept
    example.com/url: https://user:CANARY@host/path
    kubectl.kubernetes.io/last-applied-configuration: '{"spec":{"files":[{"content":"CANARY"}]}}'
    cluster.x-k8s.io/conversion-data: '{"spec":{"files":[{"content":"CANARY"}]}}'
    kapp.k14s.io/original: ' {"users":[{"passwd":"CANARY"}]}'
    objectset.rio.cattle.io/applied: H4sIAAAAAAAAA_CANARY_LONGLONGLONGLONGLONGLONGLONGLONGLONGLONGLONGLONGLONGLONGLONGLONGLONGLONGLONGLONGLONGLONGLONGLONGLONGLONGLONGLONGLONGLONGLONGLONGLONGLONGLONGLONGLONGLONGLONGLONGLONGLONGLONGLONGLONGLONGLONGLONGLONGLONGLONGLONGLONGLONGLONGLONGLONGLONGLONGLONGLONGLONGLONGLONGLONGLONGLONGLONGLONGLONGLONGLONGLONGLONGLONGLONGLONGLONGLONGLONGLONGLONGLONGLONGLONGLONGLONGLONGLONGLONGLONGLONGLONGLONGLONGLONGLONGLONGLONGLONGLONGLONGLONGLONGLONGLONGLONGLONGLONGLONGLONGLONGLONGLONGLONGLONGLONG
    controlplane.cluster.x-k8s.io/kubeadm-cluster-configuration: '{"apiServer":{"extraEnvs":[{"name":"A","value":"CANARY"}],"certSANs":["san.example.com"]}}'
spec:
  files:
  - {path: /etc/a, owner: root, content: CANARY}
  - {path: /etc/b, contentFrom: {secret: {name: kept-name, key: kept-key}}}
  users:
  - {name: kept-user, passwd: CANARY, sshAuthorizedKeys: [ssh-ed25519 AAAA-PUBLIC]}
  - {name: b, passwdFrom: {secret: {name: kept-passwd, key: k, inline: CANARY}, other: CANARY}}
  bootCommands: [echo CANARY]
  preKubeadmCommands: [curl -u CANARY]
  postKubeadmCommands: [kubeadm --token CANARY]
  ignition: {containerLinuxConfig: {additionalConfig: CANARY, strict: true}}
  clusterConfiguration:
    etcd: {external: {endpoints: ["https://root:CANARY@etcd.example.com:2379"]}}
    apiServer: {extraEnvs: [{name: HTTPS_PROXY, value: "http://u:CANARY@proxy"}]}
  initConfiguration:
    bootstrapTokens: [{token: canary.0123456789canary, description: kept-description}]
    certificateKey: CANARY
  joinConfiguration:
    controlPlane: {certificateKey: CANARY}
    discovery:
      tlsBootstrapToken: CANARY
      bootstrapToken: {token: CANARY, apiServerEndpoint: "10.0.0.10:6443"}
      file:
        kubeConfigPath: /etc/k
        kubeConfig:
          cluster: {server: "https://u:CANARY@10.0.0.10", certificateAuthorityData: UFVCTElD}
          user:
            authProvider: {name: p, config: {secret: CANARY}}
            exec: {command: c, args: [CANARY], env: [{name: E, value: CANARY}]}
status:
  conditions: [{type: Ready, status: "False", message: "GET https://u:CANARY@pve:8006 with PVEAPIToken=root@pam!x=CANARY failed", lastTransitionTime: "2026-01-01T00:00:00Z"}]
---
apiVersion: bootstrap.cluster.x-k8s.io/v1beta2
kind: KubeadmConfigTemplate
metadata: {name: kct, namespace: ns}
spec:
  template:
    metadata: {annotations: {doc: '{"a":"CANARY"}'}}
    spec: {files: [{path: /a, content: CANARY}], users: [{name: u, passwd: CANARY}]}
---
apiVersion: controlplane.cluster.x-k8s.io/v1beta2
kind: KubeadmControlPlane
metadata: {name: kcp, namespace: ns}
spec:
  version: v1.33.4
  kubeadmConfigSpec: {files: [{path: /a, content: CANARY}], preKubeadmCommands: [CANARY]}
---
apiVersion: controlplane.cluster.x-k8s.io/v1alpha3
kind: TalosControlPlane
metadata: {name: tcp, namespace: ns}
spec:
  controlPlaneConfig:
    controlplane: {generateType: none, data: CANARY, configPatches: [{op: add, path: /machine/x, value: {token: CANARY}}], strategicPatches: ["machine: {token: CANARY}"]}
---
apiVersion: bootstrap.cluster.x-k8s.io/v1alpha3
kind: TalosConfig
metadata: {name: tc, namespace: ns}
spec: {generateType: join, data: CANARY, strategicPatches: [CANARY], configPatches: [{op: replace, path: /p, value: CANARY}]}
status: {talosConfig: CANARY, dataSecretName: kept-secret-name}
---
apiVersion: bootstrap.cluster.x-k8s.io/v1alpha3
kind: TalosConfigTemplate
metadata: {name: tct, namespace: ns}
spec: {template: {spec: {data: CANARY}}}
---
apiVersion: cluster.x-k8s.io/v1beta2
kind: Cluster
metadata: {name: cl, namespace: ns}
spec:
  topology:
    classRef: {name: kept-class}
    variables: [{name: kept-variable, value: {password: CANARY, count: 3}}]
    workers: {machineDeployments: [{name: md, variables: {overrides: [{name: x, value: kept-in-overrides}]}}]}
---
apiVersion: infrastructure.cluster.x-k8s.io/v1alpha2
kind: ProxmoxMachine
metadata: {name: pm, namespace: ns}
spec: {virtualMachineID: 100, providerID: "proxmox://6c3fa683-bef9-4425-b413-eaa45a9d6191"}
status:
  conditions: [{type: Ready, status: "False", message: "PVEAPIToken capi@pve!t=CANARY refused", lastTransitionTime: "2026-01-01T00:00:00Z"}]
---
apiVersion: v1
kind: Node
metadata:
  name: node-1
  annotations: {cluster.x-k8s.io/doc: '{"a":"CANARY"}', k3s.io/node-args: CANARY}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: kubeadm-config, namespace: kube-system}
data:
  ClusterConfiguration: |
    # a comment with https://u:CANARY@host
    kubernetesVersion: v1.33.4
    etcd: {external: {endpoints: ["https://u:CANARY@host"]}}
`

func TestNoSecretLeaves(t *testing.T) {
	srv := sim(t, kubesim.Config{}, kubesim.Options{}, secrets)
	c := client(t, srv)
	s := c.CollectManagement(t.Context(), ManagementOptions{})
	s.Append(c.CollectWorkload(t.Context(), "k", WorkloadOptions{}))
	if missing := s.Incomplete(); len(missing) > 0 || len(s.Objects) != 8 || len(s.Nodes) != 1 || s.Clusters[1].Kubeadm == nil {
		t.Fatalf("not everything was read: %+v, %d objects", missing, len(s.Objects))
	}
	text := toJSON(t, s)
	for _, line := range strings.Split(text, "\n") {
		if strings.Contains(strings.ToLower(line), "canary") {
			t.Errorf("a secret left: %s", line)
		}
	}
	for _, kept := range []string{"ssh-ed25519 AAAA-PUBLIC", "kept-name", "kept-key", "kept-user", "kept-passwd", "kept-description",
		"kept-secret-name", "kept-class", "kept-variable", "10.0.0.10:6443", "UFVCTElD", "/machine/x", "san.example.com",
		"@etcd.example.com:2379", "proxmox://6c3fa683", `"example.com/short": "kept"`} {
		if !strings.Contains(text, kept) {
			t.Errorf("%s is gone, and is no secret", kept)
		}
	}
	golden(t, "sanitized.json", toJSON(t, s.Objects))
}

func object4(t *testing.T, s *inventory.Snapshot, kind string) map[string]any {
	t.Helper()
	for _, o := range s.Objects {
		if o.Kind == kind {
			return o.Content
		}
	}
	t.Fatalf("no %s", kind)
	return nil
}

func contentOf(t *testing.T, o map[string]any) string {
	t.Helper()
	var spec struct {
		Spec struct {
			Files             []struct{ Content string }
			KubeadmConfigSpec struct {
				Files []struct{ Content string }
			}
		}
	}
	raw, err := json.Marshal(o)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(raw, &spec); err != nil {
		t.Fatal(err)
	}
	files := slices.Concat(spec.Spec.Files, spec.Spec.KubeadmConfigSpec.Files)
	if len(files) == 0 || files[0].Content == "" {
		t.Fatalf("no content in %s", raw)
	}
	return files[0].Content
}

func TestEqualSecretsStayEqualWithinOneSnapshotOnly(t *testing.T) {
	srv := sim(t, kubesim.Config{}, kubesim.Options{}, secrets)
	random := func(target *Target) { target.HashKey = nil }
	one := client(t, srv, random).CollectManagement(t.Context(), ManagementOptions{})
	two := client(t, srv, random).CollectManagement(t.Context(), ManagementOptions{})
	a, b := contentOf(t, object4(t, one, "KubeadmConfig")), contentOf(t, object4(t, one, "KubeadmControlPlane"))
	if a != b || !strings.HasPrefix(a, "sha256:") || len(a) != 71 {
		t.Errorf("the same content is %s and %s", a, b)
	}
	if other := contentOf(t, object4(t, two, "KubeadmConfig")); other == a {
		t.Error("two runs hash with the same key")
	}
}

func TestSanitizeOddShapes(t *testing.T) {
	s, err := newSanitizer([]byte("k"))
	if err != nil {
		t.Fatal(err)
	}
	// Whatever stands where a secret belongs goes, whatever its type.
	for _, doc := range []string{
		`{"files":"CANARY"}`, `{"files":["CANARY"]}`, `{"files":[{"content":{"a":"CANARY"}}]}`, `{"files":[{"content":["CANARY"]}]}`,
		`{"files":{"a":"CANARY"}}`, `{"users":["CANARY",null]}`, `{"users":[{"passwdFrom":"CANARY"}]}`,
		`{"users":[{"passwdFrom":{"secret":"CANARY"}}]}`, `{"users":[{"passwdFrom":{"a":[{"b":"CANARY"}]}}]}`,
		`{"bootstrapToken":"CANARY"}`, `{"bootstrapTokens":"CANARY"}`, `{"bootstrapTokens":[{"token":{"id":"CANARY"}}]}`,
		`{"preKubeadmCommands":"CANARY"}`, `{"preKubeadmCommands":[["CANARY"]]}`, `{"kubeConfig":"CANARY"}`, `{"kubeConfig":{"user":"CANARY"}}`,
		`{"certificateKey":["CANARY"]}`, `{"annotations":{"controlplane.cluster.x-k8s.io/kubeadm-cluster-configuration":"CANARY"}}`,
		`{"annotations":{"a":"[\"CANARY\"]"}}`, `{"annotations":{"a":{"passwd":"CANARY"}}}`, `{"annotations":[{"passwd":"CANARY"}]}`,
		`{"kind":"TalosConfig","spec":{"data":["CANARY"]}}`, `{"a":"x https://u:CANARY@p@h y"}`, `{"a":"PVEAPIToken=a@b!c=CANARY"}`,
	} {
		var o map[string]any
		if err := kjson.Unmarshal([]byte(doc), &o); err != nil {
			t.Fatal(err)
		}
		s.object(o)
		if text := toJSON(t, o); strings.Contains(text, "CANARY") {
			t.Errorf("%s became %s", doc, text)
		}
	}
	// Nothing stays nothing: "not set" is information and no secret.
	for _, doc := range []string{`{"files":null}`, `{"users":[{"passwd":"","passwdFrom":null}]}`, `{"bootstrapTokens":[{"token":""}]}`, `{"kubeConfig":null}`} {
		var o map[string]any
		if err := kjson.Unmarshal([]byte(doc), &o); err != nil {
			t.Fatal(err)
		}
		s.object(o)
		if out, err := json.Marshal(o); err != nil || string(out) != doc && doc != `{"users":[{"passwd":"","passwdFrom":null}]}` {
			t.Errorf("%s became %s (%v)", doc, out, err)
		}
	}
}

// TestTokenKeepsItsForm: the typed field of Cluster API parses no other.
func TestTokenKeepsItsForm(t *testing.T) {
	s, err := newSanitizer([]byte("k"))
	if err != nil {
		t.Fatal(err)
	}
	got, ok := s.token("abcdef.0123456789abcdef").(string)
	if !ok || !regexp.MustCompile(`^[a-z0-9]{6}\.[a-z0-9]{16}$`).MatchString(got) || got == "abcdef.0123456789abcdef" {
		t.Errorf("token = %q", got)
	}
}

func TestScrub(t *testing.T) {
	for in, want := range map[string]string{
		"https://u:p@h/x":                       "https://REDACTED@h/x",
		"https://u:p@ss@h/x":                    "https://REDACTED@h/x",
		"https://u:p/a?s#s@h/x":                 "https://REDACTED@h/x",
		"'https://u:p@h', 'b@c'":                "'https://REDACTED@h', 'b@c'",
		"proxmox://region/100":                  "proxmox://region/100",
		"mail a@b.c":                            "mail a@b.c",
		"Authorization: PVEAPIToken=u@p!t=1-2,": "Authorization: PVEAPIToken=REDACTED,",
	} {
		if got := scrub(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
	if got := oneLine(strings.Repeat("é", maxReason)); len(got) > maxReason+8 || !bytes.HasSuffix([]byte(got), []byte("…")) {
		t.Errorf("oneLine: %d bytes", len(got))
	}
}
