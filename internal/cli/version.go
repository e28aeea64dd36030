package cli

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/urfave/cli/v2"

	"github.com/proxaudit/proxaudit/audit"
	"github.com/proxaudit/proxaudit/render"
)

// version is set by the linker for releases: -X github.com/proxaudit/proxaudit/internal/cli.version=v1.2.3.
var version string

// Version is the program's version; "devel" for a build without one.
func Version() string {
	if version != "" {
		return version
	}
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" && info.Main.Version != "(devel)" {
		return info.Main.Version
	}
	return "devel"
}

// telling are the modules whose version decides what is understood.
var telling = []string{"github.com/Telmate/proxmox-api-go", "k8s.io/client-go", "sigs.k8s.io/cluster-api",
	"sigs.k8s.io/cluster-api/api"}

func versionInfo() *render.VersionInfo {
	v := &render.VersionInfo{FormatVersion: audit.FormatVersion, Kind: render.KindVersion, Version: Version(),
		GoVersion: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH, Formats: render.Formats(),
		Modules: map[string]string{}}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return v
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			v.Commit = s.Value
		case "vcs.modified":
			v.Modified = s.Value == "true"
		}
	}
	for _, dep := range info.Deps {
		for _, name := range telling {
			if dep.Path == name {
				v.Modules[name] = dep.Version
			}
		}
	}
	return v
}

func versionCommand(env *Env) *cli.Command {
	return command(env, &cli.Command{
		Name:  "version",
		Usage: "say which version this is",
	}, nil, func(c *cli.Context, r *run) error {
		if _, err := positionals(c); err != nil {
			return err
		}
		targets, err := outputs(c, "table")
		if err != nil {
			return err
		}
		return r.write(targets, render.Version(versionInfo()))
	})
}

// writeVersion is the short answer of --version.
func (r *run) writeVersion() error {
	_, err := fmt.Fprintf(pipe{r.env.Stdout}, "proxaudit %s\n", Version())
	return stdoutError(err)
}
