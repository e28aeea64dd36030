package kube

import (
	"net/http"
	"strings"
	"testing"
)

const dryRunQuery = "?dryRun=All&fieldManager=proxaudit&force=false&fieldValidation=Strict&timeout=10s"

func TestOnlyDryRunsGoOut(t *testing.T) {
	const object = "https://h:6443/apis/cluster.x-k8s.io/v1beta2/namespaces/n/machines/m"
	for name, c := range map[string]struct {
		method, url, contentType, body, host string
		header                               http.Header
		prefix                               string
		sent                                 bool
	}{
		"apply":                         {url: object + dryRunQuery, sent: true},
		"apply of a core object":        {url: "https://h:6443/api/v1/namespaces/n/configmaps/c" + dryRunQuery, sent: true},
		"apply of a cluster's object":   {url: "https://h:6443/apis/g/v1/things/x" + dryRunQuery, sent: true},
		"apply below a prefix":          {url: "https://h:6443/k8s/c-1/apis/g/v1/namespaces/n/things/x" + dryRunQuery, prefix: "/k8s/c-1", sent: true},
		"apply with a charset":          {url: object + dryRunQuery, contentType: "application/apply-patch+yaml; charset=utf-8", sent: true},
		"without force":                 {url: object + "?dryRun=All&fieldManager=proxaudit", sent: true},
		"an object called status":       {url: "https://h:6443/apis/g/v1/namespaces/n/things/status" + dryRunQuery, sent: true},
		"no dryRun":                     {url: object + "?fieldManager=proxaudit"},
		"an empty query":                {url: object},
		"dryRun empty":                  {url: object + "?dryRun=&fieldManager=proxaudit"},
		"dryRun false":                  {url: object + "?dryRun=false&fieldManager=proxaudit"},
		"dryRun all":                    {url: object + "?dryRun=all&fieldManager=proxaudit"},
		"DryRun":                        {url: object + "?DryRun=All&fieldManager=proxaudit"},
		"dryRun twice":                  {url: object + "?dryRun=All&dryRun=All&fieldManager=proxaudit"},
		"dryRun and none":               {url: object + "?dryRun=All&dryRun=&fieldManager=proxaudit"},
		"dryRun behind a semicolon":     {url: object + "?fieldManager=proxaudit;dryRun=All"},
		"dryRun in the fragment":        {url: object + "?fieldManager=proxaudit#dryRun=All"},
		"dryRun in the path":            {url: object + "%3FdryRun=All?fieldManager=proxaudit"},
		"force":                         {url: object + "?dryRun=All&fieldManager=proxaudit&force=true"},
		"force twice":                   {url: object + "?dryRun=All&fieldManager=proxaudit&force=false&force=true"},
		"another manager":               {url: object + "?dryRun=All&fieldManager=kubectl"},
		"no manager":                    {url: object + "?dryRun=All"},
		"an unknown parameter":          {url: object + dryRunQuery + "&propagationPolicy=Foreground"},
		"merge patch":                   {url: object + dryRunQuery, contentType: "application/merge-patch+json"},
		"json patch":                    {url: object + dryRunQuery, contentType: "application/json-patch+json"},
		"no content type":               {url: object + dryRunQuery, contentType: "-"},
		"two content types":             {url: object + dryRunQuery, header: http.Header{"Content-Type": {"application/apply-patch+yaml", "application/merge-patch+json"}}},
		"status":                        {url: object + "/status" + dryRunQuery},
		"a collection":                  {url: "https://h:6443/apis/g/v1/namespaces/n/things" + dryRunQuery},
		"a secret":                      {url: "https://h:6443/api/v1/namespaces/n/secrets/s" + dryRunQuery},
		"a secret by dots":              {url: "https://h:6443/api/v1/namespaces/n/configmaps/../secrets/s" + dryRunQuery},
		"a secret by an escape":         {url: "https://h:6443/api/v1/namespaces/n/secret%73/s" + dryRunQuery},
		"a slash in a name":             {url: "https://h:6443/api/v1/namespaces/n/configmaps/a%2Fb" + dryRunQuery},
		"two slashes":                   {url: "https://h:6443/api/v1/namespaces//configmaps/a" + dryRunQuery},
		"no API":                        {url: "https://h:6443/logs/x" + dryRunQuery},
		"beside the prefix":             {url: object + dryRunQuery, prefix: "/k8s/c-1"},
		"post with dryRun":              {method: http.MethodPost, url: "https://h:6443/apis/g/v1/namespaces/n/things" + dryRunQuery},
		"put with dryRun":               {method: http.MethodPut, url: object + dryRunQuery},
		"delete with dryRun":            {method: http.MethodDelete, url: object + dryRunQuery},
		"head":                          {method: http.MethodHead, url: "https://h:6443/api/v1"},
		"patch in small letters":        {method: "patch", url: object + dryRunQuery},
		"another host":                  {url: "https://evil:6443/apis/g/v1/things/x" + dryRunQuery},
		"another host's name":           {url: object + dryRunQuery, host: "evil:6443"},
		"without TLS":                   {url: "http://h:6443/apis/g/v1/things/x" + dryRunQuery},
		"upgrade":                       {url: object + dryRunQuery, header: http.Header{"Upgrade": {"SPDY/3.1"}}},
		"connection upgrade":            {url: object + dryRunQuery, header: http.Header{"Connection": {"keep-alive, Upgrade"}}},
		"method override":               {url: object + dryRunQuery, header: http.Header{"X-Http-Method-Override": {"DELETE"}}},
		"method override, other case":   {url: object + dryRunQuery, header: http.Header{"x-http-method": {"DELETE"}}},
		"get a namespace":               {method: http.MethodGet, url: "https://h:6443/api/v1/namespaces/n?timeout=1s", sent: true},
		"get the core resources":        {method: http.MethodGet, url: "https://h:6443/api/v1", sent: true},
		"get a group's resources":       {method: http.MethodGet, url: "https://h:6443/apis/cluster.x-k8s.io/v1beta2", sent: true},
		"get all namespaces":            {method: http.MethodGet, url: "https://h:6443/api/v1/namespaces"},
		"get secrets":                   {method: http.MethodGet, url: "https://h:6443/api/v1/namespaces/n/secrets"},
		"get an object":                 {method: http.MethodGet, url: object},
		"get with a watch":              {method: http.MethodGet, url: "https://h:6443/api/v1/namespaces/n?watch=1"},
		"get with a body":               {method: http.MethodGet, url: "https://h:6443/api/v1/namespaces/n", body: "x"},
		"get a namespace of no core":    {method: http.MethodGet, url: "https://h:6443/apis/g/v1/namespaces"},
		"get with an upgrade":           {method: http.MethodGet, url: "https://h:6443/api/v1/namespaces/n", header: http.Header{"Upgrade": {"websocket"}}},
		"get a namespace's subresource": {method: http.MethodGet, url: "https://h:6443/api/v1/namespaces/n/finalize"},
	} {
		t.Run(name, func(t *testing.T) {
			next := &reached{}
			rt := &dryRunOnly{scheme: "https", host: "h:6443", prefix: c.prefix, limit: maxAnswer, known: &credentials{}, next: next}
			method, body := c.method, c.body
			if method == "" {
				method, body = http.MethodPatch, "{}"
			}
			req, err := http.NewRequestWithContext(t.Context(), method, c.url, strings.NewReader(body))
			if err != nil {
				t.Fatal(err)
			}
			switch {
			case c.contentType == "-" || method == http.MethodGet:
			case c.contentType != "":
				req.Header.Set("Content-Type", c.contentType)
			default:
				req.Header.Set("Content-Type", "application/apply-patch+yaml")
			}
			for k, v := range c.header {
				req.Header[k] = v
			}
			if c.host != "" {
				req.Host = c.host
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

// TestReadsStayReads: the transport of everything else refuses a dry run too.
func TestReadsStayReads(t *testing.T) {
	next := &reached{}
	rt := (&readOnly{scheme: "https", host: "h:6443", limit: maxAnswer, known: &credentials{}}).wrap(next)
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPatch, "https://h:6443/apis/g/v1/things/x"+dryRunQuery, strings.NewReader("{}"))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/apply-patch+yaml")
	resp, err := rt.RoundTrip(req)
	if resp != nil {
		if err := resp.Body.Close(); err != nil {
			t.Error(err)
		}
	}
	if err == nil || next.n != 0 {
		t.Errorf("sent %d times, error %v", next.n, err)
	}
}
