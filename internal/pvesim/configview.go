package pvesim

import (
	"maps"
	"slices"
)

// maskedPassword stands for any cloud-init password in an answer.
const maskedPassword = "**********"

// truthy says whether Perl takes a value for true.
func truthy(v any) bool {
	switch x := v.(type) {
	case nil:
		return false
	case string:
		return x != "" && x != "0"
	case int64:
		return x != 0
	}
	return true
}

// view is the answer of GET …/config: the live configuration, or by default
// what it will be once the pending changes apply.
func (c *guestConfig) view(current bool) section {
	res := maps.Clone(c.main)
	if !current {
		maps.Copy(res, c.pending)
		for _, d := range c.deletes {
			if truthy(res[d.key]) {
				delete(res, d.key)
			}
		}
	}
	return c.seal(res)
}

// snapshotView is the answer of GET …/config?snapshot=NAME.
func (c *guestConfig) snapshotView(name string) (section, bool) {
	s, ok := c.snapshots[name]
	if !ok {
		return nil, false
	}
	return c.seal(maps.Clone(s)), true
}

func (c *guestConfig) seal(s section) section {
	if truthy(s["cipassword"]) {
		s["cipassword"] = maskedPassword
	}
	s["digest"] = c.digest
	return s
}

// pendingView is the answer of GET …/pending: every key with its live value and
// what waits to be changed (PVE::GuestHelpers config_with_pending_array).
func (c *guestConfig) pendingView() []map[string]any {
	live := c.seal(maps.Clone(c.main))
	deletes := map[string]int{}
	for _, d := range c.deletes {
		deletes[d.key] = 1
		if d.force {
			deletes[d.key] = 2
		}
	}
	pending := maps.Clone(c.pending)
	if _, ok := pending["cipassword"]; ok {
		pending["cipassword"] = maskedPassword + " " // so that it differs from the live one
	}
	var res []map[string]any
	for _, key := range slices.Sorted(maps.Keys(live)) {
		item := map[string]any{"key": key, "value": live[key]}
		if v, ok := pending[key]; ok {
			item["pending"] = v
		}
		if d, ok := deletes[key]; ok {
			item["delete"] = d
		}
		res = append(res, item)
	}
	for _, key := range slices.Sorted(maps.Keys(pending)) {
		if _, ok := live[key]; !ok {
			res = append(res, map[string]any{"key": key, "pending": pending[key]})
		}
	}
	for _, key := range slices.Sorted(maps.Keys(deletes)) {
		if !truthy(pending[key]) && !truthy(live[key]) {
			res = append(res, map[string]any{"key": key, "delete": deletes[key]})
		}
	}
	return res
}

// text returns a value as text, "" when it is absent.
func (s section) text(key string) string {
	v, _ := s[key].(string)
	return v
}

// number returns an integer option, or def when it is absent or 0.
func (s section) number(key string, def int64) int64 {
	if v, ok := s[key].(int64); ok && v != 0 {
		return v
	}
	return def
}
