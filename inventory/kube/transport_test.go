package kube

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

type reached struct{ n int }

func (r *reached) RoundTrip(req *http.Request) (*http.Response, error) {
	r.n++
	rec := httptest.NewRecorder()
	rec.WriteHeader(http.StatusOK)
	resp := rec.Result()
	resp.Request = req
	return resp, nil
}

func TestOnlyReadsGoOut(t *testing.T) {
	for name, c := range map[string]struct {
		method, url, upgrade, body string
		sent                       bool
	}{
		"get":                      {url: "https://h:6443/api/v1/nodes", sent: true},
		"get below a prefix":       {url: "https://h:6443/k8s/clusters/c-1/apis/cluster.x-k8s.io/v1beta2/namespaces/n/machines/m", sent: true},
		"post":                     {method: http.MethodPost, url: "https://h:6443/api/v1/nodes"},
		"put":                      {method: http.MethodPut, url: "https://h:6443/api/v1/nodes/n"},
		"patch":                    {method: http.MethodPatch, url: "https://h:6443/api/v1/nodes/n"},
		"delete":                   {method: http.MethodDelete, url: "https://h:6443/api/v1/nodes/n"},
		"head":                     {method: http.MethodHead, url: "https://h:6443/api/v1/nodes"},
		"body":                     {url: "https://h:6443/api/v1/nodes", body: "x"},
		"upgrade":                  {url: "https://h:6443/api/v1/nodes", upgrade: "websocket"},
		"exec":                     {url: "https://h:6443/api/v1/namespaces/n/pods/p/exec"},
		"attach":                   {url: "https://h:6443/api/v1/namespaces/n/pods/p/attach"},
		"portforward":              {url: "https://h:6443/api/v1/namespaces/n/pods/p/portforward"},
		"service proxy":            {url: "https://h:6443/api/v1/namespaces/n/services/s/proxy/path"},
		"node proxy":               {url: "https://h:6443/api/v1/nodes/n/proxy/logs"},
		"old proxy":                {url: "https://h:6443/api/v1/proxy/nodes/n"},
		"proxy below a prefix":     {url: "https://h:6443/k8s/clusters/c-1/api/v1/nodes/n/proxy/"},
		"virtual machine console":  {url: "https://h:6443/apis/subresources.kubevirt.io/v1/namespaces/n/virtualmachineinstances/v/portforward"},
		"an object called exec":    {url: "https://h:6443/api/v1/namespaces/n/pods/exec", sent: true},
		"a namespace called proxy": {url: "https://h:6443/api/v1/namespaces/proxy/pods/p", sent: true},
		"a cluster called exec":    {url: "https://h:6443/apis/cluster.x-k8s.io/v1beta2/namespaces/n/clusters/exec", sent: true},
		"another host":             {url: "https://evil:6443/api/v1/nodes"},
		"without TLS":              {url: "http://h:6443/api/v1/nodes"},
	} {
		t.Run(name, func(t *testing.T) {
			next := &reached{}
			rt := (&readOnly{scheme: "https", host: "h:6443", limit: maxAnswer, known: &credentials{}}).wrap(next)
			method := c.method
			if method == "" {
				method = http.MethodGet
			}
			req, err := http.NewRequestWithContext(t.Context(), method, c.url, strings.NewReader(c.body))
			if err != nil {
				t.Fatal(err)
			}
			if c.upgrade != "" {
				req.Header.Set("Upgrade", c.upgrade)
			}
			resp, err := rt.RoundTrip(req)
			if resp != nil {
				if err := resp.Body.Close(); err != nil {
					t.Error(err)
				}
			}
			if (next.n == 1) != c.sent || (err == nil) != c.sent {
				t.Errorf("sent %d times, error %v", next.n, err)
			}
			if err != nil && !strings.Contains(err.Error(), "read-only") {
				t.Errorf("error = %v", err)
			}
		})
	}
}
