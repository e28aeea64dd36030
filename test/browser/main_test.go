// Package browser opens the HTML report in a real browser: Debian's chromium, driven without a window. It asserts what no reading
// of the file shows: that the filters work, that no request leaves the page, that hostile names do nothing, and that people who
// use a keyboard, a screen reader, a narrow screen or paper can read it.
package browser

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	// The tests run the program as a process. Importing it as well tells the test cache what they depend on.
	_ "github.com/proxaudit/proxaudit/internal/cli"
)

func TestMain(m *testing.M) {
	code := m.Run()
	if stopBrowser != nil {
		stopBrowser()
	}
	if dir, err := scratch(); err == nil {
		_ = os.RemoveAll(dir)
	}
	os.Exit(code)
}

// scratch is a folder for the whole run.
var scratch = sync.OnceValues(func() (string, error) { return os.MkdirTemp("", "proxaudit-browser-") })

// product builds proxaudit from the tree, once.
var product = sync.OnceValues(func() (string, error) {
	dir, err := scratch()
	if err != nil {
		return "", err
	}
	binary := filepath.Join(dir, "proxaudit")
	build := exec.Command("go", "build", "-o", binary, ".")
	build.Dir = "../.."
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build proxaudit: %w\n%s", err, out)
	}
	return binary, nil
})

// tool is a file that tools.sh brought.
func tool(t *testing.T, name string) string {
	t.Helper()
	dir := os.Getenv("PROXAUDIT_BENCH_DIR")
	if dir == "" {
		cache, err := os.UserCacheDir()
		if err != nil {
			t.Fatal(err)
		}
		dir = filepath.Join(cache, "proxaudit-bench")
	}
	found, err := filepath.Glob(filepath.Join(dir, name))
	if err != nil || len(found) != 1 {
		t.Fatalf("%s: found %q, want one file: run test/browser/tools.sh (%v)", name, found, err)
	}
	return found[0]
}

// proxaudit runs the program; the exit codes of verdicts are no failure.
func proxaudit(t *testing.T, args ...string) {
	t.Helper()
	binary, err := product()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), binary, args...)
	cmd.Env = []string{"HOME=" + t.TempDir(), "PATH=/usr/bin:/bin", "NO_COLOR=1"}
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if err != nil && (!errors.As(err, &exit) || exit.ExitCode() == 2) {
		t.Fatalf("proxaudit %s: %v\n%s", strings.Join(args, " "), err, out)
	}
}

var (
	stopBrowser context.CancelFunc
	// browser is one process for all tests; each page has a tab of its own.
	browser = sync.OnceValues(func() (context.Context, error) {
		options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.WSURLReadTimeout(2*time.Minute))
		if os.Geteuid() == 0 {
			// Chromium does not run its sandbox as root, which is what a container's build runs as.
			options = append(options, chromedp.NoSandbox)
		}
		allocator, stop := chromedp.NewExecAllocator(context.Background(), options...)
		ctx, cancel := chromedp.NewContext(allocator)
		stopBrowser = func() { cancel(); stop() }
		if err := chromedp.Do(ctx); err != nil {
			return nil, fmt.Errorf("start the browser (apt-get install --no-install-recommends chromium): %w", err)
		}
		return ctx, nil
	})
)

// fileURL is the URL of a file.
func fileURL(t *testing.T, path string) string {
	t.Helper()
	abs, err := filepath.Abs(path)
	if err != nil {
		t.Fatal(err)
	}
	return (&url.URL{Scheme: "file", Path: abs}).String()
}

func readJSON(t *testing.T, path string, into any) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, into); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
}
