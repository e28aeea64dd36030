package pki_test

import (
	"bytes"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/proxaudit/proxaudit/adopt/pki"
	"github.com/proxaudit/proxaudit/adopt/pki/pkitest"
)

// FuzzParse puts one file in another's place, with bytes in it and with or without its end: it is refused with a reason,
// or what works makes Secrets that hold it unchanged. No error repeats a key. The keys are new in every process of a
// fuzzing run, so that the input says what is done to the files and not what is in them.
func FuzzParse(f *testing.F) {
	p := pkitest.New(f, "ecdsa")
	files := maps.Clone(p.Files)
	files["admin.conf"] = p.Kubeconfig
	names := append(pki.Files(), "admin.conf")
	for i := range names {
		f.Add(uint8(i), uint8(i), uint16(0), []byte{}, true)
		f.Add(uint8(i), uint8(i+1), uint16(0), []byte("text\n"), true)
		f.Add(uint8(i), uint8(i), uint16(200), []byte{}, false)
		f.Add(uint8(i), uint8(i), uint16(0xffff), bytes.Clone([]byte("-----BEGIN PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\n\nAAAA\n-----END PRIVATE KEY-----\n")), false)
	}
	f.Fuzz(func(t *testing.T, which, by uint8, at uint16, insert []byte, rest bool) {
		target, taken := names[int(which)%len(names)], files[names[int(by)%len(names)]]
		cut := min(int(at), len(taken))
		data := slices.Concat(taken[:cut], insert)
		if rest {
			data = append(data, taken[cut:]...)
		}
		s := source(p)
		if target == "admin.conf" {
			s.Kubeconfig = data
		} else {
			s.Files[target] = data
		}
		m, err := pki.Parse(s)
		if err != nil {
			if m != nil {
				t.Error("there is material beside an error")
			}
			if err.Error() == "" || strings.Contains(err.Error(), "PRIVATE KEY-----") {
				t.Errorf("error = %q", err)
			}
			return
		}
		set, err := m.Secrets(pki.Options{Cluster: "c", Namespace: "n", At: pkitest.Now, ServingCAs: []string{m.Fingerprint()}})
		if err != nil {
			return
		}
		if len(set.Secrets) != 5 {
			t.Errorf("%d Secrets", len(set.Secrets))
		}
		held := 0
		for _, secret := range set.Secrets {
			for _, content := range decoded(t, secret) {
				if bytes.Equal(content, data) {
					held++
				}
			}
		}
		switch target {
		case pki.FileAPIServer, pki.FileEtcdServer, pki.FileProxyClient, pki.FileEtcdClientCert, pki.FileEtcdClientKey:
		default:
			if held == 0 {
				t.Errorf("no Secret holds %s as it is", target)
			}
		}
	})
}

// FuzzPEM: any bytes as any file are refused with a reason or taken, without a crash.
func FuzzPEM(f *testing.F) {
	for _, kind := range []string{"CERTIFICATE", "PRIVATE KEY", "RSA PRIVATE KEY", "EC PRIVATE KEY", "ENCRYPTED PRIVATE KEY", "PUBLIC KEY", "RSA PUBLIC KEY", "EC PARAMETERS", "X"} {
		f.Add([]byte("-----BEGIN " + kind + "-----\nMAA=\n-----END " + kind + "-----\n"))
	}
	f.Add([]byte("clusters: [{name: a, cluster: {server: 'https://x', certificate-authority-data: YQ==}}]\ncontexts: [{name: a, context: {cluster: a, user: a}}]\ncurrent-context: a\nusers: [{name: a, user: {token: x}}]"))
	f.Fuzz(func(t *testing.T, data []byte) {
		s := pki.Source{Dir: "copy", Files: map[string][]byte{}, Kubeconfig: data, KubeconfigFile: "admin.conf"}
		for _, name := range pki.Files() {
			s.Files[name] = data
		}
		m, err := pki.Parse(s)
		if m != nil || err == nil {
			t.Error("one content for all files was taken")
		}
	})
}
