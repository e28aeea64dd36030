package pvesim

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// call is one request on its way through the API.
type call struct {
	srv    *Server
	st     *fleetState
	asked  *nodeState // the node whose API was asked
	now    time.Time
	auth   string // ID of the token
	rel    string
	vars   map[string]string // from the path
	params map[string]string // from the query
	total  *int64            // set by lists that say how long they are
	// next is the fleet as a write will leave it; nil while reading.
	next *Fleet
}

// param describes a parameter of an endpoint.
type param struct {
	name     string
	kind     kind
	enum     []string
	required bool
	list     bool // takes several values, joined by [listSeparator]
	// since is the first series that knows the parameter.
	since int
	// invalid returns what is wrong with a value, or "".
	invalid func(string) string
}

var reVMID = regexp.MustCompile(`^[1-9][0-9]{2,8}$`)

func vmidParam(required bool) param {
	return param{name: "vmid", kind: kindInteger, required: required, invalid: func(v string) string {
		if !reVMID.MatchString(v) {
			return "invalid format - value does not look like a valid VM ID\n"
		}
		return ""
	}}
}

var nodeParam = param{name: "node", required: true, invalid: func(v string) string {
	if !reNodeName.MatchString(v) {
		return "invalid format - value does not look like a valid node name\n"
	}
	return ""
}}

// verify checks all parameters of a call, those in the path included, with the
// messages of PVE::JSONSchema.
func (c *call) verify(spec []param) *apiError {
	errs := map[string]string{}
	spec = slices.DeleteFunc(slices.Clone(spec), func(p param) bool { return p.since > c.st.release.major })
	for _, p := range spec {
		v, ok := c.arg(p.name)
		if !ok {
			if p.required {
				errs[p.name] = "property is missing and it is not optional"
			}
			continue
		}
		if msg := p.problem(v); msg != "" {
			errs[p.name] = msg
		}
	}
	for name := range c.params {
		if !slices.ContainsFunc(spec, func(p param) bool { return p.name == name }) {
			errs[name] = "property is not defined in schema and the schema does not allow additional properties"
		}
	}
	if len(errs) > 0 {
		return badParams(errs)
	}
	return nil
}

func (p param) problem(v string) string {
	if strings.Contains(v, listSeparator) && !p.list {
		return "type check ('string') failed - got ARRAY"
	}
	switch p.kind {
	case kindBoolean:
		if v != "0" && v != "1" {
			return "type check ('boolean') failed - got '" + v + "'"
		}
	case kindInteger:
		if !reInteger.MatchString(v) {
			return "type check ('integer') failed - got '" + v + "'"
		}
	case kindNumber:
		if !reNumber.MatchString(v) {
			return "type check ('number') failed - got '" + v + "'"
		}
	case kindString:
	}
	if len(p.enum) > 0 && !slices.Contains(p.enum, v) {
		return "value '" + v + "' does not have a value in the enumeration '" + strings.Join(p.enum, ", ") + "'"
	}
	if p.invalid != nil {
		return p.invalid(v)
	}
	return ""
}

// arg returns a parameter of the path or the query.
func (c *call) arg(name string) (string, bool) {
	if v, ok := c.vars[name]; ok {
		return v, true
	}
	v, ok := c.params[name]
	return v, ok
}

func (c *call) vmid() int {
	id, err := strconv.Atoi(c.vars["vmid"])
	if err != nil {
		return 0
	}
	return id
}

// may says whether the caller holds any of privs on path.
func (c *call) may(path string, privs ...string) bool {
	return c.st.perms.has(c.auth, path, privs...)
}

// permission is the check that stands before an endpoint; nil lets every token
// in.
type permission func(c *call) *apiError

// needs asks for any of the privileges on a path in which {name} stands for a
// parameter of the call.
func needs(path string, privs ...string) permission {
	return func(c *call) *apiError { return c.need(path, privs...) }
}

func (c *call) need(path string, privs ...string) *apiError {
	for name, v := range c.vars {
		path = strings.ReplaceAll(path, "{"+name+"}", v)
	}
	if c.may(path, privs...) {
		return nil
	}
	return denied(path + ", " + strings.Join(privs, "|"))
}

// node returns the node that the path names, "localhost" resolved.
func (c *call) node() *nodeState {
	if name := c.vars["node"]; name != "localhost" {
		return c.st.byName[name]
	}
	return c.asked
}
