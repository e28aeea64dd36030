package adopt

import (
	"strings"

	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/proxaudit/proxaudit/adopt/pki"
	"github.com/proxaudit/proxaudit/inventory"
)

// settle is how long CAPMOX may still be at work on what it read before it was paused: it says nowhere that it has seen the
// annotation, and a reconciliation of a VM that runs takes a few requests.
const settle = "sleep 60"

// GivingUp are the commands that take the objects out of the management cluster again and leave every VM alone. Everything is
// paused before anything is deleted, nothing is deleted by way of its owner, and finalizers are taken off while everything
// is paused: CAPMOX stops and destroys the VM of a ProxmoxMachine that it sees being deleted and not paused.
func (p *Plan) GivingUp() []string {
	kubectl := func(words ...string) string {
		all := append(append([]string{"kubectl"}, p.access...), "-n", p.Namespace)
		all = append(all, words...)
		for i := range all {
			all[i] = pki.Quote(all[i])
		}
		return strings.Join(all, " ")
	}
	byLabel := "-l"
	label := clusterv1.ClusterNameLabel + "=" + p.Name
	// Owners first, so that nothing is made anew; infrastructure last.
	resources := []string{resDeployments, resMachineSets, resControlPlanes, resMachines, resKubeadmConfigs, resProxmoxMachines,
		"kubeadmconfigtemplates." + inventory.GroupBootstrap, "proxmoxmachinetemplates." + inventory.GroupInfrastructure, resProxmoxClusters, resClusters}
	out := []string{
		kubectl("patch", resClusters, p.Name, "--type=merge", "-p", `{"spec":{"paused":true}}`),
		kubectl("annotate", "--overwrite", strings.Join([]string{resDeployments, resMachineSets, resControlPlanes, resMachines, resKubeadmConfigs,
			resProxmoxMachines, resProxmoxClusters}, ","), byLabel, label, clusterv1.PausedAnnotation+"="),
		settle,
	}
	for _, r := range resources {
		out = append(out, kubectl("delete", r, byLabel, label, "--cascade=orphan", "--wait=false"))
	}
	out = append(out, "# each of these is still paused: taking the finalizers off is all that deletes it")
	for _, r := range resources {
		out = append(out, kubectl("get", r, byLabel, label, "-o", "name")+" | xargs -r -n 1 "+
			kubectl("patch", "--type=merge", "-p", `{"metadata":{"finalizers":null}}`))
	}
	out = append(out, kubectl("delete", "inclusterippools.ipam.cluster.x-k8s.io", p.Name+"-v4-icip", p.Name+"-v6-icip", "--ignore-not-found", "--wait=false"))
	var names []string
	for _, m := range p.Machines {
		names = append(names, m.Name)
	}
	return append(out, kubectl(append([]string{"delete", "secret", "--ignore-not-found"}, names...)...))
}
