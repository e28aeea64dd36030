package e2e

import (
	"debug/elf"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestImage does what the Dockerfile does, without Docker: the files that .dockerignore lets through are enough to build from, the
// program needs no loader and no library, and in a root of its own, with no file but it and no environment, it works.
func TestImage(t *testing.T) {
	const root = "../.."
	dir := t.TempDir()
	context := filepath.Join(dir, "context")
	copied := buildContext(t, root, context)
	dockerfile, err := os.ReadFile(filepath.Join(root, "Dockerfile"))
	if err != nil {
		t.Fatal(err)
	}
	line := regexp.MustCompile(`(?m)^RUN CGO_ENABLED=0 .*(go build .*) -o /proxaudit \.$`).FindSubmatch(dockerfile)
	if line == nil || copied < 100 {
		t.Fatalf("%d files, and the build is %q", copied, line)
	}
	image := filepath.Join(dir, "image")
	if err := os.Mkdir(image, 0o755); err != nil {
		t.Fatal(err)
	}
	binary := filepath.Join(image, "proxaudit")
	build := exec.CommandContext(t.Context(), "sh", "-c", string(line[1])+` -o "$OUT" .`)
	build.Dir = context
	build.Env = append(os.Environ(), "CGO_ENABLED=0", "VERSION=v9.8.7", "OUT="+binary, "GOWORK=off")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	program, err := elf.Open(binary)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := program.Close(); err != nil {
			t.Error(err)
		}
	}()
	libraries, err := program.ImportedLibraries()
	if err != nil || len(libraries) > 0 || slices.ContainsFunc(program.Progs, func(p *elf.Prog) bool { return p.Type == elf.PT_INTERP }) {
		t.Errorf("it wants a loader, or the libraries %q (%v)", libraries, err)
	}

	for _, need := range []string{"FROM scratch", "USER 65532:65532", `ENTRYPOINT ["/proxaudit"]`, "COPY --from=build /etc/ssl/certs/ca-certificates.crt"} {
		if !strings.Contains(string(dockerfile), need) {
			t.Errorf("the Dockerfile has no %s", need)
		}
	}
	if os.Geteuid() != 0 {
		t.Log("not root: the program is not tried in a root of its own")
		return
	}
	snapshot, err := os.ReadFile(filepath.Join(root, "examples/homelab/snapshot.json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(image, "snapshot.json"), snapshot, 0o644); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{dir, image} {
		if err := os.Chmod(path, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for want, args := range map[string][]string{
		"v9.8.7":        {"version"},
		"home-worker-3": {"report", "--from", "/snapshot.json", "--exit-zero"},
	} {
		run := exec.CommandContext(t.Context(), "chroot", append([]string{"--userspec=65532:65532", image, "/proxaudit"}, args...)...)
		run.Env = []string{"PATH=" + os.Getenv("PATH")}
		out, err := run.CombinedOutput()
		if err != nil || !strings.Contains(string(out), want) {
			t.Errorf("%v: %v\n%s", args, err, out)
		}
	}
}

// buildContext copies what .dockerignore lets through, as far as this one goes: everything is out but what a line with ! names, and a
// later line that begins with **/ takes out again.
func buildContext(t *testing.T, from, to string) (copied int) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(from, ".dockerignore"))
	if err != nil {
		t.Fatal(err)
	}
	var in, out []string
	for line := range strings.Lines(string(data)) {
		line = strings.TrimSpace(line)
		if name, ok := strings.CutPrefix(line, "!"); ok {
			in = append(in, name)
		} else if name, ok := strings.CutPrefix(line, "**/"); ok {
			out = append(out, name)
		} else if line != "*" && line != "" && !strings.HasPrefix(line, "#") {
			t.Fatalf(".dockerignore has %q, which this test does not know", line)
		}
	}
	for _, name := range in {
		err := filepath.WalkDir(filepath.Join(from, name), func(path string, d fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			for _, pattern := range out {
				if match, _ := filepath.Match(pattern, d.Name()); match {
					if d.IsDir() {
						return fs.SkipDir
					}
					return nil
				}
			}
			if d.IsDir() {
				return nil
			}
			rel, err := filepath.Rel(from, path)
			if err != nil {
				return err
			}
			data, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			target := filepath.Join(to, rel)
			copied++
			if err := os.MkdirAll(filepath.Dir(target), 0o750); err != nil {
				return err
			}
			return os.WriteFile(target, data, 0o600)
		})
		if err != nil {
			t.Fatalf(".dockerignore names %s: %v", name, err)
		}
	}
	return copied
}
