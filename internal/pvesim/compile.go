package pvesim

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// DefaultTokenID is the token of a fleet that defines none. It may read
// everything (PVEAuditor).
const DefaultTokenID = "proxaudit@pve!audit" //nolint:gosec // the ID of a token, no secret

// fleetState is a fleet made ready for answering: defaults filled in, files
// parsed, everything indexed. It does not change; [Server.Update] builds a new
// one.
type fleetState struct {
	fleet    *Fleet
	release  release
	cluster  string
	nodes    []*nodeState // by name
	byName   map[string]*nodeState
	guests   []*guest // in the string order of their VMIDs
	byID     map[int]*guest
	poolOf   map[int]string
	poolIDs  []string
	perms    *permissions
	tokens   map[string]*tokenState
	users    map[string]*User
	storages []*storageState
	started  time.Time
	// changed is when the fleet was last changed, and every how long that takes
	// to show in the broadcasts.
	changed time.Time
	every   time.Duration
}

type nodeState struct {
	name    string
	id      int
	ip      string
	cpus    int64
	memory  int64
	disk    int64
	booted  time.Time
	offline time.Time // zero while the node is on
	silent  bool
	cgroup  int
	workers int
	latency time.Duration
}

type tokenState struct {
	id, owner, secret string
	spec              *Token
}

type storageState struct {
	id           string
	spec         *Storage
	size, used   int64
	contentOrder []string
}

// guest is a QEMU guest or a container.
type guest struct {
	id     int
	lxc    bool
	node   *nodeState
	raw    string
	conf   *guestConfig
	status string // stopped, or a QMP state; of a container running or stopped
	since  time.Time
	vm     *VM // nil of a container
	memory int64
	disk   int64 // of the disk that it boots from
	// announced is the guest as the broadcasts had it before the last change.
	announced *guest
}

var (
	reNodeName = regexp.MustCompile(`^[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?$`)
	rePoolID   = regexp.MustCompile(`^[A-Za-z0-9.\-_]+(?:/[A-Za-z0-9.\-_]+){0,2}$`)
	reSecret   = regexp.MustCompile(`^[^\s=]+$`)
)

// compile checks a fleet and makes it ready. old, when not nil, lends the parsed
// files that did not change.
func compile(f *Fleet, started time.Time, old *fleetState) (*fleetState, error) {
	rel, err := parseRelease(f.Version, f.RepoID)
	if err != nil {
		return nil, fault(err.Error(), "version")
	}
	s := &fleetState{
		fleet: f, release: rel, cluster: f.Cluster, started: started,
		byName: map[string]*nodeState{}, byID: map[int]*guest{}, poolOf: map[int]string{},
	}
	steps := []func() error{
		s.compileNodes,
		func() error { return s.compileGuests(old) },
		s.compilePools,
		s.compileStorages,
		s.compileAccess,
		s.checkHA,
		s.checkTasks,
	}
	for _, step := range steps {
		if err := step(); err != nil {
			return nil, err
		}
	}
	return s, nil
}

