package transport

import (
	"net/url"
	"regexp"
	"strings"
)

// route is one question that proxaudit may ask Proxmox VE. What is not listed here is not sent, whoever asks.
type route struct {
	path *regexp.Regexp
	// query holds the parameters that may stand there, each at most once, with the form of their value.
	query map[string]*regexp.Regexp
	// agent marks calls that wait for a process inside the guest: each may block one of pvedaemon's three workers
	// for seconds, so that only one at a time goes to a node.
	agent bool
}

// The forms of what comes out of Proxmox's answers and goes back into a path. Node names and VMIDs are data that
// somebody else sent: a name like "../../access" must not become a path.
const (
	nodeForm = `[a-zA-Z0-9](?:[a-zA-Z0-9\-]*[a-zA-Z0-9])?`
	vmidForm = `[1-9][0-9]{2,8}`
)

// allowed is the whole list, below /api2/json. All of them only read.
var allowed = []route{
	{path: exactly(`/version`)},
	{path: exactly(`/access/permissions`), query: map[string]*regexp.Regexp{"path": exactly(`/vms(?:/` + vmidForm + `)?|/nodes/` + nodeForm)}},
	{path: exactly(`/cluster/status`)},
	{path: exactly(`/cluster/resources`), query: map[string]*regexp.Regexp{"type": exactly(`vm`)}},
	{path: exactly(`/cluster/nextid`), query: map[string]*regexp.Regexp{"vmid": exactly(vmidForm)}},
	{path: exactly(`/nodes`)},
	{path: exactly(`/nodes/` + nodeForm + `/qemu/` + vmidForm + `/config`),
		query: map[string]*regexp.Regexp{"current": exactly(`1`)}},
	{path: exactly(`/nodes/` + nodeForm + `/tasks`), query: map[string]*regexp.Regexp{
		"source": exactly(`all`), "since": exactly(`[1-9][0-9]{0,10}`), "limit": exactly(`500`), "start": exactly(`[1-9][0-9]{0,4}`)}},
	{path: exactly(`/storage`)},
	{path: exactly(`/nodes/` + nodeForm + `/qemu/` + vmidForm + `/agent/network-get-interfaces`), agent: true},
}

func exactly(form string) *regexp.Regexp { return regexp.MustCompile(`^(?:` + form + `)$`) }

// permit says whether a path below /api2/json (as it goes over the wire, so that nothing hides behind an escape) with
// its query is on the list, and which node and kind of call it is.
func permit(path, rawQuery string) (node string, agent, ok bool) {
	query, err := url.ParseQuery(rawQuery)
	if err != nil {
		return "", false, false
	}
	for _, r := range allowed {
		if r.path.MatchString(path) && r.takes(query) {
			return nodeOf(path), r.agent, true
		}
	}
	return "", false, false
}

func (r route) takes(query url.Values) bool {
	for key, values := range query {
		form := r.query[key]
		if form == nil || len(values) != 1 || !form.MatchString(values[0]) {
			return false
		}
	}
	return true
}

// nodeOf returns the Proxmox node that answers for a path: empty for what the entry node answers itself.
func nodeOf(path string) string {
	rest, ok := strings.CutPrefix(path, "/nodes/")
	if !ok {
		return ""
	}
	node, _, _ := strings.Cut(rest, "/")
	return node
}

var nodeName = exactly(nodeForm)

// ValidNode says whether a node's name has Proxmox's form (pve-common PVE/JSONSchema.pm, pve-node), and so can stand
// in a path.
func ValidNode(name string) bool { return nodeName.MatchString(name) }
