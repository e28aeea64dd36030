package e2e

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

// account is whom the CronJob runs as, and what the kubeconfigs of workload clusters are made of.
const account = "proxaudit"

// TestShippedRoles: the report under the accounts that deploy/cronjob makes reads all that there is; and without any one resource
// of any one rule a coverage entry says what is missing. So the roles are enough, and no more than that.
func TestShippedRoles(t *testing.T) {
	w := newWorld(t)
	install(t, w, management, filepath.Join(deployDir, "cronjob", "base"))
	for _, server := range []string{prod, lab} {
		install(t, w, server, filepath.Join(deployDir, "cronjob", "workload"))
	}
	serveTalos(t, w)
	for _, server := range []string{management, prod, lab} {
		tokenKubeconfig(t, w, server)
	}

	before := coverageOf(t, w)
	for id, c := range before {
		if c.State != "complete" && c.State != "absent" && (!c.Optional || c.State != "not-asked") {
			t.Errorf("under the shipped roles %s is %s: %s", id, c.State, c.Reason)
		}
	}
	if t.Failed() {
		return
	}

	var lines []string
	tried := 0
	for _, server := range []string{management, prod} {
		for _, r := range rolesOf(t, w, server) {
			for i := range r.rules {
				for g, group := range r.rules[i].APIGroups {
					for n, resource := range r.rules[i].Resources {
						tried++
						name := fmt.Sprintf("%s %s %s/%s", server, r.name(), group, resource)
						restore := r.without(t, w, i, g, n)
						missing := difference(before, coverageOf(t, w))
						restore()
						if len(missing) == 0 {
							t.Errorf("without %s nothing is missing: the role grants it for nothing", name)
						}
						lines = append(lines, name+"\n    "+strings.Join(missing, "\n    "))
					}
				}
			}
		}
	}
	if tried < 20 {
		t.Errorf("%d grants were tried", tried)
	}
	if after := difference(before, coverageOf(t, w)); len(after) != 0 {
		t.Errorf("with all grants again %q is missing", after)
	}
	slices.Sort(lines)
	sameAsGolden(t, "rbac.txt", []byte(strings.Join(lines, "\n")+"\n"))
}

// install applies what of a kustomization says who may do what.
func install(t *testing.T, w *world, server, dir string) {
	t.Helper()
	client, err := dynamic.NewForConfig(w.bench.Server(server).AdminConfig())
	if err != nil {
		t.Fatal(err)
	}
	objects, _ := rendered(t, w, dir)
	resources := map[string]string{"Namespace": "namespaces", "ServiceAccount": "serviceaccounts", "ClusterRole": "clusterroles",
		"ClusterRoleBinding": "clusterrolebindings", "Role": "roles", "RoleBinding": "rolebindings"}
	done := map[string]int{}
	for _, o := range objects {
		resource := resources[o.GetKind()]
		if resource == "" {
			continue
		}
		done[o.GetKind()]++
		gv, err := schema.ParseGroupVersion(o.GetAPIVersion())
		if err != nil {
			t.Fatal(err)
		}
		to := client.Resource(gv.WithResource(resource)).Namespace(o.GetNamespace())
		if _, err := to.Apply(t.Context(), o.GetName(), o, metav1.ApplyOptions{FieldManager: "proxaudit-test", Force: true}); err != nil {
			t.Fatalf("%s %s: %v", o.GetKind(), o.GetName(), err)
		}
		if strings.Contains(o.GetKind(), "Role") && o.GetKind() != "RoleBinding" && o.GetKind() != "ClusterRoleBinding" {
			readsOnly(t, o)
		}
	}
	for _, kind := range []string{"ServiceAccount", "ClusterRole", "ClusterRoleBinding", "Role", "RoleBinding"} {
		if done[kind] == 0 {
			t.Errorf("%s has no %s", dir, kind)
		}
	}
}

// readsOnly fails for a role that lets its holder write, or read a Secret.
func readsOnly(t *testing.T, o *unstructured.Unstructured) {
	t.Helper()
	var role rbacv1.ClusterRole
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(o.Object, &role); err != nil {
		t.Fatal(err)
	}
	for _, rule := range role.Rules {
		for _, verb := range rule.Verbs {
			if verb != "get" && verb != "list" {
				t.Errorf("%s grants %s", role.Name, verb)
			}
		}
		for _, resource := range rule.Resources {
			if strings.Contains(resource, "secret") || strings.Contains(resource, "*") {
				t.Errorf("%s grants %s", role.Name, resource)
			}
		}
	}
}

