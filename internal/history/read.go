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

// Runs returns the runs, the newest first; at most limit if that is not 0.
func (s *Store) Runs(ctx context.Context, limit int) ([]history.Kept, error) {
	if limit == 0 {
		limit = -1
	}
	runs, err := rows(ctx, s.conn, scanRun, "SELECT "+runColumns+" FROM runs ORDER BY id DESC LIMIT ?", limit)
	if err != nil {
		return nil, s.failed(err)
	}
	return runs, nil
}

// Life returns what is kept of one finding with its events, the oldest first. The fingerprint may be cut short as long as
// it fits one finding. It is nil if there is none, and matches are those that it fits.
func (s *Store) Life(ctx context.Context, fingerprint string) (record *history.Record, events []history.Event, matches []string, err error) {
	err = s.consistent(ctx, func() error {
		sets, err := readSets(ctx, s.conn)
		if err != nil {
			return err
		}
		found, err := rows(ctx, s.conn, recordScanner(sets), "SELECT record, source_set FROM findings WHERE substr(fingerprint, 1, length(?1)) = ?1 ORDER BY fingerprint", fingerprint)
		if err != nil {
			return err
		}
		for _, r := range found {
			matches = append(matches, r.Fingerprint)
		}
		if len(found) != 1 {
			return nil
		}
		record = &found[0]
		events, err = rows(ctx, s.conn, scanEvent, "SELECT runs.at, changes.change, changes.why FROM changes JOIN runs ON runs.id = changes.run WHERE changes.fingerprint = ? ORDER BY runs.id",
			record.Fingerprint)
		return err
	})
	return record, events, matches, err
}

func (s *Store) records(ctx context.Context) ([]history.Record, error) {
	sets, err := readSets(ctx, s.conn)
	if err != nil {
		return nil, err
	}
	out, err := rows(ctx, s.conn, recordScanner(sets), "SELECT record, source_set FROM findings")
	if err != nil {
		return nil, err
	}
	history.SortRecords(out)
	return out, nil
}

func (s *Store) newest(ctx context.Context) (*history.Kept, error) {
	out, err := rows(ctx, s.conn, scanRun, "SELECT "+runColumns+" FROM runs ORDER BY id DESC LIMIT 1")
	if err != nil || len(out) == 0 {
		return nil, err
	}
	return &out[0], nil
}

// consistent reads several tables as they were at one moment.
func (s *Store) consistent(ctx context.Context, do func() error) (err error) {
	if _, err := s.conn.ExecContext(ctx, "BEGIN"); err != nil {
		return s.failed(err)
	}
	defer func() {
		// Nothing was written: the end of a transaction that only read cannot lose anything.
		_, _ = s.conn.ExecContext(context.WithoutCancel(ctx), "ROLLBACK")
	}()
	if err := do(); err != nil {
		return s.failed(err)
	}
	return nil
}

const runColumns = "run, at, findings, critical, warning, info, incomplete, coverage, classes"

func scanRun(row *sql.Rows) (r history.Kept, err error) {
	var at, coverage, classes string
	if err := row.Scan(&r.ID, &at, &r.Findings, &r.Critical, &r.Warning, &r.Info, &r.Incomplete, &coverage, &classes); err != nil {
		return r, err
	}
	if err := json.Unmarshal([]byte(coverage), &r.Coverage); err != nil {
		return r, fmt.Errorf("the coverage of run %s: %w", r.ID, err)
	}
	if err := json.Unmarshal([]byte(classes), &r.Classes); err != nil {
		return r, fmt.Errorf("the classes of run %s: %w", r.ID, err)
	}
	if len(r.Classes) == 0 {
		r.Classes = nil
	}
	r.At, err = time.Parse(layout, at)
	return r, err
}

// recordScanner reads a record with what its run had read.
func recordScanner(sets map[int64][]history.Source) func(*sql.Rows) (history.Record, error) {
	return func(row *sql.Rows) (r history.Record, err error) {
		var text string
		var set sql.NullInt64
		if err := row.Scan(&text, &set); err != nil {
			return r, err
		}
		if err := json.Unmarshal([]byte(text), &r); err != nil {
			return r, fmt.Errorf("a finding cannot be read: %w", err)
		}
		if set.Valid {
			r.Read = sets[set.Int64]
		}
		return r, nil
	}
}

func scanEvent(row *sql.Rows) (e history.Event, err error) {
	var at string
	if err := row.Scan(&at, &e.Change, &e.Why); err != nil {
		return e, err
	}
	e.At, err = time.Parse(layout, at)
	return e, err
}

// rows reads all rows of a query.
func rows[T any](ctx context.Context, conn *sql.Conn, scan func(*sql.Rows) (T, error), query string, args ...any) (out []T, err error) {
	list, err := conn.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, list.Close()) }()
	for list.Next() {
		item, err := scan(list)
		if err != nil {
			return nil, err
		}
		out = append(out, item)
	}
	return out, list.Err()
}
