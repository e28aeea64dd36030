// Package pki reads a copy of /etc/kubernetes/pki and writes the Secrets that are made of it. What they are and what has
// to be checked is in adopt/pki, which does no I/O.
package pki
