package inventory

import "time"

// ProviderPod is a Pod of a provider's controller Deployment.
type ProviderPod struct {
	Name  string `json:"name"`
	Phase string `json:"phase,omitempty"`
	// Ready is the Pod's own condition.
	Ready bool `json:"ready,omitempty"`
	// Restarts is the highest count of its containers.
	Restarts int32 `json:"restarts,omitempty"`
	// Waiting is the reason of a container that does not run, like CrashLoopBackOff or ImagePullBackOff; empty if all run.
	Waiting string `json:"waiting,omitempty"`
	// Message is what the Pod says about that, or about where it cannot be scheduled.
	Message   string     `json:"message,omitempty"`
	CreatedAt *time.Time `json:"createdAt,omitempty"`
}

// Lease is the leader election of a controller: whoever holds it acts, and renews it every few seconds
// (k8s.io/client-go tools/leaderelection).
type Lease struct {
	Name string `json:"name"`
	// Holder is POD_UUID.
	Holder string `json:"holder,omitempty"`
	// Renewed is when it was renewed last, by the holder's clock.
	Renewed *time.Time `json:"renewed,omitempty"`
	// Seconds is for how long a renewal holds.
	Seconds int32 `json:"seconds,omitempty"`
}

// Event is what somebody reported about an object. The API server forgets it after an hour, unless it is told otherwise.
type Event struct {
	Object Ref `json:"object"`
	// Type is Normal or Warning.
	Type    string `json:"type,omitempty"`
	Reason  string `json:"reason,omitempty"`
	Message string `json:"message,omitempty"`
	Count   int32  `json:"count,omitempty"`
	// Reporter is the controller, by its own word.
	Reporter string     `json:"reporter,omitempty"`
	First    *time.Time `json:"first,omitempty"`
	Last     *time.Time `json:"last,omitempty"`
}
