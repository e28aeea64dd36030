package history

import (
	"bufio"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/proxaudit/proxaudit/audit/history"
)

// killed is the environment variable by which the test starts itself as a program that only records runs.
const killed = "PROXAUDIT_HISTORY_WRITER"

func TestMain(m *testing.M) {
	if path := os.Getenv(killed); path != "" {
		if err := writeForEver(path); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
	os.Exit(m.Run())
}

// wide is a run with findings enough that writing takes its time. Each run has other ones: half of those before are gone, and some come back.
func wide(n int) history.Run {
	there := ""
	for i := range 40 {
		there += fmt.Sprintf("f%d ", n%4*20+i)
	}
	r := of(1, there)
	r.ID, r.At = fmt.Sprintf("run-%d", n), night(1).Add(time.Duration(n)*time.Minute)
	return r
}

// writeForEver goes on from the runs that are there.
func writeForEver(path string) error {
	ctx := context.Background()
	s, err := Open(ctx, path)
	if err != nil {
		return err
	}
	runs, err := s.Runs(ctx, 0)
	if err != nil {
		return err
	}
	for n := len(runs); ; n++ {
		r := wide(n)
		if _, err := s.Record(ctx, r, kept(r)); err != nil {
			return err
		}
		fmt.Println("recorded")
	}
}

// TestKilled: a writer that is killed at 50 random moments leaves a history that opens, in which each run is whole or not
// there: what is kept is what Advance makes of exactly the runs that are listed.
func TestKilled(t *testing.T) {
	if testing.Short() {
		t.Skip("starts 50 processes")
	}
	path := filepath.Join(t.TempDir(), "history.db")
	rng := rand.New(rand.NewPCG(uint64(time.Now().UnixNano()), 1))
	before := 0
	for i := range 50 {
		kill(t, path, rng)
		n := check(t, path)
		if n <= before {
			t.Fatalf("kill %d: %d runs, and there were %d before one more was recorded", i, n, before)
		}
		before = n
	}
}

// kill starts a writer, lets it record a run, and kills it at a moment of the runs after that.
func kill(t *testing.T, path string, rng *rand.Rand) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), killed+"="+path)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(out).ReadString('\n'); err != nil || line != "recorded\n" {
		t.Errorf("the writer recorded nothing: %q, %v", line, err)
	}
	// A run takes about as long as the first one did, with the start of the program.
	time.Sleep(time.Duration(rng.Int64N(int64(time.Since(began)))))
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err == nil || cmd.ProcessState.ExitCode() != -1 {
		t.Fatalf("the writer ended by itself: %v", cmd.ProcessState)
	}
}

// check opens the history and compares all of it with what its runs give.
func check(t *testing.T, path string) int {
	t.Helper()
	s, err := Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}()
	var whole string
	if err := s.conn.QueryRowContext(t.Context(), "PRAGMA integrity_check").Scan(&whole); err != nil || whole != "ok" {
		t.Fatalf("integrity: %s, %v", whole, err)
	}
	records, newest, err := s.Load(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	runs, err := s.Runs(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	var want []history.Record
	for n := range runs {
		want, _ = history.Advance(want, wide(n))
	}
	if len(runs) > 0 && newest.ID != fmt.Sprintf("run-%d", len(runs)-1) {
		t.Fatalf("the newest of %d runs is %s", len(runs), newest.ID)
	}
	if len(want) != len(records) {
		t.Fatalf("%d records after %d runs, want %d", len(records), len(runs), len(want))
	}
	for i := range want {
		if w, g := want[i], records[i]; w.Fingerprint != g.Fingerprint || w.State != g.State || w.Runs != g.Runs || !w.LastSeen.Equal(g.LastSeen) {
			t.Fatalf("record %d after %d runs is %+v, want %+v", i, len(runs), g, w)
		}
	}
	return len(runs)
}
