package pvesim

import (
	"crypto/sha1" //nolint:gosec // the digest of a configuration file is a SHA-1 by Proxmox VE's definition
	"encoding/hex"
	"net/url"
	"regexp"
	"strings"
)

// section is one part of a guest's configuration file: values as the API hands
// them out.
type section map[string]any

// guestConfig is a parsed configuration file.
type guestConfig struct {
	digest    string
	main      section
	pending   section
	deletes   []pendingDelete
	snapshots map[string]section
	// raw holds what the cluster file system reads out of the file by itself,
	// without any check: the lock and tags that /cluster/resources shows.
	raw map[string]string
}

// pendingDelete is one entry of the "delete" line of the pending section.
type pendingDelete struct {
	key   string
	force bool
}

var (
	rePendingQemu = regexp.MustCompile(`(?i)^\[PENDING\]\s*$`)
	rePendingLXC  = regexp.MustCompile(`(?i)^\[pve:pending\]\s*$`)
	reSpecial     = regexp.MustCompile(`(?i)^\[special:(?:cloudinit|fleecing)\]\s*$`)
	reSection     = regexp.MustCompile(`(?i)^\[([a-z][a-z0-9_\-]+)\]\s*$`)
	reAnySection  = regexp.MustCompile(`^\[[^\]]*\]\s*$`)
	reDescription = regexp.MustCompile(`^description:\s*(.*\S)\s*$`)
	reSnapState   = regexp.MustCompile(`snapstate:\s*(?:prepare|delete)\s*$`)
	reArgs        = regexp.MustCompile(`^args:\s*(.*\S)\s*$`)
	reDelete      = regexp.MustCompile(`^delete:\s*(.*\S)\s*$`)
	reOptionQemu  = regexp.MustCompile(`^([a-z][a-z_\-]*\d*):\s*(.+?)\s*$`)
	reOptionLXC   = regexp.MustCompile(`^([a-z][a-z_]*\d*):\s*(.+?)\s*$`)
	reLXCRaw      = regexp.MustCompile(`^lxc\.[a-z0-9_\-.]+(?::|\s*=)\s*.*?\s*$`)
	rePmxcfs      = regexp.MustCompile(`^(lock|tags):\s*(.*?)\s*$`)
)

// guestParser reads the files of one guest type.
type guestParser struct {
	options map[string]option
	lxc     bool
}

// parse reads a configuration file. It never fails: a line that does not
// validate is left out, as Proxmox VE warns in its log and goes on
// (QemuServer.pm parse_vm_config, LXC/Config.pm parse_pct_config).
func (p guestParser) parse(raw string) *guestConfig {
	sum := sha1.Sum([]byte(raw)) //nolint:gosec // see the import
	c := &guestConfig{
		digest: hex.EncodeToString(sum[:]), main: section{}, pending: section{},
		snapshots: map[string]section{}, raw: pmxcfsProperties(raw),
	}
	cur, inPending, skip := c.main, false, false
	var note strings.Builder
	hasNote := false
	finish := func() {
		if hasNote && cur != nil {
			text := note.String()
			if !p.lxc { // a container's note keeps its final newline
				text = strings.TrimRight(text, " \t\r\n\f\v")
			}
			cur["description"] = text
		}
		note.Reset()
		hasNote = false
	}
	for _, line := range strings.Split(raw, "\n") {
		if strings.TrimSpace(line) == "" {
			continue
		}
		if next, kind, ok := p.header(c, line); ok {
			finish()
			cur, inPending, skip = next, kind == pendingHeader, kind == ignoredHeader
			continue
		}
		if skip {
			continue
		}
		switch {
		case strings.HasPrefix(line, "#"):
			note.WriteString(decodeText(line[1:]) + "\n")
			hasNote = true
		case reDescription.MatchString(line):
			note.WriteString(decodeText(reDescription.FindStringSubmatch(line)[1]))
			hasNote = true
		case reSnapState.MatchString(line), p.lxc && reLXCRaw.MatchString(line):
		case !p.lxc && reArgs.MatchString(line):
			cur["args"] = reArgs.FindStringSubmatch(line)[1]
		case reDelete.MatchString(line):
			if inPending {
				c.deletes = parseDeletes(reDelete.FindStringSubmatch(line)[1])
			}
		default:
			p.option(cur, line)
		}
	}
	finish()
	return c
}

type headerKind int

const (
	pendingHeader headerKind = iota
	snapshotHeader
	ignoredHeader
)

// header recognises the line that starts a section. The section that it returns
// is nil when its lines are not looked at.
func (p guestParser) header(c *guestConfig, line string) (section, headerKind, bool) {
	pending := rePendingQemu
	if p.lxc {
		pending = rePendingLXC
	}
	switch {
	case pending.MatchString(line):
		c.pending = section{}
		return c.pending, pendingHeader, true
	case !p.lxc && reSpecial.MatchString(line):
		return nil, ignoredHeader, true
	case reSection.MatchString(line):
		s := section{}
		c.snapshots[reSection.FindStringSubmatch(line)[1]] = s
		return s, snapshotHeader, true
	case !p.lxc && reAnySection.MatchString(line):
		return nil, ignoredHeader, true
	}
	return nil, 0, false
}

// option stores one "key: value" line.
func (p guestParser) option(to section, line string) {
	re := reOptionQemu
	if p.lxc {
		re = reOptionLXC
	}
	m := re.FindStringSubmatch(line)
	if m == nil {
		return
	}
	key, text := m[1], m[2]
	o, known := p.options[key]
	var v any
	err := error(nil)
	if known {
		v, err = o.value(text)
	}
	if !known || err != nil {
		if !p.lxc {
			return
		}
		v = text // a container keeps the text of a line that does not validate
	}
	if !p.lxc && key == "cdrom" {
		key = "ide2"
	}
	to[key] = v
}

// parseDeletes reads "a,!b": the keys to delete, with "!" for a forced one.
func parseDeletes(s string) []pendingDelete {
	var res []pendingDelete
	for _, k := range splitList(s) {
		name, forced := strings.CutPrefix(k, "!")
		res = append(res, pendingDelete{key: name, force: forced})
	}
	return res
}

// decodeText undoes the percent-encoding of a note. Only the file encodes;
// broken escapes stay as they are (URI::Escape uri_unescape).
func decodeText(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '%' && i+2 < len(s) {
			if u, err := url.PathUnescape(s[i : i+3]); err == nil {
				b.WriteString(u)
				i += 2
				continue
			}
		}
		b.WriteByte(s[i])
	}
	return strings.ToValidUTF8(b.String(), "\uFFFD")
}

// pmxcfsProperties reads lock and tags the way the cluster file system does: out
// of the text, up to the first section, unchecked.
func pmxcfsProperties(raw string) map[string]string {
	res := map[string]string{}
	for _, line := range strings.Split(raw, "\n") {
		if strings.HasPrefix(line, "[") {
			break
		}
		if m := rePmxcfs.FindStringSubmatch(line); m != nil && m[2] != "" {
			res[m[1]] = m[2]
		}
	}
	return res
}
