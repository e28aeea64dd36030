package realkube

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
)

// auditPolicy makes the API server log every request of everyone but the bench itself and the server's own loops.
// A request is logged when its answer is out, and a watch when it starts as well.
const auditPolicy = `apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived]
rules:
- level: None
  users: [bench-admin, "system:apiserver"]
- level: Metadata
`

// Request is one request as the API server's audit log has it.
type Request struct {
	AuditID    string `json:"auditID"`
	Stage      string `json:"stage"`
	Verb       string `json:"verb"`
	RequestURI string `json:"requestURI"`
	UserAgent  string `json:"userAgent"`
	User       struct {
		Username string `json:"username"`
	} `json:"user"`
	// Object is nil for discovery and other paths that are no resource.
	Object *struct {
		Group       string `json:"apiGroup"`
		Resource    string `json:"resource"`
		Namespace   string `json:"namespace"`
		Name        string `json:"name"`
		Subresource string `json:"subresource"`
	} `json:"objectRef"`
	Response struct {
		Code int `json:"code"`
	} `json:"responseStatus"`
}

// Requests reads what a user asked of this server, in order of completion. The log of a request may be a moment
// behind its answer.
func (s *Server) Requests(user string) (requests []Request, err error) {
	file, err := os.Open(s.files.audit)
	if err != nil {
		return nil, err
	}
	defer func() {
		if closeErr := file.Close(); err == nil {
			err = closeErr
		}
	}()
	seen := map[string]bool{}
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var r Request
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			return nil, fmt.Errorf("the audit log of %s: %w", s.name, err)
		}
		if r.User.Username == user && !seen[r.AuditID] {
			seen[r.AuditID] = true
			requests = append(requests, r)
		}
	}
	return requests, lines.Err()
}
