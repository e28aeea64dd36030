package transport

import "context"

// Exchange records how one request went. It is filled before the client above gets its answer.
type Exchange struct {
	// Err is nil if a well-formed 2xx answer came.
	Err *Error
	// Attempts is how often it was sent: 0 if it was not.
	Attempts int
}

type exchangeKey struct{}

type retryKey struct{}

// WithExchange returns a context in which the next request is recorded.
func WithExchange(ctx context.Context) (context.Context, *Exchange) {
	ex := new(Exchange)
	return context.WithValue(ctx, exchangeKey{}, ex), ex
}

func exchangeOf(ctx context.Context) *Exchange {
	if ex, ok := ctx.Value(exchangeKey{}).(*Exchange); ok {
		return ex
	}
	return new(Exchange)
}

// AsRetry marks requests that repeat an earlier one: they are counted as retries.
func AsRetry(ctx context.Context) context.Context { return context.WithValue(ctx, retryKey{}, true) }

func isRetry(ctx context.Context) bool {
	v, ok := ctx.Value(retryKey{}).(bool)
	return ok && v
}
