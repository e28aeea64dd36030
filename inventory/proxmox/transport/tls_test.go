package transport

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func newTLSServer(t *testing.T) (*httptest.Server, string, string) {
	t.Helper()
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.ProtoMajor != 1 {
			t.Errorf("spoke %s: reason phrases would be lost", r.Proto)
		}
		ok(t, w)
	}))
	s.EnableHTTP2 = true
	s.Config.ErrorLog = quiet()
	s.StartTLS()
	t.Cleanup(s.Close)
	ca := filepath.Join(t.TempDir(), "ca.pem")
	block := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw})
	if err := os.WriteFile(ca, block, 0o600); err != nil {
		t.Fatal(err)
	}
	return s, Fingerprint(s.Certificate().Raw), ca
}

// quiet drops what a server says about handshakes that the client gave up, as it should.
func quiet() *log.Logger { return log.New(io.Discard, "", 0) }

func TestCertificates(t *testing.T) {
	s, pin, ca := newTLSServer(t)
	wrong := strings.Repeat("AB:", 31) + "AB"
	byName := strings.Replace(s.URL, "127.0.0.1", "localhost", 1)
	for name, c := range map[string]struct {
		tls  TLS
		url  string
		fail bool
	}{
		"system's authorities":       {TLS{}, s.URL, true},
		"CA file":                    {TLS{CAFile: ca}, s.URL, false},
		"CA file, other name":        {TLS{CAFile: ca}, byName, true},
		"pinned":                     {TLS{Fingerprint: pin}, s.URL, false},
		"pinned, lower case, plain":  {TLS{Fingerprint: strings.ToLower(strings.ReplaceAll(pin, ":", ""))}, s.URL, false},
		"pinned, other name":         {TLS{Fingerprint: pin}, byName, false},
		"another pinned":             {TLS{Fingerprint: wrong}, s.URL, true},
		"pinned and CA file":         {TLS{Fingerprint: pin, CAFile: ca}, s.URL, false},
		"pinned and CA file, name":   {TLS{Fingerprint: pin, CAFile: ca}, byName, true},
		"another pinned and CA file": {TLS{Fingerprint: wrong, CAFile: ca}, s.URL, true},
		"insecure":                   {TLS{Insecure: true}, s.URL, false},
		"insecure, another pinned":   {TLS{Insecure: true, Fingerprint: wrong}, s.URL, true},
	} {
		_, ex := ask(t.Context(), t, open(t, c.url, func(o *Options) { o.TLS = c.tls }), "/version")
		if (ex.Err != nil) != c.fail {
			t.Errorf("%s: %v", name, ex.Err)
		}
		if ex.Err != nil && ex.Err.Kind != Unreachable {
			t.Errorf("%s: kind %d", name, ex.Err.Kind)
		}
	}
	_, ex := ask(t.Context(), t, open(t, s.URL, func(o *Options) { o.TLS.Fingerprint = wrong }), "/version")
	var pinned *FingerprintError
	if !errors.As(ex.Err, &pinned) || pinned.Got != pin || pinned.Want != wrong || !strings.Contains(ex.Err.Error(), pin) {
		t.Errorf("the fingerprint that was served is not in %v", ex.Err)
	}
	_, ex = ask(t.Context(), t, open(t, s.URL, nil), "/version")
	var unknown *tls.CertificateVerificationError
	var authority x509.UnknownAuthorityError
	if !errors.As(ex.Err, &unknown) || !errors.As(ex.Err, &authority) {
		t.Errorf("TLS's own error is lost: %v", ex.Err)
	}
}

func TestOldTLSIsNotSpoken(t *testing.T) {
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { ok(t, w) }))
	s.Config.ErrorLog = quiet()
	s.TLS = &tls.Config{MinVersion: tls.VersionTLS10, MaxVersion: tls.VersionTLS11}
	s.StartTLS()
	t.Cleanup(s.Close)
	_, ex := ask(t.Context(), t, open(t, s.URL, func(o *Options) { o.TLS.Insecure = true }), "/version")
	_ = mustFail(t, ex, Unreachable)
}

func TestParseFingerprint(t *testing.T) {
	plain := strings.Repeat("0a", 32)
	colons := strings.Repeat("0A:", 31) + "0A"
	for _, in := range []string{plain, colons, " " + plain + "\n", "sha256 Fingerprint=" + colons, "SHA256 Fingerprint=" + plain} {
		if got, err := ParseFingerprint(in); err != nil || got != colons {
			t.Errorf("ParseFingerprint(%q) = %q, %v", in, got, err)
		}
	}
	for in, want := range map[string]string{"": "0 digits", "zz": "not hexadecimal", strings.Repeat("0a", 20): "SHA-1", "0a0b": "4 digits"} {
		if _, err := ParseFingerprint(in); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("ParseFingerprint(%q): %v, want %q", in, err, want)
		}
	}
}

func TestBadTLSOptions(t *testing.T) {
	empty := filepath.Join(t.TempDir(), "empty.pem")
	if err := os.WriteFile(empty, []byte("no certificate"), 0o600); err != nil {
		t.Fatal(err)
	}
	for want, o := range map[string]TLS{
		"cannot read the CA file": {CAFile: filepath.Join(t.TempDir(), "missing.pem")},
		"holds no certificate":    {CAFile: empty},
		"not hexadecimal":         {Fingerprint: "xyz"},
	} {
		if _, err := New(Options{TLS: o}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v, want %q", o, err, want)
		}
	}
}
