package transport

import (
	"net/http"
	"strings"
	"testing"

	"github.com/proxaudit/proxaudit/inventory"
)

// A server that sends back what it was sent must not get the secret into the inventory, however it spells it.
func TestAnswersThatRepeatTheSecret(t *testing.T) {
	const secret = "deadbeef-cafe-4000-8000-0c0ffee0c0de"
	for name, body := range map[string]string{
		"plain":         `{"data":{"name":"` + secret + `"}}`,
		"in a header":   `{"data":"PVEAPIToken=a@pve!audit=` + secret + `"}`,
		"upper case":    `{"data":"` + strings.ToUpper(secret) + `"}`,
		"escaped":       `{"data":"\u0064eadbeef-cafe-4000-8000-0c0ffee0c0de"}`,
		"escaped twice": `{"data":"{\"x\":\"\\u0064eadbeef-cafe-4000-8000-0c0ffee0c0de\"}"}`,
		"split":         `{"data":"deadbeef-cafe\t-4000\u200b-8000-0c0ffee0c0de"}`,
	} {
		t.Run(name, func(t *testing.T) {
			s := newServer(t, func(w http.ResponseWriter, _ *http.Request, _ int) { raw(t, w, "200 OK", body) })
			tr := open(t, s.URL, func(o *Options) { o.Secret = inventory.NewSecret(secret) })
			_, ex := ask(t.Context(), t, tr, "/version")
			if e := mustFail(t, ex, Malformed); !strings.Contains(e.Error(), "repeats the token's secret") || strings.Contains(e.Error(), "cafe") {
				t.Errorf("%v", e)
			}
		})
	}
	s := newServer(t, func(w http.ResponseWriter, _ *http.Request, _ int) {
		raw(t, w, "500 no dead\tbeef-cafe-4000-8000-0c0ffee0c0de", "")
	})
	tr := open(t, s.URL, func(o *Options) { o.Secret = inventory.NewSecret(secret) })
	if _, ex := ask(t.Context(), t, tr, "/version"); ex.Err == nil || strings.Contains(ex.Err.Error(), "cafe") {
		t.Errorf("%v", ex.Err)
	}
}
