package fleet_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/yaml"

	"github.com/proxaudit/proxaudit/internal/cli"
	"github.com/proxaudit/proxaudit/internal/config"
	"github.com/proxaudit/proxaudit/inventory"
	"github.com/proxaudit/proxaudit/inventory/collect"
)

// read decodes a manifest and takes no field that its type does not have.
func read[T any](t *testing.T, path string) *T {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	v := new(T)
	if err := yaml.UnmarshalStrict(data, v); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return v
}

func noVariables(string) (string, bool) { return "", false }

// configuration is the one that the Pods have.
func configuration(t *testing.T) *config.Config {
	t.Helper()
	data, err := os.ReadFile("proxaudit.yaml")
	if err != nil {
		t.Fatal(err)
	}
	cfg, err := config.Parse("proxaudit.yaml", data, config.ForPart, noVariables)
	if err != nil {
		t.Fatal(err)
	}
	return cfg
}

// TestScanIsIndexed: there is an index for each site and one for the rest, none costs another its scan, and each site's
// Secret is mounted where the configuration looks for it.
func TestScanIsIndexed(t *testing.T) {
	cfg, spec := configuration(t), read[batchv1.CronJob](t, "scan.yaml").Spec.JobTemplate.Spec
	want := int32(len(cfg.Sites)) + 1
	switch {
	case spec.CompletionMode == nil || *spec.CompletionMode != batchv1.IndexedCompletion:
		t.Error("it is not Indexed")
	case spec.Completions == nil || *spec.Completions != want || spec.Parallelism == nil || *spec.Parallelism != want:
		t.Errorf("completions %v, parallelism %v, want %d", spec.Completions, spec.Parallelism, want)
	case spec.BackoffLimitPerIndex == nil || spec.BackoffLimit != nil || spec.MaxFailedIndexes != nil:
		t.Error("one index that fails costs others their scan")
	}
	pod := spec.Template.Spec
	mounted := map[string]string{}
	for _, source := range volume(t, &pod, "proxmox").Projected.Sources {
		for _, item := range source.Secret.Items {
			mounted["/etc/proxaudit/proxmox/"+item.Path] = source.Secret.Name
		}
		if source.Secret.Optional == nil || !*source.Secret.Optional {
			t.Errorf("without Secret %s no site is scanned", source.Secret.Name)
		}
	}
	for i := range cfg.Sites {
		for _, path := range []string{cfg.Sites[i].SecretFile, cfg.Sites[i].CAFile} {
			if mounted[path] != "proxaudit-site-"+cfg.Sites[i].Name {
				t.Errorf("site %s: %s comes from Secret %q", cfg.Sites[i].Name, path, mounted[path])
			}
		}
	}
	for i := range cfg.Clusters {
		if c := &cfg.Clusters[i]; filepath.Dir(c.Kubeconfig) != "/etc/proxaudit/kubeconfigs" || c.Site == "" {
			t.Errorf("cluster %s: kubeconfig %s, site %q", c.Name, c.Kubeconfig, c.Site)
		}
	}
}

func volume(t *testing.T, pod *corev1.PodSpec, name string) *corev1.Volume {
	t.Helper()
	for i := range pod.Volumes {
		if pod.Volumes[i].Name == name {
			return &pod.Volumes[i]
		}
	}
	t.Fatalf("there is no volume %s", name)
	return nil
}

