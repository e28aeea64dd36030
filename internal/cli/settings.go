package cli

import (
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/proxaudit/proxaudit/audit"
	"github.com/proxaudit/proxaudit/audit/ignore"
	"github.com/proxaudit/proxaudit/internal/config"
	"github.com/proxaudit/proxaudit/inventory/collect"
	"github.com/proxaudit/proxaudit/inventory/snapfile"
)

// settings are the flags of one run put over its configuration.
type settings struct {
	cfg  *config.Config
	from []string
	// maxAge is how much older than the newest a file of from may be; 0 for any.
	maxAge time.Duration
	// within is how long ago, by this machine's clock, the newest file of from may have been collected; 0 for any time.
	within time.Duration
	grace  time.Duration
	failOn audit.Severity
	// failOnGiven is true if the flag was: commands that only list heed nothing less.
	failOnGiven bool
	exitZero    bool

	kubeconfig, context string
	namespaces          []string
	allNamespaces       bool
	timeout             time.Duration
	readSecrets         bool
	guestAgent          bool
	// adoption asks for what adopt and verify need beyond who is who.
	adoption bool
	// controllers asks for what says whose turn it is.
	controllers bool
	// target is the cluster that adopt and verify are about, with the name and namespace of its Cluster object as far as the
	// flags say them.
	target     struct{ cluster, name, namespace string }
	taskWindow time.Duration
	// portion is what a scan reads of the configured fleet; nil for all.
	portion  *portion
	insecure bool
	now      time.Time
	// ignore are the rules that hide findings; nil without any.
	ignore *ignore.Set
}

// readSettings reads the configuration and puts the flags over it. It asks no server.
func readSettings(c *cli.Context, env *Env) (*settings, error) {
	s := &settings{from: c.StringSlice("from"), exitZero: c.Bool("exit-zero"), kubeconfig: c.String("kubeconfig"),
		context: c.String("context"), namespaces: c.StringSlice("namespace"), allNamespaces: c.Bool("all-namespaces"),
		insecure: c.Bool("insecure"), now: env.Now().UTC(),
		adoption: slices.Contains(adoptionCommands, c.Command.Name), controllers: slices.Contains(progressCommands, c.Command.Name)}
	s.target.name, s.target.namespace = c.String("target-name"), c.String("target-namespace")
	use := config.ForCollection
	if dividesFleet(c) {
		use = config.ForPart
	}
	if len(s.from) > 0 {
		use = config.ForAnalysis
		for _, name := range collectionFlags {
			if c.IsSet(name) {
				return nil, usagef("--%s says how servers are asked, and --from asks none", name)
			}
		}
	}
	if strings.Contains(s.kubeconfig, "://") {
		// It would be in the coverage of every result, with the password that such a URL may have.
		return nil, usagef("--kubeconfig wants the name of a file, and this is a URL")
	}
	if s.allNamespaces && len(s.namespaces) > 0 {
		return nil, usagef("--namespace and --all-namespaces contradict each other")
	}
	var err error
	if s.cfg, err = config.Load(c.String("config"), use, env.Getenv); err != nil {
		return nil, err
	}
	if c.Command.Name == "adopt" || c.Command.Name == "verify" {
		if s.target.cluster, err = s.onlyCluster(c.StringSlice("cluster")); err != nil {
			return nil, err
		}
	}
	if err := s.readIgnore(c); err != nil {
		return nil, err
	}
	s.grace, s.timeout = s.cfg.Grace(), s.cfg.Timeout()
	s.readSecrets = s.cfg.ReadSecrets || c.Bool("read-secrets")
	s.guestAgent = s.cfg.GuestAgent || c.Bool("guest-agent")
	if err := s.durations(c); err != nil {
		return nil, err
	}
	if v := c.String("now"); v != "" {
		if s.now, err = parseNow(v); err != nil {
			return nil, err
		}
	}
	// Results tell times in whole seconds, as Kubernetes does.
	s.now = s.now.Truncate(time.Second)
	return s, s.severity(c)
}

// onlyCluster is the one that adopt or verify is about.
func (s *settings) onlyCluster(given []string) (string, error) {
	switch len(given) {
	case 1:
		return given[0], nil
	case 0:
	default:
		return "", usagef("--cluster stands %d times (%s), and one run is about one cluster", len(given), join(given))
	}
	u := usagef("which cluster? --cluster is missing")
	var names []string
	for i := range s.cfg.Clusters {
		names = append(names, s.cfg.Clusters[i].Name)
	}
	if len(s.from) > 0 && !slices.Contains(s.from, "-") {
		// A file that cannot be read is an error of the run that names its cluster.
		if files, err := snapfile.ReadFiles(s.from); err == nil {
			if snap, err := collect.Merge(scanned(files), collect.MergeOptions{}); err == nil {
				names = clusterKeys(snap)
			}
		}
	}
	if len(names) == 0 {
		return "", u.hint("proxaudit inventory lists the clusters that there are.")
	}
	return "", u.hint("There is %s.", join(names))
}

func (s *settings) durations(c *cli.Context) error {
	s.maxAge = collect.DefaultMaxAge
	if v := c.String("max-age"); c.IsSet("max-age") {
		if len(s.from) == 0 {
			return usagef("--max-age says how old a file of --from may be, and there is none")
		}
		d, err := config.ParseDays(v)
		if err != nil {
			return usagef("--max-age: %v", err)
		}
		s.maxAge = d
	}
	if v := c.String("within"); c.IsSet("within") {
		if len(s.from) == 0 {
			return usagef("--within says when a file of --from has to be collected, and there is none")
		}
		d, err := config.ParseDays(v)
		if err != nil || d <= 0 {
			return usagef("--within: want a time, like 26h")
		}
		s.within = d
	}
	if v := c.String("grace"); c.IsSet("grace") {
		d, err := config.ParseDuration(v)
		if err != nil {
			return usagef("--grace: %v", err)
		}
		// Zero means "the default" to the analysis; who asks for none gets the least there is.
		s.grace = max(d, time.Nanosecond)
	}
	if v := c.String("task-window"); c.IsSet("task-window") {
		d, err := config.ParseDuration(v)
		if err != nil || d < time.Minute || d > 30*24*time.Hour {
			return usagef("--task-window: want a time between a minute and 30 days, like 72h")
		}
		s.taskWindow = d
	}
	if v := c.String("request-timeout"); c.IsSet("request-timeout") {
		d, err := config.ParseDuration(v)
		if err != nil {
			return usagef("--request-timeout: %v", err)
		}
		if d == 0 {
			return usagef("--request-timeout: 0 would let a dead host hold the run for ever")
		}
		s.timeout = d
	}
	return nil
}

func (s *settings) severity(c *cli.Context) error {
	s.failOn, s.failOnGiven = audit.Warning, c.IsSet("fail-on")
	value := s.cfg.Thresholds.FailOn
	if s.failOnGiven {
		value = c.String("fail-on")
	}
	if value == "" && !s.failOnGiven {
		return nil
	}
	v, err := config.ParseSeverity(value)
	if err != nil {
		return usagef("--fail-on: %v", err)
	}
	s.failOn = v
	return nil
}

// options are what the analysis wants to know.
func (s *settings) options() audit.Options { return audit.Options{Grace: s.grace, Ignore: s.ignore} }

// failing counts the findings that make a run fail.
func (s *settings) failing(severities map[audit.Severity]int) int {
	n := 0
	for sev, k := range severities {
		if sev.Rank() <= s.failOn.Rank() {
			n += k
		}
	}
	return n
}
