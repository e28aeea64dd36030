package predict

import (
	"bytes"
	"errors"
	"io"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"go.yaml.in/yaml/v3"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/proxaudit/proxaudit/adopt"
	"github.com/proxaudit/proxaudit/inventory"
)

// lab is the trial's cluster, as a run would see it with all sources answering.
type lab struct {
	t *testing.T
	s *inventory.Snapshot
}

var parsed []map[string]any

// manifests are those of testdata/prod.yaml, read once.
func manifests(t *testing.T) []map[string]any {
	t.Helper()
	if parsed != nil {
		return parsed
	}
	data, err := os.ReadFile("testdata/prod.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for dec := yaml.NewDecoder(bytes.NewReader(data)); ; {
		var o map[string]any
		if err := dec.Decode(&o); errors.Is(err, io.EOF) {
			return parsed
		} else if err != nil {
			t.Fatal(err)
		}
		parsed = append(parsed, jsonValue(o))
	}
}

const uuidPrefix = "6c3fa683-bef9-4425-b413-eaa45a9d6"

func newLab(t *testing.T) *lab {
	t.Helper()
	now := time.Date(2026, 12, 2, 8, 0, 0, 0, time.UTC)
	s := &inventory.Snapshot{CollectedAt: now,
		Management: &inventory.Management{Context: "mgmt", CRDs: []inventory.CRD{
			{Name: "proxmoxmachinetemplates.infrastructure.cluster.x-k8s.io", Contracts: map[string]string{"v1beta1": "v1alpha2", "v1beta2": "v1alpha2"}}}},
		Sites: []inventory.Site{{Name: "lab", Nodes: []inventory.ProxmoxNode{{Name: "pve1", Status: "online"}, {Name: "pve2", Status: "online"}}}},
		Clusters: []inventory.Cluster{{Key: "prod", Site: "lab", Kubeadm: &inventory.KubeadmCluster{}, ServingCAs: []string{"aa"},
			Declared: &inventory.DeclaredCluster{Meta: inventory.Meta{Namespace: "prod", Name: "prod"}}}},
	}
	for _, o := range manifests(t) {
		s.Objects = append(s.Objects, inventory.Object{APIVersion: text(o, "apiVersion"), Kind: text(o, "kind"),
			Namespace: text(o, "metadata", "namespace"), Name: text(o, "metadata", "name"), Content: runtime.DeepCopyJSON(o)})
	}
	for i, name := range []string{"cp-1", "cp-2", "cp-3", "w-1", "w-2"} {
		id := []int{101, 102, 103, 111, 112}[i]
		u := uuidPrefix + []string{"101", "102", "103", "111", "112"}[i]
		host := []string{"pve1", "pve2", "pve1", "pve1", "pve2"}[i]
		s.VMs = append(s.VMs, inventory.VM{Site: "lab", VMID: id, Type: inventory.GuestQEMU, Node: host, Name: name, Status: "running",
			Config: &inventory.VMConfig{UUID: u, RawUUID: u, UUIDSource: "smbios1", Sockets: 1, Cores: 4, MemoryMiB: 8192,
				NICs: []inventory.NIC{{Slot: "net0", Model: "virtio", Bridge: "vmbr0", MAC: "bc:24:11:00:00:01"}}}})
		n := inventory.Node{Cluster: "prod", Name: name, ProviderID: "proxmox://" + u, SystemUUID: u, Ready: "True",
			ControlPlane: strings.HasPrefix(name, "cp"), InternalIPs: []string{"10.0.0.1" + name[len(name)-1:]}}
		s.Nodes = append(s.Nodes, n)
		if n.ControlPlane {
			s.Clusters[0].StaticPods = append(s.Clusters[0].StaticPods, inventory.StaticPod{Name: "etcd-" + name, Component: "etcd", Node: name})
		}
	}
	for _, p := range provenProviders {
		s.Providers = append(s.Providers, inventory.Provider{Namespace: p.label, Name: p.label, Label: p.label, Version: p.version, Desired: 1, Available: 1})
	}
	yes := true
	for _, purpose := range purposes {
		s.StoredSecrets = append(s.StoredSecrets, inventory.StoredSecret{Namespace: "prod", Name: "prod-" + purpose, Type: "cluster.x-k8s.io/secret",
			Keys: []string{"tls.crt", "tls.key"}, KeyMatches: &yes, Certificates: map[string][]string{"tls.crt": {"aa"}}})
	}
	s.StoredSecrets = append(s.StoredSecrets,
		inventory.StoredSecret{Namespace: "prod", Name: "prod-kubeconfig", Type: "Opaque", Keys: []string{"value"}},
		inventory.StoredSecret{Namespace: "prod", Name: "prod-pve", Type: "Opaque", Keys: []string{"secret", "token", "url"}})
	s.Coverage = allCoverage()
	return &lab{t, s}
}

