package adopt_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/proxaudit/proxaudit/adopt"
	"github.com/proxaudit/proxaudit/adopt/predict"
	"github.com/proxaudit/proxaudit/inventory"
	"github.com/proxaudit/proxaudit/inventory/inventorytest"
)

const capmox = "capmox@pve!capi"

// appliedProd is prod with its own bundle applied, still paused.
func appliedProd(t testing.TB) *inventory.Snapshot {
	t.Helper()
	s := inventorytest.ScriptBuilt("prod", 3, 3)
	b := ready(t, plan(t, s, options()))
	if err := inventorytest.Apply(s, "prod", b.Manifests()); err != nil {
		t.Fatal(err)
	}
	return s
}

func verify(t testing.TB, s *inventory.Snapshot) *adopt.Verification {
	t.Helper()
	return verifyAs(t, s, capmox)
}

// verifyAs is verify where somebody says which token is CAPMOX's, or nobody.
func verifyAs(t testing.TB, s *inventory.Snapshot, token string) *adopt.Verification {
	t.Helper()
	v, err := adopt.Verify(s, adopt.VerifyOptions{Cluster: "prod", CAPMOXTokenID: token}, predict.Predict(s.Ordered(), "prod"))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func states(v *adopt.Verification) string {
	var out []string
	for _, s := range v.Steps {
		text := fmt.Sprintf("%s %s", s.ID, s.Verdict)
		if s.Done {
			text += " done"
		}
		out = append(out, text)
	}
	return strings.Join(out, "\n")
}

// What adopt renders is safe to unpause, step by step, once it is applied.
func TestOwnBundleIsSafe(t *testing.T) {
	v := verify(t, appliedProd(t))
	want := `unpause-cluster safe
unpause-first-machine safe
unpause-machines safe
unpause-control-plane safe
unpause-workers safe
finish safe`
	if got := states(v); got != want {
		t.Errorf("got\n%s\nchecks %+v\npredictions %+v", got, failing(v), unsafe(v))
	}
	if v.Next != adopt.StepUnpauseCluster || v.Summary.Incomplete || v.Finished() {
		t.Errorf("next %s, %+v", v.Next, v.Summary)
	}
	if len(v.Checks) < 6+10+1+6 || len(v.Predictions) < 20 {
		t.Errorf("%d checks, %d predictions", len(v.Checks), len(v.Predictions))
	}
}

func failing(v *adopt.Verification) []adopt.Check {
	return slices.DeleteFunc(slices.Clone(v.Checks), func(c adopt.Check) bool { return c.State == adopt.CheckOK })
}

func unsafe(v *adopt.Verification) []adopt.Prediction {
	return slices.DeleteFunc(slices.Clone(v.Predictions), func(p adopt.Prediction) bool { return p.Outcome.Safe() })
}

func machineOf(s *inventory.Snapshot, name string) *inventory.Machine {
	for i := range s.Machines {
		if s.Machines[i].Name == name {
			return &s.Machines[i]
		}
	}
	panic(name)
}

func proxmoxMachineOf(s *inventory.Snapshot, name string) *inventory.ProxmoxMachine {
	for i := range s.ProxmoxMachines {
		if s.ProxmoxMachines[i].Name == name {
			return &s.ProxmoxMachines[i]
		}
	}
	panic(name)
}

func vmOf(s *inventory.Snapshot, name string) *inventory.VM {
	for i := range s.VMs {
		if s.VMs[i].Name == name {
			return &s.VMs[i]
		}
	}
	panic(name)
}

func nodeOf(s *inventory.Snapshot, name string) *inventory.Node {
	for i := range s.Nodes {
		if s.Nodes[i].Name == name {
			return &s.Nodes[i]
		}
	}
	panic(name)
}

func storedOf(s *inventory.Snapshot, name string) *inventory.StoredSecret {
	for i := range s.StoredSecrets {
		if s.StoredSecrets[i].Name == name {
			return &s.StoredSecrets[i]
		}
	}
	panic(name)
}

// metadataOf is that of an object as it is served.
func metadataOf(s *inventory.Snapshot, kind, name string) map[string]any {
	for i := range s.Objects {
		if o := &s.Objects[i]; o.Kind == kind && o.Name == name {
			return o.Content["metadata"].(map[string]any)
		}
	}
	panic(kind + " " + name)
}

// release takes an object's own annotation off, so that nothing but the Cluster's pause holds it.
func release(s *inventory.Snapshot, kind, name string) {
	delete(metadataOf(s, kind, name)["annotations"].(map[string]any), "cluster.x-k8s.io/paused")
}

// leadTo makes credentials lead to an address. dr is another site that was scanned.
func leadTo(secret, server string) func(*inventory.Snapshot) {
	return func(s *inventory.Snapshot) {
		s.Sites = append(s.Sites, anotherSite)
		storedOf(s, secret).Server = server
	}
}

// ownCredentials lets CAPMOX take credentials of its own from a Secret, of which was seen what is given.
func ownCredentials(seen *inventory.StoredSecret) func(*inventory.Snapshot) {
	return func(s *inventory.Snapshot) {
		s.Sites = append(s.Sites, anotherSite)
		takeAccess(s, seen)
	}
}

var anotherSite = inventory.Site{Name: "dr", URL: "https://dr:8006", Nodes: []inventory.ProxmoxNode{{Name: "dr1"}}, Visibility: inventory.Visibility{Complete: true}}

func takeAccess(s *inventory.Snapshot, seen *inventory.StoredSecret) {
	for i := range s.Providers {
		if p := &s.Providers[i]; p.Label == "infrastructure-proxmox" {
			p.Access = inventorytest.OwnAccess("capmox-system/capmox-manager-credentials")
		}
	}
	if seen != nil {
		seen := *seen
		seen.Namespace, seen.Name = "capmox-system", "capmox-manager-credentials"
		s.StoredSecrets = append(s.StoredSecrets, seen)
	}
}

// dropGroup takes the first group of a kind away.
func dropGroup(s *inventory.Snapshot, kind string) {
	i := slices.IndexFunc(s.Groups, func(g inventory.Group) bool { return g.Kind == kind })
	s.Groups = slices.Delete(s.Groups, i, i+1)
}

// both spoils twice.
func both(a, b func(*inventory.Snapshot)) func(*inventory.Snapshot) {
	return func(s *inventory.Snapshot) {
		a(s)
		b(s)
	}
}

// tokenSeen lets the Secret of the cluster's credentials have a token.
func tokenSeen(id string) func(*inventory.Snapshot) {
	return func(s *inventory.Snapshot) { storedOf(s, "prod-pve").TokenID = id }
}

func coverageOf(s *inventory.Snapshot, source, scope string) *inventory.Coverage {
	c := s.CoverageOf(source, scope)
	if c == nil {
		panic(source + " " + scope)
	}
	return c
}

func task(s *inventory.Snapshot, vmid int, kind, user string, ago time.Duration) {
	s.Tasks = append(s.Tasks, inventory.Task{Site: "lab", Node: "pve1", UPID: fmt.Sprintf("UPID:pve1:%s:%d:%s", kind, vmid, ago), Type: kind, VMID: vmid,
		User: user, Start: s.CollectedAt.Add(-ago), Status: "OK"})
}

// Each comparison fails by itself, before the step that it stands before, and says what it saw.
func TestChecks(t *testing.T) {
	for name, c := range map[string]struct {
		spoil func(*inventory.Snapshot)
		check adopt.CheckName
		state adopt.CheckState
		step  adopt.StepID
		says  string
	}{
		"VM stopped":         {func(s *inventory.Snapshot) { vmOf(s, "w-1").Status = "stopped" }, adopt.CheckIdentity, adopt.CheckFailed, adopt.StepUnpauseFirst, "VM lab/1001 is stopped"},
		"VM of another UUID": {func(s *inventory.Snapshot) { vmOf(s, "w-1").Config.UUID = inventorytest.ScriptBuiltUUID(4711) }, adopt.CheckIdentity, adopt.CheckFailed, adopt.StepUnpauseFirst, "and \"6c3fa683-bef9-4425-b413-000000001001\" was planned"},
		"VM gone":            {func(s *inventory.Snapshot) { vmOf(s, "w-1").VMID = 4711 }, adopt.CheckIdentity, adopt.CheckFailed, adopt.StepUnpauseFirst, "site lab has no VM 1001"},
		"VM not seen": {func(s *inventory.Snapshot) {
			vmOf(s, "w-1").VMID = 4711
			coverageOf(s, "site/lab", inventory.ScopeGuests).State = inventory.Partial
		}, adopt.CheckIdentity, adopt.CheckUnknown, adopt.StepUnpauseFirst, "not seen: site/lab guests"},
		"configuration not read":       {func(s *inventory.Snapshot) { vmOf(s, "w-1").Config = nil }, adopt.CheckIdentity, adopt.CheckUnknown, adopt.StepUnpauseFirst, "not seen: site/lab config/pve3"},
		"virtualMachineID changed":     {func(s *inventory.Snapshot) { id := 1002; proxmoxMachineOf(s, "w-1").VMID = &id }, adopt.CheckIdentity, adopt.CheckFailed, adopt.StepUnpauseFirst, "virtualMachineID is 1002, and 1001 was planned"},
		"virtualMachineID missing":     {func(s *inventory.Snapshot) { proxmoxMachineOf(s, "w-1").VMID = nil }, adopt.CheckIdentity, adopt.CheckFailed, adopt.StepUnpauseFirst, "virtualMachineID is not set"},
		"providerID changed":           {func(s *inventory.Snapshot) { proxmoxMachineOf(s, "w-1").ProviderID = "proxmox://x" }, adopt.CheckIdentity, adopt.CheckFailed, adopt.StepUnpauseFirst, "the ProxmoxMachine's providerID is \"proxmox://x\""},
		"Machine's providerID":         {func(s *inventory.Snapshot) { machineOf(s, "w-1").ProviderID = "" }, adopt.CheckIdentity, adopt.CheckFailed, adopt.StepUnpauseFirst, "the Machine's providerID is \"\""},
		"another Node":                 {func(s *inventory.Snapshot) { machineOf(s, "w-1").NodeRef = "w-2" }, adopt.CheckIdentity, adopt.CheckFailed, adopt.StepUnpauseFirst, "the Machine's Node is w-2, and w-1 was planned"},
		"Machine being deleted":        {func(s *inventory.Snapshot) { machineOf(s, "w-1").DeletedAt = &s.CollectedAt }, adopt.CheckIdentity, adopt.CheckFailed, adopt.StepUnpauseFirst, "the Machine is being deleted"},
		"infrastructure being deleted": {func(s *inventory.Snapshot) { proxmoxMachineOf(s, "w-1").DeletedAt = &s.CollectedAt }, adopt.CheckIdentity, adopt.CheckFailed, adopt.StepUnpauseFirst, "the ProxmoxMachine is being deleted"},
		"infrastructure gone":          {func(s *inventory.Snapshot) { proxmoxMachineOf(s, "w-1").Name = "x" }, adopt.CheckIdentity, adopt.CheckFailed, adopt.StepUnpauseFirst, "there is no ProxmoxMachine w-1"},
		"another infrastructureRef":    {func(s *inventory.Snapshot) { machineOf(s, "w-1").InfrastructureRef.Name = "w-2" }, adopt.CheckIdentity, adopt.CheckFailed, adopt.StepUnpauseFirst, "infrastructureRef is not the ProxmoxMachine w-1"},
		"task of CAPMOX":               {func(s *inventory.Snapshot) { proxmoxMachineOf(s, "w-1").TaskRef = "UPID:x" }, adopt.CheckIdentity, adopt.CheckFailed, adopt.StepUnpauseFirst, "CAPMOX waits for its task"},
		"Node without providerID":      {func(s *inventory.Snapshot) { nodeOf(s, "w-1").ProviderID = "" }, adopt.CheckIdentity, adopt.CheckFailed, adopt.StepUnpauseFirst, "Node w-1 has no providerID yet"},
		"Node of another form":         {func(s *inventory.Snapshot) { nodeOf(s, "w-1").ProviderID = "proxmox://lab/1001" }, adopt.CheckIdentity, adopt.CheckFailed, adopt.StepUnpauseFirst, "which no Machine of CAPMOX gets"},
		"Node gone":                    {func(s *inventory.Snapshot) { nodeOf(s, "w-1").Name = "w-9" }, adopt.CheckIdentity, adopt.CheckFailed, adopt.StepUnpauseFirst, "the cluster has no Node w-1"},

		"CA of another cluster": {func(s *inventory.Snapshot) {
			storedOf(s, "prod-ca").Certificates = map[string][]string{"tls.crt": {strings.Repeat("cd", 32)}}
		}, adopt.CheckAuthority, adopt.CheckFailed, adopt.StepUnpauseControlPlane, "and the API server's certificate is signed by"},
		"serving CA not seen": {func(s *inventory.Snapshot) { s.Clusters[0].ServingCAs = nil }, adopt.CheckAuthority, adopt.CheckUnknown, adopt.StepUnpauseControlPlane, "was not seen"},
		"CA not there": {func(s *inventory.Snapshot) {
			*storedOf(s, "prod-ca") = inventory.StoredSecret{Namespace: "prod", Name: "prod-ca", Absent: true}
		}, adopt.CheckSecret, adopt.CheckFailed, adopt.StepUnpauseControlPlane, "it is not there"},
		"key of another CA":       {func(s *inventory.Snapshot) { no := false; storedOf(s, "prod-etcd").KeyMatches = &no }, adopt.CheckSecret, adopt.CheckFailed, adopt.StepUnpauseControlPlane, "does not belong to its certificate"},
		"no key":                  {func(s *inventory.Snapshot) { storedOf(s, "prod-sa").Keys = []string{"tls.crt"} }, adopt.CheckSecret, adopt.CheckFailed, adopt.StepUnpauseControlPlane, "no value for the key tls.key"},
		"bootstrap data":          {func(s *inventory.Snapshot) { storedOf(s, "w-1").Keys = []string{"value"} }, adopt.CheckSecret, adopt.CheckFailed, adopt.StepUnpauseFirst, "CAPMOX could write a bootstrap ISO"},
		"kubeconfig empty":        {func(s *inventory.Snapshot) { storedOf(s, "prod-kubeconfig").Keys = nil }, adopt.CheckSecret, adopt.CheckFailed, adopt.StepUnpauseFirst, "no value for the key value"},
		"no certificate":          {func(s *inventory.Snapshot) { storedOf(s, "prod-proxy").Certificates = nil }, adopt.CheckSecret, adopt.CheckFailed, adopt.StepUnpauseControlPlane, "no certificate in tls.crt"},
		"a key with a passphrase": {func(s *inventory.Snapshot) { storedOf(s, "prod-etcd").KeyMatches = nil }, adopt.CheckSecret, adopt.CheckFailed, adopt.StepUnpauseControlPlane, "cannot be read"},
		"keys for service accounts that cannot be read": {func(s *inventory.Snapshot) { storedOf(s, "prod-sa").KeyMatches = nil }, adopt.CheckSecret, adopt.CheckFailed, adopt.StepUnpauseControlPlane, "cannot be read"},
		"a kubeconfig that leads to one server":         {func(s *inventory.Snapshot) { storedOf(s, "prod-kubeconfig").Server = "https://10.0.0.11:6443" }, adopt.CheckAuthority, adopt.CheckNote, adopt.StepUnpauseFirst, "not by the Cluster's endpoint 10.0.0.10:6443"},
		"a kubeconfig that leads to the endpoint":       {func(s *inventory.Snapshot) { storedOf(s, "prod-kubeconfig").Server = "https://10.0.0.10:6443" }, adopt.CheckAuthority, adopt.CheckOK, adopt.StepUnpauseFirst, "it leads to"},
		"brakes off on a Machine that is paused again": {func(s *inventory.Snapshot) {
			delete(machineOf(s, "w-1").Annotations, adopt.HookPreDrain)
			machineOf(s, "w-1").NodeRef = "w-1"
		}, adopt.CheckBrakes, adopt.CheckFailed, adopt.StepUnpauseFirst, "it lacks pre-drain"},
		"a token that may be CAPMOX's":   {func(s *inventory.Snapshot) { task(s, 1001, "qmconfig", "capmox@pve!cap1", time.Minute) }, adopt.CheckTasks, adopt.CheckUnknown, adopt.StepUnpauseCluster, "whether this was CAPMOX is not known"},
		"a token that is not CAPMOX's":   {both(tokenSeen(capmox), func(s *inventory.Snapshot) { task(s, 1001, "qmconfig", "terraform@pve!tf", time.Minute) }), adopt.CheckTasks, adopt.CheckOK, adopt.StepUnpauseCluster, "by others: qmconfig"},
		"a token that nobody named":      {both(tokenSeen("capmox@pve!other"), func(s *inventory.Snapshot) { task(s, 1001, "qmconfig", "capmox@pve!other", time.Minute) }), adopt.CheckTasks, adopt.CheckFailed, adopt.StepUnpauseCluster, "qmconfig on VM lab/1001"},
		"a token that was named wrongly": {tokenSeen("capmox@pve!other"), adopt.CheckTasks, adopt.CheckOK, adopt.StepUnpauseCluster, "have the token capmox@pve!other, and " + capmox + " was named"},
		"a token of credentials that CAPMOX does not use": {both(ownCredentials(nil), both(tokenSeen("x@pve!other"), func(s *inventory.Snapshot) { task(s, 1001, "qmconfig", "terraform@pve!tf", time.Minute) })),
			adopt.CheckTasks, adopt.CheckUnknown, adopt.StepUnpauseCluster, "whether this was CAPMOX is not known"},
		"a task by a clock that is behind": {func(s *inventory.Snapshot) {
			task(s, 1001, "qmstop", capmox, s.CollectedAt.Sub(*s.Clusters[0].Declared.CreatedAt)+2*time.Minute)
		}, adopt.CheckTasks, adopt.CheckFailed, adopt.StepUnpauseCluster, "qmstop"},
		"a person's task": {func(s *inventory.Snapshot) { task(s, 1001, "qmconfig", "root@pam", time.Minute) }, adopt.CheckTasks, adopt.CheckOK, adopt.StepUnpauseCluster, "by others: qmconfig"},
		"credentials that lead to another port of a host":       {leadTo("prod-pve", "https://pve1.example:9999"), adopt.CheckCredentials, adopt.CheckUnknown, adopt.StepUnpauseCluster, "which site that is, is not known"},
		"a host's bare name, and another site's hosts not seen": {both(leadTo("prod-pve", "https://pve1:8006"), func(s *inventory.Snapshot) { s.Sites[1].Nodes = nil }), adopt.CheckCredentials, adopt.CheckUnknown, adopt.StepUnpauseCluster, "is not known"},
		"an authority whose key is kept elsewhere": {func(s *inventory.Snapshot) {
			storedOf(s, "prod-ca").Keys, storedOf(s, "prod-ca").KeyMatches = []string{"tls.crt"}, nil
		}, adopt.CheckSecret, adopt.CheckNote, adopt.StepUnpauseControlPlane, "kept elsewhere"},
		"etcd's authority without its key": {func(s *inventory.Snapshot) {
			storedOf(s, "prod-etcd").Keys, storedOf(s, "prod-etcd").KeyMatches = []string{"tls.crt"}, nil
		}, adopt.CheckSecret, adopt.CheckFailed, adopt.StepUnpauseControlPlane, "no value for the key tls.key"},
		"bootstrap data that is empty":                     {func(s *inventory.Snapshot) { storedOf(s, "w-1").EmptyKeys = []string{"value"} }, adopt.CheckSecret, adopt.CheckFailed, adopt.StepUnpauseFirst, "though it is empty"},
		"a kubeconfig that leads to a copy of the cluster": {func(s *inventory.Snapshot) { storedOf(s, "prod-kubeconfig").Server = "https://10.66.0.1:6443" }, adopt.CheckAuthority, adopt.CheckUnknown, adopt.StepUnpauseFirst, "a copy of the cluster has the same authority"},
		"no etcd Pod on a control plane": {func(s *inventory.Snapshot) {
			s.Clusters[0].StaticPods = slices.DeleteFunc(s.Clusters[0].StaticPods, func(p inventory.StaticPod) bool { return p.Name == "etcd-cp-2" })
		}, adopt.CheckMembers, adopt.CheckUnknown, adopt.StepUnpauseControlPlane, "no etcd Pod was seen on Node cp-2"},
		"no MachineSet for some workers":            {func(s *inventory.Snapshot) { dropGroup(s, "MachineSet") }, adopt.CheckSelector, adopt.CheckFailed, adopt.StepUnpauseWorkers, "it is not there, and the Machine"},
		"no MachineSet or MachineDeployment at all": {func(s *inventory.Snapshot) { s.Groups = s.Groups[:1] }, adopt.CheckSelector, adopt.CheckFailed, adopt.StepUnpauseWorkers, "it is not there, and the Machine"},
		"a MachineSet that was not seen": {func(s *inventory.Snapshot) {
			dropGroup(s, "MachineSet")
			coverageOf(s, inventory.ManagementSource, "machinesets.cluster.x-k8s.io").State = inventory.Partial
		}, adopt.CheckSelector, adopt.CheckUnknown, adopt.StepUnpauseWorkers, "it was not seen"},
		"a guest of another site that may have the UUID": {func(s *inventory.Snapshot) {
			s.Sites = append(s.Sites, inventory.Site{Name: "dr", URL: "https://dr:8006"})
		}, adopt.CheckIdentity, adopt.CheckUnknown, adopt.StepUnpauseFirst, "another guest may have its UUID"},
		"a guest without its configuration": {func(s *inventory.Snapshot) {
			s.VMs = append(s.VMs, inventory.VM{Site: "lab", VMID: 4711, Node: "pve1", Type: inventory.GuestQEMU, Status: "running"})
		}, adopt.CheckIdentity, adopt.CheckUnknown, adopt.StepUnpauseFirst, "not seen: site/lab config/pve1"},
		"a pool with an address of another cluster": {func(s *inventory.Snapshot) {
			s.Clusters[0].Declared.Infrastructure.IPv4Addresses = []string{"10.0.0.200-10.0.0.210"}
			s.VMs = append(s.VMs, inventory.VM{Site: "lab", VMID: 4711, Name: "mail", Type: inventory.GuestQEMU, Config: &inventory.VMConfig{IPConfigs: []inventory.IPConfig{{IPv4: "10.0.0.205/24"}}}})
		}, adopt.CheckPool, adopt.CheckFailed, adopt.StepUnpauseCluster, "vm/lab/4711: 10.0.0.205 is in 10.0.0.200-10.0.0.210"},
		"a pool whose address was given out": {func(s *inventory.Snapshot) {
			s.Clusters[0].Declared.Infrastructure.IPv4Addresses = []string{"10.0.0.200-10.0.0.210"}
			s.VMs = append(s.VMs, inventory.VM{Site: "lab", VMID: 4711, Name: "prod-new", Type: inventory.GuestQEMU, Config: &inventory.VMConfig{IPConfigs: []inventory.IPConfig{{IPv4: "10.0.0.205/24"}}}})
			s.Objects = append(s.Objects, inventory.Object{APIVersion: "ipam.cluster.x-k8s.io/v1beta2", Kind: "IPAddress", Namespace: "prod", Name: "a", Content: map[string]any{"spec": map[string]any{
				"address": "10.0.0.205", "poolRef": map[string]any{"name": "prod-v4-icip"}}}})
		}, adopt.CheckPool, adopt.CheckOK, adopt.StepUnpauseCluster, "nothing that was seen"},
		"labels that were swapped": {func(s *inventory.Snapshot) {
			a, b := machineOf(s, "w-1"), machineOf(s, "w-2")
			if a.Annotations[adopt.AnnotationGroup] == b.Annotations[adopt.AnnotationGroup] {
				panic("they are of one group")
			}
			a.Labels, b.Labels = b.Labels, a.Labels
		}, adopt.CheckSelector, adopt.CheckFailed, adopt.StepUnpauseWorkers, "its selector matches"},
		"a type of nobody's": {func(s *inventory.Snapshot) { storedOf(s, "prod-etcd").Type = "kubernetes.io/dockerconfigjson" }, adopt.CheckSecret, adopt.CheckFailed, adopt.StepUnpauseControlPlane, "its type is kubernetes.io/dockerconfigjson"},
		"yours":              {func(s *inventory.Snapshot) { storedOf(s, "prod-etcd").Type = "Opaque" }, adopt.CheckSecret, adopt.CheckOK, adopt.StepUnpauseControlPlane, "type Opaque"},
		"kubeadm's admin.conf as the controllers' own": {func(s *inventory.Snapshot) {
			no := false
			storedOf(s, "prod-kubeconfig").Type, storedOf(s, "prod-kubeconfig").Renewable = "cluster.x-k8s.io/secret", &no
		}, adopt.CheckSecret, adopt.CheckFailed, adopt.StepUnpauseFirst, "they panic when they renew it"},
		"a kubeconfig of the controllers' own": {func(s *inventory.Snapshot) {
			yes := true
			storedOf(s, "prod-kubeconfig").Type, storedOf(s, "prod-kubeconfig").Renewable = "cluster.x-k8s.io/secret", &yes
		}, adopt.CheckSecret, adopt.CheckOK, adopt.StepUnpauseFirst, "type cluster.x-k8s.io/secret"},
		"an earlier Snapshot": {func(s *inventory.Snapshot) { storedOf(s, "prod-kubeconfig").Type = "cluster.x-k8s.io/secret" }, adopt.CheckSecret, adopt.CheckUnknown, adopt.StepUnpauseFirst, "whether they could renew it was not seen"},
		"kubeconfig of another cluster": {func(s *inventory.Snapshot) {
			storedOf(s, "prod-kubeconfig").Certificates = map[string][]string{"value": {strings.Repeat("cd", 32)}}
		}, adopt.CheckAuthority, adopt.CheckFailed, adopt.StepUnpauseFirst, "the controllers would work on another cluster"},
		"kubeconfig that names no authority": {func(s *inventory.Snapshot) { storedOf(s, "prod-kubeconfig").Certificates = nil }, adopt.CheckAuthority, adopt.CheckUnknown, adopt.StepUnpauseFirst, "names no authority"},
		"authority behind another one": {func(s *inventory.Snapshot) {
			storedOf(s, "prod-ca").Certificates = map[string][]string{"tls.crt": {strings.Repeat("cd", 32), strings.Repeat("ab", 32)}}
		}, adopt.CheckAuthority, adopt.CheckFailed, adopt.StepUnpauseControlPlane, "and the API server's certificate is signed by"},
		"brakes off too early":                             {func(s *inventory.Snapshot) { delete(machineOf(s, "w-1").Annotations, adopt.HookPreDrain) }, adopt.CheckBrakes, adopt.CheckFailed, adopt.StepUnpauseFirst, "it lacks pre-drain"},
		"high availability stopped a VM":                   {func(s *inventory.Snapshot) { task(s, 1001, "hastop", capmox, time.Minute) }, adopt.CheckTasks, adopt.CheckFailed, adopt.StepUnpauseCluster, "hastop on VM lab/1001 (w-1)"},
		"a Node that says its UUID in its providerID only": {func(s *inventory.Snapshot) { nodeOf(s, "w-1").SystemUUID = "" }, adopt.CheckIdentity, adopt.CheckOK, adopt.StepUnpauseFirst, "as Node w-1"},
		"some Machines not seen": {func(s *inventory.Snapshot) {
			coverageOf(s, inventory.ManagementSource, inventory.ScopeMachines).State = inventory.Partial
		}, adopt.CheckUnplanned, adopt.CheckUnknown, adopt.StepUnpauseCluster, "not all Machines were seen"},
		"no times": {func(s *inventory.Snapshot) {
			s.Clusters[0].Declared.CreatedAt = nil
			for i := range s.Machines {
				s.Machines[i].CreatedAt = nil
			}
		}, adopt.CheckTasks, adopt.CheckUnknown, adopt.StepUnpauseCluster, "when the objects were made is not known"},
		"somebody else's manifests": {func(s *inventory.Snapshot) {
			for i := range s.Machines {
				delete(s.Machines[i].Annotations, adopt.AnnotationRendered)
			}
		}, adopt.CheckUnplanned, adopt.CheckUnknown, adopt.StepUnpauseCluster, "which VM each was meant for is not known"},
		"an etcd member of another name": {func(s *inventory.Snapshot) {
			for i := range s.Clusters[0].StaticPods {
				if p := &s.Clusters[0].StaticPods[i]; p.Name == "etcd-cp-2" {
					p.Args = append(slices.Clone(p.Args), "--name=etcd-2")
				}
			}
		}, adopt.CheckMembers, adopt.CheckFailed, adopt.StepUnpauseControlPlane, "no control-plane Machine stands for the etcd member etcd-2"},
		"credentials of another site":        {leadTo("prod-pve", "https://dr:8006"), adopt.CheckCredentials, adopt.CheckFailed, adopt.StepUnpauseCluster, "the credentials in it lead to site dr (https://dr:8006), and the VMs are on site lab"},
		"credentials of nobody knows where":  {leadTo("prod-pve", "https://10.255.0.1:8006"), adopt.CheckCredentials, adopt.CheckUnknown, adopt.StepUnpauseCluster, "which site that is, is not known"},
		"credentials that name another host": {leadTo("prod-pve", "https://PVE1:443"), adopt.CheckCredentials, adopt.CheckOK, adopt.StepUnpauseCluster, "lead to site lab"},
		"CAPMOX's own credentials, not read": {ownCredentials(nil), adopt.CheckCredentials, adopt.CheckUnknown, adopt.StepUnpauseCluster, "credentials of its own, which go before those in a Secret, was not seen"},
		"CAPMOX's Deployment, not seen":      {func(s *inventory.Snapshot) { s.Providers = nil }, adopt.CheckCredentials, adopt.CheckUnknown, adopt.StepUnpauseCluster, "was not seen"},
		"CAPMOX's Deployment, perhaps not the only one": {func(s *inventory.Snapshot) {
			coverageOf(s, inventory.ManagementSource, inventory.ScopeProviders).State = inventory.Partial
		}, adopt.CheckCredentials, adopt.CheckUnknown, adopt.StepUnpauseCluster, "was not seen"},
		"machines on two sites": {func(s *inventory.Snapshot) { machineOf(s, "w-1").Annotations[adopt.AnnotationVM] = "dr/1001" },
			adopt.CheckCredentials, adopt.CheckFailed, adopt.StepUnpauseCluster, "VMs on the sites dr, lab"},
		"CAPMOX has no credentials of its own": {ownCredentials(&inventory.StoredSecret{EmptyKeys: []string{"secret", "token", "url"}}), adopt.CheckCredentials, adopt.CheckOK, adopt.StepUnpauseCluster, "the credentials in it lead to site lab"},
		"CAPMOX's own credentials, not there":  {ownCredentials(&inventory.StoredSecret{Absent: true}), adopt.CheckCredentials, adopt.CheckOK, adopt.StepUnpauseCluster, "the credentials in it lead to site lab"},
		"CAPMOX's own credentials lead here":   {ownCredentials(&inventory.StoredSecret{Keys: []string{"secret", "token", "url"}, Server: "https://pve1"}), adopt.CheckCredentials, adopt.CheckOK, adopt.StepUnpauseCluster, "CAPMOX's own credentials, which go before the ProxmoxCluster's, lead to site lab"},
		"CAPMOX's own credentials lack a token, and the cluster's lead away": {both(ownCredentials(&inventory.StoredSecret{Keys: []string{"url"}, EmptyKeys: []string{"secret", "token"}, Server: "https://pve1.example:8006"}), leadTo("prod-pve", "https://dr:8006")),
			adopt.CheckCredentials, adopt.CheckFailed, adopt.StepUnpauseCluster, "the credentials in it lead to site dr"},
		"CAPMOX's own credentials were changed since it started": {both(ownCredentials(&inventory.StoredSecret{EmptyKeys: []string{"secret", "token", "url"}}), func(s *inventory.Snapshot) {
			started, changed := s.CollectedAt.Add(-2*time.Hour), s.CollectedAt.Add(-time.Hour)
			for i := range s.Providers {
				s.Providers[i].RolledOut = &started
			}
			storedOf(s, "capmox-manager-credentials").Changed = &changed
		}), adopt.CheckCredentials, adopt.CheckUnknown, adopt.StepUnpauseCluster, "was written after CAPMOX started"},
		"CAPMOX was started anew since": {both(ownCredentials(&inventory.StoredSecret{EmptyKeys: []string{"secret", "token", "url"}}), func(s *inventory.Snapshot) {
			started, changed := s.CollectedAt.Add(-time.Hour), s.CollectedAt.Add(-2*time.Hour)
			for i := range s.Providers {
				s.Providers[i].RolledOut = &started
			}
			storedOf(s, "capmox-manager-credentials").Changed = &changed
		}), adopt.CheckCredentials, adopt.CheckOK, adopt.StepUnpauseCluster, "the credentials in it lead to site lab"},
		"CAPMOX's environment comes from where nobody looks": {func(s *inventory.Snapshot) {
			for i := range s.Providers {
				s.Providers[i].Access = []inventory.AccessVariable{{Name: "PROXMOX_URL", Unread: true}, {Name: "PROXMOX_TOKEN", Set: true}, {Name: "PROXMOX_SECRET", Set: true}}
			}
		}, adopt.CheckCredentials, adopt.CheckUnknown, adopt.StepUnpauseCluster, "was not seen"},
		"CAPMOX's Deployment has a URL": {func(s *inventory.Snapshot) {
			s.Sites = append(s.Sites, anotherSite)
			for i := range s.Providers {
				if s.Providers[i].Label == "infrastructure-proxmox" {
					s.Providers[i].Access = []inventory.AccessVariable{{Name: "PROXMOX_URL", Set: true, Server: "https://dr:8006"}, {Name: "PROXMOX_TOKEN", Set: true}, {Name: "PROXMOX_SECRET", Set: true}}
				}
			}
		}, adopt.CheckCredentials, adopt.CheckFailed, adopt.StepUnpauseCluster, "lead to site dr"},
		"CAPMOX's own credentials lead away": {ownCredentials(&inventory.StoredSecret{Keys: []string{"secret", "token", "url"}, Server: "https://dr:8006"}), adopt.CheckCredentials, adopt.CheckFailed, adopt.StepUnpauseCluster, "lead to site dr"},

		"another VM of the same UUID": {func(s *inventory.Snapshot) {
			twin := *vmOf(s, "w-1")
			twin.VMID, twin.Name = 4711, "restored"
			s.VMs = append(s.VMs, twin)
		}, adopt.CheckIdentity, adopt.CheckFailed, adopt.StepUnpauseFirst, "VM lab/4711 has the same UUID as VM lab/1001"},
		"no label": {func(s *inventory.Snapshot) { storedOf(s, "prod-ca").Labels = nil }, adopt.CheckSecret, adopt.CheckNote, adopt.StepUnpauseControlPlane, "the controllers' caches select by it"},

		"a Node that joined": {func(s *inventory.Snapshot) {
			n := *nodeOf(s, "cp-1")
			n.Name, n.SystemUUID, n.UID = "cp-4", inventorytest.ScriptBuiltUUID(104), "x"
			s.Nodes = append(s.Nodes, n)
		}, adopt.CheckMembers, adopt.CheckFailed, adopt.StepUnpauseControlPlane, "no control-plane Machine stands for Node cp-4"},
		"an etcd Pod": {func(s *inventory.Snapshot) {
			s.Clusters[0].StaticPods = append(s.Clusters[0].StaticPods, inventory.StaticPod{Name: "etcd-cp-9", Component: "etcd", Node: "cp-9"})
		}, adopt.CheckMembers, adopt.CheckFailed, adopt.StepUnpauseControlPlane, "no control-plane Machine stands for the etcd member cp-9"},
		"Pods not seen": {func(s *inventory.Snapshot) {
			coverageOf(s, "cluster/prod", inventory.ScopeStaticPods).State = inventory.Refused
		}, adopt.CheckMembers, adopt.CheckUnknown, adopt.StepUnpauseControlPlane, "not seen: cluster/prod static-pods"},

		"CAPMOX configured a VM": {func(s *inventory.Snapshot) { task(s, 1001, "qmconfig", capmox, time.Minute) }, adopt.CheckTasks, adopt.CheckFailed, adopt.StepUnpauseCluster, "qmconfig on VM lab/1001 (w-1)"},
		"CAPMOX, and tasks hidden": {func(s *inventory.Snapshot) {
			task(s, 1001, "qmstop", capmox, time.Minute)
			coverageOf(s, "site/lab", inventory.ScopeTasks).State = inventory.Partial
		}, adopt.CheckTasks, adopt.CheckFailed, adopt.StepUnpauseCluster, "qmstop on VM"},
		"tasks hidden": {func(s *inventory.Snapshot) { coverageOf(s, "site/lab", inventory.ScopeTasks).State = inventory.Partial }, adopt.CheckTasks, adopt.CheckUnknown, adopt.StepUnpauseCluster, "the tasks of others were not seen"},
		"objects older than tasks": {func(s *inventory.Snapshot) {
			old := s.CollectedAt.Add(-48 * time.Hour)
			s.Clusters[0].Declared.CreatedAt = &old
		}, adopt.CheckTasks, adopt.CheckUnknown, adopt.StepUnpauseCluster, "were not read"},
		"a backup":                  {func(s *inventory.Snapshot) { task(s, 1001, "vzdump", "root@pam", time.Minute) }, adopt.CheckTasks, adopt.CheckOK, adopt.StepUnpauseCluster, "none by CAPMOX"},
		"a person":                  {func(s *inventory.Snapshot) { task(s, 1001, "qmconfig", "root@pam", time.Minute) }, adopt.CheckTasks, adopt.CheckOK, adopt.StepUnpauseCluster, "by others: qmconfig on VM lab/1001"},
		"before there were objects": {func(s *inventory.Snapshot) { task(s, 1001, "qmconfig", capmox, 2*time.Hour) }, adopt.CheckTasks, adopt.CheckOK, adopt.StepUnpauseCluster, "none by CAPMOX"},
		"another VM":                {func(s *inventory.Snapshot) { task(s, 9000, "qmclone", capmox, time.Minute) }, adopt.CheckTasks, adopt.CheckOK, adopt.StepUnpauseCluster, "none by CAPMOX"},

		"a Machine more": {func(s *inventory.Snapshot) {
			m := *machineOf(s, "w-1")
			m.Name, m.Annotations, m.Labels = "prod-x7k2p", nil, nil
			s.Machines = append(s.Machines, m)
		}, adopt.CheckUnplanned, adopt.CheckFailed, adopt.StepUnpauseCluster, "a controller made it"},
		"replicas":        {func(s *inventory.Snapshot) { n := int32(3); groupOf(s, "prod-workers-4c-16g").Replicas = &n }, adopt.CheckSelector, adopt.CheckFailed, adopt.StepUnpauseWorkers, "it wants 3 replicas, and 2 match"},
		"a label too few": {func(s *inventory.Snapshot) { delete(machineOf(s, "w-1").Labels, "machine-template-hash") }, adopt.CheckSelector, adopt.CheckFailed, adopt.StepUnpauseWorkers, "are meant"},
		"a stranger that matches": {func(s *inventory.Snapshot) {
			m := *machineOf(s, "w-1")
			m.Name, m.Cluster = "other", "other"
			m.Labels = cloned(m.Labels)
			delete(m.Labels, "cluster.x-k8s.io/set-name")
			s.Machines = append(s.Machines, m)
		}, adopt.CheckSelector, adopt.CheckFailed, adopt.StepUnpauseWorkers, "its selector matches"},
	} {
		t.Run(name, func(t *testing.T) {
			s := appliedProd(t)
			c.spoil(s)
			v := verify(t, s)
			i := slices.IndexFunc(v.Checks, func(x adopt.Check) bool {
				return x.Name == c.check && x.State == c.state && x.Step == c.step && strings.Contains(x.Detail, c.says)
			})
			if i < 0 {
				t.Fatalf("no such check among %+v", v.Checks)
			}
			wrong := false
			for _, step := range v.Steps {
				if step.ID == c.step {
					wrong = true
				}
				switch {
				case !wrong || c.state == adopt.CheckOK || c.state == adopt.CheckNote:
				case c.state == adopt.CheckFailed && step.Verdict != adopt.Unsafe:
					t.Errorf("%s is %s", step.ID, step.Verdict)
				case c.state == adopt.CheckUnknown && step.Verdict == adopt.Safe:
					t.Errorf("%s is safe, and something was not seen", step.ID)
				}
			}
			if c.state == adopt.CheckUnknown && !v.Summary.Incomplete && v.Summary.Unsafe == 0 {
				t.Error("the run calls itself complete")
			}
		})
	}
}

func cloned(m map[string]string) map[string]string {
	out := map[string]string{}
	for k, v := range m {
		out[k] = v
	}
	return out
}

func groupOf(s *inventory.Snapshot, name string) *inventory.Group {
	for i := range s.Groups {
		if s.Groups[i].Name == name {
			return &s.Groups[i]
		}
	}
	panic(name)
}

// Without leave to read Secrets nothing that rests on them is safe.
func TestWithoutSecrets(t *testing.T) {
	s := appliedProd(t)
	s.StoredSecrets = nil
	coverageOf(s, inventory.ManagementSource, inventory.ScopeSecrets).State = inventory.NotAsked
	v := verify(t, s)
	if !v.Summary.Incomplete || v.Summary.Unsafe != 0 {
		t.Errorf("%+v", v.Summary)
	}
	for _, step := range v.Steps {
		if step.ID != adopt.StepUnpauseCluster && step.Verdict != adopt.Unknown {
			t.Errorf("%s is %s", step.ID, step.Verdict)
		}
	}
	missing := slices.ContainsFunc(v.Coverage, func(c inventory.Coverage) bool { return c.Scope == inventory.ScopeSecrets && c.Missing() })
	if !missing {
		t.Error("the coverage does not show the Secrets as a gap")
	}
}

// What a step unpauses is counted, and the first that is left is next.
func TestSteps(t *testing.T) {
	s := appliedProd(t)
	s.Clusters[0].Declared.Paused, s.Clusters[0].Declared.Infrastructure.Paused = false, false
	if v := verify(t, s); v.Next != adopt.StepUnpauseFirst || v.Summary.Done != 1 {
		t.Errorf("next %s\n%s", v.Next, states(v))
	}
	machineOf(s, "w-1").Paused, proxmoxMachineOf(s, "w-1").Paused = false, false
	if v := verify(t, s); v.Next != adopt.StepUnpauseMachines || v.Summary.Done != 2 {
		t.Errorf("next %s\n%s", v.Next, states(v))
	}
	for i := range s.Machines {
		s.Machines[i].Paused, s.ProxmoxMachines[i].Paused = false, false
		s.Machines[i].NodeRef = s.Machines[i].Name
	}
	if v := verify(t, s); v.Next != adopt.StepUnpauseMachines {
		t.Errorf("with KubeadmConfigs paused, next %s\n%s", v.Next, states(v))
	}
	for _, name := range []string{"cp-1", "cp-2", "cp-3"} {
		release(s, "KubeadmConfig", name)
	}
	for i := range s.Groups {
		s.Groups[i].Paused = false
	}
	v := verify(t, s)
	if v.Next != adopt.StepFinish || v.Finished() {
		t.Errorf("next %s\n%s", v.Next, states(v))
	}
	// One brake after the other, and the last is the Cluster's own.
	for _, brake := range []string{adopt.HookPreTerminate, adopt.HookPreDrain, "cluster.x-k8s.io/skip-remediation"} {
		for i := range s.Machines {
			delete(s.Machines[i].Annotations, brake)
		}
		if v := verify(t, s); v.Next != adopt.StepFinish {
			t.Errorf("without %s, next %s\n%s", brake, v.Next, states(v))
		}
	}
	delete(metadataOf(s, "Cluster", "prod")["annotations"].(map[string]any), adopt.BlockMove)
	m := *machineOf(s, "w-1")
	m.Name, m.Annotations, m.Labels = "later", nil, nil
	s.Machines = append(s.Machines, m)
	if v := verify(t, s); v.Next != "" {
		t.Errorf("next %s\n%s", v.Next, states(v))
	} else if i := slices.IndexFunc(v.Checks, func(c adopt.Check) bool { return c.Name == adopt.CheckUnplanned }); i < 0 || v.Checks[i].State != adopt.CheckNote {
		t.Errorf("a Machine that was made after the adoption: %+v", v.Checks)
	}
}

// An object that nothing but its Cluster's pause holds is let go with the Cluster, and so the Cluster's step answers for it.
func TestReleasedTooEarly(t *testing.T) {
	verdictOf := func(v *adopt.Verification, id adopt.StepID) adopt.Verdict {
		i := slices.IndexFunc(v.Steps, func(s adopt.VerifiedStep) bool { return s.ID == id })
		if i < 0 {
			t.Fatalf("no step %s\n%s", id, states(v))
		}
		return v.Steps[i].Verdict
	}
	s := appliedProd(t)
	vmOf(s, "w-1").Status = "stopped"
	if got := verdictOf(verify(t, s), adopt.StepUnpauseCluster); got != adopt.Safe {
		t.Errorf("a stopped VM behind paused objects: %s", got)
	}
	release(s, "ProxmoxMachine", "w-1")
	proxmoxMachineOf(s, "w-1").Paused = false
	if v := verify(t, s); verdictOf(v, adopt.StepUnpauseCluster) != adopt.Unsafe {
		t.Errorf("a stopped VM behind a ProxmoxMachine that has no pause of its own:\n%s", states(v))
	}
}

// What was not read is not known to be harmless: no step is safe without the owners.
func TestOwnersNotSeen(t *testing.T) {
	for _, kind := range []string{"MachineSet", "MachineDeployment"} {
		s := appliedProd(t)
		var found bool
		for i := range s.Coverage {
			if c := &s.Coverage[i]; c.Source == inventory.ManagementSource && strings.HasPrefix(c.Scope, strings.ToLower(kind)) {
				c.State, found = inventory.Refused, true
			}
		}
		if !found {
			t.Fatalf("no coverage of %s", kind)
		}
		v := verify(t, s)
		for _, step := range v.Steps {
			if step.ID == adopt.StepUnpauseWorkers && step.Verdict == adopt.Safe {
				t.Errorf("%s refused:\n%s", kind, states(v))
			}
		}
		if !v.Summary.Incomplete {
			t.Errorf("%s refused, and the verification is complete", kind)
		}
	}
}

func TestVerifyErrors(t *testing.T) {
	s := inventorytest.ScriptBuilt("prod", 1, 1)
	_, err := adopt.Verify(s, adopt.VerifyOptions{Cluster: "prod"}, nil)
	var none *adopt.NotDeclaredError
	if !errors.As(err, &none) || !strings.Contains(err.Error(), "proxaudit adopt --cluster prod") {
		t.Errorf("error %v", err)
	}
	_, err = adopt.Verify(s, adopt.VerifyOptions{Cluster: "prd"}, nil)
	var unknown *adopt.UnknownClusterError
	if !errors.As(err, &unknown) || !slices.Equal(unknown.Known, []string{"prod"}) {
		t.Errorf("error %v", err)
	}
}

func texts(events []adopt.Event) string {
	var out []string
	for _, e := range events {
		text := e.Text
		if e.Alarm {
			text = "ALARM " + text
		}
		out = append(out, text)
	}
	return strings.Join(out, "\n")
}

// Whoever watches is told of what moves, and stopped at what must not happen.
func TestWatch(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*inventory.Snapshot)
		want   string
	}{
		"nothing": {func(*inventory.Snapshot) {}, ""},
		"a Node": {func(s *inventory.Snapshot) {
			m := machineOf(s, "w-1")
			m.Phase, m.NodeRef, m.Paused = "Running", "w-1", false
		}, "Machine w-1: Running, Node w-1"},
		"a Machine appears": {func(s *inventory.Snapshot) {
			m := *machineOf(s, "w-1")
			m.Name, m.UID = "prod-zz", "z"
			s.Machines = append(s.Machines, m)
		}, "ALARM Machine prod/prod-zz appeared"},
		"a Machine disappears":  {func(s *inventory.Snapshot) { machineOf(s, "w-1").Cluster = "x" }, "ALARM Machine prod/w-1 disappeared"},
		"a Machine is replaced": {func(s *inventory.Snapshot) { machineOf(s, "w-1").UID = "other" }, "ALARM Machine prod/w-1 was replaced"},
		"a ProxmoxMachine appears": {func(s *inventory.Snapshot) {
			m := *proxmoxMachineOf(s, "w-1")
			m.Name, m.UID = "prod-zz", "z"
			s.ProxmoxMachines = append(s.ProxmoxMachines, m)
		}, "ALARM ProxmoxMachine prod/prod-zz appeared"},
		"a VM appears": {func(s *inventory.Snapshot) {
			v := *vmOf(s, "w-1")
			v.VMID, v.Name = 4711, "prod-zz"
			s.VMs = append(s.VMs, v)
		}, "ALARM VM lab/4711 (prod-zz) appeared"},
		"a VM that a person restored": {func(s *inventory.Snapshot) {
			v := *vmOf(s, "w-1")
			v.VMID, v.Name = 4711, "mail"
			s.VMs = append(s.VMs, v)
			task(s, 4711, "qmrestore", "root@pam", time.Minute)
		}, "VM lab/4711 (mail) appeared: qmrestore by root@pam"},
		"CAPMOX cloned one where an old restore had been": {func(s *inventory.Snapshot) {
			v := *vmOf(s, "w-1")
			v.VMID, v.Name = 4711, "prod-zz"
			s.VMs = append(s.VMs, v)
			task(s, 4711, "qmrestore", "root@pam", 30*time.Hour)
			task(s, 9000, "qmclone", capmox, time.Minute)
		}, "ALARM VM lab/4711 (prod-zz) appeared"},
		"CAPMOX cloned while somebody restored": {func(s *inventory.Snapshot) {
			v := *vmOf(s, "w-1")
			v.VMID, v.Name = 4711, "prod-zz"
			s.VMs = append(s.VMs, v)
			task(s, 4711, "qmrestore", "root@pam", time.Minute)
			task(s, 9000, "qmclone", capmox, time.Minute)
		}, "ALARM VM lab/4711 (prod-zz) appeared"},
		"a VM disappears": {func(s *inventory.Snapshot) { vmOf(s, "w-1").VMID = 1009 }, "ALARM VM lab/1001 (w-1) disappeared"},
		"the list is short, and says so": {func(s *inventory.Snapshot) {
			s.VMs = s.VMs[:2]
			coverageOf(s, "site/lab", inventory.ScopeGuests).State = inventory.Partial
		}, ""},
		"the management cluster is away": {func(s *inventory.Snapshot) {
			s.Machines, s.ProxmoxMachines = nil, nil
			coverageOf(s, inventory.ManagementSource, inventory.ScopeMachines).State = inventory.Failed
			coverageOf(s, inventory.ManagementSource, inventory.ScopeProxmoxMachines).State = inventory.Failed
		}, ""},
		"CAPMOX stops a VM": {func(s *inventory.Snapshot) { task(s, 1001, "qmstop", capmox, time.Second) }, "ALARM task qmstop on VM lab/1001 by " + capmox},
		"a backup":          {func(s *inventory.Snapshot) { task(s, 1001, "vzdump", "root@pam", time.Second) }, "task vzdump on VM lab/1001 by root@pam"},
		"a person":          {func(s *inventory.Snapshot) { task(s, 1001, "qmconfig", "root@pam", time.Second) }, "task qmconfig on VM lab/1001 by root@pam"},
	} {
		t.Run(name, func(t *testing.T) {
			w := adopt.NewWatch()
			first := appliedProd(t)
			if got := texts(w.Next(first, verify(t, first))); strings.Contains(got, "ALARM") || !strings.Contains(got, "Machine cp-1: no phase yet, paused") {
				t.Errorf("at first:\n%s", got)
			}
			s := appliedProd(t)
			c.change(s)
			got := texts(w.Next(s, verify(t, s)))
			alarmed, want := strings.Contains(got, "ALARM"), strings.Contains(c.want, "ALARM")
			if !strings.Contains(got, c.want) || alarmed != want {
				t.Errorf("got\n%s\nwant\n%s", got, c.want)
			}
			if alarmed && !strings.HasPrefix(got, "ALARM") {
				t.Errorf("the alarm is not the first line:\n%s", got)
			}
		})
	}
}

