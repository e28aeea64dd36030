package cli

import (
	"path/filepath"
	"strings"

	"github.com/urfave/cli/v2"
)

// written is a place that a run writes to, and the flag that named it.
type written struct {
	flag, path string
	folder     bool
}

// apart refuses what would be written over, or into, something else that the same run writes: one would replace the other, or Secrets
// would lie in a folder that is not for one pair of eyes alone.
func (a *adoption) apart() error {
	var all []written
	for _, w := range []written{{"--output-dir", a.outputDir, true}, {"--secrets-dir", a.secretsDir, true}, {"--nodes-out", a.nodesOut, false}} {
		if w.path != "" && w.path != "-" {
			all = append(all, w)
		}
	}
	for _, t := range a.targets {
		if t.path != "" {
			all = append(all, written{"-o " + t.format.Name, t.path, false})
		}
	}
	for i := range all {
		place, err := resolved(all[i].path)
		if err != nil {
			return usagef("%s %s: %v", all[i].flag, all[i].path, err)
		}
		all[i].path = place
	}
	for i, one := range all {
		for j, other := range all {
			switch {
			case i < j && one.path == other.path:
				return usagef("%s and %s are one place, %s", one.flag, other.flag, one.path).hint("Give each a place of its own.")
			case i != j && one.folder && strings.HasPrefix(other.path, one.path+string(filepath.Separator)):
				return usagef("%s, %s, lies in the folder of %s, which must not be there yet", other.flag, other.path, one.flag).hint("Give each a place of its own.")
			}
		}
	}
	return nil
}

// overInput is the flag that names a file, or a folder around it, which the run reads; empty if none does.
func overInput(c *cli.Context, place string) string {
	for _, flag := range []string{"from", "config", "kubeconfig", "kubeconfig-file", "pki-dir", "history", "baseline", "ignore", "report", "notify-url-file"} {
		values := []string{c.String(flag)}
		if flag == "from" {
			values = c.StringSlice(flag)
		}
		for _, value := range values {
			if value == "" {
				continue
			}
			if at, err := resolved(value); err == nil && (at == place || flag == "pki-dir" && strings.HasPrefix(place, at+string(filepath.Separator))) {
				return "--" + flag
			}
		}
	}
	return ""
}

// overConfiguration refuses results over the configuration that was found, or over a kubeconfig that it or the environment names: no flag
// says them.
func overConfiguration(targets []target, s *settings, getenv func(string) (string, bool)) error {
	inputs := map[string]string{}
	add := func(what, path string) {
		if at, err := resolved(path); path != "" && err == nil {
			inputs[at] = what
		}
	}
	add("the configuration", s.cfg.Path)
	add("the file of ignore rules", s.cfg.Ignore)
	if m := s.cfg.Management; m != nil {
		add("the kubeconfig of the management cluster", m.Kubeconfig)
	}
	for i := range s.cfg.Clusters {
		add("the kubeconfig of the cluster "+s.cfg.Clusters[i].Name, s.cfg.Clusters[i].Kubeconfig)
	}
	list, _ := getenv("KUBECONFIG")
	for _, file := range filepath.SplitList(list) {
		add("a kubeconfig that KUBECONFIG names", file)
	}
	for _, t := range targets {
		if t.path == "" {
			continue
		}
		if at, err := resolved(t.path); err == nil && inputs[at] != "" {
			return usagef("-o %s=%s: that is %s", t.format.Name, t.path, inputs[at]).hint("Give another file.")
		}
	}
	return nil
}

// resolved is the absolute path of something that may not be there yet, without symbolic links in what is.
func resolved(path string) (string, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	rest := ""
	for dir := abs; ; dir = filepath.Dir(dir) {
		if real, err := filepath.EvalSymlinks(dir); err == nil {
			return filepath.Join(real, rest), nil
		}
		if dir == filepath.Dir(dir) {
			return abs, nil
		}
		rest = filepath.Join(filepath.Base(dir), rest)
	}
}
