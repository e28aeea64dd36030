package history

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/proxaudit/proxaudit/audit/history"
)

// OlderError is about a run that was collected before one that the history has.
type OlderError struct{ At, Newest time.Time }

func (e *OlderError) Error() string {
	return fmt.Sprintf("it has a run of %s, and this one, of %s, is older: a history goes forward", e.Newest.Format(time.RFC3339), e.At.Format(time.RFC3339))
}

// Load returns what is kept of every finding, and the newest run; nil if there is none yet.
func (s *Store) Load(ctx context.Context) (records []history.Record, newest *history.Kept, err error) {
	err = s.consistent(ctx, func() error {
		if records, err = s.records(ctx); err != nil {
			return err
		}
		newest, err = s.newest(ctx)
		return err
	})
	return records, newest, err
}

// Record takes the history through one more run, in one transaction: all of it is kept, or nothing. A run that is kept
// already changes nothing: added is false then. Of two at once, the second goes on from what the first has left.
func (s *Store) Record(ctx context.Context, run history.Run, keep history.Kept) (added bool, err error) {
	err = s.write(ctx, func() error {
		added = false
		newest, err := s.newest(ctx)
		if err != nil {
			return err
		}
		var n int
		if err := s.conn.QueryRowContext(ctx, "SELECT count(*) FROM runs WHERE run = ?", run.ID).Scan(&n); err != nil {
			return err
		}
		switch {
		case n > 0:
			return nil
		case newest != nil && run.At.Before(newest.At):
			return &OlderError{At: run.At.UTC(), Newest: newest.At}
		}
		before, err := s.records(ctx)
		if err != nil {
			return err
		}
		after, changes := history.Advance(before, run)
		added = true
		return s.put(ctx, keep, after, changes)
	})
	return added && err == nil, err
}

// put writes a run with what it did.
func (s *Store) put(ctx context.Context, run history.Kept, records []history.Record, changes []history.Changed) error {
	coverage, err := json.Marshal(run.Coverage)
	if err != nil {
		return err
	}
	classes := []byte("{}")
	if run.Classes != nil {
		if classes, err = json.Marshal(run.Classes); err != nil {
			return err
		}
	}
	result, err := s.conn.ExecContext(ctx, `INSERT INTO runs (run, at, findings, critical, warning, info, incomplete, coverage, classes) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		run.ID, stamp(run.At), run.Findings, run.Critical, run.Warning, run.Info, run.Incomplete, string(coverage), string(classes))
	if err != nil {
		return err
	}
	id, err := result.LastInsertId()
	if err != nil {
		return err
	}
	sets := &sourceSets{conn: s.conn, ids: map[string]int64{}}
	if err := each(ctx, s.conn, `INSERT INTO findings (fingerprint, state, last_seen, resolved_at, record, source_set) VALUES (?, ?, ?, ?, ?, ?)
		ON CONFLICT (fingerprint) DO UPDATE SET state = excluded.state, last_seen = excluded.last_seen, resolved_at = excluded.resolved_at, record = excluded.record,
		source_set = excluded.source_set`,
		records, func(r history.Record) ([]any, error) {
			set, err := sets.id(ctx, r.Read)
			if err != nil {
				return nil, err
			}
			r.Read = nil
			text, err := json.Marshal(r)
			if err != nil {
				return nil, err
			}
			var resolved any
			if r.ResolvedAt != nil {
				resolved = stamp(*r.ResolvedAt)
			}
			return []any{r.Fingerprint, string(r.State), stamp(r.LastSeen), resolved, string(text), set}, nil
		}); err != nil {
		return err
	}
	return each(ctx, s.conn, "INSERT INTO changes (run, fingerprint, change, why) VALUES (?, ?, ?, ?)", changes, func(c history.Changed) ([]any, error) {
		return []any{id, c.Fingerprint, string(c.Change), c.Why}, nil
	})
}

// each executes one statement for each item.
func each[T any](ctx context.Context, conn *sql.Conn, query string, items []T, values func(T) ([]any, error)) (err error) {
	st, err := conn.PrepareContext(ctx, query)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, st.Close()) }()
	for _, item := range items {
		args, err := values(item)
		if err != nil {
			return err
		}
		if _, err := st.ExecContext(ctx, args...); err != nil {
			return err
		}
	}
	return nil
}

// Prune forgets runs that were collected before a time, and findings that were resolved before it.
func (s *Store) Prune(ctx context.Context, before time.Time) error {
	return s.write(ctx, func() error {
		for _, query := range []string{
			"DELETE FROM findings WHERE state = 'resolved' AND resolved_at < ?",
			// The newest run is what the next one is compared with.
			"DELETE FROM runs WHERE at < ? AND id <> (SELECT max(id) FROM runs)",
		} {
			if _, err := s.conn.ExecContext(ctx, query, stamp(before)); err != nil {
				return err
			}
		}
		_, err := s.conn.ExecContext(ctx, "DELETE FROM source_sets WHERE id NOT IN (SELECT source_set FROM findings WHERE source_set IS NOT NULL)")
		return err
	})
}

// write does one thing under the write lock, and names the file in its error.
func (s *Store) write(ctx context.Context, do func() error) error {
	if err := immediate(ctx, s.conn, do); err != nil {
		return s.failed(err)
	}
	return nil
}

// layout has a fixed width, so that texts are ordered as times are.
const layout = "2006-01-02T15:04:05.000000000Z"

func stamp(t time.Time) string { return t.UTC().Format(layout) }
