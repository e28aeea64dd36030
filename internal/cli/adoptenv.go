package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/proxaudit/proxaudit/adopt"
	"github.com/proxaudit/proxaudit/internal/config"
)

// environment is what the commands of the runbook need of it as well.
func (a *adoption) environment() (*adopt.Environment, error) {
	folder, err := os.Getwd()
	if err != nil {
		return nil, fmt.Errorf("looking for the folder that this runs in: %w", err)
	}
	out := &adopt.Environment{Folder: folder}
	if list, _ := a.env.Getenv("KUBECONFIG"); list != "" {
		var files []string
		for _, file := range filepath.SplitList(list) {
			// An empty one means nothing to kubectl.
			if file == "" {
				continue
			}
			if !filepath.IsAbs(file) {
				file = filepath.Join(folder, file)
			}
			files = append(files, file)
		}
		for i, file := range files {
			if i > 0 {
				out.Kubeconfig += string(filepath.ListSeparator)
			}
			out.Kubeconfig += file
		}
	}
	out.Proxmox = a.siteVariables()
	return out, nil
}

// siteVariables are the names of the variables by which sites are reached.
func (a *adoption) siteVariables() []string {
	set := func(name string) bool {
		v, _ := a.env.Getenv(name)
		return v != ""
	}
	var out []string
	for i := range a.settings.cfg.Sites {
		if name := a.settings.cfg.Sites[i].SecretEnv; name != "" {
			out = append(out, name)
		}
	}
	if len(a.settings.cfg.Sites) > 0 {
		slices.Sort(out)
		return slices.Compact(out)
	}
	for _, family := range [][]string{{"PROXMOX_URL", "PROXMOX_TOKEN", "PROXMOX_SECRET"}, {"PM_API_URL", "PM_API_TOKEN_ID", "PM_API_TOKEN_SECRET"}} {
		if slices.ContainsFunc(family, set) {
			out = append(out, family...)
			break
		}
	}
	for _, name := range []string{config.EnvSiteName, config.EnvCAFile, config.EnvFingerprint, config.EnvInsecure} {
		if set(name) {
			out = append(out, name)
		}
	}
	return out
}
