package pvesim

import (
	"bufio"
	"compress/gzip"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"
)

// TestKeepAlive: one connection takes several requests and is closed by the first
// error.
func TestKeepAlive(t *testing.T) {
	s := startServer(t, parse(t, "vms: {100: }\n"), quick())
	conn, err := net.Dial("tcp", strings.TrimPrefix(s.URL, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer closeQuietly(conn)
	r := bufio.NewReader(conn)
	ask := func(path string) rawAnswer {
		t.Helper()
		if _, err := fmt.Fprintf(conn, "GET %s%s HTTP/1.1\r\nHost: a\r\nAuthorization: %s\r\n\r\n", apiRoot, path, s.AuthHeader(DefaultTokenID)); err != nil {
			t.Fatal(err)
		}
		a, err := readAnswer(r)
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		return a
	}
	for range 3 {
		// status/current says "close" in the header of the inner daemon; pveproxy
		// keeps the connection nevertheless.
		if a := ask("/nodes/pve1/qemu/100/status/current"); a.status != http.StatusOK || len(a.values("Connection")) != 2 {
			t.Fatalf("got %+v", a)
		}
	}
	if a := ask("/nodes/pve1/qemu/999/config"); a.status != http.StatusInternalServerError || a.values("Connection")[0] != "close" {
		t.Fatalf("got %+v", a)
	}
	if _, err := r.ReadByte(); err != io.EOF {
		t.Errorf("after an error the connection gives %v, want its end", err)
	}
}

func TestGzip(t *testing.T) {
	s := startServer(t, recordedFleet(t, "pve9"), quick())
	ask := func(path, accept string) rawAnswer {
		t.Helper()
		return rawRequest(t, s, "pve1", http.MethodGet, apiRoot+path, s.AuthHeader("root@pam!full"), "", map[string]string{"Accept-Encoding": accept})
	}
	plain, small, packed := ask("/cluster/resources", "identity"), ask("/version", "gzip"), ask("/cluster/resources", "br, gzip")
	if len(plain.values("Content-Encoding")) != 0 || len(small.values("Content-Encoding")) != 0 {
		t.Error("compressed without need")
	}
	if v := packed.values("Content-Encoding"); len(v) != 1 || v[0] != "gzip" || len(packed.body) >= len(plain.body) {
		t.Fatalf("not compressed: %v", packed.headers)
	}
	z, err := gzip.NewReader(strings.NewReader(packed.body))
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(z)
	if err != nil || !json.Valid(body) || len(body) != len(plain.body) {
		t.Errorf("unpacked to %d bytes, want %d: %v", len(body), len(plain.body), err)
	}
}

// TestRefusalsOfTheServer are those that come before the API.
func TestRefusalsOfTheServer(t *testing.T) {
	s := startServer(t, parse(t, ""), quick())
	good := s.AuthHeader(DefaultTokenID)
	for _, tc := range []struct {
		name, method, path, auth, body string
		headers                        map[string]string
		want, wantBody                 string
	}{
		{name: "HEAD", method: "HEAD", path: apiRoot + "/version", auth: good, want: "501 method 'HEAD' not available"},
		{name: "OPTIONS", method: "OPTIONS", path: apiRoot + "/version", auth: good, want: "501 method 'OPTIONS' not available"},
		{name: "outside the API", method: "GET", path: "/favicon.ico", auth: good, want: "500 no such file '/favicon.ico'", wantBody: "no such file '/favicon.ico'"},
		{name: "beside the API", method: "GET", path: apiRoot + "x", auth: good, want: "501 no such uri", wantBody: "no such uri"},
		{name: "DELETE with a body", method: "DELETE", path: apiRoot + "/version", auth: good, body: "a=b",
			want: "501 Unexpected content for method 'DELETE'", wantBody: "Unexpected content for method 'DELETE'"},
		{name: "chunked upload", method: "POST", path: apiRoot + "/version", auth: good, headers: map[string]string{"Transfer-Encoding": "chunked"},
			want: "501 chunked transfer encoding not supported", wantBody: "chunked transfer encoding not supported"},
		{name: "a bad cookie beats a good token", method: "GET", path: apiRoot + "/version", auth: good,
			headers: map[string]string{"Cookie": "PVEAuthCookie=PVE:root@pam:0"}, want: "401 Authentication failed!"},
		{name: "a blank for the equals sign", method: "GET", path: apiRoot + "/version", auth: strings.Replace(good, "PVEAPIToken=", "PVEAPIToken ", 1), want: "200 OK",
			wantBody: `{"data":{"release":"9.2","repoid":"14a22df35955d97d","version":"9.2.11"}}`},
		{name: "a secret with escapes", method: "GET", path: apiRoot + "/version", auth: strings.ReplaceAll(good, "!", "%21"), want: "200 OK",
			wantBody: `{"data":{"release":"9.2","repoid":"14a22df35955d97d","version":"9.2.11"}}`},
		{name: "a broken escape", method: "GET", path: apiRoot + "/version", auth: good + "%zz", want: "401 Authentication failed!"},
		{name: "no credentials on an unknown path", method: "GET", path: apiRoot + "/nonsense", want: "401 No ticket"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			a := rawRequest(t, s, "pve1", tc.method, tc.path, tc.auth, tc.body, tc.headers)
			if got := fmt.Sprintf("%d %s", a.status, a.reason); got != tc.want || a.body != tc.wantBody {
				t.Errorf("got %s %q, want %s %q", got, a.body, tc.want, tc.wantBody)
			}
		})
	}
}

// TestAuthDelay: a refusal takes three seconds, unless the options say otherwise.
func TestAuthDelay(t *testing.T) {
	s := startServer(t, parse(t, ""), Options{PlainHTTP: true})
	req := &http.Request{Method: http.MethodGet, URL: &url.URL{Path: apiRoot + "/version"}, Header: http.Header{}}
	if rep := s.answer(req, "pve1"); rep.status != http.StatusUnauthorized || rep.delay != 3*time.Second {
		t.Errorf("got %d after %v", rep.status, rep.delay)
	}
	if d := (Options{}).agentTimeout(); d != 3*time.Second {
		t.Errorf("a dead agent takes %v", d)
	}
	if d := (Options{AuthDelay: time.Minute}).authDelay(); d != time.Minute {
		t.Errorf("a delay that was set is %v", d)
	}
}

func TestTLS(t *testing.T) {
	s := startServer(t, parse(t, "nodes: {pve1: , pve2: }\n"), Options{AuthDelay: NoDelay})
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(s.CAPEM()) {
		t.Fatal("the CA is no certificate")
	}
	for _, node := range []string{"pve1", "pve2"} {
		tr := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool}}
		req, err := http.NewRequest(http.MethodGet, s.NodeURL(node)+apiRoot+"/version", nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Authorization", s.AuthHeader(DefaultTokenID))
		resp, err := tr.RoundTrip(req)
		if err != nil {
			t.Fatalf("with the CA: %v", err)
		}
		if err := resp.Body.Close(); err != nil {
			t.Fatal(err)
		}
		leaf := resp.TLS.PeerCertificates[0]
		sum := sha256.Sum256(leaf.Raw)
		if got := strings.ToLower(strings.ReplaceAll(s.Fingerprint(), ":", "")); got != fmt.Sprintf("%x", sum) {
			t.Errorf("fingerprint %s, want %x", got, sum)
		}
		tr.CloseIdleConnections()
	}
	if reachable(t, s.URL) {
		t.Error("a client that does not know the CA got through")
	}
	if s.NodeURL("pve9") != "" || s.Secret("none@pve!tok") != "" {
		t.Error("something that does not exist has a URL or a secret")
	}
}

