package kube

import (
	"context"
	"net/url"

	"github.com/go-logr/logr"
	"k8s.io/klog/v2"
)

// get sends one request of the plan and returns the body. client-go retries a broken connection and a 429 by itself;
// both are bounded.
func (c *Client) get(ctx context.Context, path string, query url.Values, accept string) (body []byte, contentType string, err error) {
	tallyOf(ctx).ask()
	// This deadline is for all attempts together, with the waits between them; each attempt has the http.Client's.
	deadline := c.target.timeout() + maxRetries*maxRetryAfter
	req := c.rest.Get().AbsPath(path).MaxRetries(maxRetries).Timeout(deadline)
	for name, values := range query {
		for _, v := range values {
			req = req.Param(name, v)
		}
	}
	if accept != "" {
		req = req.SetHeader("Accept", accept)
	}
	// client-go's own log goes to stderr; what it has to say is in the error.
	res := req.Do(klog.NewContext(ctx, logr.Discard())).ContentType(&contentType)
	// Error, and not Raw's, is the one with the server's own words.
	if err := res.Error(); err != nil {
		return nil, "", err
	}
	body, err = res.Raw()
	return body, contentType, err
}
