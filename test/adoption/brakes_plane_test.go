package adoption

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"sigs.k8s.io/yaml"

	"github.com/proxaudit/proxaudit/test/realkube"
)

// The rows of testdata/brakes.md about the control plane.
const (
	rowNoGate    = "KubeadmConfig without the feature gate that the controller adds"
	rowSocket    = "KubeadmConfig without the `criSocket` that the KubeadmControlPlane has"
	rowVersion   = "Machine of another version than the KubeadmControlPlane"
	rowKubeProxy = "KubeadmControlPlane without `skip-kube-proxy`"
	rowNoCA      = "no Secret `NAME-ca`"
	rowForgotten = "two control planes of three forgotten, `replicas: 1`"
	rowEven      = "KubeadmControlPlane with two replicas"
)

var planeRows, refusedRows = []string{rowNoGate, rowSocket, rowVersion, rowKubeProxy, rowNoCA, rowForgotten}, []string{rowEven}

// plane is the KubeadmControlPlane that the bundle has.
const plane = "kubeadmcontrolplane/prod-control-plane"

// naivePlane brings prod under management up to the control plane, by manifests that edit has spoilt, asks verify while the
// control plane is paused, and lets it go.
func (w *World) naivePlane(t *testing.T, secret func(name string) bool, edit func(object) bool) verification {
	t.Helper()
	dir := filepath.Join(w.Dir, "adoption")
	steps := w.renderBundle(t, dir)
	files, err := filepath.Glob(dir + "-secrets/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("no Secrets: %v", err)
	}
	for _, f := range files {
		if !secret(f) {
			if err := os.Remove(f); err != nil {
				t.Fatal(err)
			}
		}
	}
	var machines, all []string
	for _, s := range steps {
		switch s.ID {
		case "patch-nodes", "create-secrets":
			w.Step(t, s.ID, func() { w.follow(t, dir, s) })
		case "apply-cluster", "apply-infrastructure", "apply-machines", "apply-owners":
			var kept []object
			for _, o := range objects(t, filepath.Join(dir, s.File)) {
				if !edit(o) {
					continue
				}
				kept = append(kept, o)
				name := metadata(o)["name"].(string)
				switch o["kind"] {
				case "Machine":
					machines = append(machines, "machine/"+name)
					all = append(all, "machine/"+name)
				case "ProxmoxMachine", "KubeadmConfig":
					all = append(all, strings.ToLower(o["kind"].(string))+"/"+name)
				}
			}
			w.Step(t, s.ID, func() { w.apply(t, kept...) })
		case "unpause-cluster":
			w.Step(t, s.ID, func() {
				for _, c := range s.Commands {
					w.shell(t, dir, c)
				}
				w.WaitCondition(t, "InfrastructureReady", "cluster/"+prod)
			})
		}
	}
	w.Step(t, "unpause-machines", func() {
		w.Unpause(t, all...)
		w.WaitField(t, "{.status.phase}", "Running", machines...)
	})
	before := w.verify(t, 1, "--read-secrets")
	w.Unpause(t, plane)
	return before
}

// objects are the documents of a file of the bundle.
func objects(t *testing.T, path string) []object {
	t.Helper()
	var out []object
	for _, doc := range bytes.Split(readFile(t, path), []byte("---\n")) {
		if len(bytes.TrimSpace(doc)) == 0 {
			continue
		}
		raw, err := yaml.YAMLToJSON(doc)
		if err != nil {
			t.Fatal(err)
		}
		var o object
		if err := json.Unmarshal(raw, &o); err != nil {
			t.Fatal(err)
		}
		// Nothing but comments.
		if o != nil {
			out = append(out, o)
		}
	}
	if len(out) == 0 {
		t.Fatalf("%s has no objects", path)
	}
	return out
}

// everything keeps all Secrets.
func everything(string) bool { return true }

// named is true for an object of a kind and a name.
func named(o object, kind, name string) bool { return o["kind"] == kind && metadata(o)["name"] == name }

// planeBrake compares what verify said of an object with what happened, and writes the row.
func (w *World) planeBrake(t *testing.T, v verification, name, kind, object, want string, happened func() (told, missing string), asked func() string) {
	t.Helper()
	t.Run(name, func(t *testing.T) {
		before := v.foretold("kubeadmcontrolplane", kind, object)
		if !slices.Contains(before, want) {
			t.Errorf("verify said %q of %s/%s before, want %q among it\n%s", before, kind, object, want, v.about(brake{kind: kind, name: object}))
		}
		told := ""
		w.WaitFor(t, name, 2*time.Minute, func() (missing string) {
			told, missing = happened()
			return missing
		})
		row(t, name, fmt.Sprintf("%s/%s: `%s`", strings.ToLower(kind), object, want), "`"+want+"`: "+told, asked())
	})
}

// upToDate is what the controller says of a Machine, whether it is as it should be.
func (w *World) upToDate(t *testing.T, name string) string {
	t.Helper()
	return w.Field(t, "machine/"+name, `{.status.conditions[?(@.type=="UpToDate")].status} {.status.conditions[?(@.type=="UpToDate")].message}`)
}

