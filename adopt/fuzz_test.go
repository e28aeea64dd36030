package adopt_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/proxaudit/proxaudit/adopt"
	"github.com/proxaudit/proxaudit/inventory"
	"github.com/proxaudit/proxaudit/inventory/inventorytest"
)

func lines(s string) []string { return strings.Split(s, "\n") }

// dice are things that go wrong, at a place of chance.
var dice = []func(r *rand.Rand, s *inventory.Snapshot, o *adopt.Options){
	func(r *rand.Rand, s *inventory.Snapshot, _ *adopt.Options) { anyVM(r, s).Config = nil },
	func(r *rand.Rand, s *inventory.Snapshot, _ *adopt.Options) {
		anyVM(r, s).Name = oneOf(r, "", "w-1", "W", "prod-ca", "a.b")
	},
	func(r *rand.Rand, s *inventory.Snapshot, _ *adopt.Options) {
		anyVM(r, s).Status = oneOf(r, "stopped", "running", "unknown")
	},
	func(r *rand.Rand, s *inventory.Snapshot, _ *adopt.Options) { anyVM(r, s).Type = inventory.GuestLXC },
	func(r *rand.Rand, s *inventory.Snapshot, _ *adopt.Options) { yes := true; anyVM(r, s).Template = &yes },
	func(r *rand.Rand, s *inventory.Snapshot, _ *adopt.Options) { anyVM(r, s).Site = oneOf(r, "lab", "dr") },
	func(r *rand.Rand, s *inventory.Snapshot, _ *adopt.Options) { anyVM(r, s).VMID = 100 + r.IntN(6) },
	func(r *rand.Rand, s *inventory.Snapshot, _ *adopt.Options) {
		if c := anyVM(r, s).Config; c != nil {
			c.UUID = oneOf(r, "", inventorytest.ScriptBuiltUUID(101), inventorytest.ScriptBuiltUUID(1001), inventorytest.UUID(r.IntN(3)))
		}
	},
	func(r *rand.Rand, s *inventory.Snapshot, _ *adopt.Options) {
		if c := anyVM(r, s).Config; c != nil {
			c.Disks, c.NICs = c.Disks[:r.IntN(len(c.Disks)+1)], c.NICs[:r.IntN(len(c.NICs)+1)]
			c.MemoryMiB, c.Sockets = int64(r.IntN(100)), r.IntN(3)
		}
	},
	func(r *rand.Rand, s *inventory.Snapshot, _ *adopt.Options) {
		if c := anyVM(r, s).Config; c != nil {
			c.IPConfigs = []inventory.IPConfig{{Slot: "ipconfig0", IPv4: oneOf(r, "dhcp", "", "10.0.0.205/24", "nonsense"), Gateway4: oneOf(r, "", "10.0.0.1", "x")}}
		}
	},
	func(r *rand.Rand, s *inventory.Snapshot, _ *adopt.Options) {
		anyNode(r, s).SystemUUID = oneOf(r, "", inventorytest.ScriptBuiltUUID(101), inventorytest.ScriptBuiltUUID(1002), inventorytest.UUID(1))
	},
	func(r *rand.Rand, s *inventory.Snapshot, _ *adopt.Options) {
		anyNode(r, s).ProviderID = oneOf(r, "", "proxmox://lab/101", "k3s://x", "proxmox://"+inventorytest.ScriptBuiltUUID(102), "://")
	},
	func(r *rand.Rand, s *inventory.Snapshot, _ *adopt.Options) {
		anyNode(r, s).ControlPlane = r.IntN(2) == 0
	},
	func(r *rand.Rand, s *inventory.Snapshot, _ *adopt.Options) {
		anyNode(r, s).KubeletVersion = oneOf(r, "", "v1.33.4", "v1", "x", "v1.36.0")
	},
	func(r *rand.Rand, s *inventory.Snapshot, _ *adopt.Options) {
		n := anyNode(r, s)
		n.Labels, n.Annotations, n.Taints = nil, nil, nil
	},
	func(r *rand.Rand, s *inventory.Snapshot, _ *adopt.Options) {
		anyNode(r, s).Labels = map[string]string{oneOf(r, "node-role.kubernetes.io/control", "node-role.kubernetes.io/a.b", "", "/", "pool"): oneOf(r, "", "a", "b")}
	},
	func(r *rand.Rand, s *inventory.Snapshot, _ *adopt.Options) { anyNode(r, s).Cluster = "dev" },
	func(r *rand.Rand, s *inventory.Snapshot, _ *adopt.Options) {
		anyNode(r, s).InternalIPs = []string{oneOf(r, "10.0.0.210", "x", "fe80::1%eth0")}
	},
	func(r *rand.Rand, s *inventory.Snapshot, _ *adopt.Options) {
		k := s.Clusters[0].Kubeadm
		if k == nil || len(k.ClusterConfiguration) == 0 {
			return
		}
		cut := r.IntN(len(k.ClusterConfiguration))
		k.ClusterConfiguration = k.ClusterConfiguration[:cut] + oneOf(r, "", "}", "\n  x: y", ": :") + k.ClusterConfiguration[min(cut+r.IntN(30), len(k.ClusterConfiguration)):]
	},
	func(_ *rand.Rand, s *inventory.Snapshot, _ *adopt.Options) { s.Clusters[0].Kubeadm = nil },
	func(r *rand.Rand, s *inventory.Snapshot, _ *adopt.Options) {
		pods := s.Clusters[0].StaticPods
		if len(pods) > 0 {
			p := &pods[r.IntN(len(pods))]
			p.Name, p.Node, p.Component = oneOf(r, p.Name, "etcd-x", ""), oneOf(r, p.Node, ""), oneOf(r, p.Component, "etcd", "")
		}
	},
	func(r *rand.Rand, s *inventory.Snapshot, _ *adopt.Options) {
		if len(s.Coverage) > 0 {
			s.Coverage[r.IntN(len(s.Coverage))].State = inventory.State(oneOf(r, "failed", "partial", "absent", "not-asked"))
		}
	},
	func(_ *rand.Rand, s *inventory.Snapshot, _ *adopt.Options) { s.Management = nil },
	func(r *rand.Rand, s *inventory.Snapshot, _ *adopt.Options) {
		s.Sites = s.Sites[:r.IntN(len(s.Sites)+1)]
	},
	func(r *rand.Rand, s *inventory.Snapshot, o *adopt.Options) {
		declaredMachine(oneOf(r, "prod", "x"), oneOf(r, "w-1", "z"), 1000+r.IntN(3), nil)(s, o)
	},
	func(r *rand.Rand, s *inventory.Snapshot, o *adopt.Options) {
		owner(oneOf(r, "MachineSet", "MachineHealthCheck", "MachineDeployment"), "prod", map[string]any{"matchLabels": oneOf(r, "x", "")}, nil)(s, o)
	},
	func(_ *rand.Rand, _ *inventory.Snapshot, o *adopt.Options) { o.Force = true },
	func(r *rand.Rand, _ *inventory.Snapshot, o *adopt.Options) {
		o.Name = oneOf(r, "a", "B", strings.Repeat("x", 70))
	},
	func(r *rand.Rand, _ *inventory.Snapshot, o *adopt.Options) {
		o.Future = adopt.Future{Template: r.IntN(3) * 4500, Addresses: []string{oneOf(r, "", "10.0.0.0/8", "::/0", "10.0.0.9-10.0.0.1", "10.0.0.200")}, Prefix: r.IntN(40) - 2,
			ControllerCredentials: r.IntN(2) == 0, Gateway: oneOf(r, "", "10.0.0.1", "::1")}
	},
}

