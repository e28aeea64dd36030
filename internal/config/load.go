package config

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// FileName is the configuration file's name in every place where it is looked for.
const FileName = "proxaudit.yaml"

// EnvPath is the environment variable that names the configuration file.
const EnvPath = "PROXAUDIT_CONFIG"

// maxSize is far more than a person writes, and keeps a wrong path (a disk image, say) out of memory.
const maxSize = 4 << 20

// Getenv looks an environment variable up, as os.LookupEnv does.
type Getenv func(string) (string, bool)

// Use says what a configuration is read for.
type Use int

const (
	// ForCollection needs everything: tokens, certificates.
	ForCollection Use = iota
	// ForAnalysis starts from a Snapshot file: selectors and thresholds count, and the secrets that the file points at
	// need not be there.
	ForAnalysis
	// ForRules needs no secret either, and looks for the file where collection does: it is about the files that it names.
	ForRules
	// ForPart is collection from some of the sites: ResolveSites reads the secrets of those.
	ForPart
)

// Load reads the configuration. The first of these counts: explicit (from --config), $PROXAUDIT_CONFIG, ./proxaudit.yaml,
// $XDG_CONFIG_HOME/proxaudit/proxaudit.yaml. Without any, the result is an empty Config: zero configuration works. A
// file that was named has to exist; one that was only looked for does not. For analysis, only a file that was named
// counts: what a Snapshot file says must not depend on the folder in which somebody reads it.
func Load(explicit string, use Use, getenv Getenv) (*Config, error) {
	path, named, err := lookup(explicit, use, getenv)
	if err != nil {
		return nil, err
	}
	if path == "" {
		return &Config{}, nil
	}
	data, mode, err := readFile(path)
	if err != nil {
		if looksSecret.MatchString(path) {
			return nil, errors.New("reading the configuration file: " + reason(err))
		}
		if named && errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("configuration file %s does not exist", path)
		}
		return nil, fmt.Errorf("reading the configuration file: %w", err)
	}
	cfg, err := Parse(path, data, use, getenv)
	if err != nil {
		return nil, err
	}
	cfg.warnReadable(mode)
	return cfg, nil
}

// Parse reads a configuration document. File is its name for messages, and the folder to which its paths are relative.
func Parse(file string, data []byte, use Use, getenv Getenv) (*Config, error) {
	cfg, p, err := parse(file, data)
	if err != nil {
		return nil, err
	}
	cfg.Path = file
	cfg.resolvePaths(filepath.Dir(file))
	cfg.validate(p, use, getenv)
	if err := p.err(); err != nil {
		return nil, err
	}
	return cfg, nil
}

func lookup(explicit string, use Use, getenv Getenv) (path string, named bool, err error) {
	if explicit != "" {
		return explicit, true, nil
	}
	if v, ok := getenv(EnvPath); ok && v != "" {
		return v, true, nil
	}
	if use == ForAnalysis {
		return "", false, nil
	}
	candidates := []string{FileName}
	if dir, ok := getenv("XDG_CONFIG_HOME"); ok && dir != "" {
		candidates = append(candidates, filepath.Join(dir, "proxaudit", FileName))
	} else if home, ok := getenv("HOME"); ok && home != "" {
		candidates = append(candidates, filepath.Join(home, ".config", "proxaudit", FileName))
	}
	for _, c := range candidates {
		_, err := os.Stat(c)
		switch {
		case err == nil:
			return c, false, nil
		case !errors.Is(err, fs.ErrNotExist):
			// A file that is there and cannot be read must not turn into "no configuration".
			return "", false, fmt.Errorf("looking for a configuration file: %w", err)
		}
	}
	return "", false, nil
}

func readFile(path string) (data []byte, mode fs.FileMode, err error) {
	f, err := os.Open(path) //nolint:gosec // the path is the user's own
	if err != nil {
		return nil, 0, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	st, err := f.Stat()
	if err != nil {
		return nil, 0, err
	}
	if st.IsDir() {
		return nil, 0, fmt.Errorf("%s is a folder, want a file", path)
	}
	data, err = io.ReadAll(io.LimitReader(f, maxSize+1))
	if err != nil {
		return nil, 0, err
	}
	if len(data) > maxSize {
		return nil, 0, fmt.Errorf("%s is larger than %d MiB, which is no configuration file", path, maxSize>>20)
	}
	return data, st.Mode(), nil
}

// readable are the permissions with which others get at a secret: reading it, or putting another in its place.
const readable fs.FileMode = 0o077

// warnReadable remarks on files with a secret in them that are open to others: the configuration file, whose mode is
// given, and those of secretFile, each once.
func (c *Config) warnReadable(mode fs.FileMode) {
	warned := map[string]bool{}
	for _, s := range c.Sites {
		file, perm, instead := s.SecretFile, s.secretMode, ""
		if file == "" && s.SecretEnv == "" && s.Secret.IsSet() {
			file, perm, instead = c.Path, mode.Perm(), ", or use secretFile or secretEnv"
		}
		if perm&readable == 0 || warned[file] {
			continue
		}
		warned[file] = true
		c.Warnings = append(c.Warnings, fmt.Sprintf("%s holds a token secret and is open to others (mode %04o): chmod 600 %s%s",
			file, perm, file, instead))
	}
}

// resolvePaths makes paths relative to the configuration file, so that a run does not depend on where it starts.
func (c *Config) resolvePaths(dir string) {
	for i := range c.Sites {
		resolve(dir, &c.Sites[i].SecretFile)
		resolve(dir, &c.Sites[i].CAFile)
	}
	if c.Management != nil {
		resolve(dir, &c.Management.Kubeconfig)
	}
	resolve(dir, &c.Ignore)
	for i := range c.Clusters {
		resolve(dir, &c.Clusters[i].Kubeconfig)
	}
}

func resolve(dir string, p *string) {
	if *p != "" && !filepath.IsAbs(*p) {
		*p = filepath.Join(dir, *p)
	}
}
