package kube

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/proxaudit/proxaudit/internal/kubesim"
	"github.com/proxaudit/proxaudit/inventory"
)

func TestWorkloadKubeconfig(t *testing.T) {
	workload := sim(t, kubesim.Config{}, kubesim.Options{TLS: true, Token: "canary"}, "workload")
	good, err := workload.Kubeconfig("prod-admin@prod")
	if err != nil {
		t.Fatal(err)
	}
	evil := strings.Replace(string(good), "token: canary", "exec: {command: sh, args: [-c, canary], apiVersion: client.authentication.k8s.io/v1, interactiveMode: Never}", 1)
	secret := func(name, key, value string) string {
		return fmt.Sprintf("apiVersion: v1\nkind: Secret\nmetadata: {name: %s-kubeconfig, namespace: ns}\ndata: {%s: %s}\n",
			name, key, base64.StdEncoding.EncodeToString([]byte(value)))
	}
	srv := sim(t, kubesim.Config{}, kubesim.Options{},
		secret("prod", "value", string(good)), secret("evil", "value", evil), secret("other", "kubeconfig", "x"), secret("text", "value", "canary: ["))
	c := client(t, srv)

	data, err := c.WorkloadKubeconfig(t.Context(), "ns", "prod")
	if err != nil {
		t.Fatal(err)
	}
	w, err := Connect(Target{Key: "prod", Data: data, Origin: "secret ns/prod-kubeconfig"})
	if err != nil {
		t.Fatal(err)
	}
	s := w.CollectWorkload(t.Context(), "prod", WorkloadOptions{})
	if len(s.Nodes) != 2 || len(s.Incomplete()) != 0 || s.Clusters[0].Access != "secret ns/prod-kubeconfig" {
		t.Errorf("%+v", s)
	}
	for name, want := range map[string]string{
		"none":  "does not exist",
		"evil":  "is refused: its user \"prod-admin@prod\" runs a program",
		"other": `no usable key "value"`,
		"text":  "no kubeconfig that can be parsed",
	} {
		got, err := c.WorkloadKubeconfig(t.Context(), "ns", name)
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "secret ns/"+name+"-kubeconfig") || strings.Contains(err.Error(), "canary") || got.IsSet() {
			t.Errorf("%s: %v", name, err)
		}
	}
	if got := c.SecretRequests(); got != (inventory.Requests{Source: "management", Count: 5}) {
		t.Errorf("requests = %+v", got)
	}
	for _, r := range srv.Requests() {
		if r.Path == "/api/v1/namespaces/ns/secrets" || len(r.Query["limit"]) > 0 {
			t.Errorf("Secrets were listed: %s", r)
		}
	}

	srv.SetFaults(kubesim.Fault{Resource: "secrets", Status: http.StatusForbidden})
	if _, err := c.WorkloadKubeconfig(t.Context(), "ns", "prod"); err == nil || !strings.Contains(err.Error(), `resourceNames ["prod-kubeconfig"]`) {
		t.Errorf("%v", err)
	}
	srv.SetFaults(kubesim.Fault{Resource: "secrets", Status: http.StatusInternalServerError})
	if _, err := c.WorkloadKubeconfig(t.Context(), "ns", "prod"); err == nil || !strings.Contains(err.Error(), "500 from") {
		t.Errorf("%v", err)
	}
	srv.SetFaults(kubesim.Fault{Resource: "secrets", Body: `{"data":7}`})
	if _, err := c.WorkloadKubeconfig(t.Context(), "ns", "prod"); err == nil || !strings.Contains(err.Error(), "no Secret") {
		t.Errorf("%v", err)
	}
}
