package inventory

import "slices"

// DryRun is what the API server said of a bundle.
type DryRun struct {
	// Sent counts the objects that the server was asked about, Accepted those that it would take.
	Sent     int `json:"sent"`
	Accepted int `json:"accepted"`
	// Skipped are the Secrets: they are never sent.
	Skipped []Ref `json:"skipped,omitempty"`
	// Rejections are in the order of the objects; one that has several faults has several.
	Rejections []Rejection `json:"rejections,omitempty"`
	// Requests belong to the management cluster's.
	Requests Requests `json:"requests"`
}

// Judged is false if the server did not say of every object whether it would take it: the run is incomplete then.
func (r DryRun) Judged() bool {
	return !slices.ContainsFunc(r.Rejections, func(x Rejection) bool { return !x.Cause.Judged() })
}

// RejectionCause is why an object was not accepted.
type RejectionCause string

// The causes. Of the first four the server judged the object and would not take it; with the others it is not known.
const (
	// RejectedInvalid: validation by the kind's definition or a webhook found a field wrong.
	RejectedInvalid RejectionCause = "invalid"
	// RejectedDenied: an admission webhook or policy denied it.
	RejectedDenied RejectionCause = "denied"
	// RejectedConflict: it exists already, and another manager set the field otherwise.
	RejectedConflict RejectionCause = "conflict"
	// RejectedNotServed: the server does not have its kind: the provider is not installed, or serves another version.
	RejectedNotServed RejectionCause = "not-served"

	// RejectedForbidden: this user may not apply it.
	RejectedForbidden RejectionCause = "forbidden"
	// RejectedWebhook: a webhook did not answer or knows no dry run.
	RejectedWebhook RejectionCause = "webhook-failed"
	// RejectedUnreachable: the server was not reached, or no longer.
	RejectedUnreachable RejectionCause = "unreachable"
	// RejectedOther: any other answer.
	RejectedOther RejectionCause = "failed"
)

// Judged is true if the server said of the object itself that it would not take it.
func (r RejectionCause) Judged() bool {
	switch r {
	case RejectedInvalid, RejectedDenied, RejectedConflict, RejectedNotServed:
		return true
	default:
		return false
	}
}

// Rejection is one reason for which one object was not accepted.
type Rejection struct {
	Object     Ref            `json:"object"`
	APIVersion string         `json:"apiVersion"`
	Cause      RejectionCause `json:"cause"`
	// Field is a path like "spec.network.networkDevices[0].bridge"; empty if it is about no single field.
	Field string `json:"field,omitempty"`
	// Message is the server's own, in one line.
	Message string `json:"message"`
	Remedy  string `json:"remedy,omitempty"`
}
