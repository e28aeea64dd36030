package adopt

import (
	"slices"
	"strings"

	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/proxaudit/proxaudit/inventory"
	"github.com/proxaudit/proxaudit/inventory/shell"
)

// settle is how long CAPMOX may still be at work on what it read before it was paused: it says nowhere that it has seen the
// annotation, and a reconciliation of a VM that runs takes a few requests.
const settle = "sleep 60"

// GivingUp are the commands that take out of the management cluster again what the steps put there, and leave every VM alone.
// Everything is paused before anything is deleted, nothing is deleted by way of its owner, and finalizers are taken off while
// everything is paused: CAPMOX stops and destroys the VM of a ProxmoxMachine that it sees being deleted and not paused. They
// can be repeated.
func (p *Plan) GivingUp() []string {
	kubectl := func(words ...string) string {
		all := slices.Concat([]string{"kubectl"}, p.access, []string{"-n", p.Namespace}, words)
		return shell.Line(all...)
	}
	patch := func(body string) string { return " | xargs -r -n 1 " + kubectl("patch", "--type=merge", "-p", body) }
	const bare = `{"metadata":{"finalizers":null}}`
	label := clusterv1.ClusterNameLabel + "=" + p.Name
	out := []string{
		"# pauses the Cluster, and each object for itself: no controller acts from here on",
		kubectl("get", resClusters, p.Name, "--ignore-not-found", "-o", "name") + patch(`{"spec":{"paused":true}}`),
		kubectl("annotate", "--overwrite", strings.Join([]string{resDeployments, resMachineSets, resControlPlanes, resMachines, resKubeadmConfigs,
			resProxmoxMachines, resProxmoxClusters}, ","), "-l", label, clusterv1.PausedAnnotation+"="),
		"# waits for what CAPMOX began before it was paused",
		"echo 'everything is paused: a minute for what CAPMOX had begun'",
		settle,
		"# asks for the deletion of each object for itself, owners first; their finalizers still hold them",
	}
	for _, r := range bundleResources {
		out = append(out, kubectl("delete", r, "-l", label, "--cascade=orphan", "--wait=false"))
	}
	out = append(out, "# takes the finalizers off. Each object is still paused, so that this is all that deletes it, and no controller touches a VM")
	for _, r := range bundleResources {
		out = append(out, kubectl("get", r, "-l", label, "-o", "name")+patch(bare))
	}
	out = append(out, "# deletes the address pools that CAPMOX made",
		kubectl("delete", "inclusterippools.ipam.cluster.x-k8s.io", p.Name+"-v4-icip", p.Name+"-v6-icip", "--ignore-not-found", "--wait=false"))
	names := p.bundleSecrets()
	return append(out, "# deletes the Secrets, private keys among them, and takes off the finalizer that CAPMOX put on its credentials",
		kubectl(append([]string{"delete", "secret", "--ignore-not-found", "--wait=false"}, names...)...),
		kubectl(append([]string{"get", "secret", "--ignore-not-found", "-o", "name"}, names...)...)+patch(bare),
		"echo 'done: what the part \"Giving up\" of RUNBOOK.md shows next has to say that nothing is left'")
}

// GivenUp are the commands that show what is left after GivingUp: nothing, once the API server is done with it.
func (p *Plan) GivenUp() []string {
	in := func(words ...string) string {
		return shell.Line(slices.Concat([]string{"kubectl"}, p.access, []string{"-n", p.Namespace, "get"}, words)...)
	}
	names := p.bundleSecrets()
	return []string{in(strings.Join(bundleResources, ","), "-l", clusterv1.ClusterNameLabel+"="+p.Name, "-o", "name"),
		in(append([]string{"secrets", "--ignore-not-found", "-o", "name"}, names...)...)}
}

// bundleSecrets are the Secrets that the steps make and nobody else's.
func (p *Plan) bundleSecrets() []string {
	var names []string
	for _, s := range p.Secrets {
		// One that somebody named may be others' too.
		if s.Name != p.sharedSecret {
			names = append(names, s.Name)
		}
	}
	for _, m := range p.Machines {
		names = append(names, m.Name)
	}
	return names
}

// bundleResources are the kinds of the bundle, owners first, so that nothing is made anew; infrastructure last.
var bundleResources = []string{resDeployments, resMachineSets, resControlPlanes, resMachines, resKubeadmConfigs, resProxmoxMachines,
	"kubeadmconfigtemplates." + inventory.GroupBootstrap, "proxmoxmachinetemplates." + inventory.GroupInfrastructure, resProxmoxClusters, resClusters}

// givingUpScript is GivingUp as a file. It stops at the first command that fails: what comes after a failed pause deletes VMs.
func (p *Plan) givingUpScript() []byte {
	head := []string{"#!/usr/bin/env bash",
		"# \"Giving up\" of RUNBOOK.md: takes the objects of this adoption out of the management cluster" + inContext(p.managementContext) + ", and leaves the VMs alone.",
		"# It can be run again. The namespace " + comment(p.Namespace) + " stays: delete it if it was made for this alone.",
		"set -euo pipefail"}
	if e := p.environment; e != nil && e.Kubeconfig != "" && !namesFile(p.access) {
		head = append(head, "# the kubeconfigs through which proxaudit read, if this shell has no others", `test -n "${KUBECONFIG:-}" || export KUBECONFIG=`+shell.Quote(e.Kubeconfig))
	}
	return []byte(strings.Join(append(head, p.GivingUp()...), "\n") + "\n")
}
