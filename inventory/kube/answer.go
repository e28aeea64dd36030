package kube

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/url"
)

// maxAnswer is the size, in bytes and decompressed, that one answer may have. A page of 500 objects is a few megabytes;
// etcd's own limit of 1.5 MiB an object is never met by all of a page.
const maxAnswer = 64 << 20

// tooLarge is an answer beyond the limit, in bytes.
type tooLarge int64

func (t tooLarge) Error() string {
	return fmt.Sprintf("the answer is larger than %d MiB and was not read", int64(t)>>20)
}

// redirected is a redirect, which is not followed: it would take the credentials to an address that the kubeconfig
// does not name, and an API server sends none for what is asked here.
type redirected struct {
	code int
	to   string
}

func (r *redirected) Error() string {
	return fmt.Sprintf("%d, a redirect to %s: proxaudit follows none", r.code, r.to)
}

// whereTo is the address of a redirect without what may be a credential in it.
func whereTo(resp *http.Response) string {
	u, err := resp.Location()
	if err != nil {
		return "an address that is none"
	}
	return (&url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path}).String()
}

// settle reads an answer, as far as the limit lets it, and puts a body without credentials in its place. The body
// breaks off when the request's context ends, and this with it.
func settle(resp *http.Response, limit int64, known *credentials) (err error) {
	defer func() {
		if closing := resp.Body.Close(); err == nil {
			err = closing
		}
	}()
	if resp.StatusCode >= 300 && resp.StatusCode < 400 {
		return &redirected{code: resp.StatusCode, to: whereTo(resp)}
	}
	// The length that a server states is that of the compressed form, or a lie.
	body, err := io.ReadAll(io.LimitReader(resp.Body, limit+1))
	if err != nil {
		return err
	}
	if int64(len(body)) > limit {
		return tooLarge(limit)
	}
	body = known.scrubBody(body)
	resp.Body, resp.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	return nil
}