// TestBrakesOfRollouts: a KubeadmConfig and a version, each on its own, cost a control plane.
func TestBrakesOfRollouts(t *testing.T) {
	w := newWorld(t, writable())
	w.readSecrets(t)
	v := w.naivePlane(t, everything, func(o object) bool {
		switch {
		case named(o, "KubeadmConfig", "cp-1"):
			delete(spec(o)["clusterConfiguration"].(object), "featureGates")
		case named(o, "KubeadmConfig", "cp-3"):
			delete(spec(o)["joinConfiguration"].(object)["nodeRegistration"].(object), "criSocket")
		case named(o, "Machine", "cp-2"):
			spec(o)["version"] = "v1.33.3"
		case named(o, "KubeadmControlPlane", "prod-control-plane"):
			w.evenIsRefused(t, o)
		}
		return true
	})
	cloned := func() (string, string) {
		if len(w.clones(t, "prod-control-plane-")) == 0 {
			return "", "no clone yet"
		}
		return "a new Machine, whose VM is cloned", ""
	}
	because := func(machine, why string) func() (string, string) {
		return func() (string, string) {
			if got := w.upToDate(t, machine); !strings.HasPrefix(got, "False") || !strings.Contains(got, why) {
				return "", got
			}
			told, missing := cloned()
			return "\"" + why + "\", and " + told, missing
		}
	}
	clone := func() string { return w.askedForClone(t) }
	w.planeBrake(t, v, rowNoGate, "Machine", "cp-1", "rolls-out", because("cp-1", "KubeadmConfig is not up-to-date"), clone)
	w.planeBrake(t, v, rowSocket, "Machine", "cp-3", "rolls-out", because("cp-3", "KubeadmConfig is not up-to-date"), clone)
	w.planeBrake(t, v, rowVersion, "Machine", "cp-2", "rolls-out", because("cp-2", "Version v1.33.3, v1.33.4 required"), clone)
}

// evenIsRefused: stacked etcd with two members is no KubeadmControlPlane. adopt refuses it as PXA205, the webhook in these words.
func (w *World) evenIsRefused(t *testing.T, o object) {
	t.Helper()
	data, err := json.Marshal(o)
	if err != nil {
		t.Fatal(err)
	}
	var two object
	if err := json.Unmarshal(data, &two); err != nil {
		t.Fatal(err)
	}
	spec(two)["replicas"] = 2
	if data, err = json.Marshal(two); err != nil {
		t.Fatal(err)
	}
	_, err = w.TryKubectl(t, "apply", "--dry-run=server", "-f", w.write(t, "even.json", data))
	if err == nil || !strings.Contains(err.Error(), "cannot be an even number") {
		t.Errorf("an even number of control planes: %v", err)
	}
	row(t, rowEven, "`adopt`: PXA205, nothing is rendered", "`refuses`: the webhook takes no even number with etcd on the control planes", "no write")
}

// TestBrakesOfCA: without the cluster's authority the controller invents one, and every condition is green. Without an
// annotation it changes kube-proxy; where it rolls a control plane it does that first, so this is not among those.
func TestBrakesOfCA(t *testing.T) {
	w := newWorld(t, writable())
	w.readSecrets(t)
	v := w.naivePlane(t, func(file string) bool { return !strings.HasSuffix(file, "-prod-ca.yaml") }, func(o object) bool {
		if named(o, "KubeadmControlPlane", "prod-control-plane") {
			delete(annotations(o), "controlplane.cluster.x-k8s.io/skip-kube-proxy")
		}
		return true
	})
	w.planeBrake(t, v, rowNoCA, "KubeadmControlPlane", "prod-control-plane", "new-ca", func() (string, string) {
		out := w.Kubectl(t, "-n", prod, "get", "secret", prod+"-ca", "--ignore-not-found", "-o", "jsonpath={.metadata.ownerReferences[0].kind} {.type}")
		if !strings.HasPrefix(out, "KubeadmControlPlane") {
			return "", "the Secret: " + out
		}
		if got := w.Field(t, plane, `{.status.conditions[?(@.type=="CertificatesAvailable")].status} {.status.conditions[?(@.type=="Available")].status}`); got != "True True" {
			return "", "CertificatesAvailable, Available: " + got
		}
		return "the Secret is there, made by the controller, and CertificatesAvailable and Available are True", ""
	}, func() string { return "no write" })
	w.planeBrake(t, v, rowKubeProxy, "KubeadmControlPlane", "prod-control-plane", "changes-workload", func() (string, string) {
		image := w.WorkloadKubectl(t, "-n", "kube-system", "get", "daemonset", "kube-proxy", "-o", "jsonpath={.spec.template.spec.containers[0].image}")
		if image == realkube.KubeProxyImage {
			return "", "the image is still " + image
		}
		return "the DaemonSet kube-proxy gets the image " + image, ""
	}, func() string { return "no write" })
	w.noWrites(t, "a new authority")
	// That it is the wrong one shows nowhere but here.
	after := w.verify(t, 1, "--read-secrets")
	if !slices.ContainsFunc(after.Checks, func(c struct {
		Name, State, Detail string
		Subject             struct{ ID string }
	}) bool {
		return c.Name == "authority" && c.State == "failed"
	}) {
		t.Errorf("verify after it: %+v", after.Checks)
	}
}

// TestBrakesOfMembers: control planes that nobody declared leave etcd, a real one.
func TestBrakesOfMembers(t *testing.T) {
	w := newWorld(t, writable())
	w.readSecrets(t)
	v := w.naivePlane(t, everything, func(o object) bool {
		for _, forgotten := range []string{"cp-2", "cp-3"} {
			if metadata(o)["name"] == forgotten {
				return false
			}
		}
		if named(o, "KubeadmControlPlane", "prod-control-plane") {
			spec(o)["replicas"] = 1
		}
		return true
	})
	w.planeBrake(t, v, rowForgotten, "KubeadmControlPlane", "prod-control-plane", "removes-etcd-member", func() (string, string) {
		members, err := w.Kubeadm.EtcdMembers(t.Context())
		if err != nil {
			return "", err.Error()
		}
		if !slices.Equal(members, []string{"cp-1"}) {
			return "", fmt.Sprintf("etcd has %q", members)
		}
		return "etcd has one member of three left", ""
	}, func() string { return "no write" })
	w.noWrites(t, "members removed")
}
