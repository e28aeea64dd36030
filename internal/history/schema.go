package history

import (
	"context"
	"database/sql"
	"fmt"
)

// applicationID marks the file as ours in SQLite's header, so that another program's database is not taken for one.
const applicationID = 0x70786175

// migrations are the steps from an empty file to the schema of today; PRAGMA user_version counts those that were done.
// What is published never changes: a new version adds a step.
var migrations = []string{
	`CREATE TABLE runs (
		id         INTEGER PRIMARY KEY,
		run        TEXT NOT NULL UNIQUE,
		at         TEXT NOT NULL,
		findings   INTEGER NOT NULL,
		critical   INTEGER NOT NULL,
		warning    INTEGER NOT NULL,
		info       INTEGER NOT NULL,
		incomplete INTEGER NOT NULL,
		coverage   TEXT NOT NULL
	) STRICT;
	CREATE INDEX runs_at ON runs (at);
	CREATE TABLE findings (
		fingerprint TEXT PRIMARY KEY,
		state       TEXT NOT NULL,
		last_seen   TEXT NOT NULL,
		resolved_at TEXT,
		record      TEXT NOT NULL
	) STRICT, WITHOUT ROWID;
	CREATE TABLE changes (
		run         INTEGER NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
		fingerprint TEXT NOT NULL REFERENCES findings (fingerprint) ON DELETE CASCADE,
		change      TEXT NOT NULL,
		why         TEXT NOT NULL,
		PRIMARY KEY (run, fingerprint)
	) STRICT, WITHOUT ROWID;
	CREATE INDEX changes_fingerprint ON changes (fingerprint);`,
	// What the runs have read is the same for most findings, night after night.
	`CREATE TABLE source_sets (
		id      INTEGER PRIMARY KEY,
		sources TEXT NOT NULL UNIQUE
	) STRICT;
	ALTER TABLE findings ADD COLUMN source_set INTEGER REFERENCES source_sets (id);
	CREATE INDEX findings_source_set ON findings (source_set);
	ALTER TABLE runs ADD COLUMN classes TEXT NOT NULL DEFAULT '{}';`,
}

// versionOf is how many migrations a file has behind it. The error is ErrForeign or a *NewerError for one that is none of ours.
func versionOf(ctx context.Context, conn *sql.Conn) (int, error) {
	var id, version, tables int
	for query, into := range map[string]*int{
		"PRAGMA application_id":              &id,
		"PRAGMA user_version":                &version,
		"SELECT count(*) FROM sqlite_schema": &tables,
	} {
		if err := conn.QueryRowContext(ctx, query).Scan(into); err != nil {
			return 0, err
		}
	}
	switch {
	case id != applicationID && (tables > 0 || version > 0 || id != 0):
		return 0, ErrForeign
	case version > len(migrations):
		return 0, &NewerError{Version: version, Known: len(migrations)}
	}
	return version, nil
}

// migrate brings the schema to today's version. Two that open an empty file at once do it one after the other.
func migrate(ctx context.Context, conn *sql.Conn) error {
	return immediate(ctx, conn, func() error {
		version, err := versionOf(ctx, conn)
		if err != nil || version == len(migrations) {
			return err
		}
		for ; version < len(migrations); version++ {
			if _, err := conn.ExecContext(ctx, migrations[version]); err != nil {
				return fmt.Errorf("migration %d: %w", version+1, err)
			}
		}
		for _, pragma := range []string{
			fmt.Sprintf("PRAGMA application_id = %d", applicationID),
			fmt.Sprintf("PRAGMA user_version = %d", len(migrations)),
		} {
			if _, err := conn.ExecContext(ctx, pragma); err != nil {
				return err
			}
		}
		return nil
	})
}

// immediate does one thing under SQLite's write lock: all of it, or nothing.
func immediate(ctx context.Context, conn *sql.Conn, do func() error) (err error) {
	if _, err := conn.ExecContext(ctx, "BEGIN IMMEDIATE"); err != nil {
		return err
	}
	defer func() {
		if err != nil {
			// The cause is what matters, and a connection that is closed rolls back by itself. The context may be over.
			_, _ = conn.ExecContext(context.WithoutCancel(ctx), "ROLLBACK")
		}
	}()
	if err := do(); err != nil {
		return err
	}
	_, err = conn.ExecContext(ctx, "COMMIT")
	return err
}