// Whoever pauses a cluster by its Cluster alone lets everything go at once when it is unpaused: what stands against any of it stands
// against that step.
func TestReleasedAtOnce(t *testing.T) {
	s := appliedProd(t)
	for i := range s.Machines {
		release(s, "Machine", s.Machines[i].Name)
		s.Machines[i].Paused = false
	}
	storedOf(s, "prod-kubeconfig").Certificates = map[string][]string{"value": {strings.Repeat("cd", 32)}}
	if got := states(verify(t, s)); !strings.HasPrefix(got, "unpause-cluster unsafe\n") {
		t.Error(got)
	}
	// Held by their own annotations, they wait for their own step.
	s = appliedProd(t)
	storedOf(s, "prod-kubeconfig").Certificates = map[string][]string{"value": {strings.Repeat("cd", 32)}}
	if got := states(verify(t, s)); !strings.HasPrefix(got, "unpause-cluster safe\nunpause-first-machine unsafe") {
		t.Error(got)
	}
}

// A watch that reads the adopted VMs alone has seen before that they are the only ones with their UUIDs.
func TestNarrow(t *testing.T) {
	s := appliedProd(t)
	s.VMs = append(s.VMs, inventory.VM{Site: "lab", VMID: 4711, Node: "pve1", Type: inventory.GuestQEMU, Status: "running"})
	for narrow, want := range map[bool]string{false: "unpause-first-machine unknown", true: "unpause-first-machine safe"} {
		v, err := adopt.Verify(s, adopt.VerifyOptions{Cluster: "prod", CAPMOXTokenID: capmox, Narrow: narrow}, predict.Predict(s.Ordered(), "prod"))
		if err != nil || !strings.Contains(states(v), want) {
			t.Errorf("%v: %v\n%s", narrow, err, states(v))
		}
	}
}

