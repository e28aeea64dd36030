package kube

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/proxaudit/proxaudit/inventory"
)

const dryRunToken = "canary-0123456789-of-a-token"

// dryServer is an API server that knows Machines and ProxmoxClusters, and answers a PATCH as it is told to.
type dryServer struct {
	*httptest.Server
	namespaces []string
	// answer gives the Status for a path; without one the object is accepted.
	answer func(path string) *metav1.Status

	mu     sync.Mutex
	seen   []string
	bodies map[string]string
	fault  func(r *http.Request) // spoils a request, before anything is answered
}

func newDryServer(t *testing.T, answer func(path string) *metav1.Status) *dryServer {
	t.Helper()
	s := &dryServer{namespaces: []string{"prod"}, answer: answer, bodies: map[string]string{}}
	s.Server = httptest.NewUnstartedServer(http.HandlerFunc(s.serve))
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	s.StartTLS()
	t.Cleanup(func() {
		s.Close()
		for _, r := range s.requests() {
			if !strings.HasPrefix(r, "GET ") && !strings.HasPrefix(r, "PATCH ") {
				t.Errorf("%s was sent", r)
			}
			if strings.HasPrefix(r, "PATCH ") && strings.Count(r, "dryRun=All") != 1 {
				t.Errorf("%s was sent", r)
			}
			if strings.Contains(r, "/secrets/") {
				t.Errorf("%s was sent", r)
			}
		}
	})
	return s
}

func (s *dryServer) requests() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.seen)
}

func (s *dryServer) serve(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	query := r.URL.Query()
	query.Del("timeout")
	line := r.Method + " " + r.URL.Path
	if len(query) > 0 {
		line += "?" + query.Encode()
	}
	s.mu.Lock()
	s.seen = append(s.seen, line)
	s.bodies[r.URL.Path] = string(body)
	fault := s.fault
	s.mu.Unlock()
	if fault != nil {
		fault(r)
	}
	if r.Header.Get("Authorization") != "Bearer "+dryRunToken {
		refuse(w, &metav1.Status{Code: http.StatusUnauthorized, Reason: metav1.StatusReasonUnauthorized, Message: "Unauthorized: " + r.Header.Get("Authorization")})
		return
	}
	if r.Method == http.MethodPatch {
		if st := s.answer(r.URL.Path); st != nil {
			refuse(w, st)
			return
		}
		respond(w, http.StatusOK, json.RawMessage(body))
		return
	}
	if ns, ok := strings.CutPrefix(r.URL.Path, "/api/v1/namespaces/"); ok {
		switch {
		case slices.Contains(s.namespaces, ns):
			respond(w, http.StatusOK, map[string]any{"kind": "Namespace", "apiVersion": "v1"})
		case ns == "hidden":
			refuse(w, &metav1.Status{Code: http.StatusForbidden, Reason: metav1.StatusReasonForbidden, Message: `namespaces "hidden" is forbidden: User "u" cannot get resource "namespaces"`})
		default:
			refuse(w, notFoundStatus("namespaces", ns))
		}
		return
	}
	resources := map[string][]metav1.APIResource{
		"/apis/cluster.x-k8s.io/v1beta2":                 {{Name: "machines/status", Kind: "Machine", Namespaced: true}, {Name: "machines", Kind: "Machine", Namespaced: true}},
		"/apis/infrastructure.cluster.x-k8s.io/v1alpha2": {{Name: "proxmoxclusters", Kind: "ProxmoxCluster", Namespaced: true}, {Name: "zones", Kind: "Zone"}},
	}[r.URL.Path]
	if resources == nil {
		http.NotFound(w, r)
		return
	}
	respond(w, http.StatusOK, metav1.APIResourceList{TypeMeta: metav1.TypeMeta{Kind: "APIResourceList", APIVersion: "v1"},
		GroupVersion: strings.TrimPrefix(r.URL.Path, "/apis/"), APIResources: resources})
}

