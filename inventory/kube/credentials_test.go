package kube

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
)

const canaryToken = "canary-0123456789-abcdefghijklmnop"

// echoing has TLS, because clientcmd gives no credentials to a server without. It answers with the Authorization header of the request, in every way in which a text of the server gets out.
func echoing(t *testing.T, answer func(w http.ResponseWriter, r *http.Request, auth string)) *httptest.Server {
	t.Helper()
	var seen atomic.Int64
	srv := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		auth := r.Header.Get("Authorization")
		if auth != "" {
			seen.Add(1)
		}
		w.Header().Add("Warning", `299 - "you sent `+auth+`"`)
		answer(w, r, auth)
	}))
	t.Cleanup(func() {
		srv.Close()
		if seen.Load() == 0 {
			t.Error("no request had credentials: nothing was tested")
		}
	})
	return srv
}

func answerJSON(w http.ResponseWriter, code int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	_ = json.NewEncoder(w).Encode(v) // the test sees what is missing
}

func TestCredentialsThatTheServerEchoesAreNotPassedOn(t *testing.T) {
	tokenFile := filepath.Join(t.TempDir(), "token")
	write(t, tokenFile, canaryToken+"\n")
	basic := base64.StdEncoding.EncodeToString([]byte("somebody:" + canaryToken))
	plugin := fmt.Sprintf(`exec: {command: sh, args: [-c, 'echo ''{"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential","status":{"token":%q}}'''], apiVersion: client.authentication.k8s.io/v1, interactiveMode: Never}`, canaryToken)
	users := map[string]string{
		"token":      "token: " + canaryToken,
		"token file": "tokenFile: " + tokenFile,
		"basic":      "{username: somebody, password: " + canaryToken + "}",
		"plugin":     plugin,
	}
	answers := map[string]func(http.ResponseWriter, *http.Request, string){
		"text": func(w http.ResponseWriter, _ *http.Request, auth string) {
			http.Error(w, "bad header: "+auth, http.StatusInternalServerError)
		},
		"long text": func(w http.ResponseWriter, _ *http.Request, auth string) {
			// oneLine cuts off in the middle of the credentials.
			http.Error(w, strings.Repeat("x", 260)+" "+auth+auth+auth, http.StatusInternalServerError)
		},
		"password": func(w http.ResponseWriter, _ *http.Request, auth string) {
			_, param, _ := strings.Cut(auth, " ")
			if raw, err := base64.StdEncoding.DecodeString(param); err == nil {
				param = string(raw)
			}
			http.Error(w, "wrong: "+param, http.StatusInternalServerError)
		},
		"status": func(w http.ResponseWriter, _ *http.Request, auth string) {
			answerJSON(w, http.StatusForbidden, map[string]any{"kind": "Status", "apiVersion": "v1", "status": "Failure", "reason": "Forbidden", "code": 403, "message": "who is " + auth})
		},
		"escaped": func(w http.ResponseWriter, _ *http.Request, auth string) {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusForbidden)
			_, _ = w.Write([]byte(`{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Forbidden","code":403,"message":"who is ` + strings.ReplaceAll(auth, "a", `\u0061`) + `"}`))
		},
		"not Kubernetes": func(w http.ResponseWriter, _ *http.Request, auth string) {
			answerJSON(w, http.StatusOK, map[string]any{"kind": auth, "items": []string{}})
		},
		"redirect": func(w http.ResponseWriter, r *http.Request, auth string) {
			http.Redirect(w, r, "/login/"+auth+"?next="+auth, http.StatusFound)
		},
		"objects": func(w http.ResponseWriter, r *http.Request, auth string) {
			switch r.URL.Path {
			case "/version":
				answerJSON(w, http.StatusOK, map[string]any{"gitVersion": "v1.30.0+" + auth})
			case "/apis":
				answerJSON(w, http.StatusOK, map[string]any{"kind": "APIGroupList", "apiVersion": "v1", "groups": []any{
					map[string]any{"name": "cluster.x-k8s.io", "versions": []any{map[string]any{"groupVersion": "cluster.x-k8s.io/v1beta1", "version": "v1beta1"}}}}})
			case "/api/v1/nodes":
				answerJSON(w, http.StatusOK, map[string]any{"kind": "NodeList", "apiVersion": "v1", "metadata": map[string]any{}, "items": []any{
					map[string]any{"metadata": map[string]any{"name": "n", "labels": map[string]any{"you": auth}}}}})
			case "/apis/cluster.x-k8s.io/v1beta1/clusters":
				answerJSON(w, http.StatusOK, map[string]any{"kind": "ClusterList", "apiVersion": "cluster.x-k8s.io/v1beta1", "metadata": map[string]any{}, "items": []any{
					map[string]any{"metadata": map[string]any{"name": "c", "namespace": "n", "annotations": map[string]any{"you": auth}}},
					map[string]any{"metadata": map[string]any{"name": auth, "namespace": "n"}, "spec": 7}}})
			default:
				http.Error(w, auth, http.StatusNotFound)
			}
		},
	}
	for user, credentials := range users {
		for name, answer := range answers {
			t.Run(user+" "+name, func(t *testing.T) {
				t.Parallel()
				srv := echoing(t, answer)
				path := filepath.Join(t.TempDir(), "config")
				if !strings.HasPrefix(credentials, "{") {
					credentials = "{" + credentials + "}"
				}
				write(t, path, "apiVersion: v1\nkind: Config\ncurrent-context: x\nclusters: [{name: c, cluster: {insecure-skip-tls-verify: true, server: '"+srv.URL+
					"'}}]\nusers: [{name: u, user: "+credentials+"}]\ncontexts: [{name: x, context: {cluster: c, user: u}}]\n")
				var out strings.Builder
				// Twice: what the first request sent has to be known to the text of its own answer.
				for range 2 {
					c, err := Connect(Target{Kubeconfig: path, Logf: func(format string, args ...any) { fmt.Fprintf(&out, format+"\n", args...) }})
					if err != nil {
						t.Fatal(err)
					}
					w := c.CollectWorkload(t.Context(), "k", WorkloadOptions{})
					m := c.CollectManagement(t.Context(), ManagementOptions{})
					_, secretErr := c.WorkloadKubeconfig(t.Context(), "ns", "prod")
					_, servesErr := c.ServesClusterAPI(t.Context())
					fmt.Fprintln(&out, toJSON(t, w), toJSON(t, m), secretErr, servesErr,
						report(c.Doctor(t.Context(), RoleManagement)), report(c.Doctor(t.Context(), RoleWorkload)))
				}
				if got := out.String(); !strings.Contains(got, redacted) {
					t.Errorf("nothing was redacted:\n%s", got)
				}
				for _, secret := range []string{canaryToken, "canary", basic[:20]} {
					if i := strings.Index(out.String(), secret); i >= 0 {
						t.Errorf("%q in …%s", secret, out.String()[max(0, i-100):i+60])
					}
				}
			})
		}
	}
}

