// Package history keeps the lives of findings in a SQLite file: one writer at a time, each run whole or not at all.
package history

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"time"

	// The driver registers itself.
	_ "modernc.org/sqlite"
)

// ErrForeign is the error about a database that another program made.
var ErrForeign = errors.New("it is a database of another program")

// NewerError is about a file that a newer proxaudit wrote.
type NewerError struct{ Version, Known int }

func (e *NewerError) Error() string {
	return fmt.Sprintf("its schema has version %d, and this proxaudit knows versions up to %d: use a newer one", e.Version, e.Known)
}

// ErrNone is the error about a file to read that is not there.
var ErrNone = errors.New("there is no such history: proxaudit report --history makes it")

// lockWait is how long one run waits for another that is writing.
const lockWait = 30 * time.Second

// Store is one history file.
type Store struct {
	path string
	db   *sql.DB
	conn *sql.Conn
}

// Open opens the history at path, and makes it if there is none. Its folder has to exist. A file that is no history, or
// one of a newer proxaudit, is an error and left as it is.
func Open(ctx context.Context, path string) (*Store, error) {
	if st, err := os.Stat(filepath.Dir(path)); err != nil || !st.IsDir() { //nolint:gosec // the path is the user's own
		return nil, fmt.Errorf("history %s: there is no folder %s", path, filepath.Dir(path))
	}
	if err := private(path); err != nil {
		return nil, fmt.Errorf("history %s: %w", path, err)
	}
	return open(ctx, path)
}

// private makes the file if there is none, for its owner alone: it names what runs in production. SQLite gives its WAL files
// the mode of the database.
func private(path string) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600) //nolint:gosec // the path is the user's own
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return f.Close()
}

func open(ctx context.Context, path string) (*Store, error) {
	s, err := connect(ctx, path, nil)
	if err != nil {
		return nil, err
	}
	if err = migrate(ctx, s.conn); err == nil {
		// It is kept in the file: not before the file is known to be ours.
		_, err = s.conn.ExecContext(ctx, "PRAGMA journal_mode = WAL")
	}
	if err != nil {
		return nil, errors.Join(s.failed(err), s.Close())
	}
	return s, nil
}

// connect opens a file with SQLite's own options beside ours, and reads nothing of it yet.
func connect(ctx context.Context, path string, options url.Values) (*Store, error) {
	if st, err := os.Stat(path); err == nil && !st.Mode().IsRegular() { //nolint:gosec // the path is the user's own
		return nil, fmt.Errorf("history %s: it is no regular file", path)
	}
	absolute, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("history %s: %w", path, err)
	}
	if options == nil {
		options = url.Values{}
	}
	options["_pragma"] = []string{fmt.Sprintf("busy_timeout(%d)", lockWait.Milliseconds()), "synchronous(FULL)", "foreign_keys(1)"}
	source := url.URL{Scheme: "file", Path: filepath.ToSlash(absolute), RawQuery: options.Encode()}
	db, err := sql.Open("sqlite", source.String())
	if err != nil {
		return nil, fmt.Errorf("history %s: %w", path, err)
	}
	s := &Store{path: path, db: db}
	// One connection: a transaction is begun and ended by statements of its own.
	if s.conn, err = db.Conn(ctx); err != nil {
		return nil, errors.Join(s.failed(err), s.Close())
	}
	return s, nil
}

// Close ends the use of the file.
func (s *Store) Close() error {
	var err error
	if s.conn != nil {
		err = s.conn.Close()
	}
	if err = errors.Join(err, s.db.Close()); err != nil {
		return s.failed(err)
	}
	return nil
}

// failed names the file.
func (s *Store) failed(err error) error { return fmt.Errorf("history %s: %w", s.path, err) }