// TestPodsMayDoNothing: both run without root, write to their volumes only, and the report has no account.
func TestPodsMayDoNothing(t *testing.T) {
	for file, writes := range map[string]string{"scan.yaml": "snapshots", "report.yaml": "history"} {
		job := read[batchv1.CronJob](t, file)
		pod := job.Spec.JobTemplate.Spec.Template.Spec
		c := pod.Containers[0]
		switch {
		case job.Spec.ConcurrencyPolicy != batchv1.ForbidConcurrent:
			t.Errorf("%s: two nights may run at once", file)
		case pod.SecurityContext.RunAsNonRoot == nil || !*pod.SecurityContext.RunAsNonRoot || *pod.SecurityContext.RunAsUser == 0:
			t.Errorf("%s: it may be root", file)
		case !*c.SecurityContext.ReadOnlyRootFilesystem || *c.SecurityContext.AllowPrivilegeEscalation || !slices.Contains(c.SecurityContext.Capabilities.Drop, "ALL"):
			t.Errorf("%s: %+v", file, c.SecurityContext)
		case *pod.AutomountServiceAccountToken != (file == "scan.yaml"):
			t.Errorf("%s: automountServiceAccountToken is %v", file, *pod.AutomountServiceAccountToken)
		}
		for _, m := range c.VolumeMounts {
			volume(t, &pod, m.Name)
			if m.ReadOnly == (m.Name == writes) {
				t.Errorf("%s: volume %s is mounted readOnly %v", file, m.Name, m.ReadOnly)
			}
		}
	}
	claim := read[corev1.PersistentVolumeClaim](t, "snapshots.yaml")
	if !slices.Equal(claim.Spec.AccessModes, []corev1.PersistentVolumeAccessMode{corev1.ReadWriteMany}) {
		t.Errorf("several Pods write into a volume that is %v", claim.Spec.AccessModes)
	}
	// Roles and bindings are those of the base, of which deploy/cronjob's own tests say that they read no Secret.
	files, err := filepath.Glob("*.yaml")
	if err != nil || len(files) != 5 {
		t.Fatalf("%q, %v", files, err)
	}
	for _, f := range files {
		if data, err := os.ReadFile(f); err != nil || bytes.Contains(data, []byte("kind: Role")) || bytes.Contains(data, []byte("kind: ClusterRole")) {
			t.Errorf("%s has a role of its own (%v)", f, err)
		}
	}
}

// pod runs the program as the Pod of a manifest does, with folders in the place of its volumes.
type pod struct {
	root           string
	plan           *collect.Plan
	stdout, stderr bytes.Buffer
}

