package transport

import (
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
)

// What is no JSON object is a recorded failure, and the client above gets a body that it can read all the same: it
// neither panics nor sleeps.
func TestMalformedAnswers(t *testing.T) {
	for name, c := range map[string]struct{ head, body, reason string }{
		"login page":        {"200 OK\r\nContent-Type: text/html", "<!DOCTYPE html><title>Login</title>", "HTML page (text/html)"},
		"blanks, then HTML": {"200 OK", " \n\t<html>", "HTML page"},
		"empty":             {"200 OK\r\nContent-Length: 0", "", "empty body"},
		"no content":        {"204 No Content", "", "empty body"},
		"cut-off JSON":      {"200 OK", `{"data":[{"vmid":100,`, "not JSON"},
		"text":              {"200 OK", "hello", "not JSON"},
		"a list":            {"200 OK", `[{"vmid":100}]`, "not an object"},
		"null":              {"200 OK", "null", "not an object"},
		"two objects":       {"200 OK", `{"data":1}{"data":2}`, "not JSON"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newServer(t, func(w http.ResponseWriter, _ *http.Request, _ int) { raw(t, w, c.head, c.body) })
			body, ex := ask(t.Context(), t, open(t, s.URL, nil), "/version")
			if e := mustFail(t, ex, Malformed); !strings.Contains(e.Error(), c.reason) || ex.Attempts != 1 {
				t.Errorf("%v after %d attempts, want %q", e, ex.Attempts, c.reason)
			}
			if body != `{"message":"see the exchange"}` {
				t.Errorf("the client got %q", body)
			}
		})
	}
}

// Bodies of errors come in every form; those that would panic the client above are the last ones.
func TestErrorBodies(t *testing.T) {
	for name, c := range map[string]struct{ head, body, short, param string }{
		"reason phrase":           {"403 Permission check failed (/, Sys.Audit)", `{"data":null,"message":"other"}`, "403 Permission check failed (/, Sys.Audit)", ""},
		"phrase lost, message":    {"403 Forbidden", `{"message":"Permission check failed (/, Sys.Audit)\n"}`, "403 Permission check failed (/, Sys.Audit)", ""},
		"no phrase at all":        {"500 ", `{"message":"boom\n"}`, "500 boom", ""},
		"neither":                 {"500 ", ``, "500 Internal Server Error", ""},
		"parameter":               {"400 Parameter verification failed.", `{"errors":{"vmid":"VM 105 already exists\n"}}`, "400 Parameter verification failed.", "VM 105 already exists"},
		"text":                    {"501 Unexpected content for method 'GET'", "Unexpected content for method 'GET'", "501 Unexpected content for method 'GET'", ""},
		"HTML":                    {"502 Bad Gateway", "<html>", "502 Bad Gateway", ""},
		"message of a wrong type": {"500 x", `{"message":null}`, "500 x", ""},
		"errors of a wrong type":  {"400 x", `{"errors":"no"}`, "400 x", ""},
		"errors null":             {"400 x", `{"errors":null,"message":7}`, "400 x", ""},
		"values of a wrong type":  {"400 x", `{"errors":{"vmid":[1]}}`, "400 x", "[1]"},
		"status beyond the known": {"999 what", "", "999 what", ""},
		"control characters":      {"500 a\x1b[31mb\tc", "", "500 a [31mb c", ""},
	} {
		t.Run(name, func(t *testing.T) {
			s := newServer(t, func(w http.ResponseWriter, _ *http.Request, _ int) { raw(t, w, c.head, c.body) })
			_, ex := ask(t.Context(), t, open(t, s.URL, nil), "/version")
			if ex.Err == nil || ex.Err.Short() != c.short || ex.Err.Params["vmid"] != c.param {
				t.Errorf("%+v, want %q and %q", ex.Err, c.short, c.param)
			}
		})
	}
}

// A redirect is reported with its target and not followed: not to another host, which would get the token, and not to
// the same one either, for the Proxmox API sends none.
func TestRedirectsAreNotFollowed(t *testing.T) {
	other := newServer(t, func(w http.ResponseWriter, _ *http.Request, _ int) { ok(t, w) })
	withUser := strings.Replace(other.URL, "://", "://root:CANARY@", 1)
	for target, shown := range map[string]string{
		other.URL + "/api2/json/version?CANARY": other.URL,
		withUser + "/CANARY":                    other.URL,
		"/api2/json/nodes":                      "another path of the same server",
	} {
		s := newServer(t, func(w http.ResponseWriter, r *http.Request, _ int) { http.Redirect(w, r, target, http.StatusFound) })
		_, ex := ask(t.Context(), t, open(t, s.URL, nil), "/version")
		if e := mustFail(t, ex, Failed); !strings.Contains(e.Error(), shown) || strings.Contains(e.Error(), "CANARY") {
			t.Errorf("want %q and nothing else of the target in %v", shown, e)
		}
		if len(s.seen()) != 1 {
			t.Errorf("requests: %q", s.seen())
		}
	}
	if len(other.seen()) != 0 {
		t.Error("the other host was asked")
	}
}

