package notify

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestReadTarget: what is no URL is refused, with the file's name and without what is in it.
func TestReadTarget(t *testing.T) {
	for text, want := range map[string]string{
		"https://hooks.example.com/" + canary:                 "",
		"\ufeffhttps://hooks.example.com/" + canary + "\r\n":  "",
		"  http://alertmanager.monitoring:9093/x?t=" + canary: "",
		"https://user:" + canary + "@hooks.example.com/":      "",
		"":      "is empty",
		" \n\t": "is empty", //nolint:gocritic // a file of white space is the case
		"https://a.example/" + canary + "\nhttps://b.example/":   "more than one line",
		"https://a.example/" + canary + " # ours":                "has blanks",
		"hooks.example.com/" + canary:                            "want a URL that begins with https://",
		"ftp://a.example/" + canary:                              "want a URL that begins with https://",
		"file:///" + canary:                                      "want a URL that begins with https://",
		"https:///" + canary:                                     "has no host",
		"https://a.example/%zz" + canary:                         "no URL that can be read",
		"https://a.example/x#" + canary:                          "has a fragment",
		"url: https://a.example/" + canary:                       "has blanks",
		"https://a.example/" + strings.Repeat(canary, maxURL/12): "larger than any URL",
		"https://a.example/" + canary + "\x00":                   "control characters",
	} {
		path := filepath.Join(t.TempDir(), "webhook.url")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		got, err := ReadTarget(path)
		switch {
		case want == "" && err != nil:
			t.Errorf("%.40q: %v", text, err)
		case want != "" && (err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "webhook.url") || strings.Contains(err.Error(), canary) || strings.Contains(err.Error(), "a.example")):
			t.Errorf("%.40q: %v, want %s", text, err, want)
		case want == "" && (got.OpenToOthers || got.File != path):
			t.Errorf("%.40q: %v", text, got)
		}
	}
	for _, path := range []string{filepath.Join(t.TempDir(), "no"), t.TempDir()} {
		if _, err := ReadTarget(path); err == nil || !strings.Contains(err.Error(), path) {
			t.Errorf("%v", err)
		}
	}
	if _, err := ReadTarget("https://a.example/" + canary); err == nil || strings.Contains(err.Error(), canary) || !strings.Contains(err.Error(), "want the name of a file") {
		t.Errorf("%v", err)
	}
	path := filepath.Join(t.TempDir(), "open.url")
	if err := os.WriteFile(path, []byte("https://a.example/"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, 0o644); err != nil {
		t.Fatal(err)
	}
	if got, err := ReadTarget(path); err != nil || !got.OpenToOthers {
		t.Errorf("%v, %v", got, err)
	}
}

// TestTargetTellsNothing: however somebody prints it.
func TestTargetTellsNothing(t *testing.T) {
	got := target(t, "https://hooks.example.com/"+canary)
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x"} {
		if text := fmt.Sprintf(verb, got); strings.Contains(text, canary) || !strings.HasPrefix(text, "webhook of ") {
			t.Errorf("%s: %s", verb, text)
		}
	}
	data, err := json.Marshal(got)
	if err != nil || strings.Contains(string(data), canary) {
		t.Errorf("%s, %v", data, err)
	}
}

// TestErrorsWithoutURL: each error of the library is told in words of ours.
func TestErrorsWithoutURL(t *testing.T) {
	seen := map[string]bool{}
	for _, inner := range []error{
		&net.DNSError{Name: canary, Err: "no such host", IsNotFound: true}, &net.DNSError{Name: canary, Err: "server misbehaving"},
		x509.HostnameError{Certificate: &x509.Certificate{}, Host: canary}, x509.CertificateInvalidError{Cert: &x509.Certificate{}, Reason: x509.Expired},
		x509.CertificateInvalidError{Cert: &x509.Certificate{}, Reason: x509.NotAuthorizedToSign}, tls.AlertError(40), os.ErrDeadlineExceeded,
		&net.OpError{Op: "proxyconnect", Err: errors.New("got " + canary)}, errors.New("unsupported " + canary),
	} {
		err := withoutURL(&url.Error{Op: "Post", URL: "https://a.example/" + canary, Err: inner})
		if strings.Contains(err.Error(), canary) || strings.Contains(err.Error(), "a.example") || seen[err.Error()] {
			t.Errorf("%T: %v", inner, err)
		}
		seen[err.Error()] = true
	}
}
