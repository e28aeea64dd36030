package pvesim

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// reply is one answer, before it is written.
type reply struct {
	status int
	reason string
	body   []byte
	// contentType is left out when empty, as with errors of the HTTP server.
	contentType string
	// extraConnection are the Connection headers that come before the server's
	// own: those of the daemon or node that a request was passed on to.
	extraConnection []string
	reset           bool // cut the connection instead of answering
	delay           time.Duration
}

const contentTypeJSON = "application/json;charset=UTF-8"

// bare is an answer without a body, content type or length.
func bare(status int, reason string) *reply { return &reply{status: status, reason: reason} }

// apiError is a refusal with the words of the API.
type apiError struct {
	status int
	// message without the final newline, which Perl's die adds; it is also the
	// reason phrase.
	message string
	errors  map[string]string
	// plain leaves that newline out of the body's message.
	plain bool
}

func (e *apiError) Error() string { return fmt.Sprintf("%d %s", e.status, e.message) }

// failed is what Perl's die gives: 500 with its text.
func failed(format string, args ...any) *apiError {
	return &apiError{status: http.StatusInternalServerError, message: fmt.Sprintf(format, args...)}
}

func denied(what string) *apiError {
	return &apiError{status: http.StatusForbidden, message: "Permission check failed (" + what + ")"}
}

func badParams(errs map[string]string) *apiError {
	return &apiError{status: http.StatusBadRequest, message: "Parameter verification failed.", errors: errs}
}

func notImplemented(method, rel string) *apiError {
	return &apiError{
		status: http.StatusNotImplemented, plain: true,
		message: fmt.Sprintf("Method '%s %s' not implemented", method, rel),
	}
}

// render turns an error into the answer of a release.
func (e *apiError) render(r release) *reply {
	body := map[string]any{"data": nil}
	if r.messageInBody() {
		msg := e.message
		if !e.plain {
			msg += "\n"
		}
		body["message"] = msg
	}
	if len(e.errors) > 0 {
		body["errors"] = e.errors
	}
	return jsonReply(e.status, e.message, body)
}

// jsonReply encodes a body as Proxmox VE does: UTF-8, without HTML escapes.
func jsonReply(status int, reason string, body any) *reply {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(body); err != nil {
		return bare(http.StatusInternalServerError, "pvesim cannot encode the answer: "+err.Error())
	}
	return &reply{
		status: status, reason: reason, contentType: contentTypeJSON,
		body: bytes.TrimSuffix(b.Bytes(), []byte("\n")),
	}
}

var reControl = regexp.MustCompile(`[\x00-\x1f\x7f]+`)

// write sends a reply. It reports whether the connection stays open: an error
// always closes it (pve-http-server AnyEvent.pm, response).
func (r *reply) write(w *bufio.Writer, now time.Time, acceptGzip, keepAlive bool) (bool, error) {
	keep := keepAlive && r.status < 400 && len(r.body) > 0 // without a length the end of the body is the end of the connection
	var h strings.Builder
	first, _, _ := strings.Cut(r.reason, "\n")
	fmt.Fprintf(&h, "HTTP/1.1 %d %s\r\n", r.status, reControl.ReplaceAllString(first, " "))
	date := now.UTC().Format(http.TimeFormat)
	h.WriteString("Cache-Control: max-age=0\r\n")
	if keep {
		for _, c := range r.extraConnection {
			h.WriteString("Connection: " + c + "\r\n")
		}
		h.WriteString("Connection: Keep-Alive\r\n")
	} else {
		h.WriteString("Connection: close\r\n")
	}
	h.WriteString("Date: " + date + "\r\nPragma: no-cache\r\nServer: pve-api-daemon/3.0\r\n")
	body := r.body
	if len(body) > 1024 && acceptGzip {
		var err error
		if body, err = compress(body); err != nil {
			return false, err
		}
		h.WriteString("Content-Encoding: gzip\r\n")
	}
	if len(body) > 0 {
		h.WriteString("Content-Length: " + strconv.Itoa(len(body)) + "\r\n")
	}
	if r.contentType != "" {
		h.WriteString("Content-Type: " + r.contentType + "\r\n")
	}
	h.WriteString("Expires: " + date + "\r\n\r\n")
	if _, err := w.WriteString(h.String()); err != nil {
		return false, err
	}
	if _, err := w.Write(body); err != nil {
		return false, err
	}
	return keep, w.Flush()
}

func compress(body []byte) ([]byte, error) {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := z.Write(body); err != nil {
		return nil, err
	}
	if err := z.Close(); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}
