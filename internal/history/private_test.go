package history

import (
	"bytes"
	"database/sql"
	"os"
	"path/filepath"
	"testing"
)

// TestPrivate: the history and what SQLite puts beside it are for their owner alone.
func TestPrivate(t *testing.T) {
	path := filepath.Join(t.TempDir(), "history.db")
	record(t, opened(t, path), of(1, "a"))
	for _, suffix := range []string{"", "-wal", "-shm"} {
		st, err := os.Stat(path + suffix)
		if err != nil {
			t.Fatal(err)
		}
		if st.Mode().Perm() != 0o600 {
			t.Errorf("history.db%s has the mode %v", suffix, st.Mode().Perm())
		}
	}
}

// TestForeignIsLeftAlone: not a byte of another program's database is another after it was refused.
func TestForeignIsLeftAlone(t *testing.T) {
	path := filepath.Join(t.TempDir(), "other.db")
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.ExecContext(t.Context(), "CREATE TABLE theirs (x)"); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Open(t.Context(), path); err == nil {
		t.Fatal("opened")
	}
	after, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(before, after) {
		t.Error("the file was changed")
	}
}
