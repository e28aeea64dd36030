package kube

import (
	"slices"
	"strings"
	"testing"

	"github.com/proxaudit/proxaudit/internal/kubesim"
	"github.com/proxaudit/proxaudit/inventory"
)

// capmoxWith is CAPMOX's Deployment with an environment.
func capmoxWith(env string) string {
	return "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: capmox, namespace: capmox-system, labels: {cluster.x-k8s.io/provider: infrastructure-proxmox}}\n" +
		"spec: {template: {spec: {containers: [{name: manager, image: 'x/capmox:v0.9.0', env: [" + env + "]}]}}}\nstatus: {conditions: [{type: Progressing, lastUpdateTime: '2026-12-01T07:00:00Z'}]}\n"
}

// Of the environment of CAPMOX it is kept where its access to Proxmox comes from, and no value.
func TestProviderAccess(t *testing.T) {
	const rest = ", {name: PROXMOX_TOKEN, valueFrom: {secretKeyRef: {name: own, key: token}}}, {name: OTHER, valueFrom: {secretKeyRef: {name: other, key: url}}}"
	token := inventory.AccessVariable{Name: "PROXMOX_TOKEN", Secret: "capmox-system/own", Key: "token"}
	for env, want := range map[string]inventory.AccessVariable{
		"{name: PROXMOX_URL, valueFrom: {secretKeyRef: {name: own, key: url}}}":         {Name: "PROXMOX_URL", Secret: "capmox-system/own", Key: "url"},
		"{name: PROXMOX_URL, valueFrom: {secretKeyRef: {name: own, key: endpoint}}}":    {Name: "PROXMOX_URL", Secret: "capmox-system/own", Key: "endpoint"},
		"{name: PROXMOX_URL, valueFrom: {configMapKeyRef: {name: own, key: endpoint}}}": {Name: "PROXMOX_URL", Unread: true},
		"{name: PROXMOX_URL, value: 'https://pve:8006/api2/json'}":                      {Name: "PROXMOX_URL", Set: true, Server: "https://pve:8006"},
		"{name: PROXMOX_URL, value: 'https://u:" + canaryBlob + "@pve'}":                {Name: "PROXMOX_URL", Set: true, Server: "https://pve"},
		"{name: PROXMOX_URL, value: '$(HOST)'}":                                         {Name: "PROXMOX_URL", Unread: true},
		"{name: PROXMOX_URL, value: ''}":                                                {Name: "PROXMOX_URL"},
		"{name: PROXMOX_URL, value: 'https://a'}, {name: PROXMOX_URL, value: ''}":       {Name: "PROXMOX_URL"},
	} {
		s := client(t, sim(t, kubesim.Config{}, kubesim.Options{}, capmoxWith(env+rest))).CollectManagement(t.Context(), ManagementOptions{Adoption: true})
		if len(s.Providers) != 1 || !slices.Equal(s.Providers[0].Access, []inventory.AccessVariable{want, token}) || s.Providers[0].Version != "v0.9.0" ||
			s.Providers[0].RolledOut == nil || s.Providers[0].RolledOut.Format("15:04") != "07:00" {
			t.Errorf("%s: %+v", env, s.Providers)
		}
		if all := toJSON(t, inventory.Snapshot{Providers: s.Providers, Objects: s.Objects}); strings.Contains(all, canaryBlob) {
			t.Errorf("%s: a value of the environment is in the Snapshot: %s", env, all)
		}
	}
	s := client(t, sim(t, kubesim.Config{}, kubesim.Options{}, strings.Replace(capmoxWith("{name: PROXMOX_URL, value: 'https://pve'}"), "env:", "envFrom: [{secretRef: {name: x}}], env:", 1))).
		CollectManagement(t.Context(), ManagementOptions{Adoption: true})
	if len(s.Providers) != 1 || !slices.Equal(s.Providers[0].Access, []inventory.AccessVariable{{Name: "PROXMOX_URL", Set: true, Server: "https://pve"},
		{Name: "PROXMOX_TOKEN", Unread: true}, {Name: "PROXMOX_SECRET", Unread: true}}) {
		t.Errorf("%+v", s.Providers)
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

func TestTokenID(t *testing.T) {
	for text, want := range map[string]string{
		"capmox@pve!capi": "capmox@pve!capi", "root@pam!tk-2\n": "root@pam!tk-2", "joe.doe@my-realm!a_b": "joe.doe@my-realm!a_b",
		"root@pam": "", "root@pam!x=12345678-1234-4234-8234-123456789abc": "", "root@pam!a2345678-1234-4234-8234-123456789abc": "",
		"a2345678-1234-4234-8234-123456789abc@pam!tok": "", "a23456781234423482341234567890bc@pam!tok": "", "PVEAPIToken=root@pam!x": "", "": "", "a b@pam!tok": "",
	} {
		if got := tokenID(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func TestAPIServer(t *testing.T) {
	for text, want := range map[string]string{
		"https://pve:8006/api2/json": "https://pve:8006", "https://[fd00::1]:8006\n": "https://[fd00::1]:8006", "HTTPS://u:s@10.0.0.1": "https://10.0.0.1",
		"https://root:4711/abc@host:8006": "", "https://12ab34cd/ef@host:8006": "", "https://root@pam!tok=uu:12#x@h": "", "https://capmox!tok=12345678-aaaa": "",
		"https://gate:8006/site-a/api2/json": "", "https://pve:8006/": "https://pve:8006", "https://pve:8006/api2/json/": "https://pve:8006",
		"pve:8006": "", "$(PVE)": "", "": "", "http://pve": "",
	} {
		if got := apiServer(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