// serveTalos installs definitions of the kinds that the roles name and the fleet has not: what is not served is not asked for, and
// would show nothing.
func serveTalos(t *testing.T, w *world) {
	t.Helper()
	client, err := dynamic.NewForConfig(w.bench.Server(management).AdminConfig())
	if err != nil {
		t.Fatal(err)
	}
	crds := client.Resource(schema.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"})
	for kind, group := range map[string]string{"TalosControlPlane": "controlplane.cluster.x-k8s.io", "TalosConfig": "bootstrap.cluster.x-k8s.io",
		"TalosConfigTemplate": "bootstrap.cluster.x-k8s.io"} {
		plural := strings.ToLower(kind) + "s"
		crd := &unstructured.Unstructured{Object: map[string]any{
			"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
			"metadata": map[string]any{"name": plural + "." + group},
			"spec": map[string]any{"group": group, "scope": "Namespaced",
				"names": map[string]any{"kind": kind, "plural": plural, "singular": strings.ToLower(kind), "listKind": kind + "List"},
				"versions": []any{map[string]any{"name": "v1alpha3", "served": true, "storage": true,
					"schema": map[string]any{"openAPIV3Schema": map[string]any{"type": "object", "x-kubernetes-preserve-unknown-fields": true}}}}}}}
		if _, err := crds.Create(t.Context(), crd, metav1.CreateOptions{}); err != nil && !apierrors.IsAlreadyExists(err) {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := crds.Delete(w.ctx, crd.GetName(), metav1.DeleteOptions{}); err != nil {
				t.Errorf("%s: %v", crd.GetName(), err)
			}
		})
		until(t, crd.GetName()+" is served", func() (bool, error) {
			_, err := client.Resource(schema.GroupVersionResource{Group: group, Version: "v1alpha3", Resource: plural}).List(t.Context(), metav1.ListOptions{})
			if apierrors.IsNotFound(err) {
				return false, nil
			}
			return err == nil, err
		})
	}
}

