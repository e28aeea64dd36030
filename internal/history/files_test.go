package history

import (
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/proxaudit/proxaudit/audit/history"
)

// statements makes a database with a driver of its own.
func statements(t *testing.T, path string, all ...string) {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range all {
		if _, err := db.ExecContext(t.Context(), s); err != nil {
			t.Fatal(err)
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestFilesThatAreNoHistory are refused, with what they are, and stay as they are.
func TestFilesThatAreNoHistory(t *testing.T) {
	foreign := func(statement string) func(*testing.T, string) {
		return func(t *testing.T, path string) {
			t.Helper()
			statements(t, path, statement)
		}
	}
	text := func(t *testing.T, path string) {
		t.Helper()
		if err := os.WriteFile(path, []byte(strings.Repeat("not a database\n", 100)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for name, tt := range map[string]struct {
		make func(*testing.T, string)
		want string
	}{
		"text":                      {text, "not a database"},
		"another program's":         {foreign("CREATE TABLE things (id INTEGER)"), "it is a database of another program"},
		"another program's, marked": {foreign("PRAGMA application_id = 7"), "it is a database of another program"},
		"a newer proxaudit's":       {foreign(fmt.Sprintf("PRAGMA application_id = %d; PRAGMA user_version = 99", applicationID)), "its schema has version 99, and this proxaudit knows versions up to"},
		"a folder":                  {func(t *testing.T, path string) { t.Helper(); mkdir(t, path) }, "it is no regular file"},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "history.db")
			tt.make(t, path)
			before, _ := os.ReadFile(path)
			s, err := Open(t.Context(), path)
			if err == nil {
				t.Fatal(errors.Join(errors.New("it was opened"), s.Close()))
			}
			if !strings.Contains(err.Error(), tt.want) || !strings.Contains(err.Error(), path) {
				t.Errorf("got %q, want %q and the file's name", err, tt.want)
			}
			if after, _ := os.ReadFile(path); !strings.HasPrefix(string(after), string(before[min(len(before), 100):])) && len(after) != len(before) {
				t.Error("the file was changed")
			}
		})
	}
	if _, err := Open(t.Context(), filepath.Join(t.TempDir(), "no", "history.db")); err == nil || !strings.Contains(err.Error(), "there is no folder") {
		t.Errorf("no folder: %v", err)
	}
	if _, err := Existing(t.Context(), filepath.Join(t.TempDir(), "history.db")); !errors.Is(err, ErrNone) {
		t.Errorf("no file: %v", err)
	}
}

func mkdir(t *testing.T, path string) {
	t.Helper()
	if err := os.Mkdir(path, 0o700); err != nil {
		t.Fatal(err)
	}
}

// TestOddNames: what means something in a URL is a name's character here.
func TestOddNames(t *testing.T) {
	for _, name := range []string{"a b.db", "a?mode=memory", "a#b", "a%20b", "ä.db", ":memory:"} {
		path := filepath.Join(t.TempDir(), name)
		s := opened(t, path)
		record(t, s, of(1, "a"))
		if _, err := os.Stat(path); err != nil {
			t.Error(err)
		}
	}
}

// TestOlderVersion: a file of the first version is brought up to date and keeps what it has. What its runs had read it does not
// know.
func TestOlderVersion(t *testing.T) {
	want := history.Record{Finding: of(1, "a").Findings[0], State: history.Open, FirstSeen: night(1), LastSeen: night(1), Runs: 1}
	text, err := json.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	for name, open := range map[string]func(*testing.T, string) (*Store, error){
		"to write": func(t *testing.T, path string) (*Store, error) { t.Helper(); return Open(t.Context(), path) },
		"to read":  func(t *testing.T, path string) (*Store, error) { t.Helper(); return Existing(t.Context(), path) },
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "history.db")
			statements(t, path, migrations[0], fmt.Sprintf("PRAGMA application_id = %d", applicationID), "PRAGMA user_version = 1",
				fmt.Sprintf("INSERT INTO findings (fingerprint, state, last_seen, record) VALUES ('a', 'open', '%s', '%s')", stamp(night(1)), text),
				fmt.Sprintf("INSERT INTO runs (run, at, findings, critical, warning, info, incomplete, coverage) VALUES ('run-1', '%s', 1, 1, 0, 0, 0, '[]')", stamp(night(1))))
			s, err := open(t, path)
			if err != nil {
				t.Fatal(err)
			}
			got, newest, err := s.Load(t.Context())
			if err = errors.Join(err, s.Close()); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff([]history.Record{want}, got); diff != "" {
				t.Error(diff)
			}
			if newest == nil || newest.ID != "run-1" || newest.Classes != nil {
				t.Errorf("the newest run is %+v", newest)
			}
			record(t, opened(t, path), of(2, "a"))
		})
	}
}

// TestReadsNextToAWriter: reading waits for nobody, and nobody waits for it.
func TestReadsNextToAWriter(t *testing.T) {
	path := filepath.Join(t.TempDir(), "history.db")
	writer := opened(t, path)
	record(t, writer, of(1, "a"))
	if _, err := writer.conn.ExecContext(t.Context(), "BEGIN IMMEDIATE"); err != nil {
		t.Fatal(err)
	}
	reader, err := Existing(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	runs, err := reader.Runs(t.Context(), 0)
	if err != nil || len(runs) != 1 {
		t.Errorf("%v, %v", runs, err)
	}
	if err := reader.write(t.Context(), func() error { return nil }); err == nil {
		_, err := reader.conn.ExecContext(t.Context(), "DELETE FROM runs")
		if err == nil {
			t.Error("what was opened for reading can be written")
		}
	}
	if _, err := writer.conn.ExecContext(t.Context(), "ROLLBACK"); err != nil {
		t.Fatal(err)
	}
	if err := reader.Close(); err != nil {
		t.Error(err)
	}
}
