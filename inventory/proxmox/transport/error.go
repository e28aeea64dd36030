package transport

import (
	"fmt"
	"net/http"
	"strings"
)

// Kind says what a failure means for the one who asked.
type Kind int

// The kinds of failure.
const (
	// Refused: the API answered and said no (401, 403).
	Refused Kind = iota + 1
	// Missing: the guest's configuration is not on that node (500 "Configuration file … does not exist").
	Missing
	// NodeDown: the API answered, but could not reach the node that owns the guest (595, 596, 599), or that node let
	// a request run into the timeout.
	NodeDown
	// Unreachable: no answer from the API itself.
	Unreachable
	// Malformed: an answer that is not what a Proxmox VE API sends.
	Malformed
	// Failed: any other status.
	Failed
	// Blocked: not sent, because it is not on the list of what proxaudit may ask.
	Blocked
	// Skipped: not sent, because the node had stopped answering.
	Skipped
	// Canceled: the run was interrupted.
	Canceled
)

// Error is a request that brought no usable answer.
type Error struct {
	Kind   Kind
	Method string
	// Path is below /api2/json, with the query.
	Path string
	// Status is 0 if there was no answer.
	Status int
	// Reason is what Proxmox says in the reason phrase (its own texts stand there, in every version), or what went
	// wrong here.
	Reason string
	// Params are the errors per parameter of a 400.
	Params map[string]string
	// Cause is the error of the network or TLS layer, for errors.As.
	Cause error
	// Node is the Proxmox node that the path belongs to; empty for the entry node.
	Node string
}

// Error says what was tried and what came back, in one line.
func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString(e.Method + " " + e.Path + ": ")
	if e.Status != 0 {
		fmt.Fprintf(&b, "%d", e.Status)
		if e.Reason != "" {
			b.WriteString(" ")
		}
	}
	b.WriteString(e.Reason)
	return b.String()
}

// Unwrap gives errors.As the network's or TLS's own error.
func (e *Error) Unwrap() error { return e.Cause }

// Short is the error without the request: for lists in which the request is clear.
func (e *Error) Short() string {
	if e.Status == 0 {
		return e.Reason
	}
	return strings.TrimSpace(fmt.Sprintf("%d %s", e.Status, e.Reason))
}

// The statuses that pveproxy passes on from AnyEvent::HTTP when the node behind it cannot be reached
// (pve-http-server PVE/APIServer/AnyEvent.pm).
const (
	statusConnect  = 595
	statusSend     = 596
	statusInternal = 599
)

// kindOf classifies an answer by its status and reason phrase.
func kindOf(status int, reason string) Kind {
	switch {
	case status == http.StatusUnauthorized || status == http.StatusForbidden:
		return Refused
	case status == statusConnect || status == statusSend || status == statusInternal:
		return NodeDown
	case status == http.StatusInternalServerError && strings.Contains(reason, "Configuration file") &&
		strings.Contains(reason, "does not exist"):
		return Missing
	default:
		return Failed
	}
}
