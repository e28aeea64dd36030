package normalize

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/proxaudit/proxaudit/inventory"
	"github.com/proxaudit/proxaudit/inventory/proxmox/transport"
)

// Version reads the answer to version: the text, and its major number (0 if there is none to see).
func Version(data any) (version string, major int, err error) {
	m, ok := data.(map[string]any)
	if !ok {
		return "", 0, fmt.Errorf("the version is %s, not an object", kind(data))
	}
	if version, ok = Text(m["version"]); !ok || version == "" {
		return "", 0, fmt.Errorf("the answer has no version")
	}
	first, _, _ := strings.Cut(version, ".")
	if n, err := strconv.Atoi(first); err == nil {
		major = n
	}
	return version, major, nil
}

// Status is what cluster/status, or nodes in its place, says of a site.
type Status struct {
	// ClusterName is empty for a standalone host.
	ClusterName string
	// Clustered is nil where the source cannot tell.
	Clustered *bool
	// Quorate is nil where the source cannot tell or there is no cluster.
	Quorate *bool
	Nodes   []inventory.ProxmoxNode
	// Bad describes rows that could not be read.
	Bad []string
}

// ClusterStatus reads cluster/status. A standalone host has no row of type cluster (pve-manager PVE/API2/Cluster.pm).
func ClusterStatus(data any) (*Status, error) {
	rows, ok := data.([]any)
	if !ok {
		return nil, fmt.Errorf("the cluster status is %s, not a list", kind(data))
	}
	clustered := false
	s := &Status{Clustered: &clustered}
	for i, row := range rows {
		m, ok := row.(map[string]any)
		if !ok {
			s.Bad = append(s.Bad, fmt.Sprintf("row %d is %s, not an object", i, kind(row)))
			continue
		}
		switch m["type"] {
		case "cluster":
			clustered = true
			s.ClusterName, _ = Text(m["name"])
			if q, present := m["quorate"]; present {
				if b, ok := Bool(q); ok {
					s.Quorate = &b
				}
			}
		case "node":
			n := inventory.ProxmoxNode{Status: inventory.NodeUnknown}
			n.Name, _ = Text(m["name"])
			n.IP, _ = m["ip"].(string)
			if v, present := m["online"]; present {
				if online, ok := Bool(v); ok && online {
					n.Status = inventory.NodeOnline
				} else if ok {
					n.Status = inventory.NodeOffline
				}
			}
			s.add(i, n)
		}
	}
	if len(s.Nodes) == 0 {
		return nil, fmt.Errorf("the cluster status names no node")
	}
	return s, nil
}

// Nodes reads the list of nodes, which every user may read.
func Nodes(data any) (*Status, error) {
	rows, ok := data.([]any)
	if !ok {
		return nil, fmt.Errorf("the list of nodes is %s, not a list", kind(data))
	}
	s := &Status{}
	for i, row := range rows {
		m, ok := row.(map[string]any)
		if !ok {
			s.Bad = append(s.Bad, fmt.Sprintf("row %d is %s, not an object", i, kind(row)))
			continue
		}
		n := inventory.ProxmoxNode{Status: inventory.NodeUnknown}
		n.Name, _ = Text(m["node"])
		if st, _ := m["status"].(string); st == inventory.NodeOnline || st == inventory.NodeOffline {
			n.Status = st
		}
		s.add(i, n)
	}
	if len(s.Nodes) == 0 {
		return nil, fmt.Errorf("the list of nodes is empty")
	}
	return s, nil
}

func (s *Status) add(row int, n inventory.ProxmoxNode) {
	if !transport.ValidNode(n.Name) {
		s.Bad = append(s.Bad, fmt.Sprintf("row %d: %q is no name of a node", row, n.Name))
		return
	}
	for _, have := range s.Nodes {
		if have.Name == n.Name {
			s.Bad = append(s.Bad, fmt.Sprintf("row %d: node %s is listed twice", row, n.Name))
			return
		}
	}
	s.Nodes = append(s.Nodes, n)
}