// allCoverage has every source that a prediction may need.
func allCoverage() []inventory.Coverage {
	var out []inventory.Coverage
	add := func(source string, scopes ...string) {
		for _, scope := range scopes {
			out = append(out, inventory.Coverage{Source: source, Scope: scope, State: inventory.Complete})
		}
	}
	for _, ck := range controllerKinds {
		add(inventory.ManagementSource, ck.kind.scope)
	}
	add(inventory.ManagementSource, kindConfigTemplate.scope, kindProxmoxTemplate.scope, inventory.ScopeProviders, inventory.ScopeCRDs, inventory.ScopeSecrets)
	add(inventory.ClusterSource("prod"), inventory.ScopeNodes, inventory.ScopeKubeadm, inventory.ScopeStaticPods, inventory.ScopeServingCA)
	add(inventory.SiteSource("lab"), inventory.ScopeGuests, inventory.ScopeProbes, inventory.ConfigScope("pve1"), inventory.ConfigScope("pve2"))
	return out
}

func (l *lab) object(kind, name string) map[string]any {
	l.t.Helper()
	for i := range l.s.Objects {
		if l.s.Objects[i].Kind == kind && l.s.Objects[i].Name == name {
			return l.s.Objects[i].Content
		}
	}
	l.t.Fatalf("the lab has no %s %s", kind, name)
	return nil
}

// set writes a field; the path is dotted, and a part in [] may hold dots.
func (l *lab) set(kind, name, path string, value any) {
	l.t.Helper()
	if err := unstructured.SetNestedField(l.object(kind, name), value, parts(path)...); err != nil {
		l.t.Fatal(err)
	}
}

func (l *lab) unset(kind, name, path string) {
	l.t.Helper()
	o := l.object(kind, name)
	if _, found, err := unstructured.NestedFieldNoCopy(o, parts(path)...); err != nil || !found {
		l.t.Fatalf("%s %s has no %s (%v)", kind, name, path, err)
	}
	unstructured.RemoveNestedField(o, parts(path)...)
}

func parts(path string) []string {
	head, rest, ok := strings.Cut(path, ".[")
	out := strings.Split(head, ".")
	if ok {
		out = append(out, strings.TrimSuffix(rest, "]"))
	}
	return out
}

func (l *lab) drop(kind, name string) {
	l.t.Helper()
	l.object(kind, name)
	l.s.Objects = slices.DeleteFunc(l.s.Objects, func(o inventory.Object) bool { return o.Kind == kind && o.Name == name })
}

// copyAs adds a copy of an object under another name.
func (l *lab) copyAs(kind, name, other string) {
	l.t.Helper()
	for _, o := range l.s.Objects {
		if o.Kind == kind && o.Name == name {
			o.Name, o.Content = other, jsonValue(o.Content)
			l.s.Objects = append(l.s.Objects, o)
			l.set(kind, other, "metadata.name", other)
			return
		}
	}
	l.t.Fatalf("the lab has no %s %s", kind, name)
}

func (l *lab) add(apiVersion, kind, name string, content map[string]any) {
	content["apiVersion"], content["kind"] = apiVersion, kind
	meta, ok := content["metadata"].(map[string]any)
	if !ok {
		meta = map[string]any{}
		content["metadata"] = meta
	}
	meta["name"], meta["namespace"] = name, "prod"
	l.s.Objects = append(l.s.Objects, inventory.Object{APIVersion: apiVersion, Kind: kind, Namespace: "prod", Name: name, Content: content})
}

func (l *lab) vm(id int) *inventory.VM {
	l.t.Helper()
	i := slices.IndexFunc(l.s.VMs, func(v inventory.VM) bool { return v.VMID == id })
	if i < 0 {
		l.t.Fatalf("the lab has no VM %d", id)
	}
	return &l.s.VMs[i]
}

func (l *lab) node(name string) *inventory.Node {
	l.t.Helper()
	i := slices.IndexFunc(l.s.Nodes, func(n inventory.Node) bool { return n.Name == name })
	if i < 0 {
		l.t.Fatalf("the lab has no Node %s", name)
	}
	return &l.s.Nodes[i]
}

func (l *lab) stored(name string) *inventory.StoredSecret {
	l.t.Helper()
	i := slices.IndexFunc(l.s.StoredSecrets, func(s inventory.StoredSecret) bool { return s.Name == name })
	if i < 0 {
		l.t.Fatalf("the lab has no Secret %s", name)
	}
	return &l.s.StoredSecrets[i]
}

func (l *lab) coverage(source, scope string) *inventory.Coverage {
	l.t.Helper()
	c := l.s.CoverageOf(source, scope)
	if c == nil {
		l.t.Fatalf("the lab has no coverage of %s %s", source, scope)
	}
	return c
}

// line is a prediction as the tables write it.
func line(p adopt.Prediction) string {
	return string(p.Controller) + " " + p.Object.Kind + "/" + p.Object.Name + " " + string(p.Outcome)
}

// unsafe are the predictions that are not what adoption wants.
func unsafeOf(out []adopt.Prediction) []string {
	var lines []string
	for _, p := range out {
		if !p.Outcome.Safe() {
			lines = append(lines, line(p))
		}
	}
	slices.Sort(lines)
	return slices.Compact(lines)
}
