package kube

import (
	"encoding/json"
	"fmt"
	"math"
	"net/netip"
	"slices"
	"strings"

	kjson "k8s.io/apimachinery/pkg/util/json"

	"github.com/proxaudit/proxaudit/inventory"
)

type proxmoxMachineObject struct {
	objectMeta
	Spec struct {
		ProviderID       string   `json:"providerID"`
		VirtualMachineID *int64   `json:"virtualMachineID"`
		SourceNode       string   `json:"sourceNode"`
		TemplateID       *int64   `json:"templateID"`
		Tags             []string `json:"tags"`
	} `json:"spec"`
	Status struct {
		Conditions  conditions      `json:"conditions"`
		Addresses   addresses       `json:"addresses"`
		IPAddresses ipAddressesForm `json:"ipAddresses"`
		VMStatus    string          `json:"vmStatus"`
		ProxmoxNode string          `json:"proxmoxNode"`
		TaskRef     string          `json:"taskRef"`
		Network     []struct {
			MACAddr string `json:"macAddr"`
		} `json:"network"`
		// v1alpha1
		Ready          bool   `json:"ready"`
		FailureReason  string `json:"failureReason"`
		FailureMessage string `json:"failureMessage"`
		// v1alpha2
		Initialization struct {
			Provisioned *bool `json:"provisioned"`
		} `json:"initialization"`
	} `json:"status"`
}

func proxmoxMachine(o object, keys clusterKeys) (inventory.ProxmoxMachine, error) {
	m, err := decode[proxmoxMachineObject](o)
	if err != nil {
		return inventory.ProxmoxMachine{}, err
	}
	st := m.Status
	out := inventory.ProxmoxMachine{
		Meta:           m.meta(nil, 0, st.Conditions),
		Cluster:        keys.of(o.namespace, clusterOf("", &m.objectMeta)),
		ProviderID:     m.Spec.ProviderID,
		VMID:           vmid(m.Spec.VirtualMachineID),
		SourceNode:     m.Spec.SourceNode,
		TemplateID:     vmid(m.Spec.TemplateID),
		ProxmoxNode:    st.ProxmoxNode,
		VMStatus:       st.VMStatus,
		Ready:          st.Ready || deref(st.Initialization.Provisioned),
		TaskRef:        st.TaskRef,
		Addresses:      sortedSet(append(st.Addresses.of("InternalIP", "ExternalIP"), st.IPAddresses...)),
		Tags:           m.Spec.Tags,
		FailureReason:  st.FailureReason,
		FailureMessage: st.FailureMessage,
	}
	for _, n := range st.Network {
		if n.MACAddr != "" {
			out.MACs = append(out.MACs, strings.ToLower(n.MACAddr))
		}
	}
	out.MACs = sortedSet(out.MACs)
	return out, nil
}

// vmid is nil for what no guest can have: CAPMOX has written -1 for "not yet"
// (ionos-cloud/cluster-api-provider-proxmox#31).
func vmid(n *int64) *int {
	if n == nil || *n > math.MaxInt32 || *n < 0 || !inventory.ValidVMID(int(*n)) {
		return nil
	}
	v := int(*n)
	return &v
}

// ipAddressesForm takes both forms of status.ipAddresses: v1alpha1 has a map from device to {ipv4, ipv6} with one
// string each, v1alpha2 a list of {net, ipv4[], ipv6[]}.
type ipAddressesForm []string

// UnmarshalJSON implements json.Unmarshaler.
func (f *ipAddressesForm) UnmarshalJSON(b []byte) error {
	type both struct {
		IPv4 stringOrList `json:"ipv4"`
		IPv6 stringOrList `json:"ipv6"`
	}
	var list []both
	if err := kjson.Unmarshal(b, &list); err != nil {
		byDevice := map[string]both{}
		if err := kjson.Unmarshal(b, &byDevice); err != nil {
			return fmt.Errorf("status.ipAddresses is neither a list nor a map of addresses")
		}
		for _, a := range byDevice {
			list = append(list, a)
		}
	}
	*f = nil
	for _, a := range list {
		for _, s := range append(slices.Clone(a.IPv4), a.IPv6...) {
			*f = append(*f, bareAddress(s))
		}
	}
	*f = sortedSet(*f)
	return nil
}

// stringOrList is one string or a list of them.
type stringOrList []string

// UnmarshalJSON implements json.Unmarshaler.
func (s *stringOrList) UnmarshalJSON(b []byte) error {
	var one string
	if err := json.Unmarshal(b, &one); err == nil {
		*s = nil
		if one != "" {
			*s = []string{one}
		}
		return nil
	}
	return json.Unmarshal(b, (*[]string)(s))
}

// bareAddress is the address without a prefix length, in its canonical form; what is no address stays as it is.
func bareAddress(s string) string {
	if p, err := netip.ParsePrefix(s); err == nil {
		return p.Addr().String()
	}
	if a, err := netip.ParseAddr(s); err == nil {
		return a.String()
	}
	return s
}

// sortedSet sorts and removes duplicates; nothing stays nil.
func sortedSet(s []string) []string {
	slices.Sort(s)
	s = slices.Compact(s)
	if len(s) == 0 {
		return nil
	}
	return s
}
