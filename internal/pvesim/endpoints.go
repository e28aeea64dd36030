package pvesim

import "strings"

// endpoint is one method of the API.
type endpoint struct {
	method string
	path   string // with {name} for variables
	allow  permission
	// proxied endpoints are answered by the node in the path, protected ones by
	// the daemon that runs as root; both show in the Connection headers.
	proxied   bool
	protected bool
	params    []param
	// paramsOf makes the parameters for a release, where a list for all will not do.
	paramsOf func(r release) []param
	handle   func(c *call) (any, *apiError)
	// change is what an endpoint has that changes the fleet, instead of handle.
	change func(c *call) (any, *apiError)

	segments []string
}

// endpoints is the part of the API that is simulated. Those that are not GET are
// reached with [Options.Writable] alone.
var endpoints = buildEndpoints()

func buildEndpoints() []*endpoint {
	vmNode := []param{nodeParam, vmidParam(true)}
	list := []*endpoint{
		{path: "/version", handle: (*call).version},
		{path: "/access/permissions", params: []param{{name: "userid"}, {name: "path"}}, handle: (*call).permissions},
		{path: "/access/acl", handle: (*call).acl},
		{path: "/access/roles", handle: (*call).roles},
		{path: "/access/users", protected: true, params: []param{{name: "enabled", kind: kindBoolean}, {name: "full", kind: kindBoolean}}, handle: (*call).users},
		{path: "/access/users/{userid}/token", allow: mayReadTokens, params: []param{{name: "userid", required: true}}, handle: (*call).userTokens},
		{path: "/cluster/status", allow: needs("/", "Sys.Audit"), protected: true, handle: (*call).clusterStatus},
		{path: "/cluster/resources", params: []param{{name: "type", enum: resourceTypes}}, handle: (*call).resources},
		{path: "/cluster/nextid", params: []param{vmidParam(false)}, handle: (*call).nextID},
		{path: "/cluster/tasks", handle: (*call).clusterTasks},
		{path: "/cluster/options", handle: (*call).clusterOptions},
		{path: "/cluster/ha/resources", allow: needs("/", "Sys.Audit"), params: []param{{name: "type", enum: []string{"ct", "vm"}}}, handle: (*call).haResources},
		{path: "/cluster/ha/status/current", allow: needs("/", "Sys.Audit"), handle: (*call).haStatus},
		{path: "/pools", params: []param{{name: "poolid", since: 8}, {name: "type", since: 8, enum: poolMemberTypes}}, handle: (*call).pools},
		{path: "/pools/{poolid}", allow: needs("/pool/{poolid}", "Pool.Audit"), params: []param{{name: "poolid", required: true}, {name: "type", since: 8, enum: poolMemberTypes}}, handle: (*call).pool},
		{path: "/nodes", handle: (*call).nodes},
		{path: "/nodes/{node}", params: []param{nodeParam}, handle: (*call).nodeIndex},
		{path: "/nodes/{node}/status", allow: needs("/nodes/{node}", "Sys.Audit"), proxied: true, params: []param{nodeParam}, handle: (*call).nodeStatus},
		{path: "/nodes/{node}/version", proxied: true, params: []param{nodeParam}, handle: (*call).version},
		{path: "/nodes/{node}/storage", proxied: true, protected: true, params: []param{
			nodeParam, {name: "storage"}, {name: "content"}, {name: "enabled", kind: kindBoolean}, {name: "target"}, {name: "format", kind: kindBoolean},
		}, handle: (*call).nodeStorage},
		{path: "/storage", params: []param{{name: "type", enum: storageTypes}}, handle: (*call).storages},
		{path: "/nodes/{node}/tasks", proxied: true, params: taskParams, handle: (*call).nodeTasks},
		{path: "/nodes/{node}/tasks/{upid}/status", proxied: true, protected: true, params: []param{nodeParam, {name: "upid", required: true}}, handle: (*call).taskStatus},
		{path: "/nodes/{node}/qemu", proxied: true, protected: true, params: []param{nodeParam, {name: "full", kind: kindBoolean}}, handle: (*call).qemuList},
		{path: "/nodes/{node}/qemu/{vmid}/config", allow: needs("/vms/{vmid}", "VM.Audit"), proxied: true, params: append(vmNode[:2:2],
			param{name: "current", kind: kindBoolean}, snapshotParam), handle: (*call).qemuConfig},
		{path: "/nodes/{node}/qemu/{vmid}/pending", allow: needs("/vms/{vmid}", "VM.Audit"), proxied: true, params: vmNode, handle: (*call).qemuPending},
		{path: "/nodes/{node}/qemu/{vmid}/status/current", allow: needs("/vms/{vmid}", "VM.Audit"), proxied: true, protected: true, params: vmNode, handle: (*call).qemuStatus},
		{path: "/nodes/{node}/lxc", proxied: true, protected: true, params: []param{nodeParam}, handle: (*call).lxcList},
		{path: "/nodes/{node}/lxc/{vmid}/config", allow: needs("/vms/{vmid}", "VM.Audit"), proxied: true, params: append(vmNode[:2:2],
			param{name: "current", kind: kindBoolean}, snapshotParam), handle: (*call).lxcConfig},
		{path: "/nodes/{node}/lxc/{vmid}/status/current", allow: needs("/vms/{vmid}", "VM.Audit"), proxied: true, protected: true, params: vmNode, handle: (*call).lxcStatus},
	}
	for _, command := range agentCommands {
		list = append(list, &endpoint{
			path: "/nodes/{node}/qemu/{vmid}/agent/" + command, allow: mayAskAgent, proxied: true, protected: true,
			params: vmNode, handle: func(c *call) (any, *apiError) { return c.agent(command) },
		})
	}
	list = append(list, writerReads()...)
	for _, e := range list {
		e.method = "GET"
	}
	list = append(list, writeEndpoints()...)
	for _, e := range list {
		e.segments = segments(e.path)
	}
	return list
}

func segments(path string) []string {
	return strings.FieldsFunc(path, func(r rune) bool { return r == '/' })
}

// findEndpoint returns the endpoint of a method and path, with the values of its
// variables. A literal part goes before a variable one.
func findEndpoint(method, rel string) (*endpoint, map[string]string) {
	parts := segments(rel)
	var best *endpoint
	var bestVars map[string]string
	for _, e := range endpoints {
		if e.method != method {
			continue
		}
		vars, ok := e.match(parts)
		if ok && (best == nil || len(vars) < len(bestVars)) {
			best, bestVars = e, vars
		}
	}
	return best, bestVars
}

// match compares the parts of a path. A last part "{name...}" takes all that is
// left, as the IDs of volumes have slashes in them.
func (e *endpoint) match(parts []string) (map[string]string, bool) {
	rest, hasRest := "", false
	if n := len(e.segments); n > 0 {
		rest, hasRest = strings.CutSuffix(e.segments[n-1], "...}")
	}
	if len(parts) != len(e.segments) && (!hasRest || len(parts) < len(e.segments)) {
		return nil, false
	}
	vars := map[string]string{}
	for i, s := range e.segments {
		switch {
		case hasRest && i == len(e.segments)-1:
			vars[strings.Trim(rest, "{")] = strings.Join(parts[i:], "/")
		case strings.HasPrefix(s, "{"):
			vars[strings.Trim(s, "{}")] = parts[i]
		case s != parts[i]:
			return nil, false
		}
	}
	return vars, true
}
