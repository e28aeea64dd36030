package pvesim

import (
	"fmt"
	"strconv"
	"strings"
)

// release is the version of Proxmox VE that is simulated, with the questions
// that the rest of the package asks of it.
type release struct {
	full   string // "8.4.21", or "7.4-20" in series 7
	short  string // "8.4"
	major  int
	minor  int
	repoID string
}

// defaultReleases are what "7", "8" and "9" stand for: versions whose source was
// read (7) or whose answers were recorded (8, 9).
var defaultReleases = map[string]string{"": "9.2.11", "7": "7.4-20", "8": "8.4.21", "9": "9.2.11"}

// repoIDs are the build identifiers of those versions.
var repoIDs = map[string]string{"7.4-20": "0aa11bb2", "8.4.21": "2606ac850d46da29", "9.2.11": "14a22df35955d97d"}

func parseRelease(version, repoID string) (release, error) {
	full := version
	if d, ok := defaultReleases[version]; ok {
		full = d
	}
	head, _, _ := strings.Cut(full, "-")
	parts := strings.Split(head, ".")
	if len(parts) < 2 {
		return release{}, fmt.Errorf("version %q: want something like 8.4.21, or one of 7, 8 and 9", version)
	}
	major, err1 := strconv.Atoi(parts[0])
	minor, err2 := strconv.Atoi(parts[1])
	if err1 != nil || err2 != nil || minor < 0 {
		return release{}, fmt.Errorf("version %q: want something like 8.4.21, or one of 7, 8 and 9", version)
	}
	if major < 7 || major > 9 {
		return release{}, fmt.Errorf("version %q: only series 7, 8 and 9 are simulated", version)
	}
	if repoID == "" {
		repoID = repoIDs[full]
	}
	if repoID == "" {
		repoID = "0aa11bb2cc33dd44"
	}
	return release{full: full, short: parts[0] + "." + parts[1], major: major, minor: minor, repoID: repoID}, nil
}

// memoryIsString says that "memory" is a property string, which the API hands
// out as text; it was an integer up to 8.0 (qemu-server 7f8c8087).
func (r release) memoryIsString() bool { return r.major > 8 || r.major == 8 && r.minor >= 1 }

// messageInBody says that an error's text is repeated in the body, which
// pve-http-server does since January 2025 (9a2112e); before it stands in the
// reason phrase only.
func (r release) messageInBody() bool { return r.major > 8 || r.major == 8 && r.minor >= 3 }

// nestedPools says that a pool may lie in another one.
func (r release) nestedPools() bool { return r.major >= 8 }

// poolRoot is the path of the pools that a dump of one's permissions starts
// from. Version 7 has "/pools" there, which no check ever asks for
// (pve-access-control stable-7, RPCEnvironment.pm).
func (r release) poolRoot() string {
	if r.major == 7 {
		return "/pools"
	}
	return "/pool"
}

// agentPrivileges are the privileges any of which lets a caller read from the
// guest agent (pve-access-control 9.0.2 split VM.Monitor up).
func (r release) agentPrivileges() []string {
	if r.major >= 9 {
		return []string{"VM.GuestAgent.Audit", "VM.GuestAgent.Unrestricted"}
	}
	return []string{"VM.Monitor"}
}
