package normalize

import (
	"fmt"
	"strings"
)

// reader takes values out of a configuration and notes what it could not read.
type reader struct {
	m        map[string]any
	problems []string
}

// bad notes a problem. The value itself stays out of it: it may be anything, a secret included.
func (r *reader) bad(key, want string) {
	r.problems = append(r.problems, fmt.Sprintf("%s is %s that is not %s", key, kind(r.m[key]), want))
}

func (r *reader) text(key string) string {
	v, present := r.m[key]
	if !present || v == nil {
		return ""
	}
	s, ok := Text(v)
	if !ok {
		r.bad(key, "a text")
	}
	return s
}

func (r *reader) bool(key string) bool {
	val, ok := Bool(r.m[key])
	if !ok {
		r.bad(key, "0 or 1")
	}
	return val
}

func (r *reader) number(key string) float64 {
	v, present := r.m[key]
	if !present || v == nil || v == "" {
		return 0
	}
	f, ok := Number(v)
	if !ok || f < 0 {
		r.bad(key, "a number")
		return 0
	}
	return f
}

// integer returns the value and whether there is a readable one.
func (r *reader) integer(key string) (int64, bool) {
	v, present := r.m[key]
	if !present || v == nil || v == "" {
		return 0, false
	}
	n, ok := Integer(v)
	if !ok || n < 0 || n > 1<<31 {
		r.bad(key, "a whole number")
		return 0, false
	}
	return n, true
}

// atLeastOne is for sockets and cores, which default to 1.
func (r *reader) atLeastOne(key string) int {
	n, present := r.integer(key)
	if !present || n == 0 {
		return 1
	}
	return int(n)
}

// memory reads a number (Proxmox VE 7 and 8.0), a string, or "current=4096" (since 8.1 it is a property string).
func (r *reader) memory() int64 {
	v, present := r.m["memory"]
	if !present || v == nil || v == "" {
		return defaultMemoryMiB
	}
	if s, isText := v.(string); isText {
		if current, ok := property(Properties(s), "current", true); ok {
			v = current
		}
	}
	n, ok := Integer(v)
	if !ok || n < 0 {
		r.bad("memory", "a size in MiB")
		return 0
	}
	return n
}

// agent reads "1", "enabled=1,fstrim_cloned_disks=1", and "enabled=true".
func (r *reader) agent() bool {
	v, present := r.m["agent"]
	if !present || v == nil {
		return false
	}
	if s, isText := v.(string); isText {
		enabled, _ := property(Properties(s), "enabled", true)
		v = enabled
	}
	val, ok := Bool(v)
	if !ok {
		r.bad("agent", "an agent setting")
	}
	return val
}

// first reads the leading value of a property string: its default key, which may be spelled out.
func (r *reader) first(key, defaultKey string) string {
	s, _ := property(Properties(r.text(key)), defaultKey, true)
	return s
}

// device reads a numbered key's text.
func (r *reader) device(key string) (string, bool) {
	s, ok := r.m[key].(string)
	if !ok {
		r.bad(key, "a device")
	}
	return strings.TrimSpace(s), ok
}
