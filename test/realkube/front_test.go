package realkube

import (
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"
)

func TestFront(t *testing.T) {
	srv := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, r.Host)
	}))
	defer srv.Close()
	f, err := startFront(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := f.close(); err != nil {
			t.Error(err)
		}
	}()
	proxy, err := url.Parse(f.url)
	if err != nil {
		t.Fatal(err)
	}
	// The certificate of httptest is for example.com.
	f.lead("example.com:6443", srv.Listener.Addr().String())
	client := srv.Client()
	client.Transport.(*http.Transport).Proxy = http.ProxyURL(proxy)
	get := func(url string) (string, error) {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
		if err != nil {
			t.Fatal(err)
		}
		answer, err := client.Do(r)
		if err != nil {
			return "", err
		}
		defer answer.Body.Close() //nolint:errcheck // it is read to its end
		body, err := io.ReadAll(answer.Body)
		return string(body), err
	}
	if got, err := get("https://example.com:6443/"); err != nil || got != "example.com:6443" {
		t.Errorf("%q, %v", got, err)
	}
	if got, err := get("https://example.com:443/"); err == nil {
		t.Errorf("it leads elsewhere: %q", got)
	}
}