func refuse(w http.ResponseWriter, st *metav1.Status) {
	if st.Code == http.StatusTooManyRequests {
		w.Header().Set("Retry-After", strconv.Itoa(int(st.Details.RetryAfterSeconds)))
	}
	st.TypeMeta, st.Status = metav1.TypeMeta{Kind: "Status", APIVersion: "v1"}, metav1.StatusFailure
	respond(w, int(st.Code), st)
}

func respond(w http.ResponseWriter, code int, v any) {
	data, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	if _, err := w.Write(data); err != nil {
		panic(http.ErrAbortHandler)
	}
}

func notFoundStatus(kind, name string) *metav1.Status {
	return &metav1.Status{Code: http.StatusNotFound, Reason: metav1.StatusReasonNotFound, Message: fmt.Sprintf("%s %q not found", kind, name),
		Details: &metav1.StatusDetails{Kind: kind, Name: name}}
}

func accept(string) *metav1.Status { return nil }

func dryClient(t *testing.T, s *httptest.Server) *Client {
	t.Helper()
	path := filepath.Join(t.TempDir(), "kubeconfig")
	config := fmt.Sprintf(`{apiVersion: v1, kind: Config, current-context: mgmt,
clusters: [{name: c, cluster: {server: %q, certificate-authority-data: %s}}],
users: [{name: u, user: {token: %s}}],
contexts: [{name: mgmt, context: {cluster: c, user: u}}]}`, s.URL, base64.StdEncoding.EncodeToString(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw})), dryRunToken)
	if err := os.WriteFile(path, []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	c, err := Connect(Target{Kubeconfig: path, Timeout: 5 * time.Second, HashKey: []byte("k")})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func machineYAML(name string) []byte {
	return fmt.Appendf(nil, "apiVersion: cluster.x-k8s.io/v1beta2\nkind: Machine\nmetadata: {name: %s, namespace: prod}\nspec: {clusterName: prod}\n", name)
}

func objects(docs ...string) [][]byte {
	out := make([][]byte, len(docs))
	for i, d := range docs {
		out[i] = []byte(d)
	}
	return out
}

const (
	dryCluster = `{"apiVersion": "infrastructure.cluster.x-k8s.io/v1alpha2", "kind": "ProxmoxCluster", "metadata": {"name": "prod", "namespace": "prod"}}`
	dryZone    = `{"apiVersion": "infrastructure.cluster.x-k8s.io/v1alpha2", "kind": "Zone", "metadata": {"name": "z"}}`
	drySecret  = `{"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "prod-ca", "namespace": "prod"}, "data": {"tls.key": "Y2FuYXJ5"}}`
)

// TestDryRunRequests: each object once, as a server-side apply that says dryRun; the namespace and each group version once;
// Secrets never.
func TestDryRunRequests(t *testing.T) {
	s := newDryServer(t, accept)
	r, err := dryClient(t, s.Server).DryRun(t.Context(), append(objects(drySecret, dryCluster, dryZone), machineYAML("w-1"), machineYAML("w-2")))
	if err != nil {
		t.Fatal(err)
	}
	const q = "?dryRun=All&fieldManager=proxaudit&fieldValidation=Strict&force=false"
	want := []string{
		"GET /api/v1/namespaces/prod",
		"GET /apis/infrastructure.cluster.x-k8s.io/v1alpha2",
		"GET /apis/cluster.x-k8s.io/v1beta2",
		"PATCH /apis/cluster.x-k8s.io/v1beta2/namespaces/prod/machines/w-1" + q,
		"PATCH /apis/cluster.x-k8s.io/v1beta2/namespaces/prod/machines/w-2" + q,
		"PATCH /apis/infrastructure.cluster.x-k8s.io/v1alpha2/namespaces/prod/proxmoxclusters/prod" + q,
		"PATCH /apis/infrastructure.cluster.x-k8s.io/v1alpha2/zones/z" + q,
	}
	got := s.requests()
	slices.Sort(got[3:])
	if !slices.Equal(got, want) {
		t.Errorf("requests\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if r.Sent != 4 || r.Accepted != 4 || len(r.Rejections) > 0 || !r.Judged() {
		t.Errorf("result = %+v", r)
	}
	if len(r.Skipped) != 1 || r.Skipped[0].Name != "prod-ca" {
		t.Errorf("skipped = %v", r.Skipped)
	}
	if r.Requests != (inventory.Requests{Source: inventory.ManagementSource, Count: 7}) {
		t.Errorf("requests = %+v", r.Requests)
	}
	if body := s.bodies["/apis/cluster.x-k8s.io/v1beta2/namespaces/prod/machines/w-1"]; !strings.Contains(body, `"clusterName":"prod"`) {
		t.Errorf("body = %s", body)
	}
}

func TestDryRunNothingToSend(t *testing.T) {
	s := newDryServer(t, accept)
	r, err := dryClient(t, s.Server).DryRun(t.Context(), objects(drySecret))
	if err != nil || len(r.Skipped) != 1 || len(s.requests()) > 0 || r.Requests.Source != inventory.ManagementSource {
		t.Errorf("%+v, error %v, requests %v", r, err, s.requests())
	}
}

// TestDryRunMissingNamespace: it is found before anything is sent, and by the first answer where it may not be looked at.
func TestDryRunMissingNamespace(t *testing.T) {
	for _, ns := range []string{"gone", "hidden"} {
		t.Run(ns, func(t *testing.T) {
			s := newDryServer(t, func(string) *metav1.Status { return notFoundStatus("namespaces", ns) })
			_, err := dryClient(t, s.Server).DryRun(t.Context(), [][]byte{[]byte(strings.ReplaceAll(string(machineYAML("w-1")), "namespace: prod", "namespace: "+ns))})
			var missing *MissingNamespace
			if !errors.As(err, &missing) || missing.Namespace != ns || missing.Command != "kubectl --context mgmt create namespace "+ns || !strings.Contains(err.Error(), missing.Command) {
				t.Fatalf("error = %v", err)
			}
			if ns == "gone" && len(s.requests()) != 1 {
				t.Errorf("requests = %v", s.requests())
			}
		})
	}
}

func TestDryRunRejections(t *testing.T) {
	const path = "/apis/cluster.x-k8s.io/v1beta2/namespaces/prod/machines/w-1"
	invalid := func(message string, causes ...metav1.StatusCause) *metav1.Status {
		return &metav1.Status{Code: http.StatusUnprocessableEntity, Reason: metav1.StatusReasonInvalid, Message: message, Details: &metav1.StatusDetails{Causes: causes}}
	}
	forbidden := func(message string) *metav1.Status {
		return &metav1.Status{Code: http.StatusForbidden, Reason: metav1.StatusReasonForbidden, Message: message}
	}
	status := func(code int32, reason metav1.StatusReason, message string) *metav1.Status {
		return &metav1.Status{Code: code, Reason: reason, Message: message}
	}
	for name, c := range map[string]struct {
		status *metav1.Status
		// want has "cause field: message | remedy" of each, shortened to what is asserted.
		want   []string
		judged bool
	}{
		"validation of two fields": {invalid("Machine is invalid",
			metav1.StatusCause{Type: metav1.CauseTypeFieldValueInvalid, Field: "spec.version", Message: "Invalid value: no v"},
			metav1.StatusCause{Type: metav1.CauseTypeFieldValueRequired, Field: "spec.bootstrap", Message: "Required value"}),
			[]string{"invalid spec.version: Invalid value: no v", "invalid spec.bootstrap: Required value"}, true},
		"validation without details":     {invalid("Machine is invalid: everything"), []string{"invalid : Machine is invalid: everything"}, true},
		"a cause about no field":         {invalid("x", metav1.StatusCause{Field: "<nil>", Message: "rule failed"}), []string{"invalid : rule failed"}, true},
		"a cause twice":                  {invalid("x", metav1.StatusCause{Field: "f", Message: "m"}, metav1.StatusCause{Field: "f", Message: "m"}), []string{"invalid f: m"}, true},
		"a cause without words":          {invalid("the whole", metav1.StatusCause{Field: "f"}), []string{"invalid f: the whole"}, true},
		"a webhook's validation":         {invalid(`admission webhook "validation.machine" denied the request: Machine is invalid`, metav1.StatusCause{Field: "spec.x", Message: "Invalid value"}), []string{`invalid spec.x: admission webhook "validation.machine" denied the request: Invalid value`}, true},
		"a webhook's denial":             {forbidden(`admission webhook "v.m" denied the request: no`), []string{`denied : admission webhook "v.m" denied the request: no`}, true},
		"a webhook's 400":                {status(400, metav1.StatusReasonBadRequest, `admission webhook "v.m" denied the request: panic`), []string{`denied : admission webhook`}, true},
		"a policy's denial":              {invalid(`machines "w-1" is forbidden: ValidatingAdmissionPolicy 'p' with binding 'b' denied request: no`), []string{`invalid : machines "w-1"`}, true},
		"a policy's 403":                 {forbidden(`machines "w-1" is forbidden: ValidatingAdmissionPolicy 'p' with binding 'b' denied request: no`), []string{`denied : machines "w-1"`}, true},
		"a quota":                        {forbidden(`machines "w-1" is forbidden: exceeded quota: q`), []string{`denied : machines "w-1" is forbidden: exceeded quota`}, true},
		"no rule to patch":               {forbidden(`machines.cluster.x-k8s.io "w-1" is forbidden: User "u" cannot patch resource "machines" in API group "cluster.x-k8s.io" in the namespace "prod"`), []string{`forbidden : machines.cluster.x-k8s.io "w-1" is forbidden: User "u" cannot patch resource "machines" in API group "cluster.x-k8s.io" in the namespace "prod" | {apiGroups: ["cluster.x-k8s.io"], resources: ["machines"], verbs: ["patch", "create"]}`}, false},
		"no rule to create":              {forbidden(`machines.cluster.x-k8s.io "w-1" is forbidden: User "u" cannot create resource "machines" in API group "cluster.x-k8s.io" in the namespace "prod"`), []string{`forbidden : machines`}, false},
		"a webhook that is down":         {status(500, metav1.StatusReasonInternalError, `Internal error occurred: failed calling webhook "default.machine": failed to call webhook: Post "https://s": connection refused`), []string{`webhook-failed : Internal error occurred: failed calling webhook | controller runs`}, false},
		"a webhook without dry run":      {status(400, metav1.StatusReasonBadRequest, `admission webhook "w" does not support dry run`), []string{`webhook-failed : admission webhook "w" does not support dry run`}, false},
		"a field that there is not":      {status(500, metav1.StatusReasonInternalError, "failed to create typed patch object (prod/w-1): errors:\n  .spec.foo: field not declared in schema\n  .spec.bar[0].baz: field not declared in schema"), []string{"invalid spec.foo: the kind has no such field", "invalid spec.bar[0].baz: the kind has no such field"}, true},
		"a field that strict mode finds": {status(400, metav1.StatusReasonBadRequest, `strict decoding error: unknown field "spec.foo", duplicate field "spec.x"`), []string{`invalid spec.foo: unknown field`, `invalid spec.x: duplicate field`}, true},
		"another's field": {&metav1.Status{Code: 409, Reason: metav1.StatusReasonConflict, Message: "Apply failed with 1 conflict", Details: &metav1.StatusDetails{
			Causes: []metav1.StatusCause{{Type: metav1.CauseTypeFieldManagerConflict, Field: ".spec.version", Message: `conflict with "kubectl"`}}}},
			[]string{`conflict spec.version: conflict with "kubectl" | kubectl get machines.cluster.x-k8s.io w-1 -n prod`}, true},
		"the kind is gone":        {notFoundStatus("", ""), []string{"not-served : "}, true},
		"method not allowed":      {status(405, metav1.StatusReasonMethodNotAllowed, "PATCH is not supported"), []string{"not-served : PATCH is not supported"}, true},
		"too large":               {status(413, metav1.StatusReasonRequestEntityTooLarge, "too large"), []string{"failed : "}, false},
		"an error of the server":  {status(500, metav1.StatusReasonInternalError, "etcd is sad"), []string{"failed : 500"}, false},
		"a token in the message":  {invalid("saw Bearer " + dryRunToken), []string{"invalid : saw REDACTED"}, true},
		"terminal control":        {invalid("two\nlines"), []string{"invalid : two lines"}, true},
		"the credentials expired": {status(401, metav1.StatusReasonUnauthorized, "Unauthorized"), []string{"unreachable : Unauthorized | renew the credentials"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			s := newDryServer(t, func(p string) *metav1.Status {
				if p == path {
					return c.status
				}
				return nil
			})
			// One object after the other has its own answer: w-0 is good.
			r, err := dryClient(t, s.Server).DryRun(t.Context(), [][]byte{machineYAML("w-0"), machineYAML("w-1")})
			if err != nil {
				t.Fatal(err)
			}
			if r.Accepted != 1 || r.Sent != 2 || r.Judged() != c.judged {
				t.Errorf("accepted %d of %d, judged %v", r.Accepted, r.Sent, r.Judged())
			}
			if len(r.Rejections) != len(c.want) {
				t.Fatalf("%d rejections: %+v", len(r.Rejections), r.Rejections)
			}
			for i, got := range r.Rejections {
				if got.Object.Name != "w-1" || got.Object.Kind != "Machine" || got.APIVersion != "cluster.x-k8s.io/v1beta2" {
					t.Errorf("object = %+v of %s", got.Object, got.APIVersion)
				}
				head, remedy, _ := strings.Cut(c.want[i], " | ")
				cause, rest, _ := strings.Cut(head, " ")
				field, message, _ := strings.Cut(rest, ": ")
				if got.Cause != inventory.RejectionCause(cause) || got.Field != field || !strings.HasPrefix(got.Message, message) || !strings.Contains(got.Remedy, remedy) {
					t.Errorf("got %+v\nwant %s, field %q, %q, remedy %q", got, cause, field, message, remedy)
				}
				if strings.Contains(got.Message, dryRunToken) || strings.Contains(got.Message, "\n") {
					t.Errorf("message = %q", got.Message)
				}
			}
		})
	}
}

// TestDryRunNotServed: a kind that no provider brings is a rejection, and its objects are not sent.
func TestDryRunNotServed(t *testing.T) {
	s := newDryServer(t, accept)
	r, err := dryClient(t, s.Server).DryRun(t.Context(), append(objects(
		`{"apiVersion": "controlplane.cluster.x-k8s.io/v1beta2", "kind": "KubeadmControlPlane", "metadata": {"name": "prod", "namespace": "prod"}}`,
		`{"apiVersion": "cluster.x-k8s.io/v1beta2", "kind": "MachineSet", "metadata": {"name": "md", "namespace": "prod"}}`), machineYAML("w-1")))
	if err != nil {
		t.Fatal(err)
	}
	if r.Sent != 1 || r.Accepted != 1 || len(r.Rejections) != 2 {
		t.Fatalf("%+v", r)
	}
	for i, kind := range []string{"KubeadmControlPlane", "MachineSet"} {
		if x := r.Rejections[i]; x.Cause != inventory.RejectedNotServed || x.Object.Kind != kind || !strings.Contains(x.Message, "does not serve "+kind) || x.Remedy == "" {
			t.Errorf("%+v", x)
		}
	}
}

// TestDryRunObjects: what is no manifest of one object is never sent.
func TestDryRunObjects(t *testing.T) {
	for name, c := range map[string]struct{ doc, want string }{
		"no YAML":            {"\tx", "it is no YAML or JSON"},
		"a key twice":        {"kind: A\nkind: B", "has a key twice"},
		"a list":             {"[]", "no manifest"},
		"two documents":      {string(machineYAML("a")) + "---\n" + string(machineYAML("b")), "it holds several documents"},
		"no kind":            {"apiVersion: v1\nmetadata: {name: a}", "do not name a kind"},
		"no version":         {"kind: Machine\nmetadata: {name: a}", "do not name a kind"},
		"a version":          {"apiVersion: a/b/c\nkind: Machine", "do not name a kind"},
		"a group":            {"apiVersion: ../v1\nkind: Machine\nmetadata: {name: a}", `apiVersion "../v1" is none`},
		"no name":            {"apiVersion: v1\nkind: ConfigMap", `the name ""`},
		"a name":             {"apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a/status}", `the name "a/status"`},
		"a namespace":        {"apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: ../b}", `the namespace "../b"`},
		"a kind of kinds":    {"apiVersion: v1\nkind: List\nitems: []", `the name ""`},
		"namespace is lost":  {strings.ReplaceAll(string(machineYAML("a")), ", namespace: prod", ""), "names no namespace"},
		"namespace too many": {strings.Replace(dryZone, `"z"`, `"z", "namespace": "prod"`, 1), "its kind lives in none"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newDryServer(t, accept)
			r, err := dryClient(t, s.Server).DryRun(t.Context(), objects(c.doc))
			if err == nil || !strings.Contains(err.Error(), c.want) || r.Sent > 0 {
				t.Fatalf("error = %v, want %q", err, c.want)
			}
			for _, req := range s.requests() {
				if strings.HasPrefix(req, "PATCH") {
					t.Errorf("%s was sent", req)
				}
			}
		})
	}
}

// TestDryRunServerGone: without an answer there is no verdict, and a server that stops answering is not asked on and on.
func TestDryRunServerGone(t *testing.T) {
	s := newDryServer(t, accept)
	c := dryClient(t, s.Server)
	s.Close()
	_, err := c.DryRun(t.Context(), [][]byte{machineYAML("w-1")})
	if err == nil || !strings.Contains(err.Error(), "no dry run on "+s.URL) || !strings.Contains(err.Error(), "connection refused") {
		t.Errorf("error = %v", err)
	}

	const many = 200
	s = newDryServer(t, func(string) *metav1.Status {
		return &metav1.Status{Code: http.StatusUnauthorized, Reason: metav1.StatusReasonUnauthorized, Message: "expired"}
	})
	var docs [][]byte
	for i := range many {
		docs = append(docs, machineYAML(fmt.Sprintf("w-%d", i)))
	}
	r, err := dryClient(t, s.Server).DryRun(t.Context(), docs)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Rejections) != many || r.Judged() || r.Accepted != 0 {
		t.Errorf("%d rejections, accepted %d", len(r.Rejections), r.Accepted)
	}
	if n := len(s.requests()); n > 2+2*dryRunsAtOnce {
		t.Errorf("%d requests after the first refusal", n)
	}
	if last := r.Rejections[many-1]; last.Object.Name != fmt.Sprintf("w-%d", many-1) || !strings.Contains(last.Message, "not sent") || last.Cause != inventory.RejectedUnreachable {
		t.Errorf("%+v", last)
	}
}

