package kube

import (
	"context"
	"net/url"
)

// get sends one request of the plan and returns the body. client-go retries a broken connection and a 429 by itself;
// both are bounded by the deadline.
func (c *Client) get(ctx context.Context, path string, query url.Values, accept string) (body []byte, contentType string, err error) {
	tallyOf(ctx).ask()
	ctx, cancel := context.WithTimeout(ctx, c.target.timeout()+maxRetries*maxRetryAfter)
	defer cancel()
	req := c.rest.Get().AbsPath(path).MaxRetries(maxRetries)
	for name, values := range query {
		for _, v := range values {
			req = req.Param(name, v)
		}
	}
	if accept != "" {
		req = req.SetHeader("Accept", accept)
	}
	res := req.Do(ctx).ContentType(&contentType)
	// Error, and not Raw's, is the one with the server's own words.
	if err := res.Error(); err != nil {
		return nil, "", err
	}
	body, err = res.Raw()
	return body, contentType, err
}
