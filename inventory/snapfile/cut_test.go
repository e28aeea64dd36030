package snapfile

import (
	"bytes"
	"testing"

	"github.com/proxaudit/proxaudit/inventory"
)

// A file that lost its Nodes or its guests on the way says that everything was read, and would make orphans of all that is
// left.
func TestCutFile(t *testing.T) {
	whole := func() *inventory.Snapshot {
		s := home()
		site, cluster := s.Sites[0].Name, s.Nodes[0].Cluster
		s.Coverage = []inventory.Coverage{
			{Source: inventory.SiteSource(site), Scope: inventory.ScopeGuests, State: inventory.Complete, Asked: 3, Got: 3},
			{Source: inventory.ClusterSource(cluster), Scope: inventory.ScopeNodes, State: inventory.Complete, Asked: 7, Got: 7},
			{Source: inventory.ClusterSource("empty"), Scope: inventory.ScopeNodes, State: inventory.Complete},
			{Source: inventory.ClusterSource("down"), Scope: inventory.ScopeNodes, State: inventory.Failed, Asked: 1, Failed: 1}}
		return s
	}
	if _, err := Read(bytes.NewReader(encoded(t, whole()))); err != nil {
		t.Fatal(err)
	}
	s := whole()
	s.Nodes = nil
	_, err := Read(bytes.NewReader(encoded(t, s)))
	refused(t, err, "7 Nodes of cluster", "something was taken out of it")
	s = whole()
	s.VMs = nil
	_, err = Read(bytes.NewReader(encoded(t, s)))
	refused(t, err, "3 guests of site", "scan again")
}
