package why

import (
	"testing"
	"time"

	"github.com/proxaudit/proxaudit/test/world"
)

const hook = "pre-terminate.delete.hook.machine.cluster.x-k8s.io/backup"

// deletionStates are clusters that do not go.
var deletionStates = []state{
	{name: "held",
		change: func(_ *bench, s *scene) {
			s.withoutPlane()
			metadata(s.infra)["finalizers"] = []string{"example.com/accounting"}
		},
		then:    deleteCluster(holds("held", "cluster/held", "InfrastructureReady", "True/")),
		settled: holds("held", "cluster/held", "Deleting", "True/WaitingForInfrastructureDeletion"),
		want: answer{state: stuck, phase: "deletion", holder: person, cause: "finalizer", object: "ProxmoxCluster/held",
			says: "the finalizer example.com/accounting is none of Cluster API's", command: aboutProxmoxCluster + "held"}},
	{name: "hooked",
		change: func(_ *bench, s *scene) {
			m := s.machine("hooked-1", "hooked-1", host())
			annotations(m)[hook] = ""
			s.more = append(s.more, s.secret("hooked-1"))
		},
		then:    deleteCluster(holds("hooked", "cluster/hooked", "InfrastructureReady", "True/")),
		settled: holds("hooked", "machine/hooked-1", "Deleting", "True/WaitingForPreTerminateHook"),
		want: answer{state: stuck, phase: "deletion", holder: person, cause: "delete-hook", object: "Machine/hooked-1",
			says: "its deletion waits for a pre-terminate hook", shows: hook, command: " describe machines.cluster.x-k8s.io hooked-1"}},
}

// deleteCluster deletes the Cluster once it has come so far.
func deleteCluster(far func(*testing.T, *bench) string) func(*testing.T, *bench, *scene) {
	return func(t *testing.T, b *bench, s *scene) {
		t.Helper()
		world.WaitFor(t, s.name, time.Minute, func() string { return far(t, b) })
		b.on(t, s.name, "delete", "--wait=false", "cluster/"+s.name)
	}
}
