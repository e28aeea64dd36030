package main

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strconv"
	"strings"
	"sync"

	"github.com/rogpeppe/go-internal/testscript"
)

// webhook is a receiver of notifications that keeps what it got.
type webhook struct {
	mu     sync.Mutex
	status int
	got    []received
}

type received struct{ key, body string }

func (w *webhook) ServeHTTP(res http.ResponseWriter, req *http.Request) {
	body, err := io.ReadAll(req.Body)
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case err != nil || req.Method != http.MethodPost || req.Header.Get("Content-Type") != "application/json; charset=utf-8" || req.Header.Get("Authorization") != "":
		res.WriteHeader(http.StatusTeapot)
		return
	case w.status == 0:
		w.got = append(w.got, received{req.Header.Get("Idempotency-Key"), string(body)})
		return
	}
	res.Header().Set("Location", "/elsewhere")
	res.WriteHeader(w.status)
	// What such a server says may repeat the address.
	if _, err := io.WriteString(res, "cannot POST "+req.URL.String()); err != nil {
		return
	}
}

// startWebhook is webhook NAME: starts a receiver, whose URL is in NAME.url; its path is a canary. webhook NAME STATUS: what it answers from
// now on; 0 is that it takes what comes.
func startWebhook(ts *testscript.TestScript, neg bool, args []string) {
	need(ts, !neg && (len(args) == 1 || len(args) == 2), "webhook NAME [STATUS]")
	w := worldOf(ts)
	if len(args) == 2 {
		status, err := strconv.Atoi(args[1])
		ts.Check(err)
		hook := w.webhooks[args[0]]
		need(ts, hook != nil, "webhook "+args[0]+" first")
		hook.mu.Lock()
		hook.status = status
		hook.mu.Unlock()
		return
	}
	hook := &webhook{}
	srv := httptest.NewServer(hook)
	ts.Defer(srv.Close)
	secret := "canary-path-of-" + args[0]
	ts.Check(os.WriteFile(ts.MkAbs(args[0]+".url"), []byte(srv.URL+"/services/"+secret+"\n"), 0o600))
	w.webhooks[args[0]] = hook
	addCanary(ts, false, []string{secret, strings.TrimPrefix(srv.URL, "http://")})
}

// told NAME COUNT [FILE]: the receiver got so many documents since it was asked last, each with a key; the newest goes into the file.
func told(ts *testscript.TestScript, neg bool, args []string) {
	need(ts, !neg && (len(args) == 2 || len(args) == 3), "told NAME COUNT [FILE]")
	hook := worldOf(ts).webhooks[args[0]]
	need(ts, hook != nil, "webhook "+args[0]+" first")
	hook.mu.Lock()
	defer hook.mu.Unlock()
	if strconv.Itoa(len(hook.got)) != args[1] {
		ts.Fatalf("webhook %s got %d documents, want %s", args[0], len(hook.got), args[1])
	}
	for _, r := range hook.got {
		if r.key == "" || !strings.Contains(r.body, `"run":"`+r.key+`"`) {
			ts.Fatalf("webhook %s: the key %q is not the run's", args[0], r.key)
		}
		noCanary(ts, "a notification", r.body)
		if len(args) == 3 {
			ts.Check(os.WriteFile(ts.MkAbs(args[2]), []byte(r.body+"\n"), 0o600))
		}
	}
	hook.got = nil
}
