package transport

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
)

// answer is what came over the wire, read to its end.
type answer struct {
	status int
	reason string
	header http.Header
	body   []byte
}

// read takes a response's body in full, so that the connection can be used again, up to a limit.
func read(resp *http.Response, limit int64) (*answer, error) {
	body, err := io.ReadAll(io.LimitReader(resp.Body, limit+1))
	if closeErr := resp.Body.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		return nil, err
	}
	if int64(len(body)) > limit {
		return nil, &tooLargeError{limit}
	}
	reason := strings.TrimSpace(strings.TrimPrefix(resp.Status, strconv.Itoa(resp.StatusCode)))
	return &answer{status: resp.StatusCode, reason: reason, header: resp.Header, body: body}, nil
}

type tooLargeError struct{ limit int64 }

func (e *tooLargeError) Error() string {
	return fmt.Sprintf("the answer is larger than %d MiB", e.limit>>20)
}

// refusalBody is what Proxmox sends with an error. Every part of it may be absent or of another type: 59x and 401
// have no body at all, and before pve-http-server of January 2025 there was no message.
type refusalBody struct {
	Message any            `json:"message"`
	Errors  map[string]any `json:"errors"`
}

// failure turns an answer with a status other than 2xx into an Error. The reason phrase is Proxmox's own place for
// the text; a proxy that speaks HTTP/2 on the way drops it, so that the message of the body stands in.
func (t *Transport) failure(a *answer) *Error {
	var body refusalBody
	if json.Unmarshal(a.body, &body) != nil {
		body = refusalBody{}
	}
	e := &Error{Status: a.status, Reason: a.reason}
	if msg, ok := body.Message.(string); ok && (e.Reason == "" || e.Reason == http.StatusText(a.status)) {
		e.Reason = msg
	}
	if e.Reason == "" {
		e.Reason = http.StatusText(a.status)
	}
	for k, v := range body.Errors {
		if e.Params == nil {
			e.Params = map[string]string{}
		}
		e.Params[t.clean(k)] = t.clean(fmt.Sprint(v))
	}
	if a.status >= 300 && a.status < 400 {
		e.Reason += ": a redirect to " + origin(a.header.Get("Location")) + " is not followed; if that is the API, configure its address"
	}
	e.Reason = t.clean(e.Reason)
	e.Kind = kindOf(a.status, e.Reason)
	return e
}

// checkBody makes sure that a 2xx answer is a JSON object, for the client above takes anything else for a temporary
// failure, and says what came instead.
func (t *Transport) checkBody(a *answer) *Error {
	trimmed := bytes.TrimLeft(a.body, " \t\r\n")
	bad := func(why string) *Error { return &Error{Kind: Malformed, Status: a.status, Reason: t.clean(why)} }
	switch {
	case t.repeats(string(a.body)):
		// Whatever its fields are called, they would go on into the inventory.
		return bad("the answer repeats the token's secret")
	case len(trimmed) == 0:
		return bad("with an empty body")
	case trimmed[0] == '<':
		return bad("with an HTML page (" + a.header.Get("Content-Type") + ") in place of JSON: is there a login page or a proxy in front of the API?")
	case !json.Valid(a.body):
		return bad("with a body that is not JSON (cut off?)")
	case trimmed[0] != '{':
		return bad("with JSON that is not an object, as every answer of the Proxmox API is")
	}
	return nil
}
