package transport

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
)

// Whatever status, reason phrase and body a server sends: there is either a JSON object or an error in one line
// without the secret.
func FuzzAnswer(f *testing.F) {
	f.Add(200, "OK", `{"data":[]}`)
	f.Add(400, "Parameter verification failed.", `{"errors":{"vmid":"VM 105 already exists\n"},"message":null}`)
	f.Add(595, "No route to host", "")
	f.Add(401, canary, `{"message":["`+canary+`"],"errors":7}`)
	f.Add(302, "", "<html>")
	f.Fuzz(func(t *testing.T, status int, reason, body string) {
		tr := &Transport{secret: canary}
		a := &answer{status: status, reason: reason, body: []byte(body), header: http.Header{"Location": {reason}, "Content-Type": {reason}}}
		var e *Error
		if status >= 200 && status <= 299 {
			e = tr.checkBody(a)
		} else {
			e = tr.failure(a)
		}
		if e == nil {
			var object map[string]any
			if err := json.Unmarshal(a.body, &object); err != nil || object == nil {
				t.Errorf("%q passes for an answer: %v", body, err)
			}
			return
		}
		text := e.Error() + e.Short()
		for k, v := range e.Params {
			text += k + v
		}
		if strings.ContainsAny(text, "\n\r\x00\x1b") || strings.Contains(text, canary) {
			t.Errorf("%q", text)
		}
		if e.Kind == 0 || status == 401 && e.Kind != Refused || status == 595 && e.Kind != NodeDown {
			t.Errorf("kind %d of status %d", e.Kind, status)
		}
	})
}