func oneOf(r *rand.Rand, list ...string) string { return list[r.IntN(len(list))] }

// anyVM and anyNode are one of the Snapshot's; one that is thrown away if there is none.
func anyVM(r *rand.Rand, s *inventory.Snapshot) *inventory.VM {
	if len(s.VMs) == 0 {
		return &inventory.VM{}
	}
	return &s.VMs[r.IntN(len(s.VMs))]
}

func anyNode(r *rand.Rand, s *inventory.Snapshot) *inventory.Node {
	if len(s.Nodes) == 0 {
		return &inventory.Node{}
	}
	return &s.Nodes[r.IntN(len(s.Nodes))]
}

// checkPlan holds what every plan has to be, of whatever fleet.
func checkPlan(t testing.TB, s *inventory.Snapshot, o adopt.Options, p *adopt.Plan) {
	t.Helper()
	if !p.Ready() {
		if p.Bundle() != nil || len(p.Objects) > 0 || p.Summary.Rendered {
			t.Fatal("there is no bundle, and something says that there is")
		}
		if len(p.Missing)+len(p.Blockers) == 0 {
			t.Fatal("there is no bundle, and nothing says why")
		}
	} else {
		if len(p.Missing) > 0 || slices.ContainsFunc(p.Blockers, func(f adopt.Finding) bool { return f.Destroys }) || len(p.Blockers) > 0 && !o.Force {
			t.Fatalf("there is a bundle in spite of %v and %+v", p.Missing, p.Blockers)
		}
		checkInvariants(t, s.Ordered(), p)
	}
	for _, n := range p.NodePatches {
		checkPatch(t, s, p.Cluster, n)
	}
}

