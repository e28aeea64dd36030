package inventory

import (
	"strings"
	"time"
)

// Part is one of the scans that a merged Snapshot was made of.
type Part struct {
	// File is the name of the file that it came from.
	File string `json:"file"`
	// CollectedAt is its own clock; nil for a file that could not be read.
	CollectedAt *time.Time `json:"collectedAt,omitempty"`
	ToolVersion string     `json:"toolVersion,omitempty"`
	// Sources are what it has read, in order.
	Sources []string `json:"sources,omitempty"`
	// Stale is true for a scan that is too much older than the others: it counts as sources that did not answer.
	Stale bool `json:"stale,omitempty"`
}

// FileSource is the Source of a snapshot file of which nothing could be read: what it had, nobody knows.
func FileSource(name string) string { return filePrefix + name }

const filePrefix = "file/"

// ScopeSnapshot is the one scope of a FileSource.
const ScopeSnapshot = "snapshot"

// leftOut begins the reason of what a scan was told to leave to others.
const leftOut = "left to another scan"

// LeaveOut is the entry of something that a scan was told to leave to others (scan --site).
func LeaveOut(source, scope string) Coverage {
	return Coverage{Source: source, Scope: scope, State: NotAsked, Reason: leftOut + ", as --site, --site-index or --rest says",
		Remedy: "read the files of all scans together: --from FOLDER"}
}

// LeftOut is true for an entry that LeaveOut made.
func (c Coverage) LeftOut() bool { return c.State == NotAsked && strings.HasPrefix(c.Reason, leftOut) }

// LostFiles are the snapshot files of which nothing could be read.
func (s *Snapshot) LostFiles() []Need {
	var out []Need
	for _, c := range s.Coverage {
		if strings.HasPrefix(c.Source, filePrefix) && c.Scope == ScopeSnapshot && c.Missing() {
			out = append(out, c.Need())
		}
	}
	return out
}

// ReadAt is when a source was read: by the clock of its own scan, where the Snapshot is made of several.
func (s *Snapshot) ReadAt(source string) time.Time {
	for i := range s.Parts {
		p := &s.Parts[i]
		if p.Stale || p.CollectedAt == nil {
			continue
		}
		for _, own := range p.Sources {
			if own == source {
				return *p.CollectedAt
			}
		}
	}
	return s.CollectedAt
}

// LastReadAt is the clock of the newest scan. CollectedAt is that of the oldest that counts: what came to be since was not
// there for all of them.
func (s *Snapshot) LastReadAt() time.Time {
	last := s.CollectedAt
	for i := range s.Parts {
		if p := &s.Parts[i]; !p.Stale && p.CollectedAt != nil && p.CollectedAt.After(last) {
			last = *p.CollectedAt
		}
	}
	return last
}