// reachable says whether a client that knows nothing gets any answer.
func reachable(t *testing.T, u string) bool {
	t.Helper()
	req, err := http.NewRequest(http.MethodGet, u, nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := (&http.Transport{DisableKeepAlives: true}).RoundTrip(req)
	if err != nil {
		return false
	}
	if err := resp.Body.Close(); err != nil {
		t.Error(err)
	}
	return true
}

func TestOfflineNodeResetsConnections(t *testing.T) {
	s := startServer(t, parse(t, "nodes: {pve1: {offline: 1h}, pve2: }\n"), quick())
	if s.URL != s.NodeURL("pve2") {
		t.Error("the URL is that of the first node that is on")
	}
	if reachable(t, s.NodeURL("pve1")) {
		t.Error("a node that is off answered")
	}
	conn, err := net.Dial("tcp", strings.TrimPrefix(s.URL, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer closeQuietly(conn)
	if _, err := io.WriteString(conn, "GET /x HTTP/1.1\r\n"); err != nil {
		t.Fatal(err)
	}
	if err := s.SetOffline("pve2", 0); err != nil {
		t.Fatal(err)
	}
	if _, err := conn.Read(make([]byte, 1)); err == nil {
		t.Error("the connection outlived its node")
	}
}

func TestListenAddresses(t *testing.T) {
	for _, addr := range []string{"0.0.0.0:0", ":0", "example.com:80", "192.0.2.1:80", "127.0.0.1"} {
		if s, err := Start(&Fleet{}, Options{Listen: addr}); err == nil {
			t.Errorf("%s was taken", addr)
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		}
	}
	if _, err := Start(&Fleet{Version: "3"}, Options{}); err == nil {
		t.Error("a fleet with a mistake was served")
	}
	s := startServer(t, &Fleet{}, quick())
	if _, err := Start(&Fleet{}, Options{Listen: strings.TrimPrefix(s.URL, "http://")}); err == nil {
		t.Error("a port that is taken was taken again")
	}
	if s.CAPEM() != nil || len(s.Fingerprint()) != 95 {
		t.Error("plain HTTP has no CA")
	}
}

func TestWritesAreRefused(t *testing.T) {
	opts := quick()
	var seen []Write
	opts.OnWrite = func(w Write) (any, bool) {
		seen = append(seen, w)
		return "UPID", w.Path == "/nodes/pve1/qemu/100/status/start"
	}
	s := startServer(t, parse(t, "tokens: {a@pve!tok: {role: PVEAuditor}, root@pam!full: {privsep: false}}\nvms: {100: }\n"), opts)
	post := func(token, method, path, body string) string {
		a := rawRequest(t, s, "pve1", method, apiRoot+path, s.AuthHeader(token), body, nil)
		return fmt.Sprintf("%d %s", a.status, a.reason)
	}
	for _, tc := range []struct{ token, method, path, body, want string }{
		{"a@pve!tok", "POST", "/nodes/pve1/qemu", "vmid=1", "403 pvesim changes nothing: POST /nodes/pve1/qemu refused"},
		{"a@pve!tok", "DELETE", "/nodes/pve1/qemu/100", "", "403 pvesim changes nothing: DELETE /nodes/pve1/qemu/100 refused"},
		{"a@pve!tok", "PUT", "/cluster/status", "a=b", "501 Method 'PUT /cluster/status' not implemented"},
		{"root@pam!full", "PUT", "/nodes/pve1/qemu/100/config", "a=b", "403 pvesim changes nothing: PUT /nodes/pve1/qemu/100/config refused"},
		{"a@pve!tok", "POST", "/nodes/pve1/qemu/100/status/start", "a=%zz", "400 cannot decode the body"},
		{"a@pve!tok", "POST", "/nodes/pve1/qemu/100/status/start", "timeout=5", "200 OK"},
	} {
		if got := post(tc.token, tc.method, tc.path, tc.body); got != tc.want {
			t.Errorf("%s %s: got %s, want %s", tc.method, tc.path, got, tc.want)
		}
	}
	if w := seen[len(seen)-1]; w.Form.Get("timeout") != "5" || w.Token != "a@pve!tok" || w.Method != http.MethodPost {
		t.Errorf("the hook saw %+v", w)
	}
	if n := len(s.Writes()); n != 6 || len(s.Requests()) != 6 {
		t.Errorf("%d writes recorded, want 6", n)
	}
}

// TestRequestsHoldNoSecret: what is recorded can be printed.
func TestRequestsHoldNoSecret(t *testing.T) {
	s := startServer(t, parse(t, "nodes: {pve1: , pve2: }\nvms: {100: {node: pve2}}\n"), quick())
	get(t, s, "/nodes/pve2/qemu/100/config?current=1")
	rawRequest(t, s, "pve1", http.MethodGet, apiRoot+"/version", "PVEAPIToken=a@pve!tok=hunter2", "", nil)
	want := []Request{
		{Method: "GET", Path: "/nodes/pve2/qemu/100/config", Query: "current=1", Asked: "pve1", Answered: "pve2", Token: DefaultTokenID, Status: 200},
		{Method: "GET", Path: "/version", Asked: "pve1", Answered: "pve1", Status: 401},
	}
	got := s.Requests()
	for i := range got {
		if got[i].Time.IsZero() {
			t.Errorf("%s has no time", got[i].Path)
		}
		got[i].Time = time.Time{}
	}
	if len(got) != 2 || got[0] != want[0] || got[1] != want[1] {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if all := fmt.Sprintf("%+v", got); strings.Contains(all, "hunter2") || strings.Contains(all, s.Secret(DefaultTokenID)) {
		t.Error("a secret was recorded")
	}
	if s.CountPath("/nodes/") != 1 || s.PeakInFlight("pve2") != 1 || s.PeakInFlight("pve9") != 0 {
		t.Errorf("counts: %d, %d", s.CountPath("/nodes/"), s.PeakInFlight("pve2"))
	}
	s.ResetRequests()
	if len(s.Requests()) != 0 || s.PeakInFlight("pve2") != 0 {
		t.Error("nothing was forgotten")
	}
}
