package adopt_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/proxaudit/proxaudit/adopt"
)

// TestSecretsAndCommandsAgree: each command makes the Secret that is named as needed, with its type and keys, and from the files
// that are named.
func TestSecretsAndCommandsAgree(t *testing.T) {
	const elsewhere = "  external:\n    caFile: /etc/etcd/ca,1.crt\n    certFile: /etc/etcd/client.crt\n    endpoints: [https://10.0.0.31:2379]\n    keyFile: /etc/etcd/client.key\n"
	create := regexp.MustCompile(`create secret generic (\S+)(?: --type=(\S+))?((?: --from-(?:file|literal|env-file)=\S+)*)`)
	fromEnvFile := regexp.MustCompile(`printf '([^']*)'[^>]*> prod-pve\.env`)
	key := regexp.MustCompile(`--from-(?:file|literal)=([^=]+)=`)
	for name, c := range map[string]struct {
		do   change
		etcd adopt.SecretNeed
		// copied is a part of the command that fetches the files.
		copied string
	}{
		"stacked": {same, adopt.SecretNeed{Keys: []string{"tls.crt", "tls.key"}, From: "/etc/kubernetes/pki/etcd/ca.crt and /etc/kubernetes/pki/etcd/ca.key of a control-plane node"}, ""},
		"etcd elsewhere, with its files where kubeadm has them": {externalEtcd(), adopt.SecretNeed{Keys: []string{"tls.crt"}, From: "/etc/kubernetes/pki/etcd/ca.crt of a control-plane node"}, ""},
		"etcd elsewhere, with files of its own": {all(kubeadm("  local:\n    dataDir: /var/lib/etcd\n", elsewhere), noPods("etcd")),
			adopt.SecretNeed{Keys: []string{"tls.crt"}, From: "/etc/etcd/ca,1.crt of a control-plane node"},
			"scp root@10.0.0.11:/etc/etcd/ca,1.crt prod-pki/etcd-ca.crt && scp root@10.0.0.11:/etc/etcd/client.crt prod-pki/apiserver-etcd-client.crt && scp root@10.0.0.11:/etc/etcd/client.key prod-pki/apiserver-etcd-client.key"},
	} {
		t.Run(name, func(t *testing.T) {
			s, o := spoiled(c.do)
			p := plan(t, s, o)
			needs := map[string]adopt.SecretNeed{}
			for _, n := range p.Secrets {
				needs[n.Name] = n
			}
			if got := needs["prod-etcd"]; !slices.Equal(got.Keys, c.etcd.Keys) || got.From != c.etcd.From {
				t.Errorf("etcd's: %+v", got)
			}
			commands := strings.Join(slices.Concat(p.Steps[1].Before, p.Steps[1].Commands), "\n")
			if !strings.Contains(commands, c.copied) {
				t.Errorf("%s is not among\n%s", c.copied, commands)
			}
			for _, parts := range create.FindAllStringSubmatch(commands, -1) {
				n, ok := needs[parts[1]]
				if !ok {
					continue
				}
				delete(needs, parts[1])
				var keys []string
				for _, k := range key.FindAllStringSubmatch(parts[3], -1) {
					keys = append(keys, k[1])
				}
				// A file of lines is made by a command of its own.
				if strings.Contains(parts[3], "--from-env-file=") {
					for _, line := range strings.Split(fromEnvFile.FindStringSubmatch(commands)[1], `\n`) {
						if name, _, ok := strings.Cut(line, "="); ok {
							keys = append(keys, name)
						}
					}
				}
				slices.Sort(keys)
				want := slices.Sorted(slices.Values(n.Keys))
				if (parts[2] != n.Type && (parts[2] != "" || n.Type != "Opaque")) || !slices.Equal(keys, want) {
					t.Errorf("the command makes %s of type %s with %q, and %+v is needed", parts[1], parts[2], keys, n)
				}
			}
			if len(needs) > 0 {
				t.Errorf("no command makes %v", needs)
			}
		})
	}
}
