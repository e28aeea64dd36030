package render

import (
	"fmt"
	"strconv"
	"time"
)

// number is a value for a program; empty if it is not known.
func number[T int | int64](v *T) string {
	if v == nil {
		return ""
	}
	return fmt.Sprint(*v)
}

// vmid is empty for what has none.
func vmid(n int) string {
	if n == 0 {
		return ""
	}
	return strconv.Itoa(n)
}

// moment is a point in time for a program; empty if it is not known.
func moment(t *time.Time) string {
	if t == nil {
		return ""
	}
	return t.UTC().Format(time.RFC3339)
}