func newPod(t *testing.T) *pod {
	t.Helper()
	p := &pod{root: t.TempDir()}
	for _, dir := range []string{"etc/proxaudit/config", "etc/proxaudit/proxmox/dc1", "etc/proxaudit/proxmox/edge", "var/lib/proxaudit/snapshots", "var/lib/proxaudit/history"} {
		if err := os.MkdirAll(filepath.Join(p.root, dir), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	data, err := os.ReadFile("proxaudit.yaml")
	if err != nil {
		t.Fatal(err)
	}
	p.write(t, "etc/proxaudit/config/proxaudit.yaml", strings.ReplaceAll(string(data), ": /etc/", ": "+p.root+"/etc/"))
	return p
}

func (p *pod) write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(p.root, name), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// run is what the Pod of an index runs at a time.
func (p *pod) run(t *testing.T, manifest string, index int, at time.Time) error {
	t.Helper()
	args := []string{"proxaudit"}
	for _, a := range read[batchv1.CronJob](t, manifest).Spec.JobTemplate.Spec.Template.Spec.Containers[0].Args {
		a = strings.ReplaceAll(a, "$(JOB_COMPLETION_INDEX)", fmt.Sprint(index))
		for _, top := range []string{"/etc/proxaudit", "/var/lib/proxaudit"} {
			a = strings.ReplaceAll(a, "="+top, "="+p.root+top)
		}
		args = append(args, a)
	}
	p.plan = nil
	p.stdout.Reset()
	p.stderr.Reset()
	return cli.Run(context.Background(), args, cli.Env{Stdout: &p.stdout, Stderr: &p.stderr, Getenv: noVariables, Now: func() time.Time { return at },
		Deps: cli.Deps{Collect: func(_ context.Context, plan collect.Plan) (*inventory.Snapshot, collect.Timings, error) {
			p.plan = &plan
			s := &inventory.Snapshot{FormatVersion: inventory.FormatVersion, CollectedAt: at}
			for _, site := range plan.Sites {
				s.Sites = append(s.Sites, inventory.Site{Name: site.Site, URL: site.URL, Visibility: inventory.Visibility{Complete: true}})
				s.Coverage = append(s.Coverage, inventory.Coverage{Source: inventory.SiteSource(site.Site), Scope: inventory.ScopeGuests, State: inventory.Complete})
			}
			if plan.Management != nil {
				s.Management = &inventory.Management{Context: inventory.InCluster}
				for _, scope := range []string{inventory.ScopeClusters, inventory.ScopeMachines, inventory.ScopeProxmoxMachines} {
					s.Coverage = append(s.Coverage, inventory.Coverage{Source: inventory.ManagementSource, Scope: scope, State: inventory.Complete})
				}
			}
			for _, w := range plan.Workloads {
				if w.Target != nil {
					s.Clusters = append(s.Clusters, inventory.Cluster{Key: w.Key, Site: w.Site, Access: "kubeconfig " + w.Target.Kubeconfig})
					s.Coverage = append(s.Coverage, inventory.Coverage{Source: inventory.ClusterSource(w.Key), Scope: inventory.ScopeNodes, State: inventory.Complete})
				}
			}
			return s, nil, nil
		}}})
}

// TestNight runs the command lines of the manifests: every part of the fleet is read by one index, and by no other; the
// report of what they wrote misses nothing, and one of an old night is refused.
func TestNight(t *testing.T) {
	cfg, p := configuration(t), newPod(t)
	at := time.Date(2026, 12, 1, 4, 0, 0, 0, time.UTC)
	readBy := map[string][]int{}
	n := int(*read[batchv1.CronJob](t, "scan.yaml").Spec.JobTemplate.Spec.Completions)
	for index := range n {
		// Only the Secret of its own site is there.
		for i := range cfg.Sites {
			for _, file := range []string{cfg.Sites[i].SecretFile, cfg.Sites[i].CAFile} {
				if i == index {
					p.write(t, file, "6c3fa683-bef9-4425-b413-eaa45a9d0101")
				} else if err := os.Remove(filepath.Join(p.root, file)); err != nil && !errors.Is(err, os.ErrNotExist) {
					t.Fatal(err)
				}
			}
		}
		if err := p.run(t, "scan.yaml", index, at.Add(time.Duration(index)*time.Minute)); err != nil {
			t.Fatalf("index %d: %v", index, err)
		}
		if p.stdout.Len() > 0 || p.plan == nil {
			t.Fatalf("index %d: asked nobody, or wrote to standard output: %q", index, p.stdout.String())
		}
		for _, s := range p.plan.Sites {
			readBy["site "+s.Site] = append(readBy["site "+s.Site], index)
		}
		for _, w := range p.plan.Workloads {
			if w.Target != nil {
				readBy["cluster "+w.Key] = append(readBy["cluster "+w.Key], index)
			}
		}
		if p.plan.Management != nil {
			readBy["management"] = append(readBy["management"], index)
		}
	}
	want := map[string][]int{"management": {len(cfg.Sites)}}
	for i := range cfg.Sites {
		want["site "+cfg.Sites[i].Name] = []int{i}
		for _, c := range cfg.Clusters {
			if c.Site == cfg.Sites[i].Name {
				want["cluster "+c.Name] = []int{i}
			}
		}
	}
	if fmt.Sprint(readBy) != fmt.Sprint(want) {
		t.Errorf("read by index %v, want %v", readBy, want)
	}
	if err := p.run(t, "scan.yaml", n, at); err == nil || !strings.Contains(err.Error(), "from 0 to") {
		t.Errorf("an index too many: %v", err)
	}

	if err := p.run(t, "report.yaml", 0, at.Add(40*time.Minute)); err != nil {
		t.Fatal(err)
	}
	if out := p.stdout.String(); strings.Contains(out, "incomplete") || !strings.Contains(out, "first run of the history") {
		t.Errorf("the report of the night:\n%s", out)
	}
	for _, f := range []string{"history.db", "report.json", "proxaudit.prom"} {
		if _, err := os.Stat(filepath.Join(p.root, "var/lib/proxaudit/history", f)); err != nil {
			t.Error(err)
		}
	}
	// A night later, and no scan has run.
	if err := p.run(t, "report.yaml", 0, at.Add(25*time.Hour)); err == nil || !strings.Contains(err.Error(), "--within allows 12h") {
		t.Errorf("a report of last night's files: %v", err)
	}
}
