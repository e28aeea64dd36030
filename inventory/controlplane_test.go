package inventory_test

import (
	"testing"

	"github.com/proxaudit/proxaudit/inventory"
)

// What an etcd Pod's arguments say counts, not what the Pod is called.
func TestEtcdMember(t *testing.T) {
	for name, c := range map[string]struct {
		args []string
		want string
	}{
		"arguments not seen":   {nil, "cp-1"},
		"kubeadm":              {[]string{"etcd", "--name=cp-1"}, "cp-1"},
		"another":              {[]string{"etcd", "--data-dir=/x", "--name=etcd-a"}, "etcd-a"},
		"in two words":         {[]string{"etcd", "--name", "etcd-a"}, "etcd-a"},
		"one dash":             {[]string{"etcd", "-name=etcd-a"}, "etcd-a"},
		"one dash, two words":  {[]string{"etcd", "-name", "etcd-a"}, "etcd-a"},
		"twice":                {[]string{"etcd", "--name=a", "--name=b"}, "b"},
		"cut off":              {[]string{"etcd", "--name"}, ""},
		"a configuration file": {[]string{"etcd", "--config-file=/etc/etcd.yaml"}, ""},
		"another option":       {[]string{"etcd", "--named=x", "--initial-cluster=cp-1=https://10.0.0.1:2380"}, ""},
	} {
		pod := inventory.StaticPod{Name: "etcd-cp-1", Component: "etcd", Node: "cp-1", Args: c.args}
		if got := pod.EtcdMember(); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}
