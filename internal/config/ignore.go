package config

import (
	"errors"
	"fmt"
	"io/fs"

	"github.com/proxaudit/proxaudit/audit/ignore"
)

// ignoreFile is a file of ignore rules as people write it.
type ignoreFile struct {
	FormatVersion string       `yaml:"formatVersion"`
	Ignore        []ignoreRule `yaml:"ignore"`
}

// ignoreRule is one entry: docs/ignore.md has what the keys mean.
type ignoreRule struct {
	Rule        string         `yaml:"rule"`
	Fingerprint string         `yaml:"fingerprint"`
	Subject     string         `yaml:"subject"`
	Selector    ignoreSelector `yaml:"selector"`
	Reason      string         `yaml:"reason"`
	Owner       string         `yaml:"owner"`
	Expires     string         `yaml:"expires"`
}

type ignoreSelector struct {
	Sites      []string `yaml:"sites"`
	Clusters   []string `yaml:"clusters"`
	Namespaces []string `yaml:"namespaces"`
	Names      string   `yaml:"names"`
	VMIDs      []string `yaml:"vmids"`
}

// LoadIgnore reads a file of ignore rules. Whatever is wrong with it is an error: a rule that is not understood may hide what nobody
// meant, or hide nothing and nobody sees why.
func LoadIgnore(path string) (*ignore.Set, error) {
	data, _, err := readFile(path)
	if errors.Is(err, fs.ErrNotExist) && !looksSecret.MatchString(path) {
		return nil, fmt.Errorf("the file of ignore rules %s does not exist (proxaudit ignore add makes one)", path)
	}
	if err != nil {
		return nil, fmt.Errorf("reading the ignore rules: %s", reason(err))
	}
	return ParseIgnore(path, data)
}

// ParseIgnore reads rules. File is its name for messages and results.
func ParseIgnore(file string, data []byte) (*ignore.Set, error) {
	f, p, err := parseAs[ignoreFile](file, data)
	if err != nil {
		return nil, err
	}
	switch {
	case f.FormatVersion == "":
		p.at("", "formatVersion is missing: the file begins with formatVersion: %s", ignore.FormatVersion)
	case f.FormatVersion != ignore.FormatVersion:
		p.at("formatVersion", "is %s, and this version reads %s", shown(f.FormatVersion), ignore.FormatVersion)
	}
	rules := make([]ignore.Rule, len(f.Ignore))
	for i := range f.Ignore {
		r, key := &f.Ignore[i], fmt.Sprintf("ignore[%d]", i)
		s := &r.Selector
		rules[i] = ignore.Rule{Line: p.lines[key], Rule: r.Rule, Fingerprint: r.Fingerprint, Subject: r.Subject, Reason: r.Reason, Owner: r.Owner, Expires: r.Expires,
			Selector: ignore.Selector{Sites: s.Sites, Clusters: s.Clusters, Namespaces: s.Namespaces, Names: s.Names, VMIDs: s.VMIDs}}
		if _, given := p.lines[key+".fingerprint"]; given && r.Fingerprint == "" {
			p.at(key+".fingerprint", "is empty")
		}
		if r.Expires == "" {
			p.at(key, "expires is missing: a day, or the word never, so that somebody has decided it")
			rules[i].Expires = ignore.Never
		}
	}
	set, bad := ignore.New(file, rules)
	for _, b := range bad {
		p.ofRule(b)
	}
	if err := p.err(); err != nil {
		return nil, err
	}
	return set, nil
}

// ofRule adds the problem of a rule at its key, or at the rule where the key is not there.
func (p *problems) ofRule(b ignore.Bad) {
	key := fmt.Sprintf("ignore[%d]", b.Rule)
	switch _, given := p.lines[key+"."+b.Field]; {
	case b.Field == "":
		p.at(key, "%s", b.Msg)
	case given:
		p.at(key+"."+b.Field, "%s", b.Msg)
	default:
		p.at(key, "%s %s", b.Field, b.Msg)
	}
}
