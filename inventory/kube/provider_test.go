package kube

import (
	"strings"
	"testing"

	"github.com/proxaudit/proxaudit/internal/kubesim"
	"github.com/proxaudit/proxaudit/inventory"
)

// Of the environment of CAPMOX the Secret is kept that its access to Proxmox comes from, and no value.
func TestProviderCredentials(t *testing.T) {
	deployment := func(env string) string {
		return "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: capmox, namespace: capmox-system, labels: {cluster.x-k8s.io/provider: infrastructure-proxmox}}\n" +
			"spec: {template: {spec: {containers: [{name: manager, image: 'x/capmox:v0.9.0', env: [" + env + "]}]}}}\n"
	}
	for env, want := range map[string]string{
		"": "",
		"{name: PROXMOX_URL, valueFrom: {secretKeyRef: {name: own, key: url}}}":         "capmox-system/own",
		"{name: PROXMOX_URL, valueFrom: {secretKeyRef: {name: own, key: endpoint}}}":    "",
		"{name: PROXMOX_URL, valueFrom: {configMapKeyRef: {name: own, key: endpoint}}}": "",
		"{name: OTHER, valueFrom: {secretKeyRef: {name: own, key: url}}}":               "",
		"{name: PROXMOX_URL, value: 'https://u:" + canaryBlob + "@pve'}":                "",
	} {
		s := client(t, sim(t, kubesim.Config{}, kubesim.Options{}, deployment(env))).CollectManagement(t.Context(), ManagementOptions{Adoption: true})
		if len(s.Providers) != 1 || s.Providers[0].Credentials != want || (s.Providers[0].Server != "") != (strings.Contains(env, "value: ") || strings.Contains(env, "endpoint")) || s.Providers[0].Version != "v0.9.0" {
			t.Errorf("%s: %+v", env, s.Providers)
		}
		if all := toJSON(t, inventory.Snapshot{Providers: s.Providers, Objects: s.Objects}); strings.Contains(all, canaryBlob) {
			t.Errorf("%s: a value of the environment is in the Snapshot: %s", env, all)
		}
	}
}

func TestRenewable(t *testing.T) {
	const users = "users: [{name: u, user: {client-certificate-data: YQ==}}]\n"
	for text, want := range map[string]*bool{
		"clusters: [{name: prod, cluster: {server: x}}]\n" + users:                               new(true),
		"clusters: [{name: kubernetes, cluster: {server: x}}]\n" + users:                         new(false),
		"clusters: [{name: prod, cluster: {server: x}}]\nusers: [{name: u, user: {token: t}}]\n": new(false),
		"clusters: [{name: prod, cluster: {server: x}}]\n":                                       new(false),
		"clusters: 5\n": nil,
	} {
		if got := renewable([]byte("apiVersion: v1\nkind: Config\n"+text), "prod"); (got == nil) != (want == nil) || got != nil && *got != *want {
			t.Errorf("%s: %v", text, got)
		}
	}
}

func TestAPIServer(t *testing.T) {
	for text, want := range map[string]string{
		"https://pve:8006/api2/json": "https://pve:8006", "https://[fd00::1]:8006\n": "https://[fd00::1]:8006", "HTTPS://u:s@10.0.0.1": "https://10.0.0.1",
		"https://root:4711/abc@host:8006": "", "https://12ab34cd/ef@host:8006": "", "https://root@pam!tok=uu:12#x@h": "", "https://capmox!tok=12345678-aaaa": "",
		"pve:8006": "", "$(PVE)": "", "": "", "http://pve": "",
	} {
		if got := apiServer(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
