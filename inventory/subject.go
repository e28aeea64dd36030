package inventory

import (
	"fmt"
	"strconv"
	"strings"
)

// Subject kinds.
const (
	SubjectVM             = "vm"
	SubjectMachine        = "machine"
	SubjectProxmoxMachine = "proxmoxmachine"
	SubjectNode           = "node"
	SubjectCluster        = "cluster"
)

// Subject names one thing of a Snapshot: what `-o name` prints and `explain` takes.
type Subject struct {
	Kind string `json:"kind"`
	// Scope is the site of a VM, the namespace of a Machine or ProxmoxMachine, the cluster of a Node; empty for a
	// cluster.
	Scope string `json:"scope,omitempty"`
	// Name is the object's name, or the VMID in decimal.
	Name string `json:"name"`
}

// String is vm/SITE/VMID, machine/NS/NAME, proxmoxmachine/NS/NAME, node/CLUSTER/NAME or cluster/NAME.
func (s Subject) String() string {
	if s.Scope == "" {
		return s.Kind + "/" + s.Name
	}
	return s.Kind + "/" + s.Scope + "/" + s.Name
}

// VMSubject names a VM.
func VMSubject(k Key) Subject {
	return Subject{Kind: SubjectVM, Scope: k.Site, Name: strconv.Itoa(k.VMID)}
}

// ParseSubject reads the form that String prints. A cluster's key may itself hold a slash (NS/NAME, where two
// namespaces declare the same name), so the last part is the name and what stands between is the scope.
func ParseSubject(s string) (Subject, error) {
	kind, rest, ok := strings.Cut(s, "/")
	// A cluster is no machine, and explain has nothing on one (why has).
	const forms = "vm/SITE/VMID, machine/NAMESPACE/NAME, proxmoxmachine/NAMESPACE/NAME or node/CLUSTER/NAME"
	if !ok || rest == "" {
		return Subject{}, fmt.Errorf("%q names nothing: want %s (the form that -o name prints)", s, forms)
	}
	kind = strings.ToLower(kind)
	if kind == SubjectCluster {
		return Subject{Kind: kind, Name: rest}, nil
	}
	i := strings.LastIndexByte(rest, '/')
	if i <= 0 || i == len(rest)-1 {
		return Subject{}, fmt.Errorf("%q lacks a part: want %s (the form that -o name prints)", s, forms)
	}
	sub := Subject{Kind: kind, Scope: rest[:i], Name: rest[i+1:]}
	switch kind {
	case SubjectVM:
		n, err := strconv.Atoi(sub.Name)
		if err != nil || !ValidVMID(n) {
			return Subject{}, fmt.Errorf("%q: %q is no VMID (a number from 100 to 999999999)", s, sub.Name)
		}
		sub.Name = strconv.Itoa(n)
	case SubjectMachine, SubjectProxmoxMachine, SubjectNode:
	default:
		return Subject{}, fmt.Errorf("%q: there is no subject kind %q: want %s", s, kind, forms)
	}
	return sub, nil
}
