// Package transport is the only way from proxaudit to a Proxmox VE API. It is an http.RoundTripper that lets listed
// GET requests out and nothing else, and that treats a cluster with care: few requests in flight per Proxmox node,
// one retry where Proxmox itself says that a connection between its nodes failed, and none at all to a node that has
// stopped answering.
//
// It never returns an error to the client above it. What really happened is recorded in the Exchange that travels in
// the request's context; the client gets a small, well-formed answer instead. The reason is Telmate's client: on a
// status other than 2xx it asserts the types of "errors" and "message" without a check (a body like
// {"message":null} would end the process), and it sleeps for a second after each failure that it holds for
// temporary, the last one included (session.go and client.go of proxmox-api-go).
//
// Proxies are taken from HTTPS_PROXY, HTTP_PROXY and NO_PROXY, as curl does; loopback addresses never go through one.
package transport