// checkPatch: no providerID is proposed, with or without a bundle, that is not proven by both sides: it cannot be changed.
func checkPatch(t testing.TB, s *inventory.Snapshot, cluster string, n adopt.NodePatch) {
	t.Helper()
	uuid := strings.TrimPrefix(n.ProviderID, "proxmox://")
	vms := 0
	for i := range s.VMs {
		if v := &s.VMs[i]; v.UUID() == uuid && v.Type == inventory.GuestQEMU && !v.IsTemplate() {
			vms++
		}
	}
	i := slices.IndexFunc(s.Nodes, func(x inventory.Node) bool { return x.Cluster == cluster && x.Name == n.Node })
	if vms != 1 || i < 0 || s.Nodes[i].SystemUUID != uuid || s.Nodes[i].ProviderID != "" {
		t.Fatalf("Node %s would get %s: %d VMs have that UUID", n.Node, n.ProviderID, vms)
	}
}

// FuzzMake: nothing that goes wrong makes it panic, or renders what is not proven.
func FuzzMake(f *testing.F) {
	for seed := range uint64(60) {
		f.Add(seed, uint8(seed%5))
	}
	f.Fuzz(func(t *testing.T, seed uint64, faults uint8) {
		r := rand.New(rand.NewPCG(seed, 11))
		s, o := spoiled(same)
		for range faults % 8 {
			dice[r.IntN(len(dice))](r, s, &o)
		}
		p, err := adopt.Make(s, o)
		if err != nil {
			t.Fatal(err)
		}
		checkPlan(t, s, o, p)
	})
}

// TestRandomFleets: fleets in which identities collide, seen whole and in every degraded view.
func TestRandomFleets(t *testing.T) {
	plans, rendered := 0, 0
	for seed := range uint64(400) {
		r := rand.New(rand.NewPCG(seed, 13))
		whole := inventorytest.Random(r)
		views := []inventorytest.View{{Fault: "none", Snapshot: whole}}
		if seed%8 == 0 {
			views = append(views, inventorytest.Degrade(whole, r)...)
		}
		for _, v := range views {
			for i := range v.Snapshot.Clusters {
				o := options()
				o.Cluster, o.Force, o.CAPIVersion, o.CAPMOXVersion = v.Snapshot.Clusters[i].Key, true, "v1.14.2", "v0.9.0"
				p := plan(t, v.Snapshot, o)
				checkPlan(t, v.Snapshot, o, p)
				plans++
				if p.Ready() {
					rendered++
				}
			}
		}
	}
	if plans < 800 || rendered > 0 {
		t.Fatalf("%d plans, and %d bundles of fleets that say nothing of kubeadm", plans, rendered)
	}
}

// TestFuzzReaches: the dice leave bundles too, so that the fuzz test looks at some.
func TestFuzzReaches(t *testing.T) {
	with, without := 0, 0
	for seed := range uint64(600) {
		r := rand.New(rand.NewPCG(seed, 17))
		s, o := spoiled(same)
		for range 1 + r.IntN(2) {
			dice[r.IntN(len(dice))](r, s, &o)
		}
		p := plan(t, s, o)
		checkPlan(t, s, o, p)
		if p.Ready() {
			with++
		} else {
			without++
		}
	}
	if with < 50 || without < 50 {
		t.Fatalf("%d with a bundle, %d without", with, without)
	}
}
