package cli

import (
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/proxaudit/proxaudit/inventory"
	"github.com/proxaudit/proxaudit/inventory/collect"
)

// snapshot is what the analysis starts from: the files of --from, or what the servers say now.
func (r *run) snapshot(ctx context.Context, s *settings) (*inventory.Snapshot, error) {
	if len(s.from) == 0 {
		return r.collect(ctx, s)
	}
	if i := slices.Index(s.from, "-"); i >= 0 && slices.Contains(s.from[i+1:], "-") {
		return nil, usagef("--from - stands twice, and standard input can be read once")
	}
	snap, err := r.readFiles(s)
	if err := interrupted(ctx, err); err != nil {
		return nil, err
	}
	for i := range snap.Coverage {
		snap.Coverage[i].Remedy = inScan(snap.Coverage[i].Remedy)
	}
	return snap, nil
}

// inScan is a remedy for what a file says: a flag that says how servers are asked means something to scan only.
func inScan(remedy string) string {
	const flag, scan = "--read-secrets", "proxaudit scan --read-secrets"
	if strings.Contains(remedy, scan) {
		return remedy
	}
	return strings.NewReplacer("allow it with "+flag, "scan again with "+scan, "Allow it with "+flag, "Scan again with "+scan, flag, scan).Replace(remedy)
}

// collect asks the servers.
func (r *run) collect(ctx context.Context, s *settings) (*inventory.Snapshot, error) {
	p, err := r.plan(s)
	if err != nil {
		return nil, err
	}
	bar := r.newProgress()
	p.Progress = bar.update
	start := time.Now()
	snap, timings, err := r.env.Deps.Collect(ctx, *p)
	bar.clear()
	if err := interrupted(ctx, err); err != nil {
		return nil, err
	}
	r.sayTimings(snap, timings, time.Since(start))
	return snap, nil
}

// sayTimings tells how long each source took. It belongs to standard error: a result with durations in it would never
// be the same twice.
func (r *run) sayTimings(snap *inventory.Snapshot, timings collect.Timings, total time.Duration) {
	if r.quiet || (!r.verbose && !r.env.StderrTerminal) {
		return
	}
	requests := map[string]int{}
	for _, q := range snap.Requests {
		requests[q.Source] = q.Count + q.Retries
	}
	sources := slices.Sorted(maps.Keys(timings))
	if r.verbose {
		for _, src := range sources {
			r.verbosef("%s: %s in %s", src, count(requests[src], "request", "requests"), round(timings[src]))
		}
	}
	Say(r.env.Stderr, "read "+count(len(sources), "source", "sources")+" in "+round(total).String())
}

func round(d time.Duration) time.Duration {
	if d < time.Second {
		return d.Round(time.Millisecond)
	}
	return d.Round(10 * time.Millisecond)
}
