package kube

import (
	"slices"
	"strings"
	"testing"
)

func TestArgs(t *testing.T) {
	clean, err := newSanitizer([]byte("k"))
	if err != nil {
		t.Fatal(err)
	}
	kept := []string{
		"kube-apiserver", "--secure-port=6443", "-", "--", "",
		"--token-auth-file=/etc/kubernetes/tokens.csv", "--use-service-account-credentials=true", "--enable-bootstrap-token-auth=true",
		"--service-account-key-file=/etc/kubernetes/pki/sa.pub", "--tls-private-key-file=/k", "--key-file=/k",
		"--service-account-issuer=https://kubernetes.default.svc.cluster.local",
		"--feature-gates=BoundServiceAccountToken=true,Other=false", "--initial-cluster=a=https://10.0.0.1:2380,b=https://10.0.0.2:2380",
		"--controllers=*,bootstrapsigner,tokencleaner", "--concurrent-serviceaccount-token-syncs=5", "--user=haproxy", "-u", "haproxy",
		"--token", "--next-flag", "--legacy-service-account-token-clean-up-period=8760h0m0s",
	}
	if got := clean.args(kept); !slices.Equal(got, kept) {
		t.Errorf("kept\n%q, got\n%q", kept, got)
	}
	for _, in := range [][]string{
		{"--token=CANARY"}, {"--token", "CANARY"}, {"-token", "CANARY"}, {"--password=CANARY"}, {"--db_password=CANARY"}, {"--oidc-client-secret=CANARY"},
		{"--api-key=CANARY"}, {"--secretKey=CANARY"}, {"--passphrase", "CANARY"}, {"PASSWORD=CANARY"}, {"--Token=CANARY"}, {"--token=CANARY=="},
		{"--etcd-servers=https://root:CANARY@etcd:2379,https://root:CANARY@etcd2:2379"}, {"https://root:CANARY@etcd:2379"},
		{"--url=https://x/?a=b&token=CANARY"}, {"--set=user=a,password=CANARY,b=c"}, {"--config={\"password\":CANARY}"},
		{"-u", "root:CANARY"}, {"--user=root:CANARY"}, {"--user", "root:CANARY"},
		{"sh", "-c", "mysql -pCANARY"}, {"curl", "-H", "Authorization: Bearer CANARY"}, {"--header=Authorization: Bearer CANARY"},
		{"-----BEGIN RSA PRIVATE KEY-----\nCANARY\n"}, {"--pem=a\nCANARY"}, {"--auth=PVEAPIToken=root@pam!x=CANARY"},
	} {
		got := clean.args(in)
		if len(got) != len(in) || strings.Contains(strings.Join(got, " "), "CANARY") {
			t.Errorf("%q became %q", in, got)
		}
		if again := clean.args(in); !slices.Equal(got, again) {
			t.Errorf("%q became %q and %q: equality is lost", in, got, again)
		}
	}
	if got := clean.args([]string{"--token=a", "--x=1"}); !strings.HasPrefix(got[0], "--token=sha256:") || got[1] != "--x=1" {
		t.Errorf("%q", got)
	}
	if got := clean.args(nil); got != nil {
		t.Errorf("%q", got)
	}
}

// FuzzArgs: whatever stands in a credential's place is not there afterwards, and no argument is lost.
func FuzzArgs(f *testing.F) {
	for _, v := range []string{"canary-canary", "--canary-canary", "a=b,c d", "true\n", "\"canary\": canary"} {
		f.Add(v)
	}
	clean, err := newSanitizer([]byte("fuzz"))
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, value string) {
		got := clean.args([]string{"cmd", "--token=" + value, "--x", value, "PASSWORD=" + value})
		if len(got) != 5 || got[0] != "cmd" {
			t.Fatalf("%q", got)
		}
		for _, i := range []int{1, 4} {
			if len(value) > 8 && strings.Contains(got[i], value) {
				t.Fatalf("%q became %q", value, got[i])
			}
		}
	})
}

// FuzzStaticPod: a Pod is used, refused or no mirror; its environment is never there.
func FuzzStaticPod(f *testing.F) {
	f.Add([]byte(`{"metadata":{"name":"a","annotations":{"kubernetes.io/config.mirror":"x"}},"spec":{"containers":[{"env":[{"name":"E","value":"canary"}]}]}}`))
	f.Add([]byte(`{"metadata":{"annotations":{"kubernetes.io/config.source":"file"}},"spec":7}`))
	f.Add([]byte(`null`))
	clean, err := newSanitizer([]byte("fuzz"))
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		pod, mirror, err := clean.staticPod(raw)
		if err == nil && mirror != (pod.Name != "") {
			t.Fatalf("%+v %v", pod, mirror)
		}
		if err != nil && pod.Name != "" {
			t.Fatalf("%+v and %v", pod, err)
		}
	})
}
