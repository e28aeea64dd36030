package collect

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	rbacv1 "k8s.io/api/rbac/v1"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/yaml"

	"github.com/proxaudit/proxaudit/internal/kubesim"
)

// rolesOf reads the rules of manifests in examples/rbac. A namespace of "" is the whole cluster. The objects called
// proxaudit-adoption are left out unless they are wanted.
func rolesOf(t *testing.T, more []string, files ...string) map[string][]rbacv1.PolicyRule {
	t.Helper()
	out := map[string][]rbacv1.PolicyRule{}
	for _, file := range files {
		text, err := os.ReadFile(filepath.Join("..", "..", "examples", "rbac", file))
		if err != nil {
			t.Fatal(err)
		}
		roles, bound := 0, 0
		docs := utilyaml.NewYAMLReader(bufio.NewReader(bytes.NewReader(text)))
		for {
			doc, err := docs.Read()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			var role rbacv1.Role
			switch {
			case bytes.Contains(doc, []byte("Binding\n")):
				var b rbacv1.RoleBinding
				if err := yaml.UnmarshalStrict(doc, &b); err != nil {
					t.Errorf("%s: %v", file, err)
				}
				bound++
				continue
			default:
				if err := yaml.UnmarshalStrict(doc, &role); err != nil {
					t.Fatalf("%s: %v", file, err)
				}
			}
			roles++
			if !slices.Contains([]string{"proxaudit-adoption", "proxaudit-progress"}, role.Name) || slices.Contains(more, role.Name) {
				out[role.Namespace] = append(out[role.Namespace], role.Rules...)
			}
			for _, rule := range role.Rules {
				if slices.ContainsFunc(rule.Verbs, func(v string) bool { return v != "get" && v != "list" }) || len(rule.Verbs) == 0 ||
					slices.Contains(rule.Resources, "*") || slices.Contains(rule.APIGroups, "*") {
					t.Errorf("%s allows too much: %+v", file, rule)
				}
				if slices.Contains(rule.Resources, "secrets") && (len(rule.ResourceNames) == 0 || !slices.Equal(rule.Verbs, []string{"get"}) || file != "secrets.yaml") {
					t.Errorf("%s allows Secrets: %+v", file, rule)
				}
			}
		}
		if roles == 0 || roles != bound {
			t.Errorf("%s has %d roles and %d bindings", file, roles, bound)
		}
	}
	return out
}

// allows decides as the API server's authorizer does, for a path of an object or a collection. All others are open to
// whom the server knows (system:discovery).
func allows(rules map[string][]rbacv1.PolicyRule, path string) bool {
	parts := strings.Split(strings.Trim(path, "/"), "/")
	group := ""
	switch {
	case parts[0] == "api" && len(parts) > 2:
		parts = parts[2:]
	case parts[0] == "apis" && len(parts) > 3:
		group, parts = parts[1], parts[3:]
	default:
		return true
	}
	namespace, name, verb := "", "", "list"
	if parts[0] == "namespaces" && len(parts) > 2 {
		namespace, parts = parts[1], parts[2:]
	}
	if len(parts) > 1 {
		name, verb = parts[1], "get"
	}
	applicable := slices.Clone(rules[""])
	if namespace != "" {
		applicable = append(applicable, rules[namespace]...)
	}
	return slices.ContainsFunc(applicable, func(r rbacv1.PolicyRule) bool {
		return slices.Contains(r.APIGroups, group) && slices.Contains(r.Resources, parts[0]) && slices.Contains(r.Verbs, verb) &&
			(len(r.ResourceNames) == 0 || slices.Contains(r.ResourceNames, name))
	})
}

var adoptionRoles = []string{"proxaudit-adoption"}

// The example roles allow every request that a run sends, and without those for adoption, every request of a run for
// anything else.
func TestExampleRolesSuffice(t *testing.T) {
	for name, c := range map[string]struct {
		adoption, controllers, secrets bool
		files                          []string
	}{
		"orphans":           {files: []string{"workload.yaml", "management.yaml"}},
		"adoption":          {adoption: true, files: []string{"workload.yaml", "management.yaml"}},
		"why":               {controllers: true, files: []string{"workload.yaml", "management.yaml"}},
		"adoption, Secrets": {adoption: true, secrets: true, files: []string{"workload.yaml", "management.yaml", "secrets.yaml"}},
	} {
		t.Run(name, func(t *testing.T) {
			l := adoptionLab(t)
			l.plan.Adoption, l.plan.Controllers, l.plan.ReadSecrets = c.adoption, c.controllers, c.secrets
			var more []string
			if c.adoption {
				more = append(more, "proxaudit-adoption")
			}
			if c.controllers {
				more = append(more, "proxaudit-progress")
			}
			l.run(t)
			management, workload := rolesOf(t, more, c.files...), rolesOf(t, more, "workload.yaml")
			// The example's Cluster is in a namespace of another name.
			management["team"] = management["prod"]
			used := 0
			for _, at := range []struct {
				server *kubesim.Server
				rules  map[string][]rbacv1.PolicyRule
			}{{l.mgmt, management}, {l.prod, workload}, {l.dev, workload}} {
				for _, r := range at.server.Requests() {
					used++
					if !allows(at.rules, r.Path) {
						t.Errorf("the roles of %q do not allow %s", c.files, r)
					}
				}
			}
			if used < 15 {
				t.Errorf("%d requests are no run", used)
			}
		})
	}
	// The test can tell.
	if allows(rolesOf(t, nil, "workload.yaml", "management.yaml"), "/api/v1/namespaces/kube-system/pods") || allows(rolesOf(t, adoptionRoles, "workload.yaml"), "/api/v1/namespaces/default/pods") ||
		allows(rolesOf(t, adoptionRoles, "secrets.yaml"), "/api/v1/namespaces/prod/secrets/other") || allows(rolesOf(t, adoptionRoles, "secrets.yaml"), "/api/v1/namespaces/prod/secrets") {
		t.Error("everything is allowed")
	}
}
