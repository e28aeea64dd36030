package cli

import (
	"time"

	"github.com/urfave/cli/v2"
)

// Flag categories, in the order in which help shows them.
const (
	catCommand = "Flags of this command"
	catInput   = "Where the data comes from"
	catVerdict = "What counts"
	catOutput  = "Output"
)

// sharedFlags are declared on every command: urfave/cli knows flags of the program only in front of the command, and
// nobody writes them there. Each call makes new ones, because they hold their values.
func sharedFlags() []cli.Flag {
	return append(append(inputFlags(), verdictFlags()...), outputFlags()...)
}

func inputFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "config", Category: catInput, Usage: "configuration `FILE`; else $PROXAUDIT_CONFIG, " +
			"./proxaudit.yaml, $XDG_CONFIG_HOME/proxaudit/proxaudit.yaml"},
		&cli.StringSliceFlag{Name: "from", Category: catInput, Usage: "read a snapshot `FILE` instead of the servers " +
			"(\"-\" is standard input), or all of a folder; repeatable: the scans of one fleet are put together"},
		&cli.StringFlag{Name: "max-age", Category: catInput, Usage: "`TIME` by which a file of --from may be older than the newest of them (default: 1h; 0: any). " +
			"What an older one has counts as not read"},
		&cli.StringFlag{Name: "within", Category: catInput, Usage: "`TIME` before now in which the newest file of --from has to be collected, like 26h; " +
			"else the exit code is 2: no scan has run, and a report of an old night is none of this one"},
		&cli.StringFlag{Name: "kubeconfig", Category: catInput, Usage: "kubeconfig `FILE` of the management cluster"},
		&cli.StringFlag{Name: "context", Category: catInput, Usage: "`NAME` of the management cluster's context"},
		&cli.StringSliceFlag{Name: "namespace", Aliases: []string{"n"}, Category: catInput,
			Usage: "read Cluster API objects of this `NAMESPACE` only; repeatable. What others declare is then not seen, and a machine of none of them has no verdict (exit code 3)"},
		&cli.BoolFlag{Name: "all-namespaces", Aliases: []string{"A"}, Category: catInput,
			Usage: "read Cluster API objects of all namespaces (the default)"},
		&cli.StringFlag{Name: "request-timeout", Category: catInput, Usage: "`TIME` that one request may take, like 35s"},
		&cli.BoolFlag{Name: "read-secrets", Category: catInput,
			Usage: "read Secrets, each by its name: CLUSTER-kubeconfig of declared clusters; for scan, adopt and verify also CLUSTER-ca, -etcd, -proxy and -sa, " +
				"what each Machine names for its bootstrap, and CAPMOX's credentials. Of these, names, types, keys and fingerprints are kept, and no value"},
		&cli.BoolFlag{Name: "guest-agent", Category: catInput,
			Usage: "ask the guest agent of running VMs that nothing else identified"},
		&cli.BoolFlag{Name: "insecure", Category: catInput,
			Usage: "do not verify the certificates of Proxmox sites that have neither a CA file nor a fingerprint"},
		&cli.StringFlag{Name: "now", Category: catInput, Usage: "`TIME` (RFC 3339) that counts as the time of collection"},
	}
}

const failOnUsage = "least `SEVERITY` that makes the exit code 1: critical, warning, info"

func verdictFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "grace", Category: catVerdict,
			Usage: "`TIME` for which a machine may be on its way before it is a finding (default: 30m)"},
		&cli.StringFlag{Name: "fail-on", Category: catVerdict, Usage: failOnUsage + " (default: warning)"},
		&cli.BoolFlag{Name: "exit-zero", Category: catVerdict, Usage: "exit with 0 where it would be 1 or 3"},
	}
}

func outputFlags() []cli.Flag {
	return []cli.Flag{
		// sayFormats gives the usage.
		&cli.StringSliceFlag{Name: "output", Aliases: []string{"o"}, Category: catOutput},
		&cli.BoolFlag{Name: "no-headers", Category: catOutput, Usage: "rows only: no titles, totals and coverage"},
		&cli.BoolFlag{Name: "no-color", Category: catOutput, Usage: "no colours; so does NO_COLOR"},
		&cli.BoolFlag{Name: "quiet", Aliases: []string{"q"}, Category: catOutput,
			Usage: "no progress, warnings and summary on standard error"},
		&cli.BoolFlag{Name: "verbose", Aliases: []string{"v"}, Category: catOutput,
			Usage: "say on standard error what is done and how long it takes"},
	}
}

// collectionFlags have a meaning only where servers are asked.
var collectionFlags = []string{"kubeconfig", "context", "namespace", "all-namespaces", "request-timeout", "read-secrets",
	"guest-agent", "insecure", "now", "task-window"}

func parseNow(s string) (time.Time, error) {
	t, err := time.Parse(time.RFC3339, s)
	if err != nil {
		return time.Time{}, usagef("--now: want a time in RFC 3339, like 2026-01-31T12:00:00Z")
	}
	return t.UTC(), nil
}
