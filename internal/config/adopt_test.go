package config

import (
	"strings"
	"testing"
)

// Each value of clusters[].adopt that cannot be meant is named, and a secret in the wrong place is not repeated.
func TestAdoptValues(t *testing.T) {
	for value, want := range map[string]string{
		"name: Prod":                "clusters[0].adopt.name: \"Prod\" cannot be an object's name",
		"namespace: a/b":            "clusters[0].adopt.namespace",
		"template: 5":               "clusters[0].adopt.template: want the VMID",
		"prefix: 129":               "clusters[0].adopt.prefix",
		"gateway: gw":               "clusters[0].adopt.gateway: \"gw\" is no address",
		"dnsServers: [1.1.1.1, x]":  "clusters[0].adopt.dnsServers[1]: \"x\" is no address",
		"capmoxTokenID: capmox@pve": "clusters[0].adopt.capmoxTokenID: has no !",
		"capmoxTokenID: " + secret:  "clusters[0].adopt.capmoxTokenID: is a UUID",
		"controllerCredentials: true\n    credentialsSecret: x": "clusters[0].adopt.controllerCredentials: contradicts",
		"addrs: [1.1.1.1]": "addrs",
	} {
		path := write(t, t.TempDir(), "proxaudit.yaml", "clusters:\n- name: prod\n  adopt:\n    "+value+"\n", 0o600)
		_, err := Load(path, ForAnalysis, env())
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", value, err, want)
		} else if strings.Contains(err.Error(), secret) {
			t.Errorf("%s: the error repeats the secret", value)
		}
	}
}
