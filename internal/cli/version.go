package cli

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/urfave/cli/v2"

	"github.com/proxaudit/proxaudit/audit"
	"github.com/proxaudit/proxaudit/render"
)

// devel is the version of a build that nobody gave one.
const devel = "devel"

// version is what the linker says, else what the module system knows of a program that `go install` made.
func (e *Env) version() string {
	if e.Version != "" {
		return e.Version
	}
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" && info.Main.Version != "(devel)" {
		return info.Main.Version
	}
	return devel
}

// telling are the modules whose version decides what is understood.
var telling = []string{"github.com/Telmate/proxmox-api-go", "k8s.io/client-go", "sigs.k8s.io/cluster-api",
	"sigs.k8s.io/cluster-api/api"}

func versionInfo(env *Env) *render.VersionInfo {
	v := &render.VersionInfo{FormatVersion: audit.FormatVersion, Kind: render.KindVersion, Version: env.version(),
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
		Description: `-o wide adds the libraries that decide what is understood of Proxmox and Cluster
API. proxaudit --version prints the number alone.

Examples:
  proxaudit version
  proxaudit version -o json`,
	}, nil, func(c *cli.Context, r *run) error {
		if _, err := positionals(c); err != nil {
			return err
		}
		targets, err := outputs(c, "table", r.env.Getenv)
		if err != nil {
			return err
		}
		return r.write(targets, render.Version(versionInfo(env)))
	})
}

// writeVersion is the short answer of --version.
func (r *run) writeVersion() error {
	_, err := fmt.Fprintf(r.stdout(), "proxaudit %s\n", r.env.version())
	return stdoutError(err)
}