// A site that was silent at first has nothing new once it answers, and another cluster's machine is nobody's here.
func TestWatchSilentAtFirst(t *testing.T) {
	w := adopt.NewWatch()
	first := appliedProd(t)
	first.VMs = nil
	coverageOf(first, "site/lab", inventory.ScopeGuests).State = inventory.Failed
	if got := texts(w.Next(first, verify(t, first))); strings.Contains(got, "ALARM") {
		t.Error(got)
	}
	if vms := adopt.AdoptedVMs(first, "prod"); vms != nil {
		t.Errorf("not one was seen: %v", vms)
	}
	s := appliedProd(t)
	elsewhere := *proxmoxMachineOf(s, "w-1")
	elsewhere.Name, elsewhere.UID, elsewhere.Cluster = "dev-1", "dev", "dev"
	s.ProxmoxMachines = append(s.ProxmoxMachines, elsewhere)
	if got := texts(w.Next(s, verify(t, s))); strings.Contains(got, "ALARM") {
		t.Error(got)
	}
	if vms := adopt.AdoptedVMs(s, "prod"); len(vms) != 6 {
		t.Errorf("%v", vms)
	}
	// Known now, what goes is missed.
	s = appliedProd(t)
	vmOf(s, "w-1").VMID = 1009
	if got := texts(w.Next(s, verify(t, s))); !strings.Contains(got, "ALARM VM lab/1001 (w-1) disappeared") || !strings.Contains(got, "ALARM VM lab/1009 (w-1) appeared") {
		t.Error(got)
	}
	vmOf(s, "w-2").Config = nil
	if vms := adopt.AdoptedVMs(s, "prod"); vms != nil {
		t.Errorf("a look that leaves one out: %v", vms)
	}
}

// A token that is nobody's until somebody says so may be CAPMOX's.
func TestWatchWithoutToken(t *testing.T) {
	w := adopt.NewWatch()
	s := appliedProd(t)
	w.Next(s, verifyAs(t, s, ""))
	task(s, 1001, "qmconfig", "somebody@pve!x", time.Second)
	task(s, 1002, "qmconfig", "root@pam", time.Second)
	got := texts(w.Next(s, verifyAs(t, s, "")))
	if !strings.Contains(got, "ALARM task qmconfig on VM lab/1001") || strings.Contains(got, "ALARM task qmconfig on VM lab/1002") {
		t.Error(got)
	}
	if again := texts(w.Next(s, verifyAs(t, s, ""))); strings.Contains(again, "task") {
		t.Errorf("told twice:\n%s", again)
	}
}
