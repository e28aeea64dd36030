// Package notify posts the changes of a run to a webhook. Its client is its own: it holds no credential of any cluster, and the one
// secret that it has, the webhook's URL, stands in no error.
package notify

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"strings"
	"unicode"

	"github.com/proxaudit/proxaudit/inventory"
)

// maxURL is longer than any webhook's URL.
const maxURL = 8 << 10

// Target is a webhook. All of its URL is secret: who knows it can post.
type Target struct {
	url inventory.Secret
	// File is where the URL was read.
	File string
	// OpenToOthers is true if that file can be read or changed by others than its owner.
	OpenToOthers bool
}

// Format implements fmt.Formatter: no verb reaches the URL, which fmt would print of an unexported field.
func (t *Target) Format(f fmt.State, _ rune) {
	_, _ = io.WriteString(f, "webhook of "+t.File)
}

// ReadTarget reads the file that has a webhook's URL and nothing else. Errors name the file, and nothing that is in it.
func ReadTarget(path string) (*Target, error) {
	data, mode, err := read(path)
	if err != nil {
		var pe *fs.PathError
		if errors.As(err, &pe) {
			err = pe.Err
		}
		if strings.Contains(path, "://") {
			// The URL itself, where the name of its file belongs.
			return nil, errors.New("want the name of a file that has the URL, and not the URL, which every list of processes would show")
		}
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	text := strings.TrimSpace(strings.TrimPrefix(string(data), "\ufeff"))
	if err := check(text); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return &Target{url: inventory.NewSecret(text), File: path, OpenToOthers: mode.IsRegular() && mode.Perm()&0o077 != 0}, nil
}

func read(path string) (data []byte, mode fs.FileMode, err error) {
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
		return nil, 0, errors.New("is a folder, want a file")
	}
	data, err = io.ReadAll(io.LimitReader(f, maxURL+1))
	if err == nil && len(data) > maxURL {
		err = errors.New("is larger than any URL")
	}
	return data, st.Mode(), err
}

// check says what is wrong with a URL without repeating it.
func check(text string) error {
	switch {
	case text == "":
		return errors.New("is empty: want the webhook's URL")
	case strings.ContainsAny(text, "\r\n"):
		return errors.New("has more than one line: want the webhook's URL and nothing else")
	case strings.ContainsFunc(text, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }):
		return errors.New("has blanks or control characters in it: want the webhook's URL and nothing else")
	}
	u, err := url.Parse(text)
	switch {
	case err != nil:
		// Its text repeats the URL.
		return errors.New("has no URL that can be read")
	case u.Scheme != "https" && u.Scheme != "http":
		return errors.New("want a URL that begins with https:// (or http://)")
	case u.Hostname() == "":
		return errors.New("the URL has no host")
	case u.Fragment != "":
		return errors.New("the URL has a fragment (#…), which no server sees: was it cut from a page?")
	}
	return nil
}
