package audit

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"

	"github.com/proxaudit/proxaudit/inventory"
)

// runID is the same for two runs over one Snapshot, whatever they were told to make of it, and for no others: it hashes
// when the Snapshot was collected, how each source answered, and what there is.
func runID(s *inventory.Snapshot) string {
	sum := sha256.New()
	enc := json.NewEncoder(sum)
	put := func(part any) {
		// A hash takes every byte, and these are structs of plain values.
		if err := enc.Encode(part); err != nil {
			panic(err)
		}
	}
	put(s.CollectedAt.UTC())
	put(s.Coverage)
	put(s.Requests)
	for i := range s.VMs {
		v := &s.VMs[i]
		put([]any{v.Key(), v.Name, v.Node, v.Status, v.UUID()})
	}
	for i := range s.Machines {
		m := &s.Machines[i]
		put([]any{m.Namespace, m.Name, m.UID, m.Phase})
	}
	for i := range s.ProxmoxMachines {
		m := &s.ProxmoxMachines[i]
		put([]any{m.Namespace, m.Name, m.UID, m.ProviderID})
	}
	for i := range s.Nodes {
		n := &s.Nodes[i]
		put([]any{n.Cluster, n.Name, n.UID, n.Ready})
	}
	return hex.EncodeToString(sum.Sum(nil)[:16])
}
