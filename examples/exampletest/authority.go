package exampletest

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/pem"
	"testing"

	"k8s.io/client-go/tools/clientcmd"

	"github.com/proxaudit/proxaudit/internal/kubesim"
)

// authority is the certificate of the CA that signed a simulator's own, as PEM.
func authority(t *testing.T, srv *kubesim.Server, context string) []byte {
	t.Helper()
	raw, err := srv.Kubeconfig(context)
	if err != nil {
		t.Fatal(err)
	}
	config, err := clientcmd.Load(raw)
	if err != nil {
		t.Fatal(err)
	}
	return config.Clusters[context].CertificateAuthorityData
}

// fingerprint is how proxaudit names that CA: in hex, the SHA-256 of its DER form.
func fingerprint(t *testing.T, srv *kubesim.Server, context string) string {
	t.Helper()
	block, _ := pem.Decode(authority(t, srv, context))
	if block == nil {
		t.Fatalf("the kubeconfig of %s has no certificate", context)
	}
	sum := sha256.Sum256(block.Bytes)
	return hex.EncodeToString(sum[:])
}

// madeUp is what the example shows for it: simulators make a new CA with each start.
func madeUp(context string) string {
	sum := sha256.Sum256([]byte("the example CA of " + context))
	return hex.EncodeToString(sum[:])
}