func (s *fleetState) compileNodes() error {
	specs := s.fleet.Nodes
	if len(specs) == 0 {
		specs = map[string]*Node{"pve1": {}}
	}
	if len(specs) > 1 && s.cluster == "" {
		s.cluster = "lab"
	}
	used := map[int]string{}
	for i, name := range slices.SortedFunc(maps.Keys(specs), naturalOrder) {
		spec := specs[name]
		if spec == nil {
			spec = &Node{}
		}
		if !reNodeName.MatchString(name) {
			return fault("not a host name", "nodes", name)
		}
		mem, err := sizeOr(spec.Memory, "64G")
		if err != nil {
			return fault(err.Error(), "nodes", name, "memory")
		}
		disk, err := sizeOr(spec.Disk, "500G")
		if err != nil {
			return fault(err.Error(), "nodes", name, "disk")
		}
		if spec.CPUs < 0 || spec.Workers < 0 || spec.Latency < 0 || spec.Offline < 0 || spec.Uptime < 0 {
			return fault("a number below zero", "nodes", name)
		}
		n := &nodeState{
			name: name, id: cmp.Or(spec.ID, i+1), ip: cmp.Or(spec.IP, fmt.Sprintf("192.0.2.%d", 10+i%200)),
			cpus: int64(cmp.Or(spec.CPUs, 16)), memory: mem, disk: disk, silent: spec.Silent, cgroup: spec.CgroupMode,
			booted:  s.started.Add(-cmp.Or(spec.Uptime, 30*24*time.Hour)),
			workers: cmp.Or(spec.Workers, s.fleet.Workers, 3), latency: cmp.Or(spec.Latency, s.fleet.Latency),
		}
		n.offline = spec.OfflineSince
		if spec.Offline > 0 {
			n.offline = s.started.Add(-spec.Offline)
		}
		if other, dup := used[n.id]; dup {
			return fault(fmt.Sprintf("node ID %d is already that of %s", n.id, other), "nodes", name, "id")
		}
		used[n.id] = name
		s.nodes = append(s.nodes, n)
		s.byName[name] = n
	}
	return nil
}

// naturalOrder sorts pve2 before pve10.
func naturalOrder(a, b string) int {
	sa, na := splitNumber(a)
	sb, nb := splitNumber(b)
	return cmp.Or(strings.Compare(sa, sb), cmp.Compare(na, nb), strings.Compare(a, b))
}

func splitNumber(s string) (string, int) {
	head := strings.TrimRight(s, "0123456789")
	n, err := strconv.Atoi(s[len(head):])
	if err != nil {
		return head, 0
	}
	return head, n
}

func (s *fleetState) compilePools() error {
	for id := range s.fleet.Pools {
		if !rePoolID.MatchString(id) {
			return fault("not a pool ID", "pools", id)
		}
		if strings.Contains(id, "/") && !s.release.nestedPools() {
			return fault("pools can be nested from version 8 on", "pools", id)
		}
		s.poolIDs = append(s.poolIDs, id)
	}
	slices.Sort(s.poolIDs)
	for _, id := range s.poolIDs {
		p := s.fleet.Pools[id]
		if p == nil {
			continue
		}
		for _, vmid := range p.VMs {
			if other, dup := s.poolOf[vmid]; dup {
				return fault(fmt.Sprintf("guest %d is already in pool %s", vmid, other), "pools", id, "vms")
			}
			s.poolOf[vmid] = id
		}
	}
	return nil
}

// defaultStorages are those of a fleet that lists none.
func defaultStorages() map[string]*Storage {
	return map[string]*Storage{"local": {Path: "/var/lib/vz", Content: []string{"iso", "vztmpl", "backup", "images"}}}
}

func (s *fleetState) compileStorages() error {
	specs := s.fleet.Storages
	if len(specs) == 0 {
		specs = defaultStorages()
	}
	for _, id := range slices.Sorted(maps.Keys(specs)) {
		spec := specs[id]
		if spec == nil {
			spec = &Storage{}
		}
		size, err := sizeOr(spec.Size, "500G")
		if err != nil {
			return fault(err.Error(), "storages", id, "size")
		}
		used, err := sizeOr(spec.Used, "50G")
		if err != nil {
			return fault(err.Error(), "storages", id, "used")
		}
		for _, n := range spec.Nodes {
			if s.byName[n] == nil {
				return fault("no node "+n, "storages", id, "nodes")
			}
		}
		content := spec.Content
		if len(content) == 0 {
			content = []string{"images", "rootdir"}
		}
		s.storages = append(s.storages, &storageState{id: id, spec: spec, size: size, used: min(used, size), contentOrder: content})
	}
	return nil
}

// derivedSecret makes up the secret of a token: a UUID that depends on the ID
// only, so that runs agree. It is no secret and must not be used as one.
func derivedSecret(id string) string {
	h := sha256.Sum256([]byte("pvesim token " + id))
	h[6], h[8] = h[6]&0x0f|0x40, h[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", h[0:4], h[4:6], h[6:8], h[8:10], h[10:16])
}
