package kubesim

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/tools/clientcmd"
)

func start(t *testing.T, cl *Cluster, o Options) *Server {
	t.Helper()
	s, err := Start(cl, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func load(t *testing.T) *Cluster {
	t.Helper()
	cl, err := Load("testdata/cluster")
	if err != nil {
		t.Fatal(err)
	}
	return cl
}

// answer sends one request without any library in between.
func answer(t *testing.T, s *Server, method, path string, header ...string) (int, string, http.Header) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, s.URL()+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i+1 < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, err.Error(), nil
	}
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	if err := resp.Body.Close(); err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(body), resp.Header
}

// clients are client-go's own: what they understand is a Kubernetes API.
func clients(t *testing.T, s *Server) (*discovery.DiscoveryClient, *dynamic.DynamicClient) {
	t.Helper()
	kubeconfig, err := s.Kubeconfig("sim")
	if err != nil {
		t.Fatal(err)
	}
	cfg, err := clientcmd.RESTConfigFromKubeConfig(kubeconfig)
	if err != nil {
		t.Fatal(err)
	}
	disc, err := discovery.NewDiscoveryClientForConfig(cfg)
	if err != nil {
		t.Fatal(err)
	}
	dyn, err := dynamic.NewForConfig(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return disc, dyn
}

func TestClientGoUnderstandsEveryFormOfDiscovery(t *testing.T) {
	for _, form := range []string{DiscoveryAggregated, DiscoveryAggregatedV2Beta1, DiscoveryLegacy} {
		t.Run(form, func(t *testing.T) {
			cl := load(t)
			cl.Config.Discovery = form
			s := start(t, cl, Options{TLS: true, Token: "t"})
			disc, _ := clients(t, s)
			groups, lists, err := disc.ServerGroupsAndResources()
			failed, partial := discovery.GroupDiscoveryFailedErrorGroups(err)
			if !partial || len(failed) != 1 {
				t.Errorf("the stale group: %v", err)
			}
			var names []string
			for _, g := range groups {
				names = append(names, g.Name+"/"+g.PreferredVersion.Version)
			}
			for _, want := range []string{"/v1", "apps/v1", "cluster.x-k8s.io/v1beta2", "ipam.cluster.x-k8s.io/v1beta2", "example.com/v1"} {
				if !slices.Contains(names, want) {
					t.Errorf("groups %v lack %s", names, want)
				}
			}
			found := map[string]metav1.APIResource{}
			for _, l := range lists {
				for _, r := range l.APIResources {
					found[l.GroupVersion+" "+r.Name] = r
				}
			}
			for name, namespaced := range map[string]bool{
				"v1 nodes": false, "v1 configmaps": true, "cluster.x-k8s.io/v1beta2 machines": true,
				"example.com/v1 globalthingies": false, "example.com/v2beta1 globalthingies": false,
				"ipam.cluster.x-k8s.io/v1beta1 ipaddresses": true, "ipam.cluster.x-k8s.io/v1beta2 ipaddresses": true,
			} {
				r, ok := found[name]
				if !ok || r.Namespaced != namespaced || !slices.Equal(r.Verbs, readVerbs) {
					t.Errorf("%s: %+v", name, r)
				}
			}
			if r := found["example.com/v1 globalthingies"]; !slices.Equal(r.ShortNames, []string{"gt"}) || r.Kind != "GlobalThing" {
				t.Errorf("%+v", r)
			}
			if _, ok := found["example.com/v1alpha1 globalthingies"]; ok {
				t.Error("a version that is not served is discovered")
			}
			v, err := disc.ServerVersion()
			if err != nil || v.GitVersion != "v1.33.4" || v.Major != "1" || v.Minor != "33" {
				t.Errorf("%+v, %v", v, err)
			}
		})
	}
}

func TestListAndGet(t *testing.T) {
	s := start(t, load(t), Options{})
	_, dyn := clients(t, s)
	nodes := dyn.Resource(schema.GroupVersionResource{Version: "v1", Resource: "nodes"})
	names := func(o metav1.ListOptions) string {
		t.Helper()
		l, err := nodes.List(t.Context(), o)
		if err != nil {
			return err.Error()
		}
		var out []string
		for _, n := range l.Items {
			out = append(out, n.GetName())
		}
		if l.GetContinue() != "" {
			out = append(out, "…")
		}
		if r := l.GetRemainingItemCount(); r != nil {
			out = append(out, string(rune('0'+*r)))
		}
		return strings.Join(out, " ")
	}
	for want, o := range map[string]metav1.ListOptions{
		"a b c":   {},
		"a b … 1": {Limit: 2},
		"b c":     {LabelSelector: "role=worker"},
		"b …":     {LabelSelector: "role=worker", Limit: 1},
		"c":       {FieldSelector: "metadata.name=c"},
		"field label not supported: spec.nodeName": {FieldSelector: "spec.nodeName=c"},
	} {
		if got := names(o); got != want {
			t.Errorf("%+v: %q, want %q", o, got, want)
		}
	}
	first, err := nodes.List(t.Context(), metav1.ListOptions{Limit: 2})
	if err != nil {
		t.Fatal(err)
	}
	if got := names(metav1.ListOptions{Limit: 2, Continue: first.GetContinue()}); got != "c" {
		t.Errorf("the second page: %q", got)
	}
	for _, bad := range []string{"labelSelector=%21%21", "continue=!", "continue=e30", "limit=x", "limit=-1"} {
		if code, body, _ := answer(t, s, http.MethodGet, "/api/v1/nodes?"+bad); code != http.StatusBadRequest || !strings.Contains(body, `"BadRequest"`) {
			t.Errorf("%s: %d %s", bad, code, body)
		}
	}

	b, err := nodes.Get(t.Context(), "b", metav1.GetOptions{})
	if err != nil || string(b.GetUID()) != "00000000-0000-4000-8000-00000000000b" || b.GetResourceVersion() != "7" {
		t.Errorf("%v, %v", b, err)
	}
	a, err := nodes.Get(t.Context(), "a", metav1.GetOptions{})
	if err != nil || a.GetUID() == "" || a.GetResourceVersion() == "" || a.GetCreationTimestamp().UTC().Format(time.RFC3339) != defaultCreation {
		t.Errorf("%v, %v", a, err)
	}
	if _, err := nodes.Get(t.Context(), "zz", metav1.GetOptions{}); err == nil || err.Error() != `nodes "zz" not found` {
		t.Errorf("%v", err)
	}
	machines := dyn.Resource(schema.GroupVersionResource{Group: "cluster.x-k8s.io", Version: "v1beta2", Resource: "machines"})
	if l, err := machines.Namespace("team-a").List(t.Context(), metav1.ListOptions{}); err != nil || len(l.Items) != 1 {
		t.Errorf("%v, %v", l, err)
	}
	if l, err := machines.Namespace("other").List(t.Context(), metav1.ListOptions{}); err != nil || len(l.Items) != 0 {
		t.Errorf("%v, %v", l, err)
	}
	if _, err := machines.Namespace("team-a").Get(t.Context(), "none", metav1.GetOptions{}); err == nil || err.Error() != `machines.cluster.x-k8s.io "none" not found` {
		t.Errorf("%v", err)
	}
	ns := dyn.Resource(schema.GroupVersionResource{Version: "v1", Resource: "namespaces"})
	l, err := ns.List(t.Context(), metav1.ListOptions{})
	if err != nil || len(l.Items) != 3 || l.Items[2].GetName() != "team-a" {
		t.Errorf("%v, %v", l, err)
	}
	if _, err := ns.Get(t.Context(), "team-a", metav1.GetOptions{}); err != nil {
		t.Error(err)
	}
}

// TestForms: what a list and its items look like on the wire.
func TestForms(t *testing.T) {
	s := start(t, load(t), Options{})
	for path, want := range map[string]struct {
		kind  string
		typed bool
	}{
		"/api/v1/nodes": {"NodeList", false}, // the typed API leaves the items' kind out
		"/apis/cluster.x-k8s.io/v1beta2/machines": {"MachineList", true},
	} {
		_, body, header := answer(t, s, http.MethodGet, path)
		var l struct {
			Kind  string
			Items []map[string]any
		}
		if err := json.Unmarshal([]byte(body), &l); err != nil {
			t.Fatal(err)
		}
		if _, has := l.Items[0]["kind"]; l.Kind != want.kind || has != want.typed || header.Get("Content-Type") != "application/json" {
			t.Errorf("%s: %s", path, body)
		}
	}
	for path, want := range map[string]int{
		"/readyz": 200, "/livez": 200, "/healthz": 200, "/api": 200, "/apis": 200, "/apis/apps": 200, "/apis/apps/v1": 200, "/api/v1": 200,
		"/": 404, "/nothing": 404, "/apis/none": 404, "/apis/none/v1": 404, "/apis/apps/v1beta1": 404, "/api/v2": 404,
		"/api/v1/nones": 404, "/api/v1/nodes/a/status": 404, "/api/v1/namespaces/x/nodes": 404,
		"/apis/metrics.k8s.io/v1beta1": 503, "/api/v1/nodes?watch=1": 405, "/api/v1/nodes?watch=true": 405,
		"/api/v1/namespaces/default/configmaps": 200,
	} {
		if code, body, _ := answer(t, s, http.MethodGet, path); code != want {
			t.Errorf("%s: %d, want %d: %s", path, code, want, body)
		}
	}
}

func TestSameManifestsSameBytes(t *testing.T) {
	_, one, _ := answer(t, start(t, load(t), Options{}), http.MethodGet, "/api/v1/nodes")
	_, two, _ := answer(t, start(t, load(t), Options{}), http.MethodGet, "/api/v1/nodes")
	if one != two || one == "" {
		t.Errorf("%s\n%s", one, two)
	}
}

func TestReadOnlyAndRecorded(t *testing.T) {
	s := start(t, load(t), Options{Token: "t"})
	if code, _, _ := answer(t, s, http.MethodGet, "/api/v1/nodes"); code != http.StatusUnauthorized {
		t.Errorf("without a token: %d", code)
	}
	for _, path := range []string{"/version", "/readyz"} {
		if code, _, _ := answer(t, s, http.MethodGet, path); code != http.StatusOK {
			t.Errorf("%s without a token: %d", path, code)
		}
	}
	for _, method := range []string{http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodHead} {
		if code, _, _ := answer(t, s, method, "/api/v1/nodes/a", "Authorization", "Bearer t"); code != http.StatusMethodNotAllowed {
			t.Errorf("%s: %d", method, code)
		}
	}
	if code, _, _ := answer(t, s, http.MethodGet, "/api/v1/nodes?limit=1", "Authorization", "Bearer t", "User-Agent", "me", "Accept", "x/y"); code != http.StatusOK {
		t.Errorf("with a token: %d", code)
	}
	var got []string
	for _, r := range s.Requests() {
		got = append(got, r.String())
	}
	want := []string{
		"GET /api/v1/nodes 401", "GET /version 200", "GET /readyz 200", "POST /api/v1/nodes/a 405", "PUT /api/v1/nodes/a 405",
		"PATCH /api/v1/nodes/a 405", "DELETE /api/v1/nodes/a 405", "HEAD /api/v1/nodes/a 405", "GET /api/v1/nodes?limit=1 200",
	}
	if !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	if last := s.Requests()[len(want)-1]; last.UserAgent != "me" || last.Accept != "x/y" {
		t.Errorf("%+v", last)
	}
	s.Forget()
	if len(s.Requests()) != 0 {
		t.Error("requests after Forget")
	}
}

func TestNoConversion(t *testing.T) {
	cl := load(t)
	cl.install(Kind{Group: "cluster.x-k8s.io", Kind: "Machine", Versions: []string{"v1beta1"}})
	s := start(t, cl, Options{})
	for _, path := range []string{"/apis/cluster.x-k8s.io/v1beta1/machines", "/apis/cluster.x-k8s.io/v1beta1/namespaces/team-a/machines/m"} {
		if code, body, _ := answer(t, s, http.MethodGet, path); code != http.StatusInternalServerError || !strings.Contains(body, "does not convert") {
			t.Errorf("%d %s", code, body)
		}
	}
	// Nothing there needs no conversion.
	if code, _, _ := answer(t, s, http.MethodGet, "/apis/cluster.x-k8s.io/v1beta1/namespaces/other/machines"); code != http.StatusOK {
		t.Errorf("%d", code)
	}
}

func TestFaults(t *testing.T) {
	s := start(t, load(t), Options{})
	const nodes, machines = "/api/v1/nodes", "/apis/cluster.x-k8s.io/v1beta2/namespaces/team-a/machines"
	for name, c := range map[string]struct {
		fault Fault
		paths []string
		want  []int
		body  string
	}{
		"path":       {fault: Fault{Path: nodes, Status: 500}, paths: []string{nodes, machines, nodes}, want: []int{500, 200, 500}, body: `"reason":"InternalError"`},
		"resource":   {fault: Fault{Resource: "machines.cluster.x-k8s.io", Status: 403}, paths: []string{nodes, machines}, want: []int{200, 403}, body: `cannot list resource \"machines\" in API group \"cluster.x-k8s.io\" in the namespace \"team-a\"`},
		"get":        {fault: Fault{Resource: "nodes", Status: 403}, paths: []string{nodes + "/a"}, want: []int{403}, body: `nodes \"a\" is forbidden: User \"kubesim\" cannot get resource \"nodes\" in API group \"\" at the cluster scope`},
		"no object":  {fault: Fault{Path: "/version", Status: 403}, paths: []string{"/version"}, want: []int{403}, body: `cannot get path`},
		"namespace":  {fault: Fault{Namespace: "team-b", Status: 403}, paths: []string{machines, strings.Replace(machines, "team-a", "team-b", 1)}, want: []int{200, 403}},
		"everything": {fault: Fault{Status: 401}, paths: []string{"/version", "/apis"}, want: []int{401, 401}, body: "Unauthorized"},
		"times":      {fault: Fault{Resource: "nodes", Status: 429, RetryAfter: 2, Times: 2}, paths: []string{nodes, nodes, nodes}, want: []int{429, 429, 200}},
		"after":      {fault: Fault{Resource: "nodes", Status: 503, After: 1, Times: 1, Message: "mine"}, paths: []string{nodes, nodes, nodes}, want: []int{200, 503, 200}},
		"body":       {fault: Fault{Resource: "nodes", Body: "<html>"}, paths: []string{nodes}, want: []int{200}, body: "<html>"},
		"bad body":   {fault: Fault{Resource: "nodes", Status: 502, Body: "<html>"}, paths: []string{nodes}, want: []int{502}, body: "<html>"},
		"gone":       {fault: Fault{Resource: "nodes", Status: 410}, paths: []string{nodes}, want: []int{410}, body: `"reason":"Expired"`},
		"not found":  {fault: Fault{Resource: "nodes", Status: 404}, paths: []string{nodes}, want: []int{404}, body: `"reason":"NotFound"`},
		"unusual":    {fault: Fault{Resource: "nodes", Status: 418}, paths: []string{nodes}, want: []int{418}, body: "teapot"},
		"drop":       {fault: Fault{Resource: "nodes", Drop: true}, paths: []string{nodes}, want: []int{0}, body: "EOF"},
		"latency":    {fault: Fault{Resource: "nodes", Latency: metav1.Duration{Duration: time.Millisecond}}, paths: []string{nodes}, want: []int{200}},
	} {
		t.Run(name, func(t *testing.T) {
			s.SetFaults(c.fault)
			var got []int
			var last string
			for _, p := range c.paths {
				code, body, header := answer(t, s, http.MethodGet, p)
				if code == http.StatusTooManyRequests && header.Get("Retry-After") != "2" {
					t.Errorf("Retry-After %q", header.Get("Retry-After"))
				}
				got = append(got, code)
				last = body
			}
			if !slices.Equal(got, c.want) || !strings.Contains(last, c.body) {
				t.Errorf("%v %s", got, last)
			}
		})
	}
}

func TestFaultOnOnePage(t *testing.T) {
	s := start(t, load(t), Options{})
	s.SetFaults(Fault{Resource: "nodes", Page: 2, Status: http.StatusGone})
	_, body, _ := answer(t, s, http.MethodGet, "/api/v1/nodes?limit=1")
	var l struct{ Metadata struct{ Continue string } }
	if err := json.Unmarshal([]byte(body), &l); err != nil {
		t.Fatal(err)
	}
	if code, _, _ := answer(t, s, http.MethodGet, "/api/v1/nodes?limit=1&continue="+l.Metadata.Continue); code != http.StatusGone {
		t.Errorf("page 2: %d", code)
	}
	if code, _, _ := answer(t, s, http.MethodGet, "/api/v1/nodes?limit=2"); code != http.StatusOK {
		t.Errorf("page 1: %d", code)
	}
	for _, odd := range []string{"&continue=zz", "&labelSelector=%21%21&continue=" + l.Metadata.Continue} {
		if code, _, _ := answer(t, s, http.MethodGet, "/api/v1/nodes?limit=1"+odd); code != http.StatusBadRequest {
			t.Errorf("%s: %d", odd, code)
		}
	}
}

// TestCloseEndsWhatHangs: a latency of minutes does not hold a test.
func TestCloseEndsWhatHangs(t *testing.T) {
	s, err := Start(load(t), Options{})
	if err != nil {
		t.Fatal(err)
	}
	s.SetFaults(Fault{Latency: metav1.Duration{Duration: time.Hour}})
	done := make(chan error, 1)
	go func() {
		req, err := http.NewRequestWithContext(context.Background(), http.MethodGet, s.URL()+"/version", nil)
		if err == nil {
			var resp *http.Response
			if resp, err = http.DefaultClient.Do(req); err == nil {
				err = resp.Body.Close()
			}
		}
		done <- err
	}()
	for len(s.faultsSeen()) == 0 {
		time.Sleep(time.Millisecond)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if err := <-done; err == nil {
		t.Error("a request that hung was answered")
	}
}

// faultsSeen are the faults that have matched something.
func (s *Server) faultsSeen() []*armed {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []*armed
	for _, f := range s.faults {
		if f.seen > 0 {
			out = append(out, f)
		}
	}
	return out
}

// Metadata alone is what client-go's own metadata client understands, page by page.
func TestMetadataOnly(t *testing.T) {
	cl := load(t)
	for _, name := range []string{"a", "b", "c"} {
		doc := "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: " + name + ", namespace: meta, labels: {l: x}}\ndata: {k: not-metadata}\n"
		if err := cl.Add("document", []byte(doc)); err != nil {
			t.Fatal(err)
		}
	}
	s := start(t, cl, Options{})
	kubeconfig, err := s.Kubeconfig("sim")
	if err != nil {
		t.Fatal(err)
	}
	cfg, err := clientcmd.RESTConfigFromKubeConfig(kubeconfig)
	if err != nil {
		t.Fatal(err)
	}
	c, err := metadata.NewForConfig(cfg)
	if err != nil {
		t.Fatal(err)
	}
	maps := c.Resource(schema.GroupVersionResource{Version: "v1", Resource: "configmaps"}).Namespace("meta")
	page, err := maps.List(t.Context(), metav1.ListOptions{Limit: 2})
	if err != nil {
		t.Fatal(err)
	}
	if len(page.Items) != 2 || page.Continue == "" || page.Items[0].Name != "a" || page.Items[0].Labels["l"] != "x" || page.Items[0].Kind != "PartialObjectMetadata" {
		t.Errorf("%+v", page)
	}
	if page, err = maps.List(t.Context(), metav1.ListOptions{Limit: 2, Continue: page.Continue}); err != nil || len(page.Items) != 1 || page.Items[0].Name != "c" {
		t.Errorf("%+v, %v", page, err)
	}
	_, body, _ := answer(t, s, http.MethodGet, "/api/v1/namespaces/meta/configmaps", "Accept", "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1")
	if strings.Contains(body, "not-metadata") || !strings.Contains(body, `"kind":"PartialObjectMetadataList"`) {
		t.Error(body)
	}
}
