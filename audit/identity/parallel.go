package identity

import (
	"runtime"
	"sync"
)

// large is the number of objects from which on the work is worth more than one core. What is smaller takes some 30 ms on
// one, and leaves the other to the garbage collector. A variable only for the tests.
var large = 1 << 14

// together runs tasks that write to nothing in common.
func together(objects int, tasks ...func()) {
	if objects < large {
		for _, t := range tasks {
			t()
		}
		return
	}
	var wg sync.WaitGroup
	for _, t := range tasks {
		wg.Go(t)
	}
	wg.Wait()
}

// inParts calls f for parts of the numbers from 0 to n-1, which together are all of them.
func inParts(objects, n int, f func(from, to int)) {
	parts := runtime.GOMAXPROCS(0)
	if objects < large {
		parts = 1
	}
	tasks := make([]func(), parts)
	for i := range tasks {
		tasks[i] = func() { f(i*n/parts, (i+1)*n/parts) }
	}
	together(objects, tasks...)
}