// A server that echoes what it was sent does not get the secret into a text.
func TestEchoedSecretIsRedacted(t *testing.T) {
	s := newServer(t, func(w http.ResponseWriter, r *http.Request, _ int) {
		auth := r.Header.Get("Authorization")
		if !strings.Contains(auth, canary) {
			t.Error("the token did not arrive")
		}
		raw(t, w, "400 you sent "+auth+"\r\nLocation: "+auth, `{"errors":{"`+canary+`":"`+auth+`"},"message":"`+auth+`"}`)
	})
	var log strings.Builder
	tr := open(t, s.URL, func(o *Options) {
		o.Logf = func(format string, args ...any) { fmt.Fprintf(&log, format, args...) }
	})
	_, ex := ask(t.Context(), t, tr, "/version")
	e := mustFail(t, ex, Failed)
	if !strings.Contains(e.Reason, "REDACTED") {
		t.Errorf("the echo did not arrive: %v", e)
	}
	for k, v := range e.Params {
		if strings.Contains(k+v+log.String(), canary) {
			t.Errorf("the secret is in %q: %q", k, v)
		}
	}
}

func TestAnswersAreBounded(t *testing.T) {
	for _, zip := range []bool{false, true} {
		s := newServer(t, func(w http.ResponseWriter, _ *http.Request, _ int) {
			var out io.Writer = w
			if zip {
				w.Header().Set("Content-Encoding", "gzip")
				z := gzip.NewWriter(w)
				defer func() {
					if err := z.Close(); err != nil {
						t.Logf("the client has gone: %v", err)
					}
				}()
				out = z
			}
			if _, err := io.WriteString(out, `{"data":"`+strings.Repeat("a", 3<<20)+`"}`); err != nil {
				t.Logf("the client has gone: %v", err)
			}
		})
		_, ex := ask(t.Context(), t, open(t, s.URL, nil), "/version")
		if e := mustFail(t, ex, Malformed); !strings.Contains(e.Error(), "larger than 1 MiB") {
			t.Errorf("gzip %v: %v", zip, e)
		}
	}
}

func TestGzipIsRead(t *testing.T) {
	s := newServer(t, func(w http.ResponseWriter, r *http.Request, _ int) {
		if !strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
			t.Error("gzip is not accepted")
		}
		w.Header().Set("Content-Encoding", "gzip")
		z := gzip.NewWriter(w)
		if _, err := io.WriteString(z, `{"data":1}`); err != nil {
			t.Error(err)
		}
		if err := z.Close(); err != nil {
			t.Error(err)
		}
	})
	if body, ex := ask(t.Context(), t, open(t, s.URL, nil), "/version"); ex.Err != nil || body != `{"data":1}` {
		t.Errorf("%q, %v", body, ex.Err)
	}
}

func TestOneLine(t *testing.T) {
	for in, want := range map[string]string{
		"a\nb\r\n c\x00d": "a b c d",
		"\x1b]0;x\x07":    "]0;x",
		"\xff":            "�",
	} {
		if got := oneLine(in); got != want {
			t.Errorf("oneLine(%q) = %q, want %q", in, got, want)
		}
	}
	if n := len([]rune(oneLine(strings.Repeat("ä", 5000)))); n != maxText+1 {
		t.Errorf("%d characters", n)
	}
}

// A context without a record is no fault.
func TestWithoutExchange(t *testing.T) {
	s := newServer(t, func(w http.ResponseWriter, _ *http.Request, _ int) { ok(t, w) })
	tr := open(t, s.URL, nil)
	req, err := http.NewRequestWithContext(AsRetry(t.Context()), http.MethodGet, s.URL+"/api2/json/version", nil)
	if err != nil {
		t.Fatal(err)
	}
	if body := send(t, tr, req); body != `{"data":{"version":"9.2.11"}}` {
		t.Errorf("%q", body)
	}
	if count, retries := tr.Counts(); count != 0 || retries != 1 {
		t.Errorf("a repetition is counted as %d and %d", count, retries)
	}
}