func TestCredentialsScrub(t *testing.T) {
	k := &credentials{}
	k.add("abc", "", "pass", `with "quotes" and blanks`, "0123456789abcdefXYZ")
	k.addWhole("/home/somebody/.kube/token")
	for in, want := range map[string]string{
		"abc":                                           "abc", // too short to be told from words
		"the pass it is":                                "the REDACTED it is",
		`got "with \"quotes\" and blanks"`:              `got "REDACTED"`,
		"with+%22quotes%22+and+blanks":                  "REDACTED",
		"cut off: 0123456789abcdefX":                    "cut off: REDACTED",
		"/home/somebody/.kube/config":                   "/home/somebody/.kube/config",
		"open /home/somebody/.kube/token: no":           "open REDACTED: no",
		"Bearer somebody-else":                          "Bearer REDACTED",
		"Authorization: Basic eDp5, and more":           "Authorization: Basic REDACTED, and more",
		"https://h/0123456789abcdefXYZ/1 https://u:x@h": "https://h/REDACTED/1 https://REDACTED@h",
	} {
		if got := k.scrub(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
	if got := string(k.scrubBody([]byte(`{"pass":"0123456789abcdefXYZ"}`))); got != `{"pass":"REDACTED"}` {
		t.Errorf("body: %s", got)
	}
	var none *credentials
	none.sent(http.Header{"Authorization": {"Bearer x"}})
	if got := none.scrub("Bearer x") + string(none.scrubBody([]byte("y"))); got != "Bearer REDACTEDy" {
		t.Errorf("without any: %s", got)
	}
}
