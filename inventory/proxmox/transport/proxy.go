package transport

import (
	"errors"
	"net/http"
	"net/url"
)

// proxy leaves out of the error what the environment holds: net/http quotes a proxy's address in full, a password in
// it included, and there in any spelling, for what is quoted is what could not be read.
func proxy(from func(*http.Request) (*url.URL, error)) func(*http.Request) (*url.URL, error) {
	return func(req *http.Request) (*url.URL, error) {
		u, err := from(req)
		if err != nil {
			return nil, errors.New("the proxy's address in the environment (HTTPS_PROXY, HTTP_PROXY) cannot be read: want http://HOST:PORT")
		}
		return u, nil
	}
}

// origin is what of a redirect's target goes into a text. User information, path and query are somebody's secrets more
// often than not (a login page gets its ticket there).
func origin(location string) string {
	u, err := url.Parse(location)
	switch {
	case err != nil:
		return "an address that cannot be read"
	case u.Host == "" && u.Scheme == "":
		return "another path of the same server"
	case u.Host == "":
		return "an address without a host"
	case u.Scheme == "":
		return "//" + u.Host
	}
	return u.Scheme + "://" + u.Host
}