// TestDryRunThrottled: a wait that the server asks for is kept and counted, unless it is longer than a run should take.
func TestDryRunThrottled(t *testing.T) {
	for seconds, c := range map[int32]struct {
		requests inventory.Requests
		accepted int
	}{
		0:    {inventory.Requests{Source: inventory.ManagementSource, Count: 3, Retries: 1, Throttled: 1}, 1},
		3600: {inventory.Requests{Source: inventory.ManagementSource, Count: 3}, 0},
	} {
		t.Run(fmt.Sprint(seconds), func(t *testing.T) {
			var once sync.Once
			s := newDryServer(t, func(string) (st *metav1.Status) {
				once.Do(func() {
					st = &metav1.Status{Code: http.StatusTooManyRequests, Reason: metav1.StatusReasonTooManyRequests, Message: "slow down", Details: &metav1.StatusDetails{RetryAfterSeconds: seconds}}
				})
				return st
			})
			r, err := dryClient(t, s.Server).DryRun(t.Context(), [][]byte{machineYAML("w-1")})
			if err != nil {
				t.Fatal(err)
			}
			if r.Requests != c.requests || r.Accepted != c.accepted {
				t.Errorf("accepted %d, requests %+v", r.Accepted, r.Requests)
			}
			if c.accepted == 0 && (len(r.Rejections) != 1 || r.Judged() || !strings.Contains(r.Rejections[0].Remedy, "throttles")) {
				t.Errorf("%+v", r.Rejections)
			}
		})
	}
}

