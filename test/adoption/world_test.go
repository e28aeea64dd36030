package adoption

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/proxaudit/proxaudit/internal/pvesim"
	"github.com/proxaudit/proxaudit/test/realkube"
	"github.com/proxaudit/proxaudit/test/world"
)

// World is a management cluster with live controllers, a cluster that kubeadm built, and the Proxmox VE both are on.
type World struct {
	Management, Workload *realkube.Server
	Managers             *realkube.Managers
	Kubeadm              *realkube.Kubeadm
	PVE                  *pvesim.Server
	// Dir is for the test's own files; it goes with the test.
	Dir string
	// ManagementConfig and WorkloadConfig are kubeconfigs of an administrator, and EndpointConfig is one for the managers.
	ManagementConfig, WorkloadConfig, EndpointConfig string
	// capmoxAccess is what CAPMOX has in its environment.
	capmoxAccess realkube.ProxmoxAccess

	// Config is a proxaudit.yaml that knows all of this.
	Config string

	kubectl, clusterctl string
	// confidential must not appear in anything that proxaudit prints.
	confidential []string
	// beside are VMs of naive machines that no controller made.
	beside []int
}

// Options say what differs from the usual World.
type Options struct {
	// PVE are the settings of the simulated Proxmox VE.
	PVE pvesim.Options
	// Site changes the Proxmox VE cluster, Cluster the one of kubeadm, before they exist.
	Site    func(*pvesim.Fleet)
	Cluster func(*realkube.KubeadmCluster)
	// NoCredentials leaves CAPMOX without credentials of its own. With them it never looks at a credentialsRef.
	NoCredentials bool
}

// newWorld starts a World. It is gone when the test is over.
func newWorld(t *testing.T, o Options) *World {
	t.Helper()
	began := time.Now()
	// The servers outlive the test's context, which ends before its cleanup does.
	ctx := context.Background()
	w := &World{Dir: t.TempDir()}
	w.startPVE(t, o)
	bench, err := realkube.Start(ctx, filepath.Join(w.Dir, "bench"), "management", prod)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := bench.Close(); err != nil {
			t.Error(err)
		}
	})
	w.Management, w.Workload = bench.Server("management"), bench.Server(prod)
	servers := time.Since(began)
	w.populate(ctx, t, o)
	t.Cleanup(func() { world.Complaints(t, w.Managers, w.PVE) })
	w.findTools(t)
	w.writeConfig(t)
	t.Logf("the World is up after %.1f s (API servers %.1f s)", time.Since(began).Seconds(), servers.Seconds())
	return w
}

// populate starts the controllers on one API server and builds the cluster on the other, at the same time.
func (w *World) populate(ctx context.Context, t *testing.T, o Options) {
	t.Helper()
	description := cluster()
	if o.Cluster != nil {
		o.Cluster(&description)
	}
	w.capmoxAccess = w.access(o)
	var wait sync.WaitGroup
	var managersErr, kubeadmErr error
	wait.Go(func() { w.Managers, managersErr = w.Management.StartManagers(ctx, w.capmoxAccess) })
	wait.Go(func() { w.Kubeadm, kubeadmErr = w.Workload.BuildKubeadm(ctx, description) })
	wait.Wait()
	for _, err := range []error{managersErr, kubeadmErr} {
		if err != nil {
			t.Fatal(err)
		}
	}
	w.EndpointConfig = filepath.Join(w.Dir, prod+"-endpoint.kubeconfig")
	if err := w.Kubeadm.EndpointKubeconfig(w.EndpointConfig, "kubernetes-admin", "system:masters"); err != nil {
		t.Fatal(err)
	}
}

func (w *World) startPVE(t *testing.T, o Options) {
	t.Helper()
	description := site()
	if o.Site != nil {
		o.Site(description)
	}
	var err error
	if w.PVE, err = pvesim.Start(description, o.PVE); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := w.PVE.Close(); err != nil {
			t.Error(err)
		}
	})
}

// access is what CAPMOX is given.
func (w *World) access(o Options) realkube.ProxmoxAccess {
	if o.NoCredentials {
		return realkube.ProxmoxAccess{}
	}
	return realkube.ProxmoxAccess{URL: w.PVE.URL, TokenID: capmoxToken, Secret: w.PVE.Secret(capmoxToken)}
}

// noWrites: nothing was asked of Proxmox but reads, since the World began.
func (w *World) noWrites(t *testing.T, when string) {
	t.Helper()
	for _, r := range w.PVE.Writes() {
		t.Errorf("%s: Proxmox was asked: %s %s by %s", when, r.Method, r.Path, r.Token)
	}
}

// capmoxAsked returns what CAPMOX asked of Proxmox after its first so many requests.
func (w *World) capmoxAsked(since int) []pvesim.Request {
	return slices.DeleteFunc(w.PVE.Requests(), func(r pvesim.Request) bool { return r.Token != capmoxToken })[since:]
}

// sawEvery waits until CAPMOX has read the configuration of every VM of prod after its first so many requests: a
// controller that has not looked at a machine has not proved that it leaves it alone.
func (w *World) sawEvery(t *testing.T, since int) {
	t.Helper()
	w.WaitFor(t, "CAPMOX reads every VM", time.Minute, func() string {
		requests := w.capmoxAsked(since)
		for _, m := range machines {
			config := fmt.Sprintf("/nodes/%s/qemu/%d/config", m.host, m.vmid)
			if !slices.ContainsFunc(requests, func(r pvesim.Request) bool { return r.Path == config }) {
				return config + " has not been read"
			}
		}
		return ""
	})
}
