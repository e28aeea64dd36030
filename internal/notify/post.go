package notify

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"time"
)

const (
	// timeout bounds one attempt, from the name's resolution to the end of the answer.
	timeout = 15 * time.Second
	// attempts bounds how often it is tried.
	attempts = 4
	// firstPause is the pause behind the first attempt; each one after it is three times as long.
	firstPause = time.Second
	// maxAnswer is how much of an answer is read, so that the connection ends in order; nobody looks at it.
	maxAnswer = 64 << 10
)

// Client posts to webhooks.
type Client struct {
	http  *http.Client
	sleep func(context.Context, time.Duration) error
}

// New returns a Client.
func New() *Client {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	// One request, or few with pauses between.
	transport.DisableKeepAlives = true
	return &Client{sleep: sleep, http: &http.Client{Transport: transport, Timeout: timeout,
		// Who answers with another address would send the changes to whoever has that.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}}
}

// Post sends a JSON document. The key is the same for all attempts, and for a run that is told again: a receiver that heeds it takes the
// document once. What may pass is tried again: no connection, 429, 5xx.
func (c *Client) Post(ctx context.Context, t *Target, body []byte, key string) error {
	pause := firstPause
	for n := 1; ; n++ {
		again, err := c.attempt(ctx, t, body, key)
		if err == nil {
			return nil
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if !again || n == attempts {
			return fmt.Errorf("POST to the webhook of %s, %s: %w", t.File, times(n), err)
		}
		if err := c.sleep(ctx, pause); err != nil {
			return err
		}
		pause *= 3
	}
}

func (c *Client) attempt(ctx context.Context, t *Target, body []byte, key string) (again bool, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, t.url.Reveal(), bytes.NewReader(body))
	if err != nil {
		// Its text may repeat the URL.
		return false, errNoRequest
	}
	req.Header.Set("Content-Type", "application/json; charset=utf-8")
	req.Header.Set("User-Agent", "proxaudit")
	req.Header.Set("Idempotency-Key", key)
	res, err := c.http.Do(req)
	if err != nil {
		return true, withoutURL(err)
	}
	// The answer's text is nobody's business, and an error in it comes behind the status that counts.
	_, _ = io.Copy(io.Discard, io.LimitReader(res.Body, maxAnswer))
	_ = res.Body.Close()
	switch {
	case res.StatusCode < 300:
		return false, nil
	case res.StatusCode < 400:
		return false, fmt.Errorf("it answered %s, a redirect, and none is followed: the file needs the URL that it leads to", status(res.StatusCode))
	default:
		return res.StatusCode >= 500 || res.StatusCode == http.StatusTooManyRequests, fmt.Errorf("it answered %s", status(res.StatusCode))
	}
}

// status is a code with the text that the standard has for it: what the server writes beside it may be anything.
func status(code int) string {
	if text := http.StatusText(code); text != "" {
		return fmt.Sprintf("%d %s", code, text)
	}
	return fmt.Sprint(code)
}

func times(n int) string {
	if n == 1 {
		return "tried once"
	}
	return fmt.Sprintf("tried %d times", n)
}

func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}