func TestDryRunInterrupted(t *testing.T) {
	s := newDryServer(t, accept)
	ctx, cancel := context.WithCancel(t.Context())
	s.fault = func(r *http.Request) {
		if r.Method == http.MethodPatch {
			cancel()
		}
	}
	if _, err := dryClient(t, s.Server).DryRun(ctx, [][]byte{machineYAML("w-1")}); !errors.Is(err, context.Canceled) {
		t.Errorf("error = %v", err)
	}
}

// TestDryRunOddAnswers: a redirect is not followed, and what is no API server's answer is no verdict.
func TestDryRunOddAnswers(t *testing.T) {
	elsewhere := newDryServer(t, accept)
	for name, c := range map[string]struct {
		handler http.HandlerFunc
		want    string
	}{
		"redirect": {func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, elsewhere.URL+r.URL.Path, http.StatusTemporaryRedirect)
		}, "a redirect to"},
		"login page": {func(w http.ResponseWriter, _ *http.Request) { respond(w, http.StatusOK, "hello") }, "is not a Kubernetes API's"},
		"another": {func(w http.ResponseWriter, _ *http.Request) {
			respond(w, http.StatusOK, metav1.APIResourceList{TypeMeta: metav1.TypeMeta{Kind: "APIResourceList"}, GroupVersion: "v1"})
		}, "and not the resources of cluster.x-k8s.io/v1beta2"},
		"an error": {func(w http.ResponseWriter, _ *http.Request) {
			refuse(w, &metav1.Status{Code: 500, Reason: metav1.StatusReasonInternalError, Message: "sad"})
		}, "500 from"},
	} {
		t.Run(name, func(t *testing.T) {
			var mu sync.Mutex
			var methods []string
			srv := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				mu.Lock()
				methods = append(methods, r.Method)
				mu.Unlock()
				c.handler(w, r)
			}))
			defer srv.Close()
			_, err := dryClient(t, srv).DryRun(t.Context(), [][]byte{machineYAML("w-1")})
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error = %v, want %q", err, c.want)
			}
			mu.Lock()
			defer mu.Unlock()
			if slices.Contains(methods, http.MethodPatch) || len(methods) == 0 {
				t.Errorf("methods = %v", methods)
			}
		})
	}
	if n := len(elsewhere.requests()); n > 0 {
		t.Errorf("%d requests followed a redirect", n)
	}
}

// FuzzReadManifest: whatever an object says, its path is that of one object of one namespace, or it is refused.
func FuzzReadManifest(f *testing.F) {
	for _, d := range []string{string(machineYAML("a")), dryCluster, dryZone, drySecret, "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ../x}", "a: [", "---\n---\n"} {
		f.Add([]byte(d))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := readManifest(data)
		if err != nil {
			return
		}
		for _, part := range []string{m.ref.Name, m.ref.Namespace, m.gv.Group, m.gv.Version} {
			if strings.ContainsAny(part, "/?#%;& \n") || part == "." || part == ".." {
				t.Errorf("%q would go into a path", part)
			}
		}
		if m.ref.Name == "" || !json.Valid(m.json) {
			t.Errorf("%+v", m.ref)
		}
	})
}
