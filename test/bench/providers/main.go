// Command providers renders the install manifests of the Cluster API providers from their own Go modules, one
// file per provider, the way their release process does with kustomize. What a rendered manifest has and the
// bare CRD files have not is the contract label (cluster.x-k8s.io/v1beta2: ...), without which Cluster API's
// controllers do not know which version of a provider's API to speak.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"

	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/kyaml/filesys"

	"github.com/proxaudit/proxaudit/test/realkube"
)

func main() {
	out := flag.String("out", "", "directory that takes the rendered manifests")
	flag.Parse()
	if *out == "" || flag.NArg() > 0 {
		fmt.Fprintln(os.Stderr, "usage: providers -out DIR")
		os.Exit(2)
	}
	if err := renderAll(*out); err != nil {
		fmt.Fprintln(os.Stderr, "providers:", err)
		os.Exit(1)
	}
}

func renderAll(out string) error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	for _, p := range realkube.Providers() {
		if err := render(ctx, p, out); err != nil {
			return fmt.Errorf("%s: %w", p.Name, err)
		}
	}
	return nil
}

// render writes the manifest of one provider, unless it is there.
func render(ctx context.Context, p realkube.Provider, out string) error {
	target := filepath.Join(out, p.FileName())
	if _, err := os.Stat(target); err == nil {
		fmt.Fprintf(os.Stderr, "bench: %s is there\n", target)
		return nil
	}
	dir, err := moduleDir(ctx, p.Module, p.Version)
	if err != nil {
		return err
	}
	overlay := filepath.Join(dir, filepath.FromSlash(p.Overlay))
	resources, err := krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(filesys.MakeFsOnDisk(), overlay)
	if err != nil {
		return fmt.Errorf("kustomize %s: %w", overlay, err)
	}
	yaml, err := resources.AsYaml()
	if err != nil {
		return fmt.Errorf("write %s as YAML: %w", overlay, err)
	}
	part := target + ".part"
	if err := os.WriteFile(part, yaml, 0o600); err != nil {
		return err
	}
	if err := os.Rename(part, target); err != nil {
		return err
	}
	fmt.Fprintf(os.Stderr, "bench: rendered %s\n", target)
	return nil
}

// moduleDir downloads a module, checked against the checksum database, and returns where the module cache has
// it. The module is not a requirement of this one: its dependency graph would not fit, and only files are read.
func moduleDir(ctx context.Context, module, version string) (string, error) {
	cmd := exec.CommandContext(ctx, "go", "mod", "download", "-json", module+"@"+version) //nolint:gosec // from Providers
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	stdout, runErr := cmd.Output()
	var answer struct{ Dir, Error string }
	if err := json.Unmarshal(stdout, &answer); err != nil {
		return "", errors.Join(runErr, fmt.Errorf("go mod download %s@%s: %s", module, version, strings.TrimSpace(stderr.String())))
	}
	if answer.Error != "" {
		return "", fmt.Errorf("go mod download: %s", answer.Error)
	}
	return answer.Dir, nil
}