// tokenKubeconfig makes the world's kubeconfig of a server one that has the account's token and nothing else.
func tokenKubeconfig(t *testing.T, w *world, server string) {
	t.Helper()
	s := w.bench.Server(server)
	client, err := kubernetes.NewForConfig(s.AdminConfig())
	if err != nil {
		t.Fatal(err)
	}
	token, err := client.CoreV1().ServiceAccounts(account).CreateToken(t.Context(), account, &authenticationv1.TokenRequest{}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	config := clientcmdapi.NewConfig()
	config.Clusters[server] = &clientcmdapi.Cluster{Server: s.URL(), CertificateAuthorityData: s.AdminConfig().CAData}
	config.AuthInfos[account] = &clientcmdapi.AuthInfo{Token: token.Status.Token}
	config.Contexts[server] = &clientcmdapi.Context{Cluster: server, AuthInfo: account}
	config.CurrentContext = server
	if err := clientcmd.WriteToFile(*config, w.kubeconfig(server)); err != nil {
		t.Fatal(err)
	}
	w.secrets = append(w.secrets, token.Status.Token)
}

type covered struct {
	Source, Scope, State, Reason string
	Optional                     bool
}

// coverageOf is what a report says of each thing that it asked for.
func coverageOf(t *testing.T, w *world) map[string]covered {
	t.Helper()
	o := run(t, w, "report", "-q", "--exit-zero", "--now", now, "-o", "json")
	o.want(t, 0)
	var r struct {
		Kind     string
		Coverage []covered
	}
	if err := json.Unmarshal(o.stdout, &r); err != nil || r.Kind != "Report" || len(r.Coverage) < 20 {
		t.Fatalf("%s with %d coverage entries: %v\n%.300s", r.Kind, len(r.Coverage), err, o.stderr)
	}
	out := map[string]covered{}
	for _, c := range r.Coverage {
		out[c.Source+" "+c.Scope] = c
	}
	return out
}

// difference are the entries that say less than before.
func difference(before, after map[string]covered) []string {
	var out []string
	for id, c := range after {
		was, known := before[id]
		if c.State != "complete" && c.State != "absent" && (!known || was.State != c.State) {
			out = append(out, id+": "+c.State)
		}
	}
	slices.Sort(out)
	return out
}

// role is a Role or a ClusterRole of the account.
type role struct {
	config    *rest.Config
	namespace string
	object    string
	rules     []rbacv1.PolicyRule
}

func (r *role) name() string {
	if r.namespace == "" {
		return "ClusterRole " + r.object
	}
	return "Role " + r.namespace + "/" + r.object
}

// rolesOf are the roles that are bound to the account.
func rolesOf(t *testing.T, w *world, server string) []*role {
	t.Helper()
	config := w.bench.Server(server).AdminConfig()
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	ours := func(subjects []rbacv1.Subject) bool {
		return slices.ContainsFunc(subjects, func(s rbacv1.Subject) bool {
			return s.Kind == rbacv1.ServiceAccountKind && s.Name == account && s.Namespace == account
		})
	}
	var out []*role
	everywhere, err := client.RbacV1().ClusterRoleBindings().List(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range everywhere.Items {
		if ours(b.Subjects) {
			r, err := client.RbacV1().ClusterRoles().Get(t.Context(), b.RoleRef.Name, metav1.GetOptions{})
			if err != nil {
				t.Fatal(err)
			}
			out = append(out, &role{config: config, object: r.Name, rules: r.Rules})
		}
	}
	inNamespaces, err := client.RbacV1().RoleBindings("").List(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range inNamespaces.Items {
		if ours(b.Subjects) {
			r, err := client.RbacV1().Roles(b.Namespace).Get(t.Context(), b.RoleRef.Name, metav1.GetOptions{})
			if err != nil {
				t.Fatal(err)
			}
			out = append(out, &role{config: config, namespace: b.Namespace, object: r.Name, rules: r.Rules})
		}
	}
	if len(out) < 2 {
		t.Fatalf("%s: %d roles are bound to the account", server, len(out))
	}
	return out
}

// without takes one resource of one group out of one rule, and waits until the server goes by it. What it returns puts it back.
func (r *role) without(t *testing.T, w *world, rule, group, resource int) (restore func()) {
	t.Helper()
	asked := r.rules[rule]
	less := slices.Clone(r.rules)
	cut := *asked.DeepCopy()
	cut.Resources = slices.Delete(cut.Resources, resource, resource+1)
	less[rule] = cut
	if len(cut.Resources) == 0 {
		less = slices.Delete(less, rule, rule+1)
	}
	attributes := &authorizationv1.ResourceAttributes{Namespace: r.namespace, Verb: asked.Verbs[0], Group: asked.APIGroups[group], Resource: asked.Resources[resource]}
	if len(asked.ResourceNames) > 0 {
		attributes.Name = asked.ResourceNames[0]
	}
	r.put(t, w, less)
	r.allowed(t, attributes, false)
	return func() {
		r.put(t, w, r.rules)
		r.allowed(t, attributes, true)
	}
}

func (r *role) put(t *testing.T, w *world, rules []rbacv1.PolicyRule) {
	t.Helper()
	client, err := kubernetes.NewForConfig(r.config)
	if err != nil {
		t.Fatal(err)
	}
	if r.namespace == "" {
		var was *rbacv1.ClusterRole
		if was, err = client.RbacV1().ClusterRoles().Get(w.ctx, r.object, metav1.GetOptions{}); err == nil {
			was.Rules = rules
			_, err = client.RbacV1().ClusterRoles().Update(w.ctx, was, metav1.UpdateOptions{})
		}
	} else {
		var was *rbacv1.Role
		if was, err = client.RbacV1().Roles(r.namespace).Get(w.ctx, r.object, metav1.GetOptions{}); err == nil {
			was.Rules = rules
			_, err = client.RbacV1().Roles(r.namespace).Update(w.ctx, was, metav1.UpdateOptions{})
		}
	}
	if err != nil {
		t.Fatalf("%s: %v", r.name(), err)
	}
}

// allowed waits until the server's answer to the account is the one that its role now gives.
func (r *role) allowed(t *testing.T, a *authorizationv1.ResourceAttributes, want bool) {
	t.Helper()
	client, err := kubernetes.NewForConfig(r.config)
	if err != nil {
		t.Fatal(err)
	}
	review := &authorizationv1.SubjectAccessReview{Spec: authorizationv1.SubjectAccessReviewSpec{
		User: "system:serviceaccount:" + account + ":" + account, Groups: []string{"system:serviceaccounts", "system:serviceaccounts:" + account, "system:authenticated"},
		ResourceAttributes: a}}
	until(t, fmt.Sprintf("%s: %s %s allowed = %v", r.name(), a.Verb, a.Resource, want), func() (bool, error) {
		got, err := client.AuthorizationV1().SubjectAccessReviews().Create(t.Context(), review, metav1.CreateOptions{})
		return err == nil && got.Status.Allowed == want, err
	})
}

// until asks again and again, for at most half a minute.
func until(t *testing.T, what string, done func() (bool, error)) {
	t.Helper()
	for end := time.Now().Add(30 * time.Second); ; time.Sleep(50 * time.Millisecond) {
		ok, err := done()
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		if ok {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("%s: not after half a minute", what)
		}
	}
}
