package kube

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"strconv"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	kjson "k8s.io/apimachinery/pkg/util/json"
)

// pageSize is kubectl's own: a page is a few megabytes at most.
const pageSize = 500

// listing is what one list gave. With an error it holds the pages that came before it: those objects exist.
type listing struct {
	items []json.RawMessage
	pages int
	// remaining is the server's estimate of what did not come.
	remaining int64
	// restarted is true for the second try of a list that expired.
	restarted bool
	err       error
}

// list reads all pages of a collection. A continue token that expired in the middle (410) starts the list anew, once:
// going on with the server's "inconsistent continue" token would show objects of two times.
func (c *Client) list(ctx context.Context, path, labelSelector string) listing {
	l := c.listPages(ctx, path, labelSelector)
	if l.err == nil || l.pages == 0 || !isExpired(l.err) {
		return l
	}
	c.logf("the list %s expired after %d pages, starting again", path, l.pages)
	// The request that got the 410 is part of the waste too.
	tallyOf(ctx).waste(l.pages + 1)
	again := c.listPages(ctx, path, labelSelector)
	again.restarted = true
	return again
}

func isExpired(err error) bool { return apierrors.IsResourceExpired(err) || apierrors.IsGone(err) }

func (c *Client) listPages(ctx context.Context, path, labelSelector string) listing {
	var l listing
	token := ""
	for {
		query := url.Values{"limit": {strconv.Itoa(pageSize)}}
		if labelSelector != "" {
			query.Set("labelSelector", labelSelector)
		}
		if token != "" {
			query.Set("continue", token)
		}
		body, _, err := c.get(ctx, path, query, "")
		if err != nil {
			l.err = err
			return l
		}
		var page struct {
			Kind     string `json:"kind"`
			Metadata struct {
				Continue           string `json:"continue"`
				RemainingItemCount int64  `json:"remainingItemCount"`
			} `json:"metadata"`
			Items []json.RawMessage `json:"items"`
		}
		if err := kjson.Unmarshal(body, &page); err != nil || !strings.HasSuffix(page.Kind, "List") {
			l.err = &notKubernetes{path: path, err: err}
			return l
		}
		l.pages++
		l.items = append(l.items, page.Items...)
		l.remaining = page.Metadata.RemainingItemCount
		if page.Metadata.Continue == "" {
			l.remaining = 0
			return l
		}
		if page.Metadata.Continue == token {
			l.err = fmt.Errorf("the list %s does not end: the server repeats its continue token", path)
			return l
		}
		token = page.Metadata.Continue
	}
}
