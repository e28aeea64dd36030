package config

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"reflect"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/proxaudit/proxaudit/audit/ignore"
	"github.com/proxaudit/proxaudit/inventory/snapfile"
	"github.com/proxaudit/proxaudit/render"
)

// ErrIgnored says that a finding has a rule already.
var ErrIgnored = errors.New("has a rule already")

// AddIgnore writes one more rule into a file, which it makes if there is none, and returns the rule's line. What else is in the file stays
// as it is. About says in a line what the rule is for; it becomes a comment.
func AddIgnore(path string, r ignore.Rule, about string) (line int, err error) {
	data, _, err := readFile(path)
	var before *ignore.Set
	switch {
	case errors.Is(err, fs.ErrNotExist):
		data = []byte("# What is known and left alone: proxaudit orphans and report hide it until it expires.\nformatVersion: " + ignore.FormatVersion + "\nignore:\n")
		before = &ignore.Set{File: path}
	case err != nil:
		return 0, fmt.Errorf("reading the ignore rules: %s", reason(err))
	default:
		if before, err = ParseIgnore(path, data); err != nil {
			return 0, err
		}
	}
	for i := range before.Rules {
		if before.Rules[i].Fingerprint == r.Fingerprint {
			return before.Rules[i].Line, fmt.Errorf("%s:%d: the finding %w", path, before.Rules[i].Line, ErrIgnored)
		}
	}
	entry := ignoreEntry(r, about)
	for _, with := range []func([]byte, *yaml.Node) ([]byte, error){appended, rewritten} {
		text, err := with(data, entry)
		if err != nil {
			continue
		}
		after, err := ParseIgnore(path, text)
		if err != nil || !oneMore(before, after, &r) {
			continue
		}
		return after.Rules[len(after.Rules)-1].Line, snapfile.ReplaceFile(path, 0o644, func(w io.Writer) error {
			_, err := w.Write(text)
			return err
		})
	}
	return 0, fmt.Errorf("%s is written in a way to which no rule can be added without changing another: add it by hand", path)
}

// oneMore is true if a file has what it had, and the rule behind it.
func oneMore(before, after *ignore.Set, r *ignore.Rule) bool {
	n := len(before.Rules)
	if len(after.Rules) != n+1 {
		return false
	}
	for i := range after.Rules {
		want := r
		if i < n {
			want = &before.Rules[i]
		}
		if !sameRule(want, &after.Rules[i]) {
			return false
		}
	}
	return true
}

func sameRule(a, b *ignore.Rule) bool {
	said := func(r *ignore.Rule) []any {
		s := r.Selector
		return []any{r.Rule, r.Fingerprint, r.Subject, r.Reason, r.Owner, r.Expires, s.Names, slices.Concat(s.Sites, s.Clusters, s.Namespaces, s.VMIDs)}
	}
	return reflect.DeepEqual(said(a), said(b))
}

// ignoreEntry is a rule as a list of one.
func ignoreEntry(r ignore.Rule, about string) *yaml.Node {
	rule := &yaml.Node{Kind: yaml.MappingNode}
	for _, kv := range [][2]string{{"rule", r.Rule}, {"subject", r.Subject}, {"fingerprint", r.Fingerprint}, {"reason", r.Reason}, {"owner", r.Owner}, {"expires", r.Expires}} {
		if kv[1] == "" {
			continue
		}
		value := &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: kv[1]}
		if kv[0] == "expires" && r.Expires != ignore.Never {
			value.Tag = "!!timestamp"
		}
		rule.Content = append(rule.Content, &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: kv[0]}, value)
	}
	if about != "" {
		// A line break in it would begin a line that is no comment.
		rule.HeadComment = "# " + render.Visible(about)
	}
	return &yaml.Node{Kind: yaml.SequenceNode, Content: []*yaml.Node{rule}}
}

// appended puts a rule behind a list that ends the file: not a byte of what is there changes.
func appended(data []byte, entry *yaml.Node) ([]byte, error) {
	var doc yaml.Node
	if err := yaml.Unmarshal(data, &doc); err != nil {
		return nil, err
	}
	list, last := listOf(&doc)
	if list == nil || !last || list.Kind == yaml.SequenceNode && list.Style&yaml.FlowStyle != 0 || list.Kind == yaml.ScalarNode && list.Value != "" {
		return nil, errors.New("the list does not end the file")
	}
	indent := 2
	if list.Kind == yaml.SequenceNode && len(list.Content) > 0 {
		indent = list.Column - 1
	}
	text, err := encoded(entry)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	b.Write(data)
	if len(data) > 0 && !bytes.HasSuffix(data, []byte("\n")) {
		b.WriteByte('\n')
	}
	for line := range strings.SplitSeq(strings.TrimRight(string(text), "\n"), "\n") {
		b.WriteString(strings.TrimRight(strings.Repeat(" ", indent)+line, " ") + "\n")
	}
	return b.Bytes(), nil
}

// rewritten puts a rule into the list wherever that is. Comments and order stay, blank lines may not.
func rewritten(data []byte, entry *yaml.Node) ([]byte, error) {
	var doc yaml.Node
	if err := yaml.Unmarshal(data, &doc); err != nil {
		return nil, err
	}
	list, _ := listOf(&doc)
	if list == nil {
		if len(doc.Content) == 0 || doc.Content[0].Kind != yaml.MappingNode {
			return nil, errors.New("no keys")
		}
		list = &yaml.Node{}
		doc.Content[0].Content = append(doc.Content[0].Content, &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: "ignore"}, list)
	}
	if list.Kind == yaml.AliasNode {
		return nil, errors.New("the list is an alias")
	}
	if list.Kind != yaml.SequenceNode {
		*list = yaml.Node{Kind: yaml.SequenceNode, LineComment: list.LineComment}
	}
	if list.LineComment != "" {
		// A list that is a block has no line for it: it goes to the first entry.
		first := append(slices.Clone(list.Content), entry.Content...)[0]
		first.HeadComment = strings.TrimPrefix(first.HeadComment+"\n"+list.LineComment, "\n")
		list.LineComment = ""
	}
	list.Style &^= yaml.FlowStyle
	list.Content = append(list.Content, entry.Content...)
	return encoded(&doc)
}

// listOf is the value of the key ignore, and whether nothing stands behind it; nil without that key.
func listOf(doc *yaml.Node) (list *yaml.Node, last bool) {
	if len(doc.Content) == 0 || doc.Content[0].Kind != yaml.MappingNode || doc.Content[0].Style&yaml.FlowStyle != 0 {
		return nil, false
	}
	content := doc.Content[0].Content
	for i := 0; i+1 < len(content); i += 2 {
		if content[i].Value == "ignore" {
			return content[i+1], i+2 == len(content)
		}
	}
	return nil, false
}

func encoded(n *yaml.Node) ([]byte, error) {
	var b bytes.Buffer
	enc := yaml.NewEncoder(&b)
	enc.SetIndent(2)
	if err := enc.Encode(n); err != nil {
		return nil, err
	}
	if err := enc.Close(); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}
