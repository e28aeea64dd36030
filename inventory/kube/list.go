package kube

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	kjson "k8s.io/apimachinery/pkg/util/json"
)

// pageSize is kubectl's own: a page is a few megabytes at most.
const pageSize = 500

// maxPages is five million objects of a kind: no API server holds them, so that the list is a loop.
const maxPages = 10_000

// maxEmptyPages is how many pages in a row may be empty and say that more follows. One can be, where a selector leaves
// nothing of what the server read for it.
const maxEmptyPages = 3

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

// listQuery is what a list asks for.
type listQuery struct {
	kind                         kind
	version, namespace, selector string
	// metadataOnly asks for the objects' metadata alone. A server that cannot leave the rest out sends all of them.
	metadataOnly bool
	// keep says which items are looked at; nil means all. What is of no use is let go page by page.
	keep func(json.RawMessage) bool
}

// list reads all pages of a collection.
func (c *Client) list(ctx context.Context, k kind, version, namespace, labelSelector string) listing {
	return c.listQuery(ctx, listQuery{kind: k, version: version, namespace: namespace, selector: labelSelector})
}

// listQuery reads all pages of what a query asks for. A continue token that expired in the middle (410) starts the list anew, once:
// going on with the server's "inconsistent continue" token would show objects of two times.
func (c *Client) listQuery(ctx context.Context, q listQuery) listing {
	path := collectionPath(q.kind, q.version, q.namespace)
	l := c.listPages(ctx, path, q)
	if l.err == nil || l.pages == 0 || !isExpired(l.err) {
		return l
	}
	c.logf("the list %s expired after %d pages, starting again", path, l.pages)
	// The request that got the 410 is part of the waste too.
	tallyOf(ctx).waste(l.pages + 1)
	again := c.listPages(ctx, path, q)
	again.restarted = true
	return again
}

func isExpired(err error) bool { return apierrors.IsResourceExpired(err) || apierrors.IsGone(err) }

// acceptMetadata is how metadata alone is asked for (k8s.io/client-go metadata: the Accept header of its client).
const acceptMetadata = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json"

func (c *Client) listPages(ctx context.Context, path string, q listQuery) listing {
	var l listing
	accept, want := "", []listType{q.kind.list(q.version)}
	if q.metadataOnly {
		accept, want = acceptMetadata, append(want, listType{"PartialObjectMetadataList", "meta.k8s.io/v1"})
	}
	token, empty, seen := "", 0, map[string]bool{}
	for {
		query := url.Values{"limit": {strconv.Itoa(pageSize)}}
		if q.selector != "" {
			query.Set("labelSelector", q.selector)
		}
		if token != "" {
			query.Set("continue", token)
		}
		body, _, err := c.get(ctx, path, query, accept)
		if err != nil {
			l.err = err
			return l
		}
		p, err := readPage(body, path, want...)
		if err != nil {
			l.err = err
			return l
		}
		l.pages++
		for _, item := range p.Items {
			if q.keep == nil || q.keep(item) {
				l.items = append(l.items, item)
			}
		}
		l.remaining = max(0, p.Metadata.RemainingItemCount)
		token = p.Metadata.Continue
		if token == "" {
			if l.remaining > 0 {
				l.err = fmt.Errorf("the list %s ends although %d more are said to follow", path, l.remaining)
			}
			return l
		}
		if len(p.Items) > 0 {
			empty = 0
		} else {
			empty++
		}
		switch {
		case seen[token]:
			l.err = fmt.Errorf("the list %s does not end: the server repeats a continue token", path)
		case empty == maxEmptyPages:
			l.err = fmt.Errorf("the list %s does not end: %d pages in a row were empty", path, empty)
		case l.pages == maxPages:
			l.err = fmt.Errorf("the list %s does not end: %d pages were read", path, l.pages)
		}
		if l.err != nil {
			return l
		}
		seen[token] = true
	}
}

// page is one answer to a LIST.
type page struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Metadata   struct {
		Continue           string `json:"continue"`
		RemainingItemCount int64  `json:"remainingItemCount"`
	} `json:"metadata"`
	Items []json.RawMessage `json:"items"`
}

// listType is how a list calls itself.
type listType struct{ kind, apiVersion string }

func (k kind) list(version string) listType {
	return listType{k.kind + "List", apiVersion(k.group, version)}
}

// readPage takes nothing for a list but the lists that were asked for: anything else would pass for "there are none". An API
// server never leaves the items out and never sends null for none (k8s.io/apiserver pkg/storage/etcd3/store.go
// GetList: "never return a nil Items pointer").
func readPage(body []byte, path string, want ...listType) (page, error) {
	var p page
	if err := kjson.Unmarshal(body, &p); err != nil {
		return page{}, &notKubernetes{path: path, err: err}
	}
	switch {
	case !slices.Contains(want, listType{p.Kind, p.APIVersion}):
		return page{}, &notKubernetes{path: path, err: fmt.Errorf("it is %q of %q and not %s of %s", p.Kind, p.APIVersion, want[0].kind, want[0].apiVersion)}
	case p.Items == nil:
		return page{}, &notKubernetes{path: path, err: errors.New("it is a list without items, where none are []")}
	}
	return p, nil
}
