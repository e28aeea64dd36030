package history

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
)

// Existing opens a history that is there already, for reading: no report waits for it, and a file that may not be written
// can be read. The error is ErrNone if there is none.
func Existing(ctx context.Context, path string) (*Store, error) {
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("history %s: %w", path, ErrNone)
	}
	s, err := readOnly(ctx, path, url.Values{"mode": {"ro"}})
	if err == nil || isOurs(err) {
		return older(ctx, path, s, err)
	}
	// SQLite wants files of its own beside one in WAL mode, and the folder may not be written. A file without a log is
	// whole as it is.
	if st, statErr := os.Stat(path + "-wal"); statErr == nil && st.Size() > 0 {
		return nil, fmt.Errorf("%w (a run has not been written into the file yet: read it as a user who may write into its folder)", err)
	}
	s, errImmutable := readOnly(ctx, path, url.Values{"mode": {"ro"}, "immutable": {"1"}})
	if errImmutable != nil && !isOurs(errImmutable) {
		return nil, err
	}
	return older(ctx, path, s, errImmutable)
}

// errOlder is about a schema that reading alone cannot bring up to date.
var errOlder = errors.New("an older proxaudit wrote it, and it cannot be brought up to date: run proxaudit history as a user who may write it")

// older brings a file of an older version up to date, which takes writing.
func older(ctx context.Context, path string, s *Store, err error) (*Store, error) {
	if !errors.Is(err, errOlder) {
		return s, err
	}
	s, openErr := open(ctx, path)
	if openErr != nil {
		return nil, errors.Join(err, openErr)
	}
	return s, nil
}

// isOurs is true for an error that says what the file is: another way of opening it changes nothing.
func isOurs(err error) bool {
	var newer *NewerError
	return errors.Is(err, ErrForeign) || errors.Is(err, errOlder) || errors.As(err, &newer)
}

// readOnly opens a file of today's version.
func readOnly(ctx context.Context, path string, options url.Values) (*Store, error) {
	s, err := connect(ctx, path, options)
	if err != nil {
		return nil, err
	}
	version, err := versionOf(ctx, s.conn)
	if err == nil && version < len(migrations) {
		err = errOlder
	}
	if err != nil {
		return nil, errors.Join(s.failed(err), s.Close())
	}
	return s, nil
}
