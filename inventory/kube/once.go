package kube

import (
	"context"
	"sync"
)

// once keeps the first answer, a failure included, so that nothing is asked twice. Only an interrupted question may
// be asked again: its failure says nothing about the server.
type once[T any] struct {
	mu    sync.Mutex
	done  bool
	value T
	err   error
}

func (o *once[T]) do(ctx context.Context, f func(context.Context) (T, error)) (T, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.done {
		return o.value, o.err
	}
	v, err := f(ctx)
	if err != nil && ctx.Err() != nil {
		return v, err
	}
	o.done, o.value, o.err = true, v, err
	return v, err
}
